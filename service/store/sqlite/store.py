"""The embedded store: one SQLite file in WAL mode, one writer, a few readers.

Whatever waits to be written is gathered into one transaction (group commit), because a durable commit costs a wait
for the disk, however much is in it. Within a transaction every append has its own outcome: each is checked before it
writes anything. Positions are given in commit order, so following them misses nothing.
"""

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
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
    StoreUnavailable,
    UnknownCursor,
)
from service.store.sqlite.accounts import SqliteAccounts
from service.store.sqlite.file import PAGE, bring_up_to_date, check_file, script

T = TypeVar("T")

GATHERED: Final = 256
"""At most so many appends in one transaction, so that the first of them is not kept waiting."""

QUICK: Final = 0.002
"""Seconds that a transaction usually takes at most, to be run in the event loop."""

CHECKPOINT_EVERY: Final = 300
"""Transactions after which the log is carried over into the database."""

READERS: Final = 4
PATIENCE: Final = 5.0
"""Seconds to wait for another process that writes to the same file."""

_RECORD: Final = (
    "CAST(version AS INTEGER), CAST(event AS BLOB), CAST(schema AS INTEGER), CAST(draws AS INTEGER),"
    " CAST(at AS TEXT), CAST(cause AS BLOB), CAST(hash AS BLOB)"
)
_GAME: Final = "game, title, ruleset, ruleset_version, status, organizer, seats, head, created, changed"
_MINE: Final = (
    "game IN (WITH me(player) AS (VALUES (?)) SELECT game FROM seated, me WHERE seated.player = me.player"
    " UNION SELECT game FROM games, me WHERE organizer = me.player)"
)
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BAD_TEXT: Final = "Could not decode to UTF-8"

Work = Callable[[sqlite3.Connection], Any]


class SqliteStore:
    """An `EventStore` in one file. To be made by `SqliteStore.open`."""

    is_shared = False

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._path = path
        self._writer = _Writer(_connect(path, durable=durable))
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-reader")
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._closed = False
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
        with _Translated(path):
            try:
                if not check_file(path, durable=durable):
                    _create(path)
                with closing(_connect(path, durable=True)) as connection:
                    bring_up_to_date(connection)
            except OSError as error:
                raise StoreUnavailable(f"{path} cannot be opened: {error.strerror}") from error
            return cls(path, durable=durable)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await self._writer.close()
        await asyncio.to_thread(self._readers.shutdown)
        for connection in self._opened:
            connection.close()

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
        if self._closed:
            raise StoreUnavailable("the store is closed")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._writer.hand_in(_Job(work, future))
        with _Translated(self._path):
            return await future

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
        if self._closed:
            raise StoreUnavailable("the store is closed")

        def run() -> T:
            connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = _connect(self._path, durable=True)
                connection.execute("PRAGMA query_only = ON")
                self._opened.append(connection)
            return work(connection)

        with _Translated(self._path):
            return await asyncio.get_running_loop().run_in_executor(self._readers, run)


# --- the writer -------------------------------------------------------------------------------------------------------


class _Job:
    """Something to be written, and who waits for its outcome."""

    __slots__ = ("error", "future", "result", "work")

    def __init__(self, work: Work, future: asyncio.Future[Any]) -> None:
        self.work = work
        self.future = future
        self.result: Any = None
        self.error: BaseException | None = None

    def settle(self) -> None:
        """Tell who waits, if anybody still does."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class _Writer:
    """Takes all jobs that wait, runs them in one transaction and then tells everybody.

    While the disk is quick the event loop waits for it: that takes less than to hand the work to a thread and back,
    which was measured at 200 µs on an idle machine and at 1,500 µs on a busy one. What may take longer (a slow disk, a
    checkpoint, a file that another process has locked) is done in a thread, and jobs gather meanwhile.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._connection.execute("PRAGMA busy_timeout = 0")
        self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._waiting: list[_Job] = []
        self._idle = asyncio.Event()
        self._idle.set()
        self._usual = 0.0
        self._since_checkpoint = 0

    def hand_in(self, job: _Job) -> None:
        self._waiting.append(job)
        if self._idle.is_set():
            # Not at once: others that are ready in this turn of the loop come into the same transaction.
            self._idle.clear()
            job.future.get_loop().call_soon(self._flush)

    async def close(self) -> None:
        """Write what was handed in, then stop."""
        await self._idle.wait()
        await asyncio.to_thread(self._thread.shutdown)
        self._connection.close()

    def _flush(self) -> None:
        jobs, self._waiting = self._waiting[:GATHERED], self._waiting[GATHERED:]
        loop = jobs[0].future.get_loop()
        if self._usual < QUICK and self._since_checkpoint < CHECKPOINT_EVERY and self._write(jobs, patiently=False):
            self._told(jobs, loop)
            return

        def done(_: object) -> None:
            self._told(jobs, loop)

        loop.run_in_executor(self._thread, self._write, jobs, True).add_done_callback(done)

    def _told(self, jobs: Iterable[_Job], loop: asyncio.AbstractEventLoop) -> None:
        for job in jobs:
            job.settle()
        if self._waiting:
            loop.call_soon(self._flush)
        else:
            self._idle.set()

    def _write(self, jobs: Sequence[_Job], patiently: bool) -> bool:
        """Run jobs; tell whether that was possible without waiting for another process. Raises nothing."""
        began = time.perf_counter()
        try:
            if patiently:
                self._prepare_patiently()
            self._transaction(jobs)
        except Exception as error:
            if not patiently and getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            alone = len(jobs) == 1 or isinstance(error, sqlite3.OperationalError)
            for job in jobs:
                job.error = error if alone else None
                # If one of them has spoilt it for all: each again by itself, so that only that one fails.
                if not alone and not self._write([job], patiently):
                    job.error = error
        finally:
            if patiently:
                self._connection.execute("PRAGMA busy_timeout = 0")
        self._usual += (time.perf_counter() - began - self._usual) / 16
        self._since_checkpoint += 1
        return True

    def _prepare_patiently(self) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
        if self._since_checkpoint >= CHECKPOINT_EVERY:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._since_checkpoint = 0

    def _transaction(self, jobs: Sequence[_Job]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for job in jobs:
                try:
                    job.result = job.work(connection)
                except (Conflict, KeyReused) as outcome:  # raised before anything was written
                    job.error = outcome
            connection.execute("COMMIT")
        except BaseException:
            # A failed commit has often rolled back by itself.
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise


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
        raise UnknownCursor(f"{cursor!r} is no cursor; take one from an earlier answer, or leave it out")
    return int(cursor)


# --- the file ---------------------------------------------------------------------------------------------------------


def _connect(path: Path, *, durable: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute("PRAGMA cache_size = -16000")
    return connection


def _create(path: Path) -> None:
    """Make an empty store: whole under another name, then in its place, so that there is never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    new.unlink(missing_ok=True)
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {script(0)} COMMIT;")
    try:
        os.link(new, path)
        new.unlink()
    except FileExistsError:  # another process was quicker
        new.unlink()
    except OSError:  # a file system without links
        new.rename(path)


class _Translated:
    """Turns what SQLite says into what a store says."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, sqlite3.Error):
            return
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED or _BAD_TEXT in str(error):
            raise StoreDamaged(f"{self._path} is damaged: {error}") from error
        if isinstance(error, sqlite3.OperationalError):
            raise StoreUnavailable(f"{self._path} cannot be used: {error}") from error
