"""Leagues: listed, shown and exported."""

from litestar.response import Response, Stream

from domain.kernel.ids import LeagueId, PlayerId
from domain.league import proof
from projections.cursor import UnknownCursor
from service.api.bodies import Nothing
from service.api.downloads import DOWNLOAD_HEADERS, STILL_THE_SAME, cacheable, download, downloaded, saved_as
from service.api.endpoint import Answer, endpoint
from service.api.leagues.acting import answer_league
from service.api.leagues.asked import LeagueEventsPage, LeaguesPage, OfSeason
from service.api.leagues.bodies import LeagueDetail, LeagueEventPage, LeaguePage
from service.api.leagues.views import event_view, league_summary
from service.api.log.routes import NDJSON
from service.api.paging import first, read_cursor
from service.api.problems.leagues import UNKNOWN_LEAGUE, UNKNOWN_SEASON
from service.api.problems.request import RANGE_NOT_SATISFIABLE
from service.api.request import Call
from service.api.response import answer, etag
from service.api.tournaments.acting import names_of
from service.leagues.leagues import season_of
from service.leagues.spreadsheets import table_csv
from service.tournaments.spreadsheets import CSV


@endpoint(
    "GET",
    "/v1/leagues",
    tag="Leagues",
    query=LeaguesPage,
    answers=(Answer(200, "The leagues.", LeaguePage),),
)
async def list_leagues(request: Call) -> Response[bytes]:
    """List leagues.

    The newest first; of one organizer, if you name one.
    """
    page, store = request.read_query(LeaguesPage), request.services.store
    after = read_cursor(page.cursor, str)
    if after is not None and await store.league(LeagueId(after)) is None:
        raise UnknownCursor(after)
    entries = await store.leagues(
        organizer=PlayerId(page.organizer) if page.organizer is not None else None,
        after=LeagueId(after) if after is not None else None,
        limit=page.limit + 1,
    )
    rows, more = first(entries, page.limit, lambda row: row.league)
    return answer(LeaguePage(tuple(map(league_summary, rows)), more))


@endpoint(
    "GET",
    "/v1/leagues/{league:str}",
    tag="Leagues",
    query=OfSeason,
    answers=(Answer(200, "The league.", LeagueDetail),),
    problems=(UNKNOWN_LEAGUE, UNKNOWN_SEASON),
)
async def show_league(request: Call, league: str) -> Response[bytes]:
    """Show a league.

    Its regulations, and a season: the tournaments that count, and the table of each division, which says why each
    player is above the next. While a season runs, its tables are provisional: tournaments that run are in it as they
    stand.
    """
    season = request.read_query(OfSeason).season
    return await answer_league(request, await request.services.leagues.now(LeagueId(league)), season=season)


@endpoint(
    "GET",
    "/v1/leagues/{league:str}/table.csv",
    tag="Leagues",
    query=OfSeason,
    headers=("If-None-Match",),
    answers=(Answer(200, "The tables.", str, CSV, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_LEAGUE, UNKNOWN_SEASON),
)
async def export_league_table(request: Call, league: str) -> Response[bytes]:
    """Export the tables of a season for a spreadsheet.

    As CSV, in the form of the standings of a tournament: all divisions, with the points of each tournament.
    """
    number, leagues = request.read_query(OfSeason).season, request.services.leagues
    now = (await leagues.now(LeagueId(league))).league
    season = season_of(now, number or len(now.seasons))
    tables = await leagues.tables(season)
    names = await names_of(request.services, {line.player for table in tables for line in table})
    saved = {"Content-Disposition": f'attachment; filename="{league}-table.csv"'}
    return cacheable(request, table_csv(season, tables, names), request.media(CSV), saved)


@endpoint(
    "GET",
    "/v1/leagues/{league:str}/events",
    tag="Leagues",
    query=LeagueEventsPage,
    answers=(Answer(200, "The events.", LeagueEventPage, headers=("ETag",)),),
    problems=(UNKNOWN_LEAGUE,),
)
async def list_league_events(request: Call, league: str) -> Response[bytes]:
    """List the events of a league.

    A league has a log of its own, as a tournament has.
    """
    page, leagues = request.read_query(LeagueEventsPage), request.services.leagues
    now = (await leagues.now(LeagueId(league))).league
    records = await leagues.records(now.id, page.after, page.limit)
    more = bool(records) and records[-1].version < now.version
    shown_page = LeagueEventPage(tuple(map(event_view, records)), records[-1].version if more else None)
    return answer(shown_page, headers=etag(now.version))


@endpoint(
    "GET",
    "/v1/leagues/{league:str}/export",
    tag="Leagues",
    account="optional",
    headers=DOWNLOAD_HEADERS,
    answers=downloaded("The export.", NDJSON),
    problems=(UNKNOWN_LEAGUE, RANGE_NOT_SATISFIABLE),
)
async def export_league(request: Call, league: str) -> Response[bytes] | Stream:
    """Export a league.

    Its whole log as JSON Lines. With the exports of its tournaments beside it, `tabularium verify` computes the tables
    of each season anew.
    """
    request.read_query(Nothing)
    leagues = request.services.leagues
    now = (await leagues.now(LeagueId(league))).league
    records = (await leagues.records(now.id))[: now.version]
    tag = f'"{now.version}.{now.head.hex()[:16]}"'
    headers = saved_as(request, now.id)
    return await download(request, lambda: proof.export(now, records), tag, request.media(NDJSON), headers)
