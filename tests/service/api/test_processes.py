"""Two services over one database and one Redis: what one does the other shows, whatever becomes of Redis."""

import asyncio
import contextlib
import json
import random
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from domain.kernel.ids import GameId
from service.cluster.shared_wake import CHANNEL
from service.observe.background import background
from tests.helpers.redis import Server, server
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_streams import Frames, socket_of, streaming

PATIENCE = 20
Pair = tuple[Service, Service]


@pytest.fixture
def redis() -> Iterator[Server]:
    with server() as started:
        yield started


@pytest.fixture
async def pair(tmp_path: Path, redis: Server, postgres_url: str) -> AsyncIterator[Pair]:
    async with contextlib.AsyncExitStack() as stack:
        one, two = [
            await stack.enter_async_context(
                serving(
                    tmp_path / name,
                    durable=False,
                    database_url=postgres_url,
                    redis_url=redis.url,
                    projections=False,
                )
            )
            for name in ("one", "two")
        ]
        await until(redis, listeners=2)
        yield one, two


async def until(redis: Server, listeners: int) -> None:
    """Return when `listeners` processes listen."""
    async with asyncio.timeout(PATIENCE):
        with redis.client() as client:
            while dict(client.pubsub_numsub(CHANNEL)) != {CHANNEL.encode(): listeners}:  # noqa: ASYNC110
                await asyncio.sleep(0.02)


async def measured(service: Service, metric: str) -> float:
    text = (await service.client.get("/metrics")).text
    found = re.search(rf"^{re.escape(metric)} (\S+)$", text, re.MULTILINE)
    assert found, text
    return float(found[1])


async def shown(service: Service, metric: str, value: float) -> None:
    """Return when a service's metric has a value."""
    async with asyncio.timeout(PATIENCE):
        while await measured(service, metric) != value:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def seated(service: Service) -> tuple[Player, Player, str]:
    """Return two players, and a game that waits for them to put up a prize and to open the bidding."""
    anna, bert = await service.register("Anna"), await service.register("Bert")
    return anna, bert, await service.begun(anna, bert)


async def comes(frames: Frames, version: int) -> dict[str, Any]:
    """Return the next event, which makes this version."""
    async with asyncio.timeout(PATIENCE):
        (event,) = await frames.events(1)
    assert event["id"] == str(version)
    return event


async def test_a_stream_shows_what_another_process_appends(pair: Pair) -> None:
    one, two = pair
    anna, _, game = await seated(one)
    # Nobody looks at the store by himself: what comes was told through Redis.
    with mock.patch.multiple("service.cluster.shared_wake", SELDOM=3600.0, OFTEN=3600.0):
        await asyncio.sleep(1.2)
        async with streaming(two, game) as frames, socket_of(two, game) as socket:
            await frames.next()
            for _ in range(3):
                version = (await one.give(game, anna, "put-up", coins=1))["version"]
                assert (await comes(frames, version))["event"] == "prize-put-up"
                frame = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
                assert (frame["id"], frame["event"]) == (version, "prize-put-up")


async def test_each_process_shows_at_once_what_the_other_acknowledged(pair: Pair) -> None:
    anna, bert, game = await seated(pair[0])
    for number in range(3):
        writer, reader = pair[number % 2], pair[(number + 1) % 2]
        await reader.get(f"/v1/games/{game}")
        given = await writer.give(game, anna, "put-up", coins=1)
        answers = await asyncio.gather(
            reader.client.get(f"/v1/games/{game}"), reader.client.get(f"/v1/games/{game}/state", headers=bert.headers)
        )
        assert [answer.headers["etag"] for answer in answers] == [f'"{given["version"]}"'] * 2
    # The options too: what the other process says is to be done can be done here.
    await pair[0].give(game, anna, "open-bidding")
    await pair[1].play_out(game, anna, bert)
    assert (await pair[0].get(f"/v1/games/{game}"))["status"] == "over"


async def test_processes_that_take_turns_do_not_get_in_each_others_way(pair: Pair) -> None:
    anna, _, game = await seated(pair[0])
    for number in range(4):
        writer, other = pair[number % 2], pair[(number + 1) % 2]
        await other.get(f"/v1/games/{game}")
        kind, fields = ("put-up", {"coins": 1}) if number < 3 else ("open-bidding", {})
        version = (await writer.give(game, anna, kind, **fields))["version"]
        async with asyncio.timeout(PATIENCE):
            while other.services.games._cache._cached[GameId(game)].announced < version:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    for service in pair:
        assert await measured(service, 'tabularium_appends_total{outcome="conflict"}') == 0


