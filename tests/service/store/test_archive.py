"""Games that were archived are read as before, in both stores. Damaged or missing segments are never an empty game."""

import contextlib
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import structlog
from msgspec.structs import replace

from domain.kernel.ids import GameId, StreamId
from domain.kernel.log.record import Record
from domain.kernel.proof.reading import read
from domain.transparency.tree import Frontier, leaf_hash
from projections.cursor import Cursor
from service.base.settings import Settings
from service.doctor import deep
from service.store import archiving, segments
from service.store.archiving import Archive, Packed, archive
from service.store.postgres import archive as shared
from service.store.postgres.distributed import DistributedStore
from service.store.postgres.store import PostgresStore
from service.store.protocol import Append, EventStore, StoreDamaged, StreamDamaged
from service.store.segments import SegmentDamaged
from service.store.sqlite.archive import SqliteArchive
from service.store.sqlite.store import SqliteStore
from service.store.transparency import Growth, Leaf, TreeHead
from tests.helpers.citus import past_triggers
from tests.helpers.postgres import connected
from tests.recorded import recorded
from tests.service.store.adapters import EVERY, Open
from tests.service.store.batches import AT, new_game, opening, records
from tests.service.store.test_cases import C, opened

LATER = "2027-01-01T00:00:00.000000Z"
OLD, RECENT = GameId("g1"), GameId("g3")
GAMES = [GameId(f"g{number}") for number in range(1, 9)]
"""The games of the log: those with even numbers are over."""
OVER = GAMES[1::2]


@pytest.fixture(autouse=True)
def short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "RECORDS", 8)


