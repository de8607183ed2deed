"""Accounts: a name, an opaque id that the events carry, and a token that only its owner has."""

import hashlib
import secrets
from collections.abc import Callable
from typing import Final

from domain.kernel.words import PlayerId
from service.clock import Clock, stamp
from service.identity import new_id
from service.store.protocol import EventStore, PlayerRow

TOKEN_PREFIX: Final = "tab_"
LONGEST_NAME: Final = 80
_REMEMBERED: Final = 10_000


class BadName(ValueError):  # noqa: N818  (an answer to the client)
    """A name that no account can have; the message says what a name is."""


class Accounts:
    """The accounts of a store."""

    def __init__(self, store: EventStore, clock: Clock, randomness: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._store = store
        self._clock = clock
        self._randomness = randomness
        self._known: dict[bytes, PlayerId] = {}

    async def register(self, name: str) -> tuple[PlayerRow, str]:
        """Open an account; return it and its token, which is shown this once. Raises `BadName`."""
        ...

    async def authenticate(self, token: str) -> PlayerId | None:
        """Return whose token this is; None for nobody's."""
        ...

    async def player(self, player: PlayerId) -> PlayerRow | None:
        """Return an account, or None."""
        ...
