"""The storm: two processes of the service over one PostgreSQL and one Redis, sixteen tables, and everything breaks."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId, StreamId
from domain.kernel.log.record import Record
from service.api.problems.request import UNAVAILABLE
from service.base.settings import Settings
from service.store.backend import backend_of
from service.store.protocol import EventStore
from tests.faults.audit import faults_of_acknowledgements, faults_of_games, faults_of_projections, read_log
from tests.faults.followers import CheckpointReader, LogReader, StreamReader
from tests.faults.ledger import PATIENCE, Ledger
from tests.faults.nursery import Nursery, Process, nursery
from tests.faults.tables import Table, seated
from tests.helpers.redis import Server as Redis
from tests.service.transparency.logs import KEY, WRITTEN_KEY, check_log, is_signed

PROCESSES: Final = 2
BETWEEN_KILLS: Final = (0.2, 1.6)
"""Seconds from one kill to the next, at least and at most."""

TABLES: Final = 16
CLASSIC: Final = 4
"""So many of the tables play Conquest Classic, whose games go on for long; the others auctions, which end and begin."""


class Weather(Struct, frozen=True):
    """How bad it gets.

    Attributes:
        kills: how often a process of the service is killed.
        crashes: how often PostgreSQL stops as after a power failure, or one of its machines does.
        redis: how often something happens to Redis: it is flushed, killed, hung for a second, in turn.
        apart: how many commands are acknowledged after a crash, at least, before anything else ends.
    """

    kills: int = 52
    crashes: int = 6
    redis: int = 9
    seed: int = 20261121
    apart: int = 0


class Report(Struct, frozen=True):
    """What happened, and what was found wrong afterwards: nothing, that is."""

    counts: dict[str, int]
    faults: list[str]


class Fleet:
    """The processes that serve now."""

    def __init__(self, nursery: Nursery, rng: Random) -> None:
        self._nursery = nursery
        self._rng = rng
        self._serving: list[Process] = []
        self.kills = 0

    def addresses(self) -> list[str]:
        return [process.address for process in self._serving]

    async def launch(self) -> None:
        self._serving = [await self._nursery.start() for _ in range(PROCESSES)]

    async def prepare(self) -> None:
        """Start the process that takes the place of the next that is killed."""
        self._successor = await self._nursery.start()

    def kill_one(self) -> None:
        """Kill a process, whatever it is doing."""
        killed = self._rng.randrange(len(self._serving))
        self._serving[killed].kill()
        self._serving[killed] = self._successor
        self.kills += 1


async def storm(crash: Callable[[], None], url: str, redis: Redis, data: Path, weather: Weather) -> Report:
    """Play through a storm, and return what it has done and what the audit found.

    `crash` lets the database, or a machine of it, stop as after a power failure, and start again.
    """
    rng, stop = Random(weather.seed), asyncio.Event()
    settings = Settings(data=data, database_url=url, redis_url=redis.url, snapshot_every=10)
    reading = await backend_of(settings).open_store()
    given = {"data": str(data), "database_url": url, "redis_url": redis.url, "port": "0", "log_level": "error"}
    # Short games have snapshots too, and requests are counted against limits that nobody comes near.
    given |= {"snapshot_every": "10", "rate_per_token": "1000", "rate_per_address": "100000", "log_key": WRITTEN_KEY}
    async with nursery(given, data / "service.log") as young:
        fleet = Fleet(young, rng)
        await fleet.launch()
        ledger = Ledger(fleet.addresses, rng)
        rulesets = ["conquest-classic-friz"] * CLASSIC + ["tiny-auction"] * (TABLES - CLASSIC)
        tables = await seated(ledger, fleet.addresses()[0], rulesets, rng, stop)
        streams: list[StreamReader] = []
        log_reader, checkpoints = LogReader(), CheckpointReader()
        playing = [asyncio.create_task(table.play()) for table in tables]
        following = asyncio.create_task(_follow(tables, streams, fleet, rng, stop))
        log_following = asyncio.create_task(log_reader.follow(reading, played := asyncio.Event()))
        looking = asyncio.create_task(checkpoints.follow(ledger.newest_checkpoint, signed := asyncio.Event()))
        await _break(fleet, crash, ledger, redis, weather, rng)
        await _played_out(tables, playing, ledger)
        stop.set()
        with suppress(TimeoutError):
            await ledger.until(lambda: all(task.done() for task in playing))
        ended, stuck = await asyncio.wait(playing, timeout=0)
        ledger.wrong += ["a table still waits for an answer, and nobody gets any" for _ in stuck]
        ledger.wrong += [f"a table broke off: {task.exception()!r}" for task in ended if task.exception()]
        played.set()
        await log_following
        ledger.wrong += await _all_signed(reading)
        signed.set()
        await looking
        if following.done() and following.exception():
            ledger.wrong.append(f"who followed the streams broke off: {following.exception()!r}")
        for task in (following, *stuck):
            task.cancel()
        await asyncio.gather(following, *stuck, return_exceptions=True)
        await ledger.close()
    ledger.wrong += failed(data / "service.log")
    return await _audited(reading, settings, ledger, fleet, weather, log_reader, checkpoints, streams)


async def _break(
    fleet: Fleet, crash: Callable[[], None], ledger: Ledger, redis: Redis, weather: Weather, rng: Random
) -> None:
    lasts = weather.kills * sum(BETWEEN_KILLS) / 2

    async def kill() -> None:
        for _ in range(weather.kills):
            await asyncio.gather(fleet.prepare(), asyncio.sleep(rng.uniform(*BETWEEN_KILLS)))
            fleet.kill_one()

    async def crashes() -> None:
        for _ in range(weather.crashes):
            await asyncio.sleep(lasts / weather.crashes)
            before = len(ledger.acknowledged)
            await asyncio.to_thread(crash)
            await ledger.until(lambda enough=before + weather.apart: len(ledger.acknowledged) >= enough)

    async def hang() -> None:
        redis.pause()
        await asyncio.sleep(1)
        redis.resume()

    async def forget() -> None:
        for number in range(weather.redis):
            await asyncio.sleep(lasts / weather.redis)
            match number % 3:
                case 0:
                    await asyncio.to_thread(redis.flush)
                case 1:
                    await asyncio.to_thread(redis.restart)
                case _:
                    await hang()

    await asyncio.gather(kill(), crashes(), forget())


async def _played_out(tables: list[Table], playing: list[asyncio.Task[None]], ledger: Ledger) -> None:
    """Go on until each table with short games has ended one: on a slow machine hardly anything happened so far."""
    short = tables[CLASSIC:]
    await ledger.until(lambda: all(table.over for table in short) or any(task.done() for task in playing))


async def _follow(
    tables: list[Table], streams: list[StreamReader], fleet: Fleet, rng: Random, stop: asyncio.Event
) -> None:
    """Let a reader follow each table's present game."""

    async def at(table: Table) -> None:
        while not stop.is_set():
            if table.games and table.games[-1] not in {stream.game for stream in streams}:
                streams.append(StreamReader(table.games[-1]))
                await streams[-1].follow(fleet.addresses, rng, stop)
            await asyncio.sleep(0.05)

    await asyncio.gather(*map(at, tables[::2]))


