"""A reader who follows the log by its books misses nothing, sees nothing twice and nothing out of order.

An append is held open on purpose here, which is how a log without locks loses events: a later position of a book is
read while an earlier one is still under way. The last test takes the locks away, to show that these tests would notice.
"""

import asyncio
import contextlib
import itertools
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import GameId, StreamId, book_of
from service.store.postgres.migrations import migrate, packaged
from service.store.postgres.store import PostgresStore
from service.store.postgres.writer import append_with
from service.store.protocol import Append
from tests.helpers.postgres import Cluster, connected, shared_cluster
from tests.service.store.appender import SHARED
from tests.service.store.batches import addition, new_game, opening

ROOT = Path(__file__).parents[3]
Seen = list[tuple[StreamId, int]]


@pytest.fixture
def cluster() -> Cluster:
    return shared_cluster()


@pytest.fixture
async def url(cluster: Cluster) -> AsyncIterator[str]:
    async with cluster.database() as lent:
        yield lent


@pytest.fixture(params=["books", "one-order"])
async def either(request: pytest.FixtureRequest, url: str) -> str:
    """A database whose books count their own positions, and one where processes of the release before may still run."""
    if request.param == "one-order":
        async with connected(url) as owner:
            await owner.execute("UPDATE tabularium.books SET open = FALSE")
    return url


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


def in_book(book: int, name: str) -> str:
    """Return the id of a game that is in a book."""
    return next(game for number in itertools.count() if book_of(game := GameId(f"{name}-{number}")) == book)


FIRST, SECOND, ELSEWHERE = in_book(3, "first"), in_book(3, "second"), in_book(4, "elsewhere")


async def test_an_append_behind_one_of_its_book_that_is_held_open_waits_for_it(url: str) -> None:
    async with opened(url) as store, connected(url) as held:
        async with followed(store) as seen:
            transaction = held.transaction()
            await transaction.start()
            await append_with(held, [new_game(FIRST)])
            behind = asyncio.create_task(store.append(new_game(SECOND)))
            await asyncio.sleep(0.2)
            assert not behind.done()
            assert seen == []
            await transaction.commit()
            await behind
        assert seen == [(FIRST, 1), (SECOND, 1)]


async def test_an_append_to_another_book_waits_for_nobody(url: str) -> None:
    async with opened(url) as store, connected(url) as held:
        await store.append(new_game(FIRST))  # their board, which all books share, is there once
        async with followed(store) as seen:
            transaction = held.transaction()
            await transaction.start()
            await append_with(held, [addition(FIRST, 1)])
            await store.append(new_game(ELSEWHERE))
            assert await store.read(GameId(ELSEWHERE)) != []
            await asyncio.sleep(0.05)
            await transaction.commit()
        assert seen == [(FIRST, 1), (ELSEWHERE, 1), (FIRST, 2)]


async def test_appends_to_books_of_each_other_end(url: str) -> None:
    """Each locks both books; in an order of their own, they would wait for each other for ever."""
    games = [[in_book(book, f"{name}{number}") for book in (5, 6)] for name in "ab" for number in range(10)]
    async with connected(url) as one, connected(url) as two, asyncio.timeout(20):

        async def append(connection: Any, mine: list[list[str]], turn: int) -> None:
            for pair in mine:
                await append_with(connection, [new_game(game) for game in pair[::turn]])

        await asyncio.gather(append(one, games[:10], 1), append(two, games[10:], -1))
    async with opened(url) as store:
        assert len(await stored(store)) == 40


