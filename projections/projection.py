"""The base class of projections, and the events that they get."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, cast

from msgspec import UNSET, Struct, UnsetType

from domain.judging.events import CaseEvent
from domain.judging.outcome import Judgment
from domain.kernel.ids import CaseId, GameId, PlayerId, Seat, TournamentId
from domain.kernel.log.event import GameEvent
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_around, read_event
from domain.kernel.log.lifecycle import GameCreated, GameForked
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.ruleset import Ruleset
from domain.tournament.events import TournamentEvent
from domain.tournament.tournament import Tournament
from projections.change import Change, Table


class Fixed(Struct, frozen=True):
    """The fixed facts of a game.

    Attributes:
        created: its first event.
        at: when it was created.
        title: its title then.
        ruleset: its ruleset; None when this package lacks it.
        root: the first game of its chain of forks; the game itself when it is no fork.
        reserved: who holds its seats when it begins, if it is a continuation.
        tournament: the tournament for which it was created; None for any other game.
    """

    created: GameCreated
    at: str
    title: str
    ruleset: Ruleset[Any] | None
    root: GameId
    reserved: Mapping[Seat, PlayerId] = {}
    tournament: TournamentId | None = None

    @property
    def is_fork(self) -> bool:
        return isinstance(self.created, GameForked)

    @property
    def is_continuation(self) -> bool:
        return isinstance(self.created, GameForked) and self.created.purpose == "continuation"


class Seen(Struct, frozen=True):
    """A game before and after an event. The next event changes `after`, so do not keep it."""

    after: Game
    heading: str
    heading_before: str
    round: int
    round_before: int


class Happened:
    """An event for projections: its row of the public log, and its game.

    Attributes:
        is_last: whether no other event of its game follows in the batch. A column that changes with every event needs
            to be set only then.
    """

    def __init__(
        self, game: GameId, record: Record, fixed: Fixed, seen: Seen | None = None, event: Any = UNSET
    ) -> None:
        """`event` is the event of the record, if it was read already."""
        self.game = game
        self.record = record
        self.fixed = fixed
        self.is_last = True
        self._seen = seen
        # Not a `cached_property`: its lock takes longer than reading an event.
        self._around: GameEvent | UnsetType | None = UNSET
        if event is not UNSET:
            self._around = event if isinstance(event, GameEvent) else None
        self._event = event
        self._cause: Cause | None = None

    @property
    def around(self) -> GameEvent | None:
        """The event when it is one around the table, such as a seat taken; None for an event of the ruleset."""
        if self._around is UNSET:
            self._around = read_around(self.record)
        return self._around

    @property
    def event(self) -> Any:
        """The event. Raises `LookupError` for one of a ruleset that this package lacks."""
        if self._event is UNSET:
            self._event = self.around or read_event(self.ruleset, self.record)
        return self._event

    @property
    def cause(self) -> Cause:
        """The cause of the event: its account, seat and command, as far as it has them."""
        if self._cause is None:
            self._cause = cause_of(self.record)
        return self._cause

    @property
    def ruleset(self) -> Ruleset[Any]:
        """The ruleset of the game. Raises `LookupError` when this package lacks it."""
        if self.fixed.ruleset is None:
            created = self.fixed.created
            raise LookupError(f"this package does not have {created.ruleset} version {created.ruleset_version}")
        return self.fixed.ruleset

    @property
    def landmark(self) -> str | None:
        """The word by which a timeline marks the event; None for an event that it does not mark."""
        return self.ruleset.landmarks.get(cast(Any, type(self.event)))

    @property
    def seen(self) -> Seen:
        """The game before and after the event: for projections that follow the table."""
        assert self._seen is not None, "only a projection that `follows` sees the table"
        return self._seen


class Judged(Struct, frozen=True):
    """A ruling on a finished game, for projections.

    Attributes:
        game: the game.
        root: the first game of its chain of forks; the game itself when it is no fork.
        case: the case that was ruled on.
        number: its number among the cases of the game.
        record: the ruling's row of the log.
        judgment: the result by the case from now on; None when the case does not change the end of the game.
    """

    game: GameId
    root: GameId
    case: CaseId
    number: int
    record: Record
    judgment: Judgment | None


class Argued(Struct, frozen=True):
    """An event of a case, for projections.

    Attributes:
        game: the game that the case is about.
        case: the case.
        record: its row of the log.
        event: the event.
    """

    game: GameId
    case: CaseId
    record: Record
    event: CaseEvent

    @property
    def cause(self) -> Cause:
        """The cause of the event: its account, seat and command, as far as it has them."""
        return cause_of(self.record)


class Directed(Struct, frozen=True):
    """An event of a tournament, for projections.

    Attributes:
        tournament: the tournament after it.
        record: its row of the log.
        event: the event.
    """

    tournament: Tournament
    record: Record
    event: TournamentEvent

    @property
    def cause(self) -> Cause:
        """The cause of the event: its account, seat and command, as far as it has them."""
        return cause_of(self.record)


class Projection(ABC):
    """A read model: tables, and what each event changes in them.

    `fold` is pure: the same log always makes the same rows, however it is cut into batches. A change of the tables or
    of the fold raises `version`: the rows are then rebuilt.

    Several processes fold at a time, each of them other books of the log. So a row is changed by events of one book
    only: its key has the game, or the book of the game. A sum over many games is computed when it is read.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    tables: ClassVar[tuple[Table, ...]]
    reads: ClassVar[int] = 0
    """The oldest version whose rows its queries understand; 0 for this version only. Such rows are read until those
    of this version are made."""

    follows: ClassVar[bool] = False
    """Whether it needs the table, which costs a fold of every game."""

    heeds: ClassVar[Literal["all", "around", "ruleset", "caused"]] = "all"
    """The events that it gets: those around the table, those of the ruleset, those with a cause, or all. All other
    events would change nothing."""

    judges: ClassVar[bool] = False
    """Whether it gets rulings on finished games."""

    hears: ClassVar[bool] = False
    """Whether it gets the events of cases."""

    attends: ClassVar[bool] = False
    """Whether it gets the events of tournaments."""

    @abstractmethod
    def fold(self, happened: Happened) -> Iterable[Change]:
        """Return the changes by an event of a game that is no fork."""

    def fold_continuation(self, happened: Happened) -> Iterable[Change]:
        """Return the changes by an event of a continuation. Its table is not available."""
        return ()

    def judge(self, judged: Judged) -> Iterable[Change]:
        """Return the changes by a ruling on a finished game."""
        return ()

    def argue(self, argued: Argued) -> Iterable[Change]:
        """Return the changes by an event of a case."""
        return ()

    def direct(self, directed: Directed) -> Iterable[Change]:
        """Return the changes by an event of a tournament."""
        return ()
