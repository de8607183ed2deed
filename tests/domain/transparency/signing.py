"""Signatures for tests: Ed25519 and ML-DSA-44 of `cryptography`, which the domain must not know."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey

from domain.transparency.checkpoint import ML_DSA_COSIGNATURE, signed
from domain.transparency.note import Key, Sign, Signature


def check(kind: int, public: bytes, message: bytes, signature: bytes) -> bool:
    key = (MLDSA44PublicKey if kind == ML_DSA_COSIGNATURE else Ed25519PublicKey).from_public_bytes(public)
    try:
        key.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def public_of(kind: int, secret: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


class Signer:
    """Somebody who signs, always with the same key for the same name."""

    def __init__(self, name: str, kind: int) -> None:
        seed = name.encode().ljust(32, b"\0")
        quantum_safe = kind == ML_DSA_COSIGNATURE
        private = (
            MLDSA44PrivateKey.from_seed_bytes(seed) if quantum_safe else Ed25519PrivateKey.from_private_bytes(seed)
        )
        self.sign: Sign = private.sign
        self.key = Key(name, kind, private.public_key().public_bytes_raw())

    def signature(self, text: str, time: int | None = None) -> Signature:
        return signed(text, self.key, self.sign, time)
