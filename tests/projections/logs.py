"""Logs for projections: random games, interleaved as if several were played at the same time, and rows to compare."""

import os
import random
import signal
from collections.abc import Collection, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from domain.boards import builtin
from domain.kernel.ids import BOOKS, GameId, StreamId, book_of
from domain.kernel.log.history import starts_of_commands
from domain.kernel.log.record import Record
from domain.kernel.rules.board import Board, Map
from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY as RULESETS
from projections.cursor import Cursor, Place, Stretch
from projections.lanes import LANES
from projections.library import PROJECTIONS
from projections.projection import Projection
from projections.runner import Runner
from projections.store import Generation, ProjectionStore
from service.bots.simulation import Plan, Simulation
from service.store.sqlite.rows import SqliteRows
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction

TINY = TinyAuction()
CLASSIC = RULESETS.current("conquest-classic-friz")
LIBRARY = Library([TINY, CLASSIC])
BOARDS = {Map.of(board).digest: board for board in (ROOM, builtin(CLASSIC.board))}

Row = tuple[StreamId, Record]


class MemoryLog:
    """A log in memory, in one book. Its cursors are numbers."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = list(rows)

    async def read_on(self, cursor: str | None, limit: int, books: Collection[int] | None = None) -> Stretch:
        start = Cursor.parse(cursor, 1)
        (after,) = start.positions
        found = self.rows[after : after + limit]
        places = [Place(0, after + number) for number in range(1, len(found) + 1)]
        return Stretch(start, found, places, start.after(places))

    async def lanes(self) -> int:
        return 1

    async def end(self) -> Cursor:
        return Cursor((len(self.rows),))

    async def read(self, stream: StreamId, limit: int) -> list[Record]:
        return [record for of_stream, record in self.rows if of_stream == stream][:limit]

    async def board(self, digest: str) -> bytes | None:
        return msgspec.json.encode(BOARDS[digest])

    async def title(self, game: GameId) -> str:
        return f"The title of {game}"


class BookLog(MemoryLog):
    """A log in memory, in books. With `count` 1, it is followed as before there were lanes."""

    count = LANES

    def places(self) -> list[Place]:
        """Return where each record is."""
        counts = [0] * BOOKS
        places = list[Place]()
        for stream, _ in self.rows:
            counts[book_of(stream)] += 1
            places.append(Place(book_of(stream), counts[book_of(stream)]))
        return places

    async def lanes(self) -> int:
        return self.count

    async def end(self) -> Cursor:
        return Cursor.start(BOOKS).after(self.places())

    async def read_on(self, cursor: str | None, limit: int, books: Collection[int] | None = None) -> Stretch:
        start, end = Cursor.parse(cursor, BOOKS), await self.end()
        steps = start.shares(end, limit)
        until = start.plus({book: steps.get(book, 0) for book in (range(BOOKS) if books is None else books)})
        found = [
            (place, row)
            for place, row in zip(self.places(), self.rows, strict=True)
            if until.has(place) and not start.has(place)
        ]
        found.sort(key=lambda each: each[0])
        return Stretch(start, [row for _, row in found], [place for place, _ in found], until)


class KilledRows(SqliteRows):
    """A store of rows that kills its process right before the statement with the number `before`, counted from 1."""

    @classmethod
    async def opened(cls, path: Path, before: int) -> "KilledRows":
        rows = await cls.open(path)
        assert isinstance(rows, cls)
        numbers = count(1)

        def trace(statement: str) -> None:
            if next(numbers) == before:
                os.kill(os.getpid(), signal.SIGKILL)

        rows._connections._writer._connection.set_trace_callback(trace)
        return rows


def tiny_game(
    seed: int, players: int = 2, commands: int = 100, *, undo: bool = False, board: Board = ROOM
) -> list[Row]:
    """Return the log of a game of the tiny auction; with an undo and a ruling in it, if wanted and possible."""
    rng = random.Random(seed)
    play = Play(TINY, board, players, seed=seed)
    for number in range(commands):
        if play.game.status != "running":
            break
        play.step(rng)
        if undo and number % 3 == 1 and play.game.status == "running" and play.game.undo_seat:
            play.undo(play.game.undo_seat, play.game.undo_to[0])
        if undo and number == 7 and play.game.status == "running":
            play.rule(min(starts_of_commands(play.records)))
    return [(play.game.id, record) for record in play.records]


def classic_play(seed: int, commands: int, players: int = 6) -> Simulation:
    """Return a random game of the classic rules; with six players and 300 commands there is war."""
    simulation = Simulation(Plan(CLASSIC.id, players, seed, commands=commands))
    for _ in simulation.play():
        pass
    return simulation


def classic_game(seed: int, commands: int, players: int = 3) -> list[Row]:
    simulation = classic_play(seed, commands, players)
    return [(simulation.game.id, record) for record in simulation.records]


def mixed(games: Sequence[list[Row]], seed: int = 1) -> list[Row]:
    """Return the records of several games interleaved at random. Within a game, the order stays."""
    rng, left = random.Random(seed), [list(game) for game in games]
    rows: list[Row] = []
    while any(left):
        rows.append(rng.choice([game for game in left if game]).pop(0))
    return rows


def runner(
    log: MemoryLog, rows: ProjectionStore, projections: Sequence[Projection] = PROJECTIONS, **options: Any
) -> Runner:
    return Runner(projections, log, rows, LIBRARY, **options)


async def contents(rows: ProjectionStore, projections: Sequence[Projection] = PROJECTIONS) -> dict[str, list[Any]]:
    """Return all live rows, sorted, by projection and table."""
    found: dict[str, list[Any]] = {}
    for projection in projections:
        for table in projection.tables:
            columns = ", ".join([*table.key, *table.columns])
            selected = await rows.select(projection, f"SELECT {columns} FROM {{{table.name}}}")
            found[f"{projection.name}.{table.name}"] = sorted(selected)
    return found


async def from_zero(
    log: MemoryLog, path: Path, projections: Sequence[Projection] = PROJECTIONS
) -> dict[str, list[Any]]:
    """Return the contents of a new store after a fold of the whole log."""
    rows = await SqliteRows.open(path)
    await runner(log, rows, projections, batch=7).catch_up()
    found = await contents(rows, projections)
    await rows.close()
    return found


async def status(rows: ProjectionStore) -> dict[str, Generation]:
    """Return the live generation of each projection."""
    return {each.projection: each for each in await rows.generations() if each.live}
