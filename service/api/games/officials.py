"""The officials of a game: its organizer names and releases them, and they end its pauses."""

from typing import Final

from litestar.response import Response

from domain.kernel.ids import GameId, PlayerId
from domain.kernel.log import officials
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.games.routes import ACCEPTED, ACTS, acted
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.cases import NOT_AN_OFFICIAL
from service.api.problems.games import NOT_ORGANIZER
from service.api.problems.problem import Problem
from service.api.request import Call
from service.games import acts
from service.games.requests import UnknownPlayer

_PROBLEMS: Final = (*ACTS, NOT_ORGANIZER)


@endpoint(
    "PUT",
    "/v1/games/{game:str}/officials/{player:str}",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*_PROBLEMS, UNKNOWN_PLAYER),
)
async def name_official(request: Call, game: str, player: str) -> Response[bytes]:
    """Name an official.

    Only the organizer may do this, until the game has ended. An official sees everything in the game, and may rule in
    it with the scope `judge`. Nobody who holds, held or is to take a seat of the game can be its official, and nobody
    who ever was its official can take a seat (TAB-RUL-01). The log says who was named. A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    if await request.services.accounts.player(PlayerId(player)) is None:
        raise UnknownPlayer(f"There is no player {player!r}.")
    return await acted(request, game, acts.NameOfficial(PlayerId(player)))


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/officials/{player:str}",
    tag="Games",
    account="required",
    scopes=("organize", "judge"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=_PROBLEMS,
)
async def release_official(request: Call, game: str, player: str) -> Response[bytes]:
    """Release an official.

    The organizer may do this until the game has ended (scope `organize`), and so may the official (scope `judge`). The
    account then sees what spectators see, and still cannot take a seat of this game. Its rulings stand. A repeated
    request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    request.require("judge" if request.signed_in.player == player else "organize")
    return await acted(request, game, acts.ReleaseOfficial(PlayerId(player)))


@endpoint(
    "DELETE",
    "/v1/games/{game:str}/pause",
    tag="Games",
    account="required",
    scopes=("judge", "organize"),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*ACTS, NOT_AN_OFFICIAL),
)
async def resume_game(request: Call, game: str) -> Response[bytes]:
    """Resume a paused game.

    Every official of the game may do this (scope `judge`) without a case, also when another paused it. While the game
    has no official, its organizer may (scope `organize`). A ruling on a case can resume it, too (TAB-RUL-03). A
    repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    current = await request.services.games.game(GameId(game))
    player = request.signed_in.player
    if not officials.may_resume(current, player):
        in_office = ", ".join(each for each, holds in current.around.officials.items() if holds)
        allowed = (
            f"Its officials are {in_office}."
            if in_office
            else f"Only its organizer, {current.organizer}, can resume it."
        )
        raise Problem(NOT_AN_OFFICIAL, f"You are no official of game {game!r}.", allowed)
    request.require("judge" if current.around.is_official(player) else "organize")
    return await acted(request, game, acts.Resume())
