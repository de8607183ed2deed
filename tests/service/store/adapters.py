"""The stores that the conformance suite tests. A further one is a further line in `ADAPTERS`."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Final
from unittest import mock

from service.store.postgres.books import ALL
from service.store.postgres.connections import Connections, wait_for_standbys
from service.store.postgres.distributed import DistributedStore
from service.store.postgres.spread import SpreadStore
from service.store.postgres.store import PostgresStore
from service.store.protocol import EventStore
from service.store.sqlite.store import SqliteStore
from tests.helpers.citus import distributed_database
from tests.helpers.postgres import connected, shared_cluster

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


HOME: Final = frozenset((13, 16, 28, 49, 57, 60))
"""The books of the home: those of the games g1, g2, g3 and g7 and of the cases c1, c2 and c3, which belong together."""


@contextlib.asynccontextmanager
async def servers(home: frozenset[int] = HOME) -> AsyncIterator[dict[str, frozenset[int]]]:
    """Lend the addresses of two databases, with the books that they keep; the first is the home."""
    async with shared_cluster().database() as first, shared_cluster().database() as second:
        kept = {first: home, second: ALL - home}
        for url, books in kept.items():
            async with connected(url) as owner:
                await owner.execute("DELETE FROM tabularium.books WHERE book <> ALL ($1)", [*books])
        yield kept


@contextlib.asynccontextmanager
async def spread(scratch: Path) -> AsyncIterator[Open]:
    opened: list[EventStore] = []
    async with servers() as kept:

        async def open_store() -> EventStore:
            opened.append(await SpreadStore.open(kept))
            return opened[-1]

        yield open_store
        for store in opened:
            await store.close()


class OneMachine(DistributedStore):
    """The store for machines, on one that has no Citus: it shows what `append_to()` does."""

    is_distributed = False
    machines = "SELECT book, 0 FROM generate_series(0, $1::integer) AS b (book)"
    """The machine of each book up to a number."""

    def __init__(self, connections: Connections, kept: frozenset[int] = ALL) -> None:
        super().__init__(connections, kept)
        self._connections.settle = wait_for_standbys
        self._machines.query = self.machines

    @staticmethod
    def _to(url: str, connections: int, durable: bool) -> Connections:
        return Connections(url, connections, durable=durable)


@contextlib.asynccontextmanager
async def by_books(scratch: Path) -> AsyncIterator[Open]:
    opened: list[EventStore] = []
    async with shared_cluster().database() as url:

        async def open_store() -> EventStore:
            opened.append(await OneMachine.open(url))
            return opened[-1]

        yield open_store
        for store in opened:
            await store.close()


@contextlib.asynccontextmanager
async def distributed(scratch: Path) -> AsyncIterator[Open]:
    opened: list[EventStore] = []
    async with distributed_database() as url:

        async def open_store() -> EventStore:
            opened.append(await DistributedStore.open(url))
            return opened[-1]

        yield open_store
        for store in opened:
            await store.close()


ADAPTERS: dict[str, Adapter] = {
    "sqlite": sqlite,
    "sqlite-on-a-slow-disk": sqlite_on_a_slow_disk,
    "postgres": postgres,
}

INDEXED: dict[str, Adapter] = {**ADAPTERS, "distributed": distributed}
"""Those that another statement may be refused by, when it is about cases, tournaments, leagues or the tree."""

EVERY: dict[str, Adapter] = {**ADAPTERS, "spread": spread, "by-books": by_books, "distributed": distributed}
"""Those that spread the log, too: they have nothing of their own to show where all is in one place, as accounts are."""
