"""Taking moves back by consent: a seat asks, the others answer."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import GameId
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.games.routes import ACCEPTED, ACTS, acted
from service.api.play.bodies import NewTakeBack, TakeBackReply
from service.api.problems.play import NOT_SEATED, UNKNOWN_TAKE_BACK
from service.api.problems.problem import Problem
from service.api.request import Call
from service.games import acts

_new: Final = msgspec.json.Decoder(NewTakeBack)
_reply: Final = msgspec.json.Decoder(TakeBackReply)


@endpoint(
    "POST",
    "/v1/games/{game:str}/take-backs",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    body=NewTakeBack,
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED),
)
async def ask_take_back(request: Call, game: str) -> Response[bytes]:
    """Ask to take moves back.

    Asks the other seats to go back to the version before a command of yours, whatever was rolled, revealed or done by
    others since. When all of them have agreed before the game moves on, it goes back (TAB-UNDO-04). Seats that are out
    of the game, or were given up, are not asked. You may have one open request; it lapses when the game moves on
    (TAB-UNDO-05). Dice are rolled anew afterwards. The game lists open requests as `take_backs`. A repeated request
    with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new)
    return await acted(request, game, acts.AskTakeBack(wish.to))


@endpoint(
    "POST",
    "/v1/games/{game:str}/take-backs/{asked:str}/answer",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    body=TakeBackReply,
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED, UNKNOWN_TAKE_BACK),
)
async def answer_take_back(request: Call, game: str, asked: str) -> Response[bytes]:
    """Answer a request to take moves back.

    Name the request by the version at which it was made. You answer once. When you are the last to agree, the game goes
    back at once. If you refuse, the request is closed. You withdraw your own request by refusing it. A repeated request
    with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    if not (asked.isascii() and asked.isdigit() and len(asked) < 16):
        raise Problem(UNKNOWN_TAKE_BACK, f"{asked!r} is no version.", UNKNOWN_TAKE_BACK.remedy)
    reply = await request.read_body(_reply)
    try:
        return await acted(request, game, acts.AnswerTakeBack(int(asked), reply.agrees))
    except Problem as problem:
        if problem.members.get("rule") == "TAB-UNDO-05":
            take_back = (await request.services.games.game(GameId(game), 0)).around.asked.get(int(asked))
            if take_back is None or take_back.is_closed:
                problem.kind = UNKNOWN_TAKE_BACK
        raise
