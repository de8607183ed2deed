"""The store on PostgreSQL: the log of any number of processes. `deploy/migrations/` has its schema.

Appends go through one SQL function, which locks the books of their streams (`0029_books.sql` says why), and what waits
in this process shares calls of it (group commit). A call is a transaction by itself: when it has answered, it is
committed.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, Self

from domain.kernel.ids import BOOKS, GameId, PlayerId, StreamId, book_of
from domain.kernel.log.record import Record
from projections.cursor import Cursor, Place
from projections.sql import numbered
from service.base.clock import stamped
from service.store.accounts import LimitReached
from service.store.postgres import migrations
from service.store.postgres.accounts import PostgresAccounts
from service.store.postgres.books import ALL, misfit, spans
from service.store.postgres.connections import (
    LOST,
    Connection,
    Connections,
    PatientQueries,
    wait_for_standbys,
)
from service.store.postgres.hosts import Lineage, lineage_of
from service.store.postgres.transparency import PostgresTree
from service.store.postgres.writer import Writer, append_with, is_stored, outcome_of
from service.store.protocol import (
    Append,
    Appended,
    Conflict,
    KeptUse,
    NotKept,
    Placed,
    StoreUnavailable,
)
from service.store.sql.apps import SqlApps
from service.store.sql.archived import COLUMNS
from service.store.sql.cases import CASE_NUMBER
from service.store.sql.games import is_of_many
from service.store.sql.imports import SqlImports
from service.store.sql.joining import SqlJoinings
from service.store.sql.organizing import SqlOrganizing
from service.store.sql.store import SqlStore, index_statements
from service.store.sql.webhooks import SqlHooks

WINDOWS: Final = "unnest(?::smallint[], ?::bigint[], ?::bigint[]) AS w (book, after, until)"


class Distributed(StoreUnavailable):
    """A database is distributed over several machines and should not be, or should be and is not."""


class PostgresStore(SqlStore):
    """An `EventStore` in a PostgreSQL database. To be made by `PostgresStore.open`."""

    is_shared = True
    log = "log"
    books = BOOKS
    book_of = "book_of({0}.{1})"
    key = "{0}book, {0}{1}"
    of_stream = "{0}.book = {2} AND {0}.game = {1}"
    record = "version, convert_to(event::text, 'UTF8'), schema, draws, at, convert_to(cause::text, 'UTF8'), hash"
    listed = (
        "SELECT g.game, g.title, g.ruleset, g.ruleset_version, g.status, g.organizer, g.seats, h.version, g.created,"
        " h.changed, f.parent, f.version, f.purpose, f.withheld FROM games g"
        " JOIN heads h ON h.book = g.book AND h.game = g.game"
        " LEFT JOIN forks f ON f.book = g.book AND f.game = g.game"
    )
    changes = " JOIN heads h ON h.book = g.book AND h.game = g.game"
    changed = "h.changed"
    heads_query = "SELECT book, game, version AS head FROM heads"
    loaded = (
        "SELECT h.version, c.chance FROM heads h JOIN chances c ON c.book = h.book AND c.game = h.game"
        " WHERE h.book = ? AND h.game = ?"
    )
    board_file = "convert_to(file::text, 'UTF8')"
    seed_bytes = "seed"
    among = "= ANY (?::text[])"

    is_distributed: ClassVar[bool] = False
    """Whether the database is spread over several machines."""

    def __init__(self, connections: Connections, books: frozenset[int] = ALL) -> None:
        self.books_kept = books
        """The books that this database keeps."""
        self._connections = connections
        self._writers = self._make_writers()
        self._closed = False
        self._open = False
        self._together: bool | None = None
        super().__init__(self._connections)
        self.accounts = PostgresAccounts(self._connections)
        self.tree = PostgresTree(self._connections, self)
        self.webhooks = SqlHooks(self._connections, self.accounts.change)
        self.organizing = SqlOrganizing(self._connections, self.accounts.change)
        self.apps = SqlApps(self._connections, self.accounts.change)
        self.imports = SqlImports(self._connections, self.accounts.change)
        self.joinings = SqlJoinings(self._connections, self.accounts.change)

    @classmethod
    async def open(cls, url: str, *, durable: bool = True, connections: int = 8, books: frozenset[int] = ALL) -> Self:
        """Open the store in a database that `tabularium migrate` has prepared.

        Args:
            durable: False gives up that an append is on the disk when it returns: when the database crashes, the last
                ones may be missing.
            connections: how many there are at most for reading; one more writes, or two while many appends wait.
            books: the books that the database keeps.

        Raises:
            StoreUnavailable: the database does not answer, its schema is not that of this package, or it keeps other
                books.
        """
        store = cls(cls._to(url, connections, durable), books)
        try:
            await store._connections.open()
            await store.check_schema()
        except BaseException as error:
            await store.close()
            raise store._connections.translated(error) from error
        return store

    @staticmethod
    def _to(url: str, connections: int, durable: bool) -> Connections:
        return Connections(url, connections, durable=durable)

    def _make_writers(self) -> "list[Writer]":
        return [Writer(self._connections, append_with, self._settle)]

    def _at(self, *streams: StreamId) -> PatientQueries:
        return self._connections

    @property
    def _everywhere(self) -> PatientQueries:
        return self._connections

    @property
    def where(self) -> str:
        """Which database it is, in words."""
        return self._connections.where

    @property
    def connections(self) -> dict[str, Callable[[], int]]:
        """Numbers of connections that read: how many are busy, idle, and allowed."""
        return self._connections.numbers

    @property
    def connections_made(self) -> int:
        """How many connections were made to it, which may be another server by now."""
        return self._connections.connections_made

    async def lineage(self) -> Lineage:
        """Return what this database shares with its copies."""
        return await self._connections.patiently(lineage_of)

    def begin_checking(self) -> None:
        """Do nothing: the server looks after its files."""

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for writer in self._writers:
            await writer.close()
        await self._connections.close()

    async def check_schema(self) -> None:
        """Raise `StoreUnavailable` unless the database has the schema of this package and the books it should keep."""
        applied = await self._connections.patiently(migrations.applied)
        try:
            missing = migrations.pending(applied, migrations.packaged())
        except migrations.MigrationError as error:
            raise StoreUnavailable(f"{self._connections.where} cannot be used: {error}") from error
        if missing:
            last = f"{missing[-1].number:04}_{missing[-1].name}"
            raise StoreUnavailable(
                f"{self._connections.where} lacks migration {last}: run `tabularium migrate` as its owner"
            )
        rows = await self._connections.select("SELECT is_distributed()")
        if rows[0][0] != self.is_distributed:
            raise Distributed(
                f"{self._connections.where} is distributed by Citus: let TABULARIUM_DATABASE_URL name it, without"
                " TABULARIUM_BOOK_SERVERS"
                if rows[0][0]
                else f"{self._connections.where} is not distributed: run `tabularium migrate` as its owner"
            )
        if wrong := await self._connections.patiently(self._misfit):
            raise StoreUnavailable(f"{self._connections.where} {wrong}")

    async def _misfit(self, connection: Connection) -> str:
        """Return what is wrong with the books that the database keeps."""
        return await misfit(connection, self.books_kept)

    async def use_of_key(self, game: StreamId, account: PlayerId, key: str) -> KeptUse | None:
        use = await super().use_of_key(game, account, key)
        if use is not None:
            await self._at(game).patiently(lambda connection: self._settle(connection, game))
        return use

    async def _settle(self, connection: Connection, stream: StreamId) -> None:
        """Wait until what can be read of a stream is on the synchronous standbys. Raises what asyncpg raises."""
        await wait_for_standbys(connection)

    async def forget_keys(self, before: str, limit: int) -> int:
        async def work(connection: Connection) -> int:
            status = await connection.execute(
                "DELETE FROM keys WHERE ctid = ANY (ARRAY( SELECT ctid FROM keys WHERE at < $1 ORDER BY at LIMIT $2))",
                stamped(before),
                limit,
            )
            return int(status.rpartition(" ")[2])

        return await self._connections.patiently(work)

    def _stream(self, game: StreamId) -> tuple[str, tuple[Any, ...]]:
        return "book = ? AND game = ?", (book_of(game), game)

    async def divided(self) -> bool:
        if not self._open:
            self._open = bool(await self._database.select("SELECT 1 FROM books WHERE open LIMIT 1"))
        return self._open

    async def is_together(self) -> bool:
        """Ask the database: it may have forks and cases whose ids were given before books, without regard to them."""
        if self._together is not None or not await self.divided():
            return bool(self._together)
        elsewhere = (
            f"EXISTS (SELECT 1 FROM {table} WHERE book <> book_of({game}))"
            for table, game in (("cases", "game"), ("forks", "parent"))
        )
        ((self._together,),) = await self._database.select(f"SELECT NOT ({' OR '.join(elsewhere)})")
        return bool(self._together)

    async def end(self) -> Cursor:
        if not await self.divided():
            return await super().end()
        positions = dict(await self._everywhere.select("SELECT book, position FROM books"))
        if positions.keys() != self.books_kept:
            raise NotKept(
                f"{self._connections.where} keeps the books {spans(positions)} of the log, and should keep"
                f" {spans(self.books_kept)}: restore tabularium.books"
            )
        return Cursor(tuple(positions.get(book, 0) for book in range(BOOKS)))

    async def read_on(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None = None, until: Cursor | None = None
    ) -> tuple[list[Placed], Cursor]:
        # Nothing is archived before the books are open.
        read_on = super().read_on if await self.divided() else self._read_rows
        return await read_on(after, limit, games, until or await self.end())

    async def _read_rows(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None, until: Cursor
    ) -> tuple[list[Placed], Cursor]:
        if not await self.divided():
            return await super()._read_rows(after, limit, games, until)
        shares = after.shares(until, limit)
        # Books with none of the games are left out.
        shares_asked = (
            shares if games is None else {book: shares[book] for book in map(book_of, games) if book in shares}
        )
        selection = await self._shares(after, until, shares_asked, games) if shares_asked else []
        rows = [(Place(book, position), game, Record(*columns)) for book, position, game, *columns in selection]
        counts = Counter(place.book for place, _, _ in rows)
        # A book that had fewer rows than its share is read to its end.
        through = (Place(book, until.positions[book]) for book, share in shares.items() if counts[book] < share)
        return rows, after.after((*(place for place, _, _ in rows), *through))

    async def _shares(
        self, after: Cursor, until: Cursor, shares: Mapping[int, int], games: Collection[StreamId] | None
    ) -> list[Any]:
        """Return book, position, game and record of the first rows that follow, as many as each book may have."""
        only, values = ("", ()) if games is None else (f"AND l.game {self.among}", (self._texts(games),))
        query = (
            f"SELECT e.book, e.position, e.game, {self.record}"
            " FROM unnest(?::smallint[], ?::bigint[], ?::bigint[], ?::integer[]) AS s (book, after, until, most),"
            " LATERAL (SELECT * FROM log l WHERE l.book = s.book AND l.position > s.after AND l.position <= s.until"
            f" {only} ORDER BY l.position LIMIT s.most) e ORDER BY e.book, e.position"
        )
        spans = zip(
            *((book, after.positions[book], until.positions[book], most) for book, most in shares.items()), strict=True
        )
        return await self._everywhere.select(query, *spans, *values)

    def _archived_after(self, after: Cursor, until: Cursor) -> tuple[Any, ...]:
        query = (
            "SELECT 1 FROM unnest(?::bigint[]) WITH ORDINALITY AS a (position, number)"
            " WHERE EXISTS (SELECT FROM segments s WHERE s.book = a.number - 1 AND s.last > a.position) LIMIT 1"
        )
        return query, after.positions

    def _packed_between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        # A segment with positions within 2^span overlaps a window only if it begins at most 2^span before the window.
        query = (
            f"SELECT w.book, {COLUMNS} FROM {WINDOWS}, generate_series(0, 40) AS k,"
            " LATERAL (SELECT * FROM segments s WHERE s.book = w.book AND s.span = k"
            " AND s.first > w.after - (1::bigint << k) AND s.first <= w.until AND s.last > w.after) s"
        )
        return self._among(query, "s", after, windows, games)

    def _between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        query = (
            f"SELECT e.book, e.position, e.game, {self.record} FROM {WINDOWS}"
            " JOIN log e ON e.book = w.book AND e.position > w.after AND e.position <= w.until"
        )
        return self._among(query, "e", after, windows, games)

    def _among(
        self, query: str, table: str, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        """Return a query about windows of books, and its values. `games` picks the rows of a table."""
        spans = zip(
            *((book, after.positions[book], after.positions[book] + size) for book, size in windows.items()),
            strict=True,
        )
        if games is None:
            return query, *spans
        return f"{query} WHERE {table}.game {self.among}", *spans, self._texts(games)

    @staticmethod
    def _place(book: int, position: int) -> Place:
        return Place(book, position)

    async def _append(self, batch: Append) -> Appended:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return await self._writer_of(batch.game).append(batch)

    def _writer_of(self, stream: StreamId) -> "Writer":  # there is one
        return self._writers[0]

    async def _append_together(self, batches: Sequence[Append]) -> Appended:
        """Append all batches, or none, in a transaction of their own: they are rare, and so not gathered with others.

        As in `Writer`, what was stored before the connection was lost is recognized by its hash.
        """
        was_sent = False
        # Asked before a connection is taken: all others may wait for the locks that this one holds.
        is_together = await self.is_together()

        async def work(connection: Connection) -> Appended:
            nonlocal was_sent
            again, was_sent = was_sent, True
            await self._prepare_openings(connection, batches)
            transaction = connection.transaction(isolation="read_committed")
            await transaction.start()
            try:
                for within in (batch.within for batch in batches if batch.within is not None):
                    # What it counts may be in other books, to which others append meanwhile.
                    lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 7))"
                    await connection.execute(lock, f"{within.what} {within.values[0]}")
                rows = await self._call(connection, batches)
                outcomes = [outcome_of(row) for row in rows]
                refused = next((each for each in outcomes if isinstance(each, BaseException) or each.repeated), None)
                refused = refused or await self._number_conflict(connection, batches, is_together)
                if refused is None:
                    for batch in batches:
                        for statement, values in index_statements(batch, book_of):
                            await connection.execute(numbered(statement), *values)
                    refused = await self._too_many(connection, batches, is_together)
            except BaseException:
                with suppress(*LOST):
                    await transaction.rollback()
                raise
            if refused is None:
                await transaction.commit()
                return Appended(batches[0].records[-1].version)
            await transaction.rollback()
            if isinstance(refused, Appended):
                await self._settle(connection, batches[0].game)
            if again and all([await is_stored(connection, batch) for batch in batches]):
                return Appended(batches[0].records[-1].version)
            if isinstance(refused, BaseException):
                raise refused
            return refused

        is_wide = any(batch.within is not None and is_of_many(batch.within) for batch in batches)
        queries = self._everywhere if is_wide else self._at(*(batch.game for batch in batches))
        return await queries.patiently(work)

    async def _prepare_openings(self, connection: Connection, batches: Sequence[Append]) -> None:
        """Store what new games need that is not stored in their transaction."""

    async def _call(self, connection: Connection, batches: Sequence[Append]) -> list[Any]:
        """Append in a transaction, and return the rows that append() returns. Raises what asyncpg raises."""
        return await append_with(connection, batches)

    async def _number_conflict(
        self, connection: Connection, batches: Sequence[Append], is_together: bool
    ) -> Conflict | None:
        """Return a conflict when the number of a new case is taken.

        append() holds its book until the transaction ends.
        """
        for batch in batches:
            case = batch.case if batch.expected == 0 else None
            if case is None:
                continue
            of_game, values = self.about(case.game, "c.game", is_together)
            if await connection.fetchval(numbered(CASE_NUMBER.format(of_game)), *values, case.number):
                return Conflict(0)
        return None

    async def _too_many(
        self, connection: Connection, batches: Sequence[Append], is_together: bool
    ) -> LimitReached | None:
        """Return a limit that the batches just added exceed. Nobody else can add to its count meanwhile."""
        for batch in batches:
            within = batch.within
            if within is None:
                continue
            query, *values = self.counting_query(within, is_together)
            if await connection.fetchval(numbered(query), *values) > within.most:
                return LimitReached()
        return None

    def _any_of(
        self, games: Collection[StreamId], column: str = "game", table: str = ""
    ) -> tuple[str, tuple[Any, ...]]:
        if len(games) == 1:
            return super()._any_of(games, column, table)
        names = self._texts(games)
        # With pairs, each stream is found by its key. With two lists, each book would be searched for each stream.
        pairs = f"({self.key.format(table, column)}) IN (SELECT * FROM unnest(?::smallint[], ?::text[]))"
        return pairs, ([book_of(GameId(name)) for name in names], names)

    @staticmethod
    def _texts(texts: Iterable[str]) -> list[str]:
        return [text for text in texts if "\0" not in text]
