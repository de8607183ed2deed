"""Cases: disputes about games, listed, shown and exported."""

import hashlib

import msgspec
from litestar.response import Response, Stream

from domain.judging import proof
from domain.kernel.ids import CaseId, GameId, PlayerId
from projections import officials
from projections.cursor import UnknownCursor
from service.api.bodies import Nothing
from service.api.cases.bodies import (
    CaseDetail,
    CaseEventPage,
    CaseEventsPage,
    CasePage,
    CasesOfGamePage,
    CasesPage,
    StatementsPage,
    case_summary,
)
from service.api.cases.views import detail, event_view, may_read
from service.api.downloads import DOWNLOAD_HEADERS, download, downloaded, saved_as
from service.api.endpoint import Answer, endpoint
from service.api.log.routes import NDJSON
from service.api.paging import first, read_cursor
from service.api.problems.cases import UNKNOWN_CASE
from service.api.problems.games import PRIVATE, UNKNOWN_GAME, WITHHELD
from service.api.problems.request import RANGE_NOT_SATISFIABLE
from service.api.request import Call, require_token
from service.api.response import answer, etag
from service.api.withheld import require_shown


@endpoint(
    "GET",
    "/v1/cases",
    tag="Cases",
    account="optional",
    query=CasesPage,
    answers=(Answer(200, "The cases.", CasePage),),
    problems=(PRIVATE, WITHHELD),
)
async def list_cases(request: Call) -> Response[bytes]:
    """List cases.

    Disputes about any game, the newest first. Filter them by game, by status, or by a rule: then you see how officials
    have ruled on it before, in all games. With `for=me` they are the cases of your games: those in which you hold a
    seat, and those whose official you are. `for=me&status=open` lists those that wait for a ruling. Without `game` and
    without `for=me`, the list leaves out cases of unlisted and private games, so a page may have fewer cases than
    `limit` and still have a `next`.
    """
    page = request.read_query(CasesPage)
    game = GameId(page.game) if page.game is not None else None
    if game is not None:
        await require_shown(request.services, game, request.caller)
    if page.for_ == "me":
        require_token(request.caller, ())
    party = request.caller.player if request.caller is not None and page.for_ == "me" else None
    return answer(await _listed(request, page, game, page.rule, party))


@endpoint(
    "GET",
    "/v1/games/{game:str}/cases",
    tag="Cases",
    query=CasesOfGamePage,
    answers=(Answer(200, "The cases.", CasePage),),
    problems=(UNKNOWN_GAME,),
)
async def list_cases_of_game(request: Call, game: str) -> Response[bytes]:
    """List the cases of a game.

    Disputes about this game, the newest first. Their numbers have no gap.
    """
    page = request.read_query(CasesOfGamePage)
    current = await request.services.games.game(GameId(game))
    return answer(await _listed(request, page, current.id))


async def _listed(
    request: Call,
    page: CasesPage | CasesOfGamePage,
    game: GameId | None,
    rule: str | None = None,
    party: PlayerId | None = None,
) -> CasePage:
    """Return a page of cases. Without `game` and `party`, it leaves out those of unlisted and private games."""
    store, after = request.services.store, read_cursor(page.cursor, str)
    if after is not None and await store.case(CaseId(after)) is None:
        raise UnknownCursor(after)
    last = CaseId(after) if after is not None else None
    judged = await officials.games_of(request.services.rows, party) if party is not None else ()
    entries = await store.cases(
        game=game, status=page.status, rule=rule, party=party, judged=judged, after=last, limit=page.limit + 1
    )
    rows, more = first(entries, page.limit, lambda row: row.case)
    hidden = await store.unlisted({row.game for row in rows}) if game is None and party is None else ()
    return CasePage(tuple(case_summary(row) for row in rows if row.game not in hidden), more)


@endpoint(
    "GET",
    "/v1/cases/{case:str}",
    tag="Cases",
    account="optional",
    query=StatementsPage,
    answers=(Answer(200, "The case.", CaseDetail, headers=("ETag",)),),
    problems=(UNKNOWN_CASE,),
)
async def show_case(request: Call, case: str) -> Response[bytes]:
    """Show a case.

    The complaint, the answers and the rulings, with a page of the statements. Seats and officials of the game may read
    what the parties wrote; when the game is over, everybody may. For a case about a refused command, the service
    decides the command again, at the version that the case is about, so that you see the refusal with its rule.
    """
    page = request.read_query(StatementsPage)
    docket = await request.services.desk.docket(CaseId(case), after=page.after, limit=page.limit)
    view = await detail(request, docket)
    last = view.statements[-1].version if view.statements else 0
    more = len(view.statements) == page.limit and last < max(docket.case.commitments)
    return answer(msgspec.structs.replace(view, next=last if more else None), headers=etag(docket.case.version))


@endpoint(
    "GET",
    "/v1/cases/{case:str}/events",
    tag="Cases",
    query=CaseEventsPage,
    answers=(Answer(200, "The events.", CaseEventPage, headers=("ETag",)),),
    problems=(UNKNOWN_CASE,),
)
async def list_case_events(request: Call, case: str) -> Response[bytes]:
    """List the events of a case.

    A case has a log of its own, with the same rows and the same hash chain as the log of a game; in the bytes that are
    hashed, `game` is the id of the case. The log has commitments to what the parties wrote, and not the texts.
    """
    page = request.read_query(CaseEventsPage)
    docket = await request.services.desk.docket(CaseId(case))
    game = await request.services.games.game(docket.case.game, 0)
    records = docket.records[page.after :][: page.limit]
    items = tuple(event_view(record, game.names) for record in records)
    more = bool(records) and records[-1].version < docket.case.version
    return answer(CaseEventPage(items, records[-1].version if more else None), headers=etag(docket.case.version))


@endpoint(
    "GET",
    "/v1/cases/{case:str}/export",
    tag="Cases",
    account="optional",
    headers=DOWNLOAD_HEADERS,
    answers=downloaded("The export.", NDJSON),
    problems=(UNKNOWN_CASE, RANGE_NOT_SATISFIABLE),
)
async def export_case(request: Call, case: str) -> Response[bytes] | Stream:
    """Export a case.

    The whole log of the case as JSON Lines, with the statements that you may read. `tabularium verify` checks it. With
    the export of its game, it also checks who held the seats, who was an official, and what the rulings changed. You
    can cache the export, and download it compressed or in parts, like the export of a game.
    """
    request.read_query(Nothing)
    docket = await request.services.desk.docket(CaseId(case), limit=None)
    statements = list(docket.statements()) if await may_read(request, docket) else []
    content = b"".join(proof.export(docket.case, docket.records, statements))
    # The version alone is not enough: only some callers see the texts, and a text can be erased.
    tag = f'"{docket.case.version}.{hashlib.sha256(content).hexdigest()[:16]}"'
    return await download(request, lambda: (content,), tag, request.media(NDJSON), saved_as(request, docket.case.id))
