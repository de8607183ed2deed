"""The log: records of streams, their secrets and boards, from rows and from segments of the archive."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec

from domain.kernel.chance.secret import Secret
from domain.kernel.ids import BOOKS, GameId, PlayerId, Seat, StreamId, Version, book_of
from domain.kernel.log.record import Record
from projections.cursor import ALL_BOOKS, Cursor, Place
from service.store.outside import Outside
from service.store.protocol import Added, ArchiveAway, KeptUse, Placed, Stored, StoreDamaged, StreamDamaged
from service.store.sql.archived import COLUMNS, Archived
from service.store.sql.database import Database, Queries

ALL: Final = 2**63 - 1
"""A limit that no list reaches."""

_WIDEST: Final = 65_536
"""The most positions that one query looks at."""

SEEN: Final = "SELECT fingerprint, after, version FROM keys WHERE book = ? AND game = ? AND account = ? AND key = ?"
SECRETS: Final = (
    "SELECT commitment, readers, salt, value FROM secrets WHERE book = ? AND game = ?"
    f" ORDER BY number LIMIT {ALL} OFFSET ?"
)


class SqlLog(ABC):
    """The log, as far as SQLite and PostgreSQL are read in the same way. A subclass for each of them has its schema.

    Every query about a stream names its book: a log that is spread over servers keeps all data of a stream there.
    """

    log: ClassVar[str]
    """The table of events."""
    books: ClassVar[int]
    """How many books the log has."""
    book_of: ClassVar[str]
    """The book of the stream that a table {0} of cases or forks has in its column {1}."""
    key: ClassVar[str]
    """The columns by which a table {0} has a stream whose id is in the column {1}."""
    of_stream: ClassVar[str]
    """A condition that an event of table {0} is of the stream {1}, which is in book {2}."""
    record: ClassVar[str]
    """The columns of an event as a `Record` takes them."""
    heads_query: ClassVar[str]
    """A query for all streams, with their books and the versions at which they stand, `head`."""
    loaded: ClassVar[str]
    """A query for the head and the chance of a game."""
    board_file: ClassVar[str]
    """The file of a board, as bytes."""
    among: ClassVar[str]
    """A condition that a column is one of the texts that `_texts` packs into a value."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._archived = Archived(database)

    def _at(self, *streams: StreamId) -> Queries:
        """Return the database, to be asked about these streams alone."""
        return self._database

    @property
    def _everywhere(self) -> Queries:
        """The database, to be asked about streams of all books."""
        return self._database

    @property
    def outside(self) -> Outside:
        """Reads the contents of segments that are not in the database."""
        return self._archived.outside

    @outside.setter
    def outside(self, outside: Outside) -> None:
        self._archived.outside = outside

    @staticmethod
    @abstractmethod
    def _texts(texts: Iterable[str]) -> Any: ...

    async def use_of_key(self, game: StreamId, account: PlayerId, key: str) -> KeptUse | None:
        return kept_use(await self._at(game).select(SEEN, self.book(game), game, account, key))

    async def read(self, game: StreamId, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return records from the log; if the next ones are archived, from the archive and the log."""
        records = _records(await self._at(game).select(*self._reading(game, after, limit)))
        if records:
            if records[0].version == after + 1:
                return records
        elif limit == 0 or await self.head(game) <= after:
            return []
        heads, packed, rows = await self._at(game).select_at_once(
            self._head(game),
            self._packed(game, after, limit),
            self._reading(game, after, limit),
        )
        return await self._joined(game, after, limit, heads[0][0] if heads else 0, packed, rows)

    async def _joined(
        self, game: StreamId, after: Version, limit: int | None, head: Version, packed: Any, rows: Any
    ) -> list[Record]:
        """Return the records that follow a version, from segments and rows that were read at one moment.

        Raises `StreamDamaged` when something in between is missing.
        """
        archived = [record for run in await self._archived.unpacked(packed) for _, record in run]
        records = [record for record in (*archived, *_records(rows)) if record.version > after][:limit]
        for expected, record in enumerate(records, after + 1):
            if record.version != expected:
                raise self._archived.missing(game, expected - 1, record.version - 1)
        if len(records) < min(head - after, ALL if limit is None else limit):
            raise self._archived.missing(game, after + len(records), head)
        return records

    def _packed(self, game: StreamId, after: Version, limit: int | None) -> tuple[Any, ...]:
        """Return a query for the segments of a stream with records that follow a version, and its values."""
        of_stream, values = self._stream(game)
        query = (
            f"SELECT {COLUMNS} FROM segments s WHERE {of_stream} AND s.version > CAST(? AS BIGINT)"
            " AND s.after < CAST(? AS BIGINT) ORDER BY s.version"
        )
        return query, *values, after, ALL if limit is None else after + limit

    @classmethod
    def book(cls, stream: StreamId) -> int:
        """Return the book of a stream."""
        return book_of(stream) if cls.books == BOOKS else 0

    async def is_together(self) -> bool:
        """Tell whether all forks and cases are known to be in the book of their game."""
        return True

    @classmethod
    def about(cls, game: GameId, column: str, is_together: bool) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that forks or cases belong to a game, whose id is in `column`, and its values."""
        if is_together:
            table = column.partition(".")[0]
            return f"{table}.book = ? AND {column} = ?", (cls.book(game), game)
        return f"{column} = ?", (game,)

    def _between_places(self, after: Cursor, until: Cursor) -> Queries:
        """Return the database, to be asked about the books in which positions lie between two places."""
        return self._database

    async def _around(self, game: GameId) -> Queries:
        """Return the database, to be asked about the forks or cases of a game."""
        return self._at(game) if await self.is_together() else self._everywhere

    def _any_of(
        self, games: Collection[StreamId], column: str = "game", table: str = ""
    ) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a stream is one of these, and its values. `table` is empty or ends with a dot."""
        if len(games) > 1:
            return f"{table}{column} {self.among}", (self._texts(games),)
        (game,) = games
        return f"{table}book = ? AND {table}{column} = ?", (self.book(game), game)

    @abstractmethod
    def _stream(self, game: StreamId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that an event is of a stream, and its values."""

    def _reading(self, game: StreamId, after: Version, limit: int | None) -> tuple[Any, ...]:
        of_stream, values = self._stream(game)
        query = (
            f"SELECT {self.record} FROM {self.log} WHERE {of_stream} AND version > CAST(? AS BIGINT)"
            " ORDER BY version LIMIT ?"
        )
        return query, *values, after, ALL if limit is None else limit

    async def segments(
        self, after: tuple[StreamId, Version] | None, limit: int
    ) -> list[tuple[StreamId, Version, str | None]]:
        game, version = after or ("", 0)
        rows = await self._everywhere.select(
            f"SELECT {COLUMNS} FROM segments s WHERE s.game > ? OR (s.game = ? AND s.version > CAST(? AS BIGINT))"
            " ORDER BY s.game, s.version LIMIT ?",
            *(game, game, version, limit),
        )
        faults: list[tuple[StreamId, Version, str | None]] = []
        for row in rows:
            try:
                await self._archived.unpacked([row], anew=True)
                wrong = None
            except (StreamDamaged, ArchiveAway) as error:
                wrong = str(error)
            faults.append((row[0], row[1], wrong))
        return faults

    async def kept_outside(self) -> tuple[StreamId, Version] | None:
        rows = await self._everywhere.select("SELECT game, after FROM segments WHERE digest IS NOT NULL LIMIT 1")
        return (rows[0][0], rows[0][1]) if rows else None

    async def read_all(self, cursor: str | None = None, limit: int = 1000) -> tuple[list[tuple[StreamId, Record]], str]:
        placed, after = await self.read_on(Cursor.parse(cursor, self.books), limit)
        return [(game, record) for _, game, record in placed], str(after)

    async def read_on(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None = None, until: Cursor | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Read rows; then, if records that follow are archived, segments and rows at one moment.

        This order misses nothing: records that are archived after the rows were read are among the rows, and records
        that were archived before are in segments.
        """
        until = until or await self.end()
        rows, reached = await self._read_rows(after, limit, games, until)
        is_all = len(rows) == after.distance(reached)
        if is_all or not await self._between_places(after, until).select(*self._archived_after(after, until)):
            return rows, reached
        return await self._read_both(after, limit, games, until)

    async def _read_both(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None, until: Cursor
    ) -> tuple[list[Placed], Cursor]:
        """Read the next positions of each book, as many as it may have records, from segments and rows.

        Positions may be unused, or those of other games: while nothing is found, further ones are looked at.
        """
        most = limit
        while windows := after.shares(until, most):
            packed, rows = await self._between_places(after, until).select_at_once(
                self._packed_between(after, windows, games), self._between(after, windows, games)
            )
            books: dict[int, dict[int, tuple[StreamId, Record]]] = {book: {} for book in windows}
            for book, position, game, *columns in rows:
                books[book][position] = game, Record(*columns)
            segments = await self._archived.unpacked((columns for _, *columns in packed), keep=True)
            for (book, game, *_), run in zip(packed, segments, strict=True):
                start = after.positions[book]
                for position, record in run:
                    if start < position <= start + windows[book]:
                        books[book][position] = game, record
            reached = after.plus(windows)
            filled = {book: sorted(entries.items()) for book, entries in books.items() if entries}
            if filled:
                # Wider windows may have more than was asked for.
                share = max(1, limit // len(filled)) if most > limit else limit
                placed: list[Placed] = []
                for number, (book, entries) in enumerate(filled.items()):
                    share_of_book = entries[:share] if number < limit else []
                    placed += [
                        (self._place(book, position), game, record) for position, (game, record) in share_of_book
                    ]
                    if len(share_of_book) < len(entries):
                        end = share_of_book[-1][0] if share_of_book else after.positions[book]
                        reached = reached.plus({book: end - reached.positions[book]})
                return placed, reached
            after, most = reached, min(2 * most, _WIDEST)
        return [], after

    @abstractmethod
    def _archived_after(self, after: Cursor, until: Cursor) -> tuple[Any, ...]:
        """Return a query that finds something when segments follow a cursor, on the way to another, and its values."""

    @abstractmethod
    def _packed_between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        """Return a query for the book and the `COLUMNS` of segments with positions in windows, and its values."""

    @abstractmethod
    def _between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        """Return a query for book, position, game and record of rows with positions in windows, and its values."""

    @staticmethod
    @abstractmethod
    def _place(book: int, position: int) -> Place: ...

    async def _read_rows(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None, until: Cursor
    ) -> tuple[list[Placed], Cursor]:
        """Read a log in which all books have their positions from one order."""
        first, last = max(after.positions), max(until.positions)
        only, values = ("", ()) if games is None else (f"AND game {self.among}", (self._texts(games),))
        selection = await self._database.select(
            f"SELECT position, game, {self.record} FROM {self.log} WHERE position > ? AND position <= ? {only}"
            " ORDER BY position LIMIT ?",
            first,
            last,
            *values,
            limit,
        )
        rows = [(Place(ALL_BOOKS, position), game, Record(*columns)) for position, game, *columns in selection]
        reached = rows[-1][0].position if len(rows) == limit else max(first, last)
        return rows, Cursor((reached,) * self.books)

    async def divided(self) -> bool:
        return False

    async def end(self) -> Cursor:
        (last,) = (await self._database.select(f"SELECT coalesce(max(position), 0) FROM {self.log}"))[0]
        return Cursor((last,) * self.books)

    async def reach(self, known: Cursor) -> Cursor:
        return await self.end()

    async def head(self, game: StreamId) -> Version:
        rows = await self._at(game).select(*self._head(game))
        return rows[0][0] if rows else 0

    def _head(self, game: StreamId) -> tuple[Any, ...]:
        """Return a query for the version at which a stream stands, and its values."""
        query = f"SELECT head FROM ({self.heads_query}) h WHERE book = ? AND game = ?"
        return query, self.book(game), game

    def hidden(self, column: str) -> tuple[str, tuple[Any, ...]] | None:
        """Return the condition that rows are of books that are kept here; None when there are no others."""
        return None

    async def events(self) -> int:
        here, values = self.hidden("book") or ("TRUE", ())
        query = f"SELECT coalesce(sum(head), 0) FROM ({self.heads_query}) h WHERE {here}"
        return int((await self._everywhere.select(query, *values))[0][0])

    async def heads(self, games: Collection[StreamId]) -> dict[StreamId, Version]:
        if not games:
            return {}
        where, values = self._any_of(games)
        query = f"SELECT game, head FROM ({self.heads_query}) h WHERE {where}"
        return dict(await self._at(*games).select(query, *values))

    async def secrets(self, game: GameId, offset: int = 0) -> list[Secret]:
        return _secrets(game, await self._at(game).select(SECRETS, self.book(game), game, offset))

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        queries = (
            (self.loaded, self.book(game), game),
            self._reading(game, after, None),
            (SECRETS, self.book(game), game, 0),
        )
        heads, rows, secrets = await self._at(game).select_at_once(*queries)
        if not heads:
            return None
        head, chance = heads[0]
        records = _records(rows)
        if head > after and (not records or records[0].version != after + 1):
            heads, rows, secrets, packed = await self._at(game).select_at_once(
                *queries, self._packed(game, after, None)
            )
            head, chance = heads[0]
            records = await self._joined(game, after, None, head, packed, rows)
        return Stored(head, records, _secrets(game, secrets), chance)

    async def board(self, digest: str) -> bytes | None:
        rows = await self._database.select(f"SELECT {self.board_file} FROM boards WHERE digest = ?", digest)
        return rows[0][0] if rows else None

    def part_of(self, stream: StreamId) -> int:
        return 0


def kept_use(rows: Sequence[Any]) -> KeptUse | None:
    """Return the use of a key that the query `SEEN` has found, or None."""
    for fingerprint, after, version in rows:
        return KeptUse(fingerprint, Added(after, version))
    return None


def _records(rows: Iterable[Any]) -> list[Record]:
    return [Record(*columns) for columns in rows]


def _secrets(game: GameId, rows: Iterable[Any]) -> list[Secret]:
    try:
        return [
            Secret(commitment, msgspec.json.decode(readers, type=tuple[Seat, ...]), salt, msgspec.json.decode(value))
            for commitment, readers, salt, value in rows
        ]
    except msgspec.DecodeError as error:
        raise StoreDamaged(f"a secret of game {game} cannot be read: {error}") from error
