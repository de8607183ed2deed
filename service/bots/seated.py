"""How many seats bots hold in the games of an organizer."""

from datetime import timedelta
from typing import Final

from domain.kernel.ids import PlayerId
from service.base.clock import later
from service.store.protocol import Within

RESTS: Final = timedelta(days=1)
"""After this time without an event, a game costs nothing, and its bots are not counted until it goes on."""


def seats_held(organizer: PlayerId, now: str, most: int = 0) -> Within:
    """Return the limit on the seats that bots hold in the games of an organizer that go on, for the store to count."""
    return Within("bots", (organizer, later(now, -RESTS)), most)
