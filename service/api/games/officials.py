"""The officials of a game: its organizer names and releases them."""

from typing import Final

from litestar.response import Response

from domain.kernel.ids import PlayerId
from service.api import problems
from service.api.bodies import Nothing
from service.api.endpoint import endpoint
from service.api.games.routes import ACCEPTED, ACTS, acted
from service.api.request import Call
from service.games import acts
from service.games.requests import UnknownPlayer

_PROBLEMS: Final = (*ACTS, problems.NOT_ORGANIZER)


@endpoint(
    "PUT",
    "/v1/games/{game:str}/officials/{player:str}",
    tag="Games",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=(*_PROBLEMS, problems.UNKNOWN_PLAYER),
)
async def name_official(request: Call, game: str, player: str) -> Response[bytes]:
    """Name an official.

    Only the organizer may do this, until the game has ended. An official sees everything in the game, and may rule in
    it with the scope `judge`. Nobody who holds, held or is to take a seat of the game can be its official, and nobody
    who ever was its official takes a seat (TAB-RUL-01). The log tells who was named. With an `Idempotency-Key`, a
    repeated request gets the first answer again.
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
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(ACCEPTED,),
    problems=_PROBLEMS,
)
async def release_official(request: Call, game: str, player: str) -> Response[bytes]:
    """Release an official.

    Only the organizer may do this, until the game has ended. The account then sees what spectators see, and cannot
    take a seat of this game all the same. Its rulings stand. With an `Idempotency-Key`, a repeated request gets the
    first answer again.
    """
    request.read_query(Nothing)
    return await acted(request, game, acts.ReleaseOfficial(PlayerId(player)))


ROUTES = (name_official, release_official)
