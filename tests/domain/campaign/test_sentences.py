"""The history in sentences that a person would say."""

from typing import Any

import pytest

from domain.boards import builtin
from domain.campaign.box.lots import Lots
from domain.campaign.box.state import SLAVES, Army, Turn
from domain.campaign.cards import effects
from domain.campaign.combat import battle
from domain.campaign.politics import auction, senate
from domain.campaign.ruleset import Campaign
from domain.campaign.start import deployment, setup
from domain.campaign.turn import scoring
from domain.conquest.pieces import Units
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.message import Names, in_words

RED, BLUE, GREEN = Seat("red"), Seat("blue"), Seat("green")
EGYPT, ASIA = AreaId("egypt"), AreaId("asia")
BOARD = builtin("conquest")
NAMES = Names({area.id: area.name for area in BOARD.areas}, (RED, BLUE, GREEN, SLAVES))

SENTENCES: tuple[tuple[Any, str], ...] = (
    (
        setup.InfluenceDrawn(Lots(1, {}, ()), {RED: (EGYPT, ASIA, EGYPT, EGYPT)}),
        "The first influence: Red in 3 × Egypt and Asia.",
    ),
    (
        auction.BidMade(RED, 10, BLUE, RED),
        "Red bids 10 talents: Blue in alliance A and Red in alliance B.",
    ),
    (
        auction.AlliancesMade((RED, BLUE, GREEN), (RED, GREEN), (BLUE,)),
        "The alliances are made: Red and Green against Blue. The turn order is Red, Blue and Green.",
    ),
    (
        deployment.ArmyDeployed(RED, EGYPT, Army(Units(4, 2, 1), 1, caesar=True)),
        "Red placed 4 infantry, 2 cavalry, 1 catapult, a General and the Caesar in Egypt.",
    ),
    (
        battle.BattleBegan(
            EGYPT,
            False,
            RED,
            BLUE,
            {"red/infantry": 8, "red/cavalry": 1},
            {"blue/galleys/mare-pelusium": 1, "blue/galleys/mare-alexandria": 1, "card/infantry": 4},
        ),
        "Red attacks Blue in Egypt: 8 infantry and 1 cavalry against 2 galleys and 4 phantom infantry.",
    ),
    (
        battle.BattleBegan(EGYPT, False, SLAVES, RED, {"slaves/infantry": 4}, {"red/catapults": 1}, takes_action=False),
        "The slaves attack Red in Egypt: 4 infantry against 1 catapult.",
    ),
    (battle.ForceJoined(BLUE, BLUE, {"blue/galleys/mare-pelusium": 1}), "Blue called 1 galley into the battle."),
    (battle.ForceJoined(BLUE, BLUE, {}), "Blue called no galleys into the battle."),
    (battle.ForceJoined(GREEN, RED, {"green/infantry": 2}, leader=True), "Green lent Red 2 infantry with a leader."),
    (battle.ForceJoined(GREEN, RED, {}), "Green lent Red nothing."),
    (
        battle.BattleRolled(None, battle.Throw(SLAVES, 1, ("blank", "galley"), 0)),
        "The slaves rolled blank and galley: no hits.",
    ),
    (
        battle.UnitsLost(RED, {"red/infantry": 2, "green/infantry": 1, "card/cavalry": 1}),
        "Red lost 2 infantry and 1 phantom cavalry, and 1 infantry lent by Green.",
    ),
    (battle.UnitsLost(RED, {"green/infantry": 1}), "Red lost 1 infantry lent by Green."),
    (battle.UnitsLost(SLAVES, {"slaves/infantry": 3}), "The slaves lost 3 infantry."),
    (battle.BattleEnded(EGYPT, RED, BLUE, 2), "Red won the battle in Egypt against Blue, who got 2 chaos."),
    (battle.BattleEnded(EGYPT, RED, SLAVES), "Red won the battle in Egypt against the slaves."),
    (battle.BattleEnded(EGYPT, SLAVES, RED, 2), "The slaves won the battle in Egypt against Red, who got 2 chaos."),
    (senate.SenatorsLaid(RED, {"senator-i": 1, "senator-iii": 2}), "Red laid Senator I and 2 × Senator III."),
    (
        senate.VoteEnded("vote-bread", RED, {"senator-i": 1}),
        "Red won the vote on Bread and Circuses and spent Senator I.",
    ),
    (effects.Gained(RED, "vote-bread", chaos=-2), "Bread and Circuses: Red got rid of 2 chaos."),
    (effects.Gained(RED, "vote-bread"), "Bread and Circuses: Red got nothing."),
    (effects.Gained(RED, "vote-tax", talents=40, chaos=1), "Emergency Tax: Red got 40 talents and 1 chaos."),
    (
        scoring.ProvincesScored({ASIA: {RED: 10}, EGYPT: {RED: 15, BLUE: 5}}),
        "Victory points: Blue 5 and Red 25. Asia: Red 10; Egypt: Blue 5 and Red 15.",
    ),
    (
        scoring.ChaosRevealed({RED: 3, BLUE: 1}, {RED: 10, BLUE: 5}),
        "Chaos: Blue 1 and Red 3. Victory points lost: Blue 5 and Red 10.",
    ),
    (scoring.ChaosRevealed({RED: 0, BLUE: 0}, {}), "Chaos: Blue 0 and Red 0."),
)


@pytest.mark.parametrize(("event", "said"), SENTENCES, ids=[said for _, said in SENTENCES])
def test_an_event_is_told(event: Any, said: str) -> None:
    assert in_words(event, NAMES) == said


def test_a_turn_lasts_until_the_next_one_begins() -> None:
    ruleset = Campaign()
    table = ruleset.arrange({"alliances": [["red"], ["blue"]], "round": 4}, BOARD)
    assert ruleset.heading(table) == "Season 1, round 4, Red: actions"
    table.turn = Turn(RED, 0)
    assert ruleset.heading(table) == "Season 1, round 4, Red: actions"
    table.turn = None
    table.done[:] = [RED]
    assert ruleset.heading(table) == "Season 1, round 4, Red: actions"
    table.done[:] = [RED, BLUE]
    assert ruleset.heading(table) == "Season 1: end"
    table.phase = "over"
    assert ruleset.heading(table) == "Game over"
