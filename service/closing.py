"""Closing an account, with its games, tournaments, leagues, seats and offices."""

import re
from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from functools import partial
from typing import Final

from domain.kernel.ids import GameId, LeagueId, PlayerId, TournamentId
from domain.kernel.log import organizing
from domain.kernel.rules.refusal import Refusal
from domain.tournament.departing import depart
from projections import inbox, lobby, officials
from projections.lobby import GameRow
from projections.store import NotBuilt, ProjectionStore, Unavailable
from service.accounts.accounts import Accounts
from service.accounts.names import pseudonym
from service.games.acts import Depart, NotSeated
from service.games.games import Games
from service.leagues.leagues import MOST_LEAGUES
from service.observe.logging import log
from service.store.accounts import PlayerRow
from service.store.protocol import EventStore
from service.tournaments.committee import Committee

GOING: Final = ("gathering", "running")
BATCH: Final = 200
LONGEST_TITLE: Final = 120


class Closing:
    """Closes accounts."""

    def __init__(
        self, store: EventStore, rows: ProjectionStore, accounts: Accounts, games: Games, committee: Committee
    ) -> None:
        self._store = store
        self._rows = rows
        self._accounts = accounts
        self._games = games
        self._committee = committee

    async def close(self, row: PlayerRow) -> None:
        """Close an account for good, and the accounts that were joined with it.

        All their sign-ins end. They give up their seats and offices, and the games and tournaments that they organize
        pass to others (TAB-LIFE-06, TAB-TRN-23). A pseudonym replaces each name, also in the titles of these. The
        seats of a bot of the service wait for another bot. If it was interrupted, call it again: it does the rest.
        Raises `StoreError`.
        """
        if row.bot is None:
            await self._leave_all(row)
        await self._accounts.close(row.player)
        if row.bot is None:  # also what the account entered meanwhile
            await self._leave_all(row)
        for joined in await self._accounts.by_ids(await self._store.joinings.joined_with(row.player)):
            await self.close(joined)

    async def _leave_all(self, row: PlayerRow) -> None:
        """Leave all games and tournaments of an account that go on, and take its name out of titles.

        Each game or tournament takes one append or more.
        """
        async for game in self._games_of(row.player):
            await self._retitle_game(row, game)
            if game.status in GOING:
                await self._leave_game(row.player, game)
        async for tournament in self._tournaments_of(row.player):
            await self._leave_tournament(row, tournament)
        leagues = await self._store.leagues(organizer=row.player, limit=MOST_LEAGUES)
        for each in leagues:
            await self._retitle(row, each.league, each.title)

    async def able(self, among: Collection[PlayerId]) -> frozenset[PlayerId]:
        """Return the accounts that can organize something. Bots and closed accounts cannot."""
        rows = await self._accounts.by_ids(set(among))
        return frozenset(row.player for row in rows if row.bot is None and row.closed is None)

    async def _retitle(self, row: PlayerRow, stream: GameId | TournamentId | LeagueId, title: str) -> str | None:
        """Put the pseudonym of an account in place of its name in a title; return the new title, None for no change."""
        pattern = rf"(?<!\w){re.escape(row.name)}(?!\w)"
        changed = re.sub(pattern, pseudonym(row.player), title)[:LONGEST_TITLE]
        if changed == title:
            return None
        await self._store.retitle(stream, changed)
        return changed

    # --- games ---

    async def _games_of(self, player: PlayerId) -> AsyncIterator[GameRow]:
        """Yield the games that an account organizes, plays or judges as an official."""
        judged = list[GameId]()
        with suppress(Unavailable, NotBuilt):  # the account keeps its office until an organizer releases it
            judged = await officials.games_of(self._rows, player)
        games = await self._store.games(among=judged, limit=officials.MOST)
        for each in games:
            yield each
        games = await self._store.games(mine=player, limit=BATCH)
        while games:
            for each in games:
                yield each
            games = await self._store.games(mine=player, after=games[-1].game, limit=BATCH)

    async def _leave_game(self, player: PlayerId, row: GameRow) -> None:
        game = await self._games.game(row.game)
        await self.depart(player, row, Depart(await self.able(organizing.heirs(game))))

    async def depart(self, player: PlayerId, row: GameRow, act: Depart) -> None:
        """Let an account leave a running game, unless it has left it. Raises `Refusal`."""
        game = await self._games.game(row.game)
        with suppress(NotSeated):  # the account had left it before
            game = (await self._games.act(row.game, player, act)).state
        if game.organizer != row.organizer:
            await self._store.organize(row.game, game.organizer)

    async def _retitle_game(self, player: PlayerRow, row: GameRow) -> None:
        if (title := await self._retitle(player, row.game, row.title)) is None:
            return
        try:
            await lobby.retitle(self._rows, row.game, title, row.ruleset)
        except Unavailable as error:
            log.warning("a title is found by its old words", game=row.game, why=str(error))

    # --- tournaments ---

    async def _tournaments_of(self, player: PlayerId) -> AsyncIterator[TournamentId]:
        """Yield the tournaments that an account organizes, plays or directs, and those in which it once did."""
        with suppress(Unavailable, NotBuilt):  # then the player stays entered, but is not drawn without a check-in
            for tournament in await inbox.tournaments_of(self._rows, player, past=True):
                yield tournament
        tournaments = await self._store.tournaments(organizer=player, limit=BATCH)
        while tournaments:
            for each in tournaments:
                yield each.tournament
            tournaments = await self._store.tournaments(organizer=player, after=tournaments[-1].tournament, limit=BATCH)

    async def _leave_tournament(self, row: PlayerRow, tournament_id: TournamentId) -> None:
        now = await self._committee.now(tournament_id)
        await self._retitle(row, tournament_id, now.row.title)
        await self.leave_tournament(row.player, tournament_id)

    async def leave_tournament(self, player: PlayerId, tournament_id: TournamentId) -> None:
        """Let an account leave a tournament, unless it is over."""
        able = await self.able((await self._committee.now(tournament_id)).tournament.directors)
        with suppress(Refusal):  # the tournament is over, or the account had left it
            await self._committee.act(tournament_id, player, (), partial(depart, able=able))
