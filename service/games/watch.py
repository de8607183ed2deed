"""Until when processes watched the clocks of games. Players must not lose time by an outage (TAB-CLK-09)."""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final

from domain.kernel.ids import BOOKS, GameId, book_of
from domain.kernel.log.clock import OUTAGE
from projections.lanes import LANES
from projections.store import ProjectionStore, Unavailable
from service.base.clock import later
from service.store.protocol import EventStore, StoreUnavailable

LONGEST: Final = timedelta(milliseconds=OUTAGE)
"""If no process watched a clock for longer than this, the clock does not count that time."""


class Watch:
    """Knows until when the clocks of games were watched, by any process, for each book of the log.

    Processes note it for whole lanes. While a part of the log is away, its games cannot be watched, and each lane has
    books of every part: then they note it for each other book by itself.

    The values in memory may be old. So they are read again before an outage is reported.
    """

    def __init__(self, store: EventStore, rows: ProjectionStore) -> None:
        self._store = store
        self._rows = rows
        self._until: dict[int, str] = {}
        self._safe_until: dict[int, str] = {}
        """For each book, the time up to which there is no outage even if no process watches it any more.

        Cached, because each command is compared with it.
        """
        self.lanes = 1

    async def unwatched_since(self, game: GameId, at: str) -> str | None:
        """Return since when no process has watched the clocks of a game; None if that is no outage at time `at`.

        An empty text means that no process ever has. Raises `StoreUnavailable`.
        """
        book = book_of(game)
        if at <= self._safe_until.get(book, ""):
            return None
        try:
            await self.read()
        except Unavailable as error:
            raise StoreUnavailable(str(error)) from error
        return None if at <= self._safe_until.get(book, "") else self._until[book]

    async def read(self) -> Mapping[int, str]:
        """Read until when the clocks of each book were watched, and return it. Raises `Unavailable`."""
        if self.lanes == 1:
            self.lanes = LANES if await self._store.divided() else 1
        watched = await self._rows.watched()
        # If the books have just been divided into lanes, the time of the single lane before counts for all.
        before = watched.get((1, 0), "")
        self._until = {
            book: max(watched.get((self.lanes, book % self.lanes), before), watched.get((BOOKS, book), ""))
            for book in range(BOOKS)
        }
        self._safe_until = {book: later(until, LONGEST) for book, until in self._until.items() if until}
        return self._until

    async def note(self, books: Collection[int], until: str) -> None:
        """Note until when the clocks of books were watched. Raises `Unavailable`."""
        counts = Counter(book % self.lanes for book in books)
        whole = {lane: until for lane, count in counts.items() if count == BOOKS // self.lanes}
        alone = {book: until for book in books if book % self.lanes not in whole}
        for noted, of in ((whole, self.lanes), (alone, BOOKS)):
            if noted:
                await self._rows.watch(noted, of)
        self._until.update(dict.fromkeys(books, until))
        self._safe_until.update(dict.fromkeys(books, later(until, LONGEST)))


def is_watched(until: str, at: str) -> bool:
    """Tell whether clocks that were watched until `until` have no outage at time `at`."""
    return until != "" and later(until, LONGEST) >= at
