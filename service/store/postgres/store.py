"""The store on PostgreSQL: the log of any number of processes. `deploy/migrations/` has its schema.

Appends go through one SQL function under one lock (`0003_append.sql` says why), and what waits in this process goes
into one call of it (group commit). A call is a transaction by itself: when it has answered, it is committed.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

import msgspec

from domain.kernel.canonical import canonical
from domain.kernel.chance.secret import Secret
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.record import Record
from projections.lobby import GameRow
from service.base.clock import stamped
from service.store.postgres import migrations
from service.store.postgres.accounts import PostgresAccounts
from service.store.postgres.connections import Connection, Connections, is_spoilt, patiently
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

GATHERED: Final = 256
"""At most so many appends in one call, so that the first of them is not kept waiting."""

_APPEND: Final = (
    "SELECT outcome, head, after, version FROM tabularium.append("
    "$1::tabularium.command[], $2::tabularium.entry[], $3::tabularium.hidden[], $4::tabularium.seating[],"
    " $5::tabularium.opening[])"
)
_RECORD: Final = "version, event, schema, draws, at, cause, hash"
_MINE: Final = (
    "g.game IN (SELECT game FROM tabularium.seated WHERE player = ${0}"
    " UNION SELECT game FROM tabularium.games WHERE organizer = ${0})"
)
_GAME: Final = (
    "g.game, g.title, g.ruleset, g.ruleset_version, g.status, g.organizer, g.seats, h.version, g.created, h.changed"
)


class PostgresStore:
    """An `EventStore` in a PostgreSQL database. To be made by `PostgresStore.open`."""

    is_shared = True

    def __init__(self, url: str, *, durable: bool, connections: int) -> None:
        self._connections = Connections(url, connections, durable=durable)
        self._patiently = self._connections.patiently
        self._writer = _Writer(self._connections)
        self._closed = False
        self.accounts = PostgresAccounts(self._patiently)

    @classmethod
    async def open(cls, url: str, *, durable: bool = True, connections: int = 8) -> "PostgresStore":
        """Open the store in a database that `tabularium migrate` has prepared.

        Args:
            durable: False gives up that an append is on the disk when it returns: when the database crashes, the last
                ones may be missing.
            connections: how many there are at most for reading; one more writes.

        Raises:
            StoreUnavailable: the database does not answer, or its schema is not that of this package.
        """
        store = cls(url, durable=durable, connections=connections)
        try:
            await store._connections.open()
            await store._check_schema()
        except BaseException as error:
            await store.close()
            raise store._connections.translated(error) from error
        return store

    @property
    def connections(self) -> dict[str, Callable[[], int]]:
        """How many of those that read are busy, how many are idle, and how many there may be."""
        return self._connections.numbers

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await self._writer.close()
        await self._connections.close()

    async def ready(self) -> None:
        await self._patiently(lambda connection: connection.fetchval("SELECT 1 FROM tabularium.games LIMIT 1"))

    async def _check_schema(self) -> None:
        done = await self._patiently(migrations.applied)
        try:
            missing = migrations.pending(done, migrations.known())
        except migrations.MigrationError as error:
            raise StoreUnavailable(f"{self._connections.where} cannot be used: {error}") from error
        if missing:
            last = f"{missing[-1].number:04}_{missing[-1].name}"
            raise StoreUnavailable(
                f"{self._connections.where} lacks migration {last}: run `tabularium migrate` as its owner"
            )

    # --- writing ---

    async def append(self, batch: Append) -> Appended:
        versions = [record.version for record in batch.records]
        if not versions or versions != list(range(batch.expected + 1, batch.expected + len(versions) + 1)):
            raise ValueError(f"records {versions} do not follow version {batch.expected}")
        if (batch.expected == 0) != (batch.opening is not None):
            raise ValueError("a new game has an opening, and nothing else has")
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return await self._writer.append(batch)

    async def retitle(self, game: GameId, title: str) -> None:
        await self._patiently(
            lambda connection: connection.execute("UPDATE tabularium.games SET title = $1 WHERE game = $2", title, game)
        )

    async def forget_keys(self, before: str, limit: int) -> int:
        async def work(connection: Connection) -> int:
            done = await connection.execute(
                "DELETE FROM tabularium.keys WHERE ctid = ANY (ARRAY("
                " SELECT ctid FROM tabularium.keys WHERE at < $1 ORDER BY at LIMIT $2))",
                stamped(before),
                limit,
            )
            return int(done.rpartition(" ")[2])

        return await self._patiently(work)

    # --- reading ---

    async def seen(self, game: GameId, account: PlayerId, key: str) -> KeptUse | None:
        async def work(connection: Connection) -> KeptUse | None:
            row = await connection.fetchrow(
                "SELECT fingerprint, after, version FROM tabularium.keys WHERE game = $1 AND account = $2 AND key = $3",
                game,
                account,
                key,
            )
            return row and KeptUse(row[0], Added(row[1], row[2]))

        return await self._patiently(work) if _storable(game, account, key) else None

    async def read(self, game: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        if not _storable(game):
            return []
        return await self._patiently(lambda connection: _records(connection, game, after, limit))

    async def read_all(self, cursor: str | None = None, limit: int = 1000) -> tuple[list[tuple[GameId, Record]], str]:
        after = _position(cursor)

        async def work(connection: Connection) -> tuple[list[tuple[GameId, Record]], str]:
            rows = await connection.fetch(
                f"SELECT position, game, {_RECORD} FROM tabularium.events WHERE position > $1"
                " ORDER BY position LIMIT $2",
                after,
                limit,
            )
            return [(row[1], _record(row, 2)) for row in rows], str(rows[-1][0] if rows else after)

        return await self._patiently(work)

    async def read_on(
        self, after: int, limit: int, games: Collection[GameId] | None = None
    ) -> list[tuple[int, GameId, Record]]:
        only, values = ("", ()) if games is None else ("AND game = ANY ($3::text[])", (list(games),))

        async def work(connection: Connection) -> list[tuple[int, GameId, Record]]:
            rows = await connection.fetch(
                f"SELECT position, game, {_RECORD} FROM tabularium.events WHERE position > $1 {only}"
                " ORDER BY position LIMIT $2",
                after,
                limit,
                *values,
            )
            return [(row[0], row[1], _record(row, 2)) for row in rows]

        return await self._patiently(work)

    async def end(self) -> int:
        return await self._patiently(
            lambda connection: connection.fetchval("SELECT coalesce(max(position), 0) FROM tabularium.events")
        )

    async def head(self, game: GameId) -> Version:
        async def work(connection: Connection) -> Version:
            return await connection.fetchval("SELECT version FROM tabularium.heads WHERE game = $1", game) or 0

        return await self._patiently(work) if _storable(game) else 0

    async def events(self) -> int:
        return await self._patiently(
            lambda connection: connection.fetchval("SELECT coalesce(sum(version), 0)::bigint FROM tabularium.heads")
        )

    async def heads(self, games: Collection[GameId]) -> dict[GameId, Version]:
        asked = [game for game in games if _storable(game)]

        async def work(connection: Connection) -> dict[GameId, Version]:
            rows = await connection.fetch(
                "SELECT game, version FROM tabularium.heads WHERE game = ANY($1::text[])", asked
            )
            return {GameId(game): version for game, version in rows}

        return await self._patiently(work) if asked else {}

    async def rulesets(self, games: Collection[GameId]) -> dict[GameId, str]:
        asked = [game for game in games if _storable(game)]

        async def work(connection: Connection) -> dict[GameId, str]:
            rows = await connection.fetch(
                "SELECT game, ruleset FROM tabularium.games WHERE game = ANY($1::text[])", asked
            )
            return {GameId(game): ruleset for game, ruleset in rows}

        return await self._patiently(work)

    async def secrets(self, game: GameId, known: int = 0) -> list[Secret]:
        return await self._patiently(lambda connection: _secrets(connection, game, known)) if _storable(game) else []

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        async def work(connection: Connection) -> Stored | None:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                row = await connection.fetchrow(
                    "SELECT h.version, c.chance FROM tabularium.heads h JOIN tabularium.chances c ON c.game = h.game"
                    " WHERE h.game = $1",
                    game,
                )
                if row is None:
                    return None
                secrets = await _secrets(connection, game, 0)
                return Stored(row[0], await _records(connection, game, after, None), secrets, row[1])

        return await self._patiently(work) if _storable(game) else None

    async def board(self, digest: str) -> bytes | None:
        async def work(connection: Connection) -> bytes | None:
            file = await connection.fetchval("SELECT file FROM tabularium.boards WHERE digest = $1", digest)
            return file and file.encode()

        return await self._patiently(work) if _storable(digest) else None

    async def game(self, game: GameId) -> GameRow | None:
        async def work(connection: Connection) -> GameRow | None:
            row = await connection.fetchrow(
                f"SELECT {_GAME} FROM tabularium.games g JOIN tabularium.heads h ON h.game = g.game WHERE g.game = $1",
                game,
            )
            return row and _game_row(row)

        return await self._patiently(work) if _storable(game) else None

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
        conditions: list[str] = []
        values: list[Any] = [limit]
        for condition, value in (
            ("g.status = ${0}", status),
            ("g.ruleset = ${0}", ruleset),
            ("g.game IN (SELECT game FROM tabularium.seated WHERE player = ${0})", player),
            (_MINE, mine),
            ("g.number < (SELECT number FROM tabularium.games WHERE game = ${0})", after),
        ):
            if value is not None:
                values.append(value)
                conditions.append(condition.format(len(values)))
        if not _storable(*(value for value in values if isinstance(value, str))):
            return []
        where = " AND ".join(conditions) or "TRUE"

        async def work(connection: Connection) -> list[GameRow]:
            rows = await connection.fetch(
                f"SELECT {_GAME} FROM tabularium.games g JOIN tabularium.heads h ON h.game = g.game"
                f" WHERE {where} ORDER BY g.number DESC LIMIT $1",
                *values,
            )
            return [_game_row(row) for row in rows]

        return await self._patiently(work)


# --- the writer -------------------------------------------------------------------------------------------------------


class _Job:
    """An append that waits, and who waits for its outcome."""

    __slots__ = ("batch", "future")

    def __init__(self, batch: Append, future: asyncio.Future[Appended]) -> None:
        self.batch = batch
        self.future = future

    def settle(self, outcome: Appended | BaseException) -> None:
        """Tell who waits, if anybody still does."""
        if self.future.done():
            return
        if isinstance(outcome, BaseException):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


class _Writer:
    """Sends what waits in one call, over a connection of its own, and meanwhile gathers what comes next."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._connection: Connection = None
        self._waiting: list[_Job] = []
        self._running: asyncio.Task[None] | None = None

    async def append(self, batch: Append) -> Appended:
        job = _Job(batch, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        if self._running is None:
            # A task begins in the next turn of the loop: others that are ready in this one come into the same call.
            self._running = asyncio.create_task(self._run())
        return await job.future

    async def close(self) -> None:
        """Send what was handed in, then stop."""
        while self._running is not None:
            await asyncio.wait((self._running,))
        await self._drop()

    async def _run(self) -> None:
        jobs: list[_Job] = []
        try:
            while self._waiting:
                jobs = self._take()
                await self._send(jobs)
        finally:
            # There is somebody here only when this task was cancelled: nobody is left waiting for ever.
            for job in (*jobs, *self._waiting):
                job.settle(StoreUnavailable("the store is being stopped"))
            self._waiting.clear()
            self._running = None

    def _take(self) -> list[_Job]:
        """Return what goes into the next call: for each game its first."""
        taken: dict[GameId, _Job] = {}
        left: list[_Job] = []
        for job in self._waiting:
            if len(taken) < GATHERED and job.batch.game not in taken:
                taken[job.batch.game] = job
            else:
                left.append(job)
        self._waiting = left
        return list(taken.values())

    async def _send(self, jobs: Sequence[_Job]) -> None:
        """Append, and tell each its outcome. Raises nothing."""
        try:
            outcomes = await self._outcomes([job.batch for job in jobs])
        except Exception as error:
            if is_spoilt(error) and len(jobs) > 1:
                # One of them has spoilt it for all: each again by itself, so that only that one fails.
                for job in jobs:
                    await self._send([job])
                return
            outcomes = [self._connections.translated(error)] * len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            job.settle(outcome)

    async def _outcomes(self, batches: Sequence[Append]) -> list[Appended | BaseException]:
        """Append, and return what became of each.

        When the connection is lost before the answer came, nobody knows whether it was committed. It is sent again:
        what had been stored is then a repetition or a conflict, and is told from somebody else's by its hash.
        """
        sent = False

        async def attempt() -> list[Appended | BaseException]:
            nonlocal sent
            try:
                if self._connection is None:
                    self._connection = await self._connections.connect()
                again, sent = sent, True
                rows = await append_with(self._connection, batches)
                return [
                    Appended(batch.records[-1].version)
                    if again and row["outcome"] != "accepted" and await self._is_stored(batch)
                    else _outcome(row)
                    for batch, row in zip(batches, rows, strict=True)
                ]
            except BaseException as error:
                if not is_spoilt(error):
                    await self._drop()
                raise

        return await patiently(attempt)

    async def _is_stored(self, batch: Append) -> bool:
        last = batch.records[-1]
        kept = await self._connection.fetchval(
            "SELECT hash FROM tabularium.events WHERE game = $1 AND version = $2", batch.game, last.version
        )
        return kept == last.hash

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()


async def append_with(connection: Connection, batches: Iterable[Append]) -> list[Any]:
    """Call append(), and return its rows: `outcome`, `head`, `after` and `version`. Raises what asyncpg raises."""
    return await connection.fetch(_APPEND, *_arguments(batches))


def _arguments(batches: Iterable[Append]) -> tuple[list[tuple[Any, ...]], ...]:
    """Return the arguments of append(), in the order of the fields of its types."""
    commands, entries, sealed, seatings, openings = [], [], [], [], []
    for batch in batches:
        game, key, opening, last = batch.game, batch.key, batch.opening, batch.records[-1]
        use = (key.account, key.key, key.fingerprint, None) if key else (None,) * 4
        commands.append((game, batch.expected, last.version, last.at, batch.status, *use))
        for row in batch.records:
            cause = row.cause.decode() if row.cause is not None else None
            entries.append((game, row.version, row.event.decode(), row.schema, row.draws, row.at, cause, row.hash))
        for each in batch.secrets:
            readers = msgspec.json.encode(each.readers).decode()
            sealed.append((game, each.commitment, readers, each.salt, canonical(each.value).decode()))
        if batch.seats is not None:
            seatings.append((game, msgspec.json.encode(batch.seats).decode()))
        if opening is not None:
            what = (opening.title, opening.ruleset, opening.ruleset_version, opening.organizer)
            board = (opening.board, opening.board_file.decode())
            openings.append((game, *what, batch.records[0].at, opening.chance, *board))
    return commands, entries, sealed, seatings, openings


def _outcome(row: Any) -> Appended | BaseException:
    match row["outcome"]:
        case "accepted":
            return Appended(row["head"])
        case "repeated":
            return Appended(row["head"], Added(row["after"], row["version"]))
        case "reused":
            return KeyReused()
        case _:
            return Conflict(row["head"])


# --- rows -------------------------------------------------------------------------------------------------------------


async def _records(connection: Connection, game: GameId, after: Version, limit: int | None) -> list[Record]:
    rows = await connection.fetch(
        f"SELECT {_RECORD} FROM tabularium.events WHERE game = $1 AND version > $2::bigint ORDER BY version LIMIT $3",
        game,
        after,
        limit,
    )
    return [_record(row, 0) for row in rows]


def _record(row: Any, start: int) -> Record:
    """Return the record of the columns of `_RECORD`, which begin at `start`."""
    version, event, schema, draws, at, cause, digest = row[start : start + 7]
    return Record(version, event.encode(), schema, draws, at, None if cause is None else cause.encode(), digest)


async def _secrets(connection: Connection, game: GameId, known: int) -> list[Secret]:
    rows = await connection.fetch(
        "SELECT commitment, readers, salt, value FROM tabularium.secrets WHERE game = $1 ORDER BY number OFFSET $2",
        game,
        known,
    )
    try:
        return [_secret(*row) for row in rows]
    except msgspec.DecodeError as error:
        raise StoreDamaged(f"a secret of game {game} cannot be read: {error}") from error


def _secret(commitment: str, readers: str, salt: str, value: str) -> Secret:
    return Secret(commitment, msgspec.json.decode(readers, type=tuple[Seat, ...]), salt, msgspec.json.decode(value))


def _game_row(row: Any) -> GameRow:
    return GameRow(
        game=row["game"],
        title=row["title"],
        ruleset=row["ruleset"],
        ruleset_version=row["ruleset_version"],
        status=row["status"],
        organizer=row["organizer"],
        seats=msgspec.json.decode(row["seats"]),
        version=row["version"],
        created=row["created"],
        changed=row["changed"],
    )


def _storable(*texts: str) -> bool:
    """Tell whether PostgreSQL can hold these texts; nothing is stored under one that it cannot."""
    return not any("\0" in text for text in texts)


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
        raise UnknownCursor(f"{cursor!r} is not a cursor: use one from an earlier answer, or leave it out")
    return int(cursor)
