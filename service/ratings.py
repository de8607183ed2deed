"""Counting finished games for ratings, in the order of their times, in one process at a time.

The projection `FINISHED` has the results, in whatever order its books were read. The counter takes the results that
follow the last one that it counted. When there are more results than counted and following ones, some became known
late: it goes back to before them, and counts on from there (TAB-RAT-08). So its rows are always those of a count of all
results in their order. A lease only saves work: a step is committed by compare-and-set.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from domain.kernel.ids import GameId, PlayerId, Seat, StreamId, as_game
from domain.kernel.log.clock import milliseconds, moment
from domain.kernel.log.record import Record
from domain.tournament.events import Order
from projections import finished, ratings
from projections.change import Change, Changes
from projections.finished import Begun, Place, Row
from projections.ratings import RATINGS, Counted, Pool, Result
from projections.store import Generation, NotBuilt, Overtaken, ProjectionStore, Rows, Step, Unavailable
from service.cluster.lease import Lease
from service.cluster.wake import Signal, Wake
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, StoreError

BATCH: Final = 500
"""The most results in one commit."""

BREATH: Final = 20
"""After so many results, other tasks of the event loop get a turn."""

LOOK: Final = 5.0
"""Seconds between two looks when the bell does not ring."""

BEHIND: Final = 1.0
"""Seconds to wait after the bell rang, so that the projection can read the new events first."""

WINDOWS: Final = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(days=30))
"""How far back late results are searched, one after the other; if that is not enough, everything is counted again."""


async def _always() -> bool:
    return True


class Counter:
    """Counts results for ratings. Every method may raise `Unavailable`, `StoreError` or `NotBuilt`."""

    def __init__(
        self,
        rows: ProjectionStore,
        records: Callable[[GameId], Awaitable[Sequence[Record]]],
        bots: Callable[[Collection[PlayerId]], Awaitable[Collection[PlayerId]]],
        *,
        batch: int = BATCH,
    ) -> None:
        """`records` returns the log of a game; `bots` returns those of some accounts that are bots."""
        self._rows = rows
        self._records = records
        self._bots = bots
        self._batch = batch

    async def is_behind(self) -> bool:
        """Tell whether there are results to be counted, or to be taken back."""
        try:
            total = await finished.total(self._rows)
        except NotBuilt:
            return False
        live = await self._generation(live=True)
        return live is None or _count(live) != total

    async def catch_up(self, between: Callable[[], Awaitable[bool]] = _always) -> None:
        """Count all known results. `between` is called before each step; when it returns False, counting stops."""
        while await between() and await self.step():
            pass

    async def begin(self) -> Generation:
        """Begin to count everything anew, beside the live ratings; drop an unfinished count."""
        return await self._rows.begin(RATINGS)

    async def rebuild(self, between: Callable[[], Awaitable[bool]] = _always) -> None:
        """Count everything anew, beside the live ratings, and then replace them.

        `between` is as for `catch_up`. Raises `Overtaken` when another count of everything has begun.
        """
        at = await self.begin()
        while not at.live and await between():
            if await self._step(at):
                at = await self._again(at)
            elif _count(at) == await finished.total(self._rows):
                at = await self._swap(at)
            else:
                await asyncio.sleep(BEHIND)

    async def step(self) -> int:
        """Count some results; return how many rows were counted or taken back, 0 when nothing can be done now."""
        generation = await self._generation(live=True)
        if generation is None:
            generation = await self._generation(live=False) or await self.begin()
        try:
            number = await self._step(generation)
            if not number and not generation.live and _count(generation) == await finished.total(self._rows):
                await self._swap(generation)
        except Overtaken:
            return 1  # another process was quicker: look again
        return number

    async def _generation(self, *, live: bool) -> Generation | None:
        candidates = [
            each
            for each in await self._rows.generations()
            if each.projection == RATINGS.name and each.version == RATINGS.version and each.live == live
        ]
        return candidates[-1] if candidates else None

    async def _again(self, at: Generation) -> Generation:
        """Return a generation, read again from the store. Raises `Overtaken` when it is gone."""
        for each in await self._rows.generations():
            if (each.projection, each.number) == (at.projection, at.number):
                return each
        raise Overtaken("another count has begun")

    async def _swap(self, ready: Generation) -> Generation:
        """Make ratings that were counted anew live. They may have fewer results than the live ones before."""
        return await self._rows.swap(ready, await self._generation(live=True))

    # --- a step ---

    async def _step(self, at: Generation) -> int:
        number, before = _count(at), await finished.total(self._rows)
        place = await ratings.place_of(self._rows, at.number, number) if number else finished.START
        if place is None:
            raise Overtaken("the ratings have moved on")
        rows = await finished.after(self._rows, place, self._batch)
        total = await finished.total(self._rows)
        if number + len(rows) > total:  # the log was restored from a copy that has less
            await self.rebuild()
            return 1
        if len(rows) < self._batch and number + len(rows) < total == before:
            return await self._go_back(at, place, total - number)
        return await self._count(at, rows) if rows else 0

    async def _go_back(self, at: Generation, place: Place, missing: int) -> int:
        """Take results back until before the first late one. `missing` is how many known results were not counted."""
        number, to = _count(at), 0
        for window in WINDOWS:
            since = moment(max(0, milliseconds(place.at) - window // timedelta(milliseconds=1)))
            known = await finished.count_from(self._rows, since)
            counted = await ratings.count_from(self._rows, at.number, since)
            if known - counted >= missing:
                to = number - counted
                break
        log.info("ratings are counted again", results=number - to, late=missing)
        while _count(at) > to:
            newest = await ratings.last_counted(self._rows, at.number, to, self._batch)
            players = {player for each in newest for player in (*each.moved, *each.novices)}
            tally = await ratings.tally_of(self._rows, at.number, players)
            at = await self._commit(at, newest[-1].number - 1, len(newest), list(tally.back(newest)))
        return number - to

    async def _count(self, at: Generation, rows: Sequence[Row]) -> int:
        results = await self._results(rows)
        if not results:
            return 0
        number = _count(at)
        tally = await ratings.tally_for(self._rows, at.number, results)
        rated: list[Counted] = []
        for index, result in enumerate(results, start=number + 1):
            rated.append(tally.count(index, result))
            if index % BREATH == 0:
                await asyncio.sleep(0)
        await self._commit(at, number + len(rated), len(rated), list(tally.changes(rated)))
        return len(rated)

    async def _commit(self, at: Generation, number: int, events: int, changes: Sequence[Change]) -> Generation:
        step = Step(at, str(number), events, {at.key: Changes(changes)})
        await self._rows.commit(step)
        return step.moved

    # --- what counts ---

    async def _results(self, rows: Sequence[Row]) -> list[Result]:
        """Return the results of rows, up to the first whose game was not read far enough yet."""
        games = sorted({row.place.game for row in rows})
        games_begun = await finished.begun(self._rows, games) if games else {}
        defaults = await finished.defaults(self._rows, games) if games else {}
        players = {player for game in games_begun.values() for player in game.players.values()}
        players.update(player for row in rows if row.kind == "table" for tied in row.players for player in tied)
        bots = await self._bots(players) if players else ()
        results: list[Result] = []
        for row in rows:
            game = games_begun.get(row.place.game)
            if row.needs_end and (game is None or not game.ended):
                log.warning("ratings wait", game=row.place.game, why="the end of the game was not read yet")
                break
            if row.needs_end and row.kind != "ruling" and await self._is_played_by_clock(row, game, defaults):
                results.append(Result(row.place, row.kind, row.ruleset, (), None))
            else:
                results.append(await self._result(row, game, bots))
        return results

    async def _is_played_by_clock(
        self, row: Row, game: Begun | None, defaults: Mapping[GameId, Mapping[Seat, int]]
    ) -> bool:
        """Tell whether the clock gave too many answers (TAB-RAT-03). Reads only logs of games in which it gave some."""
        by_clock = defaults.get(row.place.game)
        if game is None or by_clock is None:
            return False
        return finished.is_played_by_clock(game, by_clock, await self._records(row.place.game))

    async def _result(self, row: Row, game: Begun | None, bots: Collection[PlayerId]) -> Result:
        if row.kind == "table":
            return Result(row.place, row.kind, row.ruleset, row.players, _pool(row.players, bots), is_directed=True)
        assert game is not None, "it needs the end of a game"
        order = game.in_players(row.seats)
        if row.kind == "ruling":
            order = None if game.tournament else await self._ruled(row, game)
        return Result(row.place, row.kind, game.ruleset, order, _pool(order or (), bots))

    async def _ruled(self, row: Row, game: Begun) -> Order:
        """Return how the players of a game finished by the ruling that holds at a row, or by its end (TAB-RAT-09)."""
        holds = finished.held(await finished.rulings(self._rows, row.place.game), row.place)
        if holds is not None:
            return () if holds.continued_in is not None else game.in_players(holds.order)
        own = await finished.end_of(self._rows, row.place.game)
        return game.in_players(own.seats) if own is not None else ()


def _count(at: Generation) -> int:
    """Return how many results a generation has counted."""
    return int(at.cursor or 0)


async def behind(rows: Rows, generations: Sequence[Generation]) -> Mapping[int, tuple[int, int]]:
    """Return how many results the ratings have counted and how many are left, by the numbers of generations.

    Generation 0 stands for none. Raises `Unavailable`.
    """
    try:
        total = await finished.total(rows)
    except NotBuilt:
        total = 0
    counts = {0: 0, **{each.number: _count(each) for each in generations if each.projection == RATINGS.name}}
    return {number: (count, max(0, total - count)) for number, count in counts.items()}


def _pool(order: Order, bots: Collection[PlayerId]) -> Pool | None:
    """Return the list that a game of these players counts for (TAB-RAT-07)."""
    are_bots = {player in bots for tied in order for player in tied}
    return None if len(are_bots) != 1 else "bots" if are_bots.pop() else "players"


# --- serving ----------------------------------------------------------------------------------------------------------


def counter(store: EventStore, rows: ProjectionStore) -> Counter:
    """Return the counter for the games of a store."""

    async def records(game: GameId) -> Sequence[Record]:
        return await store.read(game)

    async def bots(players: Collection[PlayerId]) -> Collection[PlayerId]:
        return {row.player for row in await store.accounts.by_ids(players) if row.is_bot}

    return Counter(rows, records, bots)


async def follow(store: EventStore, rows: ProjectionStore, bell: Signal) -> None:
    """Count the results of a store until the bell is closed, in turn with other processes that do."""
    counting = counter(store, rows)

    async def is_outdated() -> bool:
        """Tell whether an account is rated among players, and is said now to be played by a program."""
        with suppress(NotBuilt):
            return await ratings.rated_among(rows, await store.accounts.automated())
        return False

    async def wanted() -> bool:
        return await counting.is_behind() or await is_outdated()

    lease, last_trouble = Lease(rows, "ratings", wanted), ""
    while not bell.closed:
        try:
            if await lease.is_held():
                if await is_outdated():
                    await counting.rebuild(lease.is_held)
                await counting.catch_up(lease.is_held)
                await lease.give_back()
            last_trouble = ""
        except (StoreError, Unavailable, NotBuilt) as error:
            if str(error) != last_trouble:
                last_trouble = str(error)
                log.warning("ratings wait", why=last_trouble)
        except Exception:  # unexpected: the next look continues counting
            log.exception("ratings wait")
        if await bell.wait(LOOK) and not bell.closed:
            await asyncio.sleep(BEHIND)


def heeds(stream: StreamId, is_changed: bool) -> bool:
    """Tell whether there may be a result when a stream went on: a game that may be over, a case or a tournament."""
    return is_changed or as_game(stream) is None


@asynccontextmanager
async def counting(store: EventStore, rows: ProjectionStore, wake: Wake) -> AsyncIterator[None]:
    """Count results in this event loop."""
    async with wake.subscribe(None, heeds) as bell, background("ratings are counted", follow(store, rows, bell)):
        yield
