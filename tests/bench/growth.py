"""What grows with the database: the same requests to a service with 10 games and to one with many, and bytes an event.

The many are recorded games under new ids, played by a few hundred accounts at random times. Both databases have the
same first ten games, and both services are asked for those. Processor times are compared, in turns. `GROWTH_GAMES` says
how many there are; each has 1,200 events on average.
"""

import asyncio
import contextlib
import hashlib
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import msgspec
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, Seat
from domain.kernel.log.record import Record, chain_hash, genesis
from domain.kernel.proof import reading
from domain.kernel.proof.export import Export
from domain.kernel.rules.board import Map
from domain.library import LIBRARY
from service.bots.client import Client
from service.bots.demonstration import PREFIX, STARTED
from service.readmodels import runner
from service.store.archiving import archive
from service.store.protocol import Append, Opening
from service.store.sqlite.archive import SqliteArchive
from service.store.sqlite.rows import SqliteRows
from service.store.sqlite.store import SqliteStore
from tests.bench.cpu import clock_of, spent
from tests.bench.measure import Figure, figure
from tests.bench.service import Table
from tests.recorded import recorded

GAMES: Final = int(os.environ.get("GROWTH_GAMES", "300"))
FEW: Final = 10
ACCOUNTS: Final = 300
ROUNDS: Final = 3
LEAST: Final = 0.4
"""Seconds of processor time after which a round of reads ends: the clock of a process counts hundredths."""
MOST: Final = 1000
"""Reads in a round."""
RULESETS: Final = ("conquest-classic-2005", "conquest-classic-friz")
"""Those whose recorded games are the shortest."""

_SECRET: Final = re.compile(rb'"[0-9a-f]{32,64}"')
"""A commitment, a salt or the digest of a key: random in each game, so it is in each copy."""


def bench_growth() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        few, many = Path(folder) / "few", Path(folder) / "many"
        asyncio.run(filled(few, FEW))
        events = asyncio.run(filled(many, GAMES))
        note = f"{GAMES} games and {events} events, against {FEW} games"
        with served(few) as (small, began), served(many) as (large, began_large):
            yield figure("growth-start", [began_large / began], "times", goal="<= 1.3", note=f"{note}, {began:.2f} s")
            caught_up(small, large)
            yield from _figures("growth", small, large, ("command", *READS), note)
        with served(few, cached=1) as (small, _), served(many, cached=1) as (large, _):
            yield from _figures("growth-cold", small, large, ("state", "past", "export"), note)
        for database in ("tabularium", "projections"):
            for name, size in sizes(many / f"{database}.db").items():
                yield figure(f"growth-bytes-{database}-{name}", [size / events], "bytes an event")
        packed, taken = asyncio.run(archived(many / "tabularium.db"))
        yield figure(
            "growth-bytes-archive", [packed / events], "bytes an event", goal="<= 45", note="contents of segments"
        )
        yield figure("growth-archiving", [taken * 1e6 / events], "µs of processor an event")
        for name, size in sizes(many / "tabularium.db").items():
            if "segments" in name or name in ("dictionaries", "events"):
                yield figure(f"growth-bytes-archived-{name}", [size / events], "bytes an event")
        with served(few, cached=1) as (small, _), served(many, cached=1) as (large, _):
            note = "an archived game against one that is not, neither in memory"
            yield from _figures("growth-archived", small, large, ("state", "past", "events", "export"), note)


def _figures(prefix: str, small: str, large: str, names: Sequence[str], note: str) -> Iterator[Figure]:
    for name, ratios in compared(small, large, names):
        yield figure(f"{prefix}-{name}", ratios, "times", goal="<= 1.3", note=note)


# --- the databases ----------------------------------------------------------------------------------------------------


async def filled(data: Path, games: int) -> int:
    """Make a store with so many games, and return how many events it has. The first are the same in every store."""
    plays = [reading.read(each.lines()) for ruleset in RULESETS for each in recorded(ruleset)]
    plays = sorted((each for each in plays if each.past is None and each.status == "over"), key=_length)[
        : len(plays) // 2
    ]
    await asyncio.to_thread(data.mkdir, mode=0o700)
    store = await SqliteStore.open(data / "tabularium.db", durable=False)
    events = 0
    try:
        await store._connections.write(_accounts)
        for number in range(games):
            batch = copy_of(plays[number % len(plays)], number)
            await store.append(batch)
            events += len(batch.records)
        # Here and at once: a service would take five times as long, because it folds beside what it answers.
        rows = await SqliteRows.open(data / "projections.db")
        await runner(store, rows, LIBRARY).catch_up()
        await rows.close()
    finally:
        await store.close()
    return events


def _length(play: Export) -> int:
    return len(play.records)


def account(number: int) -> PlayerId:
    return PlayerId(f"p{number:016x}")


def _accounts(connection: sqlite3.Connection) -> None:
    connection.executemany(
        "INSERT INTO players (player, name, created, scopes, sought) VALUES (?, ?, ?, 'play', ?)",
        [
            (account(number), f"Player {number}", "2026-01-01T00:00:00.000000Z", f"player {number}")
            for number in range(ACCOUNTS)
        ],
    )


def game_of(number: int) -> GameId:
    return GameId(f"g{number:016x}")


