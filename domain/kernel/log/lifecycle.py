"""What happens to a game around its table: created, seats taken and left, started, taken back, moved on, ended."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import msgspec
from msgspec import Struct, field

from domain.kernel.ids import PlayerId, Seat, Version
from domain.kernel.rules.message import Names, Upcaster, kebab

Status = Literal["gathering", "running", "over", "cancelled"]
Sight = Literal["all", "spectator"]
"""What an organizer without a seat sees while a game runs: everything, or what spectators see."""


class GameEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event of the game around the table; the table's own events are the ruleset's.

    As theirs, its type name and fields are the storage format: when a stored shape changes, raise `schema` and add an
    upcaster to `UPCASTERS`.
    """

    schema: ClassVar[int] = 1
    added: ClassVar[frozenset[str]] = frozenset()
    """Fields that events of older shapes do not have, which are shown as they were stored."""
    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules of the service that it concerns."""

    def tell(self, names: Names) -> str:
        """Return what happened in a sentence, for the history."""
        raise NotImplementedError


class GameCreated(GameEvent, frozen=True):
    """A game was created.

    Attributes:
        ruleset: the id of the ruleset that it is played by.
        ruleset_version: the version of that ruleset that the game begins with.
        board: the digest of the board that it is played on.
        setup: what its creator chose, in the shape that the ruleset gives it.
        organizer: the account that organizes it.
        commitment: the SHA-256 of the secret of its chance, in hex.
        organizer_sees: what its organizer sees of a running game without holding a seat; everything where it is absent.
    """

    schema: ClassVar[int] = 2
    added: ClassVar[frozenset[str]] = frozenset({"organizer_sees"})

    ruleset: str
    ruleset_version: int
    board: str
    seats: tuple[Seat, ...]
    setup: dict[str, Any]
    organizer: PlayerId
    commitment: str
    organizer_sees: Sight

    def tell(self, names: Names) -> str:
        return f"A game of {self.ruleset} was created for {len(self.seats)} players."


class SeatTaken(GameEvent, frozen=True):
    """A player took a seat and added entropy to the dice, after their secret was committed to (TAB-LIFE-03).

    Attributes:
        entropy: what he added; it may be nothing.
    """

    rules = ("TAB-LIFE-03",)

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
    """All seats are taken (TAB-LIFE-02); the set-up follows."""

    rules = ("TAB-LIFE-02",)

    def tell(self, names: Names) -> str:
        return "The game began."


class GameCancelled(GameEvent, frozen=True):
    """The organizer called the game off before it began (TAB-LIFE-04).

    Nothing had been drawn, so the secret of its chance stays one.
    """

    rules = ("TAB-LIFE-04",)

    def tell(self, names: Names) -> str:
        return "The organizer cancelled the game."


class SeatsMoved(GameEvent, frozen=True):
    """The set-up gave players other seats than those that they had taken (`domain.kernel.rules.message.Event.seating`).

    Attributes:
        players: who holds each seat from now on.
    """

    players: dict[Seat, PlayerId]

    def tell(self, names: Names) -> str:
        return f"The players moved to the seats that they were dealt: {names.all(self.players)}."


class MovesRetracted(GameEvent, frozen=True):
    """The game goes on from an earlier version; what came after it stays in the log and does not count (TAB-UNDO-02).

    Attributes:
        to: the version.
        by: `undo` for a seat that took its own commands back, `ruling` for an organizer's decision.
        reason: why, in the organizer's words.
    """

    rules = ("TAB-UNDO-02",)

    to: Version
    by: Literal["undo", "ruling"]
    reason: str = ""

    def tell(self, names: Names) -> str:
        what = "The last commands were taken back" if self.by == "undo" else "The organizer ruled"
        return f"{what}: the game goes on from version {self.to}." + (f" Reason: {self.reason}" if self.reason else "")


class RulesUpgraded(GameEvent, frozen=True):
    """The organizer moved the game on to a newer version of its ruleset (TAB-RULES-01).

    From here on the game is folded and judged by that version; what happened before stays as it was judged.

    Attributes:
        from_: the version of the ruleset until here.
        to: the version from here on.
    """

    rules = ("TAB-RULES-01",)

    from_: int = field(name="from")
    to: int

    def tell(self, names: Names) -> str:
        return f"The organizer moved the game from version {self.from_} of its rules to version {self.to}."


class GameEnded(GameEvent, frozen=True):
    """The game is over.

    Attributes:
        winners: who won; nobody when it was a draw.
        rule: the rule that ended it.
        secret: opens the commitment, in hex: every roll can now be derived again.
    """

    winners: tuple[Seat, ...]
    rule: str
    secret: str

    def tell(self, names: Names) -> str:
        return f"The game is over: {names.all(self.winners)} won." if self.winners else "The game is over."


GAME_EVENTS: Final = (
    GameCreated,
    SeatTaken,
    SeatLeft,
    GameStarted,
    GameCancelled,
    SeatsMoved,
    MovesRetracted,
    RulesUpgraded,
    GameEnded,
)


def _organizer_sees_all(created: dict[str, Any]) -> dict[str, Any]:
    """Before shape 2 every organizer without a seat saw everything."""
    if "organizer_sees" in created:  # which would be told otherwise than it is read
        raise msgspec.ValidationError("Object contains unknown field `organizer_sees`")
    return {**created, "organizer_sees": "all"}


UPCASTERS: Final[Mapping[tuple[str, int], Upcaster]] = {(kebab("GameCreated"), 1): _organizer_sees_all}
"""By event type and the schema version that they lift to the next, as a ruleset has them for its own events."""


class Undo(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """Take back one's own commands (TAB-UNDO-01).

    Attributes:
        to: the version before the first of them (TAB-UNDO-02).
    """

    rules: ClassVar[tuple[str, ...]] = ("TAB-UNDO-01",)

    to: Version


def settles(event: Any) -> bool:
    """Tell whether nobody can take back what came before an event: it shows what was hidden, or is about the game."""
    return isinstance(event, GameEvent) or event.reveals


def undoable(
    seat: Seat | None, to: tuple[Version, ...], by: Seat | None, before: Version
) -> tuple[Seat | None, tuple[Version, ...]]:
    """Return who may go back to which versions after a command by `by` that settled nothing (TAB-UNDO-01).

    `seat` and `to` say the same of the game before it, which stood at version `before`.
    """
    return by, (*to, before) if by == seat else (before,)
