"""A reader who follows the log by position misses nothing, sees nothing twice and nothing out of order.

An append is held open on purpose here, which is how a log without a lock loses events: a later position is read while
an earlier one is still under way. The last test takes the lock away, to show that these tests would notice.
"""

import asyncio
import contextlib
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import StreamId
from service.store.postgres.migrations import known, migrate
from service.store.postgres.store import PostgresStore, append_with
from tests.helpers.postgres import Cluster, connected, shared_cluster
from tests.service.store.appender import SHARED
from tests.service.store.batches import addition, new_game

ROOT = Path(__file__).parents[3]
Seen = list[tuple[StreamId, int]]


@pytest.fixture
def cluster() -> Cluster:
    return shared_cluster()


@pytest.fixture
async def url(cluster: Cluster) -> AsyncIterator[str]:
    async with cluster.database() as lent:
        yield lent


@contextlib.asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresStore]:
    store = await PostgresStore.open(url)
    yield store
    await store.close()


@contextlib.asynccontextmanager
async def followed(store: PostgresStore, limit: int = 50) -> AsyncIterator[Seen]:
    """Follow the log while the body runs, and to its end."""
    seen: Seen = []
    done = asyncio.Event()

    async def follow() -> None:
        cursor = None
        while True:
            finished = done.is_set()
            page, cursor = await store.read_all(cursor, limit)
            seen.extend((game, record.version) for game, record in page)
            if finished and not page:
                return
            await asyncio.sleep(0.001)

    following = asyncio.create_task(follow())
    yield seen
    done.set()
    await following


async def stored(store: PostgresStore) -> Seen:
    return [(game, record.version) for game, record in (await store.read_all(limit=1_000_000))[0]]


async def test_an_append_behind_one_that_is_held_open_waits_for_it(url: str) -> None:
    async with opened(url) as store, connected(url) as held:
        async with followed(store) as seen:
            transaction = held.transaction()
            await transaction.start()
            await append_with(held, [new_game("first")])
            behind = asyncio.create_task(store.append(new_game("second")))
            await asyncio.sleep(0.2)
            assert not behind.done()
            assert seen == []
            await transaction.commit()
            await behind
        assert seen == [("first", 1), ("second", 1)]


async def test_an_append_that_is_rolled_back_leaves_a_gap_that_holds_nobody_up(url: str) -> None:
    async with opened(url) as store, connected(url) as held:
        async with followed(store) as seen:
            transaction = held.transaction()
            await transaction.start()
            await append_with(held, [new_game("first")])
            behind = asyncio.create_task(store.append(new_game("second")))
            await asyncio.sleep(0.1)
            await transaction.rollback()
            await behind
        assert seen == [("second", 1)]


async def hold_open_at_random(url: str, name: str, rng: random.Random, rounds: int) -> list[str]:
    """Append in transactions that stay open for a while, and are sometimes rolled back; return the games that stay."""
    kept: list[str] = []
    async with connected(url) as connection:
        for number in range(rounds):
            game = f"{name}-{number}"
            transaction = connection.transaction()
            await transaction.start()
            await append_with(connection, [new_game(game, count=rng.randint(1, 3))])
            await asyncio.sleep(rng.uniform(0, 0.01))
            if rng.random() < 0.2:
                await transaction.rollback()
            else:
                await transaction.commit()
                kept.append(game)
    return kept


async def test_a_follower_misses_nothing_of_appends_held_open_at_random(url: str) -> None:
    rng = random.Random(5)
    async with opened(url) as store:
        async with followed(store, limit=3) as seen:
            kept = await asyncio.gather(*(hold_open_at_random(url, f"w{n}", rng, 15) for n in range(6)))
        assert seen == await stored(store)
        assert {game for game, _ in seen} == {game for games in kept for game in games}


async def test_a_transaction_elsewhere_holds_nobody_up(url: str, cluster: Cluster) -> None:
    """Readers that wait for the oldest transaction of the whole cluster would stand still here."""
    async with opened(url) as store, connected(cluster.url(user="superuser")) as elsewhere, elsewhere.transaction():
        await elsewhere.execute("CREATE TEMPORARY TABLE elsewhere (n integer)")
        await store.append(new_game("g1"))
        assert await stored(store) == [("g1", 1)]


async def test_a_follower_misses_nothing_of_several_processes(url: str) -> None:
    processes, games, versions = 3, 6, 25
    async with opened(url) as store:
        await store.append(new_game(SHARED))
        async with followed(store) as seen:
            running = [
                await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "tests.service.store.appender"),
                    *(url, f"p{number}", str(games), str(versions)),
                    cwd=ROOT,
                )
                for number in range(processes)
            ]
            assert [await process.wait() for process in running] == [0] * processes
        assert seen == await stored(store)
        streams: dict[StreamId, list[int]] = {}
        for game, version in seen:
            streams.setdefault(game, []).append(version)
        assert len(streams) == processes * games + 1
        assert all(of == list(range(1, len(of) + 1)) for of in streams.values())
        assert all(len(of) == versions for game, of in streams.items() if game != SHARED)


async def test_a_cursor_goes_on_in_another_cluster_from_a_dump(url: str, cluster: Cluster) -> None:
    """Its transaction numbers begin anew, so a reader that compares those would find nothing, or stall."""
    async with opened(url) as store:
        for number in range(20):
            await store.append(new_game(f"g{number}"))
        first, cursor = await store.read_all(limit=7)
    dump = cluster.run("pg_dump", "--format=custom", url)
    other = Cluster()
    try:
        async with other.empty_database() as there:
            # As deploy/migrations/0001_roles.sql says. Here the roles are there already; it does no harm.
            other.run(
                "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", str(ROOT / "deploy/migrations/0001_roles.sql"), there
            )
            other.run("pg_restore", "--exit-on-error", "--no-comments", "--dbname", there, stdin=dump)
            assert await migrate(there, known()) == []
            async with opened(there) as restored:
                rest, cursor = await restored.read_all(cursor)
                assert [game for game, _ in first + rest] == [f"g{number}" for number in range(20)]
                await restored.append(addition("g3", 1))
                page, _ = await restored.read_all(cursor)
                assert [(game, record.version) for game, record in page] == [("g3", 2)]
    finally:
        other.stop()


async def test_without_the_lock_events_are_missed(cluster: Cluster) -> None:
    async with cluster.empty_database() as url:
        await migrate(url, known())
        async with connected(url) as owner:
            source: Any = await owner.fetchval("SELECT pg_get_functiondef('tabularium.append'::regproc)")
            assert "PERFORM pg_advisory_xact_lock" in source
            await owner.execute(source.replace("PERFORM pg_advisory_xact_lock", "-- PERFORM"))
        async with opened(url) as store, connected(url) as held, asyncio.timeout(30):
            await store.append(new_game("board"))
            _, cursor = await store.read_all()
            async with held.transaction():
                await append_with(held, [new_game("first")])
                await store.append(new_game("second"))
                page, cursor = await store.read_all(cursor)
                assert [game for game, _ in page] == ["second"]
            assert (await store.read_all(cursor))[0] == []
            assert await stored(store) == [("board", 1), ("first", 1), ("second", 1)]
