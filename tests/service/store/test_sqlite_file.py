"""Database files that are damaged in many ways: each is refused in one clear line, and no byte of it is changed."""

# ruff: noqa: ASYNC240  (these tests damage files; nothing else runs meanwhile)
import asyncio
import errno
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from domain.kernel.ids import GameId
from domain.kernel.log.record import first_broken
from service.store.protocol import StoreDamaged, StoreUnavailable
from service.store.sqlite.file import check_file
from service.store.sqlite.store import SqliteStore
from tests.service.store.batches import addition, new_game, records

Damage = Callable[[Path], object]


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    """A store that was closed in order, with some games in it."""
    path = tmp_path / "store" / "tabularium.db"
    store = await SqliteStore.open(path)
    for number in range(30):
        await store.append(new_game(f"g{number}", count=20))
    await store.close()
    return path


WRITER = """
import asyncio, os, signal, sys
from pathlib import Path
from service.store.sqlite.store import SqliteStore
from tests.service.store.batches import addition, new_game

async def main():
    store = await SqliteStore.open(Path(sys.argv[1]))
    await store.append(new_game("g1"))
    for version in range(1, 60):
        await store.append(addition("g1", version))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a process that was killed: its last transactions are in the write-ahead log only."""
    directory = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-c", WRITER, str(directory / "tabularium.db")]
    assert subprocess.run(command, cwd=Path(__file__).parents[3], check=False).returncode == -signal.SIGKILL
    return directory


@pytest.fixture
def killed(left_behind: Path, tmp_path: Path) -> Path:
    """The store of a process that was killed."""
    shutil.copytree(left_behind, tmp_path / "killed")
    return tmp_path / "killed" / "tabularium.db"


def content(directory: Path) -> dict[str, bytes]:
    """Return the files of a directory, without the index of the log: that is rebuilt whenever it is wanted."""
    return {file.name: file.read_bytes() for file in directory.iterdir() if not file.name.endswith("-shm")}


async def refusal(path: Path) -> str:
    """Return why the store is refused, and see to it that nothing was changed."""
    before = content(path.parent)
    with pytest.raises((StoreDamaged, StoreUnavailable)) as error:
        await SqliteStore.open(path)
    assert {name: data for name, data in content(path.parent).items() if name in before} == before
    message = str(error.value)
    assert "\n" not in message
    assert str(path.parent) in message
    return message


def flip(position: int) -> Damage:
    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[position] ^= 0xFF
        path.write_bytes(data)

    return damage


def cut(size: int) -> Damage:
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def run(statement: str) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript(statement)

    return damage


def another_program(path: Path) -> None:
    path.unlink()
    run("CREATE TABLE games (game TEXT)")(path)


def zeroed_page(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:8192] + bytes(4096) + data[12288:])


def shuffled(path: Path) -> None:
    data = path.read_bytes()
    pages = [data[start : start + 4096] for start in range(4096, len(data), 4096)]
    random.Random(1).shuffle(pages)
    path.write_bytes(data[:4096] + b"".join(pages))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        pytest.param(cut(0), "is empty", id="empty"),
        pytest.param(cut(50), "not an SQLite database", id="half a header"),
        pytest.param(cut(4096), "is damaged", id="one page left"),
        pytest.param(cut(-4096), "is damaged", id="the last page missing"),
        pytest.param(cut(-1000), "is damaged", id="part of a page missing"),
        pytest.param(lambda path: path.write_text("my games\n" * 100), "not an SQLite database", id="a text"),
        pytest.param(lambda path: path.write_bytes(bytes(100_000)), "not an SQLite database", id="zeros"),
        pytest.param(lambda path: path.write_bytes(random.Random(1).randbytes(9999)), "not an SQLite", id="noise"),
        pytest.param(flip(3), "not an SQLite database", id="the magic"),
        pytest.param(flip(16), "is damaged", id="the page size"),
        pytest.param(flip(31), "is damaged", id="the number of pages"),
        pytest.param(flip(60), "schema version", id="the schema version"),
        pytest.param(flip(70), "another program", id="the application"),
        pytest.param(flip(100), "is damaged", id="the root of the schema"),
        pytest.param(zeroed_page, "is damaged", id="a zeroed page"),
        pytest.param(shuffled, "is damaged", id="pages in another order"),
        pytest.param(another_program, "another program", id="another database"),
        pytest.param(run("DROP TABLE keys"), "its tables are not", id="a table missing"),
        pytest.param(run("DROP TRIGGER events_stay"), "its tables are not", id="a trigger missing"),
        pytest.param(run("ALTER TABLE games ADD COLUMN more"), "its tables are not", id="a column too many"),
        pytest.param(run("PRAGMA user_version = 99"), "newer one", id="from the future"),
        pytest.param(run("PRAGMA application_id = 0"), "another program", id="no application"),
    ],
)
async def test_a_damaged_file_is_refused(file: Path, damage: Damage, says: str) -> None:
    damage(file)
    assert says in await refusal(file)


