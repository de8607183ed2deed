"""Answers in advance: leaving, listing and revoking them."""

from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, Seat
from domain.kernel.log.answers import Answer, read_answer
from domain.kernel.log.game import Game
from service.api.bodies import Nothing
from service.api.endpoint import UNCHANGED, endpoint
from service.api.endpoint import Answer as Given
from service.api.games.routes import ACCEPTED, ACTS, acted
from service.api.play.bodies import AnswersView, LeftAnswer, NewAnswer
from service.api.problems.games import UNKNOWN_GAME
from service.api.problems.play import NOT_SEATED, UNKNOWN_ANSWER
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.response import answer, etag, unchanged
from service.games import acts
from service.games.acts import NotSeated
from service.games.views import viewer_of

_new: Final = msgspec.json.Decoder(NewAnswer)


@endpoint(
    "GET",
    "/v1/games/{game:str}/answers",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("If-None-Match",),
    answers=(Given(200, "The answers that you left.", AnswersView, headers=("ETag",)), UNCHANGED),
    problems=(UNKNOWN_GAME, NOT_SEATED),
)
async def list_answers(request: Call, game: str) -> Response[bytes]:
    """List the answers that you left in advance.

    Only you see them until the game is over. They end with the game, and when a ruling or consent takes the game back.
    """
    request.read_query(Nothing)
    games = request.services.games
    played = await games.game(GameId(game))
    viewer = viewer_of(played, request.caller)
    if viewer.seat is None:
        raise NotSeated(f"You hold no seat of game {played.id!r}; only seats leave answers.")
    if request.has(f'"{played.version}"'):
        return unchanged(played.version)
    view = answers_view(played, viewer.seat, await games.vault(played.id))
    return answer(view, headers=etag(played.version))


@endpoint(
    "POST",
    "/v1/games/{game:str}/answers",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    body=NewAnswer,
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED),
)
async def leave_answer(request: Call, game: str) -> Response[bytes]:
    """Leave an answer in advance.

    The service gives the command for you as soon as you are asked a decision of this kind, if it is lawful then. If you
    are asked already, it is given at once. The log says that you left an answer, but neither the command nor the
    decision that it answers: both are sealed for you until the game is over. A command that the service gives in this
    way is marked in the log. A repeated request with the same `Idempotency-Key` gets the same response and changes
    nothing.
    """
    request.read_query(Nothing)
    new = await request.read_body(_new)
    new_answer = Answer(new.decision, new.command, new.when, new.until)
    return await acted(request, game, acts.LeaveAnswer(new_answer))


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/answers/{left:str}",
    tag="Play",
    account="required",
    scopes=("play",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_SEATED, UNKNOWN_ANSWER),
)
async def revoke_answer(request: Call, game: str, left: str) -> Response[bytes]:
    """Revoke an answer that you left in advance.

    Name it by the version at which you left it. A repeated request with the same `Idempotency-Key` gets the same
    response and changes nothing.
    """
    request.read_query(Nothing)
    if not (left.isascii() and left.isdigit() and len(left) < 16):
        raise Problem(UNKNOWN_ANSWER, f"{left!r} is no version.", "Name the version at which you left it.")
    try:
        return await acted(request, game, acts.RevokeAnswer(int(left)))
    except Problem as problem:
        if problem.members.get("rule") == "TAB-ADV-02":
            problem.kind = UNKNOWN_ANSWER
        raise


def answers_view(game: Game, seat: Seat, vault: Vault) -> AnswersView:
    """Return the bodies of the answers that a seat has left; `vault` holds all secrets of the game."""
    own = {version: each_left for version, each_left in game.answers.items() if each_left.seat == seat}
    opened = {version: read_answer(vault.open(each_left.answer)) for version, each_left in own.items()}
    return AnswersView(
        game.id,
        game.version,
        seat,
        tuple(
            LeftAnswer(
                version=version,
                decision=each.decision,
                command=each.command,
                when=each.when,
                until=each.until,
                round=each.round,
                given=own[version].given,
                ended=each.has_ended(game.round, own[version].given),
            )
            for version, each in opened.items()
        ),
    )
