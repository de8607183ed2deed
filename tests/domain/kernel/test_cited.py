"""Which rules events and commands concern."""

import re
from typing import Any

import pytest

from domain.classic.battle import BattleBegan
from domain.kernel.cited import cited
from domain.kernel.message import type_name
from domain.kernel.ruleset import Ruleset
from domain.library import LIBRARY
from domain.mare_nostrum.income import IncomePaid
from tests.tiny.auction import ChooseCard, TinyAuction

RULESETS = [LIBRARY.current(known) for known in LIBRARY.ids()]


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_rule_that_is_cited_holds_in_the_ruleset(ruleset: Ruleset[Any]) -> None:
    for shape in (*ruleset.events, *ruleset.commands):
        for rule in cited(shape, ruleset.catalogue, ruleset.id):
            assert ruleset.catalogue.rule(rule).holds_in(ruleset.id), (type_name(shape), rule)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_event_and_every_command_concerns_a_rule(ruleset: Ruleset[Any]) -> None:
    shapes = (*ruleset.events, *ruleset.commands)
    assert [type_name(shape) for shape in shapes if not cited(shape, ruleset.catalogue, ruleset.id)] == []


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_rule_that_is_named_is_in_the_catalogue(ruleset: Ruleset[Any]) -> None:
    for shape in (*ruleset.events, *ruleset.commands):
        named = re.findall(r"[A-Z]+-[A-Z]+-\d+", shape.__doc__ or "")
        assert {*named} <= {rule.id for rule in ruleset.catalogue.rules}, type_name(shape)
        assert not re.search(r"[,(] ?-\d", shape.__doc__ or ""), f"{type_name(shape)}: rules are named in full"


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_the_rule_of_a_command_comes_first(ruleset: Ruleset[Any]) -> None:
    for command in ruleset.commands:
        if ruleset.catalogue.rule(command.rule).holds_in(ruleset.id):
            assert cited(command, ruleset.catalogue, ruleset.id)[0] == command.rule


def test_what_is_said_of_single_fields_does_not_count() -> None:
    mare_nostrum = LIBRARY.current("mare-nostrum")
    assert "MN-INC-12" in (IncomePaid.__doc__ or "")
    assert cited(IncomePaid, mare_nostrum.catalogue, mare_nostrum.id) == ("MN-INC-01",)


def test_what_names_no_rule_of_a_catalogue_concerns_none_of_it() -> None:
    ruleset = TinyAuction()
    assert cited(ChooseCard, ruleset.catalogue, ruleset.id) == ("TA-BID-01",)
    assert cited(BattleBegan, ruleset.catalogue, ruleset.id) == ()
