"""Machines of a distributed log are killed, frozen and added while commands are appended, read and followed.

    python -m tests.faults.machines [FAULT …]

For each fault it goes on until 500 commands more were acknowledged, and then looks at everything: what was acknowledged
is stored once, with the hash that it had; versions and positions have no gap; no read was older than what had been
acknowledged before it; and who follows the log got each event once, in the order of its book. Two sequencers sign it
all meanwhile: all that they signed is one tree, which has the newest version of each game in the end, and who asks for
checkpoints gets no older one than before. It prints a row of a table for each fault, and ends with 1 when anything was
wrong. It starts its own machines: PostgreSQL needs Citus.
"""

import asyncio
import contextlib
import itertools
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from domain.kernel.ids import BOOKS, GameId, StreamId
from projections.cursor import Cursor
from service.store.postgres import migrations
from service.store.postgres.distributed import DistributedStore
from service.store.protocol import Append, EventStore, StoreError, StoreUnavailable
from tests.faults.followers import CheckpointReader
from tests.helpers.citus import Machines, make_database
from tests.helpers.postgres import connected
from tests.service.store.batches import addition, new_game, use
from tests.service.transparency.logs import check_log, sequencer

GAMES: Final = 12
WANTED: Final = 500
LONGEST: Final = 120.0
"""Seconds without an acknowledgement, after which nobody gets one any more."""


class Report(Struct, frozen=True):
    """What happened under a fault, and what was found wrong afterwards.

    Attributes:
        refused: answers that the store is unavailable.
        silent: the longest time without any acknowledgement, in seconds.
        signed: how many checkpoints of the transparency log were published.
        waited: the longest that a command had to wait, sent again and again, in seconds.
        wrong: what was lost, doubled, read stale, not followed as it went, or signed otherwise.
    """

    fault: str
    acknowledged: int
    reads: int
    refused: int
    silent: float
    waited: float
    signed: int
    wrong: dict[str, int]

    @property
    def row(self) -> str:
        counts = " | ".join(f"{self.wrong[what]}" for what in WRONG)
        return (
            f"| {self.fault} | {self.acknowledged} | {self.refused} | {self.silent:.1f} s | {self.waited:.1f} s |"
            f" {self.signed} | {counts} |"
        )


WRONG: Final = ("lost", "doubled", "stale", "missed", "forked")
HEAD: Final = (
    f"| fault | acknowledged | answers 503 | without writes | a command waited | checkpoints |"
    f" {' | '.join(WRONG)} |\n|---|{'---:|' * (5 + len(WRONG))}"
)


