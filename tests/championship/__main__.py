"""Championships of bots, whose service is killed: ``python -m tests.championship``, or ``--small --times 50``."""

import argparse
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.championship.held import Report, large, small
from tests.helpers.postgres import shared_cluster, stop_shared_cluster

STORES: Final = ("postgres", "sqlite")


async def main(chosen: argparse.Namespace) -> list[Report]:
    """Hold what was chosen on one store, or on both at once."""
    stores = [chosen.store] if chosen.store else STORES

    async def told(store: str) -> Report:
        with TemporaryDirectory() as folder:
            report = await _on(store, Path(folder), chosen, -(-chosen.times // len(stores)))
        print(report.told(store), flush=True)
        return report

    try:
        return await asyncio.gather(*map(told, stores))
    finally:
        stop_shared_cluster()


async def _on(store: str, folder: Path, chosen: argparse.Namespace, times: int) -> Report:
    async def held(url: str) -> Report:
        if chosen.small:
            return await small(folder, url, chosen.seed, times)
        return await large(folder, url, chosen.seed)

    if store == "sqlite":
        return await held("")
    async with shared_cluster().database() as url:
        return await held(url)


if __name__ == "__main__":
    known = argparse.ArgumentParser(description=__doc__)
    known.add_argument("--small", action="store_true", help="a hundredth of the size, with kills at random")
    known.add_argument("--times", type=int, default=50, help="how many small ones")
    known.add_argument("--seed", type=int, default=1)
    known.add_argument("--store", choices=STORES, help="one store alone; both without it")
    sys.exit(any(report.wrong for report in asyncio.run(main(known.parse_args()))))
