"""The embedded store: the log in one SQLite file. Positions follow the order of commits, so a reader misses nothing."""

import asyncio
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.judging.case import CaseRow
from domain.kernel.ids import StreamId, Version
from service.store.protocol import Append, Appended, Conflict, KeyReused
from service.store.sql.store import CASE_NUMBER, SEEN, SqlStore, index_statements, kept_use, secret_values
from service.store.sqlite.accounts import SqliteAccounts
from service.store.sqlite.connections import Connections, Translated, connect
from service.store.sqlite.file import bring_up_to_date, check_file, create_file
from service.store.sqlite.transparency import SqliteTree

QUICK: Final = 0.002
"""Seconds that a transaction usually takes at most, to be run in the event loop."""

READERS: Final = 4


class SqliteStore(SqlStore):
    """An `EventStore` in one file. To be made by `SqliteStore.open`."""

    is_shared = False
    record = (
        "CAST(version AS INTEGER), CAST(event AS BLOB), CAST(schema AS INTEGER), CAST(draws AS INTEGER),"
        " CAST(at AS TEXT), CAST(cause AS BLOB), CAST(hash AS BLOB)"
    )
    listed = (
        "SELECT g.game, g.title, g.ruleset, g.ruleset_version, g.status, g.organizer, g.seats, g.head, g.created,"
        " g.changed, f.parent, f.version, f.purpose, f.withheld FROM games g LEFT JOIN forks f ON f.game = g.game"
    )
    heads_query = (
        "SELECT game, head FROM (SELECT game, head FROM games UNION ALL SELECT stream, version FROM cases) streams"
    )
    loaded = "SELECT head, CAST(chance AS BLOB) FROM games WHERE game = ?"
    board_file = "CAST(file AS BLOB)"
    among = "IN (SELECT value FROM json_each(?))"

    def __init__(self, path: Path, *, durable: bool) -> None:
        pragmas = (
            f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}",
            "PRAGMA cache_size = -16000",
            "PRAGMA wal_autocheckpoint = 0",
        )
        self._connections = Connections(path, *pragmas, readers=READERS, quick=QUICK)
        super().__init__(self._connections)
        self.accounts = SqliteAccounts(self._connections)
        self.tree = SqliteTree(self._connections, self.heads_query)

    @classmethod
    async def open(cls, path: Path, *, durable: bool = True) -> "SqliteStore":
        """Open the store in the file `path`; make it when there is none, bring it up to date when it is older.

        Args:
            durable: False gives up that an append is on the disk when it returns: after a power failure the last
                ones may be missing.

        Raises:
            StoreDamaged: the file is damaged, or is no store of ours. It was not touched.
            StoreUnavailable: the file cannot be opened.
        """
        return await asyncio.to_thread(cls._open, path, durable)

    @classmethod
    def _open(cls, path: Path, durable: bool) -> "SqliteStore":
        with Translated(path):
            if not check_file(path, durable=durable):
                create_file(path)
            with closing(connect(path, "PRAGMA synchronous = FULL")) as connection:
                bring_up_to_date(connection)
            return cls(path, durable=durable)

    async def close(self) -> None:
        await self._connections.close()

    async def forget_keys(self, before: str, limit: int) -> int:
        def work(connection: sqlite3.Connection) -> int:
            oldest = "SELECT number FROM keys ORDER BY number LIMIT ?"
            return connection.execute(
                f"DELETE FROM keys WHERE number IN ({oldest}) AND at < ?", (limit, before)
            ).rowcount

        return await self._connections.write(work)

    async def _append(self, batch: Append) -> Appended:
        return await self._connections.write(lambda connection: _append(connection, batch))

    async def _append_together(self, batches: Sequence[Append]) -> Appended:
        return await self._connections.write(lambda connection: _append_together(connection, batches))

    @staticmethod
    def _texts(texts: Iterable[str]) -> bytes:
        return msgspec.json.encode(sorted(texts))


# --- statements -------------------------------------------------------------------------------------------------------


def _append_together(connection: sqlite3.Connection, batches: Sequence[Append]) -> Appended:
    """Append all batches, or none. What other requests wrote in the same transaction stays."""
    connection.execute("SAVEPOINT together")
    try:
        first = _append(connection, batches[0])
        for batch in batches[1:] if first.repeated is None else ():
            _append(connection, batch)
    except BaseException:
        connection.execute("ROLLBACK TO together")
        raise
    finally:
        connection.execute("RELEASE together")
    return first


def _append(connection: sqlite3.Connection, batch: Append) -> Appended:
    """Check, then write. Raises `Conflict` or `KeyReused` before anything is written."""
    game, key = batch.game, batch.key
    if key is not None:
        first = kept_use(connection.execute(SEEN, (game, key.account, key.key)).fetchall())
        if first is not None:
            if first.fingerprint != key.fingerprint:
                raise KeyReused
            return Appended(_head(connection, game), first.added)
    last = batch.records[-1]
    if batch.case is not None:
        _check_case(connection, batch, batch.case)
    elif batch.opening is not None:
        _insert_game(connection, batch, batch.opening.board)
    else:
        moved = connection.execute(
            "UPDATE games SET head = ?, status = ?, changed = ? WHERE game = ? AND head = ?",
            (last.version, batch.status, last.at, game, batch.expected),
        )
        if moved.rowcount != 1:
            raise Conflict(_head(connection, game))
    for statement, values in index_statements(batch):
        connection.execute(statement, values)
    for record in batch.records:
        connection.execute(
            "INSERT INTO events (game, version, event, schema, draws, at, cause, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                game,
                record.version,
                record.event.decode(),
                record.schema,
                record.draws,
                record.at,
                record.cause.decode() if record.cause is not None else None,
                record.hash,
            ),
        )
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
            (game, key.account, key.key, key.fingerprint, batch.expected, last.version, last.at),
        )
    return Appended(last.version)


def _check_case(connection: sqlite3.Connection, batch: Append, case: CaseRow) -> None:
    head = _head(connection, case.case)
    is_taken = batch.expected == 0 and connection.execute(CASE_NUMBER, (case.game, case.number)).fetchone()
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
    held = [(player, game) for player in seats.values() if player is not None]
    connection.executemany("INSERT INTO seated (player, game) VALUES (?, ?)", held)


def _head(connection: sqlite3.Connection, game: StreamId) -> Version:
    row = connection.execute(f"SELECT head FROM ({SqliteStore.heads_query}) WHERE game = ?", (game,)).fetchone()
    return row[0] if row else 0
