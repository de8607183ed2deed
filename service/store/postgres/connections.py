"""Connections to PostgreSQL: preparing them, replacing lost ones, and translating their errors.

They work as the role ``tabularium_service``, whatever login they use, so that the database refuses what the
service should not do. Their sessions keep settings, so a connection pooler in front of the database must keep sessions
together.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakKeyDictionary

import asyncpg

from projections.sql import numbered
from service.store.postgres import migrations
from service.store.postgres.hosts import Connection, Hosts
from service.store.protocol import NotKept, StoreDamaged, StoreFull, StoreUnavailable
from service.store.sql.database import Queries

T = TypeVar("T")

PATIENCE: Final = 3
"""Seconds to wait for a database that went away: as long as a restart usually takes."""

TIMEOUT: Final = 5.0
"""Seconds that a statement may take. Only this notices a frozen server, whose machine still accepts what is sent."""

SHOW_SHARDS: Final = "SET citus.override_table_visibility = off;"
"""Citus hides shards from programs that read the catalogs, as asyncpg does once in each session. That costs a second of
processor, and on a busy machine more than a statement may take. Nobody else reads the setting."""

_SESSION: Final = (
    "SET ROLE tabularium_service;"
    "SET default_transaction_isolation = 'read committed';"
    # A little less than we wait here: a server that runs tells us itself that a statement took too long.
    f"SET statement_timeout = '{TIMEOUT * 900:.0f}ms';"
    f"SET idle_in_transaction_session_timeout = '{TIMEOUT:.0f}s';"
    # Compiling a plan pays for long reports, not for our short queries.
    "SET jit = off;"
    # Every query here has its index, so one plan stays right. By default, the planner makes plans again and again
    # (append: 1.0 ms in place of 0.4), and reads a table whole because it was small when it was last analyzed.
    "SET plan_cache_mode = force_generic_plan;"
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;" + SHOW_SHARDS
)

# OSError: refused, reset, timed out. InterfaceError: asyncpg knows already that the connection is closed;
# InternalClientError: it was just being closed.
LOST: Final = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
)
"""The errors of a connection that was lost, or could not be made."""

# Classes of errors in the data of one append. The other appends in the same call may be right.
_SPOILT: Final = ("22", "23")
_DAMAGED: Final = ("XX001", "XX002")
_FULL: Final = "53100"
_NOT_KEPT: Final = "55000"
_NOT_MIGRATED: Final = ("3F000", "42501", "42704", "42883", "42P01", "42703", "22023")


class PatientQueries(Queries, Protocol):
    """Runs statements, and work that needs several of them."""

    async def patiently(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what `work` returns. When the connection was lost, do it again. Raises `StoreError`."""
        ...


