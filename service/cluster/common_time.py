"""The time that all processes over one database use: that of its server, if their own clocks are wrong.

A flag that falls by the clock of one process, and an answer that arrives by the clock of another, must not be judged by
two different times. Clocks that NTP keeps differ by milliseconds, and then nothing is corrected.
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
"""The most by which a clock may differ from the database's without being corrected."""

EVERY: Final = 10.0
"""Seconds between two comparisons."""


class CommonTime:
    """The time of this machine, corrected when it differs too much from that of the database."""

    def __init__(self, rows: ProjectionStore) -> None:
        self._rows = rows
        self._own = utc_now
        self.off = timedelta(0)
        """The correction that is added to the clock of this machine; 0 for a tolerable difference."""

    def __call__(self) -> datetime:
        return self._own() + self.off

    async def compare(self) -> None:
        """Compare the clock with the database's. Raises `Unavailable`."""
        start = self._own()
        server_time = await self._rows.time()
        doubt = (self._own() - start) / 2
        difference = server_time - start - doubt
        # The part of the difference that the time of the query may explain does not count.
        off = difference if abs(difference) - doubt > TOLERATED else timedelta(0)
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
    """Provide the common time, and keep it corrected. Raises `Unavailable`."""
    clock = CommonTime(rows)
    await clock.compare()
    async with background("the clock is compared", clock.keep()):
        yield clock
