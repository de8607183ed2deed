"""How long after its commit an event reaches those who follow the game, through two processes over one database.

The commit's time is that which PostgreSQL noted (`track_commit_timestamp`); the event's is when a client of this
process has read it. All run on one machine, by one clock.
"""

import asyncio
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

from websockets.asyncio.client import connect

from service.bots.client import Client
from service.bots.demonstration import own_service
from tests.bench.cpu import clock_of
from tests.bench.measure import Figure, figure
from tests.bench.service import Table, Wire
from tests.helpers.postgres import Cluster, cluster
from tests.helpers.redis import Server, server

SECONDS = 6.0
"""Of each measurement."""

Event = tuple[str, int]
"""A game and a version of it."""


class Audience:
    """Those who follow games, and when each saw what."""

    def __init__(self) -> None:
        self.seen: dict[Event, list[float]] = defaultdict(list)
        self._there = 0
        self._following: list[asyncio.Task[None]] = []

    async def gather(self, address: str, games: list[str], each: int) -> None:
        """Let `each` follow every one of these games, half of them over WebSockets."""
        follow = self._sse, self._socket
        works = [follow[number % 2](address, game) for game in games for number in range(each)]
        self._following = [asyncio.create_task(work) for work in works]
        while self._there < len(works):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)

    async def leave(self, each: int) -> None:
        """Leave as soon as all have seen everything."""
        until = time.monotonic() + 10
        while any(len(times) < each for times in self.seen.values()) and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        for task in self._following:
            assert not task.done(), task
            task.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)
        assert all(len(times) == each for times in self.seen.values()), "an event was missed, or came twice"

    async def _sse(self, address: str, game: str) -> None:
        place = urlsplit(address)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(f"GET /v1/games/{game}/events/stream HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        version = 0
        try:
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    version = int(line[4:])
                elif line.startswith(b"data: "):
                    self.seen[game, version].append(time.time())
                elif line.startswith(b": connected"):
                    self._there += 1
        finally:
            writer.close()

    async def _socket(self, address: str, game: str) -> None:
        path = f"{address.replace('http', 'ws')}/v1/games/{game}/events/socket"
        async with connect(path, proxy=None, compression=None) as socket:
            self._there += 1
            async for message in socket:
                at = time.time()
                self.seen[game, json.loads(message)["id"]].append(at)


async def _play(address: str, table: Table, pause: float, until: float) -> None:
    async with Wire(address) as wire:
        while time.monotonic() < until:
            await table.turns(wire, 1)
            await asyncio.sleep(pause)


async def _measure(writer: str, reader: str, tables: list[Table], pause: float, each: int) -> dict[Event, list[float]]:
    audience = Audience()
    await audience.gather(reader, [table.game for table in tables], each)
    until = time.monotonic() + SECONDS
    await asyncio.gather(*(_play(writer, table, pause, until) for table in tables))
    await audience.leave(each)
    return audience.seen


def _committed(database: Cluster, games: set[str]) -> dict[Event, float]:
    rows = database.sql(
        "SELECT game, version, extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM tabularium.events",
        database="migrated",
    )
    fields = (row.split("|") for row in rows.splitlines())
    return {(game, int(version)): float(at) for game, version, at in fields if game in games}


def bench_streams() -> Iterator[Figure]:
    with ExitStack() as stack:
        database = stack.enter_context(cluster(shared_buffers="256MB", track_commit_timestamp="on"))
        redis: Server = stack.enter_context(server())
        url = database.url("migrated")
        one, two, third = [
            stack.enter_context(own_service(database_url=url, redis_url=each, projections="false"))
            for each in (redis.url, redis.url, "")
        ]
        client = stack.enter_context(Client(one))
        tables = [Table(client, number) for number in range(16)]

        def delays(name: str, reader: str, games: int, pause: float, each: int, goal: str = "") -> Iterator[Figure]:
            seen = asyncio.run(_measure(one, reader, tables[:games], pause, each))
            committed = _committed(database, {game for game, _ in seen})
            late = [(at - committed[event]) * 1000 for event, times in seen.items() for at in times]
            cuts = statistics.quantiles(late, n=100)
            note = f"{len(seen) / SECONDS:.0f} events/s in {games} games, each followed by {each}"
            yield figure(f"{name}-p50", [cuts[49]], "ms", note=note)
            yield figure(f"{name}-p95", [cuts[94]], "ms", goal=goal)
            yield figure(f"{name}-p99", [cuts[98]], "ms")

        yield from delays("streams-same-process", one, 16, 0.1, 4)
        yield from delays("streams-one-game", two, 1, 0.05, 2, "<= 50")
        yield from delays("streams", two, 16, 0.1, 4, "<= 50")
        yield from delays("streams-many", two, 16, 0.2, 32, "<= 50")
        yield from delays("streams-no-redis", third, 16, 0.1, 4)
        redis.pause()
        yield from delays("streams-redis-hangs", two, 16, 0.1, 4)


# --- many who follow one game -----------------------------------------------------------------------------------------


WATCHERS = 1000
COMMANDS = 15
"""In each round; a quiet turn makes three to four events of a command."""
ROUNDS = 3


class Watcher(asyncio.Protocol):
    """Somebody who follows a game: as little client as possible, for it shares the machine with the service."""

    def __init__(self, game: str) -> None:
        self._request = f"GET /v1/games/{game}/events/stream HTTP/1.1\r\nHost: bench\r\n\r\n".encode()
        self.seen = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self.seen += data.count(b"\ndata: ")


def bench_watchers() -> Iterator[Figure]:
    """What a command costs the service for each thousand who follow its game."""
    with own_service(projections="false", transparency="false", bots="0") as address, Client(address) as client:
        table = Table(client, 0)
        alone = asyncio.run(_watched(address, table, 0))
        more = [time - statistics.median(alone) for time in asyncio.run(_watched(address, table, WATCHERS))]
        note = "processor time of a command beyond that of one that nobody follows"
        yield figure(f"watchers-{WATCHERS}", more, "ms", goal="<= 60", note=note)


async def _watched(address: str, table: Table, count: int) -> list[float]:
    """Return the milliseconds of processor time of a command while `count` clients follow the game."""
    place, loop, times = urlsplit(address), asyncio.get_running_loop(), list[float]()
    watchers = [Watcher(table.game) for _ in range(count)]
    opened = [
        await loop.create_connection(lambda each=each: each, place.hostname or "", place.port or 0) for each in watchers
    ]
    async with Wire(address) as wire:
        await asyncio.sleep(1)
        await table.turns(wire, 3)
        for _ in range(ROUNDS):
            await asyncio.sleep(0.5)
            before = clock_of(address)
            for _ in range(COMMANDS):
                await table.turns(wire, 1)
                await asyncio.sleep(0.2)  # until all have it: or the next command's events go along
            times.append((clock_of(address) - before) * 1000 / COMMANDS)
    assert len({each.seen for each in watchers}) <= 1, "an event was missed, or came twice"
    for transport, _ in opened:
        transport.close()
    return times


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"streams": bench_streams, "watchers": bench_watchers}
