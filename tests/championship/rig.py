"""The service of a championship: its processes, killed and started again, and its clock, which is put on."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Final

from tests.faults.nursery import Nursery, Process, nursery

BETWEEN: Final = (0.1, 4)
"""Seconds between two kills at random, from when processes take requests again."""

TICK: Final = os.sysconf("SC_CLK_TCK")


class Fleet:
    """The processes that serve now. An embedded store has one, a database may have several."""

    def __init__(self, nursery: Nursery, processes: int, ahead: Path) -> None:
        self._nursery = nursery
        self._processes = processes
        self._ahead = ahead
        self._serving: list[Process] = []
        self._spent = 0.0
        self.kills = 0

    def addresses(self) -> list[str]:
        """Return where the service is, or was until just now: who asks there meanwhile gets no answer."""
        return [process.address for process in self._serving]

    async def launch(self) -> None:
        self._serving = [await self._nursery.start() for _ in range(self._processes)]

    async def crash(self) -> None:
        """Kill every process, whatever it is doing, and start as many."""
        for process in self._serving:
            self._kill(process)
        await self.launch()

    async def kill_one(self, rng: Random) -> None:
        """Kill a process, and start another in its place."""
        killed = rng.randrange(len(self._serving))
        self._kill(self._serving[killed])
        self._serving[killed] = await self._nursery.start()

    async def kill_at_random(self, rng: Random) -> None:
        """Kill one process or all again and again. Never returns."""
        while True:
            await asyncio.sleep(rng.uniform(*BETWEEN))
            await (self.crash() if rng.random() < 0.3 else self.kill_one(rng))

    def stop(self) -> None:
        """Kill every process for good."""
        for process in self._serving:
            process.kill()

    def _kill(self, process: Process) -> None:
        self._spent += _processor(process)
        process.kill()
        self.kills += 1

    def put_on(self, hours: int) -> None:
        """Put the clock of the service on."""
        now = int(self._ahead.read_text())
        fresh = self._ahead.with_suffix(".new")
        fresh.write_text(str(now + hours))
        fresh.replace(self._ahead)  # a process that reads it finds the one or the other

    @property
    def processor(self) -> float:
        """The processor seconds of all processes that served so far."""
        return self._spent + sum(map(_processor, self._serving))


def _processor(process: Process) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK
    return 0.0


@asynccontextmanager
async def fleet_of(folder: Path, database_url: str) -> AsyncIterator[Fleet]:
    """Lend the processes of a service whose data is in a folder, or in a database."""
    ahead = folder / "ahead"
    ahead.write_text("0")
    given = {"data": str(folder), "database_url": database_url, "port": "0", "log_level": "warning"}
    # Requests are counted against limits that nobody comes near.
    # Days pass in it, and a key is looked up again after all of them.
    given |= {"key_hours": "8760"}
    given |= {"rate_per_token": "1000", "rate_per_address": "100000", "transparency": "false"}
    async with nursery(given, folder / "service.log", ahead) as young:
        fleet = Fleet(young, 2 if database_url else 1, ahead)
        await fleet.launch()
        yield fleet
