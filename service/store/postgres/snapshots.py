"""The store of snapshots on PostgreSQL: a table beside the log (`0007_snapshots.sql`)."""

from typing import Any, Final

from domain.kernel.ids import GameId, book_of
from service.store.postgres.connections import Connections
from service.store.sql.snapshots import SqlSnapshots

CONNECTIONS: Final = 2


class PostgresSnapshots(SqlSnapshots):
    """A `SnapshotStore` in a PostgreSQL database. To be made by `PostgresSnapshots.open`."""

    key = ("book", "game")
    as_bytes = "convert_to(body::text, 'UTF8')"
    from_bytes = "convert_from(?, 'UTF8')::json"

    @classmethod
    async def open(cls, url: str) -> "PostgresSnapshots":
        """Open the snapshots in a database that `tabularium migrate` has prepared. Raises `StoreUnavailable`."""
        connections = Connections(url, CONNECTIONS, durable=False)
        try:
            await connections.open()
        except BaseException as error:
            await connections.close()
            raise connections.translated(error) from error
        return cls(connections)

    @staticmethod
    def _key(game: GameId) -> tuple[Any, ...]:
        return book_of(game), game
