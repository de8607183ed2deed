"""The transparency log of the embedded store."""

import sqlite3
from collections.abc import Iterable
from typing import Any

import msgspec

from domain.kernel.ids import StreamId
from projections.cursor import Cursor
from service.store.sql.transparency import ADD_ENTRY, ADD_HASH, LogColumns, SqlTree, growth_values
from service.store.sqlite.connections import Connections
from service.store.transparency import Growth, TreeMoved


class SqliteTree(SqlTree):
    """A `TreeStore` in the file of a `SqliteStore`, over the connections of that store.

    It is in the same file as the log, so that a copy has both as of one moment.
    """

    head_query = "SELECT size, root, CAST(position AS TEXT) FROM trees ORDER BY size DESC LIMIT 1"
    each = "json_each(?)"
    moved_between = "SELECT 0 AS book, game FROM events WHERE position > ? AND position <= ?"

    def __init__(self, connections: Connections, log: LogColumns) -> None:
        super().__init__(connections, log)
        self._write = connections.write

    async def grow(self, growth: Growth) -> None:
        entries, hashes = growth_values(growth)
        head = growth.head

        def work(connection: sqlite3.Connection) -> None:
            newest = self._tree_head(connection.execute(self.head_query).fetchall())
            if (size := newest.size if newest else 0) != growth.expected:
                raise TreeMoved(size)
            connection.executemany(ADD_ENTRY, entries)
            connection.executemany(ADD_HASH, hashes)
            connection.execute(
                "INSERT INTO trees (size, root, position) VALUES (?, ?, ?)",
                (head.size, head.root, *head.reached.positions),
            )

        await self._write(work)

    @staticmethod
    def _packed(streams: Iterable[StreamId]) -> bytes:
        return msgspec.json.encode(list(streams))

    @staticmethod
    def _between(after: Cursor, until: Cursor) -> tuple[Any, ...]:
        return *after.positions, *until.positions
