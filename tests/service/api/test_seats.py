"""Seats over HTTP that are offered, taken over and resigned: what passes, what streams show at once, who may."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any

import pytest
from websockets.asyncio.client import connect

from domain.kernel.log.following import following
from domain.kernel.proof.verify import verify
from service.games.commands import CommandHandler
from tests.service.api.serving import Answer, Player, Service
from tests.service.api.test_cases import Court
from tests.service.api.test_tokens import narrower
from tests.service.rig import LIBRARY

MINE = "/v1/players/me/events/stream"


async def begun(service: Service, *players: Player, **wish: Any) -> str:
    """Return a game of the tiny auction in which all have to choose a card at the same time."""
    organizer = players[0]
    new = {"ruleset": "tiny-auction", "players": len(players), **wish}
    game = (await service.post("/v1/games", organizer, new))["id"]
    if wish.get("readers") == "invited":
        secret = (await service.post(f"/v1/games/{game}/invitations", organizer))["token"]
        for player in players:
            await service.post(f"/v1/invitations/{secret}", player, {})
    else:
        for player in players:
            await service.post(f"/v1/games/{game}/seats", player, {})
    await service.post(f"/v1/games/{game}/start", organizer)
    await service.give(game, organizer, "put-up", coins=1)
    await service.give(game, organizer, "open-bidding")
    return game


async def problem(
    service: Service, method: str, path: str, player: Player | None, body: Any = None
) -> tuple[int, str, str]:
    answer = await service.ask(method, path, player, body)
    told = answer.json()
    return answer.status_code, told["type"].removeprefix("/problems/"), told.get("rule", "")


async def proved(service: Service, game: str) -> None:
    export = await service.ask("GET", f"/v1/games/{game}/export")
    verdict = verify(export.content.splitlines(keepends=True), LIBRARY)
    assert verdict.ok, verdict.problem


def values(events: list[Answer]) -> list[Any]:
    return [secret["value"] for event in events for secret in event.get("secrets", ())]


async def events(service: Service, game: str, player: Player | None) -> list[Answer]:
    return (await service.get(f"/v1/games/{game}/events?limit=500", player))["items"]


@contextlib.asynccontextmanager
async def streamed(service: Service, path: str, player: Player | None) -> AsyncIterator[AsyncIterator[Answer]]:
    """Lend the data of the frames of a stream."""
    headers: Mapping[str, str] = player.headers if player is not None else {}
    async with service.client.stream("GET", path, headers=headers, timeout=30) as answer:
        assert answer.status_code == 200

        async def frames() -> AsyncIterator[Answer]:
            async for line in answer.aiter_lines():
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))

        yield frames()


async def until(frames: AsyncIterator[Answer], version: int) -> list[Answer]:
    """Return the events of a stream up to a version."""
    found: list[Answer] = []
    async with asyncio.timeout(30):
        async for frame in frames:
            event = frame.get("data") or frame.get("event", frame)
            event = event if "version" in event else frame
            found.append(event)
            if event["version"] >= version:
                return found
    raise AssertionError("the stream has ended")


@pytest.mark.rule("TAB-SEAT-03")
async def test_an_accepted_offer_hands_the_secrets_over_and_open_streams_change_at_once(
    service: Service, anna: Player, bert: Player
) -> None:
    carla, dora = await service.register("Carla"), await service.register("Dora")
    game = await begun(service, anna, bert)
    url = f"/v1/games/{game}"
    before = await service.get(url)
    hand = values(await events(service, game, bert))
    assert hand
    assert values(await events(service, game, carla)) == []
    await service.post(f"{url}/answers", bert, {"decision": "put-up-prize", "command": {"type": "put-up", "coins": 1}})
    left_before = values(await events(service, game, bert))
    start = f"?after={before['version']}"
    socket = connect(
        f"{str(service.client.base_url).rstrip('/')}{url}/events/socket{start}".replace("http", "ws", 1),
        additional_headers=bert.headers,
        proxy=None,
    )
    async with (
        streamed(service, f"{url}/events/stream", bert) as olds,
        streamed(service, f"{url}/events/stream", None) as spectators,
        streamed(service, f"{url}/events/stream", carla) as news,
        streamed(service, f"{MINE}", bert) as mine,
        socket as sock,
    ):
        offered = await service.post(f"{url}/seats/blue/offer", bert, {"to": carla.id}, idempotency_key="k")
        again = await service.post(f"{url}/seats/blue/offer", bert, {"to": carla.id}, idempotency_key="k")
        assert (again["repeated"], again["version"]) == (True, offered["version"])
        while _version(await asyncio.wait_for(anext(mine), 30)) != offered["version"]:
            pass  # it knows only from its first frame on which games are his
        shown = await service.get(url)
        assert shown["offers"] == [{"seat": "blue", "to": carla.id, "version": offered["version"]}]
        assert await problem(service, "POST", f"{url}/seats/blue/acceptance", dora) == (422, "refused", "TAB-SEAT-01")
        accepted = await service.post(f"{url}/seats/blue/acceptance", carla)
        assert [each["type"] for each in accepted["events"]] == ["seat-taken-over"]
        card = await service.first_card(game, carla)
        given = await service.give(game, carla, "choose-card", card=card)
        last = given["version"]
        seen = {
            name: [each for each in await until(frames, last) if each["version"] > accepted["version"]]
            for name, frames in (("old", olds), ("spectator", spectators), ("new", news))
        }
        assert seen["old"] == seen["spectator"]
        assert (values(seen["old"]), card in values(seen["new"])) == ([], True)
        while (frame := json.loads(await asyncio.wait_for(sock.recv(), 30)))["id"] != last:
            pass
        assert "secrets" not in frame["data"]
        while _version(of_all := await asyncio.wait_for(anext(mine), 30)) != accepted["version"]:
            assert values([of_all["event"]]) == []
        assert values([of_all["event"]]) == []
        own = await service.gathering(bert)
        assert (await asyncio.wait_for(anext(mine), 30))["game"] == own, "the game is none of his any more"
    assert values(await events(service, game, bert)) == [], "nor of what happened before"
    passed = values(await events(service, game, carla))
    assert passed[: len(left_before)] == left_before, "all that the seat has, in its order"
    for path in ("", "/state", "/snapshot", "/marks", "/history?limit=500"):
        ask = [await service.ask("GET", url + path, player) for player in (bert, dora)]
        assert ask[0].content == ask[1].content, path
    assert (await service.get(f"{url}/answers", carla))["answers"] == [], "what was left in advance has ended"
    assert [each["player"] for each in (await service.get(url))["seats"]] == [anna.id, carla.id]
    assert await problem(service, "POST", f"{url}/commands", bert, {"command": {"type": "choose-card", "card": 1}}) == (
        403,
        "not-seated",
        "",
    )
    for player, its in ((bert, own), (carla, game)):
        assert [each["id"] for each in (await service.get("/v1/players/me/games", player))["items"]] == [its]
    await proved(service, game)


def _version(frame: Answer) -> int:
    return frame["event"]["version"]


@pytest.mark.rule("TAB-SEAT-03")
async def test_the_player_before_repeats_a_request_and_is_shown_what_a_spectator_sees(
    service: Service, anna: Player, bert: Player
) -> None:
    carla = await service.register("Carla")
    game = await begun(service, anna, bert)
    url = f"/v1/games/{game}"
    chosen = {"command": {"type": "choose-card", "card": await service.first_card(game, bert)}}
    first = await service.post(f"{url}/commands", bert, chosen, idempotency_key="mine")
    assert values(first["events"])
    await service.post(f"{url}/seats/blue/offer", bert, {})
    await service.post(f"{url}/seats/blue/acceptance", carla)
    again = await service.post(f"{url}/commands", bert, chosen, idempotency_key="mine")
    assert (again["repeated"], again["version"]) == (True, first["version"])
    assert values(again["events"]) == []


@pytest.mark.rule("TAB-SEAT-01")
@pytest.mark.rule("TAB-SEAT-02")
async def test_who_may_offer_withdraw_and_accept_a_seat(service: Service, anna: Player, bert: Player) -> None:
    carla, dora = await service.register("Carla"), await service.register("Dora")
    game = await begun(service, anna, bert)
    offer, accept = f"/v1/games/{game}/seats/blue/offer", f"/v1/games/{game}/seats/blue/acceptance"
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{dora.id}", anna)).is_success
    for method, path, player, body, told in (
        ("POST", offer, None, {}, (401, "missing-token", "")),
        ("POST", offer, carla, {}, (403, "not-seated", "")),
        ("POST", offer, anna, {}, (403, "not-seated", "")),
        ("POST", offer, bert, {"to": "pnobody"}, (404, "unknown-player", "")),
        ("POST", offer, bert, {"to": anna.id}, (422, "refused", "TAB-LIFE-03")),
        ("POST", offer, bert, {"to": dora.id}, (422, "refused", "TAB-RUL-01")),
        ("POST", offer, bert, {"for": carla.id}, (422, "invalid-body", "")),
        ("POST", offer.replace("blue", "pink"), bert, {}, (404, "unknown-seat", "")),
        ("POST", offer, await narrower(service, bert, "organize"), {}, (403, "scope-missing", "")),
        ("POST", offer, await narrower(service, dora, "play"), {}, (403, "scope-missing", "")),
        ("DELETE", offer, bert, None, (422, "refused", "TAB-SEAT-01")),
        ("POST", accept, carla, None, (422, "refused", "TAB-LIFE-05")),
        ("POST", accept.replace("blue", "pink"), carla, None, (404, "unknown-seat", "")),
    ):
        assert await problem(service, method, path, player, body) == told, (method, path, body)
    judge = await narrower(service, dora, "judge")
    await service.post(offer, judge, {})
    assert (await service.get(f"/v1/games/{game}"))["offers"][0]["to"] is None
    assert await problem(service, "POST", offer, bert, {}) == (422, "refused", "TAB-SEAT-01")
    assert await problem(service, "POST", accept, dora) == (422, "refused", "TAB-RUL-01")
    assert await problem(service, "POST", accept, anna) == (422, "refused", "TAB-LIFE-03")
    assert await problem(service, "POST", accept, await narrower(service, carla, "judge")) == (403, "scope-missing", "")
    assert (await service.ask("DELETE", offer, bert)).is_success, "its player may, whoever made it"
    await service.post(offer, bert, {})
    assert (await service.ask("DELETE", offer, judge)).is_success
    await service.post(offer, bert, {})
    both = [await service.register(name) for name in ("Emil", "Fritz")]
    answers = await asyncio.gather(*(service.ask("POST", accept, player) for player in both))
    assert sorted(each.status_code for each in answers) == [200, 422], "one of them has it"
    await proved(service, game)


@pytest.mark.rule("TAB-READ-01")
@pytest.mark.rule("TAB-SEAT-01")
async def test_whoever_is_offered_a_seat_of_a_private_game_reads_it_until_the_offer_ends(
    service: Service, anna: Player, bert: Player
) -> None:
    carla, dora = await service.register("Carla"), await service.register("Dora")
    game = await begun(service, anna, bert, readers="invited")
    url = f"/v1/games/{game}"
    assert (await problem(service, "GET", url, carla))[:2] == (403, "private")
    await service.post(f"{url}/seats/blue/offer", bert, {"to": carla.id})
    assert (await service.get(url, carla))["offers"][0]["to"] == carla.id
    assert (await problem(service, "GET", url, dora))[:2] == (403, "private")
    assert (await service.ask("DELETE", f"{url}/seats/blue/offer", bert)).is_success
    assert (await problem(service, "POST", f"{url}/seats/blue/acceptance", carla))[:2] == (403, "private")
    await service.post(f"{url}/seats/blue/offer", bert, {})
    assert (await problem(service, "POST", f"{url}/seats/blue/acceptance", carla))[:2] == (403, "private")
    assert (await service.ask("DELETE", f"{url}/seats/blue/offer", bert)).is_success
    await service.post(f"{url}/seats/blue/offer", bert, {"to": carla.id})
    async with streamed(service, f"{url}/events/stream", bert) as olds:
        accepted = await service.post(f"{url}/seats/blue/acceptance", carla)
        with contextlib.suppress(AssertionError):
            seen = await until(olds, accepted["version"] + 1)
            assert [each for each in seen if each.get("version", 0) >= accepted["version"]] == []
    assert (await problem(service, "GET", url, bert))[:2] == (403, "private")
    assert (await service.get(url, carla))["you"] == "blue"


@pytest.mark.rule("TAB-SEAT-04")
@pytest.mark.rule("TAB-SEAT-05")
@pytest.mark.rule("TAB-SEAT-07")
async def test_the_house_answers_for_a_seat_that_resigned_until_a_substitute_takes_it_over(
    service: Service, anna: Player, bert: Player
) -> None:
    carla, dora = await service.register("Carla"), await service.register("Dora")
    game = await begun(service, anna, bert, carla)
    url = f"/v1/games/{game}"
    assert await problem(service, "POST", f"{url}/seats/blue/resignation", anna) == (403, "not-seated", "")
    resigned = await service.post(f"{url}/seats/blue/resignation", bert, idempotency_key="k")
    assert [each["type"] for each in resigned["events"]] == ["seat-resigned", "answered-by-house", "card-chosen"]
    again = await service.post(f"{url}/seats/blue/resignation", bert, idempotency_key="k")
    assert (again["repeated"], again["version"]) == (True, resigned["version"])
    assert await problem(service, "POST", f"{url}/seats/blue/resignation", bert) == (409, "not-now", "TAB-SEAT-04")
    assert (await service.get(f"{url}/options", bert))["options"] == []
    assert await problem(service, "POST", f"{url}/commands", bert, {"command": {"type": "open-bidding"}}) == (
        409,
        "not-now",
        "TAB-SEAT-04",
    )
    shown = await service.get(url)
    assert (shown["resigned"], shown["given_up"], shown["offers"]) == (["blue"], ["blue"], [])
    for player in (anna, carla):
        given = await service.give(game, player, "choose-card", card=await service.first_card(game, player))
    assert [each["type"] for each in given["events"]][-3:] != [], "all have answered"
    state = await service.get(url)
    if state["decisions"][0]["seats"] == ["blue"]:
        raise AssertionError("the house has not answered")
    court = Court(service, anna, bert, dora, dora, game)
    assert (await service.ask("PUT", f"{url}/officials/{dora.id}", anna)).is_success
    ruled = await court.rule(await court.open(anna), decision="pause")
    assert ruled.is_success, ruled.text
    await service.post(f"{url}/seats/red/resignation", anna)
    assert [each["type"] for each in (await events(service, game, None))][-1] == "seat-resigned"
    resumed = (await service.ask("DELETE", f"{url}/pause", dora)).json()
    assert {each["type"] for each in resumed["events"]} >= {"game-resumed"}
    await service.post(f"{url}/seats/green/resignation", carla)
    assert (await service.get(url))["paused"] is not None
    emil = await service.register("Emil")
    await service.post(f"{url}/seats/green/acceptance", emil)
    assert (await service.ask("DELETE", f"{url}/pause", dora)).is_success
    now = await service.get(url)
    assert (now["paused"], [each["seats"] for each in now["decisions"]]) == (None, [["green"]])
    assert now["resigned"] == ["blue", "red"]
    await proved(service, game)


@pytest.mark.rule("TAB-SEAT-06")
async def test_with_two_seats_the_other_wins_and_the_record_says_how(
    service: Service, anna: Player, bert: Player
) -> None:
    game = await begun(service, anna, bert)
    url = f"/v1/games/{game}"
    stale = await service.ask("POST", f"{url}/seats/blue/resignation", bert, if_match='"1"')
    assert stale.status_code == 412
    done = await service.post(f"{url}/seats/blue/resignation", bert)
    assert [each["type"] for each in done["events"]] == ["seat-resigned", "game-ended"]
    shown = await service.get(url)
    ended = {"winners": ["red"], "rule": "TAB-SEAT-06", "how": "resigned", "order": [["red"], ["blue"]]}
    assert (shown["status"], shown["result"]) == ("over", ended)
    assert await problem(service, "POST", f"{url}/seats/blue/acceptance", await service.register("Carla")) == (
        409,
        "not-now",
        "TAB-LIFE-05",
    )
    await proved(service, game)


@pytest.mark.rule("TAB-SEAT-05")
@pytest.mark.parametrize("dies", [False, True], ids=["goes on", "dies"])
async def test_what_the_house_does_beyond_one_transaction_comes_before_anything_else(
    service: Service, anna: Player, bert: Player, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    carla = await service.register("Carla")
    game = await begun(service, anna, bert, carla)
    for player, seat in ((bert, "blue"), (carla, "green")):
        await service.post(f"/v1/games/{game}/seats/{seat}/resignation", player)
    card = await service.first_card(game, anna)
    with monkeypatch.context() as patched:
        patched.setattr("service.games.commands.following", partial(following, most=1))
        if dies:  # the process, before it settles what is left
            patched.setattr(CommandHandler, "settle", _nothing)
        given = await service.give(game, anna, "choose-card", card=card)
    assert [each["type"] for each in given["events"]].count("answered-by-house") == 1
    waits = [each["seats"] for each in (await service.get(f"/v1/games/{game}"))["decisions"]]
    assert waits == [["blue" if dies else "red"]]
    await service.post(f"/v1/games/{game}/seats/red/offer", anna, {})
    since = [each["type"] for each in await events(service, game, None) if each["version"] > given["version"]]
    assert since[-1] == "seat-offered"
    assert "answered-by-house" in since
    assert [each["seats"] for each in (await service.get(f"/v1/games/{game}"))["decisions"]] == [["red"]]
    await proved(service, game)


async def _nothing(self: CommandHandler, cached: object) -> None:
    pass
