"""Ending games that nobody plays any more (TAB-END-04), and offers of rematches that have expired (TAB-REM-04).

The rows of `projections.stillness` say which games to look at, and when: a week before the end of a game, so that its
players can be warned, and at its end. No game ends within a week of the first look, however long it was still before.
After an outage of a day, no game ends within a week, either.
"""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from domain.kernel.log.ending import WARNING, abandoned_at
from domain.kernel.rules.refusal import Refusal
from projections import stillness
from projections.stillness import Still
from projections.store import NotBuilt, ProjectionStore
from service.base.clock import later, stamped
from service.games.ends import Abandon, Expire
from service.games.games import Games
from service.observe.logging import log
from service.store.protocol import EventStore

BATCH: Final = 200
"""The most games in one turn."""

LONG_OUTAGE: Final = timedelta(days=1)
"""After an outage longer than this, in which nobody could play, no game is abandoned within a week."""

TROUBLE: Final = timedelta(hours=1)
"""The pause before another try with a game that could not be ended, such as a damaged one."""


class Abandoning:
    """Ends games that are due, in the books of this process."""

    def __init__(self, games: Games, store: EventStore, rows: ProjectionStore) -> None:
        self._games = games
        self._store = store
        self._rows = rows

    async def turn(self, books: Collection[int]) -> None:
        """End the games that are due. Raises `StoreError` and `Unavailable`."""
        now = self._games.time()
        try:
            entries = await stillness.due(self._rows, books, now, BATCH)
        except NotBuilt:  # the projection will be built later; clocks do not wait for it
            return
        put_off = dict[Still, Still]()
        for each in entries:
            try:
                next_look, warned_of = await self._look(each, now)
            except Exception as error:  # one game must not stop the others
                log.warning("a still game waits", game=each.game, why=f"{type(error).__name__}: {error}")
                next_look, warned_of = later(now, TROUBLE), each.told
            put_off[each] = replace(each, due=next_look, told=warned_of)
        if put_off:
            await stillness.later(self._rows, put_off)

    async def _look(self, entry: Still, now: str) -> tuple[str, str]:
        """Look at a game that is due, and end it if it is time. Return the next `due` and `told` of its row."""
        game, row = await self._games.game(entry.game), await self._store.game(entry.game)
        if game.rematch_of is not None and game.status == "gathering":
            if now >= game.offered_until:
                await self._games.by_clock(entry.game, Expire())
            return max(game.offered_until, later(now, TROUBLE)), ""
        ends = abandoned_at(game, row.changed) if row is not None else None
        if row is None or ends is None:
            return later(now, WARNING), ""  # it has just ended; its row will soon say so
        if entry.told != row.changed:
            warned = later(ends, -WARNING)
            if now < warned:
                return warned, ""
            return max(ends, later(now, WARNING)), row.changed
        if now < ends:
            return ends, entry.told
        try:
            await self._games.by_clock(entry.game, Abandon())
            log.info("a game was abandoned", game=entry.game, since=row.changed)
        except Refusal:  # something has just happened in it
            return later(now, TROUBLE), ""
        return later(now, WARNING), ""

    async def spare(self, books: Collection[int], since: str) -> None:
        """After a long outage since `since`, put off the end of each game by at least a week."""
        now = self._games.time()
        if not since or stamped(now) - stamped(since) < LONG_OUTAGE:
            return
        until = later(now, WARNING)
        try:
            while entries := await stillness.told(self._rows, books, until, BATCH):
                await stillness.later(self._rows, {each: replace(each, due=until) for each in entries})
        except NotBuilt:
            return
