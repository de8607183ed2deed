"""A batch: the next events of the log, and the changes that projections at one place of the log make for them.

These projections share one read of the log, and one fold of each game.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import methodcaller
from typing import Final

from msgspec import Struct, field

from domain.kernel.ids import CaseId, GameId, StreamId, TournamentId, is_case, is_game, is_tournament
from domain.kernel.log.record import Record
from projections.change import Change, Changes
from projections.cursor import Stretch
from projections.follower import Follower
from projections.lanes import books_of, divided
from projections.projection import Happened, Projection
from projections.store import Generation, Key, Move, Step, Trouble, Unavailable

BREATH: Final = 20
"""After so many events, other tasks of the event loop get a turn: a fold with its table takes about 100 µs."""


class Work(Struct, eq=False):
    """The work of one projection: its rows, its changes so far, and why it failed, if it did.

    Attributes:
        lanes: the lanes in which it is followed; empty if the generation has one checkpoint for all.
        changes: the changes that are not committed yet.
    """

    projection: Projection
    generation: Generation
    lanes: tuple[int, ...] = ()
    changes: Changes = field(default_factory=Changes)
    trouble: Trouble | None = None

    @property
    def place(self) -> object:
        """Its place in its lanes. Projections at the same place share one read of the log."""
        return place(self.generation, self.lanes)

    @property
    def books(self) -> Collection[int] | None:
        """The books in which it is followed; None for all."""
        of = len(self.generation.lanes)
        if len(self.lanes) == of:
            return None
        books = of * len(self.generation.lanes[0].positions)
        return [book for lane in self.lanes for book in books_of(lane, of, books)]

    def fail(self, stream: StreamId, record: Record, why: Exception) -> None:
        """Note the event at which it failed, and why."""
        self.trouble = Trouble(stream, record.version, f"{type(why).__name__}: {why}"[:500])

    def step(self, stretch: Stretch) -> Step:
        """Return the step of this work to the end of a stretch."""
        changes = {self.generation.key: self.changes}
        return step(self.generation, self.lanes, stretch, changes)

    def move(self, step: Step) -> None:
        """Note that a step was committed."""
        self.generation = step.moved
        self.changes.settle()


def place(at: Generation, lanes: Sequence[int]) -> object:
    """Return a value that is equal for generations at one place in these lanes."""
    return (lanes, *(at.lanes[lane].positions for lane in lanes)) if at.lanes else (at.cursor, at.events)


def step(
    at: Generation,
    lanes: Collection[int],
    stretch: Stretch,
    changes: Mapping[Key, Changes],
    beside: Sequence[Key] = (),
) -> Step:
    """Return the step of a generation in its lanes, and of those beside it, to the end of a stretch."""
    cursor, count, of = str(stretch.end), len(stretch.records), len(at.lanes)
    if not of:
        return Step(at, cursor, count, changes, (), beside)
    events, moves = Counter(place.book % of for place in stretch.places), list[Move]()
    for number, positions in enumerate(divided(stretch.end, of)):
        lane = at.lanes[number]
        if number in lanes and positions != lane.positions:
            moves.append(Move(lane, positions, events[number]))
    return Step(at, cursor, count, changes, moves, beside)


class Group:
    """Projections at one place of the log. They go on together until one of them fails."""

    def __init__(self, works: Sequence[Work], follower: Follower, limit: int) -> None:
        """`limit` is the most events that it folds at a time."""
        self.works = works
        self.limit = limit
        self.books = works[0].books
        self._at = works[0].generation
        """The first generation. The others stand at the same place, while they go on together."""
        self._beside = [work.generation.key for work in works[1:]]
        self._changes = [(work.generation.key, work.changes) for work in works]
        self._follower = follower
        self._going: Sequence[Work] = ()
        self._heeding: dict[tuple[str, bool], list[Work]] = {}
        self._with_table = False
        self._leave_out_failed()

    @property
    def cursor(self) -> str | None:
        """The place of all of them."""
        return self._at.cursor

    @property
    def failed(self) -> bool:
        """Whether one of them has failed."""
        return len(self._going) < len(self.works)

    @property
    def standing(self) -> object:
        """A value that is equal for groups of the same generations at the same place."""
        return self.limit, [work.generation.key for work in self.works], place(self._at, self.works[0].lanes)

    def step(self, stretch: Stretch) -> Step:
        """Return the step of all of them to the end of a stretch."""
        changes = {key: each for key, each in self._changes if each.tables}
        return step(self._at, self.works[0].lanes, stretch, changes, self._beside)

    def move(self, step: Step) -> None:
        """Note that their step was committed."""
        self._at = step.moved
        for changes in step.changes.values():
            changes.settle()

    def part(self) -> Sequence[Work]:
        """Return the work of each, moved to where the group stands, so that each can go on by itself."""
        for work in self.works:
            work.generation = work.generation.beside(self._at)
        return self.works

    async def fold(self, events: Sequence[tuple[StreamId, Record]]) -> None:
        """Fold the events that follow their place. A projection that fails notes its trouble, and the others go on.

        Raises:
            Unavailable: the log does not answer.
        """
        last = {stream: index for index, (stream, _) in enumerate(events)}
        for index, (stream, record) in enumerate(events):
            if index % BREATH == BREATH - 1:
                await asyncio.sleep(0)
            if not self._going:
                return
            if is_game(stream):
                await self._of_game(stream, record, last[stream] == index)
            elif is_case(stream):
                await self._of_case(stream, record)
            elif is_tournament(stream):
                await self._of_tournament(stream, record)
            # No projection asks for leagues.

    async def _of_game(self, game: GameId, record: Record, is_last: bool) -> None:
        try:
            step = await self._follower.step(game, record, with_table=self._with_table)
        except Unavailable:
            raise
        except Exception as error:  # the beginning of this game cannot be read
            self._fail(self._going, game, record, error)
            return
        if step.fault is not None:
            self._fail([work for work in self._going if work.projection.follows], game, record, step.fault)
        happened = step.happened
        happened.is_last = is_last
        # Forks are in no list and no statistics, but continuations may count later.
        if not happened.fixed.is_fork:
            self._extend(game, record, self._who_heed(happened), methodcaller("fold", happened))
        elif happened.fixed.is_continuation:
            self._extend(game, record, self._going, methodcaller("fold_continuation", happened))

    def _who_heed(self, happened: Happened) -> Sequence[Work]:
        """Return the work of the projections that get an event (`Projection.heeds`)."""
        try:
            what = "around" if happened.around is not None else "ruleset"
        except Exception:  # each projection will notice the unreadable event itself
            return self._going
        caused = happened.record.cause is not None
        works = self._heeding.get((what, caused))
        if works is None:
            heeds = ("all", what, "caused") if caused else ("all", what)
            works = [work for work in self._going if work.projection.heeds in heeds]
            self._heeding[what, caused] = works
        return works

    async def _of_case(self, case: CaseId, record: Record) -> None:
        """Give an event of a case to projections of cases, a ruling on a finished game to projections of results."""
        hearing = [work for work in self._going if work.projection.hears]
        judging = [work for work in self._going if work.projection.judges]
        follower = self._follower
        for works, read, takes in ((hearing, follower.argued, "argue"), (judging, follower.judged, "judge")):
            if not works:
                continue
            try:
                event = await read(case, record)
            except Unavailable:
                raise
            except Exception as error:  # its case or its game cannot be read
                self._fail(works, case, record, error)
                continue
            if event is not None:
                self._extend(case, record, works, methodcaller(takes, event))

    async def _of_tournament(self, tournament: TournamentId, record: Record) -> None:
        """Give an event of a tournament to the projections of tournaments."""
        attending = [work for work in self._going if work.projection.attends]
        if not attending:
            return
        try:
            directed = await self._follower.directed(tournament, record)
        except Unavailable:
            raise
        except Exception as error:  # the tournament cannot be read
            self._fail(attending, tournament, record, error)
            return
        self._extend(tournament, record, attending, methodcaller("direct", directed))

    def _extend(
        self, stream: StreamId, record: Record, works: Sequence[Work], changes: Callable[[Projection], Iterable[Change]]
    ) -> None:
        """Add the changes for a record to the work of each projection that has not failed."""
        for work in works:
            try:
                work.changes.extend(changes(work.projection))
            except Exception as error:  # an error in one projection must not stop the others
                self._fail([work], stream, record, error)

    def _fail(self, works: Sequence[Work], stream: StreamId, record: Record, why: Exception) -> None:
        for work in works:
            work.fail(stream, record, why)
        self._leave_out_failed()

    def _leave_out_failed(self) -> None:
        self._going = [work for work in self.works if work.trouble is None]
        self._heeding = {}
        self._with_table = any(work.projection.follows for work in self._going)
