"""What a refusal tells, where there is nothing to name or only one of a kind."""

from typing import Any

import msgspec
import pytest

from domain.boards import builtin
from domain.kernel.chance.draws import CommittedChance
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, Seat
from domain.kernel.rules.refusal import Refusal
from domain.library import LIBRARY

BOARD = builtin("conquest")
CHANCE = CommittedChance(bytes(32), GameId("refusals"), {})
MARCH = {"type": "march", "leaders": ["red-general-1"]}


@pytest.mark.parametrize(
    ("given", "command", "asked", "allowed"),
    [
        (
            {"forces": [{"seat": "red", "at": "creta", "leaders": ["general-1"]}]},
            {**MARCH, "origin": "creta", "to": "achaia"},
            "creta and achaia are not adjacent.",
            "creta is adjacent to no province.",
        ),
        (
            {"forces": [{"seat": "red", "at": "achaia", "infantry": 1, "leaders": ["general-1"]}]},
            {**MARCH, "origin": "achaia", "to": "macedonia", "tired": 1, "units": {}},
            "You asked to move 1 cavalry from achaia.",
            "You have 1 infantry there.",
        ),
        (
            {"forces": [{"seat": "red", "at": "achaia", "cavalry": 1, "leaders": ["general-1"]}]},
            {**MARCH, "origin": "achaia", "to": "macedonia", "tired": 1},
            "Some of these units have too few movement points for this step.",
            "Units with all their points: 1 cavalry. Cavalry with one point: 0.",
        ),
        (
            {"forces": [{"seat": "red", "at": "mare-epirus", "galley": 1}]},
            {"type": "sail", "galley": "galley-1", "to": "macedonia"},
            "macedonia has several coasts, and you named none.",
            "Coasts of macedonia that mare-epirus touches: west.",
        ),
        (
            {"forces": [{"seat": "red", "at": "macedonia", "coast": "east", "galley": 1, "leaders": ["general-1"]}]},
            {**MARCH, "origin": "macedonia", "to": "achaia"},
            "red-general-1 is aboard galley-1.",
            "Leaders cannot march in the turn in which they land.",
        ),
        (
            {"forces": [{"seat": "red", "at": "mare-aegaeum", "galley": 1}]},
            {"type": "sail", "galley": "galley-1", "to": "creta", "coast": "north"},
            "creta has no coast north.",
            "Coasts of creta: coast.",
        ),
        (
            {"phase": "purchase", "talents": {"red": 100}},
            {"type": "buy", "fortifications": 1},
            "You asked for 1 fortification.",
            "There is room for 0: one in each of your cities without one, new cities included.",
        ),
    ],
)
def test_a_refusal_says_in_whole_sentences_what_there_is(
    given: dict[str, Any], command: dict[str, Any], asked: str, allowed: str
) -> None:
    ruleset = LIBRARY.current("conquest-classic-friz")
    table = ruleset.arrange({"players": {"red": "macedonia", "blue": "egypt"}, **given}, BOARD)
    with pytest.raises(Refusal) as refusal:
        ruleset.decide(table, Seat("red"), ruleset.read_command(msgspec.json.encode(command)), CHANCE, Vault())
    assert (refusal.value.wrong, refusal.value.allowed) == (asked, allowed)