class Log:
    """Streams as they were appended, each whole."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self.streams: dict[StreamId, list[Record]] = {}

    async def add(self, game: GameId, count: int, status: str = "running") -> None:
        have = self.streams.setdefault(game, [])
        new = records(game, len(have), count, have[-1].hash if have else b"")
        await self.store.append(
            Append(game, len(have), new, status, seats={} if not have else None, opening=None if have else opening())
        )
        have += new


@pytest.fixture(params=["sqlite", "postgres", "distributed"])
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    async with EVERY[request.param](tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def log(data: Open) -> Log:
    return await filled(data)


async def filled(data: Open) -> Log:
    """Return games that were played side by side, and a case; every other game is over."""
    store = await data()
    log = Log(store)
    for count in (1, 5, 9, 4):
        for game in GAMES:
            await log.add(game, count, "over" if game in OVER and count == 4 else "running")
    await store.append(opened())
    log.streams[C] = await store.read(C)
    log.store = await data()  # which has nothing of it in memory
    return log


@contextlib.asynccontextmanager
async def archive_of(store: EventStore) -> AsyncIterator[Archive]:
    if isinstance(store, SqliteStore):
        with SqliteArchive(store._path) as embedded:
            yield embedded
    else:
        assert isinstance(store, PostgresStore)
        (url,) = store._connections._hosts.urls
        async with shared.opened(url) as opened_archive:
            yield opened_archive


async def pack(store: EventStore, before: str = LATER) -> list[Packed]:
    """Archive all games that are over."""
    async with archive_of(store) as place:
        return [each async for each in archive(place, await place.games_to_pack(before, False, 100))]


async def alter(store: EventStore, statement: str) -> None:
    """Alter rows past what protects them, as a broken disk would."""
    if isinstance(store, SqliteStore):
        with contextlib.closing(sqlite3.connect(store._path, isolation_level=None)) as connection:
            triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            connection.execute(statement)
            for _, sql in triggers:
                connection.execute(sql)
    else:
        assert isinstance(store, PostgresStore)
        (url,) = store._connections._hosts.urls
        is_distributed = isinstance(store, DistributedStore)
        async with connected(past_triggers(url, is_distributed)) as superuser:
            if not is_distributed:
                await superuser.execute("SET session_replication_role = replica")
            await superuser.execute("SET search_path = tabularium")
            await superuser.execute(statement.replace("events", "log"))


async def in_order(store: EventStore, size: int = 7) -> dict[StreamId, list[Record]]:
    """Return all records of each stream, read by places; each place comes once, and in the order of its book."""
    found: dict[StreamId, list[Record]] = {}
    at, end = Cursor.start(store.books), await store.end()
    newest: dict[int, int] = {}
    while True:
        rows, after = await store.read_on(at, size)
        if not rows:
            assert after.reaches(end)
            return found
        assert len(rows) <= size
        for place, stream, record in rows:
            assert place.position > newest.get(place.book, 0)
            assert not at.has(place)
            assert after.has(place)
            newest[place.book] = place.position
            found.setdefault(stream, []).append(record)
        at = after


async def rows_left(store: EventStore) -> set[StreamId]:
    assert isinstance(store, (SqliteStore, PostgresStore))
    return {game for (game,) in await store._database.select(f"SELECT DISTINCT game FROM {store.log}")}


async def same(log: Log) -> None:
    """Everything that reads the log reads what was appended."""
    store = log.store
    for game in GAMES:
        whole = log.streams[game]
        assert await store.read(game) == whole
        assert await store.head(game) == len(whole)
        for after, limit in ((0, 3), (3, 9), (7, 1), (8, 8), (9, 100), (len(whole) - 1, 5), (len(whole), 5), (99, 1)):
            assert await store.read(game, after, limit) == whole[after:][:limit], (game, after, limit)
        for after in (0, 5, 8, len(whole)):
            stored = await store.load(game, after)
            assert stored is not None
            assert (stored.head, stored.records) == (len(whole), whole[after:])
    assert await store.read(GAMES[1], 0, 0) == []
    assert await in_order(store) == log.streams
    assert await in_order(store, 1000) == log.streams
    assert await store.events() == sum(map(len, log.streams.values()))


async def test_all_is_read_as_before(log: Log) -> None:
    end = await log.store.end()
    before = await in_order(log.store)
    packed = await pack(log.store)
    assert [(each.game, each.events, each.problem) for each in packed] == [(game, 19, None) for game in OVER]
    assert await rows_left(log.store) == {C, *GAMES} - {*OVER}
    assert await in_order(log.store) == before
    assert await log.store.end() == end
    await same(log)


async def test_another_process_reads_it_too(log: Log, data: Open) -> None:
    await pack(log.store)
    log.store = await data()
    await same(log)


async def test_a_game_that_goes_on_after_it_was_archived_is_one_log_and_is_packed_again(log: Log) -> None:
    await pack(log.store)
    await log.add(OVER[0], 10, "over")
    await log.add(GAMES[0], 3)
    await same(log)
    assert OVER[0] in await rows_left(log.store)
    (again,) = await pack(log.store)
    assert (again.game, again.events) == (OVER[0], 10)
    await same(log)


async def test_only_what_is_over_and_old_is_archived(log: Log) -> None:
    assert await pack(log.store, before=AT) == []
    async with archive_of(log.store) as place:
        assert await place.games_to_pack(LATER, False, 2) == OVER[:2]
        # The transparency log has none of them.
        assert await place.games_to_pack(LATER, True, 100) == []
    version = len(log.streams[OVER[0]])
    leaves = [Leaf(game, each, b"") for game, each in ((OVER[0], version), (OVER[1], version - 1), (OVER[-1], version))]
    frontier = Frontier()
    hashes = frontier.extend(leaf_hash(leaf.entry) for leaf in leaves)
    head = TreeHead(frontier.size, frontier.root, Cursor.start(log.store.books))
    await log.store.tree.grow(Growth(0, leaves, hashes, head))
    async with archive_of(log.store) as place:
        assert await place.games_to_pack(LATER, True, 2) == [OVER[0], OVER[-1]]


async def test_named_games_and_an_end_are_heeded(log: Log) -> None:
    store = log.store
    middle = (await store.read_on(Cursor.start(store.books), 70))[1]
    await log.add(OVER[0], 2, "over")
    await pack(store)
    start = Cursor.start(store.books)
    named = [OVER[0], GAMES[0]]
    found, _ = await store.read_on(start, 1000, named)
    assert {game: [record for _, each, record in found if each == game] for game in named} == {
        game: log.streams[game] for game in named
    }
    until, reached = await store.read_on(start, 1000, until=middle)
    assert len(until) == 70
    assert reached == middle


async def test_nothing_is_deleted_that_is_not_archived(log: Log) -> None:
    await pack(log.store)
    await log.add(OVER[0], 1, "over")
    store = log.store
    assert isinstance(store, (SqliteStore, PostgresStore))
    for game in (GAMES[0], OVER[0]):
        with pytest.raises(Exception, match="never deleted"):
            await run_as_owner(store, f"DELETE FROM {store.log} WHERE game = '{game}'")
    for table in ("segments", "dictionaries"):
        with pytest.raises(Exception, match="never"):
            await run_as_owner(
                store, f"INSERT INTO dictionaries VALUES (1, '') ON CONFLICT DO NOTHING; DELETE FROM {table}"
            )
    await same(log)


async def run_as_owner(store: SqliteStore | PostgresStore, statements: str) -> None:
    """Run statements as the owner of the database."""
    if isinstance(store, SqliteStore):
        with contextlib.closing(sqlite3.connect(store._path)) as connection, connection:
            connection.executescript(statements)
    else:
        (url,) = store._connections._hosts.urls
        async with connected(url) as owner:
            await owner.execute("SET search_path = tabularium")
            for statement in statements.split("; "):
                await owner.execute(statement)


async def test_when_it_fails_in_the_middle_nothing_has_changed(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise SegmentDamaged("a segment was not stored as it was packed")

    with monkeypatch.context() as patched:
        patched.setattr("service.store.sqlite.archive.check_read_back", fail)
        patched.setattr("service.store.postgres.archive.check_read_back", fail)
        assert {each.problem for each in await pack(log.store)} == {"a segment was not stored as it was packed"}
    assert await rows_left(log.store) == {C, *GAMES}
    await same(log)
    assert len(await pack(log.store)) == len(OVER)
    await same(log)


def test_what_is_read_back_must_be_what_was_packed() -> None:
    rows = [*enumerate(records(OLD, 0, 8), 1)]
    (one,), (other,) = (
        segments.pack(OLD, rows, None, 0, None),
        segments.pack(RECENT, [*enumerate(records(RECENT, 0, 8), 1)], None, 0, None),
    )
    archiving.check_read_back([one], [one], 8, 8)
    for found, deleted in (([other], 8), ([], 8), ([one], 7), ([one], 9)):
        with pytest.raises(SegmentDamaged):
            archiving.check_read_back([one], found, deleted, 8)


async def test_a_log_that_is_damaged_is_not_archived(log: Log) -> None:
    await alter(log.store, f"UPDATE events SET draws = draws + 1 WHERE game = '{OVER[0]}' AND version = 12")
    packed = {each.game: each.problem for each in await pack(log.store)}
    assert "does not have its hash" in (packed.pop(OVER[0]) or "")
    assert packed == dict.fromkeys(OVER[1:])
    assert OVER[0] in await rows_left(log.store)


async def test_a_damaged_segment_is_an_alarm_and_no_empty_game(log: Log) -> None:
    await pack(log.store)
    await alter(log.store, f"UPDATE segments SET hash = previous WHERE game = '{OVER[0]}' AND version = 16")
    with structlog.testing.capture_logs() as logged, pytest.raises(StreamDamaged, match="versions 9 to 16"):
        await log.store.read(OVER[0])
    assert [each["event"] for each in logged] == ["an archived game is damaged"]
    with pytest.raises(StreamDamaged):
        await log.store.load(OVER[0])
    with pytest.raises(StoreDamaged):
        await in_order(log.store)
    assert await log.store.read(OVER[0], 0, 8) == log.streams[OVER[0]][:8]
    assert await log.store.read(OVER[1]) == log.streams[OVER[1]]
    wrong = [(game, version) for game, version, why in await log.store.segments(None, 100) if why is not None]
    assert wrong == [(OVER[0], 16)]


async def test_a_missing_segment_is_an_alarm_and_no_empty_game(log: Log) -> None:
    await pack(log.store)
    await alter(log.store, f"DELETE FROM segments WHERE game = '{OVER[0]}'")
    await alter(log.store, f"DELETE FROM segments WHERE game = '{OVER[1]}' AND version = 16")
    for game, missing in ((OVER[0], "versions 1 to 19"), (OVER[1], "versions 9 to 16")):
        with structlog.testing.capture_logs() as logged, pytest.raises(StreamDamaged, match=missing):
            await log.store.read(game)
        assert [each["event"] for each in logged] == ["records are missing"]
        with pytest.raises(StreamDamaged, match=missing):
            await log.store.load(game)


async def test_the_deep_doctor_reads_the_archive(log: Log, tmp_path: Path) -> None:
    await pack(log.store)

    async def said() -> dict[str, str]:
        found = deep.examine(Settings(data=tmp_path), log.store, lambda what, done, of: None)
        return {each.check: f"{each.level}: {each.message}" async for each in found}

    whole = await said()
    assert whole["archive"] == "ok: 12 segments can be read and have their hashes"
    assert whole["chains"].startswith("ok: ")
    await alter(log.store, f"UPDATE segments SET content = previous WHERE game = '{OVER[0]}' AND version = 8")
    damaged = await said()
    assert damaged["archive"].startswith("fail: the segment of game g2 with versions 1 to 8 cannot be read")
    assert damaged["chains"].startswith("fail: ")
    assert "commitments" not in damaged
    await alter(log.store, f"DELETE FROM segments WHERE game = '{OVER[0]}'")
    assert "19 events are missing" in (await said())["chains"]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from service.store import archiving
from service.store.sqlite import archive

archive.check_read_back = lambda *_: os.kill(os.getpid(), signal.SIGKILL)

async def main():
    with archive.SqliteArchive(Path(sys.argv[1])) as place:
        async for _ in archiving.archive(place, await place.games_to_pack("2027", False, 10)):
            pass

asyncio.run(main())
"""