def copy_of(play: Export, number: int, within: tuple[int, int] = (1_500_000_000, 300_000_000)) -> Append:
    """Return a recorded game under an id of its own, with other players, at other times, with other secrets.

    The times are within so many seconds from a moment on.
    """
    rng, game = random.Random(number), game_of(number)
    names = sorted(
        {
            name
            for record in play.records
            for name in re.findall(rb':"(player-[a-z]+|organizer)"', record.event + (record.cause or b""))
        }
    )
    others = dict(zip(names, rng.sample(range(ACCOUNTS), len(names)), strict=True))
    chance = rng.randbytes(32)
    committed = msgspec.json.decode(play.records[0].event)["commitment"]
    secrets = {b'"%b"' % committed.encode(): b'"%b"' % hashlib.sha256(chance).hexdigest().encode()}

    def renamed(text: bytes) -> bytes:
        for name, other in others.items():
            text = text.replace(b':"%b"' % name, b':"%b"' % account(other).encode())
        return _SECRET.sub(
            lambda found: secrets.setdefault(found[0], b'"%b"' % rng.randbytes(len(found[0]) // 2 - 1).hex().encode()),
            text,
        )

    microseconds, previous, records = rng.randrange(10**15), genesis(game), list[Record]()
    for record in play.records:
        if record.cause is not None:
            microseconds += rng.randrange(200_000, 30_000_000)
        seconds, fraction = divmod(microseconds, 10**6)
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(within[0] + seconds % within[1])) + f".{fraction:06}Z"
        made = replace(
            record, event=renamed(record.event), at=at, cause=renamed(record.cause) if record.cause else None
        )
        previous = chain_hash(previous, game, made)
        records.append(replace(made, hash=previous))
    board = play.board
    opening = Opening(
        play.ruleset,
        play.ruleset_version,
        f"Table {number}",
        account(others.get(b"organizer", 0)),
        chance,
        Map.of(board).digest,
        msgspec.json.encode(board),
    )
    seats = {
        Seat(name.removeprefix(b"player-").decode()): account(other)
        for name, other in others.items()
        if name != b"organizer"
    }
    return Append(game, 0, records, "over", seats=seats, opening=opening)


async def archived(path: Path) -> tuple[int, float]:
    """Archive all games; return the bytes of their segments, and the seconds of processor time that it took."""
    began = time.process_time()
    with SqliteArchive(path) as place:
        packed = [each async for each in archive(place, await place.games_to_pack("9999", False, 10**6))]
    assert not any(each.problem for each in packed)
    return sum(each.size for each in packed), time.process_time() - began


def sizes(path: Path) -> dict[str, int]:
    """Return the bytes that each table and index of a file takes, where they are more than nothing."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        try:
            found = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
        except sqlite3.OperationalError:  # an SQLite without that table
            return {"file": path.stat().st_size}
    return {name: size for name, size in found if size > 100_000}


# --- the services -----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def served(data: Path, cached: int = 1000) -> Iterator[tuple[str, float]]:
    """Run a service on a data directory; yield its address, and the seconds of processor time until it was ready.

    With one game `cached`, every request about another game loads that.
    """
    arguments = [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data", str(data)]
    environ = {**os.environ, f"{PREFIX}TRANSPARENCY": "false", f"{PREFIX}CACHE_GAMES": str(cached)}
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline().strip()
            address = first.removeprefix(STARTED)
            yield address, clock_of(address)
        finally:
            process.terminate()


def caught_up(*addresses: str) -> None:
    """Wait until the projections have the whole log."""
    for address in addresses:
        behind: list[str] = ["1"]
        while not behind or any(float(each) != 0 for each in behind):
            time.sleep(1)
            told = httpx.get(f"{address}/metrics", timeout=60).text
            assert not re.search(r"^tabularium_projection_stopped\{.*\} 1", told, re.MULTILINE), "a projection stopped"
            behind = re.findall(r"^tabularium_projection_behind_events\{.*\} (\S+)$", told, re.MULTILINE)


def read(address: str, path: Callable[[str], str]) -> float:
    """Return the milliseconds of processor time that a request about a game that both services have costs one."""
    before, asked = clock_of(address), 0
    with httpx.Client(base_url=address, timeout=60) as client:
        while (took := clock_of(address) - before) < LEAST and asked < MOST:
            for number in range(FEW):
                client.get(path(game_of(number))).raise_for_status()
            asked += FEW
    return took * 1000 / asked


READS: Final[dict[str, Callable[[str], str]]] = {
    "state": lambda game: f"/v1/games/{game}/state",
    "past": lambda game: f"/v1/games/{game}/state?version=100",
    "events": lambda game: f"/v1/games/{game}/events?after=150&limit=20",
    "export": lambda game: f"/v1/games/{game}/export",
    "lobby": lambda game: "/v1/games?limit=10",
    "search": lambda game: "/v1/games?limit=1&text=table+7",
    "record": lambda game: f"/v1/players/{account(int(game[-2:], 16))}/record",
}


def compared(small: str, large: str, names: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """Yield how many times the processor time of the small service a request takes in the large one."""
    if "command" in names:
        with Client(small) as one, Client(large) as other:
            tables = {
                address: [Table(client, number) for number in range(4)]
                for address, client in ((small, one), (large, other))
            }
            works = {address: [partial(table.turns, commands=30) for table in mine] for address, mine in tables.items()}
            yield "command", _ratios(lambda address: spent(address, works[address]), small, large)
    for name, path in READS.items():
        if name in names:
            yield name, _ratios(partial(read, path=path), small, large)


def _ratios(measure: Callable[[str], float], small: str, large: str) -> list[float]:
    """Return ratios of rounds; the first warms up."""
    return [measure(large) / measure(small) for _ in range(ROUNDS + 1)][1:]


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"growth": bench_growth}