async def test_a_directory_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tabularium.db").mkdir()
    assert "cannot be opened" in await refusal_of_kind(tmp_path / "tabularium.db", StoreUnavailable)


async def test_a_file_where_the_directory_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    await refusal_of_kind(tmp_path / "data" / "tabularium.db", StoreUnavailable)


async def refusal_of_kind(path: Path, kind: type[Exception]) -> str:
    with pytest.raises(kind) as error:
        await SqliteStore.open(path)
    assert "\n" not in str(error.value)
    return str(error.value)


async def test_a_log_without_its_database_is_refused(killed: Path) -> None:
    killed.unlink()
    assert "is missing" in await refusal(killed)


async def test_a_flipped_byte_anywhere_is_noticed_or_harmless(file: Path) -> None:
    """What the check of the file lets pass is content, and in a game's records its chain shows that."""
    whole = file.read_bytes()
    rng = random.Random(5)
    noticed = 0
    # Most of the file is empty: there a flipped byte is harmless. So half of them are where something is written.
    written = [position for position, byte in enumerate(whole) if byte]
    for position in (*rng.sample(range(len(whole)), 110), *rng.sample(written, 110)):
        flip(position)(file)
        try:
            store = await SqliteStore.open(file)
        except StoreDamaged:
            noticed += 1
        else:
            for number in range(30):
                game = GameId(f"g{number}")
                try:
                    stored = await store.load(game)
                except StoreDamaged:
                    noticed += 1
                    continue
                if stored is None or len(stored.records) < stored.head or first_broken(game, stored.records):
                    noticed += 1
                else:
                    assert stored.records == records(game, 0, 20)
            await store.close()
        for beside in file.parent.iterdir():
            beside.unlink()
        file.write_bytes(whole)
    assert noticed > 80


async def test_text_that_is_damaged_is_noticed_even_where_the_check_quotes_it(file: Path) -> None:
    whole, noticed = file.read_bytes(), 0
    for position in range(whole.index(b"CREATE TABLE"), whole.index(b"CREATE TABLE") + 1200, 10):
        # No longer UTF-8, wherever it stands.
        file.write_bytes(whole[:position] + b"\xb1" + whole[position + 1 :])
        try:
            await (await SqliteStore.open(file)).close()
        except StoreDamaged:
            noticed += 1
        for beside in file.parent.iterdir():
            if beside != file:
                beside.unlink()
    assert noticed > 100


# --- the write-ahead log ---


async def test_what_only_the_log_has_is_there_after_a_kill(killed: Path) -> None:
    store = await SqliteStore.open(killed)
    assert await store.head(GameId("g1")) == 60
    await store.close()
    assert {file.name for file in killed.parent.iterdir()} == {"tabularium.db"}


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def index_of(path: Path) -> Path:
    return path.with_name(path.name + "-shm")


FRAME = 24 + 4096


