"""Nothing acknowledged is lost or doubled, whatever breaks."""

import json
from pathlib import Path

from tests.faults.storm import Weather, storm
from tests.postgres import cluster


async def test_nothing_acknowledged_is_lost_or_doubled_whatever_breaks(tmp_path: Path) -> None:
    with cluster() as own:
        async with own.database() as url:
            report = await storm(own, url, tmp_path, Weather())
    print(json.dumps(report.counts))
    assert report.faults == []
    assert report.counts["kills"] >= 50
    assert report.counts["crashes"] >= 5
    for happened in ("doubled", "cut", "abandoned", "late", "reordered", "unanswered", "repeated", "resumed"):
        assert report.counts[happened], happened
    assert report.counts["games over"]