async def test_a_kill_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tabularium.db"
    store = await SqliteStore.open(path)
    await store.append(new_game("g1", count=40, status="over"))
    await store.close()
    done = subprocess.run(  # noqa: ASYNC221  (nothing else runs meanwhile)
        [sys.executable, "-c", KILLED, str(path)], cwd=Path(__file__).parents[3], check=False
    )
    assert done.returncode == -signal.SIGKILL
    store = await SqliteStore.open(path)
    assert await store.segments(None, 10) == []
    assert await store.read(OLD) == records(OLD, 0, 40)
    await store.close()


# --- segments ---


def test_any_change_of_a_segment_is_noticed() -> None:
    (segment,) = segments.pack(OLD, [*enumerate(records(OLD, 0, 8), 5)], None, 0, None)
    for position in range(len(segment.content)):
        content = bytearray(segment.content)
        content[position] ^= 1 << position % 8
        changed = replace(segment, content=bytes(content))
        with contextlib.suppress(SegmentDamaged):
            # A bit that says nothing.
            assert segments.unpack(changed, None) == segments.unpack(segment, None)
    assert segment.span == 3


def test_a_dictionary_saves_room_and_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "RECORDS", 512)
    monkeypatch.setattr(segments, "DICTIONARY", 16_384)
    other, *more = (read(each.lines()) for each in islice(recorded("conquest-classic-2005", 1), 6))
    rows = [*enumerate(other.records, 1)]
    content = segments.train([[*enumerate(each.records, 1)] for each in more])
    assert content is not None
    assert segments.train([rows[:20]]) is None
    dictionary, number = segments.read_dictionary(content), segments.number_of(content)
    plain = segments.pack(other.game, rows, None, segments.PLAIN, None)
    packed = segments.pack(other.game, rows, None, number, dictionary)
    assert sum(len(each.content) for each in packed) < sum(len(each.content) for each in plain) < 45 * len(rows)
    assert [row for each in packed for row in segments.unpack(each, dictionary)] == rows
    with pytest.raises(SegmentDamaged):
        segments.unpack(packed[0], None)
