"""The embedded store: the log in one SQLite file. Positions follow the order of commits, so a reader misses nothing."""

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from domain.kernel.canonical import canonical
from domain.kernel.chance.secret import Secret
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.record import Record
from projections.lobby import GameRow
from service.store.protocol import (
    Added,
    Append,
    Appended,
    Conflict,
    KeptUse,
    KeyReused,
    Stored,
    StoreDamaged,
    UnknownCursor,
)
from service.store.sqlite.accounts import SqliteAccounts
from service.store.sqlite.connections import Connections, Translated, connect
from service.store.sqlite.file import bring_up_to_date, check_file, create_file

T = TypeVar("T")

QUICK: Final = 0.002
"""Seconds that a transaction usually takes at most, to be run in the event loop."""

READERS: Final = 4

_RECORD: Final = (
    "CAST(version AS INTEGER), CAST(event AS BLOB), CAST(schema AS INTEGER), CAST(draws AS INTEGER),"
    " CAST(at AS TEXT), CAST(cause AS BLOB), CAST(hash AS BLOB)"
)
_GAME: Final = "game, title, ruleset, ruleset_version, status, organizer, seats, head, created, changed"
_MINE: Final = (
    "game IN (WITH me(player) AS (VALUES (?)) SELECT game FROM seated, me WHERE seated.player = me.player"
    " UNION SELECT game FROM games, me WHERE organizer = me.player)"
)


