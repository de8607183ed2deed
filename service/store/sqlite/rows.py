"""The embedded store of projections: one SQLite file beside that of the log.

It is a file of its own for three reasons. In the file of the log, a commit of projections would hold SQLite's only
write lock while commands wait to be stored. The log's file is checked to be a log and nothing else. And this file may
be lost, because projections can be folded anew from the log. So its commits do not wait for the disk: a power failure
may take the last ones back, rows and checkpoint together. Only the count of refusals would be lost for good.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from projections import sql
from projections.change import Amend, Changes
from projections.lanes import shared
from projections.projection import Projection
from projections.store import Generation, Lane, NotBuilt, Overtaken, Step, Trouble, Unavailable
from service.store.protocol import StoreError
from service.store.sqlite.connections import Connections, Translated, create_anew

T = TypeVar("T")

READERS: Final = 2


class SqliteRows:
    """A `ProjectionStore` in one file. To be made by `SqliteRows.open`."""

    def __init__(self, path: Path) -> None:
        self._connections = Connections(path, "PRAGMA synchronous = NORMAL", readers=READERS)

    @classmethod
    async def open(cls, path: Path) -> "SqliteRows":
        """Open the file `path`, or make it. If it is damaged, move it aside and make a new one.

        Raises `Unavailable` when the file cannot be opened.
        """
        return await asyncio.to_thread(cls._open, path)

    @classmethod
    def _open(cls, path: Path) -> "SqliteRows":
        with _translated(), Translated(path):
            create_anew(path, sql.GENERATIONS, sql.CHECKPOINTS, sql.LEASES, sql.FOLLOWERS, sql.WATCHES, sql.REFUSALS)
            return cls(path)

    async def close(self) -> None:
        await self._connections.close()

    # --- reading ---

    async def generations(self) -> list[Generation]:
        return await self._read(_generations)

    async def select(
        self, projection: Projection, query: str, values: Sequence[Any] = (), *, number: int | None = None
    ) -> list[tuple[Any, ...]]:
        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            # One transaction: between the two a swap could drop the tables.
            connection.execute("BEGIN")
            try:
                which = (
                    (sql.LIVE, sql.readable(projection)) if number is None else (sql.THERE, (projection.name, number))
                )
                generation = connection.execute(*which).fetchone()
                if generation is None:
                    raise NotBuilt(projection.name) if number is None else Overtaken(f"{projection.name} was dropped")
                places = sql.places(projection.name, generation[0], projection.tables)
                return connection.execute(query.format_map(places), tuple(values)).fetchall()
            finally:
                connection.execute("COMMIT")

        return await self._read(work)

    async def refusals(self) -> list[tuple[str, str, int]]:
        return await self._read(
            lambda connection: connection.execute("SELECT ruleset, rule, times FROM refusals").fetchall()
        )

    # --- writing ---

    async def lease(self, holder: str, seconds: float, work: str = "runner") -> bool:
        def take(connection: sqlite3.Connection) -> bool:
            now = time.time()
            if seconds <= 0:  # which leaves no row behind, whatever work is asked about
                connection.execute("UPDATE leases SET until = ? WHERE name = ? AND holder = ?", (now, work, holder))
                others = connection.execute("SELECT 1 FROM leases WHERE name = ? AND until > ?", (work, now))
                return others.fetchone() is None
            lease = connection.execute(
                "INSERT INTO leases (name, holder, until) VALUES (?, ?, ?) ON CONFLICT (name)"
                " DO UPDATE SET holder = excluded.holder, until = excluded.until"
                " WHERE leases.holder = excluded.holder OR leases.until <= ?",
                (work, holder, now + seconds, now),
            )
            return lease.rowcount == 1

        return await self._write(take)

    async def share(self, holder: str, seconds: float, lanes: int, work: str = "runner") -> Collection[int]:
        def divide(connection: sqlite3.Connection) -> Collection[int]:
            now = time.time()
            connection.execute("DELETE FROM followers WHERE work = ? AND until <= ?", (work, now))
            if seconds <= 0:
                connection.execute("DELETE FROM followers WHERE work = ? AND holder = ?", (work, holder))
                return ()
            rows = connection.execute("SELECT holder, lanes FROM followers WHERE work = ?", (work,)).fetchall()
            mine = shared({holder: (), **{name: sql.numbers(numbers) for name, numbers in rows}}, holder, lanes)
            connection.execute(
                "INSERT OR REPLACE INTO followers (work, holder, lanes, until) VALUES (?, ?, ?, ?)",
                (work, holder, sql.positions(sorted(mine)), now + seconds),
            )
            return mine

        return await self._write(divide)

    async def time(self) -> datetime:
        return datetime.now(UTC)

    async def watched(self) -> dict[tuple[int, int], str]:
        rows = await self._read(lambda connection: connection.execute(sql.WATCHED).fetchall())
        return {(lanes, lane): until for lanes, lane, until in rows}

    async def watch(self, lanes: Mapping[int, str], of: int) -> None:
        rows = [(of, lane, until) for lane, until in sorted(lanes.items())]
        await self._write(lambda connection: connection.executemany(sql.WATCH, rows))

    async def amend(self, projection: Projection, changes: Sequence[Amend]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            generation = connection.execute(sql.LIVE, sql.readable(projection)).fetchone()
            if generation is None:
                raise NotBuilt(projection.name)
            for text, executions in sql.batches(projection.name, generation[0], Changes(changes)):
                connection.executemany(text, executions)

        await self._write(work)

    async def begin(self, projection: Projection) -> Generation:
        def work(connection: sqlite3.Connection) -> Generation:
            existing = [each for each in _generations(connection) if each.projection == projection.name]
            for each in existing:
                if not each.live:
                    _drop(connection, each)
            new = sql.begun(projection, existing)
            for table in projection.tables:
                for statement in sql.create(new.projection, new.number, table):
                    connection.execute(statement)
            connection.execute(sql.BEGIN, (new.projection, new.number, new.version))
            return new

        return await self._write(work)

    async def split(self, at: Generation, lanes: Sequence[tuple[int, ...]]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            if connection.execute(sql.SPLIT, sql.standing(at)).rowcount != 1:
                raise Overtaken(f"{at.projection} does not stand at {at.cursor}")
            added = [(at.projection, at.number, lane, sql.positions(each)) for lane, each in enumerate(lanes)]
            connection.executemany(sql.ADD_LANE, added)

        await self._write(work)

    async def commit(self, step: Step) -> None:
        def work(connection: sqlite3.Connection) -> None:
            cursor, going = connection.cursor(), step.going
            if step.at.lanes:
                moves = [(*sql.move_lane(move), *key) for move in step.moves for key in going]
                moved, expected = cursor.executemany(sql.MOVE_LANE, moves).rowcount, len(moves)
            else:
                moved, expected = cursor.execute(sql.move_of(len(going)), sql.move(step)).rowcount, len(going)
            if moved != expected:
                raise Overtaken(f"one of {', '.join(projection for projection, _ in going)} has moved on")
            for key, changes in step.changes.items():
                for text, executions in sql.batches(*key, changes):
                    cursor.executemany(text, executions)

        await self._write(work)

    async def stop(self, at: Generation, trouble: Trouble, lane: Lane | None = None) -> None:
        text, standing = (sql.STOP, sql.standing(at)) if lane is None else (sql.STOP_LANE, sql.lane_standing(at, lane))
        values = (trouble.game, trouble.version, trouble.why, *standing)
        await self._write(lambda connection: connection.execute(text, values))

    async def swap(self, ready: Generation, beyond: Generation | None = None) -> Generation:
        def work(connection: sqlite3.Connection) -> Generation:
            existing = [each for each in _generations(connection) if each.projection == ready.projection]
            live_now = sql.swapped(existing, ready, beyond)
            for each in existing:
                if each.number != ready.number:
                    _drop(connection, each)
            connection.execute(sql.GO_LIVE, (ready.projection, ready.number))
            return live_now

        return await self._write(work)

    async def note_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        rows = [(ruleset, rule, times) for (ruleset, rule), times in counts.items()]
        await self._write(lambda connection: connection.executemany(sql.NOTE_REFUSALS, rows))

    # --- connections ---

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with _translated():
            return await self._connections.read(work)

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with _translated():
            return await self._connections.write(work)


# --- statements -------------------------------------------------------------------------------------------------------


def _generations(connection: sqlite3.Connection) -> list[Generation]:
    return sql.in_lanes(connection.execute(sql.GENERATIONS_IN_LANES))


def _drop(connection: sqlite3.Connection, generation: Generation) -> None:
    prefix = sql.place(generation.projection, generation.number, "")
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ?", (len(prefix), prefix)
    ).fetchall()
    for (table,) in tables:
        connection.execute(f"DROP TABLE {table}")
    for text in (sql.FORGET_LANES, sql.FORGET):
        connection.execute(text, (generation.projection, generation.number))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        cause = error.__cause__
        if isinstance(cause, sqlite3.Error) and cause.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise cause from None  # a mistake in a statement
        raise Unavailable(str(error)) from error
