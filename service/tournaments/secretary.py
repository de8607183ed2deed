"""The secretary: it opens and starts the games of tables, and takes and confirms their results.

One process at a time does this. The work follows from the tournaments and their games alone: a table has a game or not,
a game is over or not. So if the process is killed, the next look continues the work. An event is added once, because
each act names the version at which it was decided.
"""

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple

from domain.kernel.ids import GameId, StreamId, TournamentId, Version, is_tournament
from domain.kernel.log.clock import milliseconds
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from domain.tournament import results, rounds
from domain.tournament.events import Status
from domain.tournament.field import Table
from domain.tournament.tournament import Inscribed, Tournament
from projections.store import Unavailable
from service.base.clock import Clock, stamp
from service.base.settings import Settings
from service.cluster.lease import Lease, Lessor
from service.cluster.wake import Signal, Wake
from service.games.cache import GameDamaged, UnknownGame
from service.games.games import Games
from service.judging.desk import Desk
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, KeyReused, StoreError, TournamentRow
from service.tournaments.committee import Committee
from service.tournaments.results import take
from service.tournaments.tables import START_AFTER, CancelTable, OfferTable, StartTable, open_game, opened_game, seat

LOOK: Final = 2.0
"""Seconds between two looks at the running tournaments."""

BATCH: Final = 200
"""How many tournaments, or games of tables, are read at once."""

COMPARE_AGAIN_AFTER: Final = 60.0
"""Seconds after which unconfirmed results are compared with their games again, as there may be a ruling."""

WAITING: Final = ("open", "appealed")
"""The statuses of a case that waits for a ruling."""


class Place(NamedTuple):
    """A table of a round."""

    round: int
    table: Table


