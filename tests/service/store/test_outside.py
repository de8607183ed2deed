"""Segments whose contents are in a folder or a bucket: they are read as before, and nothing is lost on the way."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
import structlog

from domain.kernel.ids import GameId
from service.base.settings import SettingsError, from_env
from service.doctor import _archive as doctors_look
from service.doctor import deep
from service.store import archiving, outside
from service.store.archiving import Moved
from service.store.outside import Bucket, Folder, Outside, Place, PlaceAway, place_of
from service.store.postgres.store import PostgresStore
from service.store.protocol import ArchiveAway, EventStore, StreamDamaged
from service.store.segments import SegmentDamaged, SegmentMissing
from service.store.sqlite.store import SqliteStore
from tests.helpers.bucket import Buckets, buckets
from tests.service.store.adapters import Open, distributed
from tests.service.store.batches import new_game, records
from tests.service.store.test_archive import (
    GAMES,
    LATER,
    OVER,
    Log,
    archive_of,
    data,
    filled,
    in_order,
    log,
    rows_left,
    run_as_owner,
    same,
    short_segments,
)

__all__ = ["data", "log", "short_segments"]  # fixtures

CONTENT = b"packed"
NAME = sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def server() -> Iterator[Buckets]:
    with buckets() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "archive"
    made.mkdir()
    return made


@pytest.fixture(params=["folder", "bucket"])
def address(request: pytest.FixtureRequest, folder: Path) -> str:
    return str(folder) if request.param == "folder" else request.getfixturevalue("server").make()


def at(address: str) -> Place:
    place = place_of(address)
    assert place is not None
    return place


def read_from(log: Log, place: Place | None) -> list[str]:
    """Have a store read contents from a place, and return what it will have said of each segment."""
    heard: list[str] = []
    assert isinstance(log.store, (SqliteStore, PostgresStore))
    log.store.outside = Outside(place, heard.append)
    return heard


async def pack(store: EventStore, place: Place | None) -> None:
    async with archive_of(store) as files:
        due = await files.games_to_pack(LATER, False, 100)
        assert [each.problem async for each in archiving.archive(files, due, place)] == [None] * len(due)


async def move(store: EventStore, source: Place | None, goal: Place | None) -> list[Moved]:
    async with archive_of(store) as files:
        return [each async for each in archiving.move(files, source, goal)]


async def in_database(store: EventStore) -> int:
    """Return the bytes of contents that are in the database."""
    assert isinstance(store, (SqliteStore, PostgresStore))
    return (await store._database.select("SELECT coalesce(sum(length(content)), 0) FROM segments"))[0][0]


def files_of(folder: Path) -> list[Path]:
    return sorted(each for each in folder.rglob("*") if each.is_file())


# --- places ---


async def test_what_was_stored_in_a_place_is_there(address: str) -> None:
    place = at(address)
    assert await place.get(NAME) is None
    assert await outside.read(place, bytes.fromhex(NAME)) is None
    await place.put(NAME, b"something else")
    assert await outside.read(place, bytes.fromhex(NAME)) is None
    assert await outside.stored(place, CONTENT) == bytes.fromhex(NAME)
    assert await at(address).get(NAME) == CONTENT


async def test_files_are_for_their_owner_and_whole(folder: Path) -> None:
    await Folder(folder).put(NAME, CONTENT)
    (file,) = files_of(folder)
    assert (file.parent.name, file.name, file.stat().st_mode & 0o777) == (NAME[:2], NAME, 0o600)
    assert file.parent.stat().st_mode & 0o777 == 0o700


async def test_a_folder_that_is_not_there_is_away_and_is_not_made(tmp_path: Path) -> None:
    place = Folder(tmp_path / "unmounted")
    for work in (place.get(NAME), place.put(NAME, CONTENT)):
        with pytest.raises(PlaceAway, match="unmounted: No such file"):
            await work
    assert not (tmp_path / "unmounted").exists()


async def test_a_bucket_whose_server_is_gone_is_away() -> None:
    with buckets() as server:
        place = Bucket(server.make())
        await place.put(NAME, CONTENT)
        server.stop()
        for work in (place.get(NAME), place.put(NAME, CONTENT)):
            with pytest.raises(PlaceAway, match=r"^Generic S3 error: [^\n]*$"):
                await work


def test_no_place_is_the_database() -> None:
    assert place_of("") is None


@pytest.mark.parametrize("value", ["s3://", "s3:/club", "s3://club?secret=1", "gs://club", "https://club.example"])
def test_an_address_that_names_no_place_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="it takes a folder, or a bucket and a prefix: s3://bucket/prefix"):
        from_env({"TABULARIUM_ARCHIVE": value})
    assert from_env({"TABULARIUM_ARCHIVE": "s3://club/archive"}).archive == "s3://club/archive"


# --- reading ---


class Slow:
    """A place that answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: bytes | Exception | None = CONTENT
        self.ready = asyncio.Event()

    async def get(self, name: str) -> bytes | None:
        self.asked.append(name)
        await self.ready.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def put(self, name: str, content: bytes) -> None:
        raise AssertionError


