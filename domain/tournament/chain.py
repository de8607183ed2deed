"""The hash chain of a tournament: the secrets from which its lots come, one for each round.

The service draws a 32-byte seed. With S(64) = the seed, S(n) = SHA-256(S(n + 1)) for n = 63 … 0. S(0) in hex is the
commitment to the whole chain, which is published when the tournament is announced. S(n) is published when the check-in
for round n is closed. Everybody can check that its SHA-256 is what was published before. Nobody can compute S(n + 1)
from S(n).
"""

import hashlib
from typing import Final

SEED_BYTES: Final = 32
LENGTH: Final = 64
"""How many rounds the chain has secrets for, cancelled rounds included."""


def secret_of(seed: bytes, number: int) -> bytes:
    """Return the secret of round `number`, from 1 to 64; for 0, the bytes of the commitment."""
    if not 0 <= number <= LENGTH:
        raise ValueError(f"the chain has no secret {number}; expected 0 to {LENGTH}")
    secret = seed
    for _ in range(LENGTH - number):
        secret = hashlib.sha256(secret).digest()
    return secret


def commitment_of(seed: bytes) -> str:
    """Return the commitment to the chain of a seed: S(0), in hex."""
    return secret_of(seed, 0).hex()


def follows(secret: str, before: str) -> bool:
    """Tell whether `secret` is the next one after `before`: for round 1, after the commitment. Both are in hex."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest() == before
