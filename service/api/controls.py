"""The controls of a sandbox, for the API: moving its time and resetting it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId


class SeededAccount(Struct, frozen=True):
    """An account that every sandbox has.

    Attributes:
        token: a token with all scopes of the account.
    """

    player: PlayerId
    name: str
    token: str


class SeededGame(Struct, frozen=True):
    """A game that every sandbox has.

    Attributes:
        about: what it is there for.
    """

    game: GameId
    about: str


class Seeded(Struct, frozen=True):
    """The accounts and games with which every sandbox begins."""

    accounts: Sequence[SeededAccount]
    games: Sequence[SeededGame]


class Controls(Protocol):
    """A running sandbox."""

    seeded: Seeded

    async def move(self, at: datetime) -> None:
        """Move the time forward, and do what is due until then. Raises `ValueError` for a time in the past."""
        ...

    async def reset(self) -> None:
        """Start anew: the next request finds the accounts and games with which the sandbox began."""
        ...
