"""What it costs commands that the same process folds projections: in its time, and in the rate of commands."""

import asyncio
import re
from collections.abc import Callable, Iterator
from functools import partial

import httpx

from service.bots.client import Client
from service.bots.demonstration import own_service
from tests.bench.measure import Figure, figure
from tests.bench.service import Table, together

GAMES = 16
COMMANDS = 90
"""Of each game in each repeat."""
REPEATS = 7


def bench_projections() -> Iterator[Figure]:
    """Commands over 16 connections, in turn against a process that folds and one that does not."""
    with (
        own_service(projections="true") as folding,
        own_service(projections="false") as plain,
        Client(folding) as one,
        Client(plain) as other,
    ):
        services = {folding: one, plain: other}
        tables = {address: [Table(client, number) for number in range(GAMES)] for address, client in services.items()}
        rates: dict[str, list[float]] = {folding: [], plain: []}
        costs: dict[str, list[float]] = {folding: [], plain: []}
        for _ in range(REPEATS):
            for address in services:
                works = [partial(table.turns, commands=COMMANDS) for table in tables[address]]
                before = cpu_seconds(address)
                rate, took = asyncio.run(together(address, works))
                rates[address].append(rate)
                costs[address].append((cpu_seconds(address) - before) * 1000 / len(took))
        for name, address in (("with", folding), ("without", plain)):
            yield figure(f"command-cpu-{name}-projections", costs[address], "ms", note=f"{GAMES} games on SQLite")
        share = [mine / others for mine, others in zip(rates[folding], rates[plain], strict=True)]
        yield figure("projections-share", share, "of the commands without projections", goal=">= 0.85")


def cpu_seconds(address: str) -> float:
    """Return the processor time that a service has used."""
    told = httpx.get(f"{address}/metrics").text
    found = re.search(r"^process_cpu_seconds_total (\S+)$", told, re.MULTILINE)
    assert found is not None
    return float(found[1])


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"projections": bench_projections}
