"""The stores of the rows of projections, and of their checkpoints.

A projection's rows exist in generations, each with tables of its own. One generation is live: it is read. A rebuild
makes a new one beside it from the first event on, which takes its place when it has caught up.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import StreamId, Version
from projections.change import Amend, Changes
from projections.lanes import joined
from projections.projection import Projection


class Unavailable(Exception):
    """The log or the store of the rows cannot answer now. The same request may succeed later."""


class NotBuilt(Exception):
    """The projection has no live generation of this version yet: it is being built."""

    def __init__(self, projection: str) -> None:
        super().__init__(f"the projection {projection} is still being built")
        self.projection = projection


class Overtaken(Exception):
    """The generation does not stand where it was expected: another process, or a rebuild, was quicker."""


class Trouble(Struct, frozen=True):
    """Why a projection stopped, and at which event."""

    game: StreamId
    version: Version
    why: str


class Lane(Struct, frozen=True):
    """The checkpoint of a generation in one lane of the log.

    Attributes:
        number: the number of the lane.
        positions: the position of the last record that was folded, in each book of the lane.
        events: how many events of the lane were folded since it has its own checkpoint.
        trouble: why the lane stopped, if it did.
    """

    number: int
    positions: tuple[int, ...]
    events: int = 0
    trouble: Trouble | None = None


Key = tuple[str, int]
"""The key of a generation: its projection and its number."""


class Generation(Struct, frozen=True):
    """One generation of a projection's rows, and its checkpoint.

    Attributes:
        number: counts the generations of this projection.
        version: the version of the projection by which the rows were made.
        live: whether these are the rows that are read.
        cursor: where in the log it stands; None at the beginning.
        events: how many events it has folded.
        trouble: why it stopped, if it did.
        lanes: its checkpoints in the lanes of the log, which together make the three above; empty while it has one
            checkpoint for all.
    """

    projection: str
    number: int
    version: int
    live: bool
    cursor: str | None = None
    events: int = 0
    trouble: Trouble | None = None
    lanes: tuple[Lane, ...] = ()

    @property
    def key(self) -> Key:
        return self.projection, self.number

    def beside(self, other: "Generation") -> "Generation":
        """Return this generation, moved to the place where another one stands."""
        return replace(self, cursor=other.cursor, events=other.events, trouble=other.trouble, lanes=other.lanes)

    def on(self, lanes: Sequence[Lane], before: int) -> "Generation":
        """Return the generation with these checkpoints in lanes, and the number of events folded before it had any."""
        events = before + sum(lane.events for lane in lanes)
        cursor = joined([lane.positions for lane in lanes])
        return replace(
            self,
            cursor=str(cursor) if any(cursor.positions) else None,
            events=events,
            trouble=next((lane.trouble for lane in lanes if lane.trouble is not None), None),
            lanes=tuple(lanes),
        )


class Move(Struct, frozen=True):
    """A lane's checkpoint moves on: to these positions, after so many more events."""

    lane: Lane
    positions: tuple[int, ...]
    events: int

    @property
    def moved(self) -> Lane:
        return Lane(self.lane.number, self.positions, self.lane.events + self.events)


class Step(Struct, frozen=True):
    """What a batch of events changes in generations that stand at one place.

    Attributes:
        at: one of the generations, before the step.
        cursor: where in the log they stand afterwards; for those with lanes, `moves` says that.
        events: how many events they fold in the step.
        changes: the changes of rows, by the key of their generation.
        moves: how the checkpoints of their lanes move. Other processes may move the other lanes meanwhile.
        beside: the other generations, which stand at the same place as `at`.
    """

    at: Generation
    cursor: str
    events: int
    changes: Mapping[Key, Changes]
    moves: Sequence[Move] = ()
    beside: Sequence[Key] = ()

    @property
    def going(self) -> Sequence[Key]:
        """The keys of all generations whose checkpoints the step moves on."""
        return (self.at.key, *self.beside)

    @property
    def moved(self) -> Generation:
        """`at` after the step; its trouble is over."""
        at = self.at
        if not at.lanes:
            return replace(at, cursor=self.cursor, events=at.events + self.events, trouble=None)
        moved = {move.lane.number: move.moved for move in self.moves}
        before = at.events - sum(lane.events for lane in at.lanes)
        return at.on([moved.get(lane.number, lane) for lane in at.lanes], before)


