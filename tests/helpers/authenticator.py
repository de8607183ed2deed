"""A device that holds passkeys, in software: it answers as WebAuthn says, or not quite."""

import hashlib
import json
import os
from typing import Any, Final
from urllib.parse import urlsplit

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from service.accounts.passkeys import from_base64url, to_base64url

PRESENT, VERIFIED, CREDENTIAL = 1, 4, 64
"""Flags: somebody is there, it is the owner, and a credential follows."""

PROOF: Final = ("id", "client_data", "authenticator_data", "signature", "user")


class Authenticator:
    """One passkey. What it says can be changed: its origin, its host, whether it recognized its owner, its count."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.host = urlsplit(origin).hostname or ""
        self.flags = PRESENT | VERIFIED
        self.count = 0
        self.user = ""
        self.id = os.urandom(16)
        self._key = ec.generate_private_key(ec.SECP256R1())

    def create(self, wanted: dict[str, Any], name: str = "my phone") -> dict[str, str]:
        """Return the body that registers the passkey."""
        self.user = wanted["user"]
        public = self._key.public_key().public_numbers()
        key = {1: 2, 3: -7, -1: 1, -2: public.x.to_bytes(32), -3: public.y.to_bytes(32)}
        held = bytes(16) + len(self.id).to_bytes(2) + self.id + cbor2.dumps(key)
        attestation = {"fmt": "none", "attStmt": {}, "authData": self._data(self.flags | CREDENTIAL) + held}
        return {
            "name": name,
            "id": to_base64url(self.id),
            "client_data": to_base64url(self._client("webauthn.create", wanted["challenge"])),
            "attestation": to_base64url(cbor2.dumps(attestation)),
        }

    def sign(self, wanted: dict[str, Any]) -> dict[str, str]:
        """Return the body that signs in by the passkey."""
        self.count += 1
        client, data = self._client("webauthn.get", wanted["challenge"]), self._data(self.flags)
        signature = self._key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        said = (to_base64url(self.id), to_base64url(client), to_base64url(data), to_base64url(signature), self.user)
        return dict(zip(PROOF, said, strict=True))

    def _client(self, kind: str, challenge: str) -> bytes:
        from_base64url(challenge)
        said = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(said).encode()

    def _data(self, flags: int) -> bytes:
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + self.count.to_bytes(4)
