"""The embedded store of snapshots: a file of its own, which may be lost at any time and then fills again.

Apart from the log for the reasons that `sqlite_rows.py` gives.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from domain.kernel.ids import GameId
from service.observe.logging import log
from service.store.protocol import StoreUnavailable
from service.store.snapshots import Snapshot

T = TypeVar("T")

_TABLE: Final = """\
CREATE TABLE IF NOT EXISTS snapshots (
    game            TEXT PRIMARY KEY,
    version         INTEGER NOT NULL,
    ruleset         TEXT NOT NULL,
    ruleset_version INTEGER NOT NULL,
    body            BLOB NOT NULL,
    seal            BLOB NOT NULL
)"""
_KEEP: Final = """\
INSERT INTO snapshots (game, version, ruleset, ruleset_version, body, seal) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (game) DO UPDATE SET version = excluded.version, ruleset = excluded.ruleset,
    ruleset_version = excluded.ruleset_version, body = excluded.body, seal = excluded.seal
WHERE excluded.version > snapshots.version"""
_NEWEST: Final = "SELECT game, version, ruleset, ruleset_version, body, seal FROM snapshots WHERE game = ?"


class SqliteSnapshots:
    """A `SnapshotStore` in one file. To be made by `SqliteSnapshots.open`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = _connect(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="snapshots")
        self._closed = False

    @classmethod
    async def open(cls, path: Path) -> "SqliteSnapshots":
        """Open the file `path`; make it when there is none, or when it is damaged. Raises `StoreUnavailable`."""
        return await asyncio.to_thread(cls._open, path)

    @classmethod
    def _open(cls, path: Path) -> "SqliteSnapshots":
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                return cls(path)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                log.warning("snapshots are damaged, and taken anew", file=str(path), why=str(error))
                for suffix in ("", "-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
                return cls(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"{path} cannot be used: {error}") from error

    async def newest(self, game: GameId) -> Snapshot | None:
        row = await self._run(lambda: self._connection.execute(_NEWEST, (game,)).fetchone())
        return row and Snapshot(*row)

    async def keep(self, snapshot: Snapshot) -> None:
        values = tuple(getattr(snapshot, name) for name in snapshot.__struct_fields__)
        await self._run(lambda: self._connection.execute(_KEEP, values))

    async def drop(self, game: GameId) -> None:
        await self._run(lambda: self._connection.execute("DELETE FROM snapshots WHERE game = ?", (game,)))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._thread.shutdown)
            self._connection.close()

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise StoreUnavailable("the store of snapshots is closed")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"{self._path} cannot be used: {error}") from error


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_TABLE)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
