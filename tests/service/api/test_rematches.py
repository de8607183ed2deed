"""Rematches over HTTP: one click of each, at the same moment too; what stays private, and what nobody can do."""

import asyncio

import pytest

from domain.kernel.ids import GameId
from domain.kernel.proof.verify import verify
from service.organizing.rematches import rematch_id
from tests.service.api.serving import Answer, Player, Service
from tests.service.rig import LIBRARY


@pytest.fixture
async def table(service: Service) -> tuple[Service, Player, Player, str]:
    """Return two players, and a game of theirs that is over."""
    anna, bert = [await service.register(name) for name in ("Anna", "Bert")]
    return service, anna, bert, await over(service, anna, bert)


async def over(service: Service, anna: Player, bert: Player) -> str:
    game = await service.begun(anna, bert)
    await service.post(f"/v1/games/{game}/seats/red/resignation", anna)
    return game


async def agree(service: Service, game: str, player: Player, number: int = 1, entropy: str = "") -> Answer:
    answer = await service.ask("PUT", f"/v1/games/{game}/rematches/{number}", player, {"entropy": entropy})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def wrong(service: Service, method: str, game: str, player: Player | None, number: int = 1) -> tuple[int, str]:
    body = {} if method == "PUT" else None
    answer = await service.ask(method, f"/v1/games/{game}/rematches/{number}", player, body)
    problem = answer.json()
    return answer.status_code, problem.get("rule", problem["type"])


@pytest.mark.rule("TAB-REM-01")
@pytest.mark.rule("TAB-REM-02")
@pytest.mark.rule("TAB-REM-03")
async def test_two_players_play_again_by_one_click_of_each(table: tuple[Service, Player, Player, str]) -> None:
    service, anna, bert, game = table
    before = await service.get(f"/v1/games/{game}/events")
    assert await service.get(f"/v1/games/{game}/rematches", anna) == {"items": [], "next": 1}
    offered = await agree(service, game, anna, entropy="dice of anna")
    assert offered["status"] == "offered"
    assert [(each["seat"], each["name"], each["agreed"]) for each in offered["players"]] == [
        ("red", "Bert", False),
        ("blue", "Anna", True),
    ]
    assert await agree(service, game, anna) == offered  # a click that is repeated changes nothing
    assert await service.get(f"/v1/games/{game}/rematches", bert) == {"items": [offered], "next": None}
    assert await service.get(f"/v1/games/{game}/rematches") == {"items": [offered], "next": None}
    started = await agree(service, game, bert, entropy="dice of bert")
    assert started["status"] == "started"
    assert await agree(service, game, bert) == started
    new = await service.get(f"/v1/games/{started['game']}")
    assert (new["status"], new["organizer"]) == ("running", anna.id)
    assert await service.get(f"/v1/games/{game}/events") == before
    export = (await service.client.get(f"/v1/games/{started['game']}/export")).content
    assert verify(export.splitlines(keepends=True), LIBRARY).ok
    assert await wrong(service, "PUT", game, bert, 2) == (422, "TAB-REM-05")
    assert await wrong(service, "DELETE", game, bert) == (409, "TAB-LIFE-04")


@pytest.mark.rule("TAB-REM-05")
async def test_players_who_press_at_the_same_moment_make_one_game(table: tuple[Service, Player, Player, str]) -> None:
    service, anna, bert, game = table
    answers = await asyncio.gather(*(agree(service, game, player) for player in (anna, bert) * 4))
    assert {each["game"] for each in answers} == {rematch_id(GameId(game), 1)}
    (rematch,) = (await service.get(f"/v1/games/{game}/rematches", anna))["items"]
    assert rematch["status"] == "started"


@pytest.mark.rule("TAB-REM-04")
@pytest.mark.rule("TAB-REM-05")
async def test_an_offer_is_declined_and_another_one_made_up_to_five(table: tuple[Service, Player, Player, str]) -> None:
    service, anna, bert, game = table
    assert await wrong(service, "DELETE", game, bert) == (422, "TAB-REM-05")
    for number, (offers, declines) in enumerate([(anna, bert), (bert, bert), (anna, anna)] + [(anna, bert)] * 2, 1):
        assert (await agree(service, game, offers, number))["status"] == "offered"
        declined = await service.ask("DELETE", f"/v1/games/{game}/rematches/{number}", declines)
        assert declined.json()["status"] == "cancelled", declined.text
        again = await service.ask("DELETE", f"/v1/games/{game}/rematches/{number}", declines)
        assert again.json() == declined.json()
        assert await wrong(service, "PUT", game, bert, number) == (409, "TAB-REM-04")
    assert await wrong(service, "PUT", game, anna, 6) == (422, "TAB-REM-05")
    assert (await service.get(f"/v1/games/{game}/rematches", anna))["next"] is None
    # A player who leaves the seat there declines as well.
    other = await over(service, anna, bert)
    rematch = await agree(service, other, anna)
    await service.ask("DELETE", f"/v1/games/{rematch['game']}/seats/red", bert)
    assert (await service.get(f"/v1/games/{rematch['game']}"))["status"] == "cancelled"


