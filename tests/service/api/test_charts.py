"""Charts over HTTP: which there are, and that they follow the game."""

import asyncio
from pathlib import Path
from xml.etree import ElementTree

import pytest

from domain.boards import builtin
from domain.library import LIBRARY
from tests.browser.games import table
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_statistics import caught_up, until

DESC = "{http://www.w3.org/2000/svg}desc"


async def said(service: Service, path: str) -> str:
    """Return what a chart says in words."""
    answer = await service.ask("GET", path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    return ElementTree.fromstring(answer.content).findtext(DESC) or ""


async def test_a_chart_follows_the_game(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert, rounds=2)
    await until(service, f"/v1/games/{game}/scoreboard", status="running")
    assert (await said(service, f"/v1/games/{game}/charts/points.svg")).startswith("Round 1: ")
    await service.play_out(game, anna, bert)
    await caught_up(service)
    coins = (await service.get(f"/v1/games/{game}/state"))["view"]["coins"]
    told = await said(service, f"/v1/games/{game}/charts/points.svg")
    assert (
        told
        == "Round 2: "
        + ", ".join(f"{seat.title()} {coins[seat]}" for seat in sorted(coins, key=lambda seat: -coins[seat]))
        + "."
    )
    assert await said(service, f"/v1/games/{game}/charts/coins.svg") == told


async def test_a_game_that_has_not_begun_has_nothing_to_show(service: Service, anna: Player) -> None:
    game = await service.gathering(anna)
    await until(service, f"/v1/games/{game}/scoreboard", status="gathering")
    assert await said(service, f"/v1/games/{game}/charts/points.svg") == "Nothing has been counted yet."
    assert await said(service, f"/v1/games/{game}/charts/dice.svg") == "No die has been rolled yet."


@pytest.mark.parametrize("name", ["points", "dice", "points.png", "dice.png", ".svg", "victory.svg"])
async def test_a_problem_lists_the_charts_that_there_are(service: Service, anna: Player, bert: Player, name: str):
    game = await service.begun(anna, bert)
    await until(service, f"/v1/games/{game}/scoreboard", status="running")
    answer = await service.ask("GET", f"/v1/games/{game}/charts/{name}")
    assert (answer.status_code, answer.json()["type"]) == (404, "/problems/unknown-chart")
    assert answer.json()["allowed"] == "It has points.svg, coins.svg, dice.svg."


@pytest.mark.parametrize(
    ("ruleset", "seats", "names"),
    [
        ("conquest-classic-friz", 3, ("tribute", "territory", "provinces", "cities", "units", "talents")),
        ("italia-1", 3, ("points", "territory", "units", "gold", "points-by-nation", "areas-by-nation")),
        ("mare-nostrum", 3, ("territory", "points", "cards", "hand", "trade", "cities")),
    ],
)
async def test_every_figure_of_a_ruleset_has_a_chart(tmp_path: Path, ruleset: str, seats: int, names: tuple[str, ...]):
    async with serving(tmp_path, LIBRARY, builtin, durable=False) as service:
        made = await table(service.services, ruleset, seats, events=800)
        await caught_up(service)
        path = f"/v1/games/{made.id}/charts"
        told = await asyncio.gather(*(said(service, f"{path}/{name}.svg") for name in names))
        assert all(each.startswith("Round ") for each in told), told
        assert "expected" in await said(service, f"{path}/dice.svg")
