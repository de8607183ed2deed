"""Values that only their owner has: tokens and invitations. The store has their hashes."""

import base64
import hashlib
import hmac
import secrets
from typing import Final

from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.store.accounts import Made, TokenRow

TOKEN_PREFIX: Final = "tab_"
SESSION_PREFIX: Final = "tabs_"
INVITATION_PREFIX: Final = "inv_"
ACCESS_PREFIX: Final = "taba_"
"""What the access tokens of apps begin with."""
SHORTEST_SECRET_KEY: Final = 32


class Once(Struct, frozen=True):
    """An idempotency key that came with a request for a token: a repetition gets the same token.

    The value of the token follows from the key and from a random nonce that is kept. So a request with the key gets it
    again, while the store, which has no key, does not know it.

    Attributes:
        key: the key as it was sent.
        player: who sent it; None for nobody in particular: then it must be one that nobody can guess.
        content: the request that it stands for.
        prefix: what the value begins with.
    """

    key: str
    player: PlayerId | None
    content: bytes
    prefix: str = TOKEN_PREFIX

    @property
    def hashed(self) -> str:
        """The key as it is stored, apart from that of every other account."""
        return hashlib.sha256((self.player or "").encode() + b"\0" + self.key.encode()).hexdigest()

    @property
    def fingerprint(self) -> bytes:
        return hashlib.sha256(self.content).digest()

    def make(self, row: TokenRow) -> tuple[Made, str]:
        """Return the nonce to store with a new token, and the value of the token."""
        nonce = secrets.token_bytes(32)
        return Made(self.hashed, self.fingerprint, nonce, row.token, row.created), self.value(nonce)

    def value(self, nonce: bytes) -> str:
        """Return the value of the token that was made with a nonce."""
        derived = hmac.digest(nonce, self.key.encode(), "sha256")
        return self.prefix + base64.urlsafe_b64encode(derived).decode().rstrip("=")


def is_hard_to_guess(key: str) -> bool:
    """Tell whether an idempotency key looks random: as one that comes without a token has to be.

    It opens what it made to anybody who knows it. A UUID without hyphens has 32 characters; one of a billion that are
    drawn at random has fewer than six different ones.
    """
    return len(key) >= SHORTEST_SECRET_KEY and len(set(key)) >= 6


def random_value(prefix: str = TOKEN_PREFIX) -> str:
    # Not of `randomness`: that may be fixed to repeat a demonstration, and a token must never be guessed.
    return prefix + secrets.token_urlsafe(32)


def hashed(token: str) -> bytes:
    # A token has 256 random bits: nothing is gained by a slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
