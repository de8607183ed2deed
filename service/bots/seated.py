"""How many seats bots hold in the games of an organizer."""

from collections.abc import Collection
from typing import Final

from domain.kernel.ids import PlayerId
from service.store.protocol import EventStore

GOING: Final = ("gathering", "running")
BATCH: Final = 1000


async def seats_held(store: EventStore, organizer: PlayerId, bots: Collection[PlayerId]) -> int:
    """Return how many seats bots hold in the games of an organizer that are not over. Raises `StoreError`."""
    held = 0
    for status in GOING:
        rows = await store.games(mine=organizer, status=status, limit=BATCH)
        while rows:
            mine = (row for row in rows if row.organizer == organizer)
            held += sum(holder in bots for row in mine for holder in row.seats.values())
            rows = await store.games(mine=organizer, status=status, after=rows[-1].game, limit=BATCH)
    return held