DIGEST = bytes.fromhex(NAME)


async def test_those_who_ask_together_are_one_read_and_the_next_needs_none() -> None:
    place = Slow()
    reading = Outside(place)
    first, *others = [asyncio.create_task(reading.content(DIGEST)) for _ in range(20)]
    await asyncio.sleep(0)
    first.cancel()  # whose client is gone
    place.ready.set()
    assert await asyncio.gather(*others) == [CONTENT] * 19
    assert await reading.content(DIGEST) == CONTENT
    assert place.asked == [NAME]
    assert await reading.content(DIGEST, anew=True) == CONTENT
    assert place.asked == [NAME, NAME]


async def test_a_place_that_does_not_answer_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Slow()
    reading = Outside(place)
    monkeypatch.setattr(outside, "PATIENCE", 0.05)
    with structlog.testing.capture_logs() as logged:
        first = [asyncio.create_task(reading.content(bytes([each] * 32))) for each in range(outside.AT_ONCE)]
        await asyncio.sleep(0.01)  # the others have patience for longer, and get a turn when those give up
        others = [reading.content(bytes([each] * 32)) for each in range(outside.AT_ONCE, 40)]
        together = await asyncio.gather(*first, *others, return_exceptions=True)
        assert {type(each) for each in together} == {ArchiveAway}
        with pytest.raises(ArchiveAway, match="did not answer a moment ago"):
            await reading.content(DIGEST)
    assert len(place.asked) == outside.AT_ONCE
    assert [each["event"] for each in logged] == ["the archive does not answer"]
    monkeypatch.setattr(outside, "PAUSE", 0.0)
    reading._resting_until = 0.0
    place.ready.set()
    assert await reading.content(DIGEST) == CONTENT


async def test_what_is_read_is_compared_and_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Slow()
    place.ready.set()
    reading = Outside(place)
    for answer, expected in ((None, SegmentMissing), (b"changed", SegmentDamaged)):
        place.answer = answer
        with pytest.raises(expected, match=NAME):
            await reading.content(DIGEST)
    monkeypatch.setattr(outside, "CACHED", 100)
    for number in range(20):
        place.answer = bytes([number] * 30)
        assert await reading.content(sha256(place.answer).digest()) == place.answer
    assert (len(reading._cached), reading._bytes_held) == (3, 90)
    with pytest.raises(ArchiveAway, match="TABULARIUM_ARCHIVE does not say where"):
        await Outside().content(DIGEST)


# --- stores ---


async def test_all_is_read_as_before(log: Log, address: str, data: Open) -> None:
    before = await in_order(log.store)
    heard = read_from(log, at(address))
    await pack(log.store, at(address))
    assert not set(OVER) & await rows_left(log.store)
    assert await in_database(log.store) == 0
    assert await in_order(log.store) == before
    await same(log)
    assert set(heard) == {"read"}
    await log.add(OVER[0], 10, "over")
    await same(log)
    await pack(log.store, at(address))
    log.store = await data()  # another process
    read_from(log, at(address))
    await same(log)


