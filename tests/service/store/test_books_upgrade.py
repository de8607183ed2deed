"""A PostgreSQL log moves into books while processes of an older schema read it and append to it."""

import asyncio
from typing import Any

import asyncpg
import pytest

from domain.kernel.ids import GameId, StreamId, book_of
from domain.kernel.log.record import Record
from service.store.postgres.migrations import Migration, migrate, open_books, packaged
from service.store.postgres.store import PostgresStore
from service.store.postgres.writer import append_with
from service.store.protocol import EventStore
from tests.helpers.postgres import connected, shared_cluster
from tests.service.store.batches import addition, new_game, use

BOOKS_CAME = 29
KEYED = 40


def upgrades() -> list[Migration]:
    """Return all migrations; the one that moves events takes a few at a time."""
    return [
        Migration(each.number, each.name, each.sql.replace("20000", "7").replace("200", "1")) if each.repeats else each
        for each in packaged()
    ]


async def read_to_the_end(store: EventStore, cursor: str) -> list[tuple[StreamId, Record]]:
    found, page = list[tuple[StreamId, Record]](), None
    while page is None or page:
        page, cursor = await store.read_all(cursor, 100)
        found += page
    return found


async def note_as_whole(url: str) -> None:
    """Let the database say that the migrations were applied as they are."""
    async with connected(url) as owner:
        for each in packaged():
            await owner.execute(
                "UPDATE tabularium.migrations SET checksum = $1 WHERE number = $2", each.checksum, each.number
            )


async def read_as_before(connection: Any, after: int) -> list[tuple[int, str, int]]:
    """Return the next events as a process of before reads them."""
    rows = await connection.fetch(
        "SELECT position, game, version FROM tabularium.events WHERE position > $1 ORDER BY position LIMIT 5", after
    )
    return [tuple(row) for row in rows]


async def test_rows_get_their_book_while_processes_of_before_write() -> None:
    """What such a process writes beside the log names no book, before the migration, during it and after it."""
    beside = {
        "forks": "(game, parent, version, purpose) VALUES ($1, 'g0', 1, 'analysis')",
        "private": "(game) VALUES ($1)",
        "unlisted": "(game) VALUES ($1) ON CONFLICT DO NOTHING",
        "cases": (
            "(stream, game, number, status, kind, about, matter, player, rules, version, created, changed)"
            " VALUES ($1, $1, 1, 'open', 'move', 1, $1, 'panna', '[]', 1, '', '')"
        ),
        "cited": "(rule, stream) VALUES ('TAB-UNDO-02', $1) ON CONFLICT DO NOTHING",
        "rulings": "(stream, version) VALUES ($1, 1)",
        "precedents": "(rule, place) SELECT 'TAB-UNDO-02', place FROM tabularium.cases WHERE stream = $1",
        "statements": "(stream, version, salt, written) VALUES ($1, 1, 's', 'w')",
        "snapshots": (
            "(game, version, ruleset, ruleset_version, body, seal) VALUES ($1, 1, 'tiny', 1, '{}', '')"
            " ON CONFLICT (game) DO UPDATE SET version = excluded.version"
        ),
    }
    streams, over = list[str](), asyncio.Event()
    async with shared_cluster().empty_database() as url:
        await migrate(url, [each for each in packaged() if each.number < KEYED])

        async def write(connection: Any, stream: str) -> None:
            await append_with(connection, [new_game(stream, key=use(stream))])
            for table, values in beside.items():
                await connection.execute(f"INSERT INTO tabularium.{table} {values}", stream)
            streams.append(stream)

        async with connected(url) as connection:
            await connection.execute("UPDATE tabularium.books SET open = FALSE")  # as before they were opened
            await connection.execute("CREATE VIEW tabularium.events AS SELECT FROM tabularium.log")
            await connection.execute("CREATE FUNCTION tabularium.add_event() RETURNS int RETURN 1")
            await connection.execute("CREATE INDEX log_by_position ON tabularium.log (position)")
            await connection.execute("SET ROLE tabularium_service")

            async def go_on() -> None:
                while not over.is_set():
                    await write(connection, f"gduring-{len(streams)}")

            for number in range(20):
                await write(connection, f"gbefore-{number}")
            writing = asyncio.create_task(go_on())
            try:
                await migrate(url, [each for each in upgrades() if each.number >= KEYED])
            finally:
                over.set()
                await writing
            await write(connection, "gafter")
        await open_books(url)
        async with connected(url) as owner:
            for table in (*beside, "heads", "games", "seated", "keys", "secrets", "chances"):
                stream = "stream" if table in ("cases", "cited", "rulings", "statements") else "game"
                if table == "precedents":
                    table, stream = "precedents JOIN tabularium.cases c USING (place)", "c.stream"
                rows = await owner.fetch(f"SELECT {table.split()[0]}.book, {stream} FROM tabularium.{table}")
                assert sorted(rows) == sorted((book_of(GameId(row[1])), row[1]) for row in rows), table
                assert {row[1] for row in rows} == (set(streams) if table not in ("seated", "secrets") else set()), (
                    table
                )
                (key,) = await owner.fetch(
                    "SELECT pg_get_constraintdef(oid) FROM pg_constraint"
                    " WHERE conrelid = $1::text::regclass AND contype = 'p'",
                    f"tabularium.{table.split()[0]}",
                )
                assert "book" in key[0], table
            for table in ("secrets", "chances", "forks", "private", "statements"):
                if await owner.fetchval(f"SELECT count(*) FROM tabularium.{table}"):
                    with pytest.raises(asyncpg.InsufficientPrivilegeError):
                        await owner.execute(f"UPDATE tabularium.{table} SET book = book")
        store = await PostgresStore.open(url) if await note_as_whole(url) is None else None
        assert store is not None
        assert not await store.is_together()
        assert (await store.cases(game=GameId("gafter")))[0].case == "gafter"
        await store.close()


