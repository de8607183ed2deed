"""The service over HTTP: durable commands against a bare durable insert; reads of the past."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from urllib.parse import urlsplit

import msgspec

from service.bots.client import Client
from service.bots.demonstration import own_service
from tests.bench.measure import Figure, figure

TURN = ("finish-movement", "finish-destruction", "finish-purchase")
"""The commands of a quiet turn: no dice, so that the same work can be sent again and again."""
ROUNDS_OF_TURNS = 40
REPEATS = 5
READS = 100


class Wire:
    """A kept-alive HTTP/1.1 connection that sends prepared requests: as little client as possible."""

    def __init__(self, address: str) -> None:
        self._address = urlsplit(address)

    async def __aenter__(self) -> "Wire":
        self._reader, self._writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def post(self, path: str, body: bytes, headers: str = "") -> bytes:
        head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n{headers}"
        return await self.ask(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    async def ask(self, request: bytes) -> bytes:
        """Send a whole request; return the body of its answer."""
        self._writer.write(request)
        top = await self._reader.readuntil(b"\r\n\r\n")
        length = int(next(line[16:] for line in top.lower().split(b"\r\n") if line.startswith(b"content-length: ")))
        content = await self._reader.readexactly(length)
        assert top.split(b" ", 2)[1].startswith(b"2"), content.decode()
        return content


class Table:
    """A running two-player game whose seats take quiet turns."""

    def __init__(self, client: Client, number: int, **wishes: str) -> None:
        """`wishes` are what else is said of the game when it is created."""
        players = [client.post("/v1/players", {"name": f"bench {number}.{seat}"}) for seat in (1, 2)]
        callers = [client.as_player(player["token"]) for player in players]
        game = callers[0].post("/v1/games", {"ruleset": "conquest-classic-friz", "players": 2, **wishes})
        self.game: str = game["id"]
        self.path = f"/v1/games/{game['id']}/commands"
        self.state = f"/v1/games/{game['id']}/state"
        tokens: dict[str, str] = {}
        for player, caller, place in zip(players, callers, game["seats"], strict=True):
            caller.post(f"/v1/games/{game['id']}/seats", {"seat": place["seat"]})
            tokens[place["seat"]] = player["token"]
        started = callers[0].post(f"/v1/games/{game['id']}/start", {})
        del started
        order = callers[0].get(f"/v1/games/{game['id']}/state")["view"]["order"]
        self.headers = [f"Authorization: Bearer {tokens[seat]}\r\n" for seat in order]
        self._sent = 0

    async def turns(self, wire: Wire, commands: int) -> list[float]:
        """Send `commands` commands; return the seconds that each took."""
        times: list[float] = []
        for _ in range(commands):
            turn, step = divmod(self._sent, len(TURN))
            headers = f"{self.headers[turn % 2]}Idempotency-Key: bench-{self._sent}\r\n"
            began = time.perf_counter()
            await wire.post(self.path, msgspec.json.encode({"command": {"type": TURN[step]}}), headers)
            times.append(time.perf_counter() - began)
            self._sent += 1
        return times


@contextmanager
def bare_service(*what: str) -> Iterator[str]:
    """Run the bare service, on a file of its own unless `what` says otherwise; yield its address."""
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        arguments = [sys.executable, "-m", "tests.bench.bare", *(what or ("sqlite", folder))]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            try:
                assert process.stdout is not None
                yield process.stdout.readline().strip()
            finally:
                process.terminate()


async def inserts(wire: Wire, count: int) -> list[float]:
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        await wire.post("/insert", b"{}")
        times.append(time.perf_counter() - began)
    return times


Work = Callable[[Wire], Awaitable[list[float]]]


async def together(
    address: str, works: Sequence[Callable[[Wire], Awaitable[list[float]]]]
) -> tuple[float, list[float]]:
    """Run each work on a connection of its own; return calls per second and all times."""

    async def one(work: Work) -> list[float]:
        async with Wire(address) as wire:
            return await work(wire)

    began = time.perf_counter()
    times = [took for each in await asyncio.gather(*map(one, works)) for took in each]
    return len(times) / (time.perf_counter() - began), times


def bench_http() -> Iterator[Figure]:
    with own_service() as served, bare_service() as bare, Client(served) as client:
        for games in (1, 16):
            tables = [Table(client, number) for number in range(games)]
            each = ROUNDS_OF_TURNS * len(TURN) // (1 if games == 1 else 4)
            ratios, rates, times = list[float](), list[float](), list[float]()
            for _ in range(REPEATS):
                plain, _ = asyncio.run(together(bare, [partial(inserts, count=each)] * games))
                works = [partial(table.turns, commands=each) for table in tables]
                rate, took = asyncio.run(together(served, works))
                ratios.append(rate / plain)
                rates.append(rate)
                times.extend(took)
            name = f"http-{games}-games"
            yield figure(f"{name}-ratio", ratios, "of a bare durable insert", goal=">= 0.5")
            yield figure(f"{name}-commands", rates, "1/s")
            cuts = statistics.quantiles((took * 1000 for took in times), n=20)
            yield figure(f"{name}-p50", [cuts[9]], "ms")
            yield figure(f"{name}-p95", [cuts[18]], "ms")


async def looks(wire: Wire, request: bytes, count: int) -> list[float]:
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        await wire.ask(request)
        times.append(time.perf_counter() - began)
    return times


def bench_reads() -> Iterator[Figure]:
    """The positions of 16 games, read by their seats over 32 connections."""
    with own_service() as served, bare_service() as bare, Client(served) as client:
        tables = [Table(client, number) for number in range(16)]
        asked = [request for table in tables for request in state_requests(table)]
        same = asyncio.run(copied(served, bare, asked[0]))
        ratios, rates = list[float](), list[float]()
        for _ in range(REPEATS):
            plain, _ = asyncio.run(together(bare, [partial(looks, request=same, count=READS)] * len(asked)))
            rate, _ = asyncio.run(together(served, [partial(looks, request=each, count=READS) for each in asked]))
            ratios.append(rate / plain)
            rates.append(rate)
        yield figure("reads-ratio", ratios, "of a bare route with the same bytes", goal=">= 0.6")
        yield figure("reads", rates, "1/s")


def state_requests(table: Table) -> list[bytes]:
    """Return for each seat of a game the request that reads its position."""
    return [f"GET {table.state} HTTP/1.1\r\nHost: bench\r\n{header}\r\n".encode() for header in table.headers]


async def copied(served: str, bare: str, request: bytes) -> bytes:
    """Have the bare route keep what `request` is answered; return the request that gets it."""
    async with Wire(served) as asks, Wire(bare) as keeps:
        await keeps.post("/keep", await asks.ask(request))
    return b"GET /kept HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " + b"x" * 47 + b"\r\n\r\n"


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"http": bench_http, "reads": bench_reads}
