"""Nothing acknowledged is lost or doubled, whatever breaks."""

import json
from pathlib import Path
from random import Random

import pytest

from tests.faults.machines import rig
from tests.faults.storm import Weather, storm
from tests.helpers.citus import NOT_TESTED, is_installed
from tests.helpers.postgres import cluster
from tests.helpers.redis import server
from tests.helpers.sampling import RUN

WEATHER = Weather() if RUN.seed is None else Weather(26, 3, 6, Random(f"{RUN.seed} storm").getrandbits(32))
"""Half of the storm, another one with each commit; with `--all` the whole."""

HAPPENED = ["doubled", "cut", "abandoned", "late", "reordered", "unanswered", "repeated", "resumed", "snapshots"]
HAPPENED += ["named", "released", "handed", "proposed", "agreed", "declined", "given", "flags", "read"]


async def test_nothing_acknowledged_is_lost_or_doubled_whatever_breaks(tmp_path: Path) -> None:
    with cluster() as own, server() as redis:
        async with own.database() as url:
            report = await storm(own.restart, url, redis, tmp_path, WEATHER)
    print(json.dumps(report.counts))
    assert report.faults == []
    assert report.counts["kills"] >= WEATHER.kills - 2
    assert report.counts["crashes"] >= WEATHER.crashes - 1
    assert report.counts["redis"] >= WEATHER.redis
    assert {name for name in HAPPENED if not report.counts.get(name)} == set()
    assert report.counts["games over"]


async def test_nothing_is_lost_when_machines_of_a_distributed_log_die(tmp_path: Path) -> None:
    if not is_installed():
        pytest.skip(NOT_TESTED)
    seed = 20261121 if RUN.seed is None else Random(f"{RUN.seed} storm on machines").getrandbits(32)
    async with rig() as (machines, url):
        with server() as redis:
            report = await storm(machines.crash, url, redis, tmp_path, Weather(4, 2, 2, seed, apart=150))
    print(json.dumps(report.counts))
    assert report.faults == []
    assert report.counts["acknowledged"] >= 300
