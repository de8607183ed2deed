"""The history of Italia: headings that name a phase of the turn."""

from typing import Any

import pytest

from domain.boards import builtin
from domain.italia.ruleset import ItaliaI

RULESET = ItaliaI()
BOARD = RULESET.equip(builtin("italia"))
FABIUS = {"campaign": "fabius", "forces": [{"nation": "romans", "at": "roma", "legion": 1, "leaders": ["fabius"]}]}


@pytest.mark.parametrize(
    ("given", "heading"),
    [
        ({"turn": "celts", "stage": "purchase"}, "Round 2, Celts: income and placement"),
        ({"turn": "celts", "stage": "movement"}, "Round 2, Celts: movement"),
        ({"turn": "celts", "stage": "stacking-after-combat"}, "Round 2, Celts: combat"),
        ({"turn": "celts", "stage": "exits"}, "Round 2, Celts: end"),
        ({"turn": "romans", "stage": "campaign"}, "Round 2, Romans: campaign"),
        ({"turn": "romans", "stage": "campaign", **FABIUS}, "Round 2, Romans: campaign of Fabius"),
        ({"part": "scoring"}, "Round 2: scoring"),
    ],
)
def test_what_happens_is_told_under_the_phase_of_the_turn(given: dict[str, Any], heading: str) -> None:
    assert RULESET.heading(RULESET.arrange({"round": 2, **given}, BOARD)) == heading
