"""Connections to PostgreSQL: how they are prepared, what is done when one is lost, what an error of theirs means.

They work as the role ``tabularium_service``, whatever login they use, so that the database refuses what the
service should not do. Their sessions keep settings, so a connection pooler in front of the database must keep sessions
together.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Final, TypeVar

import asyncpg

from projections.sql import numbered
from service.store.postgres import migrations
from service.store.protocol import StoreDamaged, StoreFull, StoreUnavailable

T = TypeVar("T")
Connection = Any
"""asyncpg's connection, pooled or not."""

PATIENCE: Final = 3
"""Seconds for which a database that went away is waited for: as long as its restart usually takes."""

TIMEOUT: Final = 30.0
"""Seconds that a statement may take."""

_SESSION: Final = (
    "SET ROLE tabularium_service;"
    "SET default_transaction_isolation = 'read committed';"
    f"SET statement_timeout = '{TIMEOUT:.0f}s';"
    f"SET idle_in_transaction_session_timeout = '{TIMEOUT:.0f}s';"
    # Compiling a plan pays for long reports, not for what is asked here.
    "SET jit = off;"
    # Every question here has its index, so one plan is right for ever. Left alone the planner makes plans again and
    # again (append: 1.0 ms in place of 0.4), and reads a table whole because it was small when it was last looked at.
    "SET plan_cache_mode = force_generic_plan;"
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;"
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
"""What is raised when a connection was lost, or could not be had."""

# Classes of errors in what one append brought; the others in the same call may be right.
_SPOILT: Final = ("22", "23")
_DAMAGED: Final = ("XX001", "XX002")
_FULL: Final = "53100"
_NOT_MIGRATED: Final = ("3F000", "42501", "42704", "42883", "42P01", "42703", "22023")


class Connections:
    """Connections to one database."""

    def __init__(self, url: str, most: int, *, durable: bool = True, search_path: str = "tabularium") -> None:
        """There are at most so many in the pool; `connect` makes further ones.

        Args:
            durable: False gives up that what was committed is on the disk: when the database crashes, the last commits
                may be missing.
            search_path: the schema in which names stand that have none.
        """
        self.where = migrations.place_of(url)
        self._url = url
        self._durable = durable
        self._search_path = search_path
        self._pool: Any = asyncpg.create_pool(
            url,
            min_size=0,
            max_size=most,
            init=self._prepare,
            # The default is a round trip; nothing that we do leaves anything behind in a session.
            reset=_leave_as_it_is,
            timeout=PATIENCE,
            command_timeout=TIMEOUT,
        )
        self.closed = False
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
        connection = await asyncpg.connect(self._url, timeout=PATIENCE, command_timeout=TIMEOUT)
        await self._prepare(connection)
        return connection

    async def _prepare(self, connection: Connection) -> None:
        await connection.execute(f"{_SESSION} SET search_path = {self._search_path};")
        if not self._durable:
            await connection.execute("SET synchronous_commit = off")
        elif await connection.fetchval("SHOW synchronous_commit") == "off":
            await connection.execute("SET synchronous_commit = on")

    async def patiently(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Return what `work` returns; do it again when the connection was lost, for as long as patience lasts.

        Raises:
            StoreError: the database does not answer, or is not what it should be.
        """
        if self.closed:
            raise StoreUnavailable("the store is closed")

        async def attempt() -> T:
            async with self._pool.acquire(timeout=TIMEOUT) as connection:
                try:
                    return await work(connection)
                except (asyncio.CancelledError, *LOST) as error:
                    # Or the pool would hand it out again, after a cancellation even with a transaction still open.
                    if not is_spoilt(error):
                        with suppress(asyncpg.InterfaceError):  # the pool has it back, for it was lost meanwhile
                            connection.terminate()
                    raise

        try:
            return await patiently(attempt)
        except Exception as error:
            if (translated := self.translated(error)) is error:
                raise
            raise translated from error

    async def select(self, query: str, *values: Any) -> list[Any]:
        """Return what a query finds; nothing when a value is a text that PostgreSQL cannot hold: one with a NUL."""
        if not _storable(values):
            return []
        return await self.patiently(lambda connection: connection.fetch(numbered(query), *values))

    async def select_at_once(self, *queries: tuple[Any, ...]) -> list[list[Any]]:
        """Return what each query finds, with its values, all read at one moment; nothing as `select` does."""
        if not all(map(_storable, queries)):
            return [[] for _ in queries]

        async def work(connection: Connection) -> list[list[Any]]:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                return [await connection.fetch(numbered(query), *values) for query, *values in queries]

        return await self.patiently(work)

    async def execute(self, statement: str, *values: Any) -> None:
        """Do what a statement says, perhaps twice: when the connection is lost before the answer comes."""
        await self.patiently(lambda connection: connection.execute(numbered(statement), *values))

    def translated(self, error: BaseException) -> BaseException:
        """Return what a store says where PostgreSQL or asyncpg said `error`."""
        state = getattr(error, "sqlstate", None) or ""
        message = " ".join(str(error).split()) or type(error).__name__
        if state in _DAMAGED:
            return StoreDamaged(f"{self.where} is damaged: {message}")
        if state == _FULL:
            self.full_at = time.monotonic()
            return StoreFull(f"no room is left on the disk of {self.where}: {message}")
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
    """Tell whether `error` is about what was given, not about the database."""
    state = getattr(error, "sqlstate", None) or ""
    given = isinstance(error, asyncpg.InterfaceError) and isinstance(error, ValueError)
    return given or isinstance(error, UnicodeError) or state.startswith(_SPOILT)


async def patiently(attempt: Callable[[], Awaitable[T]]) -> T:
    """Return what `attempt` returns; try again while the connection is lost, until patience ends."""
    loop = asyncio.get_running_loop()
    until, pause = loop.time() + PATIENCE, 0.01
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
