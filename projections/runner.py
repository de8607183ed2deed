"""The runner: it follows the log for all projections and commits rows and checkpoints together.

Several processes share the lanes of the log (`projections.lanes`) by leases. Correctness depends on the store alone:
when a rebuild or another process does the same work, a compare-and-set fails, and no event is counted twice. After such
a failure, and now and then, the runner reads the checkpoints again.
"""

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Final, Protocol
from uuid import uuid4

from domain.kernel.rules.ruleset import Library
from projections.batch import Group, Work
from projections.cursor import Cursor, Stretch, reaches
from projections.follower import Follower, Log
from projections.lanes import divided
from projections.projection import Projection
from projections.store import Generation, Lane, Overtaken, ProjectionStore, Trouble, Unavailable

BATCH: Final = 500
"""The most events in one commit."""

GATHER: Final = 0.05
"""Seconds between two passes, so that the events of a busy moment share a commit."""

REST: Final = 4.0
"""How long the runner rests after a pass, as a multiple of the duration of the pass. So it takes a fifth of an event
loop that it shares with requests, and less when these keep it busy."""

LEASE: Final = 5.0
"""Seconds for which a process follows its lanes alone. It renews the lease long before they are over. When it dies,
other processes take its lanes over after that time."""

POLL: Final = 1.0
"""Seconds after which the runner looks at the log even if the bell has not rung: a wake-up is only a hint."""


