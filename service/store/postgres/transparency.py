"""The transparency log of the PostgreSQL store. `deploy/migrations/0016_transparency.sql` has its tables."""

from collections.abc import Iterable
from typing import Any

from domain.kernel.ids import StreamId
from projections.cursor import Cursor
from projections.sql import numbered
from service.store.postgres.connections import Connection, Connections
from service.store.sql.transparency import ADD_ENTRY, ADD_HASH, LogColumns, SqlTree, growth_values
from service.store.transparency import Growth, TreeMoved


class PostgresTree(SqlTree):
    """A `TreeStore` in the database of a `PostgresStore`, over the connections of that store."""

    head_query = "SELECT size, root, coalesce(reached, position::text) FROM trees ORDER BY size DESC LIMIT 1"
    each = "unnest(?::text[]) AS value"
    moved_between = (
        "SELECT e.book, e.game FROM unnest(?::smallint[], ?::bigint[], ?::bigint[]) AS s (book, after, until)"
        " JOIN log e ON e.book = s.book AND e.position > s.after AND e.position <= s.until"
    )

    def __init__(self, connections: Connections, log: LogColumns) -> None:
        super().__init__(connections, log)
        self._patiently = connections.patiently

    async def grow(self, growth: Growth) -> None:
        entries, hashes = growth_values(growth)
        head = growth.head

        async def work(connection: Connection) -> None:
            async with connection.transaction():
                # A process that waited for it sees what its predecessor committed.
                await connection.execute("SELECT pg_advisory_xact_lock(x'54616275'::integer, 1)")
                newest = self._tree_head(await connection.fetch(self.head_query))
                if (size := newest.size if newest else 0) != growth.expected:
                    raise TreeMoved(size)
                await connection.executemany(numbered(ADD_ENTRY), entries)
                await connection.executemany(numbered(ADD_HASH), hashes)
                await connection.execute(
                    "INSERT INTO trees (size, root, position, reached) VALUES ($1, $2, $3, $4)",
                    *(head.size, head.root, min(head.reached.positions), str(head.reached)),
                )

        await self._patiently(work)

    @staticmethod
    def _packed(streams: Iterable[StreamId]) -> list[str]:
        return list(streams)

    @staticmethod
    def _between(after: Cursor, until: Cursor) -> tuple[Any, ...]:
        pairs = enumerate(zip(after.positions, until.positions, strict=True))
        return tuple(zip(*((book, first, last) for book, (first, last) in pairs if last > first), strict=True))
