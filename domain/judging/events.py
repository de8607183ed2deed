"""The events of a case, from its opening to its end."""

from typing import Any, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from domain.kernel.canonical import digest
from domain.kernel.chance.secret import commitment_of
from domain.kernel.ids import GameId, RuleId, Seat, Version
from domain.kernel.rules.message import Names, enumerated, kebab

Kind = Literal["move", "refusal", "slip", "dice", "time", "conduct", "result"]
"""What a case is about.

`move`: a command that was accepted and should have been refused. `refusal`: a command that was refused and should have
been accepted. `slip`: a command that its seat did not mean. The others: the dice, the time, how somebody behaves, and
how the game ended.
"""

Decision = Literal["dismissed", "stands", "back", "continue", "result", "pause", "resume"]
"""What a ruling decides.

The case is `dismissed`; the game `stands` as it is, goes `back` to an earlier version, goes on in a fork (`continue`),
ends with a `result`, pauses or resumes.
"""

Status = Literal["open", "withdrawn", "settled", "ruled", "appealed", "final"]
"""The status of a case. `open` and `appealed` wait for a ruling; `ruled` has a ruling, against which a seat may still
appeal; the others are closed."""

WAITING: Final[tuple[Status, ...]] = ("open", "appealed")
"""Statuses of cases that wait for a ruling."""

CLOSED: Final[tuple[Status, ...]] = ("withdrawn", "settled", "final")
"""Statuses of cases in which nothing happens any more."""


class Written(Struct, frozen=True, omit_defaults=True):
    """What a party wrote. It is kept beside the log and can be erased; the log has a salted commitment to it.

    Attributes:
        text: the statement.
        command: the refused command that the case is about; set only if the command is secret to its seat, so that the
            log must not show it.
    """

    text: str
    command: dict[str, Any] | UnsetType = UNSET


def commitment_to(written: Written, salt: bytes) -> str:
    """Return the commitment that stands for a statement in the log, in hex."""
    return commitment_of(salt, msgspec.to_builtins(written))


class CaseEvent(Struct, frozen=True, tag=kebab, forbid_unknown_fields=True):
    """An event of a case. Its type name and fields are the storage format, as those of a game's events are."""

    schema: ClassVar[int] = 1
    rules: ClassVar[tuple[str, ...]] = ()
    """The ids of the rules of the service that it concerns."""

    def tell(self, names: Names) -> str:
        """Return what happened in a sentence, for the history."""
        raise NotImplementedError


class CaseOpened(CaseEvent, frozen=True):
    """Somebody disputes something about a game (TAB-CASE-01).

    Attributes:
        game: the game.
        number: 1, 2, 3 … among the cases of the game, without a gap.
        kind: what the case is about.
        about: the version of the game that it is about: the event in dispute, or where a command was refused.
        version: where the game stood when the case was opened.
        hash: the hash of the game there, in hex.
        seat: the seat that opened it; absent when an official did.
        cited: the rules that it cites.
        command: the refused command, of a case about a refusal; only its type when it is a secret of its seat.
        statement: the commitment to what was written.
    """

    rules = ("TAB-CASE-01", "TAB-CASE-03")

    game: GameId
    number: int
    kind: Kind
    about: Version
    version: Version
    hash: str
    cited: tuple[RuleId, ...]
    statement: str
    seat: Seat | UnsetType = UNSET
    command: Raw | UnsetType = UNSET

    @property
    def matter(self) -> str:
        """What it disputes: two cases of a game with the same matter are about the same event, or the same refusal."""
        refused = f" {digest(self.command)}" if self.command is not UNSET else ""
        return f"{self.about}{refused}"

    def tell(self, names: Names) -> str:
        who = names(self.seat) if self.seat is not UNSET else "An official"
        cited = f" It cites {enumerated(self.cited)}." if self.cited else ""
        return f"{who} opened case {self.number} of the game: {_ABOUT[self.kind]} at version {self.about}.{cited}"


_ABOUT: Final = {
    "move": "a move that should have been refused",
    "refusal": "a command that should have been accepted",
    "slip": "a slip",
    "dice": "the dice",
    "time": "the time",
    "conduct": "somebody's conduct",
    "result": "the result",
}


