"""The transparency log of the PostgreSQL store. `deploy/migrations/0016_transparency.sql` has its tables."""

from projections.sql import numbered
from service.store.postgres.connections import Connection, Connections
from service.store.sql.transparency import ADD_ENTRY, ADD_HASH, ADD_TREE, HEAD, SqlTree, growth_values, tree_head
from service.store.transparency import Growth, TreeMoved


class PostgresTree(SqlTree):
    """A `TreeStore` in the database of a `PostgresStore`, which lends it its connections."""

    def __init__(self, connections: Connections, heads: str) -> None:
        super().__init__(connections, heads)
        self._patiently = connections.patiently

    async def grow(self, growth: Growth) -> None:
        entries, hashes, tree = growth_values(growth)

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                # A process that waited for it sees what its predecessor committed.
                await connection.execute("SELECT pg_advisory_xact_lock(x'54616275'::integer, 1)")
                newest = tree_head(await connection.fetch(HEAD))
                if (size := newest.size if newest else 0) != growth.expected:
                    raise TreeMoved(size)
                await connection.executemany(numbered(ADD_ENTRY), entries)
                await connection.executemany(numbered(ADD_HASH), hashes)
                await connection.execute(numbered(ADD_TREE), *tree)

        await self._patiently(work)
