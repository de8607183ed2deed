"""How much one token and one address may ask, and how many accounts may be opened from one address.

The limits are token buckets, which all processes share through Redis.

A bucket holds at most `burst` requests and fills up with `rate` requests a second. A process takes a small portion
from the bucket in Redis at a time (`Limit.portion`) and uses it without asking again, so a limit costs next to nothing.
Together, the processes may exceed a limit by at most the requests that they had taken and not yet used. While Redis
does not answer, each process has buckets of its own.
"""

import asyncio
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from service.base.settings import Settings
from service.cluster.away import RedisAway
from service.observe.metrics import Metrics

if TYPE_CHECKING:
    from service.cluster.redis import Redis

KEPT: Final = 20_000
"""The most tokens and addresses of which a process remembers what they have left."""

REGISTRATION: Final = "registration"
"""The name of the limit on new accounts of one address."""

TAKE_SCRIPT: Final = """\
local burst, rate, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
local left, at = tonumber(kept[1]) or burst, tonumber(kept[2]) or now
left = math.min(burst, left + math.max(0, now - at) * rate / 1000000)
local taken = math.min(math.floor(left), wanted)
left = left - taken
redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', string.format('%d', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(burst / rate * 1000) + 1000)
return {taken, tostring(left)}
"""
"""Takes the wanted amount from a bucket, or as much as it has; by the clock of Redis, which all processes share."""


