"""The costs that a plan is made of (`service/planning/costs.toml`), and a plan held against a service in use.

Processor time, by the clocks of the processes. What the machine does besides leaves it nearly as it is, but for caches.
"""

import asyncio
import os
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from service.bots.client import Client
from service.bots.demonstration import own_service
from service.planning.model import Load, Prices, measured, planned
from service.planning.simulation import simulate
from tests.bench.cpu import clock_of, spent
from tests.bench.measure import Figure, figure
from tests.bench.service import Table, Wire, looks, state_requests, together
from tests.bench.streams import Audience
from tests.helpers.postgres import Cluster, cluster
from tests.helpers.redis import server

GAMES: Final = 32
COMMANDS: Final = 30
"""Of each game in each repeat."""
REPEATS: Final = 5
FOLLOWERS: Final = 200
USUAL: Final = 60.0
"""Commands a second at which the cost of one is measured that comes by itself."""
SIZES: Final = (20, 120, 240)
"""Commands a second at which the plan is held against the service."""
SECONDS: Final = 10.0


def bench_plan() -> Iterator[Figure]:
    # As on a server, not as in tests: a buffer that holds all pages in use.
    with cluster(shared_buffers="256MB") as database, server() as redis:
        given = {"database_url": database.url("migrated"), "redis_url": redis.url, "projections": "false"}
        with own_service(**given) as served, Client(served) as client:
            empty = _memory(served)
            tables = [Table(client, number) for number in range(GAMES)]
            yield figure("plan-process", [empty / 1e6], "MB", note="a process without games")
            yield from _commands(database, served, tables)
            asked = [request for table in tables for request in state_requests(table)]
            reads = [spent(served, [partial(looks, request=each, count=30) for each in asked]) for _ in range(REPEATS)]
            yield figure("plan-read", reads, "ms", note="of a process, for a hot read of a position")
            yield from asyncio.run(_followed(served, tables[0]))
            yield from _sizes(database)
            yield from _held(database, served, tables)
        yield figure("plan-flush", [_flush(database.data) for _ in range(REPEATS)], "ms", note="8 kB to the disk")


def _commands(database: Cluster, served: str, tables: list[Table]) -> Iterator[Figure]:
    ways: dict[str, Callable[[], list[float]]] = {
        "alone": lambda: asyncio.run(_paced(served, tables, USUAL)),
        "together": lambda: asyncio.run(
            together(served, [partial(table.turns, commands=COMMANDS) for table in tables])
        )[1],
    }
    for name, play in ways.items():
        ours, theirs = list[float](), list[float]()
        for _ in range(REPEATS):
            mine, others = clock_of(served), _database_clock(database)
            count = len(play())
            ours.append((clock_of(served) - mine) * 1000 / count)
            theirs.append((_database_clock(database) - others) * 1000 / count)
        yield figure(f"plan-command-{name}", ours, "ms", note="of a process that keeps no projections")
        yield figure(f"plan-append-{name}", theirs, "ms", note="of all processes of the database, for a command")


async def _followed(served: str, table: Table) -> list[Figure]:
    """Return what one client costs that follows: processor time for a command, and memory."""
    costs, sizes = list[float](), list[float]()
    for _ in range(REPEATS):
        each, before = list[float](), _memory(served)
        for followers in (0, FOLLOWERS):
            audience = Audience()
            if followers:
                await audience.gather(served, [table.game], followers)
                sizes.append((_memory(served) - before) / FOLLOWERS / 1000)
            began = clock_of(served)
            async with Wire(served) as wire:
                await table.turns(wire, 30)
            if followers:
                await audience.leave(followers)
            each.append((clock_of(served) - began) * 1000 / 30)
        costs.append((each[1] - each[0]) / FOLLOWERS)
    note = f"of a process, for each of {FOLLOWERS} that follow a game, half by SSE"
    return [figure("plan-frame", costs, "ms", note=note), figure("plan-watcher", sizes, "kB", note="at first")]


def _sizes(database: Cluster) -> Iterator[Figure]:
    events = int(database.sql("SELECT count(*) FROM tabularium.log", database="migrated"))
    for table in ("log", "entries", "hashes"):
        size = int(database.sql(f"SELECT pg_total_relation_size('tabularium.{table}')", database="migrated"))
        yield figure(f"plan-{table}", [size / events], "bytes", note=f"for each of {events} events")


def _held(database: Cluster, served: str, tables: list[Table]) -> Iterator[Figure]:
    """Hold a plan against the service at some sizes: the work of its process and of the database, and its answers."""
    costs, alone = measured(), Prices()
    for size in SIZES:
        load = Load(games=size * 7200, watchers=0, reads=0, peak=1)
        plan = planned(load, costs, alone)
        ours, theirs = clock_of(served), _database_clock(database)
        began = time.perf_counter()
        times = asyncio.run(_paced(served, tables, size))
        took = time.perf_counter() - began
        rate = len(times) / took
        seen, stored = (clock_of(served) - ours) / took, (_database_clock(database) - theirs) / took
        said = simulate(load, plan, costs, 20)
        note = f"at {rate:.0f} commands a second; the plan says {plan.serving:.3f}"
        yield figure(f"plan-{size}-serving", [seen], "cores", note=note)
        yield figure(f"plan-{size}-database", [stored], "cores", note=f"the plan says {plan.database:.3f}")
        cuts = statistics.quantiles((each * 1000 for each in times), n=20)
        note = f"the simulation says {said.p50:.1f}, and {said.p95:.1f} for p95"
        yield figure(f"plan-{size}-p50", [cuts[9]], "ms", note=note)
        yield figure(f"plan-{size}-p95", [cuts[18]], "ms")


async def _paced(address: str, tables: list[Table], rate: float) -> list[float]:
    """Send commands at a rate, whatever becomes of those before, and return the seconds that each took."""
    until = time.perf_counter() + SECONDS

    async def one(table: Table, first: float) -> list[float]:
        times, due = list[float](), first
        async with Wire(address) as wire:
            while due < until:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                times += await table.turns(wire, 1)
                due += len(tables) / rate
        return times

    now = time.perf_counter()
    played = await asyncio.gather(*(one(table, now + number / rate) for number, table in enumerate(tables)))
    return [took for times in played for took in times]


def _memory(address: str) -> float:
    told = httpx.get(f"{address}/metrics").text.splitlines()
    return float(next(line for line in told if line.startswith("process_resident_memory_bytes ")).split()[1])


def _database_clock(database: Cluster) -> float:
    """Return the seconds of processor time that the processes of a database have used."""
    first = (database.data / "postmaster.pid").read_text().split()[0]
    total = 0.0
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == first:
            total += int(fields[11]) + int(fields[12])
    # What has ended since, the first process has waited for.
    fields = Path(f"/proc/{first}/stat").read_text().rpartition(")")[2].split()
    return (total + sum(map(int, fields[11:15]))) / os.sysconf("SC_CLK_TCK")


def _flush(folder: Path) -> float:
    """Return the milliseconds that 8 kB take to the disk."""
    place = folder / "flushed"
    file = os.open(place, os.O_WRONLY | os.O_CREAT)
    try:
        os.write(file, bytes(8192))
        began = time.perf_counter()
        for _ in range(50):
            os.pwrite(file, bytes(8192), 0)
            os.fdatasync(file)
        return (time.perf_counter() - began) * 1000 / 50
    finally:
        os.close(file)
        place.unlink()


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"plan": bench_plan}
