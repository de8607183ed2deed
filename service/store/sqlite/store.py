"""The embedded store: the log in one SQLite file. Positions follow the order of commits, so a reader misses nothing."""

import asyncio
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.judging.case import CaseRow
from domain.kernel.ids import StreamId, Version
from domain.kernel.log.record import Record
from projections.cursor import ALL_BOOKS, Cursor, Place
from service.observe.logging import log
from service.store.accounts import LimitReached
from service.store.protocol import Append, Appended, Conflict, KeyReused, Placed
from service.store.sql.apps import SqlApps
from service.store.sql.archived import COLUMNS
from service.store.sql.cases import CASE_NUMBER
from service.store.sql.imports import SqlImports
from service.store.sql.joining import SqlJoinings
from service.store.sql.log import SEEN, kept_use
from service.store.sql.organizing import SqlOrganizing
from service.store.sql.store import SqlStore, index_statements, secret_values
from service.store.sql.webhooks import SqlHooks
from service.store.sqlite.accounts import SqliteAccounts
from service.store.sqlite.checking import Checking, mark
from service.store.sqlite.connections import Connections, Translated, connect
from service.store.sqlite.file import check_file, create_file, damaged, is_read_first, mark_of
from service.store.sqlite.schema import bring_up_to_date
from service.store.sqlite.transparency import SqliteTree

QUICK: Final = 0.002
"""While transactions usually take less than these seconds, they run in the event loop."""

READERS: Final = 4

AT_HAND: Final = 2000
"""How many of the newest records of the log are kept in memory, at least."""

_SPANS: Final = msgspec.json.encode([*range(41)])
"""The possible spans of segments, as JSON."""

_Outcome = tuple[Appended, int]
"""The outcome of an append, and the position of its first record; 0 when nothing was added."""


