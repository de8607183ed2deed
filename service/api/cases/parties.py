"""The endpoints for parties of a case: opening it, arguing, agreeing, appealing, withdrawing."""

from functools import partial
from typing import Final

import msgspec
from litestar.response import Response
from msgspec import UNSET

from domain.judging.case import Case, Filed
from domain.judging.facts import Facts
from domain.kernel.ids import GameId, RuleId
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from service.api.bodies import Nothing
from service.api.cases.acting import ACTS, DONE, acted, explained
from service.api.cases.bodies import CaseDetail, NewCase, NewStatement
from service.api.cases.views import detail
from service.api.endpoint import Answer, endpoint
from service.api.problems.games import UNKNOWN_GAME
from service.api.problems.play import NOT_NOW, NOT_SEATED, REFUSED
from service.api.problems.request import KEY_REUSED
from service.api.request import Call
from service.api.response import answer, etag
from service.games.acts import NotSeated

_new_case: Final = msgspec.json.Decoder(NewCase)
_new_statement: Final = msgspec.json.Decoder(NewStatement)

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
    50 (TAB-LIM-02). Each party can dispute an event once, even if somebody else has disputed it. To dispute a refusal,
    send the refused command along; everybody can see it then, unless it is a secret of your seat. A repeated request
    with the same `Idempotency-Key` gets the same response and opens no second case.
    """
    request.read_query(Nothing)
    wish, services, player = await request.read_body(_new_case), request.services, request.signed_in.player
    current = await services.games.game(GameId(game))
    if player in current.players.values():
        request.require("play")
    elif current.around.is_official(player):
        request.require("judge")
    else:
        raise NotSeated(f"You hold no seat in game {current.id!r} and are no official of it.")
    rules = tuple(map(RuleId, wish.rules))
    command = None if wish.command is UNSET else bytes(wish.command)
    async with explained(request, current.id):
        if await services.store.withheld((current.id,)):
            wrong = f"You asked for a case about {current.id}, which is withheld."
            raise Refusal("TAB-FORK-02", wrong, "Open it when the fork is no longer withheld.", untimely=True)
        docket = await services.desk.open(
            current.id, player, wish.kind, wish.version, rules, wish.statement, command, key=request.key
        )
    headers = {"Location": f"/v1/cases/{docket.case.id}", **etag(docket.case.version)}
    return answer(await detail(request, docket), 201, headers)


@_of_a_party("/v1/cases/{case:str}/statements", body=NewStatement)
async def make_statement(request: Call, case: str) -> Response[bytes]:
    """Make a statement.

    Every seat of the game can do this while the case waits for a ruling. A seat writes at most 20 texts in a case
    (TAB-LIM-01). The log has only a commitment, so the text can be erased. A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    wish = await _written(request)
    return await acted(request, case, "statement", Case.state, wish.statement)


@_of_a_party("/v1/cases/{case:str}/answer", body=NewStatement)
async def answer_case(request: Call, case: str) -> Response[bytes]:
    """Answer a complaint.

    Each seat but the one that opened the case answers once. A repeated request with the same `Idempotency-Key` gets the
    same response and changes nothing.
    """
    wish = await _written(request)
    return await acted(request, case, "answer", Case.answer, wish.statement)


@_of_a_party("/v1/cases/{case:str}/appeal", body=NewStatement)
async def appeal_case(request: Call, case: str) -> Response[bytes]:
    """Appeal against a ruling.

    A seat of the game can do this, and a case can be appealed once. Another official then rules, and that is final;
    until then the first ruling stands. A repeated request with the same `Idempotency-Key` gets the same response and
    changes nothing.
    """
    wish = await _written(request)
    return await acted(request, case, "appeal", Case.appeal, wish.statement)


@_of_a_party("/v1/cases/{case:str}/consent")
async def consent_to_case(request: Call, case: str) -> Response[bytes]:
    """Give your consent.

    Agrees with the complaint or, after a ruling, with the ruling. When all who have a say have agreed, the case is
    settled and closed. That alone changes nothing in the game: to take moves back without an official, ask the other
    seats for it. The request has no body. A repeated request with the same `Idempotency-Key` gets the same response and
    changes nothing.
    """
    request.read_query(Nothing)

    def decide(case: Case, statement: str, facts: Facts, cause: Cause, at: str) -> Filed:
        return case.consent(facts, cause, at)

    return await acted(request, case, "consent", decide)


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

    The party who opened it may do this, before a ruling. The request has no body. A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)

    def decide(case: Case, statement: str, facts: Facts, cause: Cause, at: str) -> Filed:
        return case.withdraw(cause, at)

    return await acted(request, case, "withdrawal", decide)


async def _written(request: Call) -> NewStatement:
    request.read_query(Nothing)
    return await request.read_body(_new_statement)
