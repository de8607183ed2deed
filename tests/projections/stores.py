"""The stores of rows that the suites of projections are run on. A further one is a further line in `ADAPTERS`."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from projections.store import ProjectionStore
from service.store.postgres.rows import PostgresRows
from service.store.sqlite.rows import SqliteRows
from tests.helpers.citus import database_of_the_run

Open = Callable[[], Awaitable[ProjectionStore]]
"""Opens the same rows once more, as another process would."""

Adapter = Callable[[Path], AbstractAsyncContextManager[Open]]
"""Lays out an empty place for rows, with a scratch directory at hand, and clears it away."""


@contextlib.asynccontextmanager
async def sqlite(scratch: Path) -> AsyncIterator[Open]:
    async with contextlib.AsyncExitStack() as opened:

        async def open_rows() -> ProjectionStore:
            rows = await SqliteRows.open(scratch / "projections.db")
            opened.push_async_callback(rows.close)
            return rows

        yield open_rows


@contextlib.asynccontextmanager
async def postgres(scratch: Path) -> AsyncIterator[Open]:
    async with database_of_the_run() as url, contextlib.AsyncExitStack() as opened:

        async def open_rows() -> ProjectionStore:
            rows = await PostgresRows.open(url)
            opened.push_async_callback(rows.close)
            return rows

        yield open_rows


ADAPTERS: dict[str, Adapter] = {"sqlite": sqlite, "postgres": postgres}