class SqliteStore(SqlStore):
    """An `EventStore` in one file. To be made by `SqliteStore.open`."""

    is_shared = False
    log = "events"
    books = 1
    book_of = "0"
    key = "{0}{1}"
    of_stream = "{0}.game = {1}"
    record = (
        "CAST(version AS INTEGER), CAST(event AS BLOB), CAST(schema AS INTEGER), CAST(draws AS INTEGER),"
        " CAST(at AS TEXT), CAST(cause AS BLOB), CAST(hash AS BLOB)"
    )
    listed = (
        "SELECT g.game, g.title, g.ruleset, g.ruleset_version, g.status, g.organizer, g.seats, g.head, g.created,"
        " g.changed, f.parent, f.version, f.purpose, f.withheld FROM games g LEFT JOIN forks f ON f.game = g.game"
    )
    changes = ""
    changed = "g.changed"
    heads_query = (
        "SELECT book, game, head FROM games UNION ALL SELECT book, stream, version FROM cases"
        " UNION ALL SELECT book, stream, version FROM tournaments"
        " UNION ALL SELECT book, stream, version FROM leagues"
    )
    loaded = "SELECT head, CAST(chance AS BLOB) FROM games WHERE book = ? AND game = ?"
    board_file = "CAST(file AS BLOB)"
    seed_bytes = "CAST(seed AS BLOB)"
    among = "IN (SELECT value FROM json_each(?))"

    def __init__(self, path: Path, *, durable: bool) -> None:
        pragmas = (
            f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}",
            "PRAGMA cache_size = -16000",
            "PRAGMA wal_autocheckpoint = 0",
        )
        self._path = path
        self._connections = Connections(
            path, *pragmas, readers=READERS, quick=QUICK, on_damage=lambda why: self._on_damage(damaged(path, why))
        )
        self._is_read = True
        self._checking: Checking | None = None
        super().__init__(self._connections)
        self._end = _End()
        self.accounts = SqliteAccounts(self._connections)
        self.tree = SqliteTree(self._connections, self)
        self.webhooks = SqlHooks(self._connections, self.accounts.change)
        self.organizing = SqlOrganizing(self._connections, self.accounts.change)
        self.apps = SqlApps(self._connections, self.accounts.change)
        self.imports = SqlImports(self._connections, self.accounts.change)
        self.joinings = SqlJoinings(self._connections, self.accounts.change)

    @classmethod
    async def open(cls, path: Path, *, durable: bool = True, sandbox: bool = False) -> "SqliteStore":
        """Open the store in the file `path`; make it when there is none, bring it up to date when it is older.

        Args:
            durable: False gives up that an append is on the disk when it returns: after a power failure the last
                ones may be missing.
            sandbox: whether everybody knows all its tokens and secrets.

        Raises:
            StoreDamaged: the file is damaged, or is no store of ours. It was not touched.
            StoreUnavailable: the file cannot be opened.
        """
        return await asyncio.to_thread(cls._open, path, durable, sandbox)

    @classmethod
    def _open(cls, path: Path, durable: bool, sandbox: bool) -> "SqliteStore":
        with Translated(path):
            is_read = True
            if not check_file(path, durable=durable, sandbox=sandbox):
                create_file(path, sandbox=sandbox)
            elif is_read := is_read_first(path):
                mark_of(path).unlink(missing_ok=True)
            with closing(connect(path, "PRAGMA synchronous = FULL")) as connection:
                bring_up_to_date(connection)
            store = cls(path, durable=durable)
            store._is_read = is_read
            return store

    @property
    def damage(self) -> str | None:
        return self._connections.refused

    def _on_damage(self, why: str) -> None:
        """Log the damage once, and refuse writes from now on: a write could spread the damage."""
        if self._connections.refused is None:
            self._connections.refuse(why)
            mark(self._path, why)
            log.error("the database is damaged, and nothing is stored any more", why=why)

    async def close(self) -> None:
        if self._checking is not None:
            await asyncio.to_thread(self._checking.stop)
        await self._connections.close()

    def begin_checking(self) -> None:
        if not self._is_read and self._checking is None:
            self._checking = Checking(self._path, self._on_damage)

    async def checked(self) -> None:
        """Wait until the check that `begin_checking` began has ended."""
        if self._checking is not None:
            await asyncio.to_thread(self._checking.wait)

    async def forget_keys(self, before: str, limit: int) -> int:
        def work(connection: sqlite3.Connection) -> int:
            oldest = "SELECT number FROM keys ORDER BY number LIMIT ?"
            return connection.execute(
                f"DELETE FROM keys WHERE number IN ({oldest}) AND at < ?", (limit, before)
            ).rowcount

        return await self._connections.write(work)

    def _stream(self, game: StreamId) -> tuple[str, tuple[Any, ...]]:
        return "game = ?", (game,)

    async def end(self) -> Cursor:
        # The newest records may be archived.
        (end,) = await self._connections.select(
            "SELECT max(coalesce((SELECT max(position) FROM events), 0), coalesce((SELECT max(last) FROM segments), 0))"
        )
        return Cursor(end)

    def _archived_after(self, after: Cursor, until: Cursor) -> tuple[Any, ...]:
        return "SELECT 1 FROM segments WHERE last > ? LIMIT 1", *after.positions

    def _packed_between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        # A segment with positions within 2^span overlaps a window only if it begins at most 2^span before the window.
        (start,), only, values = after.positions, *self._only("s", games)
        query = (
            f"SELECT 0, {COLUMNS} FROM json_each(?) k CROSS JOIN segments s"
            f" WHERE s.span = k.value AND s.first > ? - (1 << k.value) AND s.first <= ? AND s.last > ?{only}"
        )
        return query, _SPANS, start, start + windows[0], start, *values

    def _between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        (start,), only, values = after.positions, *self._only("e", games)
        query = f"SELECT 0, position, game, {self.record} FROM events e WHERE position > ? AND position <= ?{only}"
        return query, start, start + windows[0], *values

    def _only(self, table: str, games: Collection[StreamId] | None) -> tuple[str, tuple[Any, ...]]:
        return ("", ()) if games is None else (f" AND {table}.game {self.among}", (self._texts(games),))

    @staticmethod
    def _place(book: int, position: int) -> Place:
        return Place(ALL_BOOKS, position)

    async def read_on(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None = None, until: Cursor | None = None
    ) -> tuple[list[Placed], Cursor]:
        (position,) = after.positions
        at_hand = self._end.after(position) if until is None else None
        if at_hand is None:
            return await super().read_on(after, limit, games, until)
        rows = [row for row in at_hand if games is None or row[1] in games][:limit]
        last = rows if len(rows) == limit else at_hand
        return rows, Cursor((last[-1][0].position,)) if last else after

    async def _append(self, batch: Append) -> Appended:
        work = partial(_append, batch=batch)
        appended, _ = await self._connections.write(work, partial(self._stored, (batch,)))
        return appended

    async def _append_together(self, batches: Sequence[Append]) -> Appended:
        work = partial(_append_together, batches=batches)
        appended, _ = await self._connections.write(work, partial(self._stored, batches))
        return appended

    def _stored(self, batches: Sequence[Append], outcome: "_Outcome") -> None:
        """Keep committed records in memory."""
        appended, first = outcome
        if appended.repeated is None:
            self._end.add(first, [(batch.game, record) for batch in batches for record in batch.records])

    @staticmethod
    def _texts(texts: Iterable[str]) -> bytes:
        return msgspec.json.encode(sorted(texts))


