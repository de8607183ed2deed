"""What ids are called in sentences."""

import re

import pytest

from domain.kernel.ids import Seat
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal
from domain.library import LIBRARY
from tests.helpers.play import Play
from tests.tiny.auction import ROOM
from tests.tiny.house import House

NAMES = Names(
    {"roma": "Roma"}, [Seat("red")], {"western-romans": "Western Romans", "roma": "Romans", "red-king": "Rex"}
)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("western-romans", "Western Romans"),
        ("western-front", "western front"),
        ("roma", "Roma"),
        ("red-king", "Rex"),
        ("red-general-1", "Red General 1"),
    ],
)
def test_the_board_comes_before_the_ruleset_and_the_ruleset_before_the_seats(identifier: str, name: str) -> None:
    assert NAMES(identifier) == name


def test_several_are_enumerated_by_their_names() -> None:
    assert NAMES.all(["western-romans", "roma", "red"]) == "Western Romans, Roma and Red"


def test_the_history_and_refusals_use_the_names_of_the_ruleset() -> None:
    play = Play(House(), ROOM, 2)
    assert play.game.names("western-buyers") == "Western Buyers"
    with pytest.raises(Refusal) as refused:
        play.command(Seat("blue"), {"type": "open-bidding"})
    assert refused.value.allowed.startswith("The game waits for House of Red to answer: ")


@pytest.mark.parametrize("name", LIBRARY.ids())
def test_what_a_ruleset_counts_without_a_plural_its_rules_count_so(name: str) -> None:
    ruleset = LIBRARY.current(name)
    rules = " ".join(rule.text for rule in ruleset.catalogue.rules)
    for noun in ruleset.mass_nouns:
        assert re.search(rf"\b{noun}\b", rules, re.IGNORECASE), noun
        assert not re.search(rf"\b{noun}(s|es)\b", rules, re.IGNORECASE), noun
