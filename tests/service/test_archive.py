"""A service over an archive answers as before: state, past, history, exports, streams, the log, projections, forks."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import GameId
from projections.library import PROJECTIONS
from projections.runner import Runner
from service.cli import main
from service.readmodels import StoreLog
from service.store.protocol import EventStore
from service.store.sqlite.rows import SqliteRows
from service.store.sqlite.store import SqliteStore
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed
from tests.service.api.test_forks import start_of
from tests.service.rig import LIBRARY
from tests.service.store.batches import new_game

PATHS = ("", "/state", "/state?version=4", "/events", "/events?after=4&limit=3", "/export", "/history")


async def answers(service: Service, game: str, auditor: Player) -> dict[str, bytes]:
    """Return what is answered about a game, and by the log of all games."""
    found: dict[str, bytes] = {}
    for path in (*(f"/v1/games/{game}{path}" for path in PATHS), "/v1/log?limit=50", "/v1/log?limit=7", "/v1/games"):
        answer = await service.client.get(path, headers=auditor.headers)
        assert answer.status_code == 200, (path, answer.text)
        found[path] = answer.content
    return found


async def rows_of(store: EventStore, place: Path) -> dict[str, list[Any]]:
    """Return the rows of all projections, made from the log from its beginning."""
    rows = await SqliteRows.open(place)
    try:
        for projection in PROJECTIONS:
            await Runner([projection], StoreLog(store), rows, LIBRARY).rebuild(projection.name)
        return {
            f"{projection.name}.{table.name}": sorted(
                await rows.select(projection, f"SELECT * FROM {{{table.name}}}"), key=repr
            )
            for projection in PROJECTIONS
            for table in projection.tables
        }
    finally:
        await rows.close()


@contextlib.asynccontextmanager
async def after_two_games(data: Path) -> AsyncIterator[tuple[Service, list[Player], str, str]]:
    """A service with a game that is over, and one that goes on."""
    async with serving(data, transparency=False) as service:
        players = [await service.register("Anna"), await service.register("Bert")]
        over, running = await service.begun(*players), await service.begun(*players)
        await service.play_out(over, *players)
        yield service, players, over, running


def archive(data: Path, *more: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["archive", "--older-than", "0", "--data", str(data), *more])
    return int(end.value.code or 0)


@pytest.fixture(autouse=True)
def signs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABULARIUM_TRANSPARENCY", "false")


async def test_everything_is_answered_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with after_two_games(tmp_path) as (service, _, over, running):
        auditor = await appointed(service, "audit")
        before = {game: await answers(service, game, auditor) for game in (over, running)}
        rows = await rows_of(service.services.store, tmp_path / "before.db")
        assert any(rows.values())
    assert await asyncio.to_thread(archive, tmp_path) == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "tabularium.db")) as connection:
        assert {game for (game,) in connection.execute("SELECT game FROM events")} == {running}
        (events,) = connection.execute("SELECT sum(version - after) FROM segments").fetchone()
    assert f"archived 1 games: {events} events in " in " ".join(capsys.readouterr().out.split())
    async with serving(tmp_path, transparency=False) as service:
        for game in (over, running):
            now = await answers(service, game, auditor)
            assert {path: now[path] for path in now if now[path] != before[game][path]} == {}
        assert await rows_of(service.services.store, tmp_path / "after.db") == rows


async def test_it_is_archived_beside_a_service_that_goes_on(tmp_path: Path) -> None:
    async with after_two_games(tmp_path) as (service, players, over, running):
        before = (await service.client.get(f"/v1/games/{over}/export")).content
        assert await asyncio.to_thread(archive, tmp_path) == 0
        await service.give(running, players[0], "put-up", coins=1)
        assert (await service.client.get(f"/v1/games/{over}/export")).content == before
        fork = await service.post(
            f"/v1/games/{over}/forks", players[0], {"version": await start_of(service, f"/v1/games/{over}")}
        )
        assert (
            await service.client.get(f"/v1/games/{fork['id']}/export", headers=players[0].headers)
        ).status_code == 200


async def test_a_damaged_segment_is_a_problem_of_its_game_alone(tmp_path: Path) -> None:
    async with after_two_games(tmp_path) as (_, _, over, running):
        pass
    assert await asyncio.to_thread(archive, tmp_path) == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "tabularium.db", isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE name LIKE 'segments_%'").fetchall()
        for name, sql in triggers:
            if sql.startswith("CREATE TRIGGER"):
                connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE segments SET content = zeroblob(20)")
        (last,) = connection.execute("SELECT version FROM segments").fetchone()
        for _, sql in triggers:
            if sql.startswith("CREATE TRIGGER"):
                connection.execute(sql)
    async with serving(tmp_path, transparency=False) as service:
        said = f"The stored log of this game is damaged: versions 1 to {last}."
        for path in (f"/v1/games/{over}", f"/v1/games/{over}/export", f"/v1/games/{over}/events"):
            answer = await service.client.get(path)
            assert (answer.status_code, answer.json()["detail"]) == (500, said)
        assert (await service.client.get("/ready")).status_code == 200
        assert (await service.get(f"/v1/games/{running}"))["id"] == running


async def test_games_wait_for_the_transparency_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with after_two_games(tmp_path) as (service, _, over, _):
        records = await service.services.store.read(GameId(over))
    monkeypatch.delenv("TABULARIUM_TRANSPARENCY")
    assert await asyncio.to_thread(archive, tmp_path) == 0
    assert "archived 0 games" in (said := " ".join(capsys.readouterr().out.split()))
    assert "1 games wait until the transparency log has their last event" in said
    with contextlib.closing(sqlite3.connect(tmp_path / "tabularium.db")) as connection, connection:
        connection.execute("INSERT INTO entries VALUES (0, ?, ?, '')", (over, len(records)))
    assert await asyncio.to_thread(archive, tmp_path) == 0
    assert "archived 1 games" in capsys.readouterr().out


def test_where_there_is_no_store_the_command_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert archive(tmp_path) == 2
    assert "give its data directory by --data" in capsys.readouterr().err


async def test_games_in_a_folder_are_answered_as_before_and_cost_nobody_else_when_it_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "archive"
    await asyncio.to_thread(folder.mkdir)
    async with after_two_games(tmp_path / "data") as (service, players, over, running):
        auditor = await appointed(service, "audit")
        before = await answers(service, over, auditor)
    monkeypatch.setenv("TABULARIUM_ARCHIVE", str(folder))
    assert await asyncio.to_thread(archive, tmp_path / "data") == 0
    async with serving(tmp_path / "data", transparency=False, archive=str(folder)) as service:
        assert await answers(service, over, auditor) == before
    await asyncio.to_thread(folder.rename, tmp_path / "aside")
    async with serving(tmp_path / "data", transparency=False, archive=str(folder)) as service:
        for path in (*PATHS, "/options"):
            answer = await service.client.get(f"/v1/games/{over}{path}", headers=players[0].headers)
            said = answer.json()
            assert (answer.status_code, said["detail"]) == (503, "The archive that has this game does not answer.")
            assert answer.headers["retry-after"] == "5"
        assert (await service.client.get("/ready")).status_code == 200
        await service.give(running, players[0], "put-up", coins=1)
        assert {each["id"] for each in (await service.get("/v1/games"))["items"]} == {over, running}
        told = (await service.client.get("/metrics")).text
        (away,) = (
            line for line in told.splitlines() if line.startswith('tabularium_archive_reads_total{outcome="away"}')
        )
        assert float(away.split()[1]) >= len(PATHS)
    await asyncio.to_thread((tmp_path / "aside").rename, folder)
    async with serving(tmp_path / "data", transparency=False, archive=str(folder)) as service:
        assert (await service.client.get(f"/v1/games/{over}/export")).content == before[f"/v1/games/{over}/export"]
    capsys.readouterr()
    monkeypatch.delenv("TABULARIUM_ARCHIVE")
    assert await asyncio.to_thread(archive, tmp_path / "data", "--move") == 1
    said = capsys.readouterr()
    assert "is missing, or was changed" in said.err
    assert "name the folder or bucket that has them by --from" in said.err
    assert await asyncio.to_thread(archive, tmp_path / "data", "--move", "--from", str(folder)) == 0
    assert " ".join(capsys.readouterr().out.split()).startswith("moved 1 segments to the database: ")
    async with serving(tmp_path / "data", transparency=False) as service:
        assert (await service.client.get(f"/v1/games/{over}/export")).content == before[f"/v1/games/{over}/export"]


@pytest.mark.parametrize(
    ("place", "more", "said"),
    [
        ("s3://", [], "it takes a folder, or a bucket and a prefix: s3://bucket/prefix"),
        ("nowhere", ["--move"], "the archive does not answer: "),
        ("nowhere", ["--from", "elsewhere"], "add --move"),
    ],
)
async def test_bad_input_is_said_in_one_line(
    place: str,
    more: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = await SqliteStore.open(tmp_path / "tabularium.db")
    await store.append(new_game("g1", count=40, status="over"))
    await store.close()
    assert await asyncio.to_thread(archive, tmp_path) == 0
    capsys.readouterr()
    monkeypatch.setenv("TABULARIUM_ARCHIVE", place if place == "s3://" else str(tmp_path / place))
    assert await asyncio.to_thread(archive, tmp_path, *more) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
