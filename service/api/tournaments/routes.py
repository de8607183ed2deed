"""The endpoints that list and show tournaments."""

import asyncio

from litestar.response import Response

from domain.kernel.ids import PlayerId, TournamentId
from domain.tournament.crosstable import crosstable
from projections.cursor import UnknownCursor
from service.api.bodies import Nothing
from service.api.downloads import STILL_THE_SAME, cacheable
from service.api.endpoint import Answer, endpoint
from service.api.paging import first, read_cursor
from service.api.problems.rulesets import UNKNOWN_RULESET
from service.api.problems.tournaments import UNKNOWN_ROUND, UNKNOWN_TOURNAMENT
from service.api.request import Call
from service.api.response import answer, encode, etag
from service.api.rulesets.routes import ruleset_in_path
from service.api.tournaments.acting import answer_tournament, names_of, round_of
from service.api.tournaments.asked import TournamentEventsPage, TournamentsPage
from service.api.tournaments.bodies import (
    CrosstableView,
    RoundView,
    TournamentDetail,
    TournamentEventPage,
    TournamentPage,
    TournamentPresets,
    TournamentStandings,
)
from service.api.tournaments.views import (
    crosstable_view,
    event_view,
    presets_view,
    round_view,
    standings_view,
    tournament_summary,
)


@endpoint(
    "GET",
    "/v1/tournaments",
    tag="Tournaments",
    query=TournamentsPage,
    answers=(Answer(200, "The tournaments.", TournamentPage),),
)
async def list_tournaments(request: Call) -> Response[bytes]:
    """List tournaments.

    Lists the newest first. Filter them by status, by ruleset, or by the player who organizes them.
    """
    page, store = request.read_query(TournamentsPage), request.services.store
    after = read_cursor(page.cursor, str)
    if after is not None and await store.tournament(TournamentId(after)) is None:
        raise UnknownCursor(after)
    entries = await store.tournaments(
        status=page.status,
        ruleset=page.ruleset,
        organizer=PlayerId(page.organizer) if page.organizer is not None else None,
        after=TournamentId(after) if after is not None else None,
        limit=page.limit + 1,
    )
    rows, more = first(entries, page.limit, lambda row: row.tournament)
    return answer(TournamentPage(tuple(map(tournament_summary, rows)), more))


@endpoint(
    "GET",
    "/v1/rulesets/{ruleset:str}/tournament-presets",
    tag="Tournaments",
    headers=("If-None-Match",),
    answers=(Answer(200, "The presets.", TournamentPresets, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_RULESET,),
)
async def list_tournament_presets(request: Call, ruleset: str) -> Response[bytes]:
    """List regulations to begin with.

    Lists regulations for a club evening, a weekend and the season of a league by this ruleset. Take one, change what
    you like, and announce a tournament with it.
    """
    request.read_query(Nothing)
    played = ruleset_in_path(request, ruleset)
    return cacheable(request, encode(presets_view(played.id, played.players)))


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}",
    tag="Tournaments",
    answers=(Answer(200, "The tournament.", TournamentDetail, headers=("ETag",)),),
    problems=(UNKNOWN_TOURNAMENT,),
)
async def show_tournament(request: Call, tournament: str) -> Response[bytes]:
    """Show a tournament.

    Shows its regulations, who has entered, and its rounds in short. Everybody sees the same.
    """
    request.read_query(Nothing)
    return await answer_tournament(request, await request.services.committee.now(TournamentId(tournament)))


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/standings",
    tag="Tournaments",
    answers=(Answer(200, "The standings.", TournamentStandings, headers=("ETag",)),),
    problems=(UNKNOWN_TOURNAMENT,),
)
async def show_standings(request: Call, tournament: str) -> Response[bytes]:
    """Show the standings.

    Shows the place of each player, by the points and tie-breaks of the regulations, and what puts each above the next.
    Results that do not count yet are included, and marked as provisional.
    """
    request.read_query(Nothing)
    now, lines = await request.services.committee.standings(TournamentId(tournament))
    names = await names_of(request.services, now.field.entrants)
    return answer(standings_view(now, lines, names), headers=etag(now.version))


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/crosstable",
    tag="Tournaments",
    answers=(Answer(200, "The crosstable.", CrosstableView, headers=("ETag",)),),
    problems=(UNKNOWN_TOURNAMENT,),
)
async def show_crosstable(request: Call, tournament: str) -> Response[bytes]:
    """Show the crosstable.

    Shows who met whom in each round, and what each earned, in the order of the standings.
    """
    request.read_query(Nothing)
    now = (await request.services.committee.now(TournamentId(tournament))).tournament
    lines = await asyncio.to_thread(crosstable, now.field)
    return answer(crosstable_view(now, lines), headers=etag(now.version))


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/rounds/{round:str}",
    tag="Tournaments",
    answers=(Answer(200, "The round.", RoundView, headers=("ETag",)),),
    problems=(UNKNOWN_TOURNAMENT, UNKNOWN_ROUND),
)
async def show_round(request: Call, tournament: str, round: str) -> Response[bytes]:  # noqa: A002 - as in the address
    """Show a round.

    Shows its lots, the drafts of its tables with their costs, its tables with their games, and their results.
    """
    request.read_query(Nothing)
    now = await request.services.committee.now(TournamentId(tournament))
    current = round_of(now.tournament, round)
    return answer(round_view(now, current), headers=etag(now.tournament.version))


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/events",
    tag="Tournaments",
    query=TournamentEventsPage,
    answers=(Answer(200, "The events.", TournamentEventPage, headers=("ETag",)),),
    problems=(UNKNOWN_TOURNAMENT,),
)
async def list_tournament_events(request: Call, tournament: str) -> Response[bytes]:
    """List the events of a tournament.

    A tournament has its own log, with the same rows and the same hash chain as the log of a game. In the bytes that are
    hashed, `game` is the id of the tournament.
    """
    page, committee = request.read_query(TournamentEventsPage), request.services.committee
    now = (await committee.now(TournamentId(tournament))).tournament
    records = await committee.records(now.id, page.after, page.limit)
    more = bool(records) and records[-1].version < now.version
    shown_page = TournamentEventPage(tuple(map(event_view, records)), records[-1].version if more else None)
    return answer(shown_page, headers=etag(now.version))
