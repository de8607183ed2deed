"""The log as it was at a version or a place that is known: it never changes, so whatever has come that far can tell."""

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
        """Return the records of a stream that follow version `after`, up to `through`, which it is known to have."""
        return await self._store.read(stream, after, through - after) if after < through else []

    async def read_on(
        self, after: Cursor, limit: int, until: Cursor, games: Collection[StreamId] | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Return records that follow `after`, up to `until`, which the log is known to have (`EventStore.read_on`)."""
        return await self._store.read_on(after, limit, games, until)

    async def close(self) -> None:
        """Let go of what this holds beside the store."""
