"""The storm by hand, for as long as wanted: ``python -m tests.faults --kills 500 --crashes 20``.

With ``--machines`` over a log that Citus spreads over three machines, each of which crashes in turn:
``python -m tests.faults --machines --kills 40 --crashes 9 --apart 500``.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.machines import rig
from tests.faults.storm import Report, Weather, storm
from tests.helpers.postgres import cluster
from tests.helpers.redis import server


@asynccontextmanager
async def _database(on_machines: bool) -> AsyncIterator[tuple[Callable[[], None], str]]:
    """Provide the means to crash a database, and its address."""
    if on_machines:
        async with rig() as (machines, url):
            yield machines.crash, url
        return
    with cluster() as own:
        async with own.database() as url:
            yield own.restart, url


async def main(weather: Weather, on_machines: bool) -> Report:
    with server() as redis, TemporaryDirectory() as data:
        async with _database(on_machines) as (crash, url):
            return await storm(crash, url, redis, Path(data), weather)


if __name__ == "__main__":
    known = argparse.ArgumentParser(description=__doc__)
    known.add_argument("--machines", action="store_true", help="over a log that Citus spreads over machines")
    for name in Weather.__struct_fields__:
        known.add_argument(f"--{name}", type=int, default=getattr(Weather(), name))
    chosen = vars(known.parse_args())
    report = asyncio.run(main(on_machines=chosen.pop("machines"), weather=Weather(**chosen)))
    print(json.dumps(report.counts))
    print("\n".join(report.faults))
    sys.exit(bool(report.faults))
