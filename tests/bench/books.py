"""What books cost: parts of tables for each of them against tables that are whole; and one that moves elsewhere.

The log is not cut into parts. This measures what it would take, by the plans of what the service asks most and by the
processor of the server. ``BOOKS_EVENTS`` says how many events the book has that moves.
"""

import asyncio
import os
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Final

import asyncpg
import msgspec

from domain.kernel.ids import BOOKS, GameId, book_of
from domain.kernel.log.record import Record
from projections.cursor import Cursor
from service.store.postgres import migrations, moving
from service.store.postgres.store import PostgresStore
from service.store.protocol import Append
from tests.bench.measure import Figure, figure, processor
from tests.helpers.postgres import Cluster, cluster, connected, partitioned
from tests.service.store.batches import addition, new_game, records, use

GAMES: Final = 512
EVENTS: Final = 40
"""In each of them."""
ROUNDS: Final = 3
READS: Final = 1500
APPENDS: Final = 1500
PLANS: Final = 200
MOVED: Final = int(os.environ.get("BOOKS_EVENTS", "100000"))
FEW: Final = 1000

ASKED: Final = {
    "stream": "SELECT * FROM tabularium.log WHERE book = {book} AND game = '{game}' AND version > 5 ORDER BY version",
    "head": "SELECT version FROM tabularium.heads WHERE book = {book} AND game = '{game}'",
    "log": "SELECT e.* FROM generate_series(0, 63) AS b (book), LATERAL (SELECT * FROM tabularium.log AS l"
    " WHERE l.book = b.book AND l.position > 10 ORDER BY l.position LIMIT 8) AS e",
    "lobby": "SELECT * FROM tabularium.games ORDER BY number DESC LIMIT 20",
}


class Side:
    """One of the two schemas, and what was measured of it."""

    def __init__(self, server: Cluster, store: PostgresStore, owner: Any) -> None:
        self._server = server
        self._store = store
        self._owner = owner
        self._versions = dict.fromkeys((f"g{number}" for number in range(GAMES)), EVENTS)
        self.planning: dict[str, list[float]] = {name: [] for name in ASKED}
        self.processor: dict[str, list[float]] = {"append": [], "read": [], "page": []}

    async def begin(self) -> None:
        for game in self._versions:
            await self._store.append(new_game(game, count=EVENTS))
        await self._owner.execute("ANALYZE")

    async def round(self) -> None:
        names = list(self._versions)
        for name, query in ASKED.items():
            for number in range(PLANS):
                game = names[number % len(names)]
                (plan,) = await self._owner.fetch(
                    f"EXPLAIN (SUMMARY, COSTS OFF, FORMAT JSON) {query.format(game=game, book=book_of(GameId(game)))}"
                )
                self.planning[name].append(msgspec.json.decode(plan[0])[0]["Planning Time"] * 1000)
        await self._counted("append", APPENDS, lambda number: self._append(names[number % len(names)]))
        await self._counted("read", READS, lambda number: self._store.read(GameId(names[number % len(names)]), 5))
        start = Cursor.start(BOOKS)
        await self._counted("page", READS // 10, lambda _: self._store.read_on(start, 500))

    async def _append(self, game: str) -> None:
        version = self._versions[game]
        await self._store.append(addition(game, version, key=use(f"{version}")))
        self._versions[game] = version + 1

    async def _counted(self, name: str, times: int, work: Any) -> None:
        before = processor([self._server])
        for number in range(times):
            await work(number)
        self.processor[name].append((processor([self._server]) - before) / times * 1e6)


async def compared() -> tuple[Side, Side]:
    """Return what was measured of tables that are whole and of those in parts, in turns."""
    sides: list[Side] = []
    with cluster(shared_buffers="256MB") as server:
        for parted in (False, True):
            async with server.empty_database() as url:
                await migrations.migrate(url, migrations.packaged())
                owner = await asyncpg.connect(url)
                if parted:
                    await owner.execute(partitioned(BOOKS))
                store = await PostgresStore.open(url)
                side = Side(server, store, owner)
                await side.begin()
                for _ in range(ROUNDS):
                    await side.round()
                sides.append(side)
                await store.close()
                await owner.close()
    whole, parts = sides
    return whole, parts


def bench_partitions() -> Iterator[Figure]:
    whole, parts = asyncio.run(compared())
    for name in ASKED:
        ours, other = median(whole.planning[name]), median(parts.planning[name])
        yield figure(f"partitions-planning-{name}", [other / ours], "times", note=f"{ours:.0f} µs where it is whole")
    for name, ours in whole.processor.items():
        ratios = [other / mine for other, mine in zip(parts.processor[name], ours, strict=True)]
        note = f"{median(ours):.0f} µs of the server's processor where it is whole"
        yield figure(f"partitions-{name}", ratios, "times", note=note)


def _games(count: int) -> list[GameId]:
    """Return ids of games of book 0, which are enough for so many events."""
    found: list[GameId] = []
    number = 0
    while len(found) * 1000 < count:
        if book_of(GameId(f"m{number}")) == 0:
            found.append(GameId(f"m{number}"))
        number += 1
    return found


async def moved(events: int) -> tuple[float, float, float]:
    """Return the seconds for which a book with so many events stood still, those in all, and of processor."""
    with cluster(shared_buffers="256MB") as server:
        async with server.database() as here, server.database() as there:
            async with connected(there) as owner:
                await owner.execute("DELETE FROM tabularium.books")
            store = await PostgresStore.open(here)
            for game in _games(events):
                await store.append(new_game(game, count=1))
                made = records(game, 1, 999, (await store.read(game))[0].hash)
                await _append_all(store, game, made)
            await store.close()
            times: dict[str, float] = {}

            async def step(name: str) -> None:
                times.setdefault(name, time.perf_counter())

            before = processor([server])
            everything = frozenset(range(BOOKS))
            await moving.move({here: everything, there: frozenset()}, [0], there, lambda line: None, step)
            return (
                times["give up"] - times["leave"],
                time.perf_counter() - times["announce"],
                processor([server]) - before,
            )


async def _append_all(store: PostgresStore, game: GameId, made: Sequence[Record]) -> None:
    for start in range(0, len(made), 333):
        run = list(made[start : start + 333])
        await store.append(Append(game, run[0].version - 1, run, "running"))


def bench_moving() -> Iterator[Figure]:
    for events in (FEW, MOVED):
        stood, lasted, taken = asyncio.run(moved(events))
        note = f"a book of {events} events; {moving.PAUSE:.0f} s of it by intent"
        yield figure(f"moving-{events}-stood-still", [stood], "s", note=note)
        yield figure(f"moving-{events}-lasted", [lasted], "s", note=f"{taken:.1f} s of the server's processor")


BENCHMARKS = {"partitions": bench_partitions, "moving": bench_moving}
