"""The embedded store of snapshots: a file of its own, which may be lost at any time and then fills again.

Apart from the log for the reasons that `rows.py` gives.
"""

import asyncio
from pathlib import Path
from typing import Final

from domain.kernel.ids import GameId
from service.store.snapshots import Snapshot
from service.store.sqlite.connections import Connections, Translated, create_anew

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
        self._connections = Connections(path, "PRAGMA synchronous = NORMAL", readers=1)

    @classmethod
    async def open(cls, path: Path) -> "SqliteSnapshots":
        """Open the file `path`; make it when there is none, or when it is damaged. Raises `StoreUnavailable`."""
        return await asyncio.to_thread(cls._open, path)

    @classmethod
    def _open(cls, path: Path) -> "SqliteSnapshots":
        with Translated(path):
            create_anew(path, _TABLE)
            return cls(path)

    async def newest(self, game: GameId) -> Snapshot | None:
        found = await self._connections.select(_NEWEST, game)
        return Snapshot(*found[0]) if found else None

    async def keep(self, snapshot: Snapshot) -> None:
        await self._connections.execute(_KEEP, *(getattr(snapshot, name) for name in snapshot.__struct_fields__))

    async def drop(self, game: GameId) -> None:
        await self._connections.execute("DELETE FROM snapshots WHERE game = ?", game)

    async def close(self) -> None:
        await self._connections.close()