class Connections:
    """Connections to one database."""

    def __init__(
        self,
        url: str,
        most: int,
        *,
        durable: bool = True,
        search_path: str = "tabularium",
        session: str = "",
        hosts: Hosts | None = None,
        patience: float | None = None,
    ) -> None:
        """Open at most `most` connections in the pool; `connect` makes further ones.

        Args:
            durable: False gives up that what was committed is on the disk: when the database crashes, the last commits
                may be missing.
            search_path: the schema of names without a schema.
            session: further settings of each session.
            hosts: the hosts of `url`, if another role than the primary is wanted.
            patience: seconds for which work is tried again when the connection is lost; None for `PATIENCE`.
        """
        self.where = migrations.place_of(url)
        self._hosts = hosts or Hosts(url)
        self._patience = patience
        self._open: WeakKeyDictionary[Connection, str] = WeakKeyDictionary()
        self._durable = durable
        self._session = f"{_SESSION} SET search_path = {search_path}; {session}"
        self.settle: Callable[[Connection], Awaitable[object]] = wait_for_standbys
        """Waits until all that can be read is on the synchronous standbys."""
        self._pool: Any = asyncpg.create_pool(
            min_size=0,
            max_size=most,
            connect=self._connect,
            init=self._prepare,
            # The default takes a round trip, and nothing here leaves anything behind in a session.
            reset=_leave_as_it_is,
        )
        self.closed = False
        self.connections_made = 0
        """How many connections were made. While it stays the same, no other server has taken the place of the first."""
        self.full_at = -math.inf
        """When there was no room last, by the monotonic clock."""

    @property
    def numbers(self) -> dict[str, Callable[[], int]]:
        """How many connections of the pool are busy, idle, and allowed, to be asked at any time."""
        return {
            "busy": lambda: self._pool.get_size() - self._pool.get_idle_size(),
            "idle": self._pool.get_idle_size,
            "limit": self._pool.get_max_size,
        }

    async def open(self) -> None:
        """Open the pool. Raises what asyncpg raises."""
        await self._pool

    async def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        try:
            await asyncio.wait_for(self._pool.close(), PATIENCE)
        except (TimeoutError, *LOST):
            self._pool.terminate()

    async def connect(self) -> Connection:
        """Return a new connection beside the pool, prepared. Raises what asyncpg raises."""
        connection = await self._connect()
        try:
            await self._prepare(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def _connect(self, *_: object, **options: Any) -> Connection:
        """Return a new connection to the primary. When that is another host than before, end those to the old one.

        The old primary may be frozen: a request that waits for it waits in vain. When it runs again, it may not know
        for a moment that it was replaced, and answer with what is no longer true.
        """
        connection, host = await self._hosts.connect(command_timeout=TIMEOUT, **options)
        self.connections_made += 1
        self._end(lambda other: other != host)
        self._open[connection] = host
        return connection

    def distrust(self) -> None:
        """End all connections, because a server did not answer over one of them: it would not answer the others."""
        self._end(lambda _: True)

    def _end(self, matches: Callable[[str], bool]) -> None:
        for connection, host in list(self._open.items()):
            if matches(host):
                # As if the network lost it. terminate() would take it from a task that is using it, which then fails
                # inside asyncpg.
                connection._transport.abort()

    async def _prepare(self, connection: Connection) -> None:
        await connection.execute(self._session)
        if not self._durable:
            await connection.execute("SET synchronous_commit = off")
        elif await connection.fetchval("SHOW synchronous_commit") == "off":
            await connection.execute("SET synchronous_commit = on")

    async def patiently(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what `work` returns. When the connection was lost, do it again, for as long as patience lasts.

        The repetition may find what the first try wrote, so that must be on the standbys, too.

        Raises:
            StoreError: the database does not answer, or is not what it should be.
        """
        tries = 0

        async def counted(connection: Connection) -> T:
            nonlocal tries
            tries += 1
            result = await work(connection)
            if tries > 1:
                await self.settle(connection)
            return result

        return await self._patiently(counted)

    async def _patiently(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        if self.closed:
            raise StoreUnavailable("the store is closed")

        async def attempt() -> T:
            async with self._pool.acquire(timeout=TIMEOUT) as connection:
                try:
                    return await work(connection)
                except (asyncio.CancelledError, *LOST) as error:
                    # Otherwise the pool would hand it out again, after a cancellation even with an open transaction.
                    if not is_spoilt(error):
                        with suppress(asyncpg.InterfaceError):  # it was lost, and the pool has taken it back
                            connection.terminate()
                    if isinstance(error, TimeoutError):
                        self.distrust()
                    raise

        try:
            return await patiently(attempt, self._patience)
        except Exception as error:
            if (translated := self.translated(error)) is error:
                raise
            raise translated from error

    async def select(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query; no rows if a value is a text with a NUL, which PostgreSQL cannot hold."""
        if not _storable(values):
            return []
        return await self._patiently(lambda connection: connection.fetch(numbered(query), *values))

    async def select_at_once(self, *queries: tuple[Any, ...]) -> list[list[Any]]:
        """Return the rows of each query with its values, all read at one moment; no rows as in `select`."""
        if not all(map(_storable, queries)):
            return [[] for _ in queries]

        async def work(connection: Connection) -> list[list[Any]]:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                return [await connection.fetch(numbered(query), *values) for query, *values in queries]

        return await self._patiently(work)

    async def execute(self, statement: str, *values: Any) -> None:
        """Execute a statement. If the connection is lost before the answer comes, it may be executed twice."""
        await self.patiently(lambda connection: connection.execute(numbered(statement), *values))

    def translated(self, error: BaseException) -> BaseException:
        """Return the error of the store for an `error` of PostgreSQL or asyncpg."""
        state = getattr(error, "sqlstate", None) or ""
        message = " ".join(str(error).split()) or type(error).__name__
        if state in _DAMAGED:
            return StoreDamaged(f"{self.where} is damaged: {message}")
        if state == _FULL:
            self.full_at = time.monotonic()
            return StoreFull(f"no room is left on the disk of {self.where}: {message}")
        if state == _NOT_KEPT:
            return NotKept(f"{self.where} cannot be used: {message}")
        if is_spoilt(error):
            return error
        if state in _NOT_MIGRATED:
            message = f"{message}; `tabularium migrate` gives it its tables and grants"
        if isinstance(error, (asyncpg.PostgresError, *LOST)):
            return StoreUnavailable(f"{self.where} cannot be used: {message}")
        return error


def _storable(values: Iterable[Any]) -> bool:
    return not any(isinstance(value, str) and "\0" in value for value in values)


def is_spoilt(error: BaseException) -> bool:
    """Tell whether `error` is about the given values, not about the database."""
    state = getattr(error, "sqlstate", None) or ""
    is_about_values = isinstance(error, asyncpg.InterfaceError) and isinstance(error, ValueError)
    return is_about_values or isinstance(error, UnicodeError) or state.startswith(_SPOILT)


async def wait_for_standbys(connection: Connection) -> None:
    """Wait until all that can be read is where a commit has to be: on the disk, and on synchronous standbys.

    This is needed before an answer acknowledges rows that were only read. Rows may be visible before they are on any
    standby: when the primary crashed while their commit waited, or that wait was cancelled. A transaction that writes
    nothing does not wait, so this one writes a message into the write-ahead log, which nobody reads. Raises what
    asyncpg raises.
    """
    await connection.execute("SELECT pg_logical_emit_message(true, 'tabularium', '')")


async def patiently(attempt: Callable[[], Awaitable[T]], patience: float | None = None) -> T:
    """Return what `attempt` returns; try again while the connection is lost, until `patience` (or `PATIENCE`) ends."""
    loop = asyncio.get_running_loop()
    until, pause = loop.time() + (PATIENCE if patience is None else patience), 0.01
    while True:
        try:
            return await attempt()
        except LOST as error:
            if is_spoilt(error) or loop.time() + pause > until:
                raise
        await asyncio.sleep(pause)
        pause = min(2 * pause, 0.25)


async def _leave_as_it_is(_: Connection) -> None:
    pass
