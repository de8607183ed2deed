"""The endpoints for scoreboards, timelines, player records, dice and refusals, which projections count."""

from litestar.response import Response

from domain.kernel.ids import GameId, PlayerId, Seat
from projections import dice, players, rules, scoreboard, timeline
from service.api.accounts.routes import account_of
from service.api.bodies import Nothing, Page, Past
from service.api.endpoint import Answer, endpoint
from service.api.paging import first, page_of, read_cursor
from service.api.problems.accounts import UNKNOWN_PLAYER
from service.api.problems.games import NOT_COUNTED, PRIVATE, UNKNOWN_GAME, WITHHELD
from service.api.problems.problem import Problem
from service.api.problems.request import UNAVAILABLE
from service.api.request import Call
from service.api.response import answer
from service.api.statistics.bodies import DicePage, DiceQuery, PlayerRecord, RefusalsQuery, RuleTallyPage, TimelinePage
from service.api.withheld import require_shown


@endpoint(
    "GET",
    "/v1/games/{game:str}/scoreboard",
    tag="Statistics",
    answers=(Answer(200, "The scoreboard.", scoreboard.ScoreboardView),),
    problems=(UNKNOWN_GAME, NOT_COUNTED),
)
async def show_scoreboard(request: Call, game: str) -> Response[bytes]:
    """Show the scoreboard.

    Shows how the game stands, and what each seat had round by round. It may be a moment behind the newest event:
    `version` is the last version that it counts. Forks have none.
    """
    request.read_query(Nothing)
    return answer(await scoreboard_of(request, game))


@endpoint(
    "GET",
    "/v1/games/{game:str}/timeline",
    tag="Statistics",
    query=Page,
    answers=(Answer(200, "The timeline.", TimelinePage),),
    problems=(UNKNOWN_GAME,),
)
async def show_timeline(request: Call, game: str) -> Response[bytes]:
    """Show the timeline.

    Lists the versions at which the game's rounds and phases begin, and what deserves a mark: battles, conquests, falls.
    Draw it below a replay; `GET …/state?version=` shows the position.
    """
    page = request.read_query(Page)
    after = read_cursor(page.cursor, tuple[Past, str]) or (0, "")
    all_entries = await timeline.of_game(request.services.rows, GameId(game), after, page.limit + 1)
    if not all_entries:
        await request.services.games.game(GameId(game))  # raises `UnknownGame` when there is none
    entries, more = first(all_entries, page.limit, lambda entry: (entry.version, entry.kind))
    return answer(TimelinePage(tuple(entries), more))


@endpoint(
    "GET",
    "/v1/players/{player:str}/record",
    tag="Statistics",
    answers=(Answer(200, "The record.", PlayerRecord),),
    problems=(UNKNOWN_PLAYER,),
)
async def show_record(request: Call, player: str) -> Response[bytes]:
    """Show a player's record.

    Counts the games of the player and those that they have won, by ruleset.
    """
    request.read_query(Nothing)
    records = await players.of_player(request.services.rows, PlayerId(player))
    if not records:
        await account_of(request, player)
    return answer(player_record(PlayerId(player), records))


@endpoint(
    "GET",
    "/v1/statistics/dice",
    tag="Statistics",
    account="optional",
    query=DiceQuery,
    answers=(Answer(200, "The dice.", DicePage),),
    problems=(PRIVATE, WITHHELD),
)
async def show_dice(request: Call) -> Response[bytes]:
    """Show the dice.

    Shows what the dice showed in all games, in those of one ruleset, in one game, or for one seat, and whether that
    looks like chance.
    """
    page = request.read_query(DiceQuery)
    if page.game is not None:
        await require_shown(request.services, GameId(page.game), request.caller)
    counts = await dice.counts(
        request.services.rows,
        page.ruleset,
        GameId(page.game) if page.game is not None else None,
        Seat(page.seat) if page.seat is not None else None,
    )
    tallies = [dice.tally(request.services.library, *key, faces) for key, faces in counts.items()]
    items, after = page_of(tallies, lambda tally: f"{tally.ruleset} {tally.die}", page)
    return answer(DicePage(items, after))


@endpoint(
    "GET",
    "/v1/statistics/rules",
    tag="Statistics",
    query=RefusalsQuery,
    answers=(Answer(200, "The rules.", RuleTallyPage),),
)
async def show_refusals(request: Call) -> Response[bytes]:
    """Show which rules refuse most.

    The counts are by rule and ruleset only: the service does not record who was refused, or what.
    """
    page = request.read_query(RefusalsQuery)
    all_tallies = await rules.tallies(request.services.rows, request.services.library, page.ruleset)
    items, after = page_of(all_tallies, lambda tally: f"{tally.ruleset} {tally.rule}", page)
    return answer(RuleTallyPage(items, after))


def player_record(player: PlayerId, records: list[players.RulesetRecord]) -> PlayerRecord:
    """Return a player's record as it is sent."""
    return PlayerRecord(
        player, sum(each.finished for each in records), sum(each.won for each in records), tuple(records)
    )


async def scoreboard_of(request: Call, game: str) -> scoreboard.ScoreboardView:
    """Return the scoreboard of a game. Raises `UnknownGame`, or `Problem` for a fork and while it is not ready."""
    view = await scoreboard.of_game(request.services.rows, GameId(game))
    if view is None:
        played = await request.services.games.game(GameId(game))
        if played.forked is not None:
            raise Problem(NOT_COUNTED, f"Game {game!r} is a fork.", NOT_COUNTED.remedy)
        raise Problem(UNAVAILABLE, "The scoreboard of this game is not ready yet.", headers={"Retry-After": "1"})
    return view
