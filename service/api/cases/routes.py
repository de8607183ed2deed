"""Cases: opening, arguing and ruling on disputes about games."""

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

import msgspec
from litestar.response import Response, Stream
from msgspec import UNSET, Raw

from domain.judging import proof
from domain.judging.case import Case, Facts, Filed
from domain.judging.events import Ruled, RuledFinally
from domain.judging.fold import read_event
from domain.kernel.ids import CaseId, GameId, PlayerId, RuleId, Seat
from domain.kernel.log.game import Game
from domain.kernel.log.history import cause_of
from domain.kernel.log.record import Cause, Record
from domain.kernel.rules.message import Names, in_words
from domain.kernel.rules.refusal import Refusal
from projections import officials
from service.api.bodies import Nothing
from service.api.cases.bodies import (
    CaseDetail,
    CaseEventPage,
    CaseEventsPage,
    CaseEventView,
    CasePage,
    CaseRefusal,
    CaseRuling,
    CasesOfGamePage,
    CasesPage,
    CaseStatement,
    NewCase,
    NewRuling,
    NewStatement,
    StatementsPage,
    case_summary,
)
from service.api.downloads import DOWNLOAD_HEADERS, download, downloaded, saved_as
from service.api.endpoint import Answer, endpoint
from service.api.log.routes import NDJSON
from service.api.paging import first, read_cursor
from service.api.problems.cases import (
    ALREADY_RULED,
    CASE_CLOSED,
    NOT_AN_OFFICIAL,
    OWN_GAME,
    STALE_RULING,
    UNKNOWN_CASE,
    UNKNOWN_STATEMENT,
)
from service.api.problems.games import PRIVATE, UNKNOWN_GAME, WITHHELD
from service.api.problems.play import NOT_NOW, NOT_SEATED, REFUSED, STALE_VERSION, refused
from service.api.problems.problem import Kind, Problem
from service.api.problems.request import KEY_REUSED, RANGE_NOT_SATISFIABLE
from service.api.request import Call, require_token
from service.api.response import answer, etag
from service.api.withheld import require_shown
from service.games.acts import NotSeated
from service.games.views import viewer_of
from service.judging.desk import Docket, Ruling, UnknownStatement
from service.store.protocol import UnknownCursor

_new_case: Final = msgspec.json.Decoder(NewCase)
_new_statement: Final = msgspec.json.Decoder(NewStatement)
_new_ruling: Final = msgspec.json.Decoder(NewRuling)

KINDS: Final = {
    "TAB-CASE-11": CASE_CLOSED,
    "TAB-RUL-05": NOT_AN_OFFICIAL,
    "TAB-RUL-06": OWN_GAME,
    "TAB-RUL-07": STALE_RULING,
    "TAB-RUL-10": ALREADY_RULED,
}
"""What is a problem of its own among what the rules of the service refuse."""

ACTS: Final = (UNKNOWN_CASE, REFUSED, NOT_NOW, STALE_VERSION, KEY_REUSED, CASE_CLOSED)
"""What can be wrong with everything that changes a case."""

DONE: Final = Answer(
    200, "Done now, or done before: then this is the first answer again.", CaseDetail, headers=("ETag",)
)


# --- looking ---


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

    Disputes about any game, the newest first. Filter them by the game, by how far they are, or by a rule: then you see
    how officials have ruled on it before, in all games. With `for=me` they are the cases of your games: those in which
    you hold a seat, and those whose official you are. `for=me&status=open` says what waits. Without either, cases of
    games that are not listed are left out, so a page may have fewer cases than `limit` and still have a `next`.
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
    played = await request.services.games.game(GameId(game))
    return answer(await _listed(request, page, played.id))