class SqliteStore:
    """An `EventStore` in one file. To be made by `SqliteStore.open`."""

    is_shared = False

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._path = path
        pragmas = (
            f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}",
            "PRAGMA cache_size = -16000",
            "PRAGMA wal_autocheckpoint = 0",
        )
        self._connections = Connections(path, *pragmas, readers=READERS, quick=QUICK)
        self.accounts = SqliteAccounts(self._read, self._write)

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

    async def ready(self) -> None:
        await self._read(lambda connection: connection.execute("SELECT 1 FROM games LIMIT 1").fetchone())

    # --- writing ---

    async def append(self, batch: Append) -> Appended:
        versions = [record.version for record in batch.records]
        if not versions or versions != list(range(batch.expected + 1, batch.expected + len(versions) + 1)):
            raise ValueError(f"records {versions} do not follow version {batch.expected}")
        if (batch.expected == 0) != (batch.opening is not None):
            raise ValueError("a new game has an opening, and nothing else has")
        return await self._write(lambda connection: _append(connection, batch))

    async def forget_keys(self, before: str, limit: int) -> int:
        def work(connection: sqlite3.Connection) -> int:
            oldest = "SELECT number FROM keys ORDER BY number LIMIT ?"
            return connection.execute(
                f"DELETE FROM keys WHERE number IN ({oldest}) AND at < ?", (limit, before)
            ).rowcount

        return await self._write(work)

    async def retitle(self, game: GameId, title: str) -> None:
        await self._write(
            lambda connection: connection.execute("UPDATE games SET title = ? WHERE game = ?", (title, game))
        )

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with Translated(self._path):
            return await self._connections.write(work)

    # --- reading ---

    async def seen(self, game: GameId, account: PlayerId, key: str) -> KeptUse | None:
        return await self._read(lambda connection: _seen(connection, game, account, key))

    async def read(self, game: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        return await self._read(lambda connection: _records(connection, game, after, limit))

    async def read_all(self, cursor: str | None = None, limit: int = 1000) -> tuple[list[tuple[GameId, Record]], str]:
        after = _position(cursor)

        def work(connection: sqlite3.Connection) -> tuple[list[tuple[GameId, Record]], str]:
            rows = connection.execute(
                f"SELECT position, game, {_RECORD} FROM events WHERE position > ? ORDER BY position LIMIT ?",
                (after, limit),
            ).fetchall()
            return [(row[1], Record(*row[2:])) for row in rows], str(rows[-1][0] if rows else after)

        return await self._read(work)

    async def read_on(
        self, after: int, limit: int, games: Collection[GameId] | None = None
    ) -> list[tuple[int, GameId, Record]]:
        named = None if games is None else msgspec.json.encode(sorted(games))
        only = "" if games is None else "AND game IN (SELECT value FROM json_each(?3))"

        def work(connection: sqlite3.Connection) -> list[tuple[int, GameId, Record]]:
            rows = connection.execute(
                f"SELECT position, game, {_RECORD} FROM events WHERE position > ?1 {only} ORDER BY position LIMIT ?2",
                (after, limit) if named is None else (after, limit, named),
            )
            return [(row[0], row[1], Record(*row[2:])) for row in rows]

        return await self._read(work)

    async def end(self) -> int:
        return await self._read(
            lambda connection: connection.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0]
        )

    async def head(self, game: GameId) -> Version:
        return await self._read(lambda connection: _head(connection, game))

    async def events(self) -> int:
        return await self._read(
            lambda connection: connection.execute("SELECT coalesce(sum(head), 0) FROM games").fetchone()[0]
        )

    async def heads(self, games: Collection[GameId]) -> dict[GameId, Version]:
        asked = msgspec.json.encode(sorted(games))
        return await self._read(
            lambda connection: dict(
                connection.execute(
                    "SELECT game, head FROM games WHERE game IN (SELECT value FROM json_each(?))", (asked,)
                )
            )
        )

    async def rulesets(self, games: Collection[GameId]) -> dict[GameId, str]:
        asked = msgspec.json.encode(sorted(games))
        return await self._read(
            lambda connection: dict(
                connection.execute(
                    "SELECT game, ruleset FROM games WHERE game IN (SELECT value FROM json_each(?))", (asked,)
                )
            )
        )

    async def secrets(self, game: GameId, known: int = 0) -> list[Secret]:
        return await self._read(lambda connection: _secrets(connection, game, known))

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        def work(connection: sqlite3.Connection) -> Stored | None:
            connection.execute("BEGIN")
            try:
                row = connection.execute(
                    "SELECT head, CAST(chance AS BLOB) FROM games WHERE game = ?", (game,)
                ).fetchone()
                if row is None:
                    return None
                secrets = _secrets(connection, game, 0)
                return Stored(row[0], _records(connection, game, after, None), secrets, row[1])
            finally:
                connection.execute("COMMIT")

        return await self._read(work)

    async def board(self, digest: str) -> bytes | None:
        def work(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute("SELECT CAST(file AS BLOB) FROM boards WHERE digest = ?", (digest,)).fetchone()
            return row and row[0]

        return await self._read(work)

    async def game(self, game: GameId) -> GameRow | None:
        def work(connection: sqlite3.Connection) -> GameRow | None:
            row = connection.execute(f"SELECT {_GAME} FROM games WHERE game = ?", (game,)).fetchone()
            return row and _game_row(row)

        return await self._read(work)

    async def games(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        player: PlayerId | None = None,
        mine: PlayerId | None = None,
        after: GameId | None = None,
        limit: int = 50,
    ) -> list[GameRow]:
        conditions: list[tuple[str, Any]] = []
        if status is not None:
            conditions.append(("status = ?", status))
        if ruleset is not None:
            conditions.append(("ruleset = ?", ruleset))
        if player is not None:
            conditions.append(("game IN (SELECT game FROM seated WHERE player = ?)", player))
        if mine is not None:
            conditions.append((_MINE, mine))
        if after is not None:
            conditions.append(("number < (SELECT number FROM games WHERE game = ?)", after))
        where = " AND ".join(condition for condition, _ in conditions) or "TRUE"
        values = [value for _, value in conditions]

        def work(connection: sqlite3.Connection) -> list[GameRow]:
            rows = connection.execute(
                f"SELECT {_GAME} FROM games WHERE {where} ORDER BY number DESC LIMIT ?", (*values, limit)
            )
            return [_game_row(row) for row in rows]

        return await self._read(work)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with Translated(self._path):
            return await self._connections.read(work)


# --- statements -------------------------------------------------------------------------------------------------------


def _append(connection: sqlite3.Connection, batch: Append) -> Appended:
    """Check, then write. Raises `Conflict` or `KeyReused` before anything is written."""
    game, key = batch.game, batch.key
    if key is not None:
        first = _seen(connection, game, key.account, key.key)
        if first is not None:
            if first.fingerprint != key.fingerprint:
                raise KeyReused
            return Appended(_head(connection, game), first.added)
    last = batch.records[-1]
    if batch.opening is not None:
        _insert_game(connection, batch, batch.opening.board)
    else:
        moved = connection.execute(
            "UPDATE games SET head = ?, status = ?, changed = ? WHERE game = ? AND head = ?",
            (last.version, batch.status, last.at, game, batch.expected),
        )
        if moved.rowcount != 1:
            raise Conflict(_head(connection, game))
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
            [(game, secret.commitment, *_secret_columns(secret)) for secret in batch.secrets],
        )
    if batch.seats is not None:
        _write_seats(connection, game, batch.seats)
    if key is not None:
        connection.execute(
            "INSERT INTO keys (game, account, key, fingerprint, after, version, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (game, key.account, key.key, key.fingerprint, batch.expected, last.version, last.at),
        )
    return Appended(last.version)


