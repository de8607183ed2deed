"""What all endpoints that change a case share: deciding, the answer, and refusals."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from litestar.response import Response

from domain.judging.case import Case, Filed
from domain.judging.facts import Facts
from domain.kernel.ids import CaseId, GameId
from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from service.api.cases.bodies import CaseDetail
from service.api.cases.views import detail
from service.api.endpoint import Answer
from service.api.problems.cases import ALREADY_RULED, CASE_CLOSED, NOT_AN_OFFICIAL, OWN_GAME, STALE_RULING, UNKNOWN_CASE
from service.api.problems.play import NOT_NOW, REFUSED, STALE_VERSION, refused
from service.api.problems.problem import Kind
from service.api.problems.request import KEY_REUSED
from service.api.request import Call
from service.api.response import answer, etag

KINDS: Final = {
    "TAB-CASE-11": CASE_CLOSED,
    "TAB-RUL-05": NOT_AN_OFFICIAL,
    "TAB-RUL-06": OWN_GAME,
    "TAB-RUL-07": STALE_RULING,
    "TAB-RUL-10": ALREADY_RULED,
}
"""The rules of the service whose refusals have a problem of their own."""

ACTS: Final = (UNKNOWN_CASE, REFUSED, NOT_NOW, STALE_VERSION, KEY_REUSED, CASE_CLOSED)
"""The problems of every endpoint that changes a case."""

DONE: Final = Answer(200, "Done by this request, or by the one that it repeats.", CaseDetail, headers=("ETag",))


async def acted(
    request: Call,
    case: str,
    kind: str,
    decide: Callable[[Case, str, Facts, Cause, str], Filed],
    text: str | None = None,
) -> Response[bytes]:
    """Let the caller do something in a case, and answer with the case. Raises `Problem` for a refusal."""
    desk, player, key, expected = request.services.desk, request.signed_in.player, request.key, request.expected
    async with explained(request, (await desk.row(CaseId(case))).game):
        docket = await desk.act(CaseId(case), player, kind, decide, text, expected=expected, key=key)
    return answer(await detail(request, docket), headers=etag(docket.case.version))


@asynccontextmanager
async def explained(request: Call, game: GameId) -> AsyncIterator[None]:
    """Turn a refusal into a problem that shows the rule."""
    try:
        yield
    except Refusal as refusal:
        current = await request.services.games.game(game, 0)
        problem = refused(refusal, request.services.catalogues(current.ruleset))
        kind: Kind | None = KINDS.get(refusal.rule)
        if kind is not None:
            problem.kind = kind
        raise problem from None