@pytest.mark.parametrize("with_index", [True, False], ids=["after a kill", "after a power failure"])
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(flip(0), id="the magic"),
        pytest.param(flip(9), id="the page size"),
        pytest.param(flip(17), id="the salt"),
        pytest.param(flip(32 + 2), id="a page number"),
        pytest.param(flip(32 + 9), id="a frame's salt"),
        pytest.param(flip(32 + 3 * FRAME + 100), id="a page"),
        pytest.param(flip(32 + 40 * FRAME + 17), id="a frame's checksum"),
    ],
)
async def test_a_damaged_log_is_refused_before_anything_is_lost(killed: Path, damage: Damage, with_index: bool) -> None:
    if not with_index:
        index_of(killed).unlink()
    damage(log_of(killed))
    assert "are lost" in await refusal(killed)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda log: log.unlink(), id="removed"),
        pytest.param(cut(0), id="empty"),
        pytest.param(cut(20), id="part of its header"),
        pytest.param(cut(32), id="its header alone"),
        pytest.param(cut(32 + 20 * FRAME), id="cut between frames"),
        pytest.param(cut(-10), id="cut within the last frame"),
        pytest.param(flip(-10), id="its last frame"),
    ],
)
async def test_a_log_that_was_cut_after_a_kill_is_refused(killed: Path, damage: Damage) -> None:
    damage(log_of(killed))
    await refusal(killed)


async def test_an_unfinished_transaction_at_the_end_is_no_damage(killed: Path) -> None:
    """So a power failure leaves the log: it had not been acknowledged."""
    index_of(killed).unlink()
    cut(-10)(log_of(killed))
    store = await SqliteStore.open(killed)
    assert await store.head(GameId("g1")) == 59
    await store.close()


async def test_who_gave_up_durability_is_not_held_up_by_a_bad_log(killed: Path) -> None:
    flip(32 + 40 * FRAME + 17)(log_of(killed))
    store = await SqliteStore.open(killed, durable=False)
    assert 1 <= await store.head(GameId("g1")) < 60
    await store.close()


async def test_a_second_process_opens_what_a_first_one_is_writing(tmp_path: Path) -> None:
    path = tmp_path / "tabularium.db"
    store = await SqliteStore.open(path)
    await store.append(new_game("g1"))
    stop = asyncio.Event()

    async def write() -> None:
        version = 1
        while not stop.is_set():
            version = (await store.append(addition("g1", version))).version

    writing = asyncio.create_task(write())
    for _ in range(10):
        assert await asyncio.to_thread(check_file, path)
    stop.set()
    await writing
    await store.close()


# --- a disk that will not write ---


async def test_a_full_disk_refuses_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "tabularium.db")
    await store.append(new_game("g1"))
    connection: sqlite3.Connection = store._connections._writer._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    version = 1

    async def fill() -> None:
        nonlocal version
        while True:
            version = (await store.append(addition("g1", version, text="x" * 3000))).version

    with pytest.raises(StoreUnavailable, match="full"):
        await fill()
    assert await store.head(GameId("g1")) == version
    connection.execute("PRAGMA max_page_count = 1000000")
    assert (await store.append(addition("g1", version))).version == version + 1
    await store.close()


async def test_another_process_that_keeps_the_file_locked_is_waited_for_and_then_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.store.sqlite.connections.PATIENCE", 0.2)
    store = await SqliteStore.open(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.append(addition("g1", 20))
        other.execute("ROLLBACK")
    assert (await store.append(addition("g1", 20))).version == 21
    await store.close()


async def test_a_crash_while_the_store_is_made_leaves_nothing_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tabularium.db"

    def crash(*_: object) -> None:
        raise OSError(errno.EIO, "crash")

    monkeypatch.setattr(os, "link", crash)
    monkeypatch.setattr(Path, "rename", crash)
    with pytest.raises(StoreUnavailable):
        await SqliteStore.open(path)
    assert not path.exists()
    monkeypatch.undo()
    store = await SqliteStore.open(path)
    await store.close()
    shutil.rmtree(tmp_path)
