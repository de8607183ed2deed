"""The connection to Redis: whatever Redis does, a question ends soon, and when Redis is back it is used again."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Thread

import pytest
import uvloop
from redis.asyncio import Connection
from redis.asyncio import Redis as Client

from service.cluster.away import RedisAway
from service.cluster.redis import CONNECTIONS, Redis, open_redis
from service.observe.metrics import Metrics
from tests.helpers.redis import Server, server

PATIENCE = 20


@pytest.fixture
def own() -> Iterator[Server]:
    with server() as started:
        yield started


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
async def redis(own: Server, metrics: Metrics) -> AsyncIterator[Redis]:
    async with open_redis(own.url, metrics) as opened:
        yield opened


def value(metrics: Metrics, name: str) -> float:
    found = metrics.registry.get_sample_value(name)
    assert found is not None
    return found


async def ask(redis: Redis) -> int:
    return await redis.ask(lambda client: client.incr("asked"))


async def until_away(redis: Redis) -> None:
    async with asyncio.timeout(PATIENCE):
        while redis.well:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def until_well(redis: Redis) -> None:
    async with asyncio.timeout(PATIENCE):
        await redis.until_well()


async def test_a_question_is_answered(redis: Redis, metrics: Metrics) -> None:
    assert (await ask(redis), await ask(redis)) == (1, 2)
    assert redis.well
    assert value(metrics, "tabularium_redis_up") == 1


async def test_more_may_ask_at_once_than_there_are_connections(redis: Redis) -> None:
    assert sorted(await asyncio.gather(*(ask(redis) for _ in range(3 * CONNECTIONS)))) == [
        *range(1, 3 * CONNECTIONS + 1)
    ]
    assert redis.well


async def test_a_redis_that_stopped_is_used_again_when_it_is_back(own: Server, redis: Redis, metrics: Metrics) -> None:
    assert await ask(redis) == 1
    own.halt()
    with pytest.raises(RedisAway):
        await ask(redis)
    assert not redis.well
    assert value(metrics, "tabularium_redis_up") == 0
    failures = value(metrics, "tabularium_redis_failures_total")
    assert failures >= 1
    with pytest.raises(RedisAway):
        await ask(redis)
    own.start()
    await until_well(redis)
    assert await ask(redis) == 1
    assert value(metrics, "tabularium_redis_up") == 1


async def test_a_redis_that_hangs_keeps_nobody_waiting(own: Server, redis: Redis) -> None:
    assert await ask(redis) == 1
    own.pause()
    async with asyncio.timeout(PATIENCE):
        for answer in await asyncio.gather(*(ask(redis) for _ in range(20)), return_exceptions=True):
            assert isinstance(answer, RedisAway)
    assert not redis.well
    own.resume()
    await until_well(redis)
    asked = [await ask(redis) for _ in range(5)]
    # No answer to an old question is taken for that to a new one.
    assert asked == list(range(asked[0], asked[0] + 5))


async def test_the_end_of_redis_is_noticed_though_nobody_asks(own: Server, redis: Redis) -> None:
    own.halt()
    await until_away(redis)


def test_connections_that_are_reset_as_they_open_are_redis_away(own: Server) -> None:
    """On the loop that serves: uvloop says of a transport that was just closed what no other loop says."""

    async def asked_by_many() -> Sequence[object]:
        async with open_redis(own.url, Metrics()) as redis:
            assert redis.well
            own.halt()
            with resetting(own.port):
                return await asyncio.gather(*(ask(redis) for _ in range(4 * CONNECTIONS)), return_exceptions=True)

    assert {type(answer) for answer in uvloop.run(asked_by_many())} == {RedisAway}


async def test_whatever_is_raised_of_a_connection_that_is_just_closed_is_redis_away(
    redis: Redis, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def closed(*_: object) -> None:
        raise TypeError("'NoneType' object is not callable")  # as asyncio of Python 3.12 has it

    assert await ask(redis) == 1
    with monkeypatch.context() as broken:
        broken.setattr(Connection, "_send_packed_command", closed)
        with pytest.raises(RedisAway, match="not callable"):
            await ask(redis)
        with pytest.raises(RedisAway, match="not callable"):
            await redis.listen("channel", lambda: None, lambda message: None)
        failures = value(metrics, "tabularium_redis_failures_total")
        async with asyncio.timeout(PATIENCE):
            while value(metrics, "tabularium_redis_failures_total") < failures + 2:  # noqa: ASYNC110  # pings, too
                await asyncio.sleep(0.01)
    await until_well(redis)
    assert await ask(redis) == 2


@contextmanager
def resetting(port: int) -> Iterator[None]:
    """Reset every connection that is made to a port."""
    with socket.create_server(("127.0.0.1", port)) as listening:

        def reset() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        thread = Thread(target=reset)
        thread.start()
        yield
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


async def test_a_redis_that_comes_later_is_used(own: Server, metrics: Metrics) -> None:
    own.halt()
    async with open_redis(own.url, metrics) as redis:
        assert not redis.well
        with pytest.raises(RedisAway):
            await ask(redis)
        own.start()
        await until_well(redis)
        assert await ask(redis) == 1


async def test_what_redis_refuses_is_redis_away(redis: Redis) -> None:
    with pytest.raises(RedisAway, match="unknown command"):
        await redis.ask(lambda client: client.execute_command("NONSENSE"))
    await until_well(redis)
    assert await ask(redis) == 1


async def test_one_who_stops_waiting_leaves_the_connection_in_order(redis: Redis) -> None:
    async def wait(client: Client) -> None:
        await client.blpop(["nothing"], timeout=10)

    waiting = asyncio.create_task(redis.ask(wait))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert redis.well
    assert [await ask(redis) for _ in range(3)] == [1, 2, 3]


async def test_a_listener_hears_what_is_published_after_it_began(redis: Redis) -> None:
    began, heard = asyncio.Event(), asyncio.Queue[bytes]()
    listening = asyncio.create_task(redis.listen("channel", began.set, heard.put_nowait))
    async with asyncio.timeout(PATIENCE):
        await began.wait()
        for number in range(100):
            await redis.ask(lambda client, said=f"{number}": client.publish("channel", said))
        assert [await heard.get() for _ in range(100)] == [b"%d" % number for number in range(100)]
    listening.cancel()


async def test_a_listener_that_hears_nothing_knows_that_somebody_is_there(redis: Redis, metrics: Metrics) -> None:
    began, heard = asyncio.Event(), asyncio.Queue[bytes]()
    listening = asyncio.create_task(redis.listen("channel", began.set, heard.put_nowait))
    await asyncio.wait_for(began.wait(), PATIENCE)
    await asyncio.sleep(2)
    assert not listening.done()
    await redis.ask(lambda client: client.publish("channel", "still there"))
    assert await asyncio.wait_for(heard.get(), PATIENCE) == b"still there"
    listening.cancel()


@pytest.mark.parametrize("how", [Server.halt, Server.pause])
async def test_a_listener_is_told_that_it_hears_no_more(
    own: Server, redis: Redis, how: Callable[[Server], None]
) -> None:
    began = asyncio.Event()
    listening = asyncio.create_task(redis.listen("channel", began.set, lambda message: None))
    await asyncio.wait_for(began.wait(), PATIENCE)
    how(own)
    with pytest.raises(RedisAway):
        await asyncio.wait_for(listening, PATIENCE)


async def test_a_listener_whose_connection_was_cut_begins_anew_and_says_so(redis: Redis) -> None:
    began, heard = asyncio.Queue[None](), asyncio.Queue[bytes]()
    listening = asyncio.create_task(redis.listen("channel", lambda: began.put_nowait(None), heard.put_nowait))
    async with asyncio.timeout(PATIENCE):
        for number in range(3):
            await began.get()
            await redis.ask(lambda client, said=f"{number}": client.publish("channel", said))
            assert await heard.get() == b"%d" % number
            await redis.ask(lambda client: client.client_kill_filter(_type="pubsub"))
    listening.cancel()


async def test_a_password_is_used_and_its_lack_keeps_redis_away(own: Server, metrics: Metrics) -> None:
    with own.client() as client:
        client.config_set("requirepass", "open sesame")
    async with open_redis(own.url, metrics) as redis:
        assert not redis.well
    async with open_redis(own.url.replace("redis://", "redis://:open%20sesame@"), metrics) as redis:
        assert await ask(redis) == 1
