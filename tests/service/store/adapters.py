"""The stores that the conformance suite tests. A further one is a further line in `ADAPTERS`."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from unittest import mock

from service.store.postgres.store import PostgresStore
from service.store.protocol import EventStore
from service.store.sqlite.store import SqliteStore
from tests.helpers.postgres import shared_cluster

Open = Callable[[], Awaitable[EventStore]]
"""Opens the same data once more, as another process would."""

Adapter = Callable[[Path], AbstractAsyncContextManager[Open]]
"""Lays out an empty place for data, with a scratch directory at hand, and clears it away."""


@contextlib.asynccontextmanager
async def sqlite(scratch: Path) -> AsyncIterator[Open]:
    opened: list[EventStore] = []

    async def open_store() -> EventStore:
        opened.append(await SqliteStore.open(scratch / "tabularium.db"))
        return opened[-1]

    yield open_store
    for store in opened:
        await store.close()


@contextlib.asynccontextmanager
async def sqlite_on_a_slow_disk(scratch: Path) -> AsyncIterator[Open]:
    with mock.patch("service.store.sqlite.store.QUICK", 0.0):
        async with sqlite(scratch) as open_store:
            yield open_store


@contextlib.asynccontextmanager
async def postgres(scratch: Path) -> AsyncIterator[Open]:
    opened: list[EventStore] = []
    async with shared_cluster().database() as url:

        async def open_store() -> EventStore:
            opened.append(await PostgresStore.open(url))
            return opened[-1]

        yield open_store
        for store in opened:
            await store.close()


ADAPTERS: dict[str, Adapter] = {
    "sqlite": sqlite,
    "sqlite-on-a-slow-disk": sqlite_on_a_slow_disk,
    "postgres": postgres,
}
