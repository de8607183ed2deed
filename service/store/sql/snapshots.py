"""The snapshots, which SQLite and PostgreSQL keep in the same way."""

from typing import Any, ClassVar, Final

from msgspec.structs import astuple

from domain.kernel.ids import GameId
from service.store.snapshots import Snapshot
from service.store.sql.database import Database

_KEEP: Final = """\
INSERT INTO snapshots ({0}, version, ruleset, ruleset_version, body, seal) VALUES ({1}, ?, ?, ?, {2}, ?)
ON CONFLICT ({0}) DO UPDATE SET version = excluded.version, ruleset = excluded.ruleset,
    ruleset_version = excluded.ruleset_version, body = excluded.body, seal = excluded.seal
WHERE excluded.version > snapshots.version"""


class SqlSnapshots:
    """A `SnapshotStore` in a database. A subclass for each database says how it stores the body of a snapshot."""

    key: ClassVar[tuple[str, ...]] = ("game",)
    as_bytes: ClassVar[str] = "body"
    from_bytes: ClassVar[str] = "?"

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, game: GameId) -> Snapshot | None:
        columns = f"game, version, ruleset, ruleset_version, {self.as_bytes}, seal"
        rows = await self._database.select(f"SELECT {columns} FROM snapshots WHERE {self._condition}", *self._key(game))
        return Snapshot(*rows[0]) if rows else None

    async def keep(self, snapshot: Snapshot) -> None:
        marks = ", ".join("?" for _ in self.key)
        statement = _KEEP.format(", ".join(self.key), marks, self.from_bytes)
        await self._database.execute(statement, *self._key(snapshot.game), *astuple(snapshot)[1:])

    async def drop(self, game: GameId) -> None:
        await self._database.execute(f"DELETE FROM snapshots WHERE {self._condition}", *self._key(game))

    @staticmethod
    def _key(game: GameId) -> tuple[Any, ...]:
        """Return the values of the columns `key` for a game."""
        return (game,)

    @property
    def _condition(self) -> str:
        return " AND ".join(f"{column} = ?" for column in self.key)

    async def close(self) -> None:
        await self._database.close()