class Bell(Protocol):
    """Wakes the runner when something was appended to the log."""

    closed: bool

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait until it rings; return True if it has rung since the last wait, False after `seconds`."""
        ...


class Stopped(Exception):
    """A projection stopped at an event; `trouble` says where and why."""

    def __init__(self, projection: str, trouble: Trouble) -> None:
        super().__init__(f"{projection} stopped at version {trouble.version} of game {trouble.game}: {trouble.why}")
        self.projection = projection
        self.trouble = trouble


class Runner:
    """Keeps projections up to date with a log. Projections at the same place share one read of it.

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
        tell: Callable[[Exception], None] = lambda error: None,
    ) -> None:
        """`rest` is how long to rest after a pass, as a multiple of the duration of the pass; see `REST`.

        `tell` is called when a projection stops (`Stopped`) and when something is `Unavailable`."""
        self._projections = {projection.name: projection for projection in projections}
        self._log = log
        self._store = store
        self._library = library
        self._batch = batch
        self._rest = rest
        self._tell = tell
        self._followers: dict[str, Follower] = {}
        self._stopped: set[tuple[str, int, int]] = set()
        """What has stopped: projection, generation and lane; lane 0 if there are no lanes."""
        self._ends: dict[tuple[str, int], tuple[float, Cursor]] = {}
        """A time and the end of the log then, for generations that wait for other processes to reach it."""
        self._lanes = 1
        self._held: Collection[int] = ()
        self._careful: dict[str, int] = {}
        self._groups: Sequence[Group] = ()
        """The projections as this process knows them; none when the checkpoints must be read again."""
        self._grouped_in: Collection[int] | None = None
        """The lanes in which they go on; None for all."""
        self._read_at = 0.0
        self._name = uuid4().hex
        self._leased_until = 0.0

    # --- serving ---

    async def run(self, bell: Bell) -> None:
        """Follow the log until the bell is closed, and share its lanes with other processes that do.

        It calls `tell` once for each reason to wait, until it has reached the end of the log again.
        """
        told = ""
        try:
            while not bell.closed:
                began = time.monotonic()
                try:
                    folded = await self.turn()
                except Unavailable as unavailable:
                    if str(unavailable) != told:
                        told = str(unavailable)
                        self._tell(unavailable)
                    await asyncio.sleep(POLL)
                    continue
                if not folded:
                    told = ""
                if folded is None:
                    await asyncio.sleep(POLL)
                elif folded == 0:
                    await bell.wait(POLL)
                else:
                    await asyncio.sleep(self.pause(folded, time.monotonic() - began))
        finally:
            self._held = ()
            with suppress(Unavailable):
                await self._store.share(self._name, 0, self._lanes)

    def pause(self, folded: int, took: float) -> float:
        """Return the seconds from the end of a pass that folded `folded` events in `took` seconds to the next one."""
        return max(self._rest * took, 0 if folded >= self._batch else GATHER)

    async def turn(self) -> int | None:
        """Go on by one step in the lanes that fall to this process; return what `step` returns, None without a lane.

        Raises:
            Unavailable: the log or the store does not answer.
        """
        lanes = await self._share("runner")
        return await self.step(lanes) if lanes else None

    async def _share(self, work: str) -> Collection[int]:
        """Return the lanes of this process for a kind of work."""
        now = time.monotonic()
        if not self._held or now > self._leased_until - LEASE / 2:
            self._lanes = await self._log.lanes()
            before, self._held = self._held, await self._store.share(self._name, LEASE, self._lanes, work)
            self._leased_until = now + LEASE
            if not set(self._held) <= set(before):
                self._groups = ()  # others have moved on in the lanes that are new here
        return self._held

    async def catch_up(self) -> None:
        """Follow the log to its end."""
        while await self.step():
            pass

    async def step(self, lanes: Collection[int] | None = None) -> int:
        """Go on by one batch at most with each projection; return the largest number of events that one folded.

        Args:
            lanes: the lanes in which it goes on; None for all.

        Raises:
            Unavailable: the log or the store does not answer.
        """
        if not self._groups or lanes != self._grouped_in or time.monotonic() > self._read_at + POLL:
            await self._regroup(lanes)
        folded = 0
        for group in self._groups:
            folded = max(folded, await self._advance(group))
        return folded

    async def _regroup(self, lanes: Collection[int] | None) -> None:
        """Read the checkpoints of all projections, and group those that stand at one place: they go on together."""
        self._read_at, self._grouped_in = time.monotonic(), lanes
        if self._lanes == 1:
            self._lanes = await self._log.lanes()
        by_name: dict[str, list[Generation]] = defaultdict(list)
        for each in await self._store.generations():
            by_name[each.projection].append(each)
        places: dict[tuple[object, int], list[Work]] = defaultdict(list)
        for name, projection in self._projections.items():
            work = await self._work(projection, by_name[name], lanes)
            if work is not None:
                places[work.place, self._limit(name)].append(work)
        groups = [Group(works, self._follower(works), limit) for (_, limit), works in places.items()]
        if [each.standing for each in groups] != [each.standing for each in self._groups]:
            self._groups = groups

    def _limit(self, name: str) -> int:
        return 1 if name in self._careful else self._batch

    async def _work(
        self, projection: Projection, generations: Sequence[Generation], lanes: Collection[int] | None
    ) -> Work | None:
        """Return the work of a projection: on its live rows or, if these have another version, on rows being built."""
        live = next((each for each in generations if each.live), None)
        if live is not None and live.version > projection.version:
            return None  # a newer service runs beside this one
        if live is not None and live.version == projection.version:
            generation = live
        else:
            building = [each for each in generations if not each.live and each.version == projection.version]
            generation = building[-1] if building else await self._store.begin(projection)
        if self._lanes > 1:
            within = await self._in_lanes(generation)
            return self._work_in(projection, within, lanes) if within is not None else None
        return self._work_in(projection, generation, lanes)

    def _work_in(self, projection: Projection, generation: Generation, lanes: Collection[int] | None) -> Work | None:
        """Return the work on a generation in lanes, without those in which it has stopped; None if no lane is left."""
        name, number, of = projection.name, generation.number, len(generation.lanes)
        if not of:
            return Work(projection, generation) if (name, number, 0) not in self._stopped else None
        all_lanes = range(of) if lanes is None else sorted(lanes)
        going = tuple(lane for lane in all_lanes if (name, number, lane) not in self._stopped)
        return Work(projection, generation, going) if going else None

    async def _in_lanes(self, generation: Generation) -> Generation | None:
        """Return a generation with a checkpoint in each lane, if the log has lanes; None when another process was
        quicker."""
        if generation.lanes or self._lanes == 1:
            return generation
        positions = divided(Cursor.parse(generation.cursor, len((await self._log.end()).positions)), self._lanes)
        try:
            await self._store.split(generation, positions)
        except Overtaken:
            return None
        lanes = [Lane(number, each) for number, each in enumerate(positions)]
        return generation.on(lanes, generation.events)

    # --- rebuilding ---

    async def rebuild(self, name: str, progress: Callable[[int], None] = lambda events: None) -> Generation:
        """Rebuild a projection beside its live rows, and then replace them.

        Other processes may share the work (`join`).

        Args:
            progress: called with the number of events folded so far.

        Raises:
            KeyError: there is no such projection.
            Stopped: it failed on an event; the rows that are read stay as they were.
            Overtaken: another rebuild has begun.
            Unavailable: the log or the store does not answer.
        """
        return await self.join(await self.begin(name), progress, alone=True)

    async def begin(self, name: str) -> Generation:
        """Begin the generation that a rebuild makes. Raises what `rebuild` raises."""
        self._lanes = await self._log.lanes()
        generation = await self._in_lanes(await self._store.begin(self._projections[name]))
        if generation is None:
            raise Overtaken(f"another rebuild of {name} has begun")
        return generation

    async def join(
        self, generation: Generation, progress: Callable[[int], None] = lambda events: None, *, alone: bool = False
    ) -> Generation:
        """Take part in a rebuild until it is finished: in the lanes that fall to this process; `alone`, in all.

        Returns and raises what `rebuild` does.
        """
        name, number = generation.projection, generation.number
        projection, follower = self._projections[name], Follower(self._log, self._library)
        work = f"rebuild {name} {number}"
        try:
            while True:
                generations = [each for each in await self._store.generations() if each.projection == name]
                mine = next((each for each in generations if each.number == number), None)
                if mine is None:
                    raise Overtaken(f"another rebuild of {name} has begun")
                progress(mine.events)
                if mine.live:
                    return mine
                if mine.trouble is not None:
                    raise Stopped(name, mine.trouble)
                going = self._work_in(projection, mine, None if alone else await self._share(work))
                if going is None or not await self._advance(Group([going], follower, self._limit(name))):
                    await asyncio.sleep(GATHER)
        finally:
            if not alone:
                self._held = ()
                with suppress(Unavailable):
                    await self._store.share(self._name, 0, self._lanes, work)

    # --- a batch ---

    async def _advance(self, group: Group) -> int:
        """Fold the next events into rows; return their number. Rows that have caught up become live."""
        stretch = await self._log.read_on(group.cursor, group.limit, group.books)
        if not stretch.records:
            return sum([await self._swap(work) for work in group.works if not work.generation.live])
        whole = False
        try:
            await group.fold(stretch.records)
            whole = await self._commit_all(group, stretch)
        finally:
            if not whole:  # after an error, the next step begins again at the checkpoints
                self._groups = ()
        if not whole:
            for work in group.part():
                await self._commit(work, stretch)
        return len(stretch.records)

    async def _swap(self, work: Work) -> int:
        """Make rows that have caught up live; return 1 if that was tried, else 0.

        The store makes sure that readers never go back in time.
        """
        if work.books is not None and not await self._all_there(work):
            return 0
        self._groups = ()
        try:
            await self._store.swap(work.generation, await self._beyond(work.projection.name))
        except Overtaken:
            await asyncio.sleep(0)
        return 1

    async def _beyond(self, name: str) -> Generation | None:
        """Return the live generation of a projection if it is beyond the end of the log, else None."""
        generations = await self._store.generations()
        live = next((each for each in generations if each.live and each.projection == name), None)
        # Read the end after the generations, as the log may grow: then no generation of this log is beyond that end.
        return live if live is not None and not reaches(str(await self._log.end()), live.cursor) else None

    async def _all_there(self, work: Work) -> bool:
        """Tell whether a generation has reached a recent end of the log in all lanes, also in those of other processes.

        While much is appended, the very last end is never reached in all lanes at once.
        """
        now = time.monotonic()
        at, end = self._ends.get(work.generation.key, (-math.inf, None))
        if end is None or now > at + LEASE:
            at, end = self._ends[work.generation.key] = now, await self._log.end()
        generations = await self._store.generations()
        mine = next((each for each in generations if each.key == work.generation.key), None)
        return mine is not None and reaches(mine.cursor, str(end))

    async def _commit_all(self, group: Group, stretch: Stretch) -> bool:
        """Commit the changes of several projections by the same events together; tell whether that worked."""
        if group.failed or (self._careful and any(work.projection.name in self._careful for work in group.works)):
            return False
        step = group.step(stretch)
        try:
            await self._store.commit(step)
        except Unavailable:
            raise
        except Exception:  # an error of one of them: committing each by itself will show which
            return False
        group.move(step)
        return True

    async def _commit(self, work: Work, stretch: Stretch) -> None:
        """Commit the changes of a projection by the events. If it fails on one of several, it goes on by one at a time,
        which shows which event that is."""
        count, name = len(stretch.records), work.projection.name
        if work.trouble is None:
            try:
                step = work.step(stretch)
                await self._store.commit(step)
                work.move(step)
            except Overtaken:
                return
            except Unavailable:
                raise
            except Exception as error:  # the store will not take these rows
                work.fail(*stretch.records[0], error)
        if work.trouble is not None and count > 1:
            self._careful[name] = count
            return
        if name in self._careful:
            self._careful[name] -= count
            if work.trouble is not None or self._careful[name] <= 0:
                del self._careful[name]
        if work.trouble is not None:
            self._followers.pop(name, None)
            of = work.generation.lanes
            number = stretch.places[0].book % len(of) if of else 0
            self._stopped.add((*work.generation.key, number))
            await self._store.stop(work.generation, work.trouble, of[number] if of else None)
            self._tell(Stopped(name, work.trouble))

    def _follower(self, works: Sequence[Work]) -> Follower:
        """Return the follower of projections at one place. They keep it, with its tables in memory."""
        names = {work.projection.name for work in works}
        follower = self._followers.get(works[0].projection.name)
        if follower is None or any(each is follower for name, each in self._followers.items() if name not in names):
            follower = Follower(self._log, self._library)
        self._followers.update(dict.fromkeys(names, follower))
        return follower
