"""What projections tell: scoreboards, timelines, player records, dice and refusals."""

from typing import Any

from litestar.params import FromPath
from litestar.response import Response

from domain.kernel.ids import GameId, PlayerId, RuleId, Seat
from domain.kernel.rules.catalogue import UnknownRuleError, common_rules
from domain.kernel.rules.ruleset import Library
from projections import dice, players, rules, scoreboard, timeline
from service.api import problems
from service.api.bodies import Nothing, Page, Past
from service.api.endpoint import Answer, endpoint
from service.api.paging import first, page_of, read_cursor
from service.api.problems import Problem
from service.api.request import Call
from service.api.response import answer
from service.api.statistics.bodies import (
    DicePage,
    DiceQuery,
    DieTally,
    FaceCount,
    FairnessTest,
    PlayerRecord,
    RefusalsQuery,
    RoundScore,
    RulesetRecord,
    RuleTally,
    RuleTallyPage,
    ScoreboardView,
    TimelineEntry,
    TimelinePage,
)
from service.games.commands import UnknownPlayer


@endpoint(
    "GET",
    "/v1/games/{game:str}/scoreboard",
    tag="Statistics",
    answers=(Answer(200, "The scoreboard.", ScoreboardView),),
    problems=(problems.UNKNOWN_GAME,),
)
async def show_scoreboard(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the scoreboard.

    How the game stands, and what each seat had round by round. It may be a moment behind the newest event; `version`
    says how far it goes.
    """
    request.read_query(Nothing)
    found = await scoreboard.of_game(request.services.rows, GameId(game))
    if found is None:
        await _require_game(request, game)
        raise Problem(problems.UNAVAILABLE, "The scoreboard is about to begin.", headers={"Retry-After": "1"})
    return answer(scoreboard_view(GameId(game), *found))


@endpoint(
    "GET",
    "/v1/games/{game:str}/timeline",
    tag="Statistics",
    query=Page,
    answers=(Answer(200, "The timeline.", TimelinePage),),
    problems=(problems.UNKNOWN_GAME,),
)
async def show_timeline(request: Call, game: FromPath[str]) -> Response[bytes]:
    """Show the timeline.

    At which versions the game's rounds and phases begin, and what deserves a mark: battles, conquests, falls. Draw it
    below a replay; `GET …/state?version=` shows the position.
    """
    page = request.read_query(Page)
    after = read_cursor(page.cursor, tuple[Past, str]) or (0, "")
    found = await timeline.of_game(request.services.rows, GameId(game), after, page.limit + 1)
    if not found:
        await _require_game(request, game)
    entries, more = first(found, page.limit, lambda entry: (entry.version, entry.kind))
    return answer(TimelinePage(tuple(map(timeline_entry, entries)), more))


@endpoint(
    "GET",
    "/v1/players/{player:str}/record",
    tag="Statistics",
    answers=(Answer(200, "The record.", PlayerRecord),),
    problems=(problems.UNKNOWN_PLAYER,),
)
async def show_record(request: Call, player: FromPath[str]) -> Response[bytes]:
    """Show a player's record.

    How many games the player has played and won, by ruleset.
    """
    request.read_query(Nothing)
    found = await players.of_player(request.services.rows, PlayerId(player))
    if not found and await request.services.accounts.player(PlayerId(player)) is None:
        raise UnknownPlayer(f"There is no player {player!r}.")
    return answer(player_record(PlayerId(player), found))


@endpoint(
    "GET",
    "/v1/statistics/dice",
    tag="Statistics",
    query=DiceQuery,
    answers=(Answer(200, "The dice.", DicePage),),
)
async def show_dice(request: Call) -> Response[bytes]:
    """Show the dice.

    What the dice showed in all games, in those of one ruleset, in one game, or for one seat, and whether that looks
    like chance.
    """
    page = request.read_query(DiceQuery)
    counted = await dice.counts(
        request.services.rows,
        page.ruleset,
        GameId(page.game) if page.game is not None else None,
        Seat(page.seat) if page.seat is not None else None,
    )
    tallies = [die_tally(request.services.library, *key, faces) for key, faces in counted.items()]
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

    Counts only by rule and ruleset: not who asked, nor for what.
    """
    page = request.read_query(RefusalsQuery)
    accepted = await rules.accepted(request.services.rows)
    found = [
        rule_tally(request.services.library, tally, accepted.get(tally.ruleset, 0))
        for tally in await rules.refusals(request.services.rows, page.ruleset)
    ]
    items, after = page_of(found, lambda tally: f"{tally.ruleset} {tally.rule}", page)
    return answer(RuleTallyPage(items, after))


ROUTES = (show_scoreboard, show_timeline, show_record, show_dice, show_refusals)


# --- Making them ------------------------------------------------------------------------------------------------------


def scoreboard_view(game: GameId, summary: scoreboard.Summary, scores: list[scoreboard.RoundScore]) -> ScoreboardView:
    """Return a scoreboard as it is sent."""
    return ScoreboardView(
        game=game,
        ruleset=summary.ruleset,
        status=summary.status,  # type: ignore[reportArgumentType]
        version=summary.version,
        round=summary.round,
        heading=summary.heading,
        created=summary.created,
        started=summary.started or None,
        ended=summary.ended or None,
        winners=summary.winners,
        ended_by=summary.ended_by or None,
        commands=summary.commands,
        retractions=summary.retractions,
        rounds=tuple(RoundScore(each.round, each.version, each.score) for each in scores),
    )


def timeline_entry(entry: timeline.Entry) -> TimelineEntry:
    """Return an entry as it is sent."""
    return TimelineEntry(**_fields(entry))


def player_record(player: PlayerId, found: list[players.RulesetRecord]) -> PlayerRecord:
    """Return a player's record as it is sent."""
    by_ruleset = tuple(RulesetRecord(**_fields(each)) for each in found)
    return PlayerRecord(player, sum(each.finished for each in found), sum(each.won for each in found), by_ruleset)


def die_tally(library: Library, ruleset: str, die: str, counted: dict[str, int]) -> DieTally:
    """Return counts of a die's faces as they are sent. Of a die that is not known the faces that came up are."""
    try:
        sides = library.current(ruleset).dice.get(die) or tuple(counted)
    except LookupError:
        sides = tuple(counted)
    tally = dice.tally(ruleset, die, counted, sides)
    faces = tuple(FaceCount(**_fields(face)) for face in tally.faces)
    fairness = FairnessTest(**_fields(tally.fairness)) if tally.fairness is not None else None
    return DieTally(ruleset, die, tally.rolled, faces, fairness)


def rule_tally(library: Library, tally: rules.RuleTally, accepted: int) -> RuleTally:
    """Return how often a rule has refused, as it is sent."""
    title = ""
    for catalogue in (_catalogue(library, tally.ruleset), common_rules()):
        try:
            title = title or (catalogue.rule(tally.rule).title if catalogue is not None else "")
        except UnknownRuleError:
            continue
    per_command = round(tally.refusals / accepted, 4) if accepted else None
    return RuleTally(tally.ruleset, RuleId(tally.rule), title, tally.refusals, per_command)


def _catalogue(library: Library, ruleset: str) -> Any:
    try:
        return library.current(ruleset).catalogue
    except LookupError:
        return None


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


async def _require_game(request: Call, game: str) -> None:
    """Raise `UnknownGame` for a game that there is not."""
    await request.services.games.game(GameId(game))
