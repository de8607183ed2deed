"""Games that a process has not in memory: a long one loaded with and without a snapshot, and what hot ones weigh."""

import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
from msgspec.structs import replace

from domain.kernel.ids import GameId, Version
from domain.kernel.log.record import Record, chain_hash, genesis
from domain.library import LIBRARY
from service.app import open_snapshots
from service.base.clock import utc_now
from service.base.settings import Settings
from service.cluster.redis import open_redis
from service.cluster.wake import LocalWake
from service.games.games import Games
from service.games.snapshots import Snapshots, Tier, take
from service.observe.metrics import Metrics
from service.store.backend import backend_of
from service.store.protocol import EventStore, Stored
from tests.bench.kernel import LONG, Played, long_game
from tests.bench.measure import Figure, figure, resident
from tests.bench.past import keep
from tests.helpers.postgres import cluster
from tests.helpers.redis import server

REPEATS = 15
STORED_AT = LONG - 100
"""On average a stored snapshot lies so far back: half of `snapshot_every`."""
HOT_AT = LONG - 16

GAMES = 1000
EVENTS = 500


# --- cold loads -------------------------------------------------------------------------------------------------------


def bench_cold() -> Iterator[Figure]:
    """A game of 5,000 events, from both stores: its whole log, or a snapshot and the events after it."""
    game = long_game()
    with cluster() as database, server() as redis, tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        for name, database_url in (("sqlite", ""), ("postgres", database.url("migrated"))):
            settings = Settings(data=Path(folder), database_url=database_url, redis_url=redis.url)
            for how, times in asyncio.run(_cold(game, settings)).items():
                yield figure(f"cold-load-{name}-{how}", times, "ms", note=f"a game of {LONG} events")


async def _cold(game: Played, settings: Settings) -> dict[str, list[float]]:
    """Return the milliseconds of loads: from the log, from a stored snapshot on, from one in Redis on."""
    async with AsyncExitStack() as opened:
        store = await backend_of(settings).open_store()
        opened.push_async_callback(store.close)
        redis = await opened.enter_async_context(open_redis(settings.redis_url, Metrics()))
        await keep(game, store)
        hot, stored = await open_snapshots(settings, redis)
        opened.push_async_callback(stored.store.close)
        games = _hall(store, settings, [])
        for place, version in ((stored, STORED_AT), (hot, HOT_AT)):
            await place.store.keep(take(await games.at(game.simulation.game.id, version), game.simulation.secret))
        return {
            how: await _loads(_hall(store, settings, places), game)
            for how, places in (("whole", []), ("snapshot", [stored]), ("redis", [hot]))
        }


def _hall(store: EventStore, settings: Settings, places: list[Tier]) -> Games:
    # Far apart, so that no new ones are taken while this is measured.
    seldom = [replace(place, every=10 * LONG) for place in places]
    snapshots = Snapshots(seldom, Metrics())
    return Games(store, LIBRARY, LocalWake(), utc_now, settings, metrics=Metrics(), snapshots=snapshots)


async def _loads(games: Games, game: Played) -> list[float]:
    """Return the milliseconds that loads took, after the first: boards are read once."""
    times: list[float] = []
    for _ in range(REPEATS + 1):
        vars(vars(games)["_cache"])["_cached"].clear()
        began = time.perf_counter()
        loaded = await games.game(game.simulation.game.id)
        times.append((time.perf_counter() - began) * 1000)
        assert loaded.version == LONG
    return times[1:]


# --- hot games --------------------------------------------------------------------------------------------------------


class Copies:
    """A store that has one game as often as one asks for it, each time as bytes of its own."""

    is_shared = False

    def __init__(self, game: Played) -> None:
        self._records = game.records[:EVENTS]
        self._chance = game.simulation.secret
        self._board = msgspec.json.encode(game.simulation.game.board)

    async def load(self, game: GameId, after: Version = 0, known: int = 0) -> Stored:
        records: list[Record] = []
        previous = genesis(game)
        for record in self._records:
            own = replace(record, event=_copy(record.event), cause=record.cause and _copy(record.cause))
            previous = chain_hash(previous, game, own)
            records.append(replace(own, hash=previous))
        return Stored(EVENTS, records, [], self._chance)

    async def read(self, game: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        return (await self.load(game)).records[after:][:limit]

    async def board(self, digest: str) -> bytes:
        return self._board


def _copy(text: bytes) -> bytes:
    return bytes(bytearray(text))


def bench_memory() -> Iterator[Figure]:
    """A thousand games in memory, in a process of its own."""
    values: dict[str, list[float]] = {}
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.cold"], capture_output=True, text=True, check=True
        ).stdout
        for line in done.splitlines():
            name, value = line.split()
            values.setdefault(name, []).append(float(value))
    note = f"{GAMES} games of {EVENTS} events, resident memory beyond an empty cache's"
    yield figure("memory-1000-hot-games", values["hot"], "MB", note=note)
    yield figure("memory-1000-games-with-past", values["past"], "MB", note=f"{note}, their past looked at")
    for name in ("hot", "past"):
        counted = [each / real for each, real in zip(values[f"{name}-counted"], values[name], strict=True)]
        yield figure(
            f"memory-counted-{name}", counted, "of it", goal="1.0 to 1.5", note="what the cache counts them for"
        )


async def _weigh() -> None:
    games = Games(
        Copies(long_game()),  # pyrefly: ignore[bad-argument-type]
        LIBRARY,
        LocalWake(),
        utc_now,
        Settings(cache_games=GAMES),
    )
    await games.game(GameId("warm"))
    before = _resident()
    ids = [GameId(f"game-{number}") for number in range(GAMES)]
    for game in ids:
        await games.game(game)
    print("hot", (_resident() - before) / 1e6)
    print("hot-counted", _counted(games) / 1e6)
    for game in ids:
        await games.at(game, EVENTS - 1)
    print("past", (_resident() - before) / 1e6)
    print("past-counted", _counted(games) / 1e6)


def _counted(games: Games) -> int:
    return vars(vars(games)["_cache"])["_held"]


def _resident() -> int:
    """Return the memory that this process has resident without garbage, in bytes."""
    gc.collect()
    return resident()


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"cold": bench_cold, "memory": bench_memory}

if __name__ == "__main__":
    asyncio.run(_weigh())