class Load:
    """Games that go on, each with somebody who appends to it and somebody who reads it, and one who follows the log."""

    def __init__(self, store: EventStore, reading: EventStore | None = None, pause: float = 0.0) -> None:
        """With `reading`, another process reads and follows. Commands of a game are `pause` seconds apart."""
        self._pause = pause
        self._store = store
        self._reading = reading or store
        self._going = True
        self.hashes: dict[StreamId, list[bytes]] = {}
        """The hashes of the acknowledged versions of each game."""
        self.followed: dict[StreamId, list[int]] = defaultdict(list)
        self.reads = 0
        self.refused = 0
        self.longest = 0.0
        """The longest that a command had to wait, sent again and again, in seconds."""
        self.silent = 0.0
        """The longest time in which nothing was acknowledged."""
        self.stale = 0
        self._told = time.monotonic()

    @property
    def acknowledged(self) -> int:
        return sum(map(len, self.hashes.values()))

    async def append(self, batch: Append) -> None:
        """Append until it is acknowledged, as a client does who sends the same again."""
        began = time.monotonic()
        while True:
            try:
                answer = await self._store.append(batch)
            except StoreUnavailable:
                self.refused += 1
                await asyncio.sleep(0.1)
                continue
            version = batch.records[-1].version
            assert answer.version == version, (answer, version)
            assert answer.repeated is None or answer.repeated.version == version, (answer, version)
            self.hashes.setdefault(batch.game, []).append(batch.records[-1].hash)
            now = time.monotonic()
            self.longest, self.silent = max(self.longest, now - began), max(self.silent, now - self._told)
            self._told = now
            return

    async def _play(self, game: str) -> None:
        await self.append(new_game(game, key=use("1")))
        version = 1
        while self._going:
            await asyncio.sleep(self._pause)
            await self.append(addition(game, version, key=use(f"{version + 1}")))
            version += 1

    async def _read(self, game: str) -> None:
        while self._going:
            known = len(self.hashes.get(GameId(game), ()))
            with contextlib.suppress(StoreUnavailable):
                head = await self._reading.head(GameId(game))
                self.stale += head < known
                self.reads += 1
            await asyncio.sleep(0.02)

    async def _follow(self) -> None:
        after = Cursor.start(BOOKS)
        while True:
            try:
                end = await self._reading.end()
                found, after = await self._reading.read_on(after, 500, until=end)
            except StoreUnavailable:
                found, end = [], None
            for _, game, record in found:
                self.followed[game].append(record.version)
            if not found and end is not None and not self._going:
                return
            await asyncio.sleep(0.05)

    async def run(self, fault: Callable[[], Awaitable[None]], games: list[str]) -> None:
        parts = [self._play(game) for game in games] + [self._read(game) for game in games]
        playing, following = asyncio.gather(*parts), asyncio.create_task(self._follow())
        await self._more(100, playing)
        self.longest = self.silent = 0.0
        await fault()
        await self._more(WANTED, playing)
        self._going = False
        await playing
        await following

    async def _more(self, wanted: int, playing: asyncio.Future[Any]) -> None:
        goal = self.acknowledged + wanted
        while self.acknowledged < goal:
            silent = time.monotonic() - self._told
            assert silent < LONGEST, f"{goal - self.acknowledged} commands are not acknowledged, {silent:.0f} s long"
            if playing.done():
                playing.result()
            await asyncio.sleep(0.05)

    async def check(self, *urls: str) -> dict[str, int]:
        """Return how many events are wrong, and in what way."""
        places: dict[int, list[int]] = defaultdict(list)
        newest: dict[int, int] = {}
        for url in urls:
            async with connected(url) as owner:
                for book, position in await owner.fetch("SELECT book, position FROM tabularium.log"):
                    places[book].append(position)
                newest |= dict(await owner.fetch("SELECT book, position FROM tabularium.books"))
        for book, found in places.items():
            assert sorted(found) == [*range(1, newest[book] + 1)], f"book {book} has a gap"
        wrong = dict.fromkeys(WRONG, 0) | {"stale": self.stale}
        for game, hashes in self.hashes.items():
            stored = Counter(record.hash for record in await self._store.read(game))
            wrong["lost"] += sum(each not in stored for each in hashes)
            wrong["missed"] += self.followed[game] != [*range(1, len(hashes) + 1)]
        wrong["doubled"] = sum(map(len, places.values())) - self.acknowledged + wrong["lost"]
        return wrong


