"""The time that all processes over one database go by: its server's, where their own clocks are wrong.

A flag that falls by the clock of one process, and an answer that arrives by that of another, must not be judged by two
times. Clocks that are kept by NTP differ by milliseconds, and nothing is corrected then.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

from projections.store import ProjectionStore, Unavailable
from service.base.clock import utc_now
from service.observe.background import background
from service.observe.logging import log

TOLERATED: Final = timedelta(milliseconds=500)
"""By as much a clock may differ from the database's."""

EVERY: Final = 10.0
"""Seconds between two comparisons."""


class CommonTime:
    """The time of this machine, put right when it differs too much from that of the database."""

    def __init__(self, rows: ProjectionStore) -> None:
        self._rows = rows
        self._own = utc_now
        self.off = timedelta(0)
        """What the clock of this machine lacks, when that is too much."""

    def __call__(self) -> datetime:
        return self._own() + self.off

    async def compare(self) -> None:
        """Compare the clock with the database's. Raises `Unavailable`."""
        start = self._own()
        theirs = await self._rows.time()
        doubt = (self._own() - start) / 2
        lacks = theirs - start - doubt
        # What the answer took is not taken for a difference.
        off = lacks if abs(lacks) - doubt > TOLERATED else timedelta(0)
        if abs(off - self.off) > TOLERATED:
            log.warning("the clock of this machine is wrong", seconds=-off.total_seconds())
            self.off = off

    async def keep(self) -> None:
        """Compare again and again. Never returns."""
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self.compare()
            except Unavailable as error:
                log.debug("the clock is not compared just now", why=str(error))


@asynccontextmanager
async def common_time(rows: ProjectionStore) -> AsyncIterator[CommonTime]:
    """Lend the common time. Raises `Unavailable`."""
    clock = CommonTime(rows)
    await clock.compare()
    async with background("the clock is compared", clock.keep()):
        yield clock
