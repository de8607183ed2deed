"""A service goes on, with all that it has, while its books move to another server one after the other."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domain.kernel.ids import GameId, LeagueId, RuleId, TournamentId, book_of
from service.cli import app, main
from service.store.postgres import keepers, moving, server
from service.store.postgres.books import ALL, spans
from service.transparency.keys import new_key
from tests.helpers.postgres import connected
from tests.service.api.clubs import REGULATIONS
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_one_book import all_about_a_dispute, all_about_a_game, all_about_an_archived_game
from tests.service.store.adapters import servers

TABLES = (
    "SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'book'"
    " WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind = 'r' AND c.relname <> 'snapshots' ORDER BY 1"
)


async def counted(url: str) -> dict[str, int]:
    """Return how many rows there are in each table about streams."""
    async with connected(url) as owner:
        return {
            name: await owner.fetchval(f"SELECT count(*) FROM tabularium.{name}")
            for (name,) in await owner.fetch(TABLES)
        }


async def said(service: Service, games: list[str], players: list[Player]) -> dict[str, str]:
    """Return digests of what a service says of these games, of lists, and of their cases."""
    paths = ["/v1/games?limit=100", "/v1/cases", "/v1/rulesets/tiny-auction/rules/TA-PUT-01"]
    for game in games:
        paths += [f"/v1/games/{game}{path}" for path in ("", "/export", "/events?limit=500", "/cases", "/forks")]
    told: dict[str, str] = {}
    for path in paths:
        for player in players:
            answer = await service.ask("GET", path, player)
            told[f"{path} {player.id}"] = f"{answer.status_code} {hashlib.sha256(answer.content).hexdigest()}"
    return told


async def test_all_that_books_have_moves_with_them_while_the_service_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, value in (
        (server, "LEASE", 0.3), (keepers, "PROBE", 0.1), (moving, "PAUSE", 0.4), (moving, "GRACE", 0.1),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    async with servers(ALL) as kept:
        home, other = kept
        setting: dict[str, Any] = {"database_url": home, "book_servers": f"none={other}"}
        key = new_key("games.example/log", bytes)
        async with serving(tmp_path, log_key=key, **setting) as service:
            people = [await service.register(name) for name in ("Anna", "Bert", "Julia")]
            await all_about_a_game(service, *people)
            over = await all_about_a_dispute(service, *people)
            await all_about_a_game(service, *people, readers="invited")
            await all_about_an_archived_game(service, home, people[0], over)
            running = await service.begun(*people[:2])
            announced = await service.post("/v1/tournaments", people[0], {"regulations": REGULATIONS})
            tournament = TournamentId(announced["summary"]["tournament"])
            founded = await service.post("/v1/leagues", people[0], {"regulations": {"points": [3, 1], "best": 2}})
            league = LeagueId(founded["summary"]["league"])
            async with connected(home) as owner:
                games = [game for (game,) in await owner.fetch("SELECT game FROM tabularium.games ORDER BY number")]
            before, rows = await said(service, games, people), await counted(home)
            assert [name for name, number in rows.items() if not number] == []
            moved = {book_of(tournament), book_of(league), *(book_of(GameId(each)) for each in games)}
            done = await asyncio.to_thread(
                CliRunner().invoke,
                app,
                ["books", "move", spans(moved), "--to", other],
                env={f"TABULARIUM_{name.upper()}": value for name, value in setting.items()},
            )
            assert done.exit_code == 0, done.output
            assert done.output.count(" stood still for ") == len(moved)
            left, arrived = await counted(home), await counted(other)
            assert (left.pop("books"), arrived.pop("books")) == (64 - len(moved), len(moved))
            del rows["books"]
            assert left == dict.fromkeys(rows, 0)
            assert arrived == rows
            assert await said(service, games, people) == before
            await service.play_out(running, *people[:2])
            async with asyncio.timeout(30):
                while await service.services.store.tree.logged(GameId(running)) is None:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            assert len(await service.services.store.precedents([RuleId("TA-PUT-01")], 5)) == 1


def test_what_cannot_be_moved_is_said_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_DATABASE_URL", "postgresql://o@one/games")
    for setting, arguments, says in (
        ("", ["1", "--to", "x"], "there is one server: set TABULARIUM_BOOK_SERVERS='none="),
        ("40-47=postgresql://o@two/games", ["64", "--to", "x"], "there is no book 64: books are 0 to 63"),
        ("40-47=postgresql://o@two/games", ["3-1", "--to", "x"], "the span 3-1: write it as 1-3"),
        ("40-47=postgresql://o@two/games", ["all", "--to", "x"], "'all' names no books: write them as 0-15,20"),
        ("none=postgresql://o@two/games", ["1", "--to", "x"], "name one of games at one, games at two"),
    ):
        monkeypatch.setenv("TABULARIUM_BOOK_SERVERS", setting)
        with pytest.raises(SystemExit) as end:
            main(["books", "move", *arguments])
        said = "".join(capsys.readouterr())
        assert (end.value.code, said.count("\n")) == (2, 1), said
        assert says in said
