"""The controls of a sandbox, for the API: moving its time and resetting it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId


class SeededAccount(Struct, frozen=True):
    """An account that every sandbox has.

    Attributes:
        token: its token, for all that its account may do.
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
    """What every sandbox begins with."""

    accounts: Sequence[SeededAccount]
    games: Sequence[SeededGame]


class Controls(Protocol):
    """A running sandbox."""

    seeded: Seeded

    async def move(self, at: datetime) -> None:
        """Move the time forward, and do what is due until then. Raises `ValueError` for a time in the past."""
        ...

    async def reset(self) -> None:
        """Reset: the next request finds the first data again."""
        ...