async def _listed(
    request: Call,
    page: CasesPage | CasesOfGamePage,
    game: GameId | None,
    rule: str | None = None,
    party: PlayerId | None = None,
) -> CasePage:
    store, after = request.services.store, read_cursor(page.cursor, str)
    if after is not None and await store.case(CaseId(after)) is None:
        raise UnknownCursor(after)
    last = CaseId(after) if after is not None else None
    judged = await officials.games_of(request.services.rows, party) if party is not None else ()
    found = await store.cases(
        game=game, status=page.status, rule=rule, party=party, judged=judged, after=last, limit=page.limit + 1
    )
    rows, more = first(found, page.limit, lambda row: row.case)
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

    What was disputed, said and ruled, with a page of the statements. Seats and officials of the game may read what the
    parties wrote, and everybody when the game is over. The command of a case about a refusal is decided again, at the
    version that the case is about, so that you see the refusal with its rule.
    """
    page = request.read_query(StatementsPage)
    docket = await request.services.desk.docket(CaseId(case), after=page.after, limit=page.limit)
    shown = await _detail(request, docket)
    last = shown.statements[-1].version if shown.statements else 0
    more = len(shown.statements) == page.limit and last < max(docket.case.commitments)
    return answer(msgspec.structs.replace(shown, next=last if more else None), headers=etag(docket.case.version))


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

    A case has a log of its own, with the same rows and the same hash chain as that of a game; `game` in the bytes that
    are hashed is the id of the case. What parties wrote is not in it, but commitments to it.
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

    Its whole log as JSON Lines, with the statements that you may read. `tabularium verify` proves it, with the export
    of its game beside it also who held the seats, who was an official, and what the rulings changed. You can keep it,
    and take it packed or in parts, as the export of a game.
    """
    request.read_query(Nothing)
    docket = await request.services.desk.docket(CaseId(case), limit=None)
    statements = list(docket.statements()) if await _may_read(request, docket) else []
    content = b"".join(proof.export(docket.case, docket.records, statements))
    # Not the version alone: texts are shown to some, and may be erased.
    tag = f'"{docket.case.version}.{hashlib.sha256(content).hexdigest()[:16]}"'
    return await download(request, lambda: (content,), tag, request.media(NDJSON), saved_as(request, docket.case.id))


# --- what parties do ---

_of_a_party = partial(
    endpoint,
    "POST",
    tag="Cases",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(DONE,),
    problems=ACTS,
)
"""An endpoint by which a seat of the game acts on a case."""


@endpoint(
    "POST",
    "/v1/games/{game:str}/cases",
    tag="Cases",
    account="required",
    scopes=("play", "judge"),
    headers=("Idempotency-Key",),
    body=NewCase,
    answers=(Answer(201, "The case, which waits for a ruling.", CaseDetail, headers=("Location", "ETag")),),
    problems=(UNKNOWN_GAME, REFUSED, NOT_NOW, KEY_REUSED, NOT_SEATED),
)
async def open_case(request: Call, game: str) -> Response[bytes]:
    """Open a case.

    Disputes an event of a game, or a refusal, as a seat (scope `play`) or an official (scope `judge`) of it. It does
    not stop the game: only a ruling does. A seat may have three cases waiting in a game, and an account opens at most
    50 (TAB-LIM-02). Each party disputes an event once; a case of somebody else about it is no hindrance. To dispute a
    refusal, send the refused command along; everybody can see it then, unless it is a secret of your seat. With an
    `Idempotency-Key`, a repeated request opens no second case.
    """
    request.read_query(Nothing)
    wish, services, player = await request.read_body(_new_case), request.services, request.signed_in.player
    played = await services.games.game(GameId(game))
    if player in played.players.values():
        request.require("play")
    elif played.around.is_official(player):
        request.require("judge")
    else:
        raise NotSeated(f"You hold no seat in game {played.id!r} and are no official of it.")
    rules = tuple(map(RuleId, wish.rules))
    command = None if wish.command is UNSET else bytes(wish.command)
    async with _explained(request, played.id):
        if await services.store.withheld((played.id,)):
            asked = f"You asked for a case about {played.id}."
            raise Refusal("TAB-FORK-02", asked, "Open it when the fork is withheld no longer.", untimely=True)
        docket = await services.desk.open(
            played.id, player, wish.kind, wish.version, rules, wish.statement, command, key=request.key
        )
    headers = {"Location": f"/v1/cases/{docket.case.id}", **etag(docket.case.version)}
    return answer(await _detail(request, docket), 201, headers)


@_of_a_party("/v1/cases/{case:str}/statements", body=NewStatement)
async def make_statement(request: Call, case: str) -> Response[bytes]:
    """Make a statement.

    As a seat of the game, while the case waits for a ruling. A seat writes at most 20 texts in a case (TAB-LIM-01). The
    log has only a commitment, so the text can be erased. With an `Idempotency-Key`, a repeated request gets the first
    answer again.
    """
    wish = await _written(request)
    return await _acted(request, case, "statement", Case.state, wish.statement)


@_of_a_party("/v1/cases/{case:str}/answer", body=NewStatement)
async def answer_case(request: Call, case: str) -> Response[bytes]:
    """Answer a complaint.

    Each seat but the one that opened the case answers once. With an `Idempotency-Key`, a repeated request gets the
    first answer again.
    """
    wish = await _written(request)
    return await _acted(request, case, "answer", Case.answer, wish.statement)


