"""What it costs commands that the same process folds projections."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from service.client import Client
from service.demonstration import own_service
from tests.bench.measure import Figure, figure
from tests.bench.service import Table, bare_service, inserts, together

GAMES = 16
COMMANDS = 90
"""Of each game in each repeat."""
REPEATS = 7


def bench_projections() -> Iterator[Figure]:
    """Commands over 16 connections, in turn against a process that folds and one that does not."""
    with (
        bare_service() as bare,
        own_service(projections="true") as folding,
        own_service(projections="false") as plain,
        Client(folding) as one,
        Client(plain) as other,
    ):
        services = {"with": (folding, one), "without": (plain, other)}
        tables = {name: [Table(client, number) for number in range(GAMES)] for name, (_, client) in services.items()}
        ratios: dict[str, list[float]] = {"with": [], "without": []}
        for _ in range(REPEATS):
            base, _ = asyncio.run(together(bare, [partial(inserts, count=COMMANDS)] * GAMES))
            for name, (address, _) in services.items():
                works = [partial(table.turns, commands=COMMANDS) for table in tables[name]]
                rate, _ = asyncio.run(together(address, works))
                ratios[name].append(rate / base)
        for name, values in ratios.items():
            yield figure(f"http-{GAMES}-games-{name}-projections", values, "of a bare durable insert")
        share = [mine / others for mine, others in zip(ratios["with"], ratios["without"], strict=True)]
        yield figure("projections-share", share, "of the commands without projections", goal=">= 0.85")


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"projections": bench_projections}
