"""The embedded store of projections: one SQLite file beside that of the log.

Apart from the log, for three reasons. A commit here would hold the one write lock of SQLite while commands wait to be
stored. The log's file is checked to be a log and nothing else. And this file may be lost: projections are folded anew
from the log, so that it need not wait for the disk either (a power failure may take the last commits back, rows and
checkpoint together). What is lost with it for good is the count of refusals.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from projections import sql
from projections.projection import Projection
from projections.store import Generation, NotBuilt, Overtaken, Step, Trouble, Unavailable
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
        """Open the file `path`; make it when there is none. A damaged one is moved aside, and a new one made.

        Raises `Unavailable` when the file cannot be opened.
        """
        return await asyncio.to_thread(cls._open, path)

    @classmethod
    def _open(cls, path: Path) -> "SqliteRows":
        with _translated(), Translated(path):
            create_anew(path, sql.GENERATIONS, sql.LEASES, sql.REFUSALS)
            return cls(path)

    async def close(self) -> None:
        await self._connections.close()

    # --- reading ---

    async def generations(self) -> list[Generation]:
        return await self._read(_generations)

    async def select(self, projection: Projection, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            # One transaction: between the two a swap could drop the tables.
            connection.execute("BEGIN")
            try:
                found = connection.execute(sql.LIVE, (projection.name, projection.version)).fetchone()
                if found is None:
                    raise NotBuilt(projection.name)
                places = sql.places(projection.name, found[0], projection.tables)
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
            held = connection.execute(
                "INSERT INTO leases (name, holder, until) VALUES (?, ?, ?) ON CONFLICT (name)"
                " DO UPDATE SET holder = excluded.holder, until = excluded.until"
                " WHERE leases.holder = excluded.holder OR leases.until <= ?",
                (work, holder, now + seconds, now),
            )
            return held.rowcount == 1

        return await self._write(take)

    async def begin(self, projection: Projection) -> Generation:
        def work(connection: sqlite3.Connection) -> Generation:
            known = [each for each in _generations(connection) if each.projection == projection.name]
            for each in known:
                if not each.live:
                    _drop(connection, each)
            new = sql.begun(projection, known)
            for table in projection.tables:
                for statement in sql.create(new.projection, new.number, table):
                    connection.execute(statement)
            connection.execute(sql.BEGIN, (new.projection, new.number, new.version))
            return new

        return await self._write(work)

    async def commit(self, *steps: Step) -> None:
        def work(connection: sqlite3.Connection) -> None:
            moved = connection.executemany(sql.MOVE, map(sql.move, steps))
            if moved.rowcount != len(steps):
                raise Overtaken(f"one of {', '.join(step.at.projection for step in steps)} has moved on")
            for step in steps:
                for text, executions in sql.batches(step.at.projection, step.at.number, step.changes):
                    connection.executemany(text, executions)

        await self._write(work)

    async def stop(self, at: Generation, trouble: Trouble) -> None:
        values = (trouble.game, trouble.version, trouble.why, *sql.standing(at))
        await self._write(lambda connection: connection.execute(sql.STOP, values))

    async def swap(self, ready: Generation, live: Generation | None) -> Generation:
        def work(connection: sqlite3.Connection) -> Generation:
            known = [each for each in _generations(connection) if each.projection == ready.projection]
            live_now = sql.swapped(known, ready, live)
            for each in known:
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
    rows = connection.execute(f"SELECT {sql.COLUMNS} FROM projections ORDER BY projection, number")
    return [sql.generation(*row) for row in rows]


def _drop(connection: sqlite3.Connection, generation: Generation) -> None:
    prefix = sql.place(generation.projection, generation.number, "")
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ?", (len(prefix), prefix)
    ).fetchall()
    for (table,) in tables:
        connection.execute(f"DROP TABLE {table}")
    connection.execute(sql.FORGET, (generation.projection, generation.number))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        cause = error.__cause__
        if isinstance(cause, sqlite3.Error) and cause.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise cause from None  # a statement that makes no sense
        raise Unavailable(str(error)) from error