@_of_a_party("/v1/cases/{case:str}/appeal", body=NewStatement)
async def appeal_case(request: Call, case: str) -> Response[bytes]:
    """Appeal against a ruling.

    As a seat of the game, once in a case. Another official then rules finally; until then the ruling stands. With an
    `Idempotency-Key`, a repeated request gets the first answer again.
    """
    wish = await _written(request)
    return await _acted(request, case, "appeal", Case.appeal, wish.statement)


@_of_a_party("/v1/cases/{case:str}/consent")
async def consent_to_case(request: Call, case: str) -> Response[bytes]:
    """Give your consent.

    Agrees with the complaint or, after a ruling, with that. When all who have a say have agreed, the case is settled
    and closed. That alone changes nothing in the game: to take moves back without a judge, ask for it there. The
    request has no body. With an `Idempotency-Key`, a repeated request gets the first answer again.
    """
    request.read_query(Nothing)

    def decide(case: Case, statement: str, facts: Facts, cause: Cause, at: str) -> Filed:
        return case.consent(facts, cause, at)

    return await _acted(request, case, "consent", decide)


@endpoint(
    "POST",
    "/v1/cases/{case:str}/withdrawal",
    tag="Cases",
    account="required",
    scopes=("play", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(DONE,),
    problems=ACTS,
)
async def withdraw_case(request: Call, case: str) -> Response[bytes]:
    """Withdraw a case.

    The party who opened it may, before a ruling. The request has no body. With an `Idempotency-Key`, a repeated request
    gets the first answer again.
    """
    request.read_query(Nothing)

    def decide(case: Case, statement: str, facts: Facts, cause: Cause, at: str) -> Filed:
        return case.withdraw(cause, at)

    return await _acted(request, case, "withdrawal", decide)


# --- what officials do ---


@endpoint(
    "POST",
    "/v1/cases/{case:str}/rulings",
    tag="Cases",
    account="required",
    scopes=("judge",),
    headers=("Idempotency-Key", "If-Match"),
    body=NewRuling,
    answers=(DONE,),
    problems=(*ACTS, NOT_AN_OFFICIAL, OWN_GAME, ALREADY_RULED, STALE_RULING),
)
async def rule_on_case(request: Call, case: str) -> Response[bytes]:
    """Rule on a case.

    As an official of the game who never held a seat in it, and not on a case of your own. Name the version and the hash
    of the game that you looked at: when it has gone on since, nothing happens. What the ruling changes in the game is
    stored together with it, or neither is. A game that is over never goes back; its result can still be ruled on. After
    an appeal another official rules, finally. With an `Idempotency-Key`, a repeated request gets the first answer
    again.
    """
    request.read_query(Nothing)
    wish, desk = await request.read_body(_new_ruling), request.services.desk
    order = UNSET if wish.order is UNSET else tuple(tuple(map(Seat, tied)) for tied in wish.order)
    to = GameId(wish.to) if isinstance(wish.to, str) else wish.to
    rules = tuple(map(RuleId, wish.rules))
    ruling = Ruling(wish.decision, rules, wish.reason, wish.version, wish.hash, to, order)
    player = request.signed_in.player
    async with _explained(request, (await desk.row(CaseId(case))).game):
        docket = await desk.rule(CaseId(case), player, ruling, expected=request.expected, key=request.key)
    return answer(await _detail(request, docket), headers=etag(docket.case.version))


@endpoint(
    "DELETE",
    "/v1/cases/{case:str}/statements/{number:str}",
    tag="Cases",
    account="required",
    scopes=("judge", "admin"),
    answers=(Answer(200, "The case, without the text.", CaseDetail, headers=("ETag",)),),
    problems=(UNKNOWN_CASE, UNKNOWN_STATEMENT, NOT_AN_OFFICIAL),
)
async def erase_statement(request: Call, case: str, number: str) -> Response[bytes]:
    """Erase a statement.

    As an official of the game (scope `judge`) or an administrator (scope `admin`). Name it by the version of the case
    that it made. The text goes, and the salt with it; the commitment stays in the log, so the chain is still sound.
    Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    desk, caller = request.services.desk, request.signed_in
    game = await request.services.games.game((await desk.row(CaseId(case))).game)
    if "admin" not in caller.scopes and not game.around.is_official(caller.player):
        detail = f"You are no official of game {game.id!r}."
        raise Problem(NOT_AN_OFFICIAL, detail, NOT_AN_OFFICIAL.remedy)
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise UnknownStatement(f"{number!r} is no version.")
    docket = await desk.erase(CaseId(case), int(number), caller.player)
    return answer(await _detail(request, docket), headers=etag(docket.case.version))


ROUTES = (
    list_cases,
    list_cases_of_game,
    show_case,
    list_case_events,
    export_case,
    open_case,
    make_statement,
    answer_case,
    appeal_case,
    consent_to_case,
    withdraw_case,
    rule_on_case,
    erase_statement,
)


# --- how ---


async def _written(request: Call) -> NewStatement:
    request.read_query(Nothing)
    return await request.read_body(_new_statement)


async def _acted(
    request: Call,
    case: str,
    kind: str,
    decide: Callable[[Case, str, Facts, Cause, str], Filed],
    text: str | None = None,
) -> Response[bytes]:
    """Let the caller do something in a case, and answer the case after it. Raises `Problem` when it is refused."""
    desk, player, key, expected = request.services.desk, request.signed_in.player, request.key, request.expected
    async with _explained(request, (await desk.row(CaseId(case))).game):
        docket = await desk.act(CaseId(case), player, kind, decide, text, expected=expected, key=key)
    return answer(await _detail(request, docket), headers=etag(docket.case.version))


@asynccontextmanager
async def _explained(request: Call, game: GameId) -> AsyncIterator[None]:
    """Turn a refusal into a problem that shows the rule."""
    try:
        yield
    except Refusal as refusal:
        played = await request.services.games.game(game, 0)
        problem = refused(refusal, request.services.catalogues(played.ruleset))
        kind: Kind | None = KINDS.get(refusal.rule)
        if kind is not None:
            problem.kind = kind
        raise problem from None


async def _may_read(request: Call, docket: Docket, game: Game | None = None) -> bool:
    """Tell whether the caller may read what parties wrote: a seat or an official, and everybody after the game."""
    game = game or await request.services.games.game(docket.case.game)
    viewer = viewer_of(game, request.caller)
    return viewer.everything or viewer.seat is not None


def event_view(record: Record, names: Names) -> CaseEventView:
    """Return a record of a case as it is sent."""
    event: Any = read_event(record)
    return CaseEventView(
        version=record.version,
        type=record.type,
        text=in_words(event, names),
        at=record.at,
        schema=record.schema,
        draws=record.draws,
        event=event,
        hash=record.hash.hex(),
        cause=Raw(record.cause) if record.cause is not None else None,
    )


async def _detail(request: Call, docket: Docket) -> CaseDetail:
    services, opened = request.services, docket.case.opened
    game = await services.games.game(opened.game)
    viewer = viewer_of(game, request.caller)
    reads = await _may_read(request, docket, game)
    refusal = None
    if viewer.everything or viewer.seat == docket.case.seat:
        found = await services.desk.refusal(docket)
        shown = refused(found, services.catalogues(game.ruleset)) if found is not None else None
        if found is not None and shown is not None:
            told = shown.members
            refusal = CaseRefusal(found.rule, told["rule_title"], told["source"], shown.detail, shown.allowed)
    return case_detail(docket, refusal, reads=reads)


def case_detail(docket: Docket, refusal: CaseRefusal | None, *, reads: bool) -> CaseDetail:
    """Return a case as somebody may see it; `reads` says whether they may read what parties wrote."""
    case, opened = docket.case, docket.case.opened
    statements = list[CaseStatement]()
    for version, kept in docket.kept.items():
        record, written = docket.records[version - 1], docket.written(version) if reads else None
        statements.append(
            CaseStatement(
                version,
                record.type,  # pyright: ignore[reportArgumentType]
                case.writers[version],
                record.at,
                case.commitments[version],
                written.text if written is not None else None,
                kept.salt if written is not None else None,
                kept.erased,
            )
        )
    return CaseDetail(
        case_summary(case.row),
        opened.version,
        opened.hash,
        None if opened.command is UNSET else opened.command,
        refusal,
        tuple(statements),
        tuple(sorted(case.consents)),
        rulings_in(docket.records),
        docket.repeated,
    )


def rulings_in(records: Iterable[Record]) -> tuple[CaseRuling, ...]:
    """Return the rulings among records of a case."""
    return tuple(
        CaseRuling(record.version, cause_of(record).account, record.at, isinstance(event, RuledFinally), event)
        for record in records
        if isinstance(event := read_event(record), Ruled)
    )
