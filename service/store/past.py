"""Reading the log up to a known version or place. This part never changes, so any copy that has it can answer."""

from collections.abc import Collection

from domain.kernel.ids import StreamId, Version
from domain.kernel.log.record import Record
from projections.cursor import Cursor
from service.store.protocol import EventStore, Placed


class Past:
    """Reads the past from the store itself. Every method may raise `StoreError`."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    async def read(self, stream: StreamId, after: Version, through: Version) -> list[Record]:
        """Return the records of a stream after version `after`, up to `through`, which exists."""
        return await self._store.read(stream, after, through - after) if after < through else []

    async def read_on(
        self, after: Cursor, limit: int, until: Cursor, games: Collection[StreamId] | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Return the records after `after`, up to `until`, which exists (`EventStore.read_on`)."""
        return await self._store.read_on(after, limit, games, until)

    async def close(self) -> None:
        """Close all connections of its own."""
