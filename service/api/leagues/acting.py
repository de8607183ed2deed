"""What all endpoints that change a league share: deciding, the answer, and refusals."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from litestar.response import Response

from domain.kernel.ids import LeagueId
from domain.kernel.log.record import Cause
from domain.league.league import Inscribed, League
from service.api.endpoint import Answer
from service.api.leagues.bodies import LeagueDetail
from service.api.leagues.views import league_detail, season_view
from service.api.problems.leagues import NOT_LEAGUE_ORGANIZER, UNKNOWN_LEAGUE
from service.api.problems.play import NOT_NOW, REFUSED, STALE_VERSION
from service.api.problems.problem import Problem
from service.api.problems.request import KEY_REUSED
from service.api.request import Call
from service.api.response import answer, etag
from service.api.services import Services
from service.api.tournaments.acting import explained, names_of
from service.leagues.leagues import Held, season_of

ACTS: Final = (UNKNOWN_LEAGUE, REFUSED, NOT_NOW, STALE_VERSION, KEY_REUSED, NOT_LEAGUE_ORGANIZER)
"""The problems of every endpoint that changes a league."""

DONE: Final = Answer(200, "Done by this request, or by the one that it repeats.", LeagueDetail, headers=("ETag",))


async def acted(
    request: Call, league: str, content: Sequence[Any], act: Callable[..., Inscribed], *values: Any
) -> Response[bytes]:
    """Let the organizer do something in a league, and answer with the league. Raises `Problem`."""

    def decide(now: League, cause: Cause, at: str) -> Inscribed:
        return act(now, *values, cause, at)

    leagues, player = request.services.leagues, request.signed_in.player
    async with explained():
        entry = await leagues.act(LeagueId(league), player, content, decide, expected=request.expected, key=request.key)
    return await answer_league(request, entry)


async def require_organizer(request: Call, league: str) -> None:
    """Raise `Problem` unless the caller organizes the league."""
    now = (await request.services.leagues.now(LeagueId(league))).league
    if request.signed_in.player != now.organizer:
        wrong = "You do not organize this league."
        raise Problem(NOT_LEAGUE_ORGANIZER, wrong, f"Its organizer is {now.organizer}.")


async def answer_league(
    request: Call,
    entry: Held,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    season: int | None = None,
) -> Response[bytes]:
    """Answer a league, with a season."""
    detail = await detail_of(request.services, entry, season)
    return answer(detail, status, {**(headers or {}), **etag(entry.league.version)})


async def detail_of(services: Services, entry: Held, number: int | None) -> LeagueDetail:
    """Return the body of a league, with the requested season or the last one. Raises `UnknownSeason`."""
    if number is None and not entry.league.seasons:
        return league_detail(entry, None)
    season = season_of(entry.league, number or len(entry.league.seasons))
    tables = await services.leagues.tables(season)
    names = await names_of(services, {line.player for table in tables for line in table})
    rows = {each.tournament: (await services.committee.now(each.tournament)).row for each in season.tournaments}
    return league_detail(entry, season_view(season, tables, names, rows))
