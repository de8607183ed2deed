"""What grows with the database beyond single requests: upgrade, backup, rebuild, resumed streams; and with one game.

Work on everything is given for each event, so that a ratio of 1 says that it grows with the number of events and no
faster. All figures are processor time. `GROWTH_GAMES` says how many games the larger database has.
"""

import asyncio
import contextlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import httpx

from domain.kernel.ids import GameId
from domain.library import LIBRARY
from projections.library import PROJECTIONS
from projections.runner import Runner
from service.base.clock import utc_now
from service.readmodels import StoreLog
from service.store.sqlite import schema
from service.store.sqlite.backup import Copying
from service.store.sqlite.rows import SqliteRows
from service.store.sqlite.store import SqliteStore
from tests.bench.cpu import clock_of
from tests.bench.growth import FEW, GAMES, LEAST, MOST, ROUNDS, caught_up, filled, game_of, served
from tests.bench.kernel import Played, long_game
from tests.bench.measure import Figure, figure
from tests.bench.past import keep

SHORT: Final = 100
"""Events of the shorter game."""

REBUILT: Final = ("lobby", "finished")
"""Projections that are rebuilt, of twelve: all of them would take minutes."""


def bench_growing() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        places = Path(folder) / "few", Path(folder) / "many"
        counts = [asyncio.run(filled(place, games)) for place, games in zip(places, (FEW, GAMES), strict=True)]
        note = f"an event, with {GAMES} games and {counts[1]} events against {FEW} games and {counts[0]}"
        for name, spent in (("rebuild", _rebuild), ("backup", _backup), ("upgrade", _upgrade)):
            few, many = (
                [spent(place) / count for _ in range(ROUNDS)] for place, count in zip(places, counts, strict=True)
            )
            ratios = [large / small for small, large in zip(few, many, strict=True)]
            said = f"{note}; {min(many) * 1e6:.1f} µs"
            yield figure(f"growing-{name}", ratios, "times", goal="<= 1.3", note=said)
        with served(places[0]) as (small, _), served(places[1]) as (large, _):
            caught_up(small, large)
            ratios = [resumed(large, game_of) / resumed(small, game_of) for _ in range(ROUNDS + 1)][1:]
            yield figure("growing-resume", ratios, "times", goal="<= 1.3", note="a stream that goes on near its end")


def _taken(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _rebuild(place: Path) -> float:
    async def whole() -> None:
        store = await SqliteStore.open(place / "tabularium.db", durable=False)
        rows = await SqliteRows.open(place / "rebuilt.db")
        for projection in PROJECTIONS:
            if projection.name in REBUILT:
                await Runner([projection], StoreLog(store), rows, LIBRARY).rebuild(projection.name)
        await rows.close()
        await store.close()

    seconds = _taken(lambda: asyncio.run(whole()))
    (place / "rebuilt.db").unlink()
    return seconds


def _backup(place: Path) -> float:
    with contextlib.closing(Copying(place / "tabularium.db", place / "copies")) as copying:
        seconds = _taken(lambda: copying.copy(utc_now()))
    for each in (place / "copies").iterdir():
        each.unlink()
    return seconds


def _upgrade(place: Path) -> float:
    """Return the seconds in which a file of the schema before is brought up to date, which reads it whole."""
    older = place / "older" / "tabularium.db"
    older.parent.mkdir(mode=0o700)
    _written(place / "tabularium.db", older)

    async def opened() -> None:
        await (await SqliteStore.open(older, durable=False)).close()

    seconds = _taken(lambda: asyncio.run(opened()))
    shutil.rmtree(older.parent)
    return seconds


def _written(newer: Path, older: Path) -> None:
    """Write a file of the schema before with what a newer one has of its tables."""
    with contextlib.closing(sqlite3.connect(older, isolation_level=None)) as connection:
        connection.executescript(f"PRAGMA journal_mode = WAL; {schema.script(0, schema.SCHEMA_VERSION - 1)}")
        # They would refuse, or do once more, what was done before.
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("ATTACH ? AS newer", (str(newer),))
        tables = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        connection.execute("BEGIN")
        for (table,) in connection.execute(tables).fetchall():
            columns = ", ".join(
                name for (name,) in connection.execute(f"SELECT name FROM pragma_table_info('{table}')")
            )
            connection.execute(f"DELETE FROM main.{table}")
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
        connection.execute("COMMIT")
        for _, trigger in triggers:
            connection.execute(trigger)


def resumed(address: str, name: Callable[[int], GameId], games: int = FEW) -> float:
    """Return the milliseconds of processor time in which a client gets the last event by a stream that broke off."""
    before, asked = clock_of(address), 0
    with httpx.Client(base_url=address, timeout=60) as client:
        versions = {
            game: client.get(f"/v1/games/{game}").raise_for_status().json()["version"]
            for game in map(name, range(games))
        }
        while (took := clock_of(address) - before) < LEAST and asked < MOST:
            for game, version in versions.items():
                head = {"last-event-id": str(version - 1)}
                with client.stream("GET", f"/v1/games/{game}/events/stream", headers=head) as stream:
                    next(line for line in stream.iter_lines() if line.startswith("data:"))
            asked += games
    return took * 1000 / asked


# --- one game ---------------------------------------------------------------------------------------------------------


def bench_one_game() -> Iterator[Figure]:
    game = long_game()
    name = game.simulation.game.id
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        short, long = Path(folder) / "short", Path(folder) / "long"
        events = len(game.records)
        for place, count in ((short, SHORT), (long, events)):
            asyncio.run(_kept(place, game, count))
        note = f"a game of {events} events against one of {SHORT}"
        with served(short) as (small, _), served(long) as (large, _):
            for what, path, scale in (
                ("state", f"/v1/games/{name}/state", 1.0),
                ("page", f"/v1/games/{name}/events?after={{}}&limit=20", 1.0),
                ("export", f"/v1/games/{name}/export", SHORT / events),
            ):
                ratios = [
                    _asked(large, path.format(events - 20)) / _asked(small, path.format(SHORT - 20)) * scale
                    for _ in range(ROUNDS + 1)
                ][1:]
                said = f"{note}; for each event" if scale < 1 else note
                yield figure(f"one-game-{what}", ratios, "times", goal="<= 1.3", note=said)
            ratios = [resumed(large, lambda _: name, 1) / resumed(small, lambda _: name, 1) for _ in range(ROUNDS + 1)][
                1:
            ]
            yield figure("one-game-resume", ratios, "times", goal="<= 1.3", note=note)


async def _kept(place: Path, game: Played, events: int) -> None:
    await asyncio.to_thread(place.mkdir, mode=0o700)
    store = await SqliteStore.open(place / "tabularium.db", durable=False)
    await keep(game, store, events)
    await store.close()


def _asked(address: str, path: str) -> float:
    """Return the milliseconds of processor time that a request costs."""
    before, asked = clock_of(address), 0
    with httpx.Client(base_url=address, timeout=60) as client:
        while (took := clock_of(address) - before) < LEAST and asked < MOST:
            client.get(path).raise_for_status()
            asked += 1
    return took * 1000 / asked


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"growing": bench_growing, "one-game": bench_one_game}
