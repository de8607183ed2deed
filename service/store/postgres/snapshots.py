"""The store of snapshots on PostgreSQL: a table beside the log (`0007_snapshots.sql`)."""

from typing import Final

from domain.kernel.ids import GameId
from service.store.postgres.connections import Connections
from service.store.snapshots import Snapshot

CONNECTIONS: Final = 2

_KEEP: Final = """\
INSERT INTO snapshots AS kept (game, version, ruleset, ruleset_version, body, seal)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (game) DO UPDATE SET version = excluded.version, ruleset = excluded.ruleset,
    ruleset_version = excluded.ruleset_version, body = excluded.body, seal = excluded.seal
WHERE excluded.version > kept.version"""
_NEWEST: Final = "SELECT game, version, ruleset, ruleset_version, body, seal FROM snapshots WHERE game = ?"


class PostgresSnapshots:
    """A `SnapshotStore` in a PostgreSQL database. To be made by `PostgresSnapshots.open`."""

    def __init__(self, url: str) -> None:
        self._connections = Connections(url, CONNECTIONS, durable=False)

    @classmethod
    async def open(cls, url: str) -> "PostgresSnapshots":
        """Open the snapshots in a database that `tabularium migrate` has prepared. Raises `StoreUnavailable`."""
        snapshots = cls(url)
        try:
            await snapshots._connections.open()
        except BaseException as error:
            await snapshots.close()
            raise snapshots._connections.translated(error) from error
        return snapshots

    async def newest(self, game: GameId) -> Snapshot | None:
        for row in await self._connections.select(_NEWEST, game):
            return Snapshot(row[0], row[1], row[2], row[3], row[4].encode(), row[5])
        return None

    async def keep(self, snapshot: Snapshot) -> None:
        values = (snapshot.game, snapshot.version, snapshot.ruleset, snapshot.ruleset_version)
        await self._connections.execute(_KEEP, *values, snapshot.body.decode(), snapshot.seal)

    async def drop(self, game: GameId) -> None:
        await self._connections.execute("DELETE FROM snapshots WHERE game = ?", game)

    async def close(self) -> None:
        if not self._connections.closed:
            await self._connections.close()
