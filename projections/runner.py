"""The runner: it follows the log for all projections and commits rows and checkpoint together.

What is true stands in the store alone: a rebuild, or a second process that does the same work, is met by a lost
compare-and-set and not by rows counted twice. The checkpoints are read again after one, and now and then.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from operator import methodcaller
from typing import Final, Protocol
from uuid import uuid4

from msgspec import Struct, field

from domain.kernel.ids import CaseId, StreamId, as_game
from domain.kernel.log.record import Record
from domain.kernel.rules.ruleset import Library
from projections.change import Change, Changes
from projections.cursor import Stretch
from projections.follower import Follower, Log
from projections.projection import Happened, Projection
from projections.store import Generation, Overtaken, ProjectionStore, Step, Trouble, Unavailable

BATCH: Final = 500
"""Events in one commit."""

BREATH: Final = 20
"""Events after which others who share the event loop get their turn: a fold with its table takes about 100 µs."""

GATHER: Final = 0.05
"""Seconds between two passes, so that the events of a busy moment come into one commit."""

REST: Final = 4.0
"""How long the runner rests after a pass, in times of how long that took: so that it takes a fifth of an event loop
that it shares with those who answer requests, less when these keep it busy."""

LEASE: Final = 5.0
"""Seconds for which one process follows the log alone. It renews the lease long before they are over; when it dies,
another process takes over after them."""

POLL: Final = 1.0
"""Seconds after which the log is looked at even if nobody has rung. A wake-up is a hint; the log is the truth."""

Events = Sequence[tuple[StreamId, Record]]


class Bell(Protocol):
    """What wakes the runner when something was appended to the log."""

    closed: bool

    async def wait(self, seconds: float | None = None) -> bool:
        """Return True when it has rung since the last wait, False after `seconds` without."""
        ...


class Stopped(Exception):
    """A projection stopped at an event; `trouble` says where and why."""

    def __init__(self, projection: str, trouble: Trouble) -> None:
        super().__init__(f"{projection} stopped at version {trouble.version} of game {trouble.game}: {trouble.why}")
        self.projection = projection
        self.trouble = trouble


class _Work(Struct, eq=False):
    """One projection's part in a pass: what it has made of the events, and where it failed."""

    projection: Projection
    generation: Generation
    live: Generation | None
    changes: Changes = field(default_factory=Changes)
    failed_at: int | None = None
    trouble: Trouble | None = None

    @property
    def key(self) -> tuple[str, int]:
        return self.projection.name, self.generation.number

    def fail(self, index: int, game: StreamId, record: Record, why: Exception) -> None:
        self.failed_at, self.trouble = index, Trouble(game, record.version, f"{type(why).__name__}: {why}"[:500])


