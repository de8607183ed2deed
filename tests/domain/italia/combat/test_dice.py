"""Which dice of a throw are shown as hits: a throw has only their number."""

from domain.italia.box.pieces import NationId
from domain.italia.combat.dice import Shots, Throw, struck


def test_the_highest_dice_of_each_shots_are_its_hits() -> None:
    shots = (Shots("legion", "infantry", 2, 0, 0), Shots("consular-legion", "infantry", 3, 2, 2))
    throw = Throw(NationId("romans"), 1, ("6", "9", "4", "2", "7"), shots)
    assert struck(throw) == (False, False, True, False, True)
