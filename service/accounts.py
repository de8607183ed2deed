"""Accounts: a name, an opaque id that the events carry, and a token that only its owner has."""

import hashlib
import secrets
from collections.abc import Callable
from typing import Final

from domain.kernel.words import PlayerId
from service.clock import Clock, stamp
from service.identity import ID_BYTES, new_id
from service.store.protocol import EventStore, PlayerRow

TOKEN_PREFIX: Final = "tab_"
LONGEST_NAME: Final = 80
REMEMBERED: Final = 10_000
"""How many tokens are recognized without asking the store."""


class BadName(ValueError):
    """A name that no account can have; the message says what a name is."""


class Accounts:
    """The accounts of a store. Every method may raise `StoreError`."""

    def __init__(
        self, store: EventStore, clock: Clock, randomness: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._store = store
        self._clock = clock
        self._randomness = randomness
        self._known: dict[bytes, PlayerId] = {}

    async def register(self, name: str) -> tuple[PlayerRow, str]:
        """Open an account; return it and its token, which nobody can find out again. Raises `BadName`."""
        name = name.strip()
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise BadName(f"A name is 1 to {LONGEST_NAME} characters that can be printed.")
        # Not of `randomness`: that may be fixed to repeat a demonstration, and a token must never be guessed.
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        row = PlayerRow(PlayerId(new_id("p", self._randomness(ID_BYTES))), name, stamp(self._clock))
        await self._store.add_player(row, _hash(token))
        return row, token

    async def authenticate(self, token: str) -> PlayerId | None:
        """Return whose token this is; None for nobody's."""
        digest = _hash(token)
        if digest not in self._known:
            row = await self._store.player_by_token(digest)
            if row is None:
                return None
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[digest] = row.player
        return self._known[digest]

    async def player(self, player: PlayerId) -> PlayerRow | None:
        """Return an account, or None."""
        return await self._store.player(player)


def _hash(token: str) -> bytes:
    # A token has 256 random bits: nothing is gained by a slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
