"""The endpoints that give a tournament to other programs: an export to verify, CSV tables, and a calendar."""

import asyncio
from collections.abc import Mapping

from litestar.response import Response, Stream

from domain.kernel.ids import TournamentId
from domain.tournament import proof
from domain.tournament.crosstable import crosstable
from service.api.bodies import Nothing
from service.api.downloads import DOWNLOAD_HEADERS, STILL_THE_SAME, cacheable, download, downloaded, saved_as
from service.api.endpoint import Answer, endpoint
from service.api.log.routes import NDJSON
from service.api.problems.request import RANGE_NOT_SATISFIABLE
from service.api.problems.tournaments import UNKNOWN_TOURNAMENT
from service.api.request import Call
from service.api.tournaments.acting import names_of
from service.tournaments.calendar import CALENDAR, calendar_of
from service.tournaments.spreadsheets import CSV, crosstable_csv, standings_csv


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/export",
    tag="Tournaments",
    account="optional",
    headers=DOWNLOAD_HEADERS,
    answers=downloaded("The export.", NDJSON),
    problems=(UNKNOWN_TOURNAMENT, RANGE_NOT_SATISFIABLE),
)
async def export_tournament(request: Call, tournament: str) -> Response[bytes] | Stream:
    """Export a tournament.

    Returns its whole log as JSON Lines. `tabularium verify` proves it: the lots follow from secrets that were committed
    to, every draft is lawful and costs what it says, and the final order follows from the results. With the exports of
    its games beside it, it also proves the results. You can download it compressed or in parts, like the export of a
    game.
    """
    request.read_query(Nothing)
    committee = request.services.committee
    now = (await committee.now(TournamentId(tournament))).tournament
    records = (await committee.records(now.id))[: now.version]
    tag = f'"{now.version}.{now.head.hex()[:16]}"'
    headers = saved_as(request, now.id)
    return await download(request, lambda: proof.export(now, records), tag, request.media(NDJSON), headers)


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/standings.csv",
    tag="Tournaments",
    headers=("If-None-Match",),
    answers=(Answer(200, "The standings.", str, CSV, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_TOURNAMENT,),
)
async def export_standings(request: Call, tournament: str) -> Response[bytes]:
    """Export the standings for a spreadsheet.

    Returns CSV (RFC 4180) with a row of headings. Numbers have a decimal point and are rounded to six places; in JSON
    they are exact. A name that a spreadsheet would take for a formula has an apostrophe before it.
    """
    request.read_query(Nothing)
    now, lines = await request.services.committee.standings(TournamentId(tournament))
    names = await names_of(request.services, now.field.entrants)
    content = standings_csv(now, lines, names)
    return cacheable(request, content, request.media(CSV), _saved(f"{now.id}-standings.csv"))


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/crosstable.csv",
    tag="Tournaments",
    headers=("If-None-Match",),
    answers=(Answer(200, "The crosstable.", str, CSV, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_TOURNAMENT,),
)
async def export_crosstable(request: Call, tournament: str) -> Response[bytes]:
    """Export the crosstable for a spreadsheet.

    Returns CSV in the same form as for the standings: for each round the table, the place and the points of each
    player.
    """
    request.read_query(Nothing)
    now = (await request.services.committee.now(TournamentId(tournament))).tournament
    lines = await asyncio.to_thread(crosstable, now.field)
    names = await names_of(request.services, now.field.entrants)
    content = crosstable_csv(now, lines, names)
    return cacheable(request, content, request.media(CSV), _saved(f"{now.id}-crosstable.csv"))


@endpoint(
    "GET",
    "/v1/tournaments/{tournament:str}/calendar.ics",
    tag="Tournaments",
    headers=("If-None-Match",),
    answers=(Answer(200, "The calendar.", str, CALENDAR, headers=("ETag",)), STILL_THE_SAME),
    problems=(UNKNOWN_TOURNAMENT,),
)
async def show_calendar(request: Call, tournament: str) -> Response[bytes]:
    """Show the calendar.

    You can subscribe to it in a calendar program (RFC 5545). It says when the games of each round begin, when results
    count without a director, and from when on unfinished games can be adjudicated. Everybody gets the same.
    """
    request.read_query(Nothing)
    now = await request.services.committee.now(TournamentId(tournament))
    base = request.services.settings.public_url.rstrip("/")
    page = f"{base}/tournaments/{tournament}" if base else ""
    content = await asyncio.to_thread(calendar_of, now.tournament, now.row.title, page)
    return cacheable(request, content, request.media(CALENDAR), _saved(f"{tournament}.ics"))


def _saved(name: str) -> Mapping[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
