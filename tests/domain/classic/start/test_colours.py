"""Games of Classic with colours and homes that their creators chose are laid, drawn and proved as all others."""

from random import Random
from typing import Any

import pytest

from domain.boards import builtin
from domain.classic.ruleset import RULESETS, Classic, Setup
from domain.kernel.proof.verify import verify
from tests.helpers.play import Play
from tests.helpers.redrawing import faults

BOARD = builtin("conquest")
EDITIONS = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)


@EDITIONS
@pytest.mark.rule("CC-SET-01")
def test_seats_stand_in_the_order_of_the_colours(ruleset: Classic) -> None:
    assert ruleset.seats(3) == ("red", "blue", "green")
    assert ruleset.seats(3, Setup(colours=("black", "yellow", "blue"))) == ("blue", "yellow", "black")
    assert ruleset.seats(7) == ()


@EDITIONS
def test_what_is_not_chosen_is_not_in_the_log(ruleset: Classic) -> None:
    assert Play(ruleset, BOARD, 2).game.setup == Setup()
    assert b'"setup":{"homes":"drawn"}' in Play(ruleset, BOARD, 2, start=False).records[0].event


@pytest.mark.parametrize(
    "setup",
    [
        {"colours": ["purple", "black", "yellow"]},
        {"colours": ["purple", "black", "yellow"], "homes": "picked"},
        {"agreed_homes": {"black": "macedonia", "green": "hispania", "red": "egypt"}},
        {"each_lone_leader": True, "generals_saved_with_fleet": True},
    ],
)
@EDITIONS
def test_games_with_chosen_colours_and_homes_are_proved(ruleset: Classic, setup: dict[str, Any]) -> None:
    play = Play(ruleset, BOARD, 3, setup=setup).run(Random(3), 60)
    assert play.fold().table == play.game.table
    assert not list(faults(play))
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
