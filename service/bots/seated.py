"""How many seats bots hold in the games of an organizer."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from domain.kernel.ids import PlayerId
from service.base.clock import later
from service.store.protocol import EventStore

GOING: Final = ("gathering", "running")
BATCH: Final = 1000

RESTS: Final = timedelta(days=1)
"""A game in which nothing happens for so long costs nothing, and its bots are not counted until it goes on."""


async def seats_held(store: EventStore, organizer: PlayerId, bots: Collection[PlayerId], now: str) -> int:
    """Return how many seats bots hold in the games of an organizer that go on. Raises `StoreError`."""
    held, since = 0, later(now, -RESTS)
    for status in GOING:
        rows = await store.games(mine=organizer, status=status, limit=BATCH)
        while rows:
            mine = (row for row in rows if row.organizer == organizer and row.changed > since)
            held += sum(holder in bots for row in mine for holder in row.seats.values())
            rows = await store.games(mine=organizer, status=status, after=rows[-1].game, limit=BATCH)
    return held
