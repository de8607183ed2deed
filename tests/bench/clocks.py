"""How late flags fall when ten thousand games with clocks run, and how long an outage takes to be credited.

The games are made while nobody watches. Then three processes over one PostgreSQL share them: they find an outage, give
the time back in every game, and let flags fall. All is as in a service but for HTTP.
"""

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

from domain.kernel.chance.draws import commitment_to
from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log import beginning, seating, timing
from domain.kernel.log.clock import Clock
from domain.kernel.log.game import Decided
from domain.kernel.log.record import Cause
from domain.kernel.rules.documents import key_of, packed
from domain.kernel.rules.ruleset import Library
from projections import deadlines
from service import readmodels
from service.api.services import Services
from service.app import open_services
from service.base.clock import stamped
from service.base.settings import Settings
from service.games.requests import Request
from service.store.protocol import Opening
from tests.bench.measure import Figure, figure
from tests.helpers.postgres import shared_cluster
from tests.tiny.auction import ROOM, TinyAuction

GAMES: Final = 10_000
PROCESSES: Final = 3
SECONDS: Final = 300
"""For how long they let flags fall."""
TIMES: Final = (120, 600)
"""The least and the most seconds that a seat has."""
PLAYERS: Final = (PlayerId("p1"), PlayerId("p2"))
GOAL: Final = "<= 3000"


def bench_clocks() -> Iterator[Figure]:
    yield from asyncio.run(_bench())


async def _bench() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        async with shared_cluster().database() as url:
            began = time.perf_counter()
            await _begin(Path(folder), url)
            made = time.perf_counter() - began
            what = [sys.executable, "-m", "tests.bench.clocks", url]
            running = [
                await asyncio.create_subprocess_exec(*what, str(Path(folder) / str(number)), stdout=subprocess.PIPE)
                for number in range(PROCESSES)
            ]
            told: list[dict[str, Any]] = [
                json.loads((await each.communicate())[0].splitlines()[-1]) for each in running
            ]
            twice, early, last, fallen = await _looked_at(Path(folder), url)
    late = sorted(each for one in told for each in one["late"])
    if not late:
        raise SystemExit(f"No flag fell in {SECONDS} s: the machine is too busy to watch {GAMES} games.")
    note = f"{len(late)} flags in {SECONDS} s over {GAMES} games in {PROCESSES} processes"
    share = [late[int(share * len(late))] * 1000 for share in (0.5, 0.95, 0.99)]
    return [
        figure("clocks-games-made", [made], "s", note=f"{GAMES} games"),
        figure("clocks-outage", [each["credited"] for each in told], "s", note="until all games of a process had it"),
        figure("clocks-late-p50", [share[0]], "ms", note=note),
        figure("clocks-late-p95", [share[1]], "ms", goal=GOAL, note=f"{note}; after deadline and grace"),
        figure("clocks-late-p99", [share[2]], "ms", note=note),
        figure("clocks-early", [early], "flags", goal="0", note=f"of {fallen} in the logs; the nearest {last:.3f} s"),
        figure("clocks-twice", [twice], "flags", goal="0", note="of one seat at one moment"),
    ]


async def _begin(folder: Path, url: str) -> None:
    """Make the games. Nobody watches them meanwhile."""
    settings = _settings(folder / "maker", url, clocks=False)
    rng = random.Random(1)
    async with open_services(settings, _library(), lambda _: ROOM) as services:
        # As if somebody had watched until now: the games begin after that.
        await services.rows.watch({lane: services.games.time() for lane in range(16)}, 16)
        await asyncio.gather(*(_made_by(services, rng) for _ in range(8)))
        await readmodels.runner(services.store, services.rows, services.library).catch_up()


async def _made_by(services: Services, rng: random.Random) -> None:
    for _ in range(GAMES // 8):
        await _made(services, rng.uniform(*TIMES))


async def _made(services: Services, seconds: float) -> None:
    ruleset, games = TinyAuction(), services.games
    secret = games.new_secret()
    board = ruleset.equip(ROOM)
    digest = key_of(board)
    opening = Opening(ruleset.id, ruleset.version, "", PLAYERS[0], secret, digest, packed(board))

    async def begin(game: GameId, request: Request) -> Decided:
        at, cause = request.at, request.cause
        commitment = commitment_to(secret)
        step = beginning.create(
            ruleset, game, 2, setup={}, board=board, organizer=PLAYERS[0], commitment=commitment, cause=cause, at=at
        )
        clock = Clock(kind="decision", time=round(seconds), vacate_after=0)
        step = step.then(timing.set_clock(step.game, clock, cause, at))
        for seat, player in zip(step.game.players, PLAYERS, strict=True):
            step = step.then(seating.take_seat(step.game, seat, "", Cause(player), at))
        return step.then(beginning.start(step.game, step.game.chance(secret), cause, at))

    await games.open("create", PLAYERS[0], [], opening, begin)


async def _looked_at(folder: Path, url: str) -> tuple[int, int, float, int]:
    """Return how many flags fell twice and too early, the least seconds after the deadline, and how many fell."""
    twice = early = fallen = 0
    nearest = float("inf")
    async with open_services(_settings(folder / "reader", url, clocks=False), _library(), lambda _: ROOM) as services:
        rows = await services.rows.select(deadlines.CLOCKS, "SELECT game FROM {deadlines} ORDER BY game")
        for (game,) in rows:
            at, left, seen = "", dict[str, int](), Counter[str]()
            for record in await services.games.records(game):
                event = json.loads(record.event)
                if event["type"] == "clocks-ran":
                    at, left = event["at"], {seat: event["left"][seat] for seat in event["runs"]}
                elif event["type"] == "clock-expired":
                    fallen += 1
                    seen[f"{event['seat']} {at}"] += 1
                    passed = (stamped(record.at) - stamped(at)).total_seconds()
                    late = passed - left[event["seat"]] / 1000 - 2
                    early += late < -0.001  # times are cut to milliseconds
                    nearest = min(nearest, late)
            twice += sum(number > 1 for number in seen.values())
    return twice, early, nearest, fallen


def _settings(folder: Path, url: str, *, clocks: bool) -> Settings:
    return Settings(
        data=folder, database_url=url, transparency=False, bots=0, clocks=clocks, projections=clocks, durable=False
    )


def _library() -> Library:
    return Library([TinyAuction()])


async def _watch(url: str, folder: Path) -> None:
    """Watch, as a process of a service does; print how late flags fell and when all games had their time back."""
    late, credited = list[float](), list[float]()
    began = time.perf_counter()
    async with open_services(_settings(folder, url, clocks=True), _library(), lambda _: ROOM) as services:
        cast(Any, services.metrics.clock_lateness).observe = late.append

        def told(kind: str, outcome: str) -> None:
            if kind == "credit-outage" and outcome == "accepted":
                credited.append(time.perf_counter() - began)

        services.metrics.commanded = told
        await asyncio.sleep(SECONDS)
    print(json.dumps({"late": late, "credited": max(credited, default=0.0)}))


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"clocks": bench_clocks}

if __name__ == "__main__":
    asyncio.run(_watch(sys.argv[1], Path(sys.argv[2])))
