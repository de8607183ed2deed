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
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_administration import appointed
from tests.service.api.test_forks import start_of
from tests.service.rig import LIBRARY

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
        for _, sql in triggers:
            if sql.startswith("CREATE TRIGGER"):
                connection.execute(sql)
    async with serving(tmp_path, transparency=False) as service:
        for path in (f"/v1/games/{over}", f"/v1/games/{over}/export", f"/v1/games/{over}/events"):
            answer = await service.client.get(path)
            assert (answer.status_code, answer.json()["detail"]) == (500, "What is stored of this game is damaged.")
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
