"""Championships that are held: large ones of 48 players, and small ones, whose service is killed at random."""

import asyncio
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from msgspec import Struct

from service.app import backend_of
from service.base.settings import Settings
from tests.championship.audit import audited
from tests.championship.course import Championship, Outcome, Plan
from tests.championship.rig import Fleet, fleet_of
from tests.championship.tables import WAYS
from tests.faults.ledger import Ledger
from tests.faults.storm import failed

CLASSIC, MARE_NOSTRUM = "conquest-classic-friz", "mare-nostrum"
POINTS: Final = {2: [60, 20], 3: [60, 36, 12], 4: [60, 48, 24, 12], 5: [60, 45, 30, 15, 5]}
CLOCK: Final = {"kind": "decision", "time": 40, "at_zero": "vacate"}
"""A clock whose flags fall soon enough to wait for them, and late enough for a service that is started again."""

STAGES: Final = (
    [{"type": "swiss", "rounds": 2}],
    [{"type": "random", "rounds": 1}, {"type": "swiss", "rounds": 1}],
    [{"type": "heats", "rounds": 2, "best": 1}],
    [{"type": "knock-out", "rounds": 1, "advance": 1}, {"type": "final-table", "rounds": 1, "size": 3}],
    [{"type": "swiss", "rounds": 1}, {"type": "final-table", "rounds": 1, "size": 3}],
)


class Report(Struct, frozen=True):
    """What was held, and what came of it. `processor` is what the service took, in seconds."""

    outcomes: list[Outcome]
    events: int
    requests: int
    repeated: int
    kills: int
    seconds: float
    processor: float
    wrong: list[str]

    def told(self, store: str) -> str:
        """Return the report in lines."""
        games, commands = (sum(getattr(each, name) for each in self.outcomes) for name in ("games", "commands"))
        ways: dict[str, int] = {}
        for each in self.outcomes:
            ways = {way: ways.get(way, 0) + each.ways.get(way, 0) for way in {**ways, **each.ways}}
        lines = [
            f"{store}: {len(self.outcomes)} tournaments, {games} games, {commands} commands, {self.events} events",
            f"  {self.requests} requests, {self.repeated} of them answered again; {self.kills} processes killed",
            f"  {self.seconds:.0f} s, {self.processor:.0f} s of processor for the service",
            f"  games: {', '.join(f'{many} {way}' for way, many in ways.items())}",
            f"  {sum(each.cases for each in self.outcomes)} cases",
            *(f"  {each.tournament}: {each.verdict}" for each in self.outcomes if len(self.outcomes) < 5),
        ]
        return "\n".join(
            [*lines, *(f"  WRONG: {each}" for each in self.wrong)] if self.wrong else [*lines, "  all right"]
        )


def _regulations(ruleset: str, stages: list[dict[str, Any]], sizes: list[int], clock: Any) -> dict[str, Any]:
    points = [POINTS[size] for size in sizes]
    return {"ruleset": ruleset, "stages": stages, "sizes": sizes, "points": points, "clock": clock}


async def large(folder: Path, database_url: str, seed: int) -> Report:
    """Hold two championships of 48 players and five rounds; all processes are killed in the middle of each round."""
    swiss = [{"type": "swiss", "rounds": 5}]
    plans = [
        Plan(_regulations(CLASSIC, swiss, [4, 3], CLOCK), 48, 24, (*WAYS, "flag")),
        Plan(_regulations(MARE_NOSTRUM, swiss, [4, 3], None), 48, 24),
    ]
    async with fleet_of(folder, database_url) as fleet:
        return await _held(folder, database_url, fleet, plans, Random(seed))


async def small(folder: Path, database_url: str, seed: int, times: int) -> Report:
    """Hold championships of a hundredth of the size, while processes are killed at random."""
    rng = Random(seed)
    plans = [_small(rng, number) for number in range(times)]
    async with fleet_of(folder, database_url) as fleet:
        return await _held(folder, database_url, fleet, plans, rng, at_random=True)


def _small(rng: Random, number: int) -> Plan:
    ruleset, sizes = ((CLASSIC, [3, 2]), (MARE_NOSTRUM, [4, 3]))[number % 2]
    stages = STAGES[number % len(STAGES)]
    ways = rng.sample(WAYS, len(WAYS))
    return Plan(_regulations(ruleset, stages, sizes, None), rng.randint(6, 9), 6, ways, crashes=False, patience=300)


def _line(held: Championship, wrong: list[str], fleet: Fleet) -> str:
    """Return what came of a championship just now: a run takes long."""
    outcome = held.outcome
    faults = outcome.wrong + [each for each in wrong if each.startswith(held.url)]
    told = f"{outcome.games} games, {outcome.cases} cases, {outcome.verdict} {fleet.kills} kills so far"
    return f"{held.url}: {told}{''.join(f'; WRONG: {each}' for each in faults)}"


async def _held(
    folder: Path, database_url: str, fleet: Fleet, plans: list[Plan], rng: Random, *, at_random: bool = False
) -> Report:
    began = time.monotonic()
    ledger = Ledger(fleet.addresses, Random(rng.getrandbits(64)))
    held = [Championship(ledger, fleet, plan, Random(rng.getrandbits(64))) for plan in plans]
    for championship in held:
        await championship.register()
    killing = asyncio.create_task(fleet.kill_at_random(Random(rng.getrandbits(64)))) if at_random else None
    wrong, outcomes = list[str](), list[Outcome]()

    for championship in held:
        try:
            with TemporaryDirectory() as exports:
                await championship.run(Path(exports))
        except Exception as error:  # what it was, the report says; the others are held all the same
            wrong.append(f"{championship.url}: {type(error).__name__}: {error}")
        outcomes.append(championship.outcome)
        print(_line(championship, wrong, fleet), file=sys.stderr, flush=True)
    if killing is not None:
        killing.cancel()
        with suppress(asyncio.CancelledError):
            await killing
    spent, took = fleet.processor, time.monotonic() - began
    await ledger.close()
    fleet.stop()
    store = await backend_of(Settings(data=folder, database_url=database_url)).open_store()
    found, events = await audited(store, ledger)
    await store.close()
    wrong += [each for outcome in outcomes for each in outcome.wrong] + found + failed(folder / "service.log")
    counts = ledger.counts
    return Report(outcomes, events, len(ledger.deeds), counts["repeated"], fleet.kills, took, spent, wrong)
