"""The snapshots, which SQLite and PostgreSQL keep in the same way."""

from typing import ClassVar, Final

from msgspec.structs import astuple

from domain.kernel.ids import GameId
from service.store.snapshots import Snapshot
from service.store.sql.database import Database

_KEEP: Final = """\
INSERT INTO snapshots (game, version, ruleset, ruleset_version, body, seal) VALUES (?, ?, ?, ?, {}, ?)
ON CONFLICT (game) DO UPDATE SET version = excluded.version, ruleset = excluded.ruleset,
    ruleset_version = excluded.ruleset_version, body = excluded.body, seal = excluded.seal
WHERE excluded.version > snapshots.version"""


class SqlSnapshots:
    """A `SnapshotStore` in a database; a class for one of them says how it has the body of a snapshot."""

    as_bytes: ClassVar[str] = "body"
    from_bytes: ClassVar[str] = "?"

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, game: GameId) -> Snapshot | None:
        columns = f"game, version, ruleset, ruleset_version, {self.as_bytes}, seal"
        found = await self._database.select(f"SELECT {columns} FROM snapshots WHERE game = ?", game)
        return Snapshot(*found[0]) if found else None

    async def keep(self, snapshot: Snapshot) -> None:
        await self._database.execute(_KEEP.format(self.from_bytes), *astuple(snapshot))

    async def drop(self, game: GameId) -> None:
        await self._database.execute("DELETE FROM snapshots WHERE game = ?", game)

    async def close(self) -> None:
        await self._database.close()
