"""What happens to a game around its table: created, seats taken and left, started, taken back, ended."""

from typing import Any, ClassVar, Final, Literal

from msgspec import Struct

from domain.kernel.message import Names, kebab
from domain.kernel.words import PlayerId, Seat, Version

Status = Literal["gathering", "running", "over"]


class GameEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event of the game around the table; the table's own events are the ruleset's."""

    schema: ClassVar[int] = 1

    def tell(self, names: Names) -> str:
        """Return what happened in a sentence, for the history."""
        raise NotImplementedError


class GameCreated(GameEvent, frozen=True):
    """A game was created.

    `commitment` is the SHA-256 of the secret of its chance; `board` the digest of the board it is played on.
    """

    ruleset: str
    ruleset_version: int
    board: str
    seats: tuple[Seat, ...]
    setup: dict[str, Any]
    organizer: PlayerId
    commitment: str

    def tell(self, names: Names) -> str:
        return f"A game of {self.ruleset} was created for {len(self.seats)} players."


class SeatTaken(GameEvent, frozen=True):
    """A player took a seat and added entropy to the dice, after their secret was committed to."""

    seat: Seat
    player: PlayerId
    entropy: str = ""

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} was taken."


class SeatLeft(GameEvent, frozen=True):
    """A player left a seat before the game began."""

    seat: Seat

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} is free again."


class GameStarted(GameEvent, frozen=True):
    """All seats are taken; the set-up follows."""

    def tell(self, names: Names) -> str:
        return "The game began."


class MovesRetracted(GameEvent, frozen=True):
    """The game goes on from where it stood at version `to`; what came after stays in the log and does not count.

    `by` is ``undo`` for a seat that took its own commands back, ``ruling`` for an organizer's decision.
    """

    to: Version
    by: Literal["undo", "ruling"]
    reason: str = ""

    def tell(self, names: Names) -> str:
        what = "The last commands were taken back" if self.by == "undo" else "The organizer ruled"
        return f"{what}: the game goes on from version {self.to}." + (f" Reason: {self.reason}" if self.reason else "")


class GameEnded(GameEvent, frozen=True):
    """The game is over. `secret` (hex) opens the commitment: every roll can now be derived again."""

    winners: tuple[Seat, ...]
    rule: str
    secret: str

    def tell(self, names: Names) -> str:
        return f"The game is over: {names.all(self.winners)} won." if self.winners else "The game is over."


GAME_EVENTS: Final = (GameCreated, SeatTaken, SeatLeft, GameStarted, MovesRetracted, GameEnded)


class Undo(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """Take back one's own commands, to the version before one of them."""

    to: Version
