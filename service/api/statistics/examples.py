"""What the projections tell of the scene, with a few dice and refusals added."""

from domain.kernel.log.lifecycle import GameStarted
from domain.kernel.rules.message import told as told_of
from projections import players, rules, scoreboard, timeline
from service.api.scene import AT, GAME, Example, Scene
from service.api.statistics import charts
from service.api.statistics import routes as statistics
from service.api.statistics.bodies import DicePage, RuleTallyPage, TimelinePage


def examples(scene: Scene) -> dict[str, Example]:
    """Return what the projections tell of the scene, with a few dice and refusals added."""
    library = scene.library
    ruleset, now, begun = scene.ruleset, scene.given.game, scene.started.game
    summary = scoreboard.Summary(
        ruleset.id, now.status, now.version, now.round, now.heading, (), "", AT, AT, "", commands=1, retractions=0
    )
    score = scoreboard.RoundScore(begun.round, begun.version, ruleset.score(begun.table))
    entries = (
        timeline.Entry(scene.joined[-1].game.version + 1, "start", 0, "", told_of(GameStarted(), begun.names), AT),
        timeline.Entry(begun.version, "phase", begun.round, begun.heading, begun.heading, AT),
    )
    die, sides = next(iter(ruleset.dice.items()), ("d6", tuple("123456")))
    counted = {side: 29 + 2 * number for number, side in enumerate(sides)}
    rule = ruleset.catalogue.for_ruleset(ruleset.id)[0].id
    record = players.RulesetRecord(ruleset.id, gathering=0, running=1, finished=12, won=5)
    return {
        "showScoreboard": Example(statistics.scoreboard_view(GAME, summary, [score])),
        "showChart": Example(charts.dice_chart(library, {die: counted}, ruleset.id)),
        "showTimeline": Example(TimelinePage(tuple(map(statistics.timeline_entry, entries)), None)),
        "showRecord": Example(statistics.player_record(scene.players[0].player, [record])),
        "showDice": Example(DicePage((statistics.die_tally(library, ruleset.id, die, counted),), None)),
        "showRefusals": Example(
            RuleTallyPage((statistics.rule_tally(library, rules.RuleTally(ruleset.id, rule, 3), 140),), None)
        ),
    }
