"""The connection to Redis, and the one place that knows whether Redis is well.

Redis carries only data that may be lost: wake-ups, rate limits, copies of games. A request gets an answer within
`TIMEOUT`, or `RedisAway`; and `RedisAway` at once while Redis is known to be away. A ping in the background finds out
when it is back. So a Redis that is stopped, slow or full makes nothing fail, and delays only a few requests.

Any exception of the library means that Redis does not answer: for a connection that is closed at that moment, uvloop
raises a RuntimeError and asyncio, depending on the version of Python, a TypeError or an AttributeError.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NoReturn, TypeVar

from redis import asyncio as library
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from service.cluster.away import RedisAway
from service.observe.background import background
from service.observe.logging import log
from service.observe.metrics import Metrics

T = TypeVar("T")
Client = library.Redis

TIMEOUT: Final = 0.25
"""Seconds that an answer may take. Redis on the same network takes less than a thousandth of that."""

BEAT: Final = 0.5
"""Seconds between two pings, and of silence after which a subscription checks that Redis still answers."""

CONNECTIONS: Final = 32
"""The most connections. A request that finds all of them busy waits for one."""


class Redis:
    """A Redis that may go away and come back. To be made by `open_redis`."""

    def __init__(self, url: str, metrics: Metrics) -> None:
        self._client = Client.from_pool(
            library.BlockingConnectionPool.from_url(
                url,
                max_connections=CONNECTIONS,
                timeout=TIMEOUT,
                socket_timeout=TIMEOUT,
                socket_connect_timeout=TIMEOUT,
                # One retry, for a connection that was closed while it was idle. `watch` waits for a Redis that is away.
                retry=Retry(NoBackoff(), 1),
                client_name="tabularium",
            )
        )
        self._metrics = metrics
        self._well = asyncio.Event()
        self._metrics.redis_up.set(0)

    @property
    def well(self) -> bool:
        """Whether Redis answered when it was last asked."""
        return self._well.is_set()

    async def until_well(self) -> None:
        """Return as soon as Redis is well."""
        await self._well.wait()

    async def ask(self, question: Callable[[Client], Awaitable[T]]) -> T:
        """Send a request, which `question` makes, and return its answer. Raises `RedisAway`."""
        if not self.well:
            raise RedisAway("Redis does not answer")
        try:
            async with asyncio.timeout(TIMEOUT):
                return await question(self._client)
        except Exception as error:
            raise self._failed(error) from error

    async def listen(self, channel: str, on_begin: Callable[[], None], on_message: Callable[[bytes], None]) -> NoReturn:
        """Listen to a channel until Redis is lost. Raises `RedisAway`.

        `on_begin` is called whenever the subscription begins, for the first time or after the connection was cut:
        earlier messages were missed. `on_message` is called with each message.
        """
        subscription = self._client.pubsub()
        try:
            async with asyncio.timeout(TIMEOUT):
                await subscription.subscribe(channel)
            is_asking = False
            while True:
                message: Any = await subscription.get_message(timeout=BEAT)
                match message and message["type"]:
                    case "message":
                        on_message(message["data"])
                    case "subscribe":
                        on_begin()
                    case None if is_asking:
                        raise TimeoutError("a subscription fell silent")
                    case None:
                        await subscription.ping()
                is_asking = message is None
        except Exception as error:
            raise self._failed(error) from error
        finally:
            with suppress(Exception):
                await subscription.aclose()

    def _failed(self, error: Exception) -> RedisAway:
        why = " ".join(str(error).split()) or type(error).__name__
        self._metrics.redis_failures.inc()
        if self.well:
            self._well.clear()
            self._metrics.redis_up.set(0)
            log.warning("redis is away", why=why)
        return RedisAway(why)

    async def ping(self) -> None:
        """Find out whether Redis is well."""
        try:
            async with asyncio.timeout(TIMEOUT):
                await self._client.ping()
        except Exception as error:
            self._failed(error)
            return
        if not self.well:
            self._well.set()
            self._metrics.redis_up.set(1)
            log.info("redis is well")

    async def watch(self) -> NoReturn:
        """Check at intervals whether Redis answers."""
        while True:
            await asyncio.sleep(BEAT)
            await self.ping()

    async def close(self) -> None:
        self._well.clear()
        with suppress(Exception):
            await self._client.aclose()


@asynccontextmanager
async def open_redis(url: str, metrics: Metrics) -> AsyncIterator[Redis]:
    """Provide the Redis at `url`, which need not answer yet."""
    redis = Redis(url, metrics)
    await redis.ping()
    if not redis.well:
        log.warning("redis is away", why="it did not answer at the start")
    try:
        async with background("watching redis", redis.watch()):
            yield redis
    finally:
        await redis.close()
