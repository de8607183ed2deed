"""The primary dies or freezes under load, a standby takes its place, and the service goes on by itself."""

import asyncio
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Final, Literal, Protocol

from msgspec import Struct

from service.base.settings import Settings
from service.store.backend import backend_of
from tests.faults.audit import faults_of_acknowledgements, faults_of_games, read_log
from tests.faults.ledger import Ledger
from tests.faults.nursery import nursery
from tests.faults.storm import failed
from tests.faults.tables import seated

How = Literal["kill", "freeze"]

SEED: Final = 20261128

BETWEEN: Final = 1.5
"""Seconds of play before a primary is struck, and after another took its place."""

PATIENCE: Final = 60
"""Seconds in which the first command must be acknowledged once there is a primary again."""


class Servers(Protocol):
    """Servers of PostgreSQL, of which one is the primary; its commits wait for a standby."""

    @property
    def url(self) -> str:
        """The address of the service's database, with all hosts."""
        ...

    async def strike(self, how: How) -> None:
        """Kill or freeze the primary, and return when another one has taken its place."""
        ...

    async def heal(self) -> None:
        """Let what was struck run again, and return when commits wait for a standby again."""
        ...


class Outage(Struct, frozen=True):
    """What a strike did: in how many seconds another server was the primary, and for how many nothing was written."""

    how: How
    elected: float
    seconds: float


class Report(Struct, frozen=True):
    """What happened, and what was found wrong afterwards: nothing, that is."""

    outages: list[Outage]
    counts: dict[str, int]
    faults: list[str]


async def ride_out(servers: Servers, data: Path, strikes: Sequence[How], *, tables: int) -> Report:
    """Play at so many tables while the primary is struck again and again, and return what the audit found."""
    rng, stop = Random(SEED), asyncio.Event()
    settings = Settings(data=data, database_url=servers.url)
    given = {"data": str(data), "database_url": servers.url, "port": "0", "log_level": "error"}
    given |= {"rate_per_token": "1000", "rate_per_address": "100000", "projections": "false"}
    outages: list[Outage] = []
    async with nursery(given, data / "service.log") as young:
        process = await young.start()
        ledger = Ledger(lambda: [process.address], rng)
        rooms = await seated(ledger, process.address, ["tiny-auction"] * tables, rng, stop)
        playing = [asyncio.create_task(room.play()) for room in rooms]
        for how in strikes:
            await asyncio.sleep(BETWEEN)
            struck = time.monotonic()
            await servers.strike(how)
            elected = time.monotonic()
            await _acknowledged(ledger, elected)
            outages.append(Outage(how, round(elected - struck, 1), _without(ledger, struck)))
            await servers.heal()
        await asyncio.sleep(BETWEEN)
        stop.set()
        ended, stuck = await asyncio.wait(playing, timeout=PATIENCE)
        ledger.wrong += [f"a table still waits for an answer after {PATIENCE} seconds" for _ in stuck]
        ledger.wrong += [f"a table broke off: {task.exception()!r}" for task in ended if task.exception()]
        for task in stuck:
            task.cancel()
        await ledger.close()
    ledger.wrong += failed(data / "service.log")
    store = await backend_of(settings).open_store()
    log = await read_log(store)
    faults, counts = await faults_of_games(store, log, settings)
    await store.close()
    counts["acknowledged"] = sum(bool(deed.answers) for deed in ledger.deeds)
    faults += ledger.wrong + faults_of_acknowledgements(ledger, log)
    return Report(outages, dict(counts + ledger.counts), faults)


async def _acknowledged(ledger: Ledger, since: float) -> None:
    """Wait until something was acknowledged `since` a moment."""
    async with asyncio.timeout(PATIENCE):
        while not ledger.acknowledged or ledger.acknowledged[-1] < since:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _without(ledger: Ledger, struck: float) -> float:
    """Return the longest time after a strike in which nothing was acknowledged, in seconds."""
    after = [struck, *(at for at in ledger.acknowledged if at > struck)]
    return round(max(later - earlier for earlier, later in pairwise(after)), 1)
