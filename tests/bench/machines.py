"""What an append costs on a log that Citus distributes, beside plain PostgreSQL and pgbench in the same run.

    python -m tests.bench.machines

All machines share this one, so it tells what an append takes in all, and not what many machines can do.
"""

import asyncio
from collections.abc import Iterator
from statistics import median
from typing import Final

from service.store.postgres import migrations
from tests.bench.appends import BUFFERS, CLIENTS, REPEATS, Side, by_pgbench, by_store, script_of_pgbench, shares
from tests.helpers.citus import Machines, make_database
from tests.helpers.postgres import cluster

HEAD: Final = (
    "| clients | appends, of pgbench: plain | on machines | on machines, of plain | processor of the databases |\n"
    "|---:|---:|---:|---:|---:|"
)


async def _distributed(machines: Machines) -> str:
    url = await make_database(machines.url, "tabularium_bench")
    await migrations.migrate(url, migrations.packaged())
    assert await migrations.distribute(url)
    return url


def table() -> Iterator[str]:
    """Yield the lines of a table: medians of the ratios of rounds, in each of which all three have had their turn."""
    yield HEAD
    machines = Machines(fsync="on", shared_buffers=BUFFERS)
    try:
        url = asyncio.run(_distributed(machines))
        with cluster(shared_buffers=BUFFERS) as one:
            script = script_of_pgbench(one)
            for clients in CLIENTS:
                bare, plain, spread = Side(), Side(), Side()
                for attempt in map(str, range(REPEATS)):
                    bare.add(by_pgbench(one, script, clients, 1))
                    plain.add(by_store(one.url("migrated"), [one], clients, 1, attempt))
                    spread.add(by_store(url, machines.nodes, clients, 1, attempt))
                ratios = (
                    shares(plain.rates, bare.rates),
                    shares(spread.rates, bare.rates),
                    shares(spread.rates, plain.rates),
                    shares(spread.server, plain.server),
                )
                yield f"| {clients} | {' | '.join(f'{median(each):.2f}' for each in ratios)} |"
    finally:
        machines.stop()


if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