class Limit(Struct, frozen=True):
    """How many requests a second are allowed on average, and how many at once after a rest (`burst`).

    Some limits count something else: new accounts, codes of devices, or exports.
    """

    name: str
    rate: float
    burst: int

    def __str__(self) -> str:
        if self.name == REGISTRATION:
            return f"This address may register {self.burst} accounts an hour."
        if self.name == DEVICE_CODES.name:
            return f"An account may enter {self.burst} codes of devices an hour."
        if self.name == IMPORTS.name:
            return f"An account may have {self.burst} exports examined a day."
        return f"This {self.name} may send {self.rate:g} requests a second, {self.burst} after a rest."

    @property
    def portion(self) -> int:
        """How many requests are taken from the bucket at once."""
        return max(1, min(int(self.rate / 10), self.burst // 10))


DEVICE_CODES: Final = Limit("device-code", 12 / 3600, 12)
"""How often an account may enter a code that a device shows.

There are 25 billion codes, each valid for ten minutes: at this rate nobody can guess one.
"""


IMPORTS: Final = Limit("import", 20 / 86_400, 20)
"""How often an account may have an export examined, which takes up to half a minute of a processor."""


class Standing(Struct, frozen=True):
    """What a limit has left for somebody: requests, and the seconds to wait if it refused the request, else 0."""

    limit: Limit
    left: int
    wait: float = 0.0

    @property
    def policy(self) -> str:
        """The limit in the form of the ``RateLimit-Policy`` header."""
        return f'"{self.limit.name}";q={self.limit.burst};w={math.ceil(self.limit.burst / self.limit.rate)}'

    @property
    def remaining(self) -> str:
        """The remaining limit for the ``RateLimit`` header: requests, and seconds until the bucket is full."""
        full = math.ceil((self.limit.burst - self.left) / self.limit.rate)
        return f'"{self.limit.name}";r={self.left};t={full}'


def headers_of(standings: Sequence[Standing]) -> dict[str, str]:
    """Return the headers that tell a client how it stands (draft-ietf-httpapi-ratelimit-headers-10)."""
    return {
        "RateLimit-Policy": ", ".join(standing.policy for standing in standings),
        "RateLimit": ", ".join(standing.remaining for standing in standings),
    }


class TooMany(Exception):
    """A request beyond a limit. The last of `standings` is the limit that refused it."""

    def __init__(self, standings: Sequence[Standing]) -> None:
        self.refusing = standings[-1]
        super().__init__(str(self.refusing.limit))
        self.standings = standings


class _Purse:
    """The requests that this process took from a bucket and has not used yet, and the bucket that it has for itself."""

    __slots__ = ("at", "bucket", "empty_until", "filling", "taken", "tokens_left")

    def __init__(self, bucket: str, burst: int, now: float) -> None:
        self.bucket = bucket
        self.taken = 0
        self.tokens_left = float(burst)
        self.at = now
        self.empty_until = 0.0
        self.filling: asyncio.Task[None] | None = None


class Limits:
    """Some limits, counted separately. `clock` tells seconds.

    A request for a limit that is not among them is always admitted. `Apps` and `Imports` have a `Limits` of their own.
    """

    def __init__(
        self,
        limits: Sequence[Limit],
        redis: "Redis | None",
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = {limit.name: limit for limit in limits}
        self._redis = redis
        self._metrics = metrics
        self._clock = clock
        self._purses: OrderedDict[str, _Purse] = OrderedDict()

    async def admit(self, address: str, token: str | None) -> list[Standing]:
        """Count a request; return what its sender has left of each limit. Raises `TooMany`."""
        standings: list[Standing] = []
        for name, who in (("address", address), ("token", token)):
            if who is not None:
                standings += await self._count(name, who, standings)
        return standings

    async def admit_registration(self, address: str) -> None:
        """Count an account that somebody opens. Raises `TooMany`."""
        await self._count(REGISTRATION, address)

    async def admit_code(self, player: str) -> None:
        """Count a code that an account enters. Raises `TooMany`."""
        await self._count(DEVICE_CODES.name, player)

    async def admit_import(self, player: str) -> None:
        """Count an export that an account has examined. Raises `TooMany`."""
        await self._count(IMPORTS.name, player)

    async def _count(self, name: str, who: str, before: Sequence[Standing] = ()) -> list[Standing]:
        limit = self._limits.get(name)
        if limit is None:
            return []
        standing = await self._spend(limit, self._purse(limit, who))
        if standing.wait:
            self._metrics.rate_limited.labels(name).inc()
            raise TooMany([*before, standing])
        return [standing]

    def _purse(self, limit: Limit, who: str) -> _Purse:
        bucket = f"tabularium:rate:{limit.name}:{who}"
        purse = self._purses.get(bucket)
        if purse is None:
            purse = self._purses[bucket] = _Purse(bucket, limit.burst, self._clock())
            if len(self._purses) > KEPT:
                self._purses.popitem(last=False)
        else:
            self._purses.move_to_end(bucket)
        return purse

    async def _spend(self, limit: Limit, purse: _Purse) -> Standing:
        while not purse.taken:
            wait = purse.empty_until - self._clock()
            if wait > 0:
                return Standing(limit, 0, wait)
            if self._redis is None or not self._redis.well:
                self._fill_here(limit, purse)
                continue
            if purse.filling is None:
                purse.filling = asyncio.create_task(self._fill(self._redis, limit, purse))
            await asyncio.shield(purse.filling)
        purse.taken -= 1
        return Standing(limit, purse.taken + int(purse.tokens_left))

    async def _fill(self, redis: "Redis", limit: Limit, purse: _Purse) -> None:
        async def take(client: Any) -> tuple[int, bytes]:
            return await client.register_script(TAKE_SCRIPT)([purse.bucket], [limit.burst, limit.rate, limit.portion])

        try:
            amount, tokens_left = await redis.ask(take)
            self._put(limit, purse, amount, float(tokens_left))
        except RedisAway:
            self._fill_here(limit, purse)
        finally:
            purse.filling = None

    def _fill_here(self, limit: Limit, purse: _Purse) -> None:
        """Take one request from the bucket that this process has for itself."""
        tokens_left = min(limit.burst, purse.tokens_left + (self._clock() - purse.at) * limit.rate)
        amount = 1 if tokens_left >= 1 else 0
        self._put(limit, purse, amount, tokens_left - amount)

    def _put(self, limit: Limit, purse: _Purse, amount: int, tokens_left: float) -> None:
        purse.taken += amount
        purse.tokens_left, purse.at = tokens_left, self._clock()
        if not amount:
            purse.empty_until = purse.at + (1 - tokens_left) / limit.rate


def network_of(host: str) -> str:
    """Return the address under which a client is counted: its IPv4 address, or the /64 network of its IPv6 address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 6 and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False).network_address)
    return str(getattr(address, "ipv4_mapped", None) or address)


def limits_of(settings: Settings, redis: "Redis | None", metrics: Metrics) -> Limits | None:
    """Return the limits that the settings set; None when they set none."""
    rates = settings.rates
    limits = [
        Limit(name, rate, max(1, math.ceil(rate * settings.rate_burst)))
        for name, rate in (("address", rates["rate_per_address"]), ("token", rates["rate_per_token"]))
        if rate > 0
    ]
    if accounts := rates["registrations_per_address"]:
        limits.append(Limit(REGISTRATION, accounts / 3600, max(1, math.ceil(accounts))))
    return Limits(limits, redis, metrics) if limits else None
