"""Web push: messages to the push service of a browser, encrypted for that browser alone and signed by this service.

RFC 8030 says how they are sent, RFC 8291 how they are encrypted, RFC 8292 (VAPID) how they are signed.
"""

import base64
import binascii
import time
from collections.abc import Mapping
from typing import Final

import http_ece
import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from msgspec import Struct
from py_vapid import Vapid02, VapidException

from service.base.private import write_secret
from service.base.settings import Settings
from service.outward.addresses import Target
from service.webhooks.secrets import KeyUnusable, digest

SIGNED_FOR: Final = 12 * 3600
"""Seconds for which a signature is valid. RFC 8292 allows a day."""

KEPT: Final = 24 * 3600
"""Seconds for which a push service keeps a message for a browser that is off."""

PADDED: Final = 1024
"""Bytes to which every message is padded, so that its length reveals nothing."""

_POINT: Final = 65
_SECRET: Final = 16


class BadSubscription(ValueError):
    """Keys that no browser makes. The message says what is right."""


class Subscription(Struct, frozen=True):
    """The address of a browser at its push service, and the keys that encrypt messages to it. All of it is secret.

    Attributes:
        endpoint: the address at its push service, which is for this browser alone.
        p256dh: its public key, a point of P-256 in base64url.
        auth: a secret that it shares with this service, 16 bytes in base64url.
    """

    endpoint: str
    p256dh: str
    auth: str

    @property
    def mark(self) -> str:
        """A digest that identifies the subscription and reveals nothing of it."""
        return digest("push", self.endpoint)

    def check(self) -> None:
        """Raise `BadSubscription` for keys with which nothing can be encrypted."""
        point, secret = _bytes(self.p256dh, "p256dh"), _bytes(self.auth, "auth")
        if len(secret) != _SECRET:
            raise BadSubscription(f"`auth` has {len(secret)} bytes. It takes {_SECRET}, as the browser gives them.")
        try:
            if len(point) != _POINT:
                raise ValueError
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        except ValueError:
            raise BadSubscription("`p256dh` is no point of P-256. Send it as the browser gives it.") from None

    def encrypted(self, message: bytes) -> bytes:
        """Return a message encrypted for this browser alone, with a key that is used once."""
        return http_ece.encrypt(
            message.ljust(PADDED),  # JSON may end with blanks
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=_bytes(self.p256dh, "p256dh"),
            auth_secret=_bytes(self.auth, "auth"),
            version="aes128gcm",
        )

    def encoded(self) -> str:
        return msgspec.json.encode(self).decode()

    @staticmethod
    def read(text: str) -> "Subscription":
        """Return what `encoded` wrote."""
        return _subscription.decode(text)


_subscription: Final = msgspec.json.Decoder(Subscription)


class PushKey:
    """The key that signs pushes. A subscription is bound to it: push services refuse what another key has signed."""

    def __init__(self, text: str, contact: str) -> None:
        """`contact` is the address at which push services can reach the operators. Raises `KeyUnusable`."""
        try:
            if len(_bytes(text.strip(), "key")) != 32:
                raise ValueError
            self._vapid = Vapid02.from_raw(text.strip().encode())
        except (ValueError, VapidException):
            raise KeyUnusable("the key of web push is not one that `tabularium webhooks push-key` makes") from None
        # The library takes `https:` for a contact only without a port and a path.
        self._vapid.conf = {"no-strict": True}
        self._contact = contact
        self._signed: dict[str, tuple[float, str]] = {}

    @property
    def public(self) -> str:
        """The public key, as `PushManager.subscribe` takes it."""
        key = self._vapid.public_key
        assert key is not None
        return _text(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    def headers(self, target: Target, topic: str, *, urgent: bool) -> Mapping[str, str]:
        """Return the headers of a push. Of several pushes with the same `topic`, a push service keeps the newest."""
        standard = 443 if target.scheme == "https" else 80
        port = "" if target.port == standard else f":{target.port}"
        return {
            "Authorization": self._signature(f"{target.scheme}://{target.host}{port}"),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(KEPT),
            "Topic": digest(topic)[:32],
            "Urgency": "high" if urgent else "normal",
        }

    def _signature(self, audience: str) -> str:
        """Return a signature for a push service. It is made once an hour, because it takes longer than all the rest."""
        now = time.time()
        made_at, signed = self._signed.get(audience, (0.0, ""))
        if not now - 3600 < made_at <= now:
            if len(self._signed) > 1000:
                self._signed.clear()
            claims = {"aud": audience, "exp": int(now) + SIGNED_FOR, "sub": self._contact}
            signed = self._vapid.sign(claims)["Authorization"]
            self._signed[audience] = now, signed
        return signed


def new_push_key() -> str:
    """Return a new key as it is stored, in base64url."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _text(key.private_numbers().private_value.to_bytes(32, "big"))


def push_key(settings: Settings, *, make: bool = True) -> PushKey | None:
    """Return the key of the settings, or of the data directory, where a missing one is made unless `make` is false.

    Returns None without a key. Processes that share a database use only the settings, because each would make a key of
    its own. Raises `KeyUnusable`.
    """
    path, text = settings.push_key_file, settings.push_key
    if not text:
        if settings.database_url or not (make or path.exists()):
            return None
        try:
            if not path.exists():
                write_secret(path, new_push_key())
            text = path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise KeyUnusable(f"{path} cannot be used: {getattr(error, 'strerror', error)}") from error
    return PushKey(text, settings.public_url or "mailto:operators@localhost")


def _bytes(text: str, name: str) -> bytes:
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise BadSubscription(f"`{name}` is not in base64url. Send it as the browser gives it.") from None


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")
