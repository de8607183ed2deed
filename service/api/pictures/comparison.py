"""Comparing two positions, such as a fork and its parent."""

from typing import Annotated

from litestar.response import Response
from msgspec import Meta, Struct, field

from domain.kernel.ids import LARGEST_INTEGER, GameId, Version
from domain.kernel.log.game import Game
from domain.kernel.rules.marks import Marks
from service.api.bodies import Identifier
from service.api.endpoint import Answer, endpoint
from service.api.problems.games import NOT_COMPARABLE, UNKNOWN_GAME, UNKNOWN_VERSION
from service.api.problems.problem import Problem
from service.api.request import Call
from service.api.response import answer, etag
from service.api.withheld import require_shown
from service.games.views import viewer_of
from service.pictures.comparison import Comparison, compare, opposite
from service.pictures.scenes import look_of, marks_of

Number = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]


class CompareWith(Struct, frozen=True, forbid_unknown_fields=True):
    """What to compare with, and at which versions.

    Attributes:
        with_: the other game. It may be the same, to compare two of its versions.
        version: the version of this game; absent for the newest.
        with_version: the version of the other game. If absent: between a fork and its parent, the version with as many
            events after the fork began; otherwise the version with the same number; in both cases at most the newest.
    """

    with_: Identifier = field(name="with")
    version: Number | None = None
    with_version: Number | None = None


@endpoint(
    "GET",
    "/v1/games/{game:str}/comparison",
    tag="Pictures",
    account="optional",
    query=CompareWith,
    answers=(Answer(200, "What differs.", Comparison, headers=("ETag",)),),
    problems=(UNKNOWN_GAME, UNKNOWN_VERSION, NOT_COMPARABLE),
)
async def compare_games(request: Call, game: str) -> Response[bytes]:
    """Compare two positions.

    Shows what differs between a fork and its parent, between any two games of one ruleset, or between two versions of a
    game: the figures of seats, the areas with what lies on them, roads, and what lies beside the board. What is the
    same in both is left out. The comparison uses only what you may see of each game.
    """
    query, games = request.read_query(CompareWith), request.services.games
    await require_shown(request.services, GameId(query.with_), request.caller)
    now, other = await games.game(GameId(game)), await games.game(GameId(query.with_))
    if now.ruleset.id != other.ruleset.id:
        raise Problem(
            NOT_COMPARABLE,
            f"Games {now.id!r} and {other.id!r} are played by {now.ruleset.id} and {other.ruleset.id}.",
            NOT_COMPARABLE.remedy,
        )
    version = query.version or now.version
    facing = query.with_version or min(opposite(now, other, version), other.version)
    this, here = await _position_at(request, now, version)
    that, there = await _position_at(request, other, facing)
    return answer(compare(this, that, here, there), headers=etag(now.version))


async def _position_at(request: Call, now: Game, version: Version) -> tuple[Game, Marks]:
    """Return a game at a version, and what the caller may see of it then. Raises `UnknownVersion`."""
    games = request.services.games
    then = await games.at(now.id, version)
    vault = await games.vault(now.id)
    return then, marks_of(then, viewer_of(now, request.caller), vault, look_of(then).names)
