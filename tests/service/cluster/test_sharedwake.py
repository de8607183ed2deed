"""Wake-ups across processes: quick through Redis; certain without it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from operator import methodcaller
from unittest import mock

import pytest

from domain.kernel.ids import GameId
from service.cluster.redis import Redis, open_redis
from service.cluster.shared_wake import CHANNEL, UNTOLD, SharedWake, open_shared_wake
from service.cluster.wake import Signal
from service.observe.metrics import Metrics
from service.store.postgres.distributed import open_store
from service.store.protocol import EventStore
from tests.helpers.redis import Server, server
from tests.service.store.batches import addition, new_game

G, H = GameId("g1"), GameId("g2")
PATIENCE = 20
NEVER = mock.patch.multiple("service.cluster.shared_wake", SELDOM=3600.0, OFTEN=3600.0)
"""Nobody looks at the store: what comes came through Redis."""


@pytest.fixture
def own() -> Iterator[Server]:
    with server() as started:
        yield started


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[EventStore]:
    opened = await open_store(postgres_url, durable=False)
    await opened.append(new_game("g1"))
    await opened.append(new_game("g2"))
    yield opened
    await opened.close()


@contextlib.asynccontextmanager
async def wakes(store: EventStore, url: str) -> AsyncIterator[tuple[SharedWake, SharedWake]]:
    """Lend the wakes of two processes that hear each other."""
    async with (
        open_redis(url, Metrics()) as one,
        open_redis(url, Metrics()) as two,
        open_shared_wake(store, one) as first,
        open_shared_wake(store, two) as second,
    ):
        async with asyncio.timeout(PATIENCE):
            while not (first._heard and second._heard):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        yield first, second


async def heard(redis: Redis, listeners: int = 2) -> None:
    """Return when `listeners` processes listen."""
    async with asyncio.timeout(PATIENCE):
        while dict(await redis.ask(methodcaller("pubsub_numsub", CHANNEL))) != {CHANNEL.encode(): listeners}:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def rings(signal: Signal) -> None:
    """Return when the signal rings."""
    assert await signal.wait(PATIENCE)


async def quiet(signal: Signal) -> None:
    """Let what has rung so far be over."""
    while await signal.wait(0.1):
        pass


@NEVER
async def test_one_process_wakes_those_of_another_who_follow_the_game(store: EventStore, own: Server) -> None:
    async with (
        wakes(store, own.url) as (one, two),
        two.subscribe(G) as followed,
        two.subscribe(H) as other,
        two.subscribe(None) as everything,
    ):
        for signal in (followed, other, everything):
            await quiet(signal)
        one.notify(G, 2)
        await rings(followed)
        await rings(everything)
        assert not await other.wait(0.1)


@NEVER
async def test_a_process_wakes_its_own_at_once_and_once(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (one, _), one.subscribe(G) as signal:
        await quiet(signal)
        one.notify(G, 2)
        assert await signal.wait(0)
        assert not await signal.wait(0.2)


@NEVER
async def test_what_happens_in_one_moment_is_told_in_few_words(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (one, two), two.subscribe(G) as first, two.subscribe(H) as second:
        with own.client() as client, client.pubsub() as listener:
            listener.subscribe(CHANNEL)
            assert (listener.get_message(timeout=PATIENCE) or {})["type"] == "subscribe"
            for version in range(2, 500):
                one.notify(G, version)
                one.notify(H, version)
            await rings(first)
            await rings(second)
            messages = 0
            while listener.get_message(timeout=0.1):
                messages += 1
        assert messages == 1


@NEVER
async def test_when_too_many_games_moved_every_process_looks(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (one, two), two.subscribe(G) as signal:
        await quiet(signal)
        for number in range(UNTOLD + 1):
            one.notify(GameId(f"another{number}"), 1)
        await rings(signal)


@NEVER
@pytest.mark.parametrize("how", ["stopped", "hung", "flushed", "cut"])
async def test_a_redis_that_is_back_carries_wake_ups_again(store: EventStore, own: Server, how: str) -> None:
    async with (
        open_redis(own.url, Metrics()) as first,
        open_redis(own.url, Metrics()) as second,
        open_shared_wake(store, first) as one,
        open_shared_wake(store, second) as two,
        two.subscribe(G) as signal,
    ):
        await heard(first)
        await quiet(signal)
        match how:
            case "stopped":
                own.halt()
                await until_away(first, second)
                one.notify(G, 2)
                assert not await signal.wait(0.1)
                own.start()
            case "hung":
                own.pause()
                one.notify(G, 2)
                await until_away(first, second)
                assert not await signal.wait(0.1)
                own.resume()
            case "flushed":
                own.flush()
                one.notify(G, 2)
            case _:
                with own.client() as client:
                    client.client_kill_filter(_type="pubsub")
        # What went unheard meanwhile is made up for, by telling everybody to look.
        await rings(signal)
        await asyncio.wait_for(first.until_well(), PATIENCE)
        await heard(first)
        await quiet(signal)
        one.notify(G, 3)
        await rings(signal)


async def until_away(*them: Redis) -> None:
    async with asyncio.timeout(PATIENCE):
        while any(redis.well for redis in them):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_nobody_waits_to_tell(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (one, _), one.subscribe(G) as signal:
        own.pause()
        for version in range(2, 10_000):
            one.notify(G, version)
        assert await signal.wait(0)
        assert len(one._untold) <= UNTOLD
        own.resume()


async def test_without_redis_the_store_is_looked_at(store: EventStore) -> None:
    async with open_shared_wake(store, None) as wake, wake.subscribe(G) as followed, wake.subscribe(H) as other:
        for version in range(1, 4):
            await quiet(other)
            await store.append(addition("g1", version))
            await rings(followed)
        assert not await other.wait(0.5)


async def test_while_redis_is_away_the_store_is_looked_at(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (_, two), two.subscribe(G) as signal:
        own.halt()
        await store.append(addition("g1", 1))
        await rings(signal)


async def test_what_nobody_told_is_found_although_redis_is_well(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (_, two), two.subscribe(G) as signal:
        await quiet(signal)
        await store.append(addition("g1", 1))  # by a process that dies before it tells
        await rings(signal)


@NEVER
async def test_nonsense_on_the_channel_wakes_everybody_and_ends_nothing(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (one, two), two.subscribe(G) as signal:
        await quiet(signal)
        with own.client() as client:
            client.publish(CHANNEL, b"\xff{")
        await rings(signal)
        one.notify(G, 2)
        await rings(signal)


async def test_at_the_end_everybody_is_woken_for_the_last_time(store: EventStore, own: Server) -> None:
    async with wakes(store, own.url) as (one, _), one.subscribe(G) as signal:
        one.close()
        await rings(signal)
        assert signal.closed
