"""The embedded store of snapshots: a file of its own, which may be lost at any time and then fills again.

Apart from the log for the reasons that `rows.py` gives.
"""

import asyncio
from pathlib import Path
from typing import Final

from service.store.sql.snapshots import SqlSnapshots
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


class SqliteSnapshots(SqlSnapshots):
    """A `SnapshotStore` in one file. To be made by `SqliteSnapshots.open`."""

    @classmethod
    async def open(cls, path: Path) -> "SqliteSnapshots":
        """Open the file `path`; make it when there is none, or when it is damaged. Raises `StoreUnavailable`."""
        return await asyncio.to_thread(cls._open, path)

    @classmethod
    def _open(cls, path: Path) -> "SqliteSnapshots":
        with Translated(path):
            create_anew(path, _TABLE)
            return cls(Connections(path, "PRAGMA synchronous = NORMAL", readers=1))
