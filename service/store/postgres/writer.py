"""Appending to a PostgreSQL database: waiting appends of this process go into one call of append() (group commit)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, Final

import msgspec

from domain.kernel.ids import StreamId, book_of
from service.store.postgres.connections import Connection, Connections, is_spoilt, patiently
from service.store.protocol import Added, Append, Appended, Conflict, KeyReused, StoreUnavailable
from service.store.sql.job import Job
from service.store.sql.store import secret_values

GATHERED: Final = 256
"""The most appends in one call, so that the first does not wait long."""

MANY: Final = 16
"""The waiting appends above which a second call goes on beside the first.

A call takes the server as long as 12 appends, and keeps one of its cores busy. For 32 clients, two calls side by side
reached 1.15 times the appends a second, and took 1.5 times the processor for each. For 8 clients they were slower.
"""

LANES: Final = 2
"""The most calls side by side, each over a connection of its own."""

FEW: Final = MANY // 2
"""The least appends of the second call."""

APPEND: Final = (
    "SELECT outcome, head, after, version FROM tabularium.append("
    "$1::tabularium.command[], $2::tabularium.entry[], $3::tabularium.hidden[], $4::tabularium.seating[],"
    " $5::tabularium.opening[])"
)

_BOARD: Final = 7
"""Where an opening in the arguments of append() has the digest of its board."""


class Writer:
    """Sends all waiting appends in one call, over a connection of its own. New ones wait for the next call.

    While many wait, two calls go on side by side: one lane has the even books and the other one the odd books, so that
    neither waits for a row that the other has locked.
    """

    def __init__(
        self,
        connections: Connections,
        call: Callable[[Connection, Sequence[Append]], Awaitable[list[Any]]],
        settle: Callable[[Connection, StreamId], Awaitable[object]],
        *,
        is_of_one_book: bool = False,
    ) -> None:
        """`call` appends batches and returns the rows of append(). `settle` waits until what can be read of a stream,
        and of the others of its call, is on the standbys. With `is_of_one_book`, a call has batches of one book, and
        there is one lane."""
        self._connections = connections
        self._call = call
        self._settle = settle
        self._is_of_one_book = is_of_one_book
        self._lanes: list[Connection] = [None] * LANES
        self._is_split = False
        self._waiting: list[Job] = []
        self._running: dict[int, asyncio.Task[None]] = {}

    async def append(self, batch: Append) -> Appended:
        job = Job(batch, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._begin(book_of(batch.game) % 2 if self._is_split else 0)
        return await job.future

    async def close(self) -> None:
        """Send all waiting appends, then stop."""
        while self._running:
            await asyncio.wait(self._running.values())
        for lane in range(LANES):
            self._drop(lane)

    def _begin(self, lane: int) -> None:
        if lane not in self._running:
            # The task begins in the next turn of the loop, so appends that are ready in this turn share the call.
            self._running[lane] = asyncio.create_task(self._run(lane))

    async def _run(self, lane: int) -> None:
        jobs: list[Job] = []
        try:
            while jobs := self._take(lane):
                before = len(self._waiting)
                await self._send(jobs, lane)
                if self._is_of_one_book and isinstance(jobs[0].outcome, StoreUnavailable):
                    self._give_up(before, jobs[0].outcome)
                # Callers that were just answered may have another append ready, which then shares the next call.
                # Otherwise they take turns with those whose appends came during this call.
                await asyncio.sleep(0)
        except BaseException:
            # The task was cancelled. Fail the jobs, so that nobody waits for ever.
            for job in (*jobs, *self._waiting):
                job.outcome = StoreUnavailable("the store is being stopped")
                job.settle()
            self._waiting.clear()
            raise
        finally:
            del self._running[lane]

    def _give_up(self, count: int, error: StoreUnavailable) -> None:
        """Fail the first `count` jobs: they waited during a call that failed, and would wait as long for the next."""
        given_up, self._waiting = self._waiting[:count], self._waiting[count:]
        for job in given_up:
            job.outcome = error
            job.settle()

    def _take(self, lane: int) -> list[Job]:
        """Return the jobs of the next call over a lane: the first one of each game. Without any, the lane ends."""
        jobs = self._first_ones(lane)
        if self._is_split:
            if lane == 1 and len(jobs) < FEW:
                self._is_split = False
                if self._waiting:
                    self._begin(0)
                return []
        elif len(jobs) > MANY and not self._is_of_one_book:
            even = [job for job in jobs if book_of(job.request.game) % 2 == 0]
            if FEW <= len(even) <= len(jobs) - FEW:
                self._is_split = True
                self._begin(1)
                jobs = even
        taken = set(jobs)
        self._waiting = [job for job in self._waiting if job not in taken]
        return jobs

    def _first_ones(self, lane: int) -> list[Job]:
        """Return the first job of each game that a call over a lane may have."""
        first_jobs: dict[StreamId, Job] = {}
        book = book_of(self._waiting[0].request.game) if self._waiting and self._is_of_one_book else None
        for job in self._waiting:
            game = job.request.game
            is_elsewhere = book_of(game) % 2 != lane if self._is_split else book is not None and book_of(game) != book
            if not is_elsewhere and len(first_jobs) < GATHERED:
                first_jobs.setdefault(game, job)
        return list(first_jobs.values())

    async def _send(self, jobs: Sequence[Job], lane: int) -> None:
        """Append, and give each job its outcome. Raises nothing."""
        try:
            outcomes = await self._outcomes([job.request for job in jobs], lane)
        except Exception as error:
            if is_spoilt(error) and len(jobs) > 1:
                # One job made the whole call fail. Send each again by itself, so that only that one fails.
                for job in jobs:
                    await self._send([job], lane)
                return
            outcomes = [self._connections.translated(error)] * len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            job.outcome = outcome
            job.settle()

    async def _outcomes(self, batches: Sequence[Append], lane: int) -> list[Appended | BaseException]:
        """Append, and return the outcome of each batch.

        When the connection is lost before the answer came, nobody knows whether it was committed. It is sent again:
        what had been stored is then a repetition or a conflict, and is recognized by its hash.
        """
        was_sent = False

        async def attempt() -> list[Appended | BaseException]:
            nonlocal was_sent
            try:
                connection = self._lanes[lane]
                if connection is None:
                    connection = self._lanes[lane] = await self._connections.connect()
                again, was_sent = was_sent, True
                rows = await self._call(connection, batches)
                outcomes = [
                    Appended(batch.records[-1].version)
                    if again and row["outcome"] != "accepted" and await is_stored(connection, batch)
                    else outcome_of(row)
                    for batch, row in zip(batches, rows, strict=True)
                ]
                if again or any(row["outcome"] == "repeated" for row in rows):
                    await self._settle(connection, batches[0].game)
                return outcomes
            except BaseException as error:
                if not is_spoilt(error):
                    self._drop(lane)
                if isinstance(error, TimeoutError):
                    self._connections.distrust()
                raise

        return await patiently(attempt)

    def _drop(self, lane: int) -> None:
        connection, self._lanes[lane] = self._lanes[lane], None
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
    *others, openings = arguments(batches)
    # Boards belong to no book. Two calls that store the same new ones in different orders would wait for each other.
    openings.sort(key=itemgetter(_BOARD))
    return await connection.fetch(APPEND, *others, openings)


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
