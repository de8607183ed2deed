"""A standby takes the place of a primary, and the service finds it: nothing acknowledged is lost or doubled."""

import asyncio
from pathlib import Path

from tests.faults.failover import How, ride_out
from tests.helpers.postgres import Cluster, cluster

RETRY = "100ms"
"""Else a standby that lost its primary waits for five seconds before it looks whether it is to be one itself."""


class Pair:
    """A primary and its standby. What was struck becomes the standby of what took its place."""

    def __init__(self, primary: Cluster, standby: Cluster, database: str) -> None:
        self._primary, self._standby = primary, standby
        login, _, _ = primary.url().rpartition("@")
        self.url = f"{login}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{database}"

    async def strike(self, how: How) -> None:
        struck, taking_over = self._primary, self._standby
        await asyncio.to_thread(struck.kill if how == "kill" else struck.freeze)
        await asyncio.to_thread(taking_over.promote)
        self._primary, self._standby = taking_over, struck

    async def heal(self) -> None:
        # One that was frozen runs on for a moment, and still takes itself for the primary.
        self._standby.thaw()
        await asyncio.sleep(0.5)
        await asyncio.to_thread(self._standby.kill)
        await asyncio.to_thread(self._standby.follow, self._primary)


async def test_a_standby_takes_over_and_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    with cluster(wal_retrieve_retry_interval=RETRY) as one, cluster(one, wal_retrieve_retry_interval=RETRY) as two:
        async with one.database() as url:
            report = await ride_out(
                Pair(one, two, url.rpartition("/")[2]), tmp_path, ["freeze", "kill"], tables=3, between=50
            )
    print(report.counts, *report.outages, sep="\n")
    assert report.faults == []
    assert len(report.outages) == 2
    assert report.counts["unavailable"]
    assert report.counts["games over"]
