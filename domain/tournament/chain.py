"""The secrets that lots come from: a chain, to whose end the service commits when a tournament is announced.

The service draws a 32-byte seed. With S(64) = the seed, S(n) = SHA-256(S(n + 1)) for n = 63 … 0. The commitment is
S(0) in hex, and S(n) is published when the check-in for round n is closed. Everybody can compare its SHA-256 with what
was published before; nobody can compute S(n + 1) from S(n).
"""

import hashlib
from typing import Final

SEED_BYTES: Final = 32
LENGTH: Final = 64
"""How many rounds the chain has secrets for, cancelled rounds included."""


def secret_of(seed: bytes, number: int) -> bytes:
    """Return the secret of round `number`, from 1 to 64; with 0, the bytes of the commitment."""
    if not 0 <= number <= LENGTH:
        raise ValueError(f"the chain has no secret {number}; expected 0 to {LENGTH}")
    secret = seed
    for _ in range(LENGTH - number):
        secret = hashlib.sha256(secret).digest()
    return secret


def commitment_of(seed: bytes) -> str:
    """Return the commitment to all secrets of a seed, in hex."""
    return secret_of(seed, 0).hex()


def follows(secret: str, before: str) -> bool:
    """Tell whether a secret is the next one after `before`, which is the commitment for round 1. Both are in hex."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest() == before
