"""Secret values: tokens, invitations, secrets of apps. Only their owner has them; the store has their hashes."""

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
    """An idempotency key that came with a request for a token or another secret value: a repetition gets the same one.

    The value is derived from the key and a random nonce. Only the nonce and a hash of the key are stored. So a request
    with the key gets the value again, and nobody learns it from the store.

    Attributes:
        key: the key as it was sent.
        player: the account that sent it; None for a request without a token. Such a key must be hard to guess.
        content: the request that came with it.
        prefix: what the value begins with.
    """

    key: str
    player: PlayerId | None
    content: bytes
    prefix: str = TOKEN_PREFIX

    @property
    def hashed(self) -> str:
        """The hash of the key that is stored. The same key of another account has another hash."""
        return hashlib.sha256((self.player or "").encode() + b"\0" + self.key.encode()).hexdigest()

    @property
    def fingerprint(self) -> bytes:
        return hashlib.sha256(self.content).digest()

    def make(self, row: TokenRow) -> tuple[Made, str]:
        """Return the row to store with a new token, and the value of the token."""
        nonce = secrets.token_bytes(32)
        return Made(self.hashed, self.fingerprint, nonce, row.token, row.created), self.value(nonce)

    def value(self, nonce: bytes) -> str:
        """Return the value that belongs to a nonce."""
        derived = hmac.digest(nonce, self.key.encode(), "sha256")
        return self.prefix + base64.urlsafe_b64encode(derived).decode().rstrip("=")


def is_hard_to_guess(key: str) -> bool:
    """Tell whether an idempotency key looks random. A key that comes without a token must.

    Anybody who knows such a key can get what was made with it. A UUID without hyphens has 32 characters; less than one
    in a billion random ones has fewer than six different characters.
    """
    return len(key) >= SHORTEST_SECRET_KEY and len(set(key)) >= 6


def random_value(prefix: str = TOKEN_PREFIX) -> str:
    # The service's own `randomness` can be fixed, to repeat a demonstration. Then everybody could compute its tokens.
    return prefix + secrets.token_urlsafe(32)


def hashed(token: str) -> bytes:
    # A token has 256 random bits, so a slow hash would not make it safer.
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
