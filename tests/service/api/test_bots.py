"""Bots over HTTP: seating them, seeing that they are bots, and taking them away."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from service.bots.seated import RESTS
from tests.service.api.serving import Player, Service, serving


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    """A service that plays no bots: here they only sit."""
    async with serving(tmp_path, durable=False, database_url=database_url, bots=0, bots_per_account=5) as running:
        yield running


@pytest.fixture
async def game(service: Service, anna: Player) -> str:
    return await service.gathering(anna)


def seat(game: str, name: str = "blue") -> str:
    return f"/v1/games/{game}/seats/{name}/bot"


RANDOM = {"level": "random"}


@pytest.mark.rule("TAB-BOT-01")
async def test_a_bot_takes_a_seat_and_everybody_sees_that_it_is_one(service: Service, anna: Player, game: str) -> None:
    seated = await service.ask("PUT", seat(game), anna, RANDOM)
    assert seated.status_code == 200, seated.text
    (event,) = seated.json()["events"]
    bot = event["event"]["player"]
    assert event["event"] == {"type": "seat-taken", "seat": "blue", "player": bot, "entropy": ""}
    assert event["cause"] == {"player": bot, "seat": "blue"}
    shown = (await service.get(f"/v1/games/{game}"))["seats"]
    assert shown[0] == {
        "seat": "red",
        "player": anna.id,
        "name": "Anna",
        "bot": False,
        "level": None,
        "looks_alike": False,
    }
    assert shown[1] == {
        "seat": "blue",
        "player": bot,
        "name": "Livia, random bot",
        "bot": True,
        "level": "random",
        "looks_alike": False,
    }
    (listed,) = (await service.get("/v1/games"))["items"]
    assert listed["seats"] == shown
    account = await service.get(f"/v1/players/{bot}")
    assert (account["bot"], account["level"], account["name"]) == (True, "random", "Livia, random bot")
    me = await service.get("/v1/players/me", anna)
    assert (me["bot"], me["level"]) == (False, None)
    assert (await service.get("/v1/rulesets/tiny-auction"))["bots"] == ["random"]
    assert (await service.post(f"/v1/games/{game}/start", anna))["version"] > 3


async def test_everybody_sees_that_an_account_is_a_bot_whose_owner_has_said_so(service: Service, game: str) -> None:
    ben = await service.register("Ben")
    await service.post(f"/v1/games/{game}/seats", ben, {})
    for _ in range(2):
        said = await service.ask("PUT", "/v1/players/me/bot", ben)
        assert said.status_code == 200, said.text
        assert (said.json()["bot"], said.json()["level"]) == (True, None)
    shown = await service.get(f"/v1/players/{ben.id}")
    assert (shown["bot"], shown["level"]) == (True, None)
    (held,) = [each for each in (await service.get(f"/v1/games/{game}"))["seats"] if each["player"] == ben.id]
    assert held == {"seat": "blue", "player": ben.id, "name": "Ben", "bot": True, "level": None, "looks_alike": False}


async def test_a_token_for_playing_does_not_say_that_an_account_is_a_bot(service: Service, anna: Player) -> None:
    made = await service.post("/v1/tokens", anna, {"name": "my bot", "scopes": ["play"]})
    bot = Player(anna.id, {"authorization": f"Bearer {made['token']}"})
    assert (await service.ask("PUT", "/v1/players/me/bot", bot)).status_code == 403
    assert not (await service.get(f"/v1/players/{anna.id}"))["bot"]


async def test_the_organizer_cannot_take_somebodys_bot_away(service: Service, anna: Player, game: str) -> None:
    ben = await service.register("Ben")
    await service.post(f"/v1/games/{game}/seats", ben, {})
    await service.ask("PUT", "/v1/players/me/bot", ben)
    refused = await service.ask("DELETE", seat(game), anna)
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-BOT-01")
    assert (await service.get(f"/v1/games/{game}"))["seats"][1]["player"] == ben.id


async def test_the_bots_of_a_game_are_different_accounts_and_the_same_ones_in_the_next(
    service: Service, anna: Player
) -> None:
    names = []
    for _ in range(2):
        game = (await service.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2}))["id"]
        for name in ("red", "blue"):
            assert (await service.ask("PUT", seat(game, name), anna, RANDOM)).status_code == 200
        names.append([each["player"] for each in (await service.get(f"/v1/games/{game}"))["seats"]])
    assert names[0] == names[1]
    assert len(set(names[0])) == 2


@pytest.mark.rule("TAB-BOT-01")
async def test_the_organizer_takes_a_bot_away_until_the_game_starts(service: Service, anna: Player, game: str) -> None:
    await service.ask("PUT", seat(game), anna, RANDOM)
    gone = await service.ask("DELETE", seat(game), anna, idempotency_key="once")
    assert [each["event"] for each in gone.json()["events"]] == [{"type": "seat-left", "seat": "blue"}]
    again = await service.ask("DELETE", seat(game), anna, idempotency_key="once")
    assert (again.json()["repeated"], again.json()["events"]) == (True, gone.json()["events"])
    nobody = await service.ask("DELETE", seat(game), anna)
    assert (nobody.status_code, nobody.json()["rule"]) == (422, "TAB-BOT-01")
    assert nobody.json()["allowed"] == "This game has no bot."
    own = await service.ask("DELETE", seat(game, "red"), anna)
    assert (own.status_code, own.json()["detail"]) == (422, "No bot holds red.")
    await service.ask("PUT", seat(game), anna, RANDOM)
    await service.post(f"/v1/games/{game}/start", anna)
    for method, body in (("PUT", RANDOM), ("DELETE", None)):
        late = await service.ask(method, seat(game), anna, body)
        assert late.status_code in (409, 422), late.text


async def test_a_repeated_request_seats_one_bot(service: Service, anna: Player, game: str) -> None:
    first, again = [await service.ask("PUT", seat(game), anna, RANDOM, idempotency_key="once") for _ in range(2)]
    assert (first.status_code, again.status_code) == (200, 200)
    assert (again.json()["repeated"], again.json()["version"]) == (True, first.json()["version"])
    same = await service.ask("PUT", seat(game), anna, RANDOM)
    assert (same.status_code, same.json()["rule"]) == (422, "TAB-BOT-01")
    stale = await service.ask("DELETE", seat(game), anna, if_match='"1"')
    assert (stale.status_code, stale.json()["type"]) == (412, "/problems/stale-version")


async def test_requests_for_bots_that_are_not_allowed_get_a_clear_problem(
    service: Service, anna: Player, bert: Player, game: str
) -> None:
    for method, body in (("PUT", RANDOM), ("DELETE", None)):
        stranger = await service.ask(method, seat(game), bert, body)
        assert (stranger.status_code, stranger.json()["type"]) == (403, "/problems/not-organizer")
        unknown = await service.ask(method, seat(game, "pink"), anna, body)
        assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/unknown-seat")
        nobody = await service.ask(method, seat(game), None, body)
        assert (nobody.status_code, nobody.json()["type"]) == (401, "/problems/missing-token")
    none = await service.ask("PUT", seat(game), anna, {"level": "grandmaster"})
    assert (none.status_code, none.json()["type"]) == (422, "/problems/unknown-level")
    assert (none.json()["allowed"], none.json()["path"]) == ("Expected one of random.", "$.level")
    for bad in ({}, {"level": 3}, {"level": "random", "name": "Livia"}):
        assert (await service.ask("PUT", seat(game), anna, bad)).status_code == 422
    taken = await service.ask("PUT", seat(game, "red"), anna, RANDOM)
    assert (taken.status_code, taken.json()["type"]) == (409, "/problems/seat-taken")
    assert taken.json()["rule"] == "TAB-LIFE-03"
    assert [each["bot"] for each in (await service.get(f"/v1/games/{game}"))["seats"]] == [False, False]


async def test_an_organizer_has_no_more_bots_than_they_may_however_many_ask_at_once(
    service: Service, anna: Player, bert: Player
) -> None:
    games = [await service.gathering(anna) for _ in range(8)]
    answers = await asyncio.gather(*(service.ask("PUT", seat(game), anna, RANDOM) for game in games))
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [409] * 3
    refused = next(answer.json() for answer in answers if answer.status_code == 409)
    assert refused["type"] == "/problems/too-many-bots"
    seated = games[[answer.status_code for answer in answers].index(200)]
    await service.ask("DELETE", f"/v1/games/{seated}", anna)
    assert (await service.ask("PUT", seat(games[-1]), anna, RANDOM)).status_code in (200, 422)
    another = await service.gathering(bert)
    assert (await service.ask("PUT", seat(another), bert, RANDOM)).status_code == 200


async def test_a_bot_that_is_taken_away_while_another_takes_its_place_leaves_no_room_for_a_third(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.api.games.bots.levels", lambda ruleset: ["random", "greedy"])
    games = [seat(await service.gathering(anna)) for _ in range(6)]
    for place in games[:5]:
        assert (await service.ask("PUT", place, anna, RANDOM)).status_code == 200
    for turn in range(6):
        levels = ({"level": "greedy"}, RANDOM) if turn % 2 else (RANDOM, {"level": "greedy"})
        await asyncio.gather(
            service.ask("PUT", games[0], anna, levels[1]),
            service.ask("DELETE", games[0], anna),
            service.ask("PUT", games[5], anna, RANDOM),
        )
        shown = [await service.get(place.partition("/seats")[0]) for place in games]
        assert sum(each["bot"] for game in shown for each in game["seats"]) <= 5
        await service.ask("DELETE", games[5], anna)
        await service.ask("PUT", games[0], anna, levels[0])


async def test_the_first_answer_comes_again_whatever_has_become_of_the_bot(service: Service, anna: Player) -> None:
    games = [await service.gathering(anna) for _ in range(6)]
    first = await service.ask("PUT", seat(games[0]), anna, RANDOM, idempotency_key="once")
    await service.ask("DELETE", seat(games[0]), anna)
    for game in games[1:]:
        assert (await service.ask("PUT", seat(game), anna, RANDOM)).status_code == 200
    again = await service.ask("PUT", seat(games[0]), anna, RANDOM, idempotency_key="once")
    assert again.status_code == 200, again.text
    assert again.json()["repeated"]
    assert again.json()["events"] == first.json()["events"]


@pytest.mark.rule("TAB-BOT-01")
async def test_a_seat_is_not_offered_to_a_bot_but_given_up_to_one(service: Service, anna: Player, bert: Player) -> None:
    other = await service.gathering(anna)
    assert (await service.ask("PUT", seat(other), anna, RANDOM)).status_code == 200
    bot = (await service.get(f"/v1/games/{other}"))["seats"][1]["player"]
    game = await service.begun(anna, bert)
    offer = f"/v1/games/{game}/seats/blue/offer"
    refused = await service.ask("POST", offer, bert, {"to": bot})
    assert (refused.status_code, refused.json()["rule"]) == (422, "TAB-BOT-01"), refused.text
    assert refused.json()["allowed"] == "Give the seat up: the organizer can seat a bot there."
    assert (await service.get(f"/v1/games/{game}"))["offers"] == []
    assert (await service.ask("DELETE", f"/v1/games/{game}/seats/blue", bert)).status_code == 200
    assert (await service.ask("PUT", seat(game), anna, RANDOM)).status_code == 200
    assert (await service.get(f"/v1/games/{game}"))["seats"][1]["player"] == bot


@pytest.mark.rule("TAB-BOT-01")
async def test_a_bot_whose_account_was_closed_is_replaced(service: Service, anna: Player, bert: Player) -> None:
    waiting, playing = [await service.gathering(anna) for _ in range(2)]
    for game in (waiting, playing):
        assert (await service.ask("PUT", seat(game), anna, RANDOM)).status_code == 200
    await service.post(f"/v1/games/{playing}/start", anna)
    closed = (await service.get(f"/v1/games/{playing}"))["seats"][1]["player"]
    await service.services.accounts.close(closed)
    gone = await service.ask("DELETE", seat(waiting), anna)
    assert gone.status_code == 200, gone.text
    for game in (waiting, playing):
        stranger = await service.ask("PUT", seat(game), bert, RANDOM)
        assert stranger.json()["type"] == "/problems/not-organizer"
        put = await service.ask("PUT", seat(game), anna, RANDOM)
        assert put.status_code == 200, put.text
        assert (await service.get(f"/v1/games/{game}"))["seats"][1]["player"] != closed
    told = (await service.get(f"/v1/games/{playing}/events?limit=500"))["items"][-2:]
    assert [each["type"] for each in told] == ["seat-given-up", "seat-taken-over"]
    assert told[0]["cause"]["player"] == closed


async def test_bots_of_games_that_rest_are_not_counted(tmp_path: Path, database_url: str) -> None:
    now = [datetime(2026, 11, 26, tzinfo=UTC)]
    many: dict[str, Any] = {"durable": False, "database_url": database_url, "bots": 0, "bots_per_account": 1}
    async with serving(tmp_path, clock=lambda: now[0], **many) as service:
        anna = await service.register("Anna")
        first, second = [await service.gathering(anna) for _ in range(2)]
        assert (await service.ask("PUT", seat(first), anna, RANDOM)).status_code == 200
        now[0] += RESTS - timedelta(seconds=1)
        refused = await service.ask("PUT", seat(second), anna, RANDOM)
        assert (refused.status_code, refused.json()["type"]) == (409, "/problems/too-many-bots")
        now[0] += timedelta(seconds=1)
        assert (await service.ask("PUT", seat(second), anna, RANDOM)).status_code == 200
        third = await service.gathering(anna)
        assert (await service.ask("PUT", seat(third), anna, RANDOM)).status_code == 409
