"""The service over HTTP on PostgreSQL and Redis, against a bare route that does one insert and one publish."""

import asyncio
import statistics
from collections.abc import Callable, Iterator
from functools import partial

from service.bots.client import Client
from service.bots.demonstration import own_service
from tests.bench.measure import Figure, figure
from tests.bench.service import Table, bare_service, inserts, together
from tests.helpers.postgres import cluster
from tests.helpers.redis import server

GAMES = 32
COMMANDS = 60
"""Of each game in each repeat; a game has a connection of its own."""
REPEATS = 5


def bench_http_postgres() -> Iterator[Figure]:
    # As on a server, not as in tests: a buffer that holds all pages in use.
    with cluster(shared_buffers="256MB") as database, server() as redis:
        database.sql("CREATE TABLE bare (id bigserial PRIMARY KEY, body text NOT NULL)", database="migrated")
        url = database.url("migrated")
        with (
            bare_service("postgres", database.url("migrated", "superuser"), redis.url) as bare,
            own_service(database_url=url, redis_url=redis.url, projections="false") as served,
            Client(served) as client,
        ):
            tables = [Table(client, number) for number in range(GAMES)]
            ratios, rates, plain, times = list[float](), list[float](), list[float](), list[float]()
            for _ in range(REPEATS):
                base, _ = asyncio.run(together(bare, [partial(inserts, count=COMMANDS)] * GAMES))
                works = [partial(table.turns, commands=COMMANDS) for table in tables]
                rate, took = asyncio.run(together(served, works))
                ratios.append(rate / base)
                rates.append(rate)
                plain.append(base)
                times.extend(took)
        note = f"{GAMES} connections, each to a game of its own; projections in another process"
        yield figure("http-postgres-ratio", ratios, "of a bare insert and publish", goal=">= 0.5", note=note)
        yield figure("http-postgres-commands", rates, "1/s")
        yield figure("http-postgres-bare", plain, "1/s")
        cuts = statistics.quantiles((took * 1000 for took in times), n=20)
        yield figure("http-postgres-p50", [cuts[9]], "ms")
        yield figure("http-postgres-p95", [cuts[18]], "ms")


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"http-postgres": bench_http_postgres}
