"""Every lesson of every tutorial, by the ruleset that it is for: it can be played as its texts say."""

from itertools import chain
from typing import Any

import pytest

from domain.boards import builtin
from domain.kernel.rules import schema
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.tutorial import Stage, command_of, lessons, stages
from domain.library import LIBRARY

RULESETS = [LIBRARY.current(name) for name in LIBRARY.ids()]
WITH_TUTORIAL = [ruleset for ruleset in RULESETS if ruleset.tutorial]
STAGES = {
    f"{ruleset.id}/{stage.lesson.id}": stage
    for ruleset in WITH_TUTORIAL
    for stage in stages(ruleset, builtin(ruleset.board)).values()
}

every_lesson = pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)


@pytest.mark.parametrize("ruleset", WITH_TUTORIAL, ids=lambda ruleset: ruleset.id)
def test_a_tutorial_takes_about_ten_minutes(ruleset: Ruleset[Any]) -> None:
    found = lessons(ruleset)
    assert 6 <= len(found) <= 12
    words = sum(len(f"{each.text} {each.ask} {each.teaches}".split()) for each in found)
    # Read at 200 words a minute, which leaves half of the time for playing.
    assert 300 <= words <= 1200


@every_lesson
def test_the_command_is_on_offer_and_accepted(stage: Stage) -> None:
    lesson, ruleset = stage.lesson, stage.ruleset
    command = command_of(ruleset, lesson.command)
    assert lesson.is_done_by(command)
    assert _is_offered(stage, lesson.command)
    chance = stage.chance()
    draft = ruleset.decide(stage.table, lesson.seat, command, chance, stage.vault, stage.draws)
    assert draft.events
    # What is laid down is what falls.
    assert (chance.used, chance.shuffles) == (len(stage.rolls), max(chance.shuffles, len(stage.lots)))
    # The learner has a decision to make, or may act at any time.
    asked = {seat for decision in ruleset.decisions(stage.table) for seat in decision.seats}
    assert lesson.seat in asked


@every_lesson
def test_what_would_do_as_well_is_on_offer_too(stage: Stage) -> None:
    options = stage.ruleset.options(stage.table, stage.lesson.seat, stage.vault.read_by(stage.lesson.seat))
    for wanted in stage.lesson.also:
        assert wanted["type"] in {option.command for option in options}, wanted


@every_lesson
def test_a_wrong_try_is_refused_by_its_rule(stage: Stage) -> None:
    for wrong in stage.lesson.wrong:
        assert not _is_offered(stage, wrong.command)
        with pytest.raises(Refusal) as refused:
            stage.attempt(command_of(stage.ruleset, wrong.command))
        assert refused.value.rule == wrong.refused


@every_lesson
def test_its_rules_hold_in_its_ruleset(stage: Stage) -> None:
    catalogue, ruleset = stage.ruleset.catalogue, stage.ruleset.id
    assert stage.lesson.rules
    for rule in chain(stage.lesson.rules, (wrong.refused for wrong in stage.lesson.wrong)):
        assert rule.startswith("TAB-") or catalogue.rule(rule).holds_in(ruleset), rule


@every_lesson
def test_its_texts_are_short_and_whole(stage: Stage) -> None:
    lesson = stage.lesson
    assert len(lesson.title) <= 40
    assert 2 <= lesson.text.count(". ") + 1 <= 5
    for text in (lesson.text, lesson.ask, lesson.teaches):
        assert text == " ".join(text.split())
        assert text[0].isupper()
        assert text.endswith(".")


@every_lesson
def test_a_try_leaves_the_position_as_it_was(stage: Stage) -> None:
    before = stage.table.digest()
    stage.attempt(command_of(stage.ruleset, stage.lesson.command))
    assert stage.table.digest() == before


def _is_offered(stage: Stage, command: dict[str, Any]) -> bool:
    seat = stage.lesson.seat
    options = stage.ruleset.options(stage.table, seat, stage.vault.read_by(seat))
    return any(schema.matches(option.schema, command) for option in options)
