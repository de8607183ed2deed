"""The transparency log of the embedded store."""

import sqlite3

from service.store.sql.transparency import ADD_ENTRY, ADD_HASH, ADD_TREE, HEAD, SqlTree, growth_values, tree_head
from service.store.sqlite.connections import Connections
from service.store.transparency import Growth, TreeMoved


class SqliteTree(SqlTree):
    """A `TreeStore` in the file of a `SqliteStore`, which lends it its connections.

    In the same file as the log, so that a copy of it is of one moment.
    """

    def __init__(self, connections: Connections, heads: str) -> None:
        super().__init__(connections, heads)
        self._write = connections.write

    async def grow(self, growth: Growth) -> None:
        entries, hashes, tree = growth_values(growth)

        def work(connection: sqlite3.Connection) -> None:
            newest = tree_head(connection.execute(HEAD).fetchall())
            if (size := newest.size if newest else 0) != growth.expected:
                raise TreeMoved(size)
            connection.executemany(ADD_ENTRY, entries)
            connection.executemany(ADD_HASH, hashes)
            connection.execute(ADD_TREE, tree)

        await self._write(work)
