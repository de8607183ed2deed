"""Connections to a SQLite file: threads that read, each over a connection of its own, and one writer.

Whatever waits to be written is gathered into one transaction (group commit), because a durable commit costs a wait
for the disk, however much is in it. Within a transaction every piece of work has its own outcome.
"""

import asyncio
import errno
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from service.base.private import make_file, make_folder
from service.observe.logging import log
from service.store.accounts import LimitReached
from service.store.protocol import Conflict, KeyReused, StoreDamaged, StoreFull, StoreUnavailable
from service.store.sql.job import Job

T = TypeVar("T")

GATHERED: Final = 256
"""The most jobs in one transaction, so that the first of them is not kept waiting."""

CHECKPOINT_EVERY: Final = 300
"""Transactions after which the write-ahead log is carried over into the database."""

PATIENCE: Final = 5.0
"""Seconds to wait for another process that writes to the same file."""

DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BAD_TEXT: Final = "Could not decode to UTF-8"


def connect(path: Path, *pragmas: str) -> sqlite3.Connection:
    """Open an existing file."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    for pragma in pragmas:
        connection.execute(pragma)
    return connection


def create_anew(path: Path, *statements: str) -> None:
    """Open a file that may be lost, or make it. If it is damaged, move it aside and log that."""
    make_folder(path.parent)
    try:
        _create(path, statements)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in DAMAGED:
            raise
        aside = path.with_name(f"{path.name}.damaged")
        log.error("a damaged file was moved aside", file=str(path), kept=str(aside), why=str(error))
        path.replace(aside)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        _create(path, statements)


def _create(path: Path, statements: Iterable[str]) -> None:
    make_file(path)
    with closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as connection:
        for statement in ("PRAGMA journal_mode = WAL", *statements):
            connection.execute(statement)


class Connections:
    """Reads and writes a file in WAL mode. Every method may raise `StoreError`, or what the work raises.

    Args:
        pragmas: settings of each connection.
        readers: how many threads read.
        quick: the seconds for which the event loop waits for a transaction; 0 leaves all to a thread.
        on_damage: gets SQLite's message when it finds a damaged place in the file.
    """

    def __init__(
        self,
        path: Path,
        *pragmas: str,
        readers: int,
        quick: float = 0.0,
        on_damage: Callable[[str], object] | None = None,
    ) -> None:
        self._path = path
        self._pragmas = pragmas
        self._translated = Translated(path, on_damage)
        self._writer = _Writer(connect(path, *pragmas), quick)
        self._readers = _Threads("sqlite-reader", readers)
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._closed = False
        self._refused: str | None = None

    @property
    def full_at(self) -> float:
        return self._translated.full_at

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `work` returns, which only reads."""
        self._require_open()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = Job(work, future)
        self._readers.hand_in(partial(self._read, job), job.settle, future.get_loop())
        with self._translated:
            return await future

    def _read(self, job: Job) -> None:
        """Run a job over the connection of this thread. Raises nothing."""
        try:
            connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = connect(self._path, *self._pragmas)
                connection.execute("PRAGMA query_only = ON")
                self._opened.append(connection)
            job.outcome = job.request(connection)
        except BaseException as error:
            job.outcome = error

    async def write(self, work: Callable[[sqlite3.Connection], T], stored: Callable[[T], None] | None = None) -> T:
        """Return what `work` returns, when all its writes are committed. If it raises, none of them is.

        `stored` gets the result before that, in the order of commits, even if nobody waits for it any more.
        """
        self._require_open()
        if self._refused is not None:
            raise StoreDamaged(self._refused)
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._writer.hand_in(Job(work, future, stored))
        with self._translated:
            return await future

    async def select(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return await self.read(lambda connection: connection.execute(query, values).fetchall())

    async def select_at_once(self, *queries: tuple[Any, ...]) -> list[list[tuple[Any, ...]]]:
        """Return the rows of each query with its values, all read at one moment."""

        def work(connection: sqlite3.Connection) -> list[list[tuple[Any, ...]]]:
            connection.execute("BEGIN")
            try:
                return [connection.execute(query, values).fetchall() for query, *values in queries]
            finally:
                connection.execute("COMMIT")

        return await self.read(work)

    async def execute(self, statement: str, *values: Any) -> None:
        """Execute a statement."""
        await self.write(lambda connection: connection.execute(statement, values))

    @property
    def refused(self) -> str | None:
        """Why writes are refused; None while they are not."""
        return self._refused

    def refuse(self, why: str) -> None:
        """Refuse writes from now on: `write` raises `StoreDamaged`. May be called in any thread."""
        self._refused = why

    async def close(self) -> None:
        """Finish pending work, then close."""
        if self._closed:
            return
        self._closed = True
        await self._writer.close()
        await self._readers.close()
        for connection in self._opened:
            connection.close()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed")


class _Threads:
    """Threads that do jobs, one after another.

    An executor of the library makes two futures with locks for each job, and chains them: that takes three times as
    many instructions as a small query.
    """

    def __init__(self, name: str, count: int) -> None:
        self._name, self._count = name, count
        self._waiting: SimpleQueue[tuple[Callable[[], object], Callable[[], object], asyncio.AbstractEventLoop] | None]
        self._waiting = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def hand_in(
        self, work: Callable[[], object], callback: Callable[[], object], loop: asyncio.AbstractEventLoop
    ) -> None:
        """Have a thread do `work`, which raises nothing; then `loop` calls `callback`."""
        if len(self._threads) < self._count:
            thread = threading.Thread(target=self._run, name=f"{self._name}-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._waiting.put((work, callback, loop))

    def _run(self) -> None:
        while (handed := self._waiting.get()) is not None:
            work, callback, loop = handed
            work()
            with suppress(RuntimeError):  # a loop that is closed: nobody waits any more
                loop.call_soon_threadsafe(callback)
            del handed, work, callback  # otherwise the result stays in memory until the next job

    async def close(self) -> None:
        """Finish pending jobs, then end the threads."""
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)


class _Writer:
    """Takes all waiting jobs, runs them in one transaction, and then hands out the results.

    While a transaction usually takes less than `quick` seconds, the event loop waits for it: that takes less than to
    hand the work to a thread and back, which was measured at 200 µs on an idle machine and at 1,500 µs on a busy one.
    What may take longer (a slow disk, a checkpoint, a file that another process has locked) is done in a thread, and
    jobs gather meanwhile.
    """

    def __init__(self, connection: sqlite3.Connection, quick: float) -> None:
        self._connection = connection
        self._thread = _Threads("sqlite-writer", 1)
        self._quick = quick
        self._wait_for_others(0.0)
        self._waiting: list[Job] = []
        self._idle = asyncio.Event()
        self._idle.set()
        self._usual = 0.0
        self._since_checkpoint = 0

    def hand_in(self, job: Job) -> None:
        self._waiting.append(job)
        if self._idle.is_set():
            # Not at once, so that other jobs that are ready in this turn of the loop share the transaction.
            self._idle.clear()
            job.future.get_loop().call_soon(self._flush)

    async def close(self) -> None:
        """Write pending jobs, then stop."""
        await self._idle.wait()
        await self._thread.close()
        self._connection.close()

    def _flush(self) -> None:
        jobs, self._waiting = self._waiting[:GATHERED], self._waiting[GATHERED:]
        loop = jobs[0].future.get_loop()
        if (
            self._usual < self._quick
            and self._since_checkpoint < CHECKPOINT_EVERY
            and self._write(jobs, patiently=False)
        ):
            self._settle(jobs, loop)
            return
        self._thread.hand_in(partial(self._write, jobs, patiently=True), partial(self._settle, jobs, loop), loop)

    def _settle(self, jobs: Iterable[Job], loop: asyncio.AbstractEventLoop) -> None:
        for job in jobs:
            job.settle()
        if self._waiting:
            loop.call_soon(self._flush)
        else:
            self._idle.set()

    def _write(self, jobs: Sequence[Job], patiently: bool) -> bool:
        """Run jobs. Return False if that would have meant waiting for another process. Raises nothing."""
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
                # If one job made the transaction fail, run each again by itself, so that only that one fails.
                if alone or not self._write([job], patiently):
                    job.outcome = error
        finally:
            if patiently:
                self._wait_for_others(0.0)
        self._usual += (time.perf_counter() - began - self._usual) / 16
        self._since_checkpoint += 1
        return True

    def _wait_for_others(self, seconds: float) -> None:
        """Set how long a transaction waits for another process. A writer that always works in a thread keeps the
        patience with which `connect` opened the file: SQLite takes as long for this statement as for a row."""
        if self._quick:
            self._connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def _prepare_patiently(self) -> None:
        self._wait_for_others(PATIENCE)
        if self._since_checkpoint >= CHECKPOINT_EVERY:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._since_checkpoint = 0

    def _transaction(self, jobs: Sequence[Job]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for job in jobs:
                try:
                    job.outcome = job.request(connection)
                except (Conflict, KeyReused, LimitReached) as outcome:  # raised before anything was written
                    job.outcome = outcome
            connection.execute("COMMIT")
        except BaseException:
            # A failed commit has often rolled back by itself.
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise


class Translated:
    """Turns errors of SQLite and the system into errors of a store."""

    def __init__(self, path: Path, on_damage: Callable[[str], object] | None = None) -> None:
        self._path, self._on_damage = path, on_damage
        self.full_at = -math.inf
        """When there was no room last, by the monotonic clock."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL or (
            isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        ):
            self.full_at = time.monotonic()
            raise StoreFull(f"no room is left on the disk of {self._path}: {error}") from error
        if isinstance(error, OSError):
            raise StoreUnavailable(f"{self._path} cannot be opened: {error.strerror}") from error
        if not isinstance(error, sqlite3.Error):
            return
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in DAMAGED or _BAD_TEXT in str(error):
            if self._on_damage is not None:
                self._on_damage(str(error))
            raise StoreDamaged(f"{self._path} is damaged: {error}") from error
        if isinstance(error, sqlite3.OperationalError):
            raise StoreUnavailable(f"{self._path} cannot be used: {error}") from error
