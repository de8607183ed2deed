"""Ending a game by agreement: a seat proposes an order of the seats, the others answer."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId, Seat
from domain.kernel.log.ending import open_ends
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.games.routes import ACCEPTED, ACTS, acted
from service.api.play.bodies import EndReply, NewEnd
from service.api.problems.play import NOT_SEATED, UNKNOWN_END
from service.api.problems.problem import Problem
from service.api.request import Call
from service.games.ends import AnswerEnd, ProposeEnd

_new: Final = msgspec.json.Decoder(NewEnd)
_reply: Final = msgspec.json.Decoder(EndReply)


@endpoint(
    "POST",
    "/v1/games/{game:str}/end-proposals",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    body=NewEnd,
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED),
)
async def propose_end(request: Call, game: str) -> Response[bytes]:
    """Propose to end a game.

    Proposes an order of the seats, in which seats may tie, to the other players. When all of them have agreed, the game
    ends and nobody has won: the result says that it was agreed (TAB-END-01). Players who are out of the game, or who
    have given up their seats, are not asked. The game goes on meanwhile. You may propose one end in each round, and it
    lapses when the round is over (TAB-END-02). Where the rule book lets players agree on a winner, such a proposal is
    refused by the rule that says so: send that command instead. The game lists open proposals as `end_proposals`. A
    repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new)
    order = tuple(tuple(map(Seat, group)) for group in wish.order)
    return await acted(request, game, ProposeEnd(order))


@endpoint(
    "POST",
    "/v1/games/{game:str}/end-proposals/{proposed:str}/answer",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    body=EndReply,
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED, UNKNOWN_END),
)
async def answer_end(request: Call, game: str, proposed: str) -> Response[bytes]:
    """Answer a proposal to end a game.

    Name the proposal by the version at which it was made. When you are the last to agree, the game ends at once. If you
    refuse, the proposal is closed, even if you agreed before. You withdraw your own proposal by refusing it. A repeated
    request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    if not (proposed.isascii() and proposed.isdigit() and len(proposed) < 16):
        raise Problem(UNKNOWN_END, f"{proposed!r} is no version.", UNKNOWN_END.remedy)
    reply = await request.read_body(_reply)
    try:
        return await acted(request, game, AnswerEnd(int(proposed), reply.agrees))
    except Problem as problem:
        if problem.members.get("rule") == "TAB-END-02":
            played = await request.services.games.game(GameId(game), 0)
            if int(proposed) not in open_ends(played):
                problem.kind = UNKNOWN_END
        raise
