"""The endpoints for officials: ruling on a case, and erasing statements."""

from typing import Final

import msgspec
from litestar.response import Response
from msgspec import UNSET

from domain.kernel.ids import CaseId, GameId, RuleId, Seat
from service.api.bodies import Nothing
from service.api.cases.acting import ACTS, DONE, explained
from service.api.cases.bodies import CaseDetail, NewRuling
from service.api.cases.views import detail
from service.api.endpoint import Answer, endpoint
from service.api.problems.cases import (
    ALREADY_RULED,
    NOT_AN_OFFICIAL,
    OWN_GAME,
    STALE_RULING,
    UNKNOWN_CASE,
    UNKNOWN_STATEMENT,
)
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.response import answer, etag
from service.judging.desk import Ruling, UnknownStatement

_new_ruling: Final = msgspec.json.Decoder(NewRuling)


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

    An official of the game can do this who never held a seat in it and did not open the case. Name the version and the
    hash of the game that you looked at: if it has moved on since, the ruling is refused. What the ruling changes in the
    game is stored together with it, or neither is. A game that is over never goes back; its result can still be ruled
    on. After an appeal, another official rules, and that is final. A repeated request with the same `Idempotency-Key`
    gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish, desk = await request.read_body(_new_ruling), request.services.desk
    order = UNSET if wish.order is UNSET else tuple(tuple(map(Seat, tied)) for tied in wish.order)
    to = GameId(wish.to) if isinstance(wish.to, str) else wish.to
    rules = tuple(map(RuleId, wish.rules))
    ruling = Ruling(wish.decision, rules, wish.reason, wish.version, wish.hash, to, order)
    player = request.signed_in.player
    async with explained(request, (await desk.row(CaseId(case))).game):
        docket = await desk.rule(CaseId(case), player, ruling, expected=request.expected, key=request.key)
    return answer(await detail(request, docket), headers=etag(docket.case.version))


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

    An official of the game may do this (scope `judge`), and an administrator (scope `admin`). Name the statement by the
    version of the case that it made. The text and its salt are deleted. The commitment stays in the log, so the hash
    chain is still valid. Repeating the request changes nothing.
    """
    request.read_query(Nothing)
    desk, caller = request.services.desk, request.signed_in
    game = await request.services.games.game((await desk.row(CaseId(case))).game)
    if "admin" not in caller.scopes and not game.around.is_official(caller.player):
        raise Problem(NOT_AN_OFFICIAL, f"You are no official of game {game.id!r}.", NOT_AN_OFFICIAL.remedy)
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise UnknownStatement(f"{number!r} is no version.")
    docket = await desk.erase(CaseId(case), int(number), caller.player)
    return answer(await detail(request, docket), headers=etag(docket.case.version))
