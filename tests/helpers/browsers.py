"""Browsers as push services know them: they subscribe, and read what was encrypted for them (RFC 8188 and 8291).

Written from the standards, without the library that encrypts in the service.
"""

import base64
import json
import struct
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def octets(value: str) -> bytes:
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))


class Subscriber:
    """A browser: its keys, and where its push service is asked to bring something to it."""

    def __init__(self, endpoint: str, private: str = "", auth: str = "") -> None:
        """Without them, the keys follow from the endpoint."""
        number = int.from_bytes(octets(private), "big") if private else int.from_bytes(endpoint.encode()[-20:], "big")
        self.endpoint = endpoint
        self.key = ec.derive_private_key(number, ec.SECP256R1())
        self.auth = octets(auth) if auth else endpoint.encode()[-16:].rjust(16)

    @property
    def point(self) -> bytes:
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def subscription(self) -> dict[str, Any]:
        """Return what `PushSubscription.toJSON()` does."""
        keys = {"p256dh": text(self.point), "auth": text(self.auth)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def read(self, body: bytes) -> bytes:
        """Return what somebody encrypted for this browser. Raises `InvalidTag` for another's."""
        salt, (_, length) = body[:16], struct.unpack("!LB", body[16:21])
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), point)
        ikm = _derived(self.auth, shared, b"WebPush: info\0" + self.point + sender, 32)
        key = _derived(salt, ikm, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _derived(salt, ikm, b"Content-Encoding: nonce\0", 12)
        content, end, _ = AESGCM(key).decrypt(nonce, sealed, None).rpartition(b"\2")
        assert end, "the one record is the last"
        return content

    def shown(self, body: bytes) -> Any:
        return json.loads(self.read(body))


def signed(authorization: str) -> tuple[dict[str, Any], str]:
    """Return the claims of a push that a service has signed (RFC 8292), and its key. Raises `InvalidSignature`."""
    scheme, _, parameters = authorization.partition(" ")
    assert scheme == "vapid"
    parts = dict(each.strip().split("=", 1) for each in parameters.split(","))
    head, claims, signature = parts["t"].split(".")
    assert json.loads(octets(head)) == {"typ": "JWT", "alg": "ES256"}
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), octets(parts["k"]))
    halves = (int.from_bytes(half, "big") for half in (octets(signature)[:32], octets(signature)[32:]))
    key.verify(utils.encode_dss_signature(*halves), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    return json.loads(octets(claims)), parts["k"]


def _derived(salt: bytes, key: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(key)
