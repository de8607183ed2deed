"""Appending to a PostgreSQL database: waiting appends of this process go into one call of append() (group commit)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from domain.kernel.ids import StreamId, book_of
from service.store.postgres.connections import Connection, Connections, is_spoilt, patiently
from service.store.protocol import Added, Append, Appended, Conflict, KeyReused, StoreUnavailable
from service.store.sql.job import Job
from service.store.sql.store import secret_values

GATHERED: Final = 256
"""The most appends in one call, so that the first does not wait long."""

APPEND: Final = (
    "SELECT outcome, head, after, version FROM tabularium.append("
    "$1::tabularium.command[], $2::tabularium.entry[], $3::tabularium.hidden[], $4::tabularium.seating[],"
    " $5::tabularium.opening[])"
)


class Writer:
    """Sends all waiting appends in one call, over a connection of its own. New ones wait for the next call."""

    def __init__(
        self,
        connections: Connections,
        call: Callable[[Connection, Sequence[Append]], Awaitable[list[Any]]],
        settle: Callable[[Connection, StreamId], Awaitable[object]],
        *,
        is_of_one_book: bool = False,
    ) -> None:
        """`call` appends batches and returns the rows of append(). `settle` waits until what can be read of a stream,
        and of the others of its call, is on the standbys. With `is_of_one_book`, a call has batches of one book."""
        self._connections = connections
        self._call = call
        self._settle = settle
        self._is_of_one_book = is_of_one_book
        self._connection: Connection = None
        self._waiting: list[Job] = []
        self._running: asyncio.Task[None] | None = None

    async def append(self, batch: Append) -> Appended:
        job = Job(batch, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        if self._running is None:
            # The task begins in the next turn of the loop, so appends that are ready in this turn share the call.
            self._running = asyncio.create_task(self._run())
        return await job.future

    async def close(self) -> None:
        """Send all waiting appends, then stop."""
        while self._running is not None:
            await asyncio.wait((self._running,))
        await self._drop()

    async def _run(self) -> None:
        jobs: list[Job] = []
        try:
            while self._waiting:
                jobs = self._take()
                before = len(self._waiting)
                await self._send(jobs)
                if self._is_of_one_book and isinstance(jobs[0].outcome, StoreUnavailable):
                    self._give_up(before, jobs[0].outcome)
        finally:
            # Jobs are left only if this task was cancelled. Fail them, so that nobody waits for ever.
            for job in (*jobs, *self._waiting):
                job.outcome = StoreUnavailable("the store is being stopped")
                job.settle()
            self._waiting.clear()
            self._running = None

    def _give_up(self, count: int, error: StoreUnavailable) -> None:
        """Fail the first `count` jobs: they waited during a call that failed, and would wait as long for the next."""
        given_up, self._waiting = self._waiting[:count], self._waiting[count:]
        for job in given_up:
            job.outcome = error
            job.settle()

    def _take(self) -> list[Job]:
        """Return the jobs of the next call: the first one of each game."""
        first_jobs: dict[StreamId, Job] = {}
        later_jobs: list[Job] = []
        book = book_of(self._waiting[0].request.game) if self._is_of_one_book else None
        for job in self._waiting:
            if book is not None and book_of(job.request.game) != book:
                later_jobs.append(job)
            elif len(first_jobs) < GATHERED and job.request.game not in first_jobs:
                first_jobs[job.request.game] = job
            else:
                later_jobs.append(job)
        self._waiting = later_jobs
        return list(first_jobs.values())

    async def _send(self, jobs: Sequence[Job]) -> None:
        """Append, and give each job its outcome. Raises nothing."""
        try:
            outcomes = await self._outcomes([job.request for job in jobs])
        except Exception as error:
            if is_spoilt(error) and len(jobs) > 1:
                # One job made the whole call fail. Send each again by itself, so that only that one fails.
                for job in jobs:
                    await self._send([job])
                return
            outcomes = [self._connections.translated(error)] * len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            job.outcome = outcome
            job.settle()

    async def _outcomes(self, batches: Sequence[Append]) -> list[Appended | BaseException]:
        """Append, and return the outcome of each batch.

        When the connection is lost before the answer came, nobody knows whether it was committed. It is sent again:
        what had been stored is then a repetition or a conflict, and is recognized by its hash.
        """
        was_sent = False

        async def attempt() -> list[Appended | BaseException]:
            nonlocal was_sent
            try:
                if self._connection is None:
                    self._connection = await self._connections.connect()
                again, was_sent = was_sent, True
                rows = await self._call(self._connection, batches)
                outcomes = [
                    Appended(batch.records[-1].version)
                    if again and row["outcome"] != "accepted" and await is_stored(self._connection, batch)
                    else outcome_of(row)
                    for batch, row in zip(batches, rows, strict=True)
                ]
                if again or any(row["outcome"] == "repeated" for row in rows):
                    await self._settle(self._connection, batches[0].game)
                return outcomes
            except BaseException as error:
                if not is_spoilt(error):
                    await self._drop()
                if isinstance(error, TimeoutError):
                    self._connections.distrust()
                raise

        return await patiently(attempt)

    async def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()


async def is_stored(connection: Connection, batch: Append) -> bool:
    """Tell whether a batch was stored, by the hash of its last record. Raises what asyncpg raises."""
    last = batch.records[-1]
    stored_hash = await connection.fetchval(
        "SELECT hash FROM tabularium.log WHERE book = $1 AND game = $2 AND version = $3",
        *(book_of(batch.game), batch.game, last.version),
    )
    return stored_hash == last.hash


async def append_with(connection: Connection, batches: Iterable[Append]) -> list[Any]:
    """Call append(), and return its rows: `outcome`, `head`, `after` and `version`. Raises what asyncpg raises."""
    return await connection.fetch(APPEND, *arguments(batches))


def arguments(batches: Iterable[Append]) -> tuple[list[tuple[Any, ...]], ...]:
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
            sealed.append((game, each.commitment, *secret_values(each)))
        if batch.seats is not None:
            seatings.append((game, msgspec.json.encode(batch.seats).decode()))
        if opening is not None:
            what = (opening.title, opening.ruleset, opening.ruleset_version, opening.organizer)
            board = (opening.board, opening.board_file.decode())
            openings.append((game, *what, batch.records[0].at, opening.chance, *board))
    return commands, entries, sealed, seatings, openings


def outcome_of(row: Any) -> Appended | BaseException:
    """Return the outcome of a batch from its row of append(): that it is stored, or why not."""
    match row["outcome"]:
        case "accepted":
            return Appended(row["head"])
        case "repeated":
            return Appended(row["head"], Added(row["after"], row["version"]))
        case "reused":
            return KeyReused()
        case _:
            return Conflict(row["head"])
