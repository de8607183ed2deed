"""The timekeeper: it lets flags fall, in each lane of the log in one process at a time.

It reads due games from `projections.deadlines`. These rows may be old; the log of the game decides. A flag falls only
when its game says that time and grace are up, at the version that was looked at. So either the answer or the flag is
recorded, never both, even if a process is killed or two processes work on one lane. A timekeeper that finds that nobody
watched a book for too long first gives that time back to every game in it, and only then looks for flags (TAB-CLK-09).
So it does when the part of the log that has the book was away. Now and then it also ends games that nobody plays any
more (`abandoning`).
"""

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final, TypeVar
from uuid import uuid4

from domain.kernel.ids import BOOKS, GameId, Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.refusal import Refusal
from projections import deadlines
from projections.cursor import Cursor
from projections.deadlines import CLOCKS, Due
from projections.lanes import books_of
from projections.store import NotBuilt, ProjectionStore, Unavailable
from service.base.clock import later, stamped
from service.base.settings import Settings
from service.games.abandoning import Abandoning
from service.games.cache import UnknownGame
from service.games.clocks import CreditOutage, Fall
from service.games.games import Games
from service.games.watch import Watch, is_watched
from service.observe.background import background
from service.observe.logging import log
from service.observe.metrics import Metrics
from service.store.protocol import EventStore, StoreError

T = TypeVar("T")
R = TypeVar("R")

LEASE: Final = 5.0
"""How long a process alone watches its lanes, in seconds. When it dies, others take over after that time."""

TICK: Final = 0.5
"""Seconds between two looks at the deadlines."""

BEAT: Final = timedelta(seconds=2.5)
"""Seconds between two notes that lanes are watched. An outage is longer than thirty seconds, so this need not be
exact."""

BATCH: Final = 200
"""The most games in one turn."""

LOOKS: Final = 8
"""How many games are handled in parallel: some have to be loaded."""

STILL: Final = 60.0
"""Seconds between two searches for games to end because nobody plays them any more. Such games have been idle
for weeks, so a minute does not matter."""

TROUBLE: Final = timedelta(minutes=1)
"""The pause before another try with a game whose flag could not fall, such as a damaged one."""


