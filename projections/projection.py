"""What a projection is, and what it is told of an event."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar, cast

from msgspec import Struct

from domain.kernel.ids import GameId
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of, read_around, read_event
from domain.kernel.log.lifecycle import GameCreated, GameEvent
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.ruleset import Ruleset
from projections.change import Change, Table


class Fixed(Struct, frozen=True):
    """What is known of a game beside its table: its first event, its title then, its ruleset (None when this package
    lacks it)."""

    created: GameCreated
    title: str
    ruleset: Ruleset[Any] | None


class Seen(Struct, frozen=True):
    """A game before and after an event. `after` goes on with the next one: look at it, do not keep it."""

    after: Game
    heading: str
    heading_before: str
    round: int
    round_before: int


class Happened:
    """An event as projections are told of it: its row of the public log, and the game that it happened in."""

    def __init__(self, game: GameId, record: Record, fixed: Fixed, seen: Seen | None = None) -> None:
        self.game = game
        self.record = record
        self.fixed = fixed
        self._seen = seen

    @cached_property
    def around(self) -> GameEvent | None:
        """The event when it is one around the table, such as a seat taken; None for the ruleset's own."""
        return read_around(self.record)

    @cached_property
    def event(self) -> Any:
        """The event. Raises `LookupError` for one of a ruleset that this package lacks."""
        return self.around or read_event(self.ruleset, self.record)

    @cached_property
    def cause(self) -> Cause:
        """Who brought it about."""
        return cause_of(self.record)

    @property
    def ruleset(self) -> Ruleset[Any]:
        """The ruleset of the game. Raises `LookupError` when this package lacks it."""
        if self.fixed.ruleset is None:
            created = self.fixed.created
            raise LookupError(f"this package does not have {created.ruleset} version {created.ruleset_version}")
        return self.fixed.ruleset

    @property
    def landmark(self) -> str | None:
        """The word for what the event is on a timeline; None for an event that is not marked there."""
        return self.ruleset.landmarks.get(cast(Any, type(self.event)))

    @property
    def seen(self) -> Seen:
        """The game before and after the event: for projections that follow the table."""
        assert self._seen is not None, "only a projection that `follows` sees the table"
        return self._seen


class Projection(ABC):
    """A read model: tables, and what each event changes in them.

    `fold` is pure: the same log always makes the same rows, however it is cut into batches. A change of the tables or
    of the fold raises `version`: the rows are then rebuilt.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    tables: ClassVar[tuple[Table, ...]]
    follows: ClassVar[bool] = False
    """Whether it looks at the table, which costs a fold of every game."""

    @abstractmethod
    def fold(self, happened: Happened) -> Iterable[Change]:
        """Return what an event changes."""
