"""A large file is served while it is read whole. When it is damaged, everybody is told, and nothing is written."""

# ruff: noqa: ASYNC240  (these tests damage files; nothing else runs meanwhile)
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
import structlog

from domain.kernel.ids import GameId
from service.base.settings import Settings
from service.doctor import embedded
from service.store.protocol import EventStore, StoreDamaged
from service.store.sqlite import file as files
from service.store.sqlite.file import mark_of
from service.store.sqlite.store import SqliteStore
from tests.service.api.serving import serving
from tests.service.store.batches import addition, new_game

GAMES = 60


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "AT_ONCE", 0)


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store that was closed in order, with some games in it."""
    store = await SqliteStore.open(tmp_path / "tabularium.db")
    for number in range(GAMES):
        await store.append(new_game(f"g{number}", count=20))
    await store.close()
    return tmp_path / "tabularium.db"


def break_log(path: Path) -> None:
    """Zero a page in the middle of the events, as a disk does that loses a sector."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY pageno"
        try:
            pages = [number for (number,) in connection.execute(query)]
        except sqlite3.OperationalError:  # a SQLite without that table: the text of an event says where one is
            pages = [path.read_bytes().index("Nº 7, “ναί”".encode()) // 4096 + 1]
    data = bytearray(path.read_bytes())
    start = (pages[len(pages) // 2] - 1) * 4096
    data[start : start + 4096] = bytes(4096)
    path.write_bytes(data)


async def checked(path: Path) -> SqliteStore:
    """Return the store, read whole."""
    store = await SqliteStore.open(path)
    store.begin_checking()
    await store.checked()
    return store


async def test_a_sound_file_is_served_and_its_check_ends_in_the_log(path: Path) -> None:
    with structlog.testing.capture_logs() as logged:
        store = await checked(path)
    assert [entry["event"] for entry in logged] == ["the database was checked"]
    assert store.damage is None
    assert (await store.append(addition("g1", 20))).version == 21
    await store.ready()
    await store.close()


async def test_damage_that_the_check_finds_is_told_and_stops_every_write(path: Path) -> None:
    break_log(path)
    before = path.read_bytes()
    with structlog.testing.capture_logs() as logged:
        store = await checked(path)
    assert [(entry["event"], entry["log_level"]) for entry in logged] == [
        ("the database is damaged, and nothing is stored any more", "error")
    ]
    assert "restore it from a copy" in (store.damage or "")
    for refused in (store.append(addition("g1", 20)), store.append(new_game("other")), store.ready()):
        with pytest.raises(StoreDamaged, match="is damaged"):
            await refused
    assert await readable(store) > GAMES // 2
    await store.close()
    assert path.read_bytes() == before
    await is_refused_until_restored(path)


async def readable(store: EventStore) -> int:
    """Return how many games can still be read whole."""
    count = 0
    for number in range(GAMES):
        with suppress(StoreDamaged):
            count += len(await store.read(GameId(f"g{number}"))) == 20
    return count


async def is_refused_until_restored(path: Path) -> None:
    """The next service reads first what the last one found damaged, and serves it only when it is whole."""
    assert mark_of(path).read_text().endswith("restore it from a copy\n")
    with pytest.raises(StoreDamaged, match="is damaged"):
        await SqliteStore.open(path)
    (finding,) = [each for each in await embedded.examine(Settings(data=path.parent)) if each.check == "database"]
    assert finding.level == "fail"
    path.unlink()
    whole = await SqliteStore.open(path.with_name("copy.db"))
    await whole.append(new_game("g1"))
    await whole.close()
    path.with_name("copy.db").rename(path)
    await (await SqliteStore.open(path)).close()
    assert not mark_of(path).exists()


async def test_a_read_that_meets_damage_before_the_check_stops_every_write(path: Path) -> None:
    break_log(path)
    store = await SqliteStore.open(path)
    assert await readable(store) < GAMES
    with pytest.raises(StoreDamaged, match="restore it from a copy"):
        await store.append(new_game("other"))
    assert mark_of(path).exists()
    await store.close()


async def test_a_check_ends_with_the_service(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    monkeypatch.setattr(
        "service.store.sqlite.checking.what_is_wrong", lambda _, connection: connection.execute(endless).fetchone()
    )
    store = await SqliteStore.open(path)
    store.begin_checking()
    with structlog.testing.capture_logs() as logged:
        await store.close()
    assert not logged


async def test_an_older_schema_is_read_whole_before_it_is_rewritten(path: Path) -> None:
    """Bringing it up to date would write to what is damaged."""
    break_log(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {files.SCHEMA_VERSION - 1}")
    with pytest.raises(StoreDamaged, match="is damaged"):
        await SqliteStore.open(path)


async def test_the_service_says_everywhere_that_its_database_is_damaged(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        anna, bert = await service.register("Anna"), await service.register("Bert")
        game = await service.begun(anna, bert)
        assert "tabularium_store_damaged 0.0" in (await service.client.get("/metrics")).text
        store = service.services.store
        assert isinstance(store, SqliteStore)
        store._on_damage("a page is damaged")
        answer = await service.ask("POST", "/v1/games", anna, {"ruleset": "tiny-auction", "players": 2})
        said = "The database is damaged: nothing is stored until its operator has restored it."
        assert (answer.status_code, answer.json()["detail"], answer.headers["retry-after"]) == (503, said, "60")
        ready = await service.client.get("/ready")
        assert (ready.status_code, ready.json()["detail"]) == (503, said)
        assert "tabularium_store_damaged 1.0" in (await service.client.get("/metrics")).text
        assert (await service.client.get("/health")).status_code == 200
        assert (await service.get(f"/v1/games/{game}"))["id"] == game


async def test_the_doctor_says_what_it_did_not_read_and_reads_it_when_told_to(path: Path) -> None:
    settings = Settings(data=path.parent)

    async def said(deep: bool) -> str:
        (finding,) = [each for each in await embedded.examine(settings, deep) if each.check == "database"]
        return f"{finding.level}: {finding.message}"

    assert "was not read whole" in await said(deep=False)
    assert "is whole" in await said(deep=True)
    break_log(path)
    assert (await said(deep=True)).startswith("fail: ")
