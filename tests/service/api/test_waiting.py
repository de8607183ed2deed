"""The stream of what waits for an account, in all of its games."""

import contextlib
import json
from collections.abc import AsyncIterator

from tests.service.api.serving import Answer, Player, Service

STREAM = "/v1/players/me/waiting/stream"


@contextlib.asynccontextmanager
async def followed(service: Service, player: Player) -> AsyncIterator[AsyncIterator[Answer]]:
    """Lend the frames of a player's stream."""
    async with service.client.stream("GET", STREAM, headers=player.headers) as answer:
        assert answer.status_code == 200

        async def frames() -> AsyncIterator[Answer]:
            async for line in answer.aiter_lines():
                if line.startswith("event:"):
                    assert line == "event: waiting"
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))

        yield frames()


async def test_it_begins_with_all_that_waits_and_goes_on_with_what_changes(
    service: Service, anna: Player, bert: Player
) -> None:
    games = [await service.begun(anna, bert) for _ in range(2)]
    async with followed(service, anna) as frames, followed(service, bert) as others:
        first = [await anext(frames) for _ in games]
        assert {each["game"] for each in first} == {*games}
        assert {each["seat"] for each in first} == {"red"}
        assert [each["decisions"][0]["kind"] for each in first] == ["put-up-prize"] * 2
        given = await service.give(games[0], anna, "put-up", coins=1)
        same = await anext(frames)
        assert (same["game"], same["version"]) == (games[0], given["version"])
        opened = await service.give(games[0], anna, "open-bidding")
        card = await anext(frames)
        assert (card["version"], card["decisions"][0]["kind"]) == (opened["version"], "choose-card")
        theirs = await anext(others)
        assert (theirs["game"], theirs["seat"], theirs["decisions"][0]["seats"]) == (games[0], "blue", ["red", "blue"])
        await service.give(games[0], anna, "choose-card", card=await service.first_card(games[0], anna))
        nothing = await anext(frames)
        assert (nothing["game"], nothing["decisions"], nothing["take_backs"]) == (games[0], [], [])


async def test_requests_to_take_moves_back_wait_too(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    before = (await service.get(f"/v1/games/{game}"))["version"]
    await service.give(game, anna, "put-up", coins=1)
    async with followed(service, bert) as frames:
        asked = await service.post(f"/v1/games/{game}/take-backs", anna, {"to": before})
        (request,) = (await anext(frames))["take_backs"]
        assert (request["asked"], request["seat"], request["to"]) == (asked["version"], "red", before)
        await service.post(f"/v1/games/{game}/take-backs/{request['asked']}/answer", bert, {"agrees": False})
        assert (await anext(frames))["take_backs"] == []


async def test_proposals_to_end_the_game_wait_too(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    async with followed(service, bert) as frames:
        proposed = await service.post(f"/v1/games/{game}/end-proposals", anna, {"order": [["red", "blue"]]})
        (proposal,) = (await anext(frames))["end_proposals"]
        assert (proposal["proposed"], proposal["seat"]) == (proposed["version"], "red")
        await service.post(f"/v1/games/{game}/end-proposals/{proposal['proposed']}/answer", bert, {"agrees": True})
        assert (await anext(frames))["end_proposals"] == []


async def test_nothing_waits_for_a_player_whose_seat_a_bot_took_over(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await service.begun(anna, bert)
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    async with followed(service, bert) as frames:
        assert (await anext(frames))["decisions"]
        assert (await service.ask("DELETE", f"/v1/games/{game}/seats/blue", bert)).status_code == 200
        given_up = await anext(frames)
        assert (given_up["seat"], len(given_up["decisions"])) == ("blue", 1)
        taken = await service.ask("PUT", f"/v1/games/{game}/seats/blue/bot", anna, {"level": "random"})
        assert taken.status_code == 200, taken.text
        nothing = await anext(frames)
        assert (nothing["game"], nothing["decisions"], nothing["take_backs"]) == (game, [], [])


async def test_a_game_that_is_joined_later_is_in_it(service: Service, anna: Player, bert: Player) -> None:
    async with followed(service, anna) as frames:
        game = await service.begun(anna, bert)
        assert (await anext(frames))["game"] == game


async def test_only_a_player_has_one(service: Service, anna: Player) -> None:
    assert (await service.ask("GET", STREAM)).status_code == 401
    narrow = await service.post("/v1/tokens", anna, {"name": "organizes", "scopes": ["organize"]})
    refused = await service.client.get(STREAM, headers={"authorization": f"Bearer {narrow['token']}"})
    assert (refused.status_code, refused.json()["scopes"]) == (403, ["play"])


async def test_an_analysis_waits_for_nobody(service: Service, anna: Player, bert: Player) -> None:
    game = await service.begun(anna, bert)
    at = (await service.get(f"/v1/games/{game}"))["version"]
    await service.play_out(game, anna, bert)
    await service.post(f"/v1/games/{game}/forks", anna, {"version": at})
    running = await service.begun(anna, bert)
    async with followed(service, anna) as frames:
        assert (await anext(frames))["game"] == running
