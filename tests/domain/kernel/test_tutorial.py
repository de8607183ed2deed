"""Tutorials, by the tiny game: lessons one after the other, and what is wrong with them is said."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import ScenarioError
from domain.kernel.tutorial import command_of, lessons, stages
from tests.tiny.auction import ROOM, TinyAuction

LESSON = """
[[lesson]]
id = "bid"
title = "Bid a card"
rules = ["TA-BID-01"]
text = "Everybody chooses a card of their hand, face down."
ask = "Choose your five."
seat = "red"
command = { type = "choose-card", card = 5 }
wrong = [{ command = { type = "choose-card", card = 3 }, refused = "TA-BID-01" }]
teaches = "Nobody sees it before all have chosen."
given = { hands = { red = [5, 1], blue = [5, 2] }, coins = { red = 1, blue = 0 }, bidding = true, prize = 2, bank = 9 }
"""
NEXT = """
[[lesson]]
id = "tie"
title = "A tie"
rules = ["TA-BID-04"]
text = "Red has chosen a card, and now you choose one."
ask = "Choose any card."
seat = "blue"
follows = true
dice = [["six", 6], [2, 3]]
command = { type = "choose-card", card = 5 }
also = [{ type = "choose-card" }]
teaches = "The highest roll of those who tie gets the prize."
"""


def taught(text: str) -> Ruleset[Any]:
    ruleset = TinyAuction()
    vars(ruleset)["tutorial"] = text
    return ruleset


def test_a_ruleset_without_a_file_has_no_tutorial() -> None:
    assert TinyAuction().tutorial == ""
    assert lessons(TinyAuction()) == ()
    assert stages(TinyAuction(), ROOM) == {}


def test_a_lesson_is_decided_by_the_rules_and_leaves_its_position_as_it_was() -> None:
    ruleset = taught(LESSON)
    stage = stages(ruleset, ROOM)["bid"]
    before = stage.table.digest()
    events = stage.attempt(command_of(ruleset, {"type": "choose-card", "card": 5})).events
    assert [type_name(type(event)) for event in events] == ["card-chosen"]
    with pytest.raises(Refusal) as refused:
        stage.attempt(command_of(ruleset, stage.lesson.wrong[0].command))
    assert refused.value.rule == "TA-BID-01"
    assert stage.table.digest() == before


def test_a_lesson_may_follow_another_with_dice_of_its_own() -> None:
    ruleset = taught(LESSON + NEXT)
    stage = stages(ruleset, ROOM)["tie"]
    draft = stage.attempt(command_of(ruleset, {"type": "choose-card", "card": 5}))
    assert draft.table.coins["blue"] == 2
    assert [decision.seats for decision in ruleset.decisions(stage.table)] == [("blue",)]


def test_what_is_asked_for_is_the_command_in_full_or_what_fits_another() -> None:
    first, second = lessons(taught(LESSON + NEXT))
    ruleset = TinyAuction()
    five, two = (command_of(ruleset, {"type": "choose-card", "card": card}) for card in (5, 2))
    assert (first.is_done_by(five), first.is_done_by(two)) == (True, False)
    assert (second.is_done_by(five), second.is_done_by(two)) == (True, True)
    assert not replace(second, also=[{"type": "choose-card", "card": 1}]).is_done_by(two)


def test_what_is_none_need_not_be_said() -> None:
    lesson = replace(lessons(taught(LESSON))[0], command={"type": "give", "coins": {"blue": 1}})
    ruleset = TinyAuction()
    plain, full, more = ({"blue": 1}, {"blue": 1, "green": 0}, {"blue": 1, "green": 1})
    done = [lesson.is_done_by(command_of(ruleset, {"type": "give", "coins": coins})) for coins in (plain, full, more)]
    assert done == [True, True, False]


def test_a_command_that_needs_other_dice_gets_some_that_are_always_the_same() -> None:
    ruleset = taught(LESSON + NEXT.replace('[["six", 6], [2, 3]]', "[[1]]"))
    stage = stages(ruleset, ROOM)["tie"]
    drafts = [stage.attempt(command_of(ruleset, {"type": "choose-card", "card": 5})) for _ in range(2)]
    assert drafts[0].table.digest() == drafts[1].table.digest()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lesson = [", "Invalid value"),
        ("[[lesson]]\nid = 'a'", "missing required field"),
        (LESSON.replace('id = "bid"', 'id = "To bid"'), "matching regex"),
        (LESSON + LESSON, "two lessons are called bid"),
        (NEXT, "the lesson 'tie': it follows no other lesson"),
        (LESSON.replace("bidding = true", "bidden = true"), "the lesson 'bid': the position makes no sense"),
        (LESSON.replace("card = 5 }", "card = 3 }") + NEXT, "the lesson 'tie': TA-BID-01"),
        (LESSON + 'before = [{ seat = "red", command = { type = "fly" } }]', "the lesson 'bid': Invalid value 'fly'"),
        (LESSON + "dice = [['seven']]", "the lesson 'bid': the die has no face 'seven'"),
    ],
)
def test_a_tutorial_that_cannot_be_played_says_which_lesson_and_why(text: str, said: str) -> None:
    with pytest.raises(ScenarioError) as error:
        stages(taught(text), ROOM)
    assert said in str(error.value)
