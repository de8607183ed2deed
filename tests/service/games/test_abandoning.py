"""Games that nobody plays any more end, once and not too early, and their players have a week to be told."""

from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from domain.kernel.ids import GameId
from projections.lanes import LANES
from projections.stillness import STILLNESS
from tests.service.api.serving import Answer, Player
from tests.service.games.hall import Hall


async def begun(hall: Hall, *players: Player, **wish: Any) -> str:
    new = {"ruleset": "tiny-auction", "players": len(players), **wish}
    game = (await hall.service.post("/v1/games", players[0], new))["id"]
    for player in players:
        await hall.service.post(f"/v1/games/{game}/seats", player, {})
    await hall.service.post(f"/v1/games/{game}/start", players[0])
    await look(hall)
    return game


async def look(hall: Hall) -> None:
    """Look for still games now, as a service does that was there all the time."""
    await hall.keeper.rest()
    now = hall.service.services.games.time()
    for lanes in (1, LANES):
        await hall.service.services.rows.watch(dict.fromkeys(range(lanes), now), lanes)
    await hall.turn()
    await hall.keeper.look_for_still()


async def wait(hall: Hall, days: float) -> None:
    """Let days pass, with a look every four days."""
    while days > 0:
        hall.time.now += timedelta(days=min(days, 4))
        days -= 4
        await look(hall)


async def shown(hall: Hall, game: str) -> Answer:
    return await hall.service.get(f"/v1/games/{game}")


@pytest.mark.rule("TAB-END-04")
async def test_a_game_in_which_nothing_happens_is_abandoned(hall: Hall, anna: Player, bert: Player) -> None:
    game = await begun(hall, anna, bert, abandoned_after=14)
    other = await begun(hall, anna, bert)
    await wait(hall, 10)
    await hall.service.give(game, anna, "put-up", coins=1)
    ends = (await shown(hall, game))["abandoned_at"]
    await wait(hall, 13.9)
    assert (await shown(hall, game))["status"] == "running"
    await wait(hall, 2)
    over = await shown(hall, game)
    assert over["result"] == {"winners": [], "rule": "TAB-END-04", "how": "abandoned", "order": [["red", "blue"]]}
    abandoned, ended = (await hall.events(game))[-2:]
    assert (abandoned["type"], abandoned["cause"], ended["type"]) == ("game-abandoned", {"by": "clock"}, "game-ended")
    assert ends <= abandoned["at"]
    await hall.proved(game)
    await look(hall)
    assert (await shown(hall, other))["status"] == "running"
    rows = hall.service.services.rows
    assert await rows.select(STILLNESS, "SELECT game FROM {still}") == [(other,)]


@pytest.mark.rule("TAB-END-04")
async def test_a_game_that_was_still_before_anybody_looked_goes_on_for_a_week(
    hall: Hall, anna: Player, bert: Player
) -> None:
    """As games do that began before games were abandoned: nobody could tell their players."""
    game = await begun(hall, anna, bert)
    hall.sleep(200 * 24 * 3600)
    await look(hall)
    assert (await shown(hall, game))["status"] == "running"
    await wait(hall, 6.5)
    assert (await shown(hall, game))["status"] == "running"
    await wait(hall, 1)
    assert (await shown(hall, game))["result"]["how"] == "abandoned"
    await hall.proved(game)


@pytest.mark.rule("TAB-END-04")
async def test_whoever_acts_in_the_last_week_keeps_the_game_going(hall: Hall, anna: Player, bert: Player) -> None:
    game = await begun(hall, anna, bert, abandoned_after=14)
    await wait(hall, 13)
    await hall.service.give(game, anna, "put-up", coins=1)
    await wait(hall, 13)
    assert (await shown(hall, game))["status"] == "running"
    await wait(hall, 2)
    assert (await shown(hall, game))["status"] == "over"


@pytest.mark.rule("TAB-END-04")
async def test_no_game_is_abandoned_right_after_a_long_outage(hall: Hall, anna: Player, bert: Player) -> None:
    game = await begun(hall, anna, bert, abandoned_after=14)
    await wait(hall, 8)
    hall.sleep(20 * 24 * 3600)
    await hall.keeper.rest()
    await hall.turn()  # it finds that nobody watched
    await hall.keeper.look_for_still()
    assert (await shown(hall, game))["status"] == "running"
    await wait(hall, 7.5)
    assert (await shown(hall, game))["status"] == "over"


async def test_a_damaged_game_stops_no_other(
    hall: Hall, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other = [await begun(hall, anna, bert, abandoned_after=14) for _ in range(2)]
    await wait(hall, 8)
    games = hall.service.services.games
    whole = games.game

    async def game(game_id: GameId, at_least: int | None = None) -> Any:
        if game_id == broken:
            raise ValueError("a fault of ours")
        return await whole(game_id, at_least)

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(games, "game", game)
        await wait(hall, 7)
    assert {each["game"] for each in logs if each["event"] == "a still game waits"} == {broken}
    assert [(await shown(hall, each))["status"] for each in (broken, other)] == ["running", "over"]
    await wait(hall, 1)
    assert (await shown(hall, broken))["status"] == "over", "it is looked at again"


@pytest.mark.rule("TAB-REM-04")
async def test_a_rematch_that_was_offered_expires_after_a_day(hall: Hall, anna: Player, bert: Player) -> None:
    game = await begun(hall, anna, bert)
    await hall.service.post(f"/v1/games/{game}/seats/red/resignation", anna)
    path = f"/v1/games/{game}/rematches"
    rematch = (await hall.service.ask("PUT", f"{path}/1", anna, {})).json()
    await look(hall)
    hall.time.now += timedelta(hours=23, minutes=59)
    await look(hall)
    assert (await shown(hall, rematch["game"]))["status"] == "gathering"
    hall.time.now += timedelta(minutes=2)
    late = await hall.service.ask("PUT", f"{path}/1", bert, {})
    assert (late.status_code, late.json()["rule"]) == (409, "TAB-REM-04")
    assert (await hall.service.get(path, bert))["next"] == 2
    await look(hall)
    assert (await shown(hall, rematch["game"]))["status"] == "cancelled"
    assert (await hall.events(rematch["game"]))[-1]["cause"] == {"by": "clock"}
    assert (await hall.service.ask("PUT", f"{path}/2", bert, {})).json()["status"] == "offered"