class Rig:
    """A coordinator with two workers, and what can befall them."""

    def __init__(self, machines: Machines, url: str) -> None:
        self.machines = machines
        self._url = url
        self._database = urlsplit(url).path.removeprefix("/")
        worker, other = machines.workers
        self._next = itertools.cycle((worker, machines.coordinator, other))

    def crash(self) -> None:
        """Kill a machine, another one each time, and let it start again."""
        machine = next(self._next)
        machine.kill()
        time.sleep(1)
        machine.start()

    async def kill_worker(self) -> None:
        await _without(self.machines.workers[0].kill, self.machines.workers[0].start, 3)

    async def freeze_worker(self) -> None:
        await _without(self.machines.workers[1].freeze, self.machines.workers[1].thaw, 12)

    async def kill_coordinator(self) -> None:
        await _without(self.machines.coordinator.kill, self.machines.coordinator.start, 3)

    async def freeze_coordinator(self) -> None:
        await _without(self.machines.coordinator.freeze, self.machines.coordinator.thaw, 12)

    async def add_machine(self) -> None:
        """Add a worker, and let Citus move shards to it."""
        node = self.machines.add()
        node.sql(f"CREATE DATABASE {self._database}")
        node.sql("CREATE EXTENSION citus", database=self._database)
        async with connected(self.machines.coordinator.url(self._database, "superuser")) as coordinator:
            await coordinator.execute("SELECT citus_add_node('127.0.0.1', $1)", node.port)
            await coordinator.execute("SELECT citus_rebalance_start()")
            while state := await coordinator.fetchval(
                "SELECT state FROM pg_dist_background_job WHERE state NOT IN ('finished') ORDER BY job_id DESC LIMIT 1"
            ):
                assert state in ("scheduled", "running", "cancelling"), state
                await asyncio.sleep(0.2)
            moved = await coordinator.fetchval("SELECT count(*) FROM citus_shards WHERE nodeport = $1", node.port)
            assert moved, "nothing was moved"


async def _without(take: Callable[[], None], back: Callable[[], None], seconds: float) -> None:
    # Where it is, not in a thread: the kernel ends a server with the thread that started it.
    take()
    await asyncio.sleep(seconds)
    back()


FAULTS: Final = ("kill_worker", "freeze_worker", "kill_coordinator", "freeze_coordinator", "add_machine")


@contextlib.asynccontextmanager
async def rig() -> AsyncIterator[tuple[Rig, str]]:
    machines = Machines()
    try:
        url = await make_database(machines.url, "tabularium_faults")
        await migrations.migrate(url, migrations.packaged())
        assert await migrations.distribute(url)
        yield Rig(machines, url), url
    finally:
        machines.stop()


async def signing(store: EventStore, work: Coroutine[Any, Any, None]) -> CheckpointReader:
    """Sign what happens while `work` goes on, by two sequencers at once; return who followed what they published."""
    reader, over, signed = CheckpointReader(), asyncio.Event(), asyncio.Event()

    async def sign(folder: str) -> None:
        own = sequencer(store, Path(folder))
        while True:
            last = over.is_set()
            try:
                await own.turn()
            except StoreError:
                last = False
            if last:
                return
            await asyncio.sleep(0.2)

    async def newest() -> str | None:
        with contextlib.suppress(StoreError):
            found = await store.tree.published()
            return found.note if found is not None else None
        return None

    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        async with asyncio.TaskGroup() as group:
            group.create_task(reader.follow(newest, signed))
            both = [group.create_task(sign(folder)) for folder in (one, other)]
            await work
            over.set()
            await asyncio.gather(*both)
            signed.set()
    return reader


async def befall(name: str, rig: Rig, url: str) -> Report:
    """Let a fault happen under load, check everything, and return what there was."""
    store, beside = await DistributedStore.open(url), await DistributedStore.open(url)
    try:
        load = Load(store)
        reader = await signing(beside, load.run(getattr(rig, name), [f"g{number}" for number in range(GAMES)]))
        published = await check_log(store, load.hashes)
        wrong = await load.check(url) | {"forked": len(reader.wrong(published))}
    finally:
        await store.close()
        await beside.close()
    return Report(name, load.acknowledged, load.reads, load.refused, load.silent, load.longest, len(published), wrong)


async def main(names: list[str]) -> bool:
    """Let faults happen, all of them when none is named, and tell whether nothing was wrong."""
    print(HEAD)
    reports: list[Report] = []
    for name in names or FAULTS:
        async with rig() as (made, url):
            reports.append(await befall(name, made, url))
            print(reports[-1].row, flush=True)
    return not any(any(report.wrong.values()) for report in reports)


if __name__ == "__main__":
    sys.exit(not asyncio.run(main(sys.argv[1:])))
