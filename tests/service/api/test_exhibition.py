"""The games that bots play for spectators."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tabularium_client import TabulariumError

from service.bots import exhibition
from service.bots.exhibition import Exhibition, exhibiting
from tests.service.api.serving import Service, serving

PATIENCE = 120
"""Seconds in which bots play a few whole games, on a machine full of tests."""


@asynccontextmanager
async def on(service: Service, notes: Path, shown: list[str]) -> AsyncIterator[None]:
    """Let bots play as quickly as they can."""
    address = str(service.client.base_url).rstrip("/")
    with exhibiting(Exhibition(address, notes, 0, shown.append, service.services.quiet.add)) as playing:
        yield playing
        await asyncio.sleep(0)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def games(service: Service) -> list[dict[str, Any]]:
    return (await service.get("/v1/games"))["items"]


async def test_one_game_follows_the_other_between_the_same_players(tmp_path: Path):
    shown: list[str] = []
    async with serving(tmp_path) as service:
        async with on(service, tmp_path / "notes", shown):
            await until(lambda: len(shown) >= 3)
        played = await games(service)
        assert {address.rpartition("/")[2] for address in shown} <= {game["id"] for game in played}
        assert [game["status"] for game in played].count("running") <= 1
        assert all(game["title"].startswith("Bots play ") for game in played)
        players = {seat["player"] for game in played for seat in game["seats"]}
        assert players <= service.services.quiet
        assert (tmp_path / "notes").stat().st_mode & 0o077 == 0, "the tokens are nobody else's"


async def test_bots_rest_when_it_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exhibition, "ENOUGH", 2)
    shown: list[str] = []
    async with serving(tmp_path) as service:
        address = str(service.client.base_url).rstrip("/")
        await asyncio.to_thread(Exhibition(address, tmp_path / "notes", 0, shown.append).play)
        (game,) = await games(service)
        assert game["status"] == "running"


@pytest.mark.parametrize("notes", [b"", b"[1]", b'{"tokens": ["tab_wrong"], "game": "gone"}'])
async def test_notes_that_are_no_good_are_written_anew(tmp_path: Path, notes: bytes):
    (tmp_path / "notes").write_bytes(notes)
    shown: list[str] = []
    async with serving(tmp_path) as service, on(service, tmp_path / "notes", shown):
        await until(lambda: bool(shown))
        assert (await service.get(f"/v1/games/{shown[0].rpartition('/')[2]}"))["title"].startswith("Bots play ")


async def test_where_nobody_may_register_nothing_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    async with serving(tmp_path, registration=False) as service:
        address = str(service.client.base_url)
        await asyncio.to_thread(Exhibition(address, tmp_path / "notes", 0).play)
        assert await games(service) == []
    assert "demonstration ended" in capsys.readouterr().out


async def test_a_game_that_is_stuck_is_given_up(tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exhibition, "TROUBLE", 0.01)
    shown: list[str] = []
    given = exhibition.Demonstration.step

    def step(self: exhibition.Demonstration) -> bool:
        if len(shown) == 1:
            raise TabulariumError("stuck")
        return given(self)

    monkeypatch.setattr(exhibition.Demonstration, "step", step)
    async with on(service, tmp_path / "notes", shown):
        await until(lambda: len(shown) >= 2)
    assert shown[0] != shown[1]


def test_boards_alternate():
    rulesets = [{"id": "a", "board": "x"}, {"id": "b", "board": "x"}, {"id": "c", "board": "y"}]
    assert "".join(each["id"] for each in exhibition._in_turn(rulesets)) == "acbc"


@pytest.mark.parametrize(
    ("listening", "reached"),
    [
        ("http://0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("http://[::]:8000", "http://[::1]:8000"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://192.0.2.7:80", "http://192.0.2.7:80"),
    ],
)
def test_a_service_on_all_addresses_is_reached_on_this_machine(listening: str, reached: str):
    assert exhibition.reached(listening) == reached
