"""Looking at Redis: whether it answers soon, delivers messages, and has room."""

import asyncio
import secrets
import socket
from time import perf_counter
from typing import Any, Final

from redis import asyncio as library
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from service.base.settings import Settings, without_password
from service.cluster.redis import TIMEOUT
from service.doctor.finding import Finding, ok, one_line, warn

OLDEST: Final = 6
PATIENCE: Final = 3.0
"""Seconds to wait for an answer here; the service itself waits `TIMEOUT`."""

_MEANWHILE: Final = "Meanwhile the service works without: streams look at the database, limits hold for each process."


async def examine(settings: Settings) -> list[Finding]:
    """Return the findings about the Redis that the settings name."""
    client = library.Redis.from_url(
        settings.redis_url,
        socket_timeout=PATIENCE,
        socket_connect_timeout=PATIENCE,
        retry=Retry(NoBackoff(), 0),
        client_name="tabularium-doctor",
    )
    where = without_password(settings.redis_url)
    try:
        return await _examine(client, where)
    except (RedisError, OSError, TimeoutError) as error:
        return [warn("redis", f"{where} cannot be used: {one_line(error)}", f"{_way_in(error)} {_MEANWHILE}")]
    finally:
        await client.aclose()


async def _examine(client: Any, where: str) -> list[Finding]:
    await client.ping()
    began = perf_counter()
    await client.ping()
    took = perf_counter() - began
    information = await client.info()
    version = str(information["redis_version"])
    message = f"{where} answers in {took * 1000:.1f} ms; Redis {version}"
    if int(version.partition(".")[0]) < OLDEST:
        return [warn("redis", message, f"Move to Redis {OLDEST} or newer.")]
    if took > TIMEOUT:
        return [
            warn(
                "redis", message, f"The service waits {TIMEOUT} s for an answer: find out what makes it slow (SLOWLOG)."
            )
        ]
    findings = [ok("redis", message), await _wakes(client)]
    used, limit = int(information["used_memory"]), int(information.get("maxmemory", 0))
    if limit and used > 0.9 * limit and information.get("maxmemory_policy") == "noeviction":
        remedy = "CONFIG SET maxmemory-policy allkeys-lru: nothing in it may not be lost."
        findings.append(warn("redis memory", f"{used / limit:.0%} of it is used, and nothing is evicted", remedy))
    return findings


async def _wakes(client: Any) -> Finding:
    """Return whether a subscriber gets what is published."""
    channel, word = f"tabularium:doctor:{secrets.token_hex(8)}", secrets.token_bytes(8)
    async with client.pubsub() as subscription:
        await subscription.subscribe(channel)
        await client.publish(channel, word)
        try:
            async with asyncio.timeout(PATIENCE):
                async for message in subscription.listen():
                    if message["type"] == "message" and message["data"] == word:
                        return ok("wake-ups", "what one process publishes, another hears")
        except TimeoutError:
            pass
    remedy = f"Let all processes use the same Redis, not one of several behind one name. {_MEANWHILE}"
    return warn("wake-ups", "what is published is not heard", remedy)


def _way_in(error: BaseException) -> str:
    match error:
        case AuthenticationError():
            return "Correct the password in TABULARIUM_REDIS_URL, which is redis://:password@host:port/0."
        case NoPermissionError():
            return "Give the user in TABULARIUM_REDIS_URL all commands and channels (ACL SETUSER … +@all ~* &*)."
        case TimeoutError() | library.TimeoutError():
            return "Nothing answers there, or not in time: look at the network, at firewalls and at Redis' own log."
        case library.ConnectionError() if isinstance(error.__context__, socket.gaierror):
            return "Correct the host in TABULARIUM_REDIS_URL, or the name service."
        case _:
            return "Start Redis there, or correct TABULARIUM_REDIS_URL."
