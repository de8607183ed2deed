"""The primary dies or freezes under load, a standby takes its place, and the service goes on by itself.

``python -m tests.faults.failover --strikes 20`` does so with three servers that Patroni leads (`patroni.py`).
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from itertools import cycle, islice, pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, Literal, Protocol, get_args

from msgspec import Struct

from service.base.settings import Settings
from service.store.backend import backend_of
from service.store.postgres import migrations
from service.store.postgres.hosts import Hosts
from tests.faults.audit import faults_of_acknowledgements, faults_of_games, read_log
from tests.faults.ledger import Ledger
from tests.faults.nursery import nursery
from tests.faults.storm import failed
from tests.faults.tables import seated
from tests.helpers.postgres import OWNER

How = Literal["kill", "freeze"]

SEED: Final = 20261128

PATIENCE: Final = 60
"""Seconds in which something must be acknowledged while there is a primary."""


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
    """What a strike did.

    Attributes:
        acknowledged: how much had been acknowledged since the strike before.
        elected: seconds until another server was the primary.
        seconds: seconds in which nothing was acknowledged.
    """

    how: How
    acknowledged: int
    elected: float
    seconds: float


class Report(Struct, frozen=True):
    """What happened, and what was found wrong afterwards: nothing, that is."""

    outages: list[Outage]
    counts: dict[str, int]
    faults: list[str]


async def ride_out(servers: Servers, data: Path, strikes: Sequence[How], *, tables: int, between: int) -> Report:
    """Play at so many tables while the primary is struck again and again, and return what the audit found.

    `between`: how much must be acknowledged from one strike to the next.
    """
    rng, stop = Random(SEED), asyncio.Event()
    settings = Settings(data=data, database_url=servers.url)
    given = {"data": str(data), "database_url": servers.url, "port": "0", "log_level": "error"}
    given |= {"rate_per_token": "1000", "rate_per_address": "100000", "projections": "false"}
    outages: list[Outage] = []
    async with nursery(given, data / "service.log") as young:
        process = await young.start()
        ledger = Ledger(lambda: [process.address], rng)
        rooms = await seated(ledger, process.address, ["tiny-auction"] * tables, rng, stop, reads=False)
        playing = [asyncio.create_task(room.play()) for room in rooms]
        for how in strikes:
            before = sum(outage.acknowledged for outage in outages)
            await _acknowledged(ledger, before + between)
            struck, acknowledged = time.monotonic(), len(ledger.acknowledged) - before
            await servers.strike(how)
            elected = time.monotonic()
            await _acknowledged(ledger, len(ledger.acknowledged) + 1)
            outages.append(Outage(how, acknowledged, round(elected - struck, 1), _without(ledger, struck)))
            await servers.heal()
        await _acknowledged(ledger, len(ledger.acknowledged) + between)
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


async def _acknowledged(ledger: Ledger, times: int) -> None:
    """Wait until so much was acknowledged in all."""
    while (known := len(ledger.acknowledged)) < times:
        async with asyncio.timeout(PATIENCE):
            while len(ledger.acknowledged) == known:  # noqa: ASYNC110
                await asyncio.sleep(0.02)


def _without(ledger: Ledger, struck: float) -> float:
    """Return the longest time after a strike in which nothing was acknowledged, in seconds."""
    after = [struck, *(at for at in ledger.acknowledged if at > struck)]
    return round(max(later - earlier for earlier, later in pairwise(after)), 1)


async def main(strikes: int, tables: int, between: int) -> Report:
    # Patroni is in a group of packages of its own, which the tests of a run do without.
    from tests.faults.patroni import led

    with led() as servers, TemporaryDirectory() as data:
        await servers.settled()
        await _made(servers.address("superuser", "postgres"))
        await migrations.migrate(servers.url, migrations.packaged())
        return await ride_out(
            servers, Path(data), [*islice(cycle(get_args(How)), strikes)], tables=tables, between=between
        )


async def _made(url: str) -> None:
    """Make the database of the service, and its owner."""
    connection, _ = await Hosts(url).connect()
    await connection.execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE")
    await connection.execute(f"CREATE DATABASE games OWNER {OWNER}")
    await connection.close()


if __name__ == "__main__":
    known = argparse.ArgumentParser(description=__doc__)
    known.add_argument("--strikes", type=int, default=20)
    known.add_argument("--tables", type=int, default=16)
    known.add_argument("--between", type=int, default=500)
    report = asyncio.run(main(**vars(known.parse_args())))
    print(json.dumps(report.counts), *report.outages, *report.faults, sep="\n")
    sys.exit(bool(report.faults))