class StatementMade(CaseEvent, frozen=True):
    """A seat made a statement (TAB-CASE-06).

    Attributes:
        statement: the commitment to what was written.
    """

    rules = ("TAB-CASE-06",)

    seat: Seat
    statement: str

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} made a statement."


class CaseAnswered(CaseEvent, frozen=True):
    """A seat answered the complaint (TAB-CASE-07).

    Attributes:
        statement: the commitment to what was written.
    """

    rules = ("TAB-CASE-07",)

    seat: Seat
    statement: str

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} answered."


class CaseWithdrawn(CaseEvent, frozen=True):
    """The player or official who opened the case withdrew it (TAB-CASE-08).

    Attributes:
        seat: the seat that had opened it; absent when an official had.
    """

    rules = ("TAB-CASE-08",)

    seat: Seat | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        who = names(self.seat) if self.seat is not UNSET else "The official"
        return f"{who} withdrew the case."


class ConsentGiven(CaseEvent, frozen=True):
    """A seat agrees with the complaint, or with the ruling when there is one (TAB-CASE-09).

    Attributes:
        asks: `present`: seats that were given up need not consent. Absent in older logs, where they had to.
    """

    rules = ("TAB-CASE-09",)

    seat: Seat
    asks: Literal["present"] | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} gave consent."


class Ruled(CaseEvent, frozen=True):
    """An official decided the case (TAB-RUL-05).

    Attributes:
        decision: what was decided.
        cited: the rules that the ruling rests on.
        reason: why, in 1 to 2,000 printable characters. It is public.
        version: the version of the game on which the ruling was made.
        hash: the hash of the game there, in hex.
        to: the version to which the game goes `back`, or the game in which it is to `continue`.
        order: the final order of the seats of a `result`, the first first; seats that tie stand together.
    """

    rules = ("TAB-RUL-05", "TAB-RUL-07", "TAB-RUL-09")

    decision: Decision
    cited: tuple[RuleId, ...]
    reason: str
    version: Version
    hash: str
    to: Version | GameId | UnsetType = UNSET
    order: tuple[tuple[Seat, ...], ...] | UnsetType = UNSET

    def tell(self, names: Names) -> str:
        return f"{self._whose} ruled on version {self.version}: {self._decided(names)}. {self.reason}"

    @property
    def _whose(self) -> str:
        return "An official"

    def _decided(self, names: Names) -> str:
        if self.decision == "back":
            return f"the game goes back to version {self.to}"
        if self.decision == "continue":
            return f"the game goes on as game {self.to}"
        if self.order is not UNSET:
            return f"the game ends in the order {enumerated([' with '.join(map(names, tied)) for tied in self.order])}"
        return _DECIDED[self.decision]


_DECIDED: Final = {
    "dismissed": "the case is dismissed",
    "stands": "the game stands as it is",
    "result": "the game ends",
    "pause": "the game pauses",
    "resume": "the game resumes",
}


class Appealed(CaseEvent, frozen=True):
    """A seat appealed against the ruling (TAB-CASE-10).

    Attributes:
        statement: the commitment to what was written.
    """

    rules = ("TAB-CASE-10",)

    seat: Seat
    statement: str

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} appealed."


class RuledFinally(Ruled, frozen=True):
    """Another official decided the case after an appeal (TAB-RUL-10). Nothing follows in the case."""

    rules = ("TAB-RUL-05", "TAB-RUL-07", "TAB-RUL-09", "TAB-RUL-10")

    @property
    def _whose(self) -> str:
        return "Another official"


class Settled(CaseEvent, frozen=True):
    """All seats whose consent was needed have agreed (TAB-CASE-09). Nothing follows in the case."""

    rules = ("TAB-CASE-09",)

    def tell(self, names: Names) -> str:
        return "The case is settled: everybody agreed."


CASE_EVENTS: Final = (
    CaseOpened,
    StatementMade,
    CaseAnswered,
    CaseWithdrawn,
    ConsentGiven,
    Ruled,
    Appealed,
    RuledFinally,
    Settled,
)
