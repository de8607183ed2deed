"""Deliveries are believed when the service signed them, and not long ago."""

import base64
import json
import time
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from standardwebhooks import Webhook

from tests.clients.packed import PACKAGES, Language, Speaker, speaking

SECRET: Final = f"whsec_{base64.b64encode(bytes(range(32))).decode()}"
OTHER: Final = f"whsec_{base64.b64encode(bytes(range(1, 33))).decode()}"
EVENT: Final = {"type": "seat.awaited", "timestamp": "2026-11-21T18:00:00.000000Z", "data": {"game": "g1", "word": "Ἰ"}}
BODY: Final = json.dumps(EVENT, ensure_ascii=False)


def signed(at: float, body: str = BODY, *secrets: str) -> dict[str, str]:
    """Return the headers of a delivery that was signed at a time, by the library that the service signs with."""
    moment = datetime.fromtimestamp(at, UTC)
    signatures = [Webhook(secret).sign("d1", moment, body) for secret in secrets or [SECRET]]
    return {"Webhook-Id": "d1", "Webhook-Timestamp": str(int(at)), "Webhook-Signature": " ".join(signatures)}


def said(package: Speaker, headers: dict[str, str], body: str = BODY, secret: str = SECRET, **named: Any) -> Any:
    """Return what a receiver makes of a delivery."""
    lower = {name.lower(): value for name, value in headers.items()}  # As the servers of Node give them.
    return package.ask("delivery", secret=secret, headers=lower, body=body, named=named)


def test_what_the_service_signed_is_believed(package: Speaker) -> None:
    assert said(package, signed(time.time())) == EVENT
    assert said(package, signed(time.time(), BODY, OTHER, SECRET)) == EVENT
    assert said(package, signed(time.time()), secret=SECRET.removeprefix("whsec_")) == EVENT


def test_what_the_service_did_not_sign_is_not(package: Speaker) -> None:
    headers = signed(time.time())
    nobody = {"error": "no signature of the delivery is by this secret"}
    assert said(package, headers, BODY.replace("g1", "g2")) == nobody
    assert said(package, headers, secret=OTHER) == nobody
    assert said(package, headers | {"Webhook-Id": "d2"}) == nobody
    assert said(package, headers | {"Webhook-Timestamp": str(int(time.time()) - 5)}) == nobody
    for signature in ("", "v1,", "v1,%%%", "v2" + headers["Webhook-Signature"][2:], headers["Webhook-Signature"][:-4]):
        assert said(package, headers | {"Webhook-Signature": signature}) == nobody
    for name in headers:
        missing = {each: value for each, value in headers.items() if each != name}
        assert said(package, missing) == {"error": f"the delivery has no header {name.lower()}"}


def test_what_is_too_old_is_not_believed(package: Speaker) -> None:
    for age, when in ((400, "ago"), (-400, "from now")):
        error = said(package, signed(time.time() - age))["error"]
        assert error.startswith("the delivery was signed ")
        assert error.endswith(f" seconds {when}; at most 300 are allowed")
        assert said(package, signed(time.time() - age), tolerance=500) == EVENT


@pytest.mark.parametrize("language", PACKAGES)
def test_a_receiver_with_a_wrong_clock_says_so_or_is_told_the_time(language: Language) -> None:
    with speaking(language, hours=5) as package:
        error = said(package, signed(time.time()))["error"]
        assert "seconds ago; at most 300" in error
        assert 17_990 < int(error.split()[4]) < 18_020
        assert said(package, signed(time.time()), now=time.time()) == EVENT