async def test_a_log_moves_into_books_while_processes_of_before_read_and_append() -> None:
    games, seen = [f"g{number}" for number in range(9)], list[tuple[int, str, int]]()
    moved, appended = asyncio.Event(), asyncio.Event()
    async with shared_cluster().empty_database() as url:
        await migrate(url, [each for each in packaged() if each.number < BOOKS_CAME])
        async with connected(url) as writing, connected(url) as reading:
            for connection in (writing, reading):
                await connection.execute("SET ROLE tabularium_service")
            for game in games:
                await append_with(writing, [new_game(game, count=5)])

            async def append() -> int:
                version = 5
                while not moved.is_set():
                    await append_with(writing, [addition(game, version) for game in games])
                    version += 1
                appended.set()
                return version

            async def follow() -> None:
                newest = "SELECT max(position) FROM tabularium.events"
                while not appended.is_set() or seen[-1][0] < await reading.fetchval(newest):
                    seen.extend(await read_as_before(reading, seen[-1][0] if seen else 0))

            following, appending = asyncio.create_task(follow()), asyncio.create_task(append())
            await migrate(url, upgrades())
            await asyncio.sleep(0.1)
            moved.set()
            last = await appending
            await following
            expected = {(game, version) for game in games for version in range(1, last + 1)}
            assert [position for position, *_ in seen] == sorted(position for position, *_ in seen)
            assert {(game, version) for _, game, version in seen} == expected
            assert len(seen) == len(expected)

            # What processes of both releases read by a cursor of before is the same, until the books are opened …
            await note_as_whole(url)
            store = await PostgresStore.open(url)
            cursor = str(seen[20][0])
            rest, end = await store.read_all(cursor, 10_000)
            assert [(game, record.version) for game, record in rest] == [each[1:] for each in seen[21:]]
            assert end == str(seen[-1][0])
            await open_books(url)
            await open_books(url)
            # … and then none is lost, in what order the books may come.
            rest = await read_to_the_end(store, cursor)
            assert sorted((game, record.version) for game, record in rest) == sorted(each[1:] for each in seen[21:])
            for game in games:
                await store.append(addition(game, last))
            rest = await read_to_the_end(store, end)
            assert sorted((game, record.version) for game, record in rest) == [(game, last + 1) for game in games]
            with pytest.raises(asyncpg.UndefinedTableError):
                await read_as_before(reading, 0)
            await store.close()
        async with connected(url) as owner:
            assert await owner.fetchval("SELECT count(*) FROM tabularium.v_events") == len(expected) + len(games)
            # Where a command of before had ended and another began, the test's chains do not hold; the moved rows do.
            assert await owner.fetchval("SELECT count(*) FROM tabularium.v_chain WHERE NOT holds AND version <= 5") == 0
