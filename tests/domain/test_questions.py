"""What players are asked, and what they may do, stands in words that speak to them."""

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules.decision import Decision, Option
from domain.library import LIBRARY
from service.bots.registry import bot_for
from service.bots.simulation import Plan, Simulation
from tests.helpers.questions import Questions, heard

A_RULE = RuleId("CC-BAT-04")


@pytest.mark.parametrize("skilled", [False, True], ids=["random", "skilled"])
@pytest.mark.parametrize("name", LIBRARY.ids())
def test_titles_speak_to_the_player_and_call_everything_by_its_name(name: str, *, skilled: bool) -> None:
    ruleset = LIBRARY.current(name)
    board = ruleset.equip(builtin(ruleset.board))
    with heard(ruleset, board) as questions:
        for seats in (ruleset.players[0], ruleset.players[-1]):
            played = Simulation(Plan(name, seats=seats, seed=seats, commands=250))
            if skilled:
                played.bot = bot_for(name, played.rng, msgspec.to_builtins(board))
            for step in played.play():
                for seat in step.game.players if step.game.version % 10 == 0 else ():
                    step.game.options(seat, played.vault)
    assert len(questions.titles) >= min(20, len(ruleset.commands))
    assert not questions.faults


@pytest.mark.parametrize(
    ("title", "fault"),
    [
        ("Does Red go on fighting in Italia, or retreat?", "red is not spoken to"),
        ("Do you retreat to asia-minor?", "'asia-minor' is an id"),
        ("Do you let blue pass?", "'blue' is an id"),
        ("Retreat to Asia Minor", "A decision asks"),
    ],
)
def test_titles_that_do_not_are_noticed(title: str, fault: str) -> None:
    game = Simulation(Plan("conquest-classic-friz", seats=3, seed=1)).game
    questions = Questions(game.board)
    questions.hear(game.table, [Decision("announce", (Seat("red"),), A_RULE, title)])
    assert [each for each in questions.faults if each.startswith(fault)]
    questions.hear(game.table, [Option("march", A_RULE, {}, "March from italia")], Seat("red"))
    assert "'italia' is an id: March from italia" in questions.faults
