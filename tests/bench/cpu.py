"""Processor time of the serving process, for one command and for one read, against the bare routes in the same run.

By the process's own clock: other work on the machine, which decides how many requests a second there are, leaves it
nearly as it is. Of a command that is all it causes: deciding, storing, folding it into the projections.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import httpx

from service.bots.client import Client
from service.bots.demonstration import own_service
from tests.bench.measure import Figure, figure
from tests.bench.service import Table, Work, bare_service, copied, inserts, looks, state_requests, together

GAMES: Final = 16
COMMANDS: Final = 30
"""Of each game in each round."""
READS: Final = 100
"""Of each seat in each round."""
ROUNDS: Final = 5

CLOCK: Final = "process_cpu_seconds_total "


def bench_cpu() -> Iterator[Figure]:
    with own_service() as served, bare_service() as bare, Client(served) as client:
        tables = [Table(client, number) for number in range(GAMES)]
        commands = [partial(table.turns, commands=COMMANDS) for table in tables]
        plain = [partial(inserts, count=COMMANDS)] * GAMES
        yield from _compared("command", (served, commands), (bare, plain), "a durable insert", goal=2.0)

        asked = [request for table in tables for request in state_requests(table)]
        reads = [partial(looks, request=request, count=READS) for request in asked]
        same = [partial(looks, request=asyncio.run(copied(served, bare, asked[0])), count=READS)] * len(asked)
        yield from _compared("read", (served, reads), (bare, same), "the same bytes", goal=1.6)


Load = tuple[str, Sequence[Work]]
"""An address and what is sent to it, each on a connection of its own."""


def _compared(name: str, ours: Load, bare: Load, what: str, goal: float) -> Iterator[Figure]:
    """Yield what a request costs us, and how many times what it costs the bare route. A round warms up."""
    rounds = [(spent(*ours), spent(*bare)) for _ in range(ROUNDS + 1)][1:]
    ratios = [mine / theirs for mine, theirs in rounds]
    yield figure(f"cpu-{name}-ratio", ratios, f"times a bare route: {what}", goal=f"<= {goal}")
    yield figure(f"cpu-{name}", [mine for mine, _ in rounds], "ms")
    yield figure(f"cpu-{name}-bare", [theirs for _, theirs in rounds], "ms")


def spent(address: str, works: Sequence[Work]) -> float:
    """Return the milliseconds of processor time that a request of these costs the process at `address`."""
    before = clock_of(address)
    _, times = asyncio.run(together(address, works))
    return (clock_of(address) - before) * 1000 / len(times)


def clock_of(address: str) -> float:
    """Return the seconds of processor time that a process has used, as its metrics tell it."""
    lines = httpx.get(f"{address}/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(CLOCK)).removeprefix(CLOCK))


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"cpu": bench_cpu}
