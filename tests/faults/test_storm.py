"""Nothing acknowledged is lost or doubled, whatever breaks."""

import json
from pathlib import Path

from tests.faults.storm import Weather, storm
from tests.helpers.postgres import cluster
from tests.helpers.redis import server

HAPPENED = ["doubled", "cut", "abandoned", "late", "reordered", "unanswered", "repeated", "resumed", "snapshots"]


async def test_nothing_acknowledged_is_lost_or_doubled_whatever_breaks(tmp_path: Path) -> None:
    with cluster() as own, server() as redis:
        async with own.database() as url:
            report = await storm(own, url, redis, tmp_path, Weather())
    print(json.dumps(report.counts))
    assert report.faults == []
    assert report.counts["kills"] >= 50
    assert report.counts["crashes"] >= 5
    assert report.counts["redis"] >= 9
    assert {name for name in HAPPENED if not report.counts.get(name)} == set()
    assert report.counts["games over"]