def _insert_game(connection: sqlite3.Connection, batch: Append, board: str) -> None:
    opening, last = batch.opening, batch.records[-1]
    assert opening is not None
    head = _head(connection, batch.game)
    if head:
        raise Conflict(head)
    connection.execute("INSERT OR IGNORE INTO boards (digest, file) VALUES (?, ?)", (board, opening.board_file))
    connection.execute(
        f"INSERT INTO games ({_GAME}, chance) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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


def _write_seats(connection: sqlite3.Connection, game: GameId, seats: Any) -> None:
    connection.execute("UPDATE games SET seats = ? WHERE game = ?", (msgspec.json.encode(seats).decode(), game))
    connection.execute("DELETE FROM seated WHERE game = ?", (game,))
    held = [(player, game) for player in seats.values() if player is not None]
    connection.executemany("INSERT INTO seated (player, game) VALUES (?, ?)", held)


def _seen(connection: sqlite3.Connection, game: GameId, account: PlayerId, key: str) -> KeptUse | None:
    row = connection.execute(
        "SELECT fingerprint, after, version FROM keys WHERE game = ? AND account = ? AND key = ?", (game, account, key)
    ).fetchone()
    return row and KeptUse(row[0], Added(*row[1:]))


def _head(connection: sqlite3.Connection, game: GameId) -> Version:
    row = connection.execute("SELECT head FROM games WHERE game = ?", (game,)).fetchone()
    return row[0] if row else 0


def _records(connection: sqlite3.Connection, game: GameId, after: Version, limit: int | None) -> list[Record]:
    rows = connection.execute(
        f"SELECT {_RECORD} FROM events WHERE game = ? AND version > ? ORDER BY version LIMIT ?",
        (game, after, -1 if limit is None else limit),
    )
    return [Record(*row) for row in rows]


def _secret_columns(secret: Secret) -> tuple[str, str, str]:
    return msgspec.json.encode(secret.readers).decode(), secret.salt, canonical(secret.value).decode()


def _secrets(connection: sqlite3.Connection, game: GameId, known: int) -> list[Secret]:
    rows = connection.execute(
        "SELECT commitment, readers, salt, value FROM secrets WHERE game = ? ORDER BY number LIMIT -1 OFFSET ?",
        (game, known),
    )
    try:
        return [_secret(*row) for row in rows]
    except msgspec.DecodeError as error:
        raise StoreDamaged(f"a secret of game {game} cannot be read: {error}") from error


def _secret(commitment: str, readers: str, salt: str, value: str) -> Secret:
    return Secret(commitment, msgspec.json.decode(readers, type=tuple[Seat, ...]), salt, msgspec.json.decode(value))


def _game_row(row: Sequence[Any]) -> GameRow:
    """Return the row of `_GAME` columns."""
    game, title, ruleset, ruleset_version, status, organizer, seats, version, created, changed = row
    return GameRow(
        game=game,
        title=title,
        ruleset=ruleset,
        ruleset_version=ruleset_version,
        status=status,
        organizer=organizer,
        seats=msgspec.json.decode(seats),
        version=version,
        created=created,
        changed=changed,
    )


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
        raise UnknownCursor(f"{cursor!r} is not a cursor: use one from an earlier answer, or leave it out")
    return int(cursor)