@pytest.mark.rule("TAB-REM-01")
@pytest.mark.rule("TAB-REM-02")
@pytest.mark.rule("TAB-REM-03")
async def test_what_nobody_can_do_with_a_rematch(table: tuple[Service, Player, Player, str]) -> None:
    service, anna, bert, game = table
    carl = await service.register("Carl")
    running = await service.begun(anna, bert)
    assert await wrong(service, "PUT", running, anna) == (409, "TAB-REM-01")
    assert await wrong(service, "PUT", game, carl) == (422, "TAB-REM-01")
    assert await wrong(service, "PUT", "gnobody", carl) == (404, "/problems/unknown-game")
    new = (await agree(service, game, anna))["game"]
    assert await wrong(service, "PUT", game, carl) == (422, "TAB-REM-01")
    assert await wrong(service, "DELETE", game, carl) == (422, "TAB-REM-04")
    consent = await service.ask("PUT", f"/v1/players/me/consents/{anna.id}", carl)
    assert consent.status_code == 200
    for method, path, body, rule in (
        ("POST", "start", None, "TAB-REM-03"),
        ("POST", "seats/red/assignment", {"player": carl.id}, "TAB-REM-02"),
        ("PUT", "clock", {"clock": "fast"}, "TAB-REM-02"),
        ("PUT", "seats/red/bot", {"level": "random"}, "TAB-REM-02"),
    ):
        answer = await service.ask(method, f"/v1/games/{new}/{path}", anna, body)
        assert answer.json().get("rule") == rule, answer.text
    assert (await service.get(f"/v1/games/{new}"))["status"] == "gathering"


async def test_a_rematch_of_a_private_game_is_private(service: Service) -> None:
    anna, bert, carl = [await service.register(name) for name in ("Anna", "Bert", "Carl")]
    wish = {"ruleset": "tiny-auction", "players": 2, "readers": "invited"}
    game = (await service.post("/v1/games", anna, wish))["id"]
    await service.post(f"/v1/games/{game}/seats", anna, {"seat": "red"})
    link = await service.post(f"/v1/games/{game}/invitations", anna, {"seat": "blue"})
    await service.post(f"/v1/invitations/{link['token']}", bert, {})
    await service.post(f"/v1/games/{game}/start", anna)
    await service.post(f"/v1/games/{game}/seats/red/resignation", anna)
    rematch = await agree(service, game, bert)
    assert (await service.ask("GET", f"/v1/games/{game}/rematches", carl)).json()["rule"] == "TAB-READ-01"
    assert (await service.ask("GET", f"/v1/games/{rematch['game']}", carl)).json()["rule"] == "TAB-READ-01"
    assert (await agree(service, game, anna))["status"] == "started"


@pytest.mark.rule("TAB-REM-01")
async def test_bots_play_again_at_once_and_a_substitute_is_asked(service: Service) -> None:
    anna, bert, carl = [await service.register(name) for name in ("Anna", "Bert", "Carl")]
    game = await service.gathering(anna)
    await service.ask("PUT", f"/v1/games/{game}/seats/blue/bot", anna, {"level": "random"})
    await service.post(f"/v1/games/{game}/start", anna)
    await service.post(f"/v1/games/{game}/seats/red/resignation", anna)
    rematch = await agree(service, game, anna)
    assert rematch["status"] == "started"
    assert [each["agreed"] for each in rematch["players"]] == [True, True]
    game = await service.begun(anna, bert)
    await service.ask("DELETE", f"/v1/games/{game}/seats/blue", bert)
    await service.post(f"/v1/games/{game}/seats/blue/acceptance", carl)
    await service.post(f"/v1/games/{game}/seats/red/resignation", anna)
    assert await wrong(service, "PUT", game, bert) == (422, "TAB-REM-01")
    assert {each["name"] for each in (await agree(service, game, carl))["players"]} == {"Anna", "Carl"}