async def _all_signed(store: EventStore) -> list[str]:
    """Wait until the newest checkpoint is of all that was played; return what is wrong when it is not in time."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not await is_signed(store):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    except TimeoutError:
        return [f"after {PATIENCE:.0f} seconds not everything is signed"]
    return []


def failed(log: Path) -> list[str]:
    """Return what the service logged of requests that met a fault of its own, with the reasons.

    That PostgreSQL is away for longer than the service waits for it is none: so long may its recovery take.
    """
    away = f'"problem":"{UNAVAILABLE.slug}"'  # looked for in the text: who is killed may leave half a line
    return [line for line in log.read_text().splitlines() if '"request failed"' in line and away not in line]


def by_stream(rows: Sequence[tuple[StreamId, Record]]) -> dict[StreamId, list[Record]]:
    """Return the records of each stream, in the order of the rows."""
    streams: dict[StreamId, list[Record]] = {}
    for stream, record in rows:
        streams.setdefault(stream, []).append(record)
    return streams


async def _audited(
    store: EventStore,
    settings: Settings,
    ledger: Ledger,
    fleet: Fleet,
    weather: Weather,
    log_reader: LogReader,
    checkpoints: CheckpointReader,
    streams: list[StreamReader],
) -> Report:
    log = await read_log(store)
    faults, counts = await faults_of_games(store, log, settings)
    faults += ledger.wrong + faults_of_acknowledgements(ledger, log)
    everything = (await store.read_all(limit=10_000_000))[0]
    # Two books come in any order.
    if by_stream(log_reader.seen) != by_stream(everything) or len(log_reader.seen) != len(everything):
        faults.append(f"who followed the log saw {len(log_reader.seen)} events, and there are {len(everything)}")
    published = await check_log(store, {game: [each.hash for each in records] for game, records in log.items()}, KEY)
    faults += checkpoints.wrong(published)
    for stream in streams:
        kept = [(record.version, record.hash.hex()) for record in log.get(GameId(stream.game), ())]
        if stream.seen != kept[: len(stream.seen)]:
            at = next(n for n, (one, other) in enumerate(zip_longest(stream.seen, kept)) if one != other)
            faults.append(f"the stream of {stream.game} has {stream.seen[at]} where the log has {kept[at : at + 1]}")
    for (player, game), version in ledger.read_marks.items():
        marks = await store.accounts.read_marks(PlayerId(player))
        if marks.get(GameId(game), 0) < version:
            faults.append(
                f"{player} had read {game} up to version {version}, and it is marked as {marks.get(GameId(game))}"
            )
    rows = await backend_of(settings).open_projections()
    faults += await faults_of_projections(store, rows)
    await rows.close()
    await store.close()
    counts += Counter(
        kills=fleet.kills,
        crashes=weather.crashes,
        redis=weather.redis,
        deeds=len(ledger.deeds),
        acknowledged=sum(bool(deed.answers) for deed in ledger.deeds),
        checkpoints=len(published),
        streams=len(streams),
        streamed=sum(len(stream.seen) for stream in streams),
        resumed=sum(stream.broken_off for stream in streams),
    )
    return Report(dict(counts + ledger.counts), faults)