class Rows(Protocol):
    """Reads rows of projections, and how far they are."""

    async def generations(self) -> list[Generation]:
        """Return all generations of all projections. Raises `Unavailable`."""
        ...

    async def select(
        self, projection: Projection, query: str, values: Sequence[Any] = (), *, number: int | None = None
    ) -> list[tuple[Any, ...]]:
        """Return the rows that a query finds in the live generation. ``{games}`` in it stands for the table `games`.

        With `number`, it reads the generation with that number, which may not be live yet.

        Raises:
            NotBuilt: there are no rows of this version of the projection yet.
            Overtaken: the generation with that number was dropped.
            Unavailable: the store does not answer.
        """
        ...

    async def refusals(self) -> list[tuple[str, str, int]]:
        """Return how often each rule of each ruleset has refused: ruleset, rule, times."""
        ...


class ProjectionStore(Rows, Protocol):
    """A store of rows. Every method may raise `Unavailable`. A change is made completely or not at all."""

    async def lease(self, holder: str, seconds: float, work: str = "runner") -> bool:
        """Return whether `holder`, and nobody else, may do a kind of work (follow the log) for that number of seconds.

        The holder may renew it; 0 seconds give it back. Correctness does not depend on it: a lease only keeps several
        processes from doing the same work.
        """
        ...

    async def share(self, holder: str, seconds: float, lanes: int, work: str = "runner") -> Collection[int]:
        """Return the lanes in which `holder`, and nobody else, may do a kind of work for that number of seconds.

        Living processes share them fairly (`projections.lanes.shared`); 0 seconds give all back. As with `lease`,
        correctness does not depend on it.
        """
        ...

    async def time(self) -> datetime:
        """Return the time by which leases end: that of the server of the rows, if there is one."""
        ...

    async def watched(self) -> dict[tuple[int, int], str]:
        """Return until when the clocks of games were watched, by the number of lanes and by lane."""
        ...

    async def watch(self, lanes: Mapping[int, str], of: int) -> None:
        """Note until when the clocks of games were watched in some of `of` lanes. A time never goes back."""
        ...

    async def amend(self, projection: Projection, changes: Sequence[Amend]) -> None:
        """Change live rows without an event. A rebuild loses the change. Raises `NotBuilt`."""
        ...

    async def begin(self, projection: Projection) -> Generation:
        """Return a new, empty generation, to be built beside the live one. An unfinished older one is dropped."""
        ...

    async def split(self, at: Generation, lanes: Sequence[tuple[int, ...]]) -> None:
        """Replace the one checkpoint of a generation by one in each lane, at these positions.

        Processes of older releases cannot follow it any more. Raises `Overtaken` when it has moved on.
        """
        ...

    async def commit(self, step: Step) -> None:
        """Make the changes of a step and move its checkpoints: all of it or nothing.

        Raises `Overtaken` when a generation or a lane of the step does not stand where the step begins.
        """
        ...

    async def stop(self, at: Generation, trouble: Trouble, lane: Lane | None = None) -> None:
        """Note why a generation, or a lane of it, stopped. Nothing happens when that has moved on."""
        ...

    async def swap(self, ready: Generation, beyond: Generation | None = None) -> Generation:
        """Make `ready` the live generation and drop all others.

        Args:
            beyond: the live generation when it is beyond the end of the log, as it is after the log was restored from
                a copy.

        Raises:
            Overtaken: `ready` is gone, or live already, or behind the live one, which is not `beyond`: readers would
                go back in time.
        """
        ...

    async def note_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Add numbers of refusals to the stored ones, by ruleset and rule."""
        ...

    async def close(self) -> None:
        """Finish the calls that were begun, then close."""
        ...
