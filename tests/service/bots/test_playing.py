"""Bots that the service plays: whole games, restarts, bots that fail, requests to take moves back."""

import asyncio
import json
import os
import random
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from domain.boards import builtin, drawing_of
from domain.kernel.ids import GameId
from domain.kernel.proof.verify import verify
from domain.library import LIBRARY
from service.api.log.streams import follow
from service.api.response import encode
from service.bots import playing
from service.bots.bot import RandomBot
from service.bots.playing import Playing
from service.bots.thinking import NoThought, Thinkers
from service.bots.worker import Question
from tests.helpers.sampling import sampled
from tests.service.api.serving import Answer, Player, Service, serving

QUICK: dict[str, Any] = {"durable": False, "bot_pause": 0.0}


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with serving(tmp_path, database_url=database_url, **QUICK) as running:
        yield running


@pytest.fixture
async def anna(service: Service) -> Player:
    return await service.register("Anna")


async def against_bots(service: Service, anna: Player, bots: int = 1, **setup: Any) -> str:
    """Return a game that has begun, in which Anna sits on the first seat and bots on the others."""
    body = {"ruleset": "tiny-auction", "players": 1 + bots, "setup": setup}
    game = await service.post("/v1/games", anna, body)
    await service.post(f"/v1/games/{game['id']}/seats", anna, {})
    await seat_bots(service, anna, game["id"])
    return game["id"]


async def seat_bots(service: Service, anna: Player, game: str, level: str = "random") -> None:
    """Put bots on the free seats, and start."""
    for seat in (await service.get(f"/v1/games/{game}"))["seats"]:
        if seat["player"] is None:
            put = await service.ask("PUT", f"/v1/games/{game}/seats/{seat['seat']}/bot", anna, {"level": level})
            assert put.status_code == 200, put.text
    await service.post(f"/v1/games/{game}/start", anna)


async def until(service: Service, game: str, holds: Callable[[Answer], bool]) -> Answer:
    """Return a game as soon as something holds of it."""
    async with asyncio.timeout(60):
        while True:
            if holds(shown := await service.get(f"/v1/games/{game}")):
                return shown
            await asyncio.sleep(0.02)


def waits_for(seat: str) -> Callable[[Answer], bool]:
    return lambda game: game["status"] != "running" or any(seat in each["seats"] for each in game["decisions"])


async def play_out(service: Service, anna: Player, game: str) -> None:
    """Play Anna's seat to the end of the game, each time that it waits for her."""
    hand = RandomBot(random.Random(1), {})
    while (await until(service, game, waits_for("red")))["status"] == "running":
        options = (await service.get(f"/v1/games/{game}/options", anna))["options"]
        await service.post(f"/v1/games/{game}/commands", anna, {"command": hand.choose("red", {}, options)})


async def test_a_game_against_bots_is_played_to_its_end(service: Service, anna: Player) -> None:
    game = await against_bots(service, anna, bots=2)
    await play_out(service, anna, game)
    seats = {seat["seat"]: seat for seat in (await service.get(f"/v1/games/{game}"))["seats"]}
    events = (await service.get(f"/v1/games/{game}/events?limit=500"))["items"]
    causes = [event["cause"] for event in events if event.get("cause", {}).get("command")]
    assert {cause["seat"] for cause in causes} == {*seats}
    assert all(cause["player"] == seats[cause["seat"]]["player"] for cause in causes)
    exported = (await service.client.get(f"/v1/games/{game}/export")).content
    assert verify(exported.splitlines(keepends=True), service.services.library).ok


async def test_a_bot_that_came_to_be_after_the_others_were_learned_plays_too(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "LEASE", 0.02)  # with each renewal the bots are learned anew
    monkeypatch.setattr(playing, "POLL", 0.01)
    await service.services.accounts.bots_at("random", 1)
    await asyncio.sleep(0.7)  # longer than one wait of before, so the one bot that there is gets known
    monkeypatch.setattr(playing, "LEASE", 600.0)
    await asyncio.sleep(0.1)  # and no renewal tells of those that come to be now
    game = await against_bots(service, anna, bots=2)
    await play_out(service, anna, game)
    assert (await service.get(f"/v1/games/{game}"))["status"] == "over"


