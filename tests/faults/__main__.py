"""The storm by hand, for as long as wanted: ``python -m tests.faults --kills 500 --crashes 20``."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.storm import Report, Weather, storm
from tests.helpers.postgres import cluster
from tests.helpers.redis import server


async def main(weather: Weather) -> Report:
    with cluster() as own, server() as redis, TemporaryDirectory() as data:
        async with own.database() as url:
            return await storm(own, url, redis, Path(data), weather)


if __name__ == "__main__":
    known = argparse.ArgumentParser(description=__doc__)
    for name in Weather.__struct_fields__:
        known.add_argument(f"--{name}", type=int, default=getattr(Weather(), name))
    report = asyncio.run(main(Weather(**vars(known.parse_args()))))
    print(json.dumps(report.counts))
    print("\n".join(report.faults))
    sys.exit(bool(report.faults))
