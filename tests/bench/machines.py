"""What an append costs on a log that Citus distributes, as a ratio to plain PostgreSQL in the same run.

    python -m tests.bench.machines

All machines share this one, so it tells what an append takes in all, and not what many machines can do.
"""

import asyncio
import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.store.postgres import migrations
from service.store.postgres.distributed import DistributedStore
from service.store.postgres.store import PostgresStore
from tests.helpers.citus import Machines, make_database
from tests.helpers.postgres import Cluster, cluster
from tests.service.store.batches import addition, new_game, use

ROUNDS: Final = 5
APPENDS: Final = 60
AT_ONCE: Final = 16


def processor(servers: Sequence[Cluster]) -> float:
    """Return the seconds of processor that servers have taken, with all their processes."""
    taken = 0.0
    for server in servers:
        # A process that ends meanwhile is then one of those that the server, which comes last, has waited for.
        for process in reversed(server.processes()):
            # Of its own, and of children that have ended: in user mode and in the kernel, in hundredths.
            with suppress(FileNotFoundError):
                said = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
                taken += sum(map(int, said[11:15])) / 100
    return taken


class Side:
    """One of the two, and what was measured of it."""

    def __init__(self, store: PostgresStore, servers: Sequence[Cluster]) -> None:
        self._store = store
        self._servers = servers
        self._versions = {f"g{number}": 1 for number in range(AT_ONCE)}
        self.waited: list[float] = []
        self.rates: list[float] = []
        self.processor: list[float] = []

    async def begin(self) -> None:
        for game in self._versions:
            await self._store.append(new_game(game))

    async def _add(self, game: str) -> None:
        version = self._versions[game]
        await self._store.append(addition(game, version, key=use(f"{version}")))
        self._versions[game] = version + 1

    async def round(self) -> None:
        game, *_ = self._versions
        before = processor(self._servers)
        for _ in range(APPENDS):
            began = time.perf_counter()
            await self._add(game)
            self.waited.append(time.perf_counter() - began)
        self.processor.append((processor(self._servers) - before) / APPENDS)
        began = time.perf_counter()

        async def one(game: str) -> None:
            for _ in range(APPENDS // 4):
                await self._add(game)

        await asyncio.gather(*map(one, self._versions))
        self.rates.append(AT_ONCE * (APPENDS // 4) / (time.perf_counter() - began))

    async def close(self) -> None:
        """Close the store."""
        await self._store.close()


async def measured() -> list[tuple[str, float]]:
    """Return what was measured: of the distributed log, as parts of what plain PostgreSQL has."""
    with cluster(fsync="off") as one:  # as on the machines: what the disk takes is the same for both
        machines = Machines()
        try:
            url = await make_database(machines.url, "tabularium_bench")
            await migrations.migrate(url, migrations.packaged())
            await migrations.distribute(url)
            plain = Side(await PostgresStore.open(one.url("migrated")), [one])
            spread = Side(await DistributedStore.open(url), machines.nodes)
            for side in (plain, spread):
                await side.begin()
                await side.round()
                for found in (side.waited, side.rates, side.processor):
                    found.clear()
            for _ in range(ROUNDS):
                for side in (plain, spread):
                    await side.round()
            for side in (plain, spread):
                await side.close()
        finally:
            machines.stop()
    median = statistics.median
    return [
        ("time of an append, one at a time", median(spread.waited) / median(plain.waited)),
        ("processor of the databases for it", median(spread.processor) / median(plain.processor)),
        (f"appends a second, {AT_ONCE} games at once", median(spread.rates) / median(plain.rates)),
    ]


def main() -> None:
    for what, ratio in asyncio.run(measured()):
        print(f"{what:40} {ratio:6.2f} of plain PostgreSQL")


if __name__ == "__main__":
    main()