class _End:
    """The newest records of the log in memory, for those who follow it. Only what is committed is added.

    No other process appends to the file. If one did, the next position would show it, and the records in memory would
    begin anew there.
    """

    def __init__(self) -> None:
        self._rows: list[Placed] = []
        self._after = -1
        """The records in memory are all that follow this position; -1 while none was appended."""

    def after(self, position: int) -> list[Placed] | None:
        """Return the records that follow a position; None if the records in memory do not reach back to it."""
        if not self._rows or position < self._after:
            return None
        return self._rows[position - self._after :]

    def add(self, first: int, records: Sequence[tuple[StreamId, Record]]) -> None:
        """Add records that were committed, the first of them at position `first`."""
        if not self._rows or first != self._rows[-1][0].position + 1:
            self._rows, self._after = [], first - 1
        self._rows += [
            (Place(ALL_BOOKS, first + number), stream, record) for number, (stream, record) in enumerate(records)
        ]
        if len(self._rows) > 2 * AT_HAND:
            self._after = self._rows[-AT_HAND - 1][0].position
            del self._rows[:-AT_HAND]


# --- statements -------------------------------------------------------------------------------------------------------


_MOVE: Final = "UPDATE games SET head = ?, changed = ? WHERE game = ? AND head = ? AND status = ?"
"""Moves a game whose status stays the same: then its index by status need not be written."""
_MOVE_KEYED: Final = f"{_MOVE} AND NOT EXISTS (SELECT 1 FROM keys k WHERE k.game = ? AND k.account = ? AND k.key = ?)"
_MOVE_ON: Final = "UPDATE games SET head = ?, changed = ?, status = ? WHERE game = ? AND head = ?"
_INSERT: Final = (
    "INSERT INTO events (game, version, event, schema, draws, at, cause, hash)"
    " VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), ?)"
)
"""The cause is a text that may be empty, and the hash a bytearray: for None and for bytes, Python first looks for
adapters, which takes longer than to write them."""


def _append_together(connection: sqlite3.Connection, batches: Sequence[Append]) -> _Outcome:
    """Append all batches, or none. Writes of other requests in the same transaction stay."""
    connection.execute("SAVEPOINT together")
    try:
        first = _append(connection, batches[0])
        for batch in batches[1:] if first[0].repeated is None else ():
            _append(connection, batch)
        for batch in batches if first[0].repeated is None else ():
            within = batch.within
            if within is not None:
                query, *values = SqliteStore.counting(within, is_together=True)
                (count,) = connection.execute(query, values).fetchone()
                if count > within.most:
                    raise LimitReached
    except BaseException:
        connection.execute("ROLLBACK TO together")
        raise
    finally:
        connection.execute("RELEASE together")
    return first


def _append(connection: sqlite3.Connection, batch: Append) -> _Outcome:
    """Check, then write. Raises `Conflict` or `KeyReused` before anything is written."""
    last = batch.records[-1]
    is_beside = batch.tournament is not None or batch.league is not None
    indexed = batch.case is not None or is_beside
    if indexed or batch.opening is not None or not _moved(connection, batch):
        # A new stream, a status that changes, or a reason why the game does not move.
        if (repeated := _repeated(connection, batch)) is not None:
            return repeated, 0
        if batch.case is not None:
            _check_case(connection, batch, batch.case)
        elif is_beside:
            if (head := _head(connection, batch.game)) != batch.expected:
                raise Conflict(head)
        elif batch.opening is not None:
            _insert_game(connection, batch, batch.opening.board)
        else:
            values = last.version, last.at, batch.status, batch.game, batch.expected
            if connection.execute(_MOVE_ON, values).rowcount != 1:
                raise Conflict(_head(connection, batch.game))
    for statement, values in index_statements(batch, SqliteStore.book):
        connection.execute(statement, values)
    rows = [_row(batch.game, record) for record in batch.records]
    first = connection.execute(_INSERT, rows[0]).lastrowid
    if len(rows) > 1:
        connection.executemany(_INSERT, rows[1:])
    _write_beside(connection, batch)
    return Appended(last.version), first or 0


