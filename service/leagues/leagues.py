"""The leagues of a store: acts of their organizers, one at a time for each league, and the tables of their seasons."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.kernel.ids import LeagueId, PlayerId, TournamentId, Version
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.refusal import Refusal
from domain.league import acts
from domain.league.events import Over
from domain.league.league import Inscribed, League, Season, fold, fold_on
from domain.league.regulations import Regulations as LeagueRegulations
from domain.league.table import Finish, Line, finish_of, table_of
from domain.tournament.regulations import InLeague, Regulations
from domain.tournament.tournament import Tournament
from service.base.clock import Clock, stamp
from service.cluster.wake import Wake
from service.store.accounts import LimitReached
from service.store.protocol import (
    Append,
    Conflict,
    EventStore,
    KeyUse,
    LeagueRow,
    StoreUnavailable,
    Within,
)
from service.tournaments.acting import Acting, key_use
from service.tournaments.committee import Committee

MOST_LEAGUES: Final = 20
"""The most leagues that an account can have."""

MOST_FINISHES: Final = 1_000
"""How many final results of tournaments stay in memory. They never change."""


class UnknownLeague(LookupError):
    """There is no such league."""


class UnknownSeason(LookupError):
    """The league has no such season."""


class TooManyLeagues(Exception):
    """The account has as many leagues as it may have."""


class Held(Struct, frozen=True):
    """A stored league.

    Attributes:
        row: its row in the index.
        league: the league.
        repeated: true if the request was a repetition; `league` is then the state after the first request.
    """

    row: LeagueRow
    league: League
    repeated: bool = False


class Leagues(Acting[LeagueId, League, Inscribed, Held]):
    """All leagues of a store. Every method may raise `StoreError`. Methods that take a league id may also raise
    `UnknownLeague`.
    """

    what = "league"
    prefix = "l"
    unknown = UnknownLeague
    in_memory = 64

    def __init__(
        self,
        store: EventStore,
        committee: Committee,
        wake: Wake,
        clock: Clock,
        randomness: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        super().__init__(store, wake, clock, randomness)
        self._committee = committee
        self._final_finishes: OrderedDict[TournamentId, Finish] = OrderedDict()

    # --- looking ---

    async def _row(self, stream: LeagueId) -> LeagueRow | None:
        return await self._store.league(stream)

    def _folded(self, stream: LeagueId, title: str, records: Sequence[Record], before: Held | None = None) -> Held:
        if before is None:
            league = fold(stream, records)
        else:
            league = fold_on(before.league, records) if records else before.league
        return Held(row_of(league, title), league)

    # --- tables ---

    async def tables(self, season: Season) -> list[list[Line]]:
        """Return the tables of a season, the highest division first."""
        finishes = await self.finishes(season)
        divisions = range(1, season.regulations.divisions + 1)
        # With thousands of players this takes a while, so other requests must not wait for it.
        return await asyncio.to_thread(lambda: [table_of(season, division, finishes) for division in divisions])

    async def finishes(self, season: Season) -> Mapping[TournamentId, Finish]:
        """Return the standings of the tournaments of a season. Those of finished tournaments stay in memory."""
        finishes: dict[TournamentId, Finish] = {}
        for each in season.tournaments:
            finish = self._final_finishes.get(each.tournament)
            if finish is None:
                finish = finish_of(*await self._committee.standings(each.tournament))
                if finish.status in ("closed", "cancelled"):
                    self._final_finishes[each.tournament] = finish
                    if len(self._final_finishes) > MOST_FINISHES:
                        self._final_finishes.popitem(last=False)
            finishes[each.tournament] = finish
        return finishes

    # --- tournaments of a league ---

    async def require_season(self, regulations: Regulations) -> None:
        """Raise `Refusal` or `UnknownLeague` unless the league of a new tournament accepts it (TAB-LGE-06)."""
        if (reference := regulations.league) is not UNSET:
            acts.require_season((await self.now(reference.league)).league, reference)

    async def require_belonging(self, tournament: Tournament, player: PlayerId) -> None:
        """Raise `Refusal` unless the league of a tournament lets the player enter it (TAB-LGE-07)."""
        if (reference := tournament.regulations.league) is not UNSET:
            acts.require_belonging(await self._season_of(reference), reference.division, player)

    async def _season_of(self, reference: InLeague) -> Season:
        return season_of((await self.now(reference.league)).league, reference.season)

    # --- acting ---

    async def found(
        self, player: PlayerId, regulations: LeagueRegulations, title: str, *, key: str | None = None
    ) -> Held:
        """Found a league.

        Raises:
            Refusal: no league can be played by these regulations.
            TooManyLeagues, KeyReused.
        """
        use = key_use(player, key, ["found", msgspec.to_builtins(regulations), title])
        cause = Cause(player, key=use.key if use is not None else None)
        for league_id in map(LeagueId, self._new_ids(player, key)):
            if use is not None and (first := await self._first(league_id, use)) is not None:
                return first
            inscribed = acts.found(league_id, regulations, cause, stamp(self._clock))
            try:
                return await self._append(inscribed, 0, title, use, Within("leagues", (player,), MOST_LEAGUES))
            except LimitReached:
                raise TooManyLeagues(f"You have {MOST_LEAGUES} leagues, which is the most.") from None
            except Conflict:
                continue  # the id is taken: the key was used before, and has expired
        raise StoreUnavailable("no id for a new league was found; try again")

    async def add_tournament(
        self,
        league_id: LeagueId,
        player: PlayerId,
        tournament_id: TournamentId,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Held:
        """Add a tournament to the running season. Raises what `act` raises, and `UnknownTournament`."""
        # Take the time first, so a round that is published meanwhile does not make the tournament too late.
        at = stamp(self._clock)
        tournament = (await self._committee.now(tournament_id)).tournament

        def decide(league: League, cause: Cause, _: str) -> Inscribed:
            league.require_organizer(cause, "TAB-LGE-06")
            reference = acts.require_fitting(league, tournament)
            return acts.add_tournament(league, tournament_id, reference.division, cause, at)

        content = ["add-tournament", tournament_id]
        return await self.act(league_id, player, content, decide, expected=expected, key=key)

    async def close_season(
        self,
        league_id: LeagueId,
        player: PlayerId,
        number: int,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
    ) -> Held:
        """Close the running season. Raises what `act` raises, and `UnknownSeason`."""
        content = ["close-season", number]
        use = key_use(player, key, content)
        if use is not None and (first := await self._first(league_id, use)) is not None:
            return first
        league = (await self.now(league_id)).league
        season = season_of(league, number)
        league.require_organizer(Cause(player), "TAB-LGE-12")
        if season.over is not None:
            raise Refusal("TAB-LGE-12", f"Season {number} is closed.", "Close the season that runs.", untimely=True)
        finishes = await self.finishes(season)
        acts.require_over(season, finishes)
        over = [await self._over(each.tournament) for each in season.tournaments]
        tables = await asyncio.to_thread(acts.final_tables, season, finishes)

        def decide(now: League, cause: Cause, at: str) -> Inscribed:
            if now.season != season:
                raise Refusal("TAB-LGE-12", "The season changed meanwhile.", "Look at it again.", untimely=True)
            return acts.close_season(now, over, tables, cause, at)

        return await self.act(league_id, player, content, decide, expected=expected, key=key)

    async def _over(self, tournament_id: TournamentId) -> Over:
        tournament = (await self._committee.now(tournament_id)).tournament
        return Over(tournament.id, tournament.version, tournament.head.hex())

    # --- storing ---

    def _state(self, entry: Held) -> tuple[League, str]:
        return entry.league, entry.row.title

    def _repeating(self, entry: Held) -> Held:
        return replace(entry, repeated=True)

    async def _append(
        self, inscribed: Inscribed, expected: Version, title: str, use: KeyUse | None, within: Within | None = None
    ) -> Held:
        league = inscribed.league
        row = row_of(league, title)
        batch = Append(league.id, expected, inscribed.records, league.status, key=use, league=row, within=within)
        appended = await self._store.append(batch)
        if appended.repeated is not None:
            return await self._repeated(league.id, appended.repeated.version)
        self._wake.notify(league.id, league.version)
        return self._keep(league.id, Held(row, league))


def season_of(league: League, number: int) -> Season:
    """Return a season of a league. Raises `UnknownSeason`."""
    if not 1 <= number <= len(league.seasons):
        raise UnknownSeason(f"League {league.id!r} has no season {number}; {len(league.seasons)} have begun.")
    return league.seasons[number - 1]


def row_of(league: League, title: str) -> LeagueRow:
    """Return the row of a league for the index."""
    return LeagueRow(
        league.id,
        title,
        league.status,
        league.organizer,
        league.regulations.divisions,
        len(league.seasons),
        league.version,
        league.founded,
        league.changed,
    )
