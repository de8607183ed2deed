"""Until when processes watched the clocks of games. Players must not lose time by an outage (TAB-CLK-09)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from domain.kernel.ids import GameId, book_of
from domain.kernel.log.clock import OUTAGE
from projections.lanes import LANES
from projections.store import ProjectionStore, Unavailable
from service.base.clock import later
from service.store.protocol import EventStore, StoreUnavailable

LONGEST: Final = timedelta(milliseconds=OUTAGE)
"""If no process watched a clock for longer than this, the clock does not count that time."""


class Watch:
    """Knows until when the clocks of games were watched, by any process.

    The values in memory may be old. So they are read again before an outage is reported.
    """

    def __init__(self, store: EventStore, rows: ProjectionStore) -> None:
        self._store = store
        self._rows = rows
        self._until: dict[int, str] = {}
        self._safe_until: dict[int, str] = {}
        """For each lane, the time up to which there is no outage even if no process watches it any more.

        Cached, because each command is compared with it.
        """
        self.lanes = 1

    async def unwatched_since(self, game: GameId, at: str) -> str | None:
        """Return since when no process has watched the clocks of a game; None if that is no outage at time `at`.

        An empty text means that no process ever has. Raises `StoreUnavailable`.
        """
        if at <= self._safe_until.get(book_of(game) % self.lanes, ""):
            return None
        try:
            await self.read()
        except Unavailable as error:
            raise StoreUnavailable(str(error)) from error
        lane = book_of(game) % self.lanes
        return None if at <= self._safe_until.get(lane, "") else self._until[lane]

    async def read(self) -> Mapping[int, str]:
        """Read until when the clocks of each lane were watched, and return it. Raises `Unavailable`."""
        if self.lanes == 1:
            self.lanes = LANES if await self._store.divided() else 1
        watched = await self._rows.watched()
        # If the books have just been divided into lanes, the time of the single lane before counts for all.
        before = watched.get((1, 0), "")
        self._until = {lane: watched.get((self.lanes, lane), before) for lane in range(self.lanes)}
        self._safe_until = {lane: later(until, LONGEST) for lane, until in self._until.items() if until}
        return self._until

    async def note(self, lanes: Mapping[int, str]) -> None:
        """Note until when the clocks of lanes were watched. Raises `Unavailable`."""
        await self._rows.watch(lanes, self.lanes)
        self._until.update(lanes)
        self._safe_until.update({lane: later(until, LONGEST) for lane, until in lanes.items()})


def is_watched(until: str, at: str) -> bool:
    """Tell whether clocks that were watched until `until` have no outage at time `at`."""
    return until != "" and later(until, LONGEST) >= at