async def test_what_is_changed_or_missing_in_a_folder_is_an_alarm(log: Log, folder: Path) -> None:
    await pack(log.store, Folder(folder))
    file = files_of(folder)[0]
    file.write_bytes(b"changed")
    for said, outcome in (("was changed in", "damaged"), ("is missing from", "missing")):
        why = f"its content {file.name} {said} the archive"
        heard = read_from(log, Folder(folder))
        damaged: list[StreamDamaged] = []
        for game in OVER:
            try:
                assert await log.store.read(game) == log.streams[game]
            except StreamDamaged as error:
                damaged.append(error)
        assert damaged
        assert all(f"versions {each.after + 1} to {each.until}: {why}" in str(each) for each in damaged)
        assert heard.count(outcome) == len(damaged)
        found = [each async for each in deep.examine(from_env({}), log.store, lambda what, done, of: None)]
        (archive,) = (each for each in found if each.check == "archive")
        assert archive.level == "fail"
        assert why in archive.message
        file.unlink(missing_ok=True)


async def test_a_place_that_is_away_costs_its_games_alone(log: Log, folder: Path) -> None:
    settings = from_env({"TABULARIUM_ARCHIVE": str(folder)})
    assert await doctors_look(settings, log.store) is None
    await pack(log.store, Folder(folder))
    found = await doctors_look(settings, log.store)
    assert found is not None
    assert (found.level, found.message) == (
        "fail",
        f"what {folder} should have cannot be read: a segment is kept"
        " outside of the database, and TABULARIUM_ARCHIVE does not say where",
    )
    heard = read_from(log, Folder(folder))
    found = await doctors_look(settings, log.store)
    assert found is not None
    assert (found.level, found.message) == ("ok", f"{folder} has segments of archived games; one was read")
    aside = folder.with_name("aside")
    await asyncio.to_thread(folder.rename, aside)
    read_from(log, Folder(folder))
    for work in (log.store.read(OVER[0]), log.store.load(OVER[0]), in_order(log.store)):
        with pytest.raises(ArchiveAway):
            await work
    assert await log.store.read(GAMES[0]) == log.streams[GAMES[0]]
    assert all("did not answer" in (why or "") for _, _, why in await log.store.segments(None, 2))
    assert set(heard) == {"read"}
    await asyncio.to_thread(aside.rename, folder)
    read_from(log, Folder(folder))
    await same(log)


async def test_contents_move_out_and_elsewhere_and_back(log: Log, folder: Path, server: Buckets) -> None:
    bucket, place = Bucket(server.make()), Folder(folder)
    await pack(log.store, None)
    size = await in_database(log.store)
    for source, goal in ((None, place), (place, bucket), (bucket, None), (None, bucket)):
        moved = await move(log.store, source, goal)
        assert [each.problem for each in moved] == [None] * 12
        # Games whose contents are the same share one.
        assert 0 < sum(each.size for each in moved) <= size
        assert await in_database(log.store) == (size if goal is None else 0)
        read_from(log, goal)
        await same(log)
        again = await move(log.store, source, goal)
        assert [(each.size, each.problem) for each in again] == [(0, None)] * 12


async def test_what_cannot_be_moved_stays_and_is_named(log: Log, folder: Path) -> None:
    place = Folder(folder)
    await pack(log.store, place)
    gone = files_of(folder)[0]
    content = gone.read_bytes()
    gone.unlink()
    problems = [each.problem for each in await move(log.store, place, None) if each.problem is not None]
    assert problems
    assert all(f"its content {gone.name} is missing, or was changed" in each for each in problems)
    assert len([each for each in await move(log.store, None, None) if each.problem is not None]) == len(problems)
    gone.write_bytes(content)
    assert [each.size for each in await move(log.store, place, None) if each.size] == [len(content)] * len(problems)
    await same(log)


async def test_several_machines_keep_their_contents_in_one_place(tmp_path: Path, folder: Path) -> None:
    async with distributed(tmp_path) as open_store:
        log = await filled(open_store)
        place = Folder(folder)
        await pack(log.store, place)
        read_from(log, place)
        assert await in_database(log.store) == 0
        await same(log)
        assert {each.problem for each in await move(log.store, place, None)} == {None}
        read_from(log, None)
        await same(log)