class Runner:
    """Keeps projections up with a log. Projections that stand at the same place share one look at it.

    A projection that fails on an event is stopped before that event, says so in its checkpoint, and leaves the others
    alone; it is tried again when the process restarts, and by a rebuild.
    """

    def __init__(
        self,
        projections: Sequence[Projection],
        log: Log,
        store: ProjectionStore,
        library: Library,
        *,
        batch: int = BATCH,
        rest: float = 0.0,
        tell: Callable[[Exception], None] = lambda said: None,
    ) -> None:
        """`rest` is how long to rest after a pass, in times of how long that took; see `REST`.

        `tell` is called when a projection stops (`Stopped`) and when something is `Unavailable`."""
        self._projections = {projection.name: projection for projection in projections}
        self._log = log
        self._store = store
        self._library = library
        self._batch = batch
        self._rest = rest
        self._tell = tell
        self._followers: dict[str, Follower] = {}
        self._stopped: set[tuple[str, int]] = set()
        self._careful: dict[str, int] = {}
        self._generations: dict[str, list[Generation]] = {}
        """As they stand by what is known here; empty when they are to be read."""
        self._read_at = 0.0
        self._name = uuid4().hex
        self._leased_until = 0.0

    # --- serving ---

    async def run(self, bell: Bell) -> None:
        """Follow the log until the bell is closed, in turn with other processes that do: one of them at a time."""
        try:
            while not bell.closed:
                began = time.monotonic()
                try:
                    folded = await self.turn()
                except Unavailable as unavailable:
                    self._tell(unavailable)
                    await asyncio.sleep(POLL)
                    continue
                if folded is None:
                    await asyncio.sleep(POLL)
                elif folded == 0:
                    await bell.wait(POLL)
                else:
                    await asyncio.sleep(self.pause(folded, time.monotonic() - began))
        finally:
            self._leased_until = 0.0
            with suppress(Unavailable):
                await self._store.lease(self._name, 0)

    def pause(self, folded: int, took: float) -> float:
        """Return the seconds from the end of a pass that folded `folded` events in `took` seconds to the next one."""
        return max(self._rest * took, 0 if folded >= self._batch else GATHER)

    async def turn(self) -> int | None:
        """Go on by one step if no other process does; return what `step` returns, None if another does.

        Raises:
            Unavailable: the log or the store does not answer.
        """
        now = time.monotonic()
        if now > self._leased_until - LEASE / 2:
            if not await self._store.lease(self._name, LEASE):
                return None
            self._leased_until = now + LEASE
        return await self.step()

    async def catch_up(self) -> None:
        """Follow the log to its present end."""
        while await self.step():
            pass

    async def step(self) -> int:
        """Go on by one batch at most with each projection; return the largest number of events that one folded.

        Raises:
            Unavailable: the log or the store does not answer.
        """
        if not self._generations or time.monotonic() > self._read_at + POLL:
            self._read_at = time.monotonic()
            self._generations = {}
            for each in await self._store.generations():
                self._generations.setdefault(each.projection, []).append(each)
        generations = self._generations
        groups: dict[tuple[str | None, int], list[_Work]] = defaultdict(list)
        for projection in self._projections.values():
            work = await self._work(projection, generations.get(projection.name, ()))
            if work is not None:
                groups[work.generation.cursor, 1 if projection.name in self._careful else self._batch].append(work)
        folded = 0
        for (cursor, limit), works in groups.items():
            folded = max(folded, await self._advance(cursor, limit, works, self._follower(works)))
        return folded

    async def _work(self, projection: Projection, generations: Sequence[Generation]) -> _Work | None:
        """Return what a projection works on: its live rows; those still being built when there are no fitting ones."""
        live = next((each for each in generations if each.live), None)
        if live is not None and live.version > projection.version:
            return None  # a newer service runs beside this one
        if live is not None and live.version == projection.version:
            work = _Work(projection, live, live)
        else:
            building = [each for each in generations if not each.live and each.version == projection.version]
            if not building:
                self._generations = {}
            generation = building[-1] if building else await self._store.begin(projection)
            work = _Work(projection, generation, live)
        return None if work.key in self._stopped else work

    # --- rebuilding ---

    async def rebuild(self, name: str, progress: Callable[[int], None] = lambda events: None) -> Generation:
        """Rebuild a projection beside the rows that are read meanwhile, and then replace them.

        Args:
            progress: called with the number of events folded so far.

        Raises:
            KeyError: there is no such projection.
            Stopped: it failed on an event; the rows that are read stay as they were.
            Overtaken: another rebuild has begun.
            Unavailable: the log or the store does not answer.
        """
        projection = self._projections[name]
        begun, follower = await self._store.begin(projection), Follower(self._log, self._library)
        while True:
            generations = [each for each in await self._store.generations() if each.projection == name]
            mine = next((each for each in generations if each.number == begun.number), None)
            if mine is None:
                raise Overtaken(f"another rebuild of {name} has begun")
            progress(mine.events)
            if mine.live:
                return mine
            if mine.trouble is not None and (name, mine.number) in self._stopped:
                raise Stopped(name, mine.trouble)
            live = next((each for each in generations if each.live), None)
            limit = 1 if name in self._careful else self._batch
            await self._advance(mine.cursor, limit, [_Work(projection, mine, live)], follower)

    # --- a batch ---

    async def _advance(self, cursor: str | None, limit: int, works: list[_Work], follower: Follower) -> int:
        """Fold the next events into rows; return how many there were. Rows that have caught up become live."""
        stretch = await self._log.read_on(cursor, limit)
        if not stretch.records:
            return sum([await self._swap(work) for work in works])
        await self._fold(stretch.records, works, follower)
        if not await self._commit_all(works, stretch):
            for work in works:
                await self._commit(work, stretch)
        return len(stretch.records)

    async def _swap(self, work: _Work) -> int:
        """Let rows take the place of those that are read. These have not moved since the log was at its end, or the
        store says so; so nobody who reads is ever taken back in time."""
        if work.generation.live:
            return 0
        self._generations = {}
        try:
            await self._store.swap(work.generation, work.live)
        except Overtaken:
            await asyncio.sleep(0)
        return 1

    async def _fold(self, events: Events, works: Sequence[_Work], follower: Follower) -> None:
        going = list(works)
        with_table = any(work.projection.follows for work in going)
        for index, (stream, record) in enumerate(events):
            if index % BREATH == BREATH - 1:
                await asyncio.sleep(0)
            if len(still := [work for work in going if work.failed_at is None]) < len(going):
                going, with_table = still, any(work.projection.follows for work in still)
            if not going:
                return
            game = as_game(stream)
            if game is None:
                await self._judge(index, CaseId(stream), record, going, follower)
                continue
            try:
                step = await follower.step(game, record, with_table=with_table)
            except Unavailable:
                raise
            except Exception as error:  # not even the beginning of this game can be read
                for work in going:
                    work.fail(index, game, record, error)
                return
            if step.fault is not None:
                for work in going:
                    if work.projection.follows:
                        work.fail(index, game, record, step.fault)
            happened = step.happened
            # Forks are in no list and in no statistics; continuations may come to count.
            if not happened.fixed.is_fork:
                self._extend(index, game, record, self._heeding(going, happened), methodcaller("fold", happened))
            elif happened.fixed.is_continuation:
                self._extend(index, game, record, going, methodcaller("fold_continuation", happened))

    @staticmethod
    def _heeding(going: Sequence[_Work], happened: Happened) -> list[_Work]:
        """Return the work of the projections that get an event."""
        try:
            what = "around" if happened.around is not None else "ruleset"
        except Exception:  # each finds for itself that it cannot be read
            return [*going]
        heeded = ("all", what) if happened.record.cause is None else ("all", what, "caused")
        return [work for work in going if work.projection.heeds in heeded]

    async def _judge(
        self, index: int, case: CaseId, record: Record, going: Sequence[_Work], follower: Follower
    ) -> None:
        """Tell the projections that want to know what a ruling in a case says of the end of its game."""
        going = [work for work in going if work.projection.judges]
        if not going:
            return
        try:
            judged = await follower.judged(case, record)
        except Unavailable:
            raise
        except Exception as error:  # its case or its game cannot be read
            for work in going:
                work.fail(index, case, record, error)
            return
        if judged is not None:
            self._extend(index, case, record, going, methodcaller("judge", judged))

    @staticmethod
    def _extend(
        index: int,
        stream: StreamId,
        record: Record,
        going: Sequence[_Work],
        changes: Callable[[Projection], Iterable[Change]],
    ) -> None:
        """Add what each projection that has not failed makes of a record to its changes."""
        for work in going:
            if work.failed_at is not None:
                continue
            try:
                if made := list(changes(work.projection)):
                    work.changes.extend(made)
            except Exception as error:  # a projection's own mistake is its own trouble
                work.fail(index, stream, record, error)

    async def _commit_all(self, works: Sequence[_Work], stretch: Stretch) -> bool:
        """Commit what projections have made of the same events at once; tell whether that could be done."""
        if any(work.failed_at is not None or work.projection.name in self._careful for work in works):
            return False
        after, count = str(stretch.end), len(stretch.records)
        steps = [Step(work.generation, after, count, work.changes.all()) for work in works]
        try:
            await self._store.commit(*steps)
        except Unavailable:
            raise
        except Exception:  # of one of them, as each for itself will tell
            return False
        for step in steps:
            self._moved(step)
        return True

    def _moved(self, step: Step) -> None:
        """Note where a generation stands now."""
        known = self._generations.get(step.at.projection)
        if known is not None:
            known[:] = [step.moved if each is step.at else each for each in known]

    async def _commit(self, work: _Work, stretch: Stretch) -> None:
        """Commit what a projection has made of the events, up to the one on which it failed if it did."""
        count = work.failed_at if work.failed_at is not None else len(stretch.records)
        generation, name = work.generation, work.projection.name
        try:
            if count:
                step = Step(generation, str(stretch.after(count)), count, work.changes.all())
                await self._store.commit(step)
                self._moved(step)
                generation = step.moved
        except Overtaken:
            self._generations = {}
            return
        except Unavailable:
            raise
        except Exception as error:  # the store will not take these rows: find out which event they are from
            if count > 1:
                self._careful[name] = count
                return
            if work.trouble is None:
                work.fail(0, *stretch.records[0], error)
        if name in self._careful:
            self._careful[name] -= count
            if self._careful[name] <= 0:
                del self._careful[name]
        if work.trouble is not None:
            self._generations = {}
            self._stopped.add(work.key)
            self._followers.pop(name, None)
            await self._store.stop(generation, work.trouble)
            self._tell(Stopped(name, work.trouble))

    def _follower(self, works: Sequence[_Work]) -> Follower:
        """Return the follower of projections that stand at one place; it stays with them, its tables at hand."""
        names = {work.projection.name for work in works}
        known = self._followers.get(works[0].projection.name)
        if known is None or any(each is known for name, each in self._followers.items() if name not in names):
            known = Follower(self._log, self._library)
        self._followers.update(dict.fromkeys(names, known))
        return known
