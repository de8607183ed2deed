"""Examples of the endpoints for statistics."""

from typing import Any

from domain.kernel.log.game import Game
from domain.kernel.log.lifecycle import GameStarted
from domain.kernel.rules.message import in_words
from domain.kernel.rules.ruleset import Ruleset
from projections import dice, luck, rules
from projections.players import RulesetRecord
from projections.ratings import Point, Standing
from projections.scoreboard import RoundScore, ScoreboardView
from projections.skill import NEW, after
from projections.timeline import TimelineEntry
from service.api.scene import AT, GAME, Example, Scene
from service.api.statistics import charts, ratings
from service.api.statistics.bodies import (
    DicePage,
    GameLuck,
    Ladder,
    PlayerLuck,
    PlayerRatings,
    RuleTallyPage,
    TimelinePage,
)
from service.api.statistics.routes import player_record


def examples(scene: Scene) -> dict[str, Example]:
    """Return statistics of the scene, with invented dice, refusals and records."""
    library = scene.library
    ruleset, now, beginning = scene.ruleset, scene.given.game, scene.started.game
    entries = (
        TimelineEntry(scene.joined[-1].game.version + 1, "start", 0, "", in_words(GameStarted(), beginning.names), AT),
        TimelineEntry(beginning.version, "phase", beginning.round, beginning.heading, beginning.heading, AT),
    )
    die, sides = next(iter(ruleset.dice.items()), ("d6", tuple("123456")))
    face_counts = {side: 29 + 2 * number for number, side in enumerate(sides)}
    tally = dice.tally(library, ruleset.id, die, face_counts)
    rule = ruleset.catalogue.for_ruleset(ruleset.id)[0].id
    record = RulesetRecord(ruleset.id, gathering=0, running=1, finished=12, won=5)
    return _of_players(scene) | {
        "showScoreboard": Example(_scoreboard(ruleset, now, beginning)),
        "showChart": Example(charts.dice_chart([tally])),
        "showTimeline": Example(TimelinePage(entries, None)),
        "showRecord": Example(player_record(scene.players[0].player, [record])),
        "showDice": Example(DicePage((tally,), None)),
        "showRefusals": Example(RuleTallyPage((rules.tally(library, ruleset.id, rule, 3, 140),), None)),
    }


def _of_players(scene: Scene) -> dict[str, Example]:
    """Return the statistics of two players after a game that the first has won, and of their dice."""
    accounts, ruleset = scene.players[:2], scene.ruleset.id
    skills = after([[each.player] for each in accounts], {each.player: NEW for each in accounts})
    standings = [Standing(each.player, ruleset, "players", skills[each.player]) for each in accounts]
    point = Point(AT, GAME, 1, len(accounts), standings[0].skill)
    dice = scene.ruleset.dice.items()
    faces = {(ruleset, die): {face: 9 + place for place, face in enumerate(sides)} for die, sides in dice}
    rolled = luck.luck_of(scene.library, faces)
    ranked = [ratings.rated_player(place, *each) for place, each in enumerate(zip(standings, accounts, strict=True), 1)]
    player = accounts[0].player
    return {
        "listRatings": Example(Ladder(tuple(ranked), None)),
        "showRatings": Example(PlayerRatings(player, (ratings.history(standings[0], [point], set()),))),
        "showLuck": Example(GameLuck(GAME, dict.fromkeys(scene.started.game.players, rolled))),
        "showPlayerLuck": Example(PlayerLuck(player, 12, rolled)),
    }


def _scoreboard(ruleset: Ruleset[Any], now: Game, beginning: Game) -> ScoreboardView:
    return ScoreboardView(
        game=GAME,
        ruleset=ruleset.id,
        status=now.status,
        version=now.version,
        round=now.round,
        heading=now.heading,
        created=AT,
        started=AT,
        ended=None,
        winners=(),
        order=(),
        ended_by=None,
        ruled_by=None,
        continued_in=None,
        commands=1,
        retractions=0,
        rounds=(RoundScore(beginning.round, beginning.version, ruleset.score(beginning.table), {}),),
    )