async def test_appends_of_the_same_new_boards_end(url: str) -> None:
    """Each stores the boards. In an order of its own, each would wait for a board that the other has stored."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"

    def new_games(name: str, book: int, boards: str) -> list[Append]:
        return [new_game(in_book(book, f"{name}-{board}"), opened=opening(board=board)) for board in boards]

    async with connected(url) as held, connected(url) as one, connected(url) as two, asyncio.timeout(20):
        transaction = held.transaction()
        await transaction.start()
        await append_with(held, new_games("held", 3, "m"))
        first = asyncio.create_task(append_with(one, new_games("first", 4, "zmn")))
        while not await held.fetchval(waiting):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        second = asyncio.create_task(append_with(two, new_games("second", 5, "nz")))
        while not second.done() and await held.fetchval(waiting) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await transaction.rollback()
        answers = await asyncio.gather(first, second)
    assert [row["outcome"] for rows in answers for row in rows] == ["accepted"] * 5


async def test_an_append_that_is_rolled_back_holds_nobody_up(url: str) -> None:
    async with opened(url) as store, connected(url) as held:
        async with followed(store) as seen:
            transaction = held.transaction()
            await transaction.start()
            await append_with(held, [new_game(FIRST)])
            behind = asyncio.create_task(store.append(new_game(SECOND)))
            await asyncio.sleep(0.1)
            await transaction.rollback()
            await behind
        assert seen == [(SECOND, 1)]


@pytest.mark.parametrize("together", [False, True], ids=["by-itself", "in-a-batch"])
async def test_what_is_refused_leaves_no_gap_in_its_book(url: str, together: bool) -> None:
    again, other = addition(FIRST, 1, count=3), [new_game(ELSEWHERE)] if together else []
    async with opened(url) as store, connected(url) as connection:
        await store.append(new_game(FIRST, count=2))
        assert next(row["outcome"] for row in await append_with(connection, [again, *other])) == "conflict"
        await store.append(addition(FIRST, 2))
        positions = await connection.fetch("SELECT position FROM tabularium.log WHERE book = 3 ORDER BY position")
        assert [position for (position,) in positions] == [1, 2, 3]


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


async def test_a_follower_misses_nothing_of_appends_held_open_at_random(either: str) -> None:
    rng = random.Random(5)
    async with opened(either) as store:
        async with followed(store, limit=3) as seen:
            kept = await asyncio.gather(*(hold_open_at_random(either, f"w{n}", rng, 15) for n in range(6)))
        assert sorted(seen) == sorted(await stored(store))
        assert in_order(seen)
        assert {game for game, _ in seen} == {game for games in kept for game in games}


def in_order(seen: Seen) -> bool:
    """Tell whether the records of each stream came in their order, from the first on."""
    streams: dict[StreamId, list[int]] = {}
    for game, version in seen:
        streams.setdefault(game, []).append(version)
    return all(of == list(range(1, len(of) + 1)) for of in streams.values())


async def test_a_transaction_elsewhere_holds_nobody_up(url: str, cluster: Cluster) -> None:
    """Readers that wait for the oldest transaction of the whole cluster would stand still here."""
    async with opened(url) as store, connected(cluster.url(user="superuser")) as elsewhere, elsewhere.transaction():
        await elsewhere.execute("CREATE TEMPORARY TABLE elsewhere (n integer)")
        await store.append(new_game("g1"))
        assert await stored(store) == [("g1", 1)]


async def test_a_follower_misses_nothing_of_several_processes(either: str) -> None:
    processes, games, versions = 3, 6, 25
    async with opened(either) as store:
        await store.append(new_game(SHARED))
        async with followed(store) as seen:
            running = [
                await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "tests.service.store.appender"),
                    *(either, f"p{number}", str(games), str(versions)),
                    cwd=ROOT,
                )
                for number in range(processes)
            ]
            assert [await process.wait() for process in running] == [0] * processes
        assert sorted(seen) == sorted(await stored(store))
        assert in_order(seen)
        counted = Counter(game for game, _ in seen)
        assert len(counted) == processes * games + 1
        assert all(count == versions for game, count in counted.items() if game != SHARED)


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
            assert await migrate(there, packaged()) == []
            async with opened(there) as restored:
                rest, cursor = await restored.read_all(cursor)
                assert {game for game, _ in first + rest} == {f"g{number}" for number in range(20)}
                assert len(first + rest) == 20
                await restored.append(addition("g3", 1))
                page, _ = await restored.read_all(cursor)
                assert [(game, record.version) for game, record in page] == [("g3", 2)]
    finally:
        other.stop()


async def test_in_one_order_all_appends_wait_for_each_other(cluster: Cluster) -> None:
    async with cluster.database() as url, connected(url) as held:
        await held.execute("UPDATE tabularium.books SET open = FALSE")
        async with opened(url) as store, held.transaction():
            await append_with(held, [new_game(FIRST)])
            behind = asyncio.create_task(store.append(new_game(ELSEWHERE)))
            await asyncio.sleep(0.2)
            assert not behind.done()
        await behind


async def test_without_the_locks_events_are_missed(cluster: Cluster) -> None:
    """In one order. In a book, two records of one position could not be stored."""
    async with cluster.empty_database() as url:
        await migrate(url, packaged())
        async with connected(url) as owner:
            source: Any = await owner.fetchval("SELECT pg_get_functiondef('tabularium.append'::regproc)")
            assert "FOR UPDATE" in source
            assert "PERFORM pg_advisory_xact_lock" in source
            await owner.execute(source.replace("FOR UPDATE", "").replace("PERFORM pg_advisory", "-- PERFORM"))
            await owner.execute("UPDATE tabularium.books SET open = FALSE")
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