async def test_no_read_is_older_than_an_answer_given_before_it(pair: Pair) -> None:
    chance = random.Random(11)

    async def play(anna: Player, bert: Player) -> None:
        game = await chance.choice(pair).begun(anna, bert)
        version = (await chance.choice(pair).get(f"/v1/games/{game}"))["version"]
        while True:
            now = await chance.choice(pair).get(f"/v1/games/{game}")
            assert now["version"] == version
            if now["status"] == "over":
                return
            (decision,) = now["decisions"]
            holder = {seat["seat"]: seat["player"] for seat in now["seats"]}[decision["seats"][0]]
            player = anna if anna.id == holder else bert
            if decision["kind"] == "choose-card":
                card = await chance.choice(pair).first_card(game, player)
                given = await chance.choice(pair).give(game, player, "choose-card", card=card)
            else:
                await chance.choice(pair).give(game, player, "put-up", coins=1)
                given = await chance.choice(pair).give(game, player, "open-bidding")
            version = given["version"]

    players = [await pair[0].register(f"Player {number}") for number in range(16)]
    await asyncio.gather(*(play(anna, bert) for anna, bert in zip(players[::2], players[1::2], strict=True)))


@pytest.mark.parametrize("how", ["stopped", "hung"])
async def test_without_redis_everything_goes_on(pair: Pair, redis: Server, how: str) -> None:
    one, two = pair
    anna, _, game = await seated(one)
    async with streaming(two, game) as frames:
        await frames.next()
        redis.halt() if how == "stopped" else redis.pause()
        version = (await one.give(game, anna, "put-up", coins=1))["version"]
        await comes(frames, version)
        assert (await two.get(f"/v1/games/{game}"))["version"] == version
        for service in pair:
            await shown(service, "tabularium_redis_up", 0)
            assert await measured(service, "tabularium_redis_failures_total") >= 1
            assert (await service.client.get("/ready")).status_code == 200
        version = (await one.give(game, anna, "put-up", coins=1))["version"]
        await comes(frames, version)

        redis.start() if how == "stopped" else redis.resume()
        for service in pair:
            await shown(service, "tabularium_redis_up", 1)
        await until(redis, listeners=2)
        with mock.patch.multiple("service.cluster.shared_wake", SELDOM=3600.0, OFTEN=3600.0):
            await asyncio.sleep(1.2)
            version = (await one.give(game, anna, "put-up", coins=1))["version"]
            await comes(frames, version)


async def test_a_slow_redis_changes_nothing(pair: Pair, redis: Server) -> None:
    one, two = pair
    anna, bert, game = await seated(one)

    async def slow_down() -> None:
        with redis.client() as client:
            while True:
                client.client_pause(150, all=True)
                await asyncio.sleep(0.2)

    async with streaming(two, game, "?after=0") as frames, background("slowing redis down", slow_down()):
        await one.give(game, anna, "put-up", coins=1)
        await two.give(game, anna, "open-bidding")
        await one.play_out(game, anna, bert)
        async with asyncio.timeout(PATIENCE):
            seen = await frames.events(10_000)
    assert [int(frame["id"]) for frame in seen] == list(range(1, len(seen) + 1))
    assert seen[-1]["event"] == "game-ended"


async def test_a_flushed_redis_changes_nothing(pair: Pair, redis: Server) -> None:
    one, two = pair
    anna, bert, game = await seated(one)
    async with streaming(two, game, "?after=0") as frames:
        redis.flush()
        await one.give(game, anna, "put-up", coins=1)
        redis.flush()
        await two.give(game, anna, "open-bidding")
        await one.play_out(game, anna, bert)
        async with asyncio.timeout(PATIENCE):
            seen = await frames.events(10_000)
    assert [int(frame["id"]) for frame in seen] == list(range(1, len(seen) + 1))
    assert seen[-1]["event"] == "game-ended"
    for service in pair:
        await shown(service, "tabularium_redis_up", 1)


async def test_a_service_starts_without_its_redis(tmp_path: Path, redis: Server, postgres_url: str) -> None:
    redis.halt()
    async with serving(tmp_path, durable=False, database_url=postgres_url, redis_url=redis.url) as service:
        anna, bert, game = await seated(service)
        await service.play_out(game, anna, bert)
        assert await measured(service, "tabularium_redis_up") == 0
        redis.start()
        await shown(service, "tabularium_redis_up", 1)


async def test_processes_without_any_redis_find_each_others_events(tmp_path: Path, postgres_url: str) -> None:
    async with (
        serving(tmp_path / "one", durable=False, database_url=postgres_url, projections=False) as one,
        serving(tmp_path / "two", durable=False, database_url=postgres_url, projections=False) as two,
    ):
        anna, _, game = await seated(one)
        async with streaming(two, game) as frames:
            await frames.next()
            for _ in range(3):
                await comes(frames, (await one.give(game, anna, "put-up", coins=1))["version"])
