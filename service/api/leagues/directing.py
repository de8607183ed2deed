"""The endpoints for organizers of leagues."""

from functools import partial
from typing import Final

import msgspec
from litestar.response import Response

from domain.kernel.ids import LeagueId, PlayerId, TournamentId
from domain.league import acts
from domain.league.regulations import Regulations
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.leagues.acting import ACTS, DONE, acted, answer_league, require_organizer
from service.api.leagues.asked import NewLeague, NewOfSeason, NewPlacement, PointsToTake
from service.api.leagues.bodies import LeagueDetail
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.leagues import TOO_MANY_LEAGUES, UNKNOWN_SEASON
from service.api.problems.play import REFUSED
from service.api.problems.request import KEY_REUSED
from service.api.problems.tournaments import UNKNOWN_TOURNAMENT
from service.api.request import Call
from service.api.tournaments.acting import explained
from service.games.requests import UnknownPlayer
from service.leagues.leagues import UnknownSeason

_new_league: Final = msgspec.json.Decoder(NewLeague)
_regulations: Final = msgspec.json.Decoder(Regulations)
_new_placement: Final = msgspec.json.Decoder(NewPlacement)
_new_of_season: Final = msgspec.json.Decoder(NewOfSeason)
_points_to_take: Final = msgspec.json.Decoder(PointsToTake)

_of_the_organizer = partial(
    endpoint,
    "POST",
    tag="Leagues",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    answers=(DONE,),
    problems=ACTS,
)
"""An endpoint by which the organizer changes a league."""


@endpoint(
    "POST",
    "/v1/leagues",
    tag="Leagues",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key",),
    body=NewLeague,
    answers=(Answer(201, "The league.", LeagueDetail, headers=("Location", "ETag")),),
    problems=(REFUSED, KEY_REUSED, TOO_MANY_LEAGUES),
)
async def found_league(request: Call) -> Response[bytes]:
    """Found a league.

    You organize it. Its regulations are public and part of its log. You may found 20. A repeated request with the same
    `Idempotency-Key` gets the same response and founds no second league.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_league)
    leagues, player = request.services.leagues, request.signed_in.player
    async with explained():
        entry = await leagues.found(player, wish.regulations, wish.title, key=request.key)
    return await answer_league(request, entry, 201, {"Location": f"/v1/leagues/{entry.league.id}"})


@endpoint(
    "PUT",
    "/v1/leagues/{league:str}/regulations",
    tag="Leagues",
    account="required",
    scopes=("organize",),
    headers=("Idempotency-Key", "If-Match"),
    body=Regulations,
    answers=(DONE,),
    problems=ACTS,
)
async def change_league_regulations(request: Call, league: str) -> Response[bytes]:
    """Change the regulations of a league.

    Only between seasons; the change holds for later seasons (TAB-LGE-03). A repeated request with the same
    `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_regulations)
    await require_organizer(request, league)
    return await acted(request, league, ["regulations", msgspec.to_builtins(wish)], acts.change, wish)


@_of_the_organizer("/v1/leagues/{league:str}/placements", body=NewPlacement, problems=(*ACTS, UNKNOWN_PLAYER))
async def place_player(request: Call, league: str) -> Response[bytes]:
    """Place a player in a division.

    Only between seasons, with a public reason (TAB-LGE-04). Players who were not placed, and did not move, belong to
    the lowest division. A repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_placement)
    await require_organizer(request, league)
    await _require_player(request, wish.player)
    values = PlayerId(wish.player), wish.division, wish.reason
    return await acted(request, league, ["place", *values], acts.place, *values)


@_of_the_organizer("/v1/leagues/{league:str}/seasons")
async def begin_season(request: Call, league: str) -> Response[bytes]:
    """Begin a season.

    The divisions of all players are fixed until the season is closed (TAB-LGE-05). The request has no body. A repeated
    request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    await require_organizer(request, league)
    return await acted(request, league, ["begin-season"], acts.begin_season)


@_of_the_organizer("/v1/leagues/{league:str}/tournaments", body=NewOfSeason, problems=(*ACTS, UNKNOWN_TOURNAMENT))
async def add_tournament(request: Call, league: str) -> Response[bytes]:
    """Add a tournament to the season.

    Its regulations have to name the season that runs, and its first round must not be published yet (TAB-LGE-06). A
    repeated request with the same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_new_of_season)
    await require_organizer(request, league)
    async with explained():
        entry = await request.services.leagues.add_tournament(
            LeagueId(league),
            request.signed_in.player,
            TournamentId(wish.tournament),
            expected=request.expected,
            key=request.key,
        )
    return await answer_league(request, entry)


@_of_the_organizer("/v1/leagues/{league:str}/penalties", body=PointsToTake, problems=(*ACTS, UNKNOWN_PLAYER))
async def take_points(request: Call, league: str) -> Response[bytes]:
    """Take points from a player.

    Takes them from the total of the season that runs, with a public reason (TAB-LGE-11). A repeated request with the
    same `Idempotency-Key` gets the same response and changes nothing.
    """
    request.read_query(Nothing)
    wish = await request.read_body(_points_to_take)
    await require_organizer(request, league)
    await _require_player(request, wish.player)
    values = PlayerId(wish.player), wish.points, wish.reason
    return await acted(request, league, ["penalty", *values], acts.penalize, *values)


@_of_the_organizer("/v1/leagues/{league:str}/seasons/{season:str}/closing", problems=(*ACTS, UNKNOWN_SEASON))
async def close_season(request: Call, league: str, season: str) -> Response[bytes]:
    """Close a season.

    Possible when all its tournaments are closed or cancelled. Its tables are then final, and say who goes up and who
    goes down (TAB-LGE-12, TAB-LGE-13). The request has no body. A repeated request with the same `Idempotency-Key` gets
    the same response and changes nothing.
    """
    request.read_query(Nothing)
    await require_organizer(request, league)
    if not (season.isascii() and season.isdigit() and len(season) < 6):
        raise UnknownSeason(f"There is no season {season!r}: expected a number such as 1.")
    async with explained():
        entry = await request.services.leagues.close_season(
            LeagueId(league), request.signed_in.player, int(season), expected=request.expected, key=request.key
        )
    return await answer_league(request, entry)


async def _require_player(request: Call, player: str) -> None:
    if await request.services.store.accounts.player(PlayerId(player)) is None:
        raise UnknownPlayer(f"There is no account {player!r}.")
