"""Opens the store that the settings choose: SQLite in the data directory of one process, or PostgreSQL that processes
share.

The packages for PostgreSQL are imported only when the settings name a database.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from projections.store import ProjectionStore, Unavailable
from service.base.extras import needs_extra
from service.base.settings import PREFIX, Settings, without_password
from service.observe.metrics import Metrics
from service.store.outside import Outside, PlaceAway, place_of
from service.store.past import Past
from service.store.protocol import EventStore, StoreUnavailable
from service.store.snapshots import SnapshotStore
from service.store.sqlite.lock import only_service
from service.store.sqlite.rows import SqliteRows
from service.store.sqlite.snapshots import SqliteSnapshots
from service.store.sqlite.store import SqliteStore


class Backend(Protocol):
    """Opens the log, its projections and the snapshots. Each `open_…` may raise `StoreUnavailable`, `StoreDamaged` or
    `MissingExtra`. The caller closes what it opened.
    """

    @property
    def place(self) -> str:
        """The place of the data, in words for an operator, without passwords."""
        ...

    def exists(self) -> bool:
        """Tell whether there is a store to open. True for every shared database."""
        ...

    def has_projections(self) -> bool:
        """Tell whether there are projections to open. True for every shared database."""
        ...

    @contextmanager
    def reserved(self) -> Iterator[None]:
        """Lock the store while the context is open, unless processes can share it.

        Raises `StoreUnavailable` when another process has the lock.
        """
        ...

    async def open_store(self, metrics: Metrics | None = None) -> EventStore:
        """Open the log. `metrics` count reads of the archive and, with PostgreSQL, the connections."""
        ...

    async def open_past(self, store: EventStore, metrics: Metrics) -> Past:
        """Open the reader of the past for an open store. `metrics` count what a standby was asked."""
        ...

    async def open_projections(self) -> ProjectionStore:
        """Open the rows of the projections."""
        ...

    async def open_snapshots(self) -> SnapshotStore:
        """Open the stored snapshots."""
        ...


def backend_of(settings: Settings) -> Backend:
    """Return the backend that the settings choose."""
    return Shared(settings) if settings.database_url else Embedded(settings)


class Embedded:
    """SQLite files in the data directory."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def place(self) -> str:
        return f"data directory  {self._settings.data.resolve()}"

    def exists(self) -> bool:
        return self._settings.database.exists()

    def has_projections(self) -> bool:
        return self._settings.projection_database.exists()

    @contextmanager
    def reserved(self) -> Iterator[None]:
        with only_service(self._settings.data):
            yield

    async def open_store(self, metrics: Metrics | None = None) -> EventStore:
        outside = outside_of(self._settings, metrics)
        store = await SqliteStore.open(
            self._settings.database, durable=self._settings.durable, sandbox=self._settings.is_sandbox
        )
        store.outside = outside
        return store

    async def open_past(self, store: EventStore, metrics: Metrics) -> Past:
        return Past(store)

    async def open_projections(self) -> ProjectionStore:
        with _as_store_error():
            return await SqliteRows.open(self._settings.projection_database)

    async def open_snapshots(self) -> SnapshotStore:
        return await SqliteSnapshots.open(self._settings.snapshot_database)


class Shared:
    """A PostgreSQL database."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def place(self) -> str:
        home, *others = (without_password(url) for url in self._settings.servers)
        more = f", and {len(others)} more servers by TABULARIUM_BOOK_SERVERS" if others else ""
        return f"database        {home}{more}"

    def exists(self) -> bool:
        return True

    def has_projections(self) -> bool:
        return True

    @contextmanager
    def reserved(self) -> Iterator[None]:
        yield

    async def open_store(self, metrics: Metrics | None = None) -> EventStore:
        with needs_extra("production", "PostgreSQL"):
            from service.store.postgres.distributed import open_store
            from service.store.postgres.spread import SpreadStore
        settings = self._settings
        outside = outside_of(settings, metrics)
        how = {"durable": settings.durable, "connections": settings.database_connections}
        if settings.book_servers:
            store = await SpreadStore.open(settings.servers, **how)
        else:
            store = await open_store(settings.database_url, **how)
        store.outside = outside
        if metrics is not None:
            metrics.watch_pool(store.connections)
        return store

    async def open_past(self, store: EventStore, metrics: Metrics) -> Past:
        settings = self._settings
        if not settings.standby_url:
            return Past(store)
        from service.store.postgres.standby import StandbyPast
        from service.store.postgres.store import PostgresStore

        assert isinstance(store, PostgresStore)  # the settings refuse a standby when several servers keep the books
        if store.is_distributed:
            raise StoreUnavailable(
                "TABULARIUM_STANDBY_URL is for one server, and the database is spread over machines: unset it"
            )
        return await StandbyPast(store, settings.standby_url, settings.database_connections, metrics).open()

    async def open_projections(self) -> ProjectionStore:
        with needs_extra("production", "PostgreSQL"):
            from service.store.postgres.rows import PostgresRows
        with _as_store_error():
            return await PostgresRows.open(self._settings.database_url)

    async def open_snapshots(self) -> SnapshotStore:
        with needs_extra("production", "PostgreSQL"):
            from service.store.postgres.snapshots import PostgresSnapshots
        return await PostgresSnapshots.open(self._settings.database_url)


def outside_of(settings: Settings, metrics: Metrics | None = None) -> Outside:
    """Return the reader of archived games, whose contents may be outside of the database.

    Raises `StoreUnavailable` or `MissingExtra` when the archive of the settings cannot be used.
    """
    try:
        place = place_of(settings.archive)
    except PlaceAway as error:
        raise StoreUnavailable(f"{PREFIX}ARCHIVE={settings.archive} cannot be used: {error}") from error
    return Outside(place, metrics.archive_read if metrics is not None else lambda outcome: None)


@contextmanager
def _as_store_error() -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        raise StoreUnavailable(str(error)) from error
