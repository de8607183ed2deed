"""The endpoints for ratings of accounts, and for the luck of their dice."""

from collections.abc import Sequence
from typing import Final

from litestar.response import Response

from domain.kernel.ids import GameId, PlayerId, Seat
from projections import luck, ratings
from projections.ratings import Point, Pool, Standing
from projections.skill import Skill
from service.api.accounts.routes import account_of
from service.api.bodies import Nothing
from service.api.endpoint import Answer, endpoint
from service.api.paging import first, read_cursor
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.games import UNKNOWN_GAME
from service.api.problems.rulesets import UNKNOWN_RULESET
from service.api.request import Call
from service.api.response import answer
from service.api.rulesets.routes import ruleset_in_path
from service.api.statistics.bodies import (
    GameLuck,
    Ladder,
    LadderQuery,
    PlayerLuck,
    PlayerRatings,
    RatedPlayer,
    Rating,
    RatingHistory,
    RatingPoint,
)
from service.store.accounts import PlayerRow

MOST_POINTS: Final = 100
"""The most points of a history that are sent: the newest."""


@endpoint(
    "GET",
    "/v1/ratings",
    tag="Statistics",
    query=LadderQuery,
    answers=(Answer(200, "The ratings.", Ladder),),
    problems=(UNKNOWN_RULESET,),
)
async def list_ratings(request: Call) -> Response[bytes]:
    """List the ratings in a ruleset.

    Lists the highest first. A rating is μ - 3σ of the model of Plackett and Luce, in millionths: a careful estimate of
    the player's strength. It is provisional with fewer than ten games. Bots have a list of their own. The rules
    `TAB-RAT-01` to `TAB-RAT-09` say which games count. Ratings are some seconds behind the games.
    """
    page = request.read_query(LadderQuery)
    ruleset = ruleset_in_path(request, page.ruleset).id
    number, player, rank = read_cursor(page.cursor, tuple[int, str, int]) or (0, "", 0)
    after = (number, PlayerId(player)) if page.cursor is not None else None
    pool: Pool = "bots" if page.bots == "true" else "players"
    entries = await ratings.ladder(request.services.rows, pool, ruleset, after, page.limit + 1)
    accounts = {row.player: row for row in await request.services.accounts.by_ids([each.player for each in entries])}
    ranked = [
        rated_player(place, each, accounts.get(each.player)) for place, each in enumerate(entries, start=rank + 1)
    ]
    items, more = first(ranked, page.limit, lambda each: (each.rating.shown, each.player, each.rank))
    return answer(Ladder(tuple(items), more))


@endpoint(
    "GET",
    "/v1/players/{player:str}/ratings",
    tag="Statistics",
    answers=(Answer(200, "The ratings.", PlayerRatings),),
    problems=(UNKNOWN_PLAYER,),
)
async def show_ratings(request: Call, player: str) -> Response[bytes]:
    """Show a player's ratings.

    Shows a rating for each ruleset in which a game of theirs counted, with the newest 100 points of its history: the
    rating after each game. A ruling on a game adds a point (`TAB-RAT-09`).
    """
    request.read_query(Nothing)
    rows, store = request.services.rows, request.services.store
    standings = await ratings.of_player(rows, PlayerId(player))
    if not standings:
        await account_of(request, player)
    points = [await ratings.points(rows, each, MOST_POINTS) for each in standings]
    games = {point.game for of_rating in points for point in of_rating}
    hidden = await store.unlisted(games) | await store.private(games) if games else set[GameId]()
    histories = [history(each, of_rating, hidden) for each, of_rating in zip(standings, points, strict=True)]
    return answer(PlayerRatings(PlayerId(player), tuple(histories)))


@endpoint(
    "GET",
    "/v1/games/{game:str}/luck",
    tag="Statistics",
    answers=(Answer(200, "The luck.", GameLuck),),
    problems=(UNKNOWN_GAME,),
)
async def show_luck(request: Call, game: str) -> Response[bytes]:
    """Show the luck of a game.

    Shows what the dice of each seat were worth, and what they would have been worth on average. Rolls that were taken
    back count, too. Luck does not measure skill, and ratings do not use it. Forks have none.
    """
    request.read_query(Nothing)
    rolled = await luck.of_game(request.services.rows, GameId(game))
    if not rolled:
        await request.services.games.game(GameId(game))  # raises `UnknownGame` when there is none
    library = request.services.library
    return answer(GameLuck(GameId(game), {seat: luck.luck_of(library, each) for seat, each in rolled.items()}))


@endpoint(
    "GET",
    "/v1/players/{player:str}/luck",
    tag="Statistics",
    answers=(Answer(200, "The luck.", PlayerLuck),),
    problems=(UNKNOWN_PLAYER,),
)
async def show_player_luck(request: Call, player: str) -> Response[bytes]:
    """Show a player's luck.

    Shows what the dice of their seats were worth in finished games, and what they would have been worth on average.
    Private games do not count. The service looks through 2,000 finished games, and counts at most 500 of them.
    """
    request.read_query(Nothing)
    rows, counted, after = request.services.rows, list[tuple[GameId, Seat]](), ""
    for _ in range(luck.PAGES):
        page = await luck.games_of(rows, PlayerId(player), after)
        private = await request.services.store.private(page) if page else set[GameId]()
        counted += [(game, seat) for game, seat in page.items() if game not in private]
        if len(page) < luck.MOST or len(counted) >= luck.MOST:
            break
        after = next(reversed(page))
    if not counted:
        await account_of(request, player)
    counted = counted[: luck.MOST]
    lucks = luck.luck_of(request.services.library, await luck.of_seats(rows, counted))
    return answer(PlayerLuck(PlayerId(player), len(counted), lucks))


# --- making answers ---------------------------------------------------------------------------------------------------


def rated_player(rank: int, standing: Standing, account: PlayerRow | None) -> RatedPlayer:
    """Return a line of a list of ratings."""
    player = standing.player
    return RatedPlayer(rank, player, account.name if account is not None else player, rating(standing.skill))


def history(standing: Standing, points: Sequence[Point], hidden: set[GameId]) -> RatingHistory:
    """Return a rating of a player with its history, which does not name the games in `hidden`."""
    lines = (
        RatingPoint(
            point.at,
            point.game if point.game not in hidden else None,
            point.place or None,
            point.players,
            rating(point.skill),
        )
        for point in points
    )
    return RatingHistory(standing.ruleset, standing.pool, rating(standing.skill), tuple(lines))


def rating(skill: Skill) -> Rating:
    """Return a rating as it is sent."""
    return Rating(skill.shown, skill.mu, skill.sigma, skill.games, skill.is_provisional)