async def test_a_database_lets_a_content_go_only_for_its_digest(log: Log) -> None:
    await pack(log.store, None)
    store = log.store
    assert isinstance(store, (SqliteStore, PostgresStore))
    is_sqlite = isinstance(store, SqliteStore)
    right, wrong, empty = (
        ("zeroblob(32)", "zeroblob(31)", "x''") if is_sqlite else ("sha256(content)", "sha256(hash)", "''")
    )
    for change in (
        f"content = {empty}",
        "content = hash",
        f"digest = {right}",
        f"digest = {wrong}, content = {empty}",
        f"digest = {right}, content = {empty}, last = last + 1",
        "hash = previous",
    ):
        with pytest.raises(Exception, match="never changed"):
            await run_as_owner(store, f"UPDATE segments SET {change}")
    await run_as_owner(store, f"UPDATE segments SET digest = {right}, content = {empty}")
    for change in (
        "digest = NULL",
        f"digest = {wrong}",
        "digest = NULL, content = hash" if not is_sqlite else "first = 0",
    ):
        with pytest.raises(Exception, match="never changed"):
            await run_as_owner(store, f"UPDATE segments SET {change}")


class Forgetful(Slow):
    """A place that says that it has stored what it has not."""

    async def put(self, name: str, content: bytes) -> None:
        self.ready.set()


async def test_what_a_place_does_not_have_afterwards_stays_in_the_database(log: Log) -> None:
    async with archive_of(log.store) as files:
        due = await files.games_to_pack(LATER, False, 100)
        problems = {each.problem async for each in archiving.archive(files, due, Forgetful())}
    assert problems == {"a segment was not stored as it was packed"}
    assert set(OVER) <= await rows_left(log.store)
    await pack(log.store, None)
    moved = await move(log.store, None, Forgetful())
    assert all("was not stored as it was packed" in (each.problem or "") for each in moved)
    await same(log)


# --- killed ---

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from service.store import archiving, outside
from service.store.sqlite import archive

def killed_after(what, name):
    whole = getattr(what, name)
    def work(*arguments):
        done = whole(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
        return done
    setattr(what, name, work)

def killed_at(what, name):
    setattr(what, name, lambda *_: os.kill(os.getpid(), signal.SIGKILL))

async def main():
    where, step, source, goal = sys.argv[1:]
    match step:
        case "written": killed_at(Path, "replace")
        case "stored": killed_after(outside.Folder, "_put")
        case "read back": killed_at(archive, "check_read_back")
        case "moved": killed_at(archive.SqliteArchive, "move")
    with archive.SqliteArchive(Path(where)) as place:
        if step == "moved":
            async for _ in archiving.move(place, outside.place_of(source), outside.place_of(goal)): pass
        else:
            games = await place.games_to_pack("2027", False, 9)
            async for _ in archiving.archive(place, games, outside.place_of(goal)): pass

asyncio.run(main())
"""


@pytest.mark.parametrize("step", ["written", "stored", "read back", "moved"])
async def test_a_kill_at_any_step_loses_nothing(step: str, tmp_path: Path, folder: Path) -> None:
    path, game = tmp_path / "tabularium.db", GameId("g1")
    store = await SqliteStore.open(path)
    await store.append(new_game("g1", count=40, status="over"))
    if step == "moved":
        await pack(store, None)
    await store.close()
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", KILLED, str(path), step, "", str(folder)],
        cwd=Path(__file__).parents[3],
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    store = await SqliteStore.open(path)
    log = Log(store)
    read_from(log, Folder(folder))
    assert await store.read(game) == records(game, 0, 40)
    assert await rows_left(store) == (set() if step == "moved" else {game})
    # It goes on where it was broken off.
    if step == "moved":
        assert {each.problem for each in await move(store, None, Folder(folder))} == {None}
    else:
        await pack(store, Folder(folder))
    assert await in_database(store) == 0
    assert await store.read(game) == records(game, 0, 40)
    assert all(
        each.name == sha256(each.read_bytes()).hexdigest() for each in files_of(folder) if ".new" not in each.name
    )
    await store.close()