async def test_bots_pause_once_somebody_was_asked(tmp_path: Path, database_url: str) -> None:
    slow: dict[str, Any] = {**QUICK, "bot_pause": 60.0}
    async with serving(tmp_path, database_url=database_url, **slow) as service:
        anna = await service.register("Anna")
        body = {"ruleset": "tiny-auction", "players": 2}
        game = (await service.post("/v1/games", anna, body))["id"]
        await service.post(f"/v1/games/{game}/seats", anna, {"seat": "blue"})
        await seat_bots(service, anna, game)
        async with asyncio.timeout(20):
            await until(service, game, waits_for("blue"))
        await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
        version = (await until(service, game, waits_for("red")))["version"]
        await asyncio.sleep(0.3)
        assert (await service.get(f"/v1/games/{game}"))["version"] == version


async def test_a_stream_that_lags_behind_shows_nothing_of_the_bot_that_took_over(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    bert = await service.register("Bert")
    game = await service.gathering(anna, bert)
    begun = (await service.post(f"/v1/games/{game}/start", anna))["version"]
    # The next batch begins with an event of which Bert may see everything, and goes on with those after he left.
    monkeypatch.setattr("service.api.log.streams.BATCH", begun - 1)
    token = bert.headers["authorization"].removeprefix("Bearer ")
    bert_again = await service.services.accounts.callers.authenticate(token)
    passages = follow(service.services, GameId(game), bert_again, 0, lambda events: (encode(events).decode(),))
    await anext(passages)
    monkeypatch.setattr("service.api.log.streams.BATCH", 100)
    assert (await service.ask("DELETE", f"/v1/games/{game}/seats/blue", bert)).status_code == 200
    taken = await service.ask("PUT", f"/v1/games/{game}/seats/blue/bot", anna, {"level": "random"})
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    head = (await until(service, game, waits_for("red")))["version"]
    seen: list[Answer] = []
    while not seen or seen[-1]["version"] < head:
        passage = await anext(passages)
        seen += json.loads(passage.frames[0]) if passage is not None else []
    bots = [event for event in seen if event["version"] > taken.json()["version"]]
    assert bots
    chosen = (await service.get(f"/v1/games/{game}/events?after={taken.json()['version']}", anna))["items"]
    assert any(event["cause"]["seat"] == "blue" for event in chosen if "cause" in event)
    assert not any(event.get("secrets") for event in bots)


async def test_bots_play_on_after_a_restart(tmp_path: Path, database_url: str) -> None:
    async with serving(tmp_path, database_url=database_url, **QUICK, bots=0) as service:
        anna = await service.register("Anna")
        games = [await against_bots(service, anna) for _ in range(2)]
        for game in games:
            await service.give(game, anna, "put-up", coins=1)
            await service.give(game, anna, "open-bidding")
        versions = [(await service.get(f"/v1/games/{game}"))["version"] for game in games]
    async with serving(tmp_path, database_url=database_url, **QUICK) as service:
        for game, version in zip(games, versions, strict=True):
            await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
            await until(service, game, lambda shown, version=version: shown["version"] > version + 1)
            await play_out(service, anna, game)


async def test_a_bot_agrees_to_take_moves_back(service: Service, anna: Player) -> None:
    game = await against_bots(service, anna)
    before = (await service.get(f"/v1/games/{game}"))["version"]
    await service.give(game, anna, "put-up", coins=1)
    await service.give(game, anna, "open-bidding")
    await service.give(game, anna, "choose-card", card=await service.first_card(game, anna))
    await until(service, game, lambda shown: shown["decisions"] and shown["decisions"][0]["seats"] != ["blue"])
    asked = await service.ask("POST", f"/v1/games/{game}/take-backs", anna, {"to": before})
    assert asked.status_code == 200, asked.text
    await until(service, game, lambda shown: shown["version"] > asked.json()["version"] + 1)
    events = (await service.get(f"/v1/games/{game}/events?limit=500"))["items"]
    assert "consent" in {event["event"].get("by") for event in events}
    await play_out(service, anna, game)


@pytest.mark.rule("TAB-BOT-01")
async def test_a_bot_agrees_to_an_end(service: Service, anna: Player) -> None:
    game = await against_bots(service, anna)
    seats = [seat["seat"] for seat in (await service.get(f"/v1/games/{game}"))["seats"]]
    await service.post(f"/v1/games/{game}/end-proposals", anna, {"order": [[seat] for seat in seats]})
    shown = await until(service, game, lambda shown: shown["status"] == "over")
    assert shown["result"]["how"] == "agreed"


async def test_a_bot_that_fails_plays_at_random_and_is_told_of(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.api.games.bots.levels", lambda ruleset: ["random", "broken"])
    game = (await service.post("/v1/games", anna, {"ruleset": "tiny-auction", "players": 2}))["id"]
    await service.post(f"/v1/games/{game}/seats", anna, {})
    with capture_logs() as logs:
        await seat_bots(service, anna, game, "broken")
        await play_out(service, anna, game)
    told = [line for line in logs if line["event"] == "a bot failed"]
    assert told
    assert {line["why"] for line in told} == {"KeyError: 'broken'"}


async def test_what_nobody_thought_of_does_not_end_it(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails, looked = iter((True,)), Playing._has_bots

    async def look(self: Playing, game: GameId) -> bool:
        if next(fails, False):
            raise RuntimeError("nobody thought of this")
        return await looked(self, game)

    monkeypatch.setattr(Playing, "_has_bots", look)
    with capture_logs() as logs:
        game = await against_bots(service, anna)
        await play_out(service, anna, game)
    assert "bots begin again" in {line["event"] for line in logs}


async def test_a_process_that_dies_in_the_middle_of_a_thought_is_replaced(
    service: Service, anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill, started = iter((True, True)), Thinkers._start

    async def start(self: Thinkers) -> Any:
        process = await started(self)
        if next(kill, False):
            os.kill(process.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(Thinkers, "_start", start)
    monkeypatch.setattr("service.bots.playing.TROUBLE", 0.1)
    game = await against_bots(service, anna)
    await play_out(service, anna, game)


async def test_a_thought_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.bots.thinking.SECONDS", 0.0)
    thinkers = Thinkers(1)
    asked = Question("tiny-auction", "random", "g", "red", *(b"{}",), {}, *(b"{}", b"[]"))  # type: ignore[arg-type]
    try:
        for _ in range(2):
            with pytest.raises(NoThought, match="longer than"):
                async with thinkers.turn() as thinker:
                    await thinker.choose(asked)
    finally:
        await thinkers.close()


def environment_of(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


async def test_the_process_of_bots_knows_no_settings_and_lets_others_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABULARIUM_LOG_KEY", "very secret")
    one = {"command": "pass", "decision": "any", "schema": {"const": {"type": "pass"}}}
    options = msgspec.Raw(msgspec.json.encode([one]))
    nothing = msgspec.Raw(b"{}")
    thinkers = Thinkers(1)
    try:
        async with thinkers.turn() as thinker:
            asked = Question("tiny-auction", "random", "g", "red", nothing, {}, nothing, options)
            assert msgspec.json.decode(await thinker.choose(asked)) == {"type": "pass"}
            assert thinker.process is not None
            process = thinker.process.pid
            assert b"very secret" not in environment_of(process)
            assert os.getpriority(os.PRIO_PROCESS, process) == 19
    finally:
        await thinkers.close()


async def test_one_process_of_several_plays_and_another_goes_on_when_it_stops(
    tmp_path: Path, postgres_url: str
) -> None:
    async with AsyncExitStack() as first:
        one = await first.enter_async_context(serving(tmp_path / "one", **QUICK, database_url=postgres_url))
        anna = await one.register("Anna")
        games = [await against_bots(one, anna) for _ in range(3)]
        await play_out(one, anna, games[0])
        async with serving(tmp_path / "two", **QUICK, database_url=postgres_url) as two:
            await play_out(two, anna, games[1])
            await first.aclose()
            await play_out(two, anna, games[2])


@pytest.mark.parametrize("ruleset", sampled("bots of every level", LIBRARY.ids(), 3))
async def test_every_level_plays_every_ruleset(tmp_path: Path, ruleset: str) -> None:
    async with serving(tmp_path, LIBRARY, builtin, drawings=drawing_of, **QUICK) as service:
        anna = await service.register("Anna")
        detail = await service.get(f"/v1/rulesets/{ruleset}")
        game = (await service.post("/v1/games", anna, {"ruleset": ruleset, "players": detail["players"][0]}))["id"]
        free = [seat["seat"] for seat in (await service.get(f"/v1/games/{game}"))["seats"]]
        for number, seat in enumerate(free):
            level = detail["bots"][-1 - number % len(detail["bots"])]
            assert (await service.ask("PUT", f"/v1/games/{game}/seats/{seat}/bot", anna, {"level": level})).is_success
        started = await service.post(f"/v1/games/{game}/start", anna)
        await until(service, game, lambda shown: shown["version"] > started["version"] + 30)
        assert (await service.services.games.game(GameId(game))).version > 30


async def test_bots_confirm_that_a_game_is_continued(service: Service, anna: Player) -> None:
    game = await against_bots(service, anna)
    at = (await service.get(f"/v1/games/{game}"))["version"]
    await play_out(service, anna, game)
    wish = {"version": at, "purpose": "continuation"}
    made = (await service.post(f"/v1/games/{game}/forks", anna, wish))["id"]
    await until(service, made, lambda shown: shown["seats"][1]["bot"])
    await service.post(f"/v1/games/{made}/seats", anna, {})
    await play_out(service, anna, made)
    assert (await service.get(f"/v1/games/{made}"))["status"] == "over"


@pytest.mark.rule("TAB-BOT-01")
async def test_a_player_lets_a_bot_play_on_for_an_organizer_who_left(service: Service, anna: Player) -> None:
    bert = await service.register("Bert")
    game = await service.begun(anna, bert)
    bot, wish = f"/v1/games/{game}/seats/red/bot", {"level": "random"}
    assert (await service.ask("PUT", bot, bert, wish)).status_code == 403
    await service.ask("DELETE", f"/v1/games/{game}/seats/red", anna)
    assert (await service.ask("PUT", bot, await service.register("Carl"), wish)).status_code == 403
    assert (await service.ask("PUT", bot, bert, wish)).is_success
    named = await service.ask("PUT", f"/v1/games/{game}/officials/{(await service.register('Ines')).id}", anna)
    assert named.is_success, "an organizer who plays no more still organizes"
    assert (await service.get(f"/v1/games/{game}"))["seats"][0]["bot"]


@pytest.mark.rule("TAB-LIFE-05")
async def test_a_bot_takes_over_a_seat_that_was_given_up(service: Service, anna: Player) -> None:
    bert = await service.register("Bert")
    game = await service.begun(anna, bert)
    bot = f"/v1/games/{game}/seats/blue/bot"
    too_early = await service.ask("PUT", bot, anna, {"level": "random"})
    assert (too_early.status_code, too_early.json()["rule"]) == (422, "TAB-LIFE-05")
    stranger = await service.register("Carl")
    assert (await service.ask("DELETE", f"/v1/games/{game}/seats/blue", stranger)).status_code == 403
    given_up = await service.ask("DELETE", f"/v1/games/{game}/seats/blue", bert)
    assert [each["event"] for each in given_up.json()["events"]] == [{"type": "seat-given-up", "seat": "blue"}]
    shown = await service.get(f"/v1/games/{game}", bert)
    assert (shown["given_up"], shown["you"]) == (["blue"], "blue")
    taken_over = await service.ask("PUT", bot, anna, {"level": "random"})
    assert [each["type"] for each in taken_over.json()["events"]] == ["seat-taken-over"]
    shown = await service.get(f"/v1/games/{game}", bert)
    assert (shown["given_up"], shown["you"], shown["seats"][1]["level"]) == ([], None, "random")
    assert (await service.get(f"/v1/games/{game}/state", bert))["seat"] is None
    assert (await service.ask("DELETE", bot, anna)).json()["rule"] == "TAB-LIFE-05"
    await play_out(service, anna, game)
    assert (await service.get("/v1/players/me/games", bert))["items"] == []
    exported = (await service.client.get(f"/v1/games/{game}/export")).content
    verdict = verify(exported.splitlines(keepends=True), service.services.library)
    assert verdict.ok, verdict.problem
