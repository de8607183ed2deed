"""The state at any version of a long game: the cache's checkpoints over a store."""

import asyncio
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from domain.kernel.ids import Version
from domain.kernel.rules.board import Map
from service.app import open_services
from service.base.clock import utc_now
from service.base.settings import Settings
from service.games.games import Games
from service.store.protocol import Append, EventStore, Opening
from tests.bench.kernel import LONG, Played, long_game
from tests.bench.measure import Figure, figure

LOOKS = 400
REPEATS = 3


def bench_at_version() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        first, later = asyncio.run(_look(long_game(), Path(folder)))
    note = f"the position at random versions of a game of {LONG} events"
    yield figure("at-version-first", first, "ms", note="the first look at the past after the game was loaded")
    yield figure("at-version-p95", [_p95(times) for times in later], "ms", goal="<= 10", note=note)


async def _look(game: Played, folder: Path) -> tuple[list[float], list[list[float]]]:
    """Return the milliseconds of first looks, and of all looks that follow each of them."""
    rng, first, later = random.Random("past"), list[float](), list[list[float]]()
    async with open_services(Settings(data=folder, durable=False)) as services:
        await keep(game, services.store)
        for _ in range(REPEATS):
            games = Games(
                services.store, services.library, services.wake, utc_now, services.settings, boards=services.boards
            )
            await games.game(game.simulation.game.id)
            first.append(await _look_at(games, game, LONG - 1))
            later.append([await _look_at(games, game, rng.randrange(1, LONG)) for _ in range(LOOKS)])
    return first, later


def opening_of(game: Played) -> Opening:
    """Return what the store is told of a game with its first events."""
    now = game.simulation.game
    return Opening(
        ruleset=now.ruleset.id,
        ruleset_version=now.ruleset.version,
        title="bench",
        organizer=now.organizer,
        chance=game.simulation.secret,
        board=Map.of(now.board).digest,
        board_file=msgspec.json.encode(now.board),
    )


async def keep(game: Played, store: EventStore, events: int = LONG) -> None:
    """Store the first events of a game that was simulated, as if it went on."""
    now = game.simulation.game
    opening = opening_of(game)
    await store.append(Append(now.id, 0, game.records[:events], "running", seats=now.players, opening=opening))


async def _look_at(games: Games, game: Played, version: Version) -> float:
    began = time.perf_counter()
    seen = await games.at(game.simulation.game.id, version)
    took = (time.perf_counter() - began) * 1000
    assert seen.version == version
    return took


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * len(times))]


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"at-version": bench_at_version}