class Timekeeper:
    """Watches the clocks of all running games."""

    def __init__(
        self, games: Games, store: EventStore, rows: ProjectionStore, watch: Watch, metrics: Metrics | None = None
    ) -> None:
        self._games = games
        self._store = store
        self._rows = rows
        self._watch = watch
        self._metrics = metrics or Metrics()
        self._name = uuid4().hex
        self._leased_lanes: Collection[int] = ()
        self._leased_until = 0.0
        self._until: dict[int, str] = {}
        """Until when each book was watched."""
        self._away: frozenset[int] = frozenset()
        """The books in which nobody can act now."""
        self._noted_at = ""
        self._looks = asyncio.Semaphore(LOOKS)
        self._abandoning = Abandoning(games, store, rows)
        self._next_still = 0.0
        self._last_logged = ""

    async def run(self) -> None:
        """Watch until cancelled, and share the lanes with other processes that also watch."""
        try:
            while True:
                number = 0
                try:
                    number, self._last_logged = await self.turn(), ""
                except (StoreError, Unavailable, NotBuilt) as error:
                    if str(error) != self._last_logged:
                        self._last_logged = str(error)
                        log.warning("clocks wait", why=self._last_logged)
                except Exception:  # unexpected: the next turn tries again
                    log.exception("clocks wait")
                if number < BATCH:
                    await asyncio.sleep(TICK)
        finally:
            await self.rest()

    async def rest(self) -> None:
        """Leave the lanes to other processes."""
        self._leased_lanes, self._leased_until = (), 0.0
        with contextlib.suppress(Unavailable):
            await self._rows.share(self._name, 0, self._watch.lanes, "clocks")

    async def turn(self) -> int:
        """Let the flags fall that are due in the lanes of this process; return the number of games that it looked at.

        Raises:
            StoreError, Unavailable, NotBuilt: the store or a projection does not answer.
        """
        await self._share()
        if not self._leased_lanes:
            return 0
        began = self._games.time()
        is_time_to_note = not self._noted_at or stamped(began) - stamped(self._noted_at) >= BEAT
        if is_time_to_note:
            await self._look_what_is_away()
        for (lane, since), unwatched in self._unwatched().items():
            await self._credit(lane, unwatched, since)
        now = self._games.time()
        watched = [book for book in self._answering() if is_watched(self._until.get(book, ""), now)]
        if not watched:
            return 0
        entries = await deadlines.due(self._rows, watched, now, BATCH)
        put_off = dict[Due, str]()
        await self._each(entries, lambda each: self._look(each, put_off))
        if put_off:
            await deadlines.later(self._rows, put_off)
        if time.monotonic() >= self._next_still:
            await self.look_for_still()
        if is_time_to_note:
            await self._note(watched, now)
            self._noted_at = began
        return len(entries)

    async def skip(self, until: str) -> None:
        """Count all lanes as watched until a time. A sandbox calls this before its clock jumps: that is no outage."""
        await self._share()
        await self._note(self._books(self._leased_lanes), until)

    async def look_for_still(self) -> None:
        """End the games in the lanes of this process that nobody plays any more."""
        self._next_still = time.monotonic() + STILL
        await self._abandoning.turn(self._answering())

    async def _share(self) -> None:
        """Take the lanes that are assigned to this process now."""
        now = time.monotonic()
        if not self._leased_lanes or now > self._leased_until - LEASE / 2:
            until = dict(await self._watch.read())
            self._leased_lanes = await self._rows.share(self._name, LEASE, self._watch.lanes, "clocks")
            self._leased_until, self._until = now + LEASE, until

    def _books(self, lanes: Iterable[int]) -> list[int]:
        return [book for lane in lanes for book in books_of(lane, self._watch.lanes)]

    def _answering(self) -> list[int]:
        """Return the books of this process that are not away."""
        return [book for book in self._books(self._leased_lanes) if book not in self._away]

    async def _note(self, books: Collection[int], until: str) -> None:
        await self._watch.note(books, until)
        self._until.update(dict.fromkeys(books, until))

    # --- outages ---

    async def _look_what_is_away(self) -> None:
        before, self._away = self._away, await self._store.away()
        if self._away - before:
            log.warning("the clocks of some games wait", books=len(self._away))

    def _unwatched(self) -> Mapping[tuple[int, str], list[int]]:
        """Return the books that nobody has watched for too long, by lane and by the time until which somebody did."""
        unwatched: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        now = self._games.time()
        for book in self._answering():
            until = self._until.get(book, "")
            if not is_watched(until, now):
                unwatched[book % self._watch.lanes, until].append(book)
        return unwatched

    async def _credit(self, lane: int, books: Collection[int], since: str) -> None:
        """Give each game of some books of a lane back the time since which no process has watched them.

        Do nothing while the rows of these books are behind the log.
        """
        after, credited = "", 0
        if not await self._knows_all(books):
            return
        while page := await deadlines.running(self._rows, books, after, BATCH):
            outcomes = await self._each(page, lambda game: self._give_back(game, since))
            credited += sum(outcomes)
            after = page[-1]
            await self._share()
            if lane not in self._leased_lanes:
                return
        await self._abandoning.spare(books, since)
        if credited:
            log.warning("an outage was credited", lane=lane, since=since, games=credited)
        await self._note(books, self._games.time())

    async def _knows_all(self, books: Collection[int]) -> bool:
        """Tell whether the rows of these books are up to date with the log."""
        end = (await self._store.reach(Cursor.start(self._store.books))).positions
        live = [each for each in await self._rows.generations() if each.projection == CLOCKS.name and each.live]
        if not live:
            raise NotBuilt(CLOCKS.name)
        reached = Cursor.parse(live[0].cursor, len(end)).positions
        checked = books if len(end) == BOOKS else range(len(end))
        return all(reached[book] >= end[book] for book in checked)

    async def _give_back(self, game: GameId, since: str) -> bool:
        try:
            await self._games.by_clock(game, CreditOutage(since))
        except Refusal:  # the time was credited already, or the clocks began to run later
            return False
        except UnknownGame:
            return False
        except StoreError as error:  # of one game, which must not stop the others
            log.warning("a clock waits", game=game, why=str(error))
            return False
        return True

    # --- flags ---

    async def _look(self, entry: Due, put_off: dict[Due, str]) -> None:
        """Let the flags of a game fall that are due. Note when to look at it next."""
        try:
            game = await self._games.game(entry.game)
            fallen = 0
            while (fall := _next_fall(game)) is not None and fallen <= len(game.players):
                at, seat = fall
                if at > self._games.time():
                    put_off[entry] = at
                    return
                try:
                    outcome = await self._games.by_clock(entry.game, Fall(seat))
                except Refusal:  # an answer or another process was quicker
                    return
                late = stamped(self._games.time()) - stamped(at)
                self._metrics.clock_lateness.observe(late.total_seconds())
                game, fallen = outcome.state, fallen + 1
        except Exception as error:  # of one game, which must not stop the others
            log.warning("a clock waits", game=entry.game, why=f"{type(error).__name__}: {error}")
            put_off[entry] = later(self._games.time(), TROUBLE)

    async def _each(self, items: Iterable[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
        """Do `work` on each item, a few at a time, and return the results in order."""

        async def one(item: T) -> R:
            async with self._looks:
                return await work(item)

        return await asyncio.gather(*map(one, items))


def _next_fall(game: Game) -> tuple[str, Seat] | None:
    """Return when the next flag of a game can fall, and whose."""
    if game.clocks is None or game.status != "running":
        return None
    return game.clocks.next_fall()


@asynccontextmanager
async def keeping_time(
    settings: Settings, games: Games, store: EventStore, rows: ProjectionStore, watch: Watch, metrics: Metrics
) -> AsyncIterator[None]:
    """Watch the clocks of games in this event loop, unless the settings leave it to other processes."""
    if not settings.clocks:
        yield
        return
    async with background("clocks are watched", Timekeeper(games, store, rows, watch, metrics).run()):
        yield