def _moved(connection: sqlite3.Connection, batch: Append) -> bool:
    """Move a game, whose status stays the same, to its new version; tell whether that was possible."""
    last, key = batch.records[-1], batch.key
    values = last.version, last.at, batch.game, batch.expected, batch.status
    if key is None:
        return connection.execute(_MOVE, values).rowcount == 1
    return connection.execute(_MOVE_KEYED, (*values, batch.game, key.account, key.key)).rowcount == 1


def _repeated(connection: sqlite3.Connection, batch: Append) -> Appended | None:
    """Return the answer to a repeated request; None for a new one. Raises `KeyReused`."""
    game, key = batch.game, batch.key
    first = kept_use(connection.execute(SEEN, (0, game, key.account, key.key)).fetchall()) if key is not None else None
    if first is None or key is None:
        return None
    if first.fingerprint != key.fingerprint:
        raise KeyReused
    return Appended(_head(connection, game), first.added)


def _row(game: StreamId, record: Record) -> tuple[Any, ...]:
    return (
        game,
        record.version,
        record.event.decode(),
        record.schema,
        record.draws,
        record.at,
        record.cause.decode() if record.cause is not None else "",
        bytearray(record.hash),
    )


def _write_beside(connection: sqlite3.Connection, batch: Append) -> None:
    """Write the data that belong to records: secrets, who sits where, the use of a key."""
    game, key, last = batch.game, batch.key, batch.records[-1]
    if batch.secrets:
        connection.executemany(
            "INSERT INTO secrets (game, commitment, readers, salt, value) VALUES (?, ?, ?, ?, ?)",
            [(game, secret.commitment, *secret_values(secret)) for secret in batch.secrets],
        )
    if batch.seats is not None:
        _write_seats(connection, game, batch.seats)
    if key is not None:
        connection.execute(
            "INSERT INTO keys (game, account, key, fingerprint, after, version, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (game, key.account, key.key, bytearray(key.fingerprint), batch.expected, last.version, last.at),
        )


def _check_case(connection: sqlite3.Connection, batch: Append, case: CaseRow) -> None:
    head = _head(connection, case.case)
    number = CASE_NUMBER.format("c.game = ?"), (case.game, case.number)
    is_taken = batch.expected == 0 and connection.execute(*number).fetchone()
    if head != batch.expected or is_taken:
        raise Conflict(head)


def _insert_game(connection: sqlite3.Connection, batch: Append, board: str) -> None:
    opening, last = batch.opening, batch.records[-1]
    assert opening is not None
    head = _head(connection, batch.game)
    if head:
        raise Conflict(head)
    connection.execute("INSERT OR IGNORE INTO boards (digest, file) VALUES (?, ?)", (board, opening.board_file))
    connection.execute(
        "INSERT INTO games (game, title, ruleset, ruleset_version, status, organizer, seats, head, created, changed,"
        " chance) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            batch.game,
            opening.title,
            opening.ruleset,
            opening.ruleset_version,
            batch.status,
            opening.organizer,
            "{}",
            last.version,
            batch.records[0].at,
            last.at,
            opening.chance,
        ),
    )


def _write_seats(connection: sqlite3.Connection, game: StreamId, seats: Any) -> None:
    connection.execute("UPDATE games SET seats = ? WHERE game = ?", (msgspec.json.encode(seats).decode(), game))
    connection.execute("DELETE FROM seated WHERE game = ?", (game,))
    values = [(player, game) for player in seats.values() if player is not None]
    connection.executemany("INSERT INTO seated (player, game) VALUES (?, ?)", values)


def _head(connection: sqlite3.Connection, game: StreamId) -> Version:
    row = connection.execute(f"SELECT head FROM ({SqliteStore.heads_query}) h WHERE game = ?", (game,)).fetchone()
    return row[0] if row else 0
