"""Checks deliveries of webhooks, which are signed by the Standard Webhooks specification."""

import base64
import binascii
import hmac
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from tabularium_client.problems import TabulariumError


class Forged(TabulariumError):
    """The service did not sign this delivery, or it is too old to be trusted."""


def delivery(
    secret: str, headers: Mapping[str, str], body: bytes | str, *, tolerance: float = 300, now: float | None = None
) -> dict[str, Any]:
    """Check the signature of a delivery, and return its content.

    A delivery may come twice, with the same ``webhook-id``.

    Args:
        secret: ``whsec_…``, as the service showed it.
        headers: the headers of the delivery; the case of their names does not matter.
        body: the bytes as they arrived, not parsed and formatted again.
        tolerance: seconds by which the clocks of the service and this machine may differ.
        now: the time in seconds, for a machine whose clock is known to be wrong.

    Raises:
        Forged: the signature is wrong or missing, or the delivery is too old. Do not act on it.
    """
    by_name = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if name not in by_name:
            raise Forged(f"the delivery has no header {name}")
    content = body.encode() if isinstance(body, str) else body
    stamp = by_name["webhook-timestamp"]
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = hmac.digest(key, f"{by_name['webhook-id']}.{stamp}.".encode() + content, "sha256")
    if not any(hmac.compare_digest(expected, each) for each in _signatures(by_name["webhook-signature"])):
        raise Forged("no signature of the delivery is by this secret")
    age = (time.time() if now is None else now) - (float(stamp) if stamp.isdecimal() else float("nan"))
    if not abs(age) <= tolerance:
        when = f"{abs(age):.0f} seconds {'ago' if age > 0 else 'from now'}"
        raise Forged(f"the delivery was signed {when}; at most {tolerance:.0f} are allowed")
    return msgspec.json.decode(content)


def _signatures(text: str) -> list[bytes]:
    signatures: list[bytes] = []
    for each in text.split(" "):
        try:
            signatures += [base64.b64decode(each[3:], validate=True)] if each.startswith("v1,") else []
        except binascii.Error:
            continue  # It is not base64.
    return signatures
