"""Folding events of the log into the changes that projections make of them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import methodcaller
from typing import Final

from msgspec import Struct, field

from domain.kernel.ids import CaseId, StreamId, TournamentId, as_game, is_league, is_tournament
from domain.kernel.log.record import Record
from projections.change import Change, Changes
from projections.cursor import Stretch
from projections.follower import Follower
from projections.lanes import books_of, divided
from projections.projection import Happened, Projection
from projections.store import Generation, Move, Step, Trouble, Unavailable

BREATH: Final = 20
"""After so many events, other tasks of the event loop get a turn: a fold with its table takes about 100 µs."""

Events = Sequence[tuple[StreamId, Record]]


class Work(Struct, eq=False):
    """The work of one projection in a pass: its changes so far, and the event at which it failed, if it did.

    `lanes` are the lanes in which it is followed; empty if the generation has one checkpoint for all.
    """

    projection: Projection
    generation: Generation
    lanes: tuple[int, ...] = ()
    changes: Changes = field(default_factory=Changes)
    failed_at: int | None = None
    trouble: Trouble | None = None

    @property
    def key(self) -> tuple[str, int]:
        return self.projection.name, self.generation.number

    @property
    def place(self) -> object:
        """Its place in its lanes. Projections at the same place share one read of the log."""
        of = self.generation.lanes
        return (self.lanes, *(of[lane].positions for lane in self.lanes)) if of else self.generation.cursor

    @property
    def books(self) -> Collection[int] | None:
        """The books in which it is followed; None for all."""
        of = len(self.generation.lanes)
        if len(self.lanes) == of:
            return None
        books = of * len(self.generation.lanes[0].positions)
        return [book for lane in self.lanes for book in books_of(lane, of, books)]

    def fail(self, index: int, game: StreamId, record: Record, why: Exception) -> None:
        self.failed_at, self.trouble = index, Trouble(game, record.version, f"{type(why).__name__}: {why}"[:500])

    def step(self, stretch: Stretch, count: int, cursor: str) -> Step:
        """Return the step to `cursor`, which is the place after the first `count` records."""
        of = len(self.generation.lanes)
        if not of:
            return Step(self.generation, cursor, count, self.changes.all())
        events, moves = Counter(place.book % of for place in stretch.places[:count]), list[Move]()
        for number, positions in enumerate(divided(stretch.after(count), of)):
            lane = self.generation.lanes[number]
            if number in self.lanes and positions != lane.positions:
                moves.append(Move(lane, positions, events[number]))
        return Step(self.generation, cursor, count, self.changes.all(), moves)


async def fold(events: Events, works: Sequence[Work], follower: Follower) -> None:
    """Fold events into the changes of each `Work`. A projection that fails notes where, and the others go on.

    Raises:
        Unavailable: the log does not answer.
    """
    going = list(works)
    with_table = any(work.projection.follows for work in going)
    for index, (stream, record) in enumerate(events):
        if index % BREATH == BREATH - 1:
            await asyncio.sleep(0)
        if len(still := [work for work in going if work.failed_at is None]) < len(going):
            going, with_table = still, any(work.projection.follows for work in still)
        if not going:
            return
        if is_league(stream):
            continue  # no projection asks for leagues
        if is_tournament(stream):
            await _of_tournament(index, stream, record, going, follower)
            continue
        game = as_game(stream)
        if game is None:
            await _of_case(index, CaseId(stream), record, going, follower)
            continue
        try:
            step = await follower.step(game, record, with_table=with_table)
        except Unavailable:
            raise
        except Exception as error:  # the beginning of this game cannot be read
            for work in going:
                work.fail(index, game, record, error)
            return
        if step.fault is not None:
            for work in going:
                if work.projection.follows:
                    work.fail(index, game, record, step.fault)
        happened = step.happened
        # Forks are in no list and no statistics, but continuations may count later.
        if not happened.fixed.is_fork:
            _extend(index, game, record, _heeding(going, happened), methodcaller("fold", happened))
        elif happened.fixed.is_continuation:
            _extend(index, game, record, going, methodcaller("fold_continuation", happened))


def _heeding(going: Sequence[Work], happened: Happened) -> list[Work]:
    """Return the work of those projections that want an event."""
    try:
        what = "around" if happened.around is not None else "ruleset"
    except Exception:  # each projection will notice the unreadable event itself
        return [*going]
    heeded = ("all", what) if happened.record.cause is None else ("all", what, "caused")
    return [work for work in going if work.projection.heeds in heeded]


async def _of_case(index: int, case: CaseId, record: Record, going: Sequence[Work], follower: Follower) -> None:
    """Give an event of a case to projections of cases, and a ruling on a finished game to projections of results."""
    hearing = [work for work in going if work.projection.hears]
    judging = [work for work in going if work.projection.judges]
    for works, given, takes in ((hearing, follower.argued, "argue"), (judging, follower.judged, "judge")):
        if not works:
            continue
        try:
            found = await given(case, record)
        except Unavailable:
            raise
        except Exception as error:  # its case or its game cannot be read
            for work in works:
                work.fail(index, case, record, error)
            continue
        if found is not None:
            _extend(index, case, record, works, methodcaller(takes, found))


async def _of_tournament(
    index: int, tournament: TournamentId, record: Record, going: Sequence[Work], follower: Follower
) -> None:
    """Give an event of a tournament to the projections of tournaments."""
    attending = [work for work in going if work.projection.attends]
    if not attending:
        return
    try:
        directed = await follower.directed(tournament, record)
    except Unavailable:
        raise
    except Exception as error:  # the tournament cannot be read
        for work in attending:
            work.fail(index, tournament, record, error)
        return
    _extend(index, tournament, record, attending, methodcaller("direct", directed))


def _extend(
    index: int,
    stream: StreamId,
    record: Record,
    going: Sequence[Work],
    changes: Callable[[Projection], Iterable[Change]],
) -> None:
    """Add the changes for a record to the work of each projection that has not failed."""
    for work in going:
        if work.failed_at is not None:
            continue
        try:
            if made := list(changes(work.projection)):
                work.changes.extend(made)
        except Exception as error:  # an error in one projection must not stop the others
            work.fail(index, stream, record, error)
