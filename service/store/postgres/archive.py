"""Archiving in PostgreSQL, as the owner of the database: the role of the service may not delete an event."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
from msgspec.structs import astuple

from domain.kernel.ids import GameId, book_of
from domain.kernel.log.record import Record
from service.store.archiving import Waiting, check_read_back
from service.store.postgres import books, migrations
from service.store.postgres.connections import Connection
from service.store.postgres.hosts import Hosts
from service.store.postgres.store import PostgresStore
from service.store.protocol import StoreUnavailable
from service.store.segments import PLAIN, Segment, SegmentDamaged
from service.store.sql.archived import COLUMNS

_ENTERED: Final = (
    "SELECT value, (SELECT max(l.version) FROM entries l WHERE l.stream = value) FROM unnest($1::text[]) AS value"
)
"""The newest versions that the transparency log has of games."""


class PostgresArchive:
    """An `Archive` in a database. To be opened by `opened`; its methods may raise what asyncpg raises."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def games_to_pack(self, before: str, signed: bool, limit: int) -> list[GameId]:
        found: list[GameId] = []
        last = 0
        while len(found) < limit:
            rows = await self._connection.fetch(
                "SELECT g.number, g.game, h.version FROM games g JOIN heads h ON h.book = g.book AND h.game = g.game"
                " WHERE g.status IN ('over', 'cancelled') AND h.changed < $1 AND g.number > $2"
                " AND EXISTS (SELECT FROM log e WHERE e.book = g.book AND e.game = g.game)"
                " ORDER BY g.number LIMIT $3",
                *(before, last, limit),
            )
            if not rows:
                break
            last = rows[-1][0]
            versions = {GameId(game): version for _, game, version in rows}
            if signed:
                # By itself, because Citus cannot join the log, which is on all machines, with what the coordinator has.
                entered = dict(await self._connection.fetch(_ENTERED, [*versions]))
                versions = {game: version for game, version in versions.items() if (entered[game] or 0) >= version}
            found += versions
        return found[:limit]

    async def waiting(self, game: GameId) -> Waiting:
        rows = await self._connection.fetch(
            f"SELECT position, {PostgresStore.record} FROM log WHERE book = $1 AND game = $2 ORDER BY version",
            *(book_of(game), game),
        )
        previous = await self._connection.fetchval(
            "SELECT hash FROM segments WHERE book = $1 AND game = $2 ORDER BY version DESC LIMIT 1",
            *(book_of(game), game),
        )
        return Waiting([(position, Record(*columns)) for position, *columns in rows], previous)

    async def dictionary(self) -> tuple[int, bytes] | None:
        row = await self._connection.fetchrow("SELECT number, file FROM dictionaries ORDER BY number LIMIT 1")
        return (row[0], row[1]) if row is not None else None

    async def add_dictionary(self, number: int, content: bytes) -> None:
        await self._connection.execute(
            "INSERT INTO dictionaries (number, file) VALUES ($1, $2) ON CONFLICT DO NOTHING", number, content
        )

    async def put(self, packed: Sequence[Segment], rows: int) -> None:
        game, number = packed[0].game, packed[0].dictionary
        stream = book_of(game), game, packed[0].after
        async with self._connection.transaction():
            if number != PLAIN and not await self._connection.fetchval(
                "SELECT count(*) FROM dictionaries WHERE number = $1", number
            ):
                raise SegmentDamaged(f"dictionary {number} is missing")
            await self._connection.executemany(
                "INSERT INTO segments"
                " (book, span, game, version, after, first, last, previous, hash, dictionary, content, digest)"
                " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                [(book_of(game), each.span, *astuple(each)) for each in packed],
            )
            stored_rows = await self._connection.fetch(
                f"SELECT {COLUMNS} FROM segments s WHERE s.book = $1 AND s.game = $2 AND s.version > $3"
                " ORDER BY s.version",
                *stream,
            )
            deleted = await self._connection.execute(
                "DELETE FROM log WHERE book = $1 AND game = $2 AND version > $3 AND version <= $4",
                *(*stream, packed[-1].version),
            )
            check_read_back(
                packed, [Segment(*columns) for columns in stored_rows], int(deleted.rpartition(" ")[2]), rows
            )

    async def stored(self, after: Segment | None, limit: int) -> list[Segment]:
        rows = await self._connection.fetch(
            f"SELECT {COLUMNS} FROM segments s WHERE (s.book, s.game, s.version) > ($1, $2, $3)"
            " ORDER BY s.book, s.game, s.version LIMIT $4",
            *(*((book_of(after.game), after.game, after.version) if after else (-1, "", 0)), limit),
        )
        return [Segment(*columns) for columns in rows]

    async def move(self, moved: Sequence[Segment]) -> None:
        async with self._connection.transaction():
            await self._connection.executemany(
                # Another process may have moved it meanwhile.
                "UPDATE segments SET content = $1, digest = $2"
                " WHERE book = $3 AND game = $4 AND version = $5 AND (digest IS NULL) = ($2::bytea IS NOT NULL)",
                [(each.content, each.digest, book_of(each.game), each.game, each.version) for each in moved],
            )


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[PostgresArchive]:
    """Open the archive in a database, as its owner. Raises `StoreUnavailable` when the database refuses something."""
    where = migrations.place_of(url)
    try:
        connection, _ = await Hosts(url, patience=10).connect()
        try:
            await connection.execute("SET search_path = tabularium")
            if not await connection.fetchval("SELECT count(*) FROM books WHERE open"):
                raise StoreUnavailable(
                    f"{where} still has all events in one order: run `tabularium migrate --open-books` first"
                )
            if not await connection.fetchval(f"SELECT pg_try_advisory_lock_shared({books.LOCK})"):
                raise StoreUnavailable(
                    f"books of {where} are being moved: archive when `tabularium books move` is done"
                )
            yield PostgresArchive(connection)
        finally:
            await connection.close(timeout=10)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise StoreUnavailable(f"{where} cannot be archived: {' '.join(str(error).split())}") from error