class Secretary:
    """Does what happens by itself in running tournaments, by their regulations."""

    def __init__(
        self,
        committee: Committee,
        games: Games,
        store: EventStore,
        desk: Desk,
        clock: Clock,
        lease: Lease,
        *,
        start_after: float = START_AFTER,
    ) -> None:
        self._committee = committee
        self._games = games
        self._store = store
        self._desk = desk
        self._clock = clock
        self._lease = lease
        self._start_after = start_after
        self._idle: dict[TournamentId, Version] = {}
        """The version at which nothing was left to do in a tournament. New work always changes the version."""
        self._compare_again_at: dict[TournamentId, float] = {}
        self._running: set[TournamentId] = set()
        """The tournaments that were running at the last turn, and cancelled ones that still need another look."""
        self._called_off: dict[TournamentId, Version] = {}
        """The version at which the games of cancelled rounds were last cancelled."""
        self._is_caught_up = False
        """Whether tournaments that were cancelled before this process took over have been looked at."""
        self._last_logged = ""
        self._is_busy = False

    def heeds(self, stream: StreamId, is_changed: bool) -> bool:
        """Tell whether an event in this stream can make work: a tournament, or a game that may have ended."""
        return is_tournament(stream) or (is_changed and self._is_busy)

    async def run(self, bell: Signal) -> None:
        """Work until the bell is closed. Other processes may do the same; one works at a time."""
        while not bell.closed:
            try:
                if await self._lease.is_held():
                    await self.turn()
                else:
                    self._is_caught_up = False
                self._last_logged = ""
            except (StoreError, Unavailable) as error:
                if str(error) != self._last_logged:
                    self._last_logged = str(error)
                    log.warning("tournaments wait", why=self._last_logged)
            except Exception:  # unexpected: the next turn tries again
                log.exception("tournaments wait")
            await bell.wait(LOOK)

    async def rest(self) -> None:
        """Let another process take over."""
        with suppress(Unavailable):
            await self._lease.give_back()

    async def turn(self) -> None:
        """Do what is due in each running tournament, and once in each that was cancelled. Raises `StoreError`."""
        running = set[TournamentId]()
        async for row in self._rows("running"):
            running.add(row.tournament)
            if self._idle.get(row.tournament) != row.version:
                await self._look(row)
        self._is_busy = bool(running)
        # A tournament that no longer runs may have been cancelled. Tournaments that were cancelled before this process
        # took over are looked at a single time.
        stopped, self._running = self._running - running, running
        if stopped or not self._is_caught_up:
            async for row in self._rows("cancelled"):
                if row.rounds and (row.tournament in stopped or not self._is_caught_up) and not await self._look(row):
                    self._running.add(row.tournament)  # try again until it succeeds
            self._is_caught_up = True

    async def _rows(self, status: Status) -> AsyncIterator[TournamentRow]:
        page = await self._store.tournaments(status=status, limit=BATCH)
        while page:
            for row in page:
                yield row
            page = await self._store.tournaments(status=status, after=page[-1].tournament, limit=BATCH)

    async def _look(self, row: TournamentRow) -> bool:
        """Look at a tournament and tell whether that succeeded. An error in one must not stop the others."""
        try:
            await self.look(row)
        except (Refusal, UnknownGame, KeyReused, GameDamaged, StoreError) as error:
            log.warning("a tournament waits", tournament=row.tournament, why=str(error))
            return False
        finally:
            await self._lease.is_held()  # Renew the lease: a look may take long.
        return True

    async def look(self, row: TournamentRow) -> None:
        """Do what is due in a tournament."""
        tournament = (await self._committee.now(row.tournament)).tournament
        await self._call_off(tournament)
        if tournament.status == "cancelled":
            return
        for place in self._without_game(tournament):
            await self._open(tournament, row.title, place)
        tournament = (await self._committee.now(row.tournament)).tournament
        is_time_to_compare = time.monotonic() >= self._compare_again_at.get(tournament.id, 0.0)
        if is_time_to_compare:
            self._compare_again_at[tournament.id] = time.monotonic() + COMPARE_AGAIN_AFTER
        waiting = [
            place for place in _places(tournament) if place.table in tournament.field.rounds[place.round].waiting
        ]
        statuses = await self._statuses([place.table.game for place in waiting])
        for place in waiting:
            game = place.table.game
            match statuses.get(game) if game is not None else None:
                case "gathering":
                    await self._gather(tournament, place)
                case "running" if place.table.substitutes and place.table.result is None:
                    await self._offer(tournament, place)
                case "over" if place.table.result is None or is_time_to_compare:
                    await self._take(tournament.id, place)
                case _:
                    pass
            if place.table.result is not None:
                await self._confirm(tournament.id, place)
        if not waiting:
            self._idle[tournament.id] = tournament.version

    async def _statuses(self, games: Sequence[GameId | None]) -> dict[GameId | None, str]:
        ids = [game for game in games if game is not None]
        statuses: dict[GameId | None, str] = {}
        for start in range(0, len(ids), BATCH):
            page = ids[start : start + BATCH]
            statuses |= {each.game: each.status for each in await self._store.games(among=page, limit=len(page))}
        return statuses

    # --- games ---

    @staticmethod
    def _without_game(tournament: Tournament) -> list[Place]:
        return [each for each in _places(tournament) if each.table.game is None and each.table.result is None]

    async def _open(self, tournament: Tournament, title: str, place: Place) -> None:
        """Create the game of a table and add it to the tournament. After a crash in between, it is the same game."""
        seed = await self._seed(tournament)
        game = await open_game(self._games, tournament, seed, title, place.round, place.table)

        def decide(now: Tournament, cause: Cause, at: str) -> Inscribed:
            return rounds.open_table(now, place.round, place.table.number, game, cause, at)

        await self._committee.by_house(tournament.id, decide)

    async def _gather(self, tournament: Tournament, place: Place) -> None:
        """Seat substitutes, and start a game when all have confirmed or the time is up."""
        assert place.table.game is not None
        game = await self._games.game(place.table.game)
        with suppress(Refusal):  # the player who leaves has confirmed, and has to give up the seat themselves
            await seat(self._games, tournament, game.id, place.table)
        game = await self._games.game(game.id)
        if game.status != "gathering":
            return
        seconds = (milliseconds(stamp(self._clock)) - milliseconds(place.table.opened)) / 1000
        if None not in game.players.values() and (not game.around.assigned or seconds >= self._start_after):
            with suppress(Refusal):  # another process was quicker
                await self._games.act(game.id, game.organizer, StartTable(tournament.id))

    async def _offer(self, tournament: Tournament, place: Place) -> None:
        """Offer seats of a running game to substitutes. An offer to somebody else is withdrawn."""
        table = place.table
        assert table.game is not None
        game = await self._games.game(table.game)
        for each, holder in game.players.items():
            to = table.seated_for(holder) if holder is not None else None
            offer = game.around.offers.get(each)
            if to is None or to == holder or (offer is not None and offer.to == to):
                continue
            with suppress(Refusal):  # this substitute may not take over the seat: a director has to find another one
                await self._games.act(game.id, game.organizer, OfferTable(tournament.id, each, to))

    async def _call_off(self, tournament: Tournament) -> None:
        """Cancel the games of cancelled rounds that have not begun; in a cancelled tournament, those of all rounds."""
        is_cancelled = tournament.status == "cancelled"
        cancelled_rounds = [
            each for each in tournament.field.rounds.values() if is_cancelled or each.status == "cancelled"
        ]
        if self._called_off.get(tournament.id) == tournament.version or not any(
            each.tables for each in cancelled_rounds
        ):
            return
        seed = await self._seed(tournament)
        games = [
            # A game that was created just before may not be in the tournament yet.
            table.game or await opened_game(self._games, tournament, seed, each.number, table)
            for each in cancelled_rounds
            for table in each.tables
        ]
        for game, status in (await self._statuses(games)).items():
            if status == "gathering" and game is not None:
                with suppress(Refusal):  # somebody started it
                    await self._games.act(game, tournament.organizer, CancelTable(tournament.id))
        self._called_off[tournament.id] = tournament.version

    async def _seed(self, tournament: Tournament) -> bytes:
        seed = await self._store.seed(tournament.id)
        if seed is None:
            raise GameDamaged(f"the seed of tournament {tournament.id} is missing in the store")
        return seed

    # --- results ---

    async def _take(self, tournament_id: TournamentId, place: Place) -> None:
        await take(self._committee, self._games, self._desk, tournament_id, place.round, place.table)

    async def _confirm(self, tournament_id: TournamentId, place: Place) -> None:
        """Confirm a result when its time is up, unless a case about its game waits for a ruling."""
        now = (await self._committee.now(tournament_id)).tournament
        try:
            results.confirm(now, place.round, place.table.number, Cause(by="house"), stamp(self._clock))
        except Refusal:
            return
        game = place.table.game
        if game is not None and await self._waits(game):
            return
        if game is not None:
            await self._take(tournament_id, place)
        await self._committee.by_house(
            tournament_id,
            lambda tournament, cause, at: results.confirm(tournament, place.round, place.table.number, cause, at),
        )

    async def _waits(self, game: GameId) -> bool:
        """Tell whether a case about a game waits for a ruling."""
        for status in WAITING:
            if await self._store.cases(game=game, status=status, limit=1):
                return True
        return False


def _places(tournament: Tournament) -> Iterator[Place]:
    for each in tournament.field.played:
        for table in each.tables:
            yield Place(each.number, table)


@asynccontextmanager
async def serving(
    settings: Settings,
    committee: Committee,
    games: Games,
    store: EventStore,
    desk: Desk,
    wake: Wake,
    clock: Clock,
    lessor: Lessor,
) -> AsyncIterator[None]:
    """Run the secretary in this event loop, unless the settings leave that to other processes."""
    if not settings.tournaments:
        yield
        return

    async def wanted() -> bool:
        return any([await store.tournaments(status=status, limit=1) for status in ("running", "cancelled")])

    secretary = Secretary(committee, games, store, desk, clock, Lease(lessor, "tournaments", wanted))
    try:
        async with (
            wake.subscribe(None, secretary.heeds) as bell,
            background("tournaments go on", secretary.run(bell)),
        ):
            yield
    finally:
        await secretary.rest()
