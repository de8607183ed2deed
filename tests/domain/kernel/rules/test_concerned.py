"""The rules that events and commands declare."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from domain.kernel.ids import RULE_ID
from domain.kernel.log.lifecycle import GAME_EVENTS, Undo
from domain.kernel.rules import loading
from domain.kernel.rules.catalogue import Catalogue, UnknownRuleError
from domain.kernel.rules.command import Command
from domain.kernel.rules.message import type_name
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from domain.mare_nostrum.economy.income import IncomePaid
from tests.tiny.auction import PutUp, TinyAuction
from tests.tiny.corrected import Corrected
from tests.tiny.showing import Showing

ROOT = Path(__file__).parents[4]
RULESETS = [LIBRARY.at(known, version) for known in LIBRARY.ids() for version in LIBRARY.current(known).versions]
TINY = [TinyAuction(), Showing(), *map(Corrected, Corrected().versions)]

EDITIONS = """
id = "numbered"
version = 1
rulesets = {first = {}, second = {}}
[sources.book]
title = "Book"
cited_as = "Book"
language = "English"
[chapters]
A1B = "A chapter with a digit"
[[rule]]
id = "NU-A1B-01"
applies = ["first", "second"]
title = "Everywhere"
text = "t"
source = ["book"]
[[rule]]
id = "NU-A1B-02"
applies = ["first"]
title = "In the first"
text = "t"
source = ["book"]
differs_from = ["NU-A1B-03"]
[[rule]]
id = "NU-A1B-03"
applies = ["second"]
title = "In the second"
text = "t"
source = ["book"]
differs_from = ["NU-A1B-02"]
[[rule]]
id = "NU-A1B-04"
applies = ["second"]
title = "In the second only"
text = "t"
source = ["book"]
"""


def name_of(ruleset: Ruleset[Any]) -> str:
    return f"{type(ruleset).__name__} {ruleset.id} {ruleset.version}"


def documented(shape: type[Struct]) -> set[str]:
    return set(RULE_ID.findall(shape.__doc__ or ""))


@pytest.mark.parametrize("ruleset", [*RULESETS, *TINY], ids=name_of)
def test_every_declared_rule_is_in_the_catalogue(ruleset: Ruleset[Any]) -> None:
    known = {rule.id for rule in ruleset.catalogue.rules}
    for shape in (*ruleset.events, *ruleset.commands):
        assert {*shape.rules} <= known, type_name(shape)
        assert len({*shape.rules}) == len(shape.rules), f"{type_name(shape)} declares a rule twice"


def test_what_every_game_has_declares_rules_of_the_service() -> None:
    declared = {rule for shape in (*GAME_EVENTS, Undo) for rule in shape.rules}
    assert declared
    assert declared <= {rule.id for rule in loading.common_rules().rules}


def test_every_rule_that_the_sources_name_exists() -> None:
    """In comments, guides and texts as well; also where they name a whole chapter, such as TAB-CLK."""
    catalogues = [loading.common_rules(), *(LIBRARY.current(each).catalogue for each in LIBRARY.ids())]
    entries = {
        entry.id for each in catalogues for entry in (*each.rules, *each.examples, *each.differences, *each.decisions)
    }
    known = entries | {entry.rpartition("-")[0] for entry in entries}
    games = "|".join({entry.partition("-")[0] for entry in entries})
    named = re.compile(rf"\b(?:{games})-[A-Z][A-Z0-9]*(?:-[0-9]+)?\b")
    unknown = {
        (rule, file.name)
        for folder in ("domain", "projections", "service", "openapi")
        for file in (ROOT / folder).rglob("*.*")
        if file.suffix in (".py", ".js", ".ts", ".md", ".toml")
        for rule in {*named.findall(file.read_text())} - known
    }
    assert unknown == {("CC-MOV-99", "rulesets.py"), ("CC-BY-4", "settings.py")}, "a problem's example, and a licence"


@pytest.mark.parametrize("ruleset", RULESETS, ids=name_of)
def test_every_event_and_every_command_concerns_a_rule_in_force(ruleset: Ruleset[Any]) -> None:
    for shape in (*ruleset.events, *ruleset.commands):
        assert ruleset.catalogue.in_force(shape.rules, ruleset.id), type_name(shape)


@pytest.mark.parametrize("ruleset", [*RULESETS, *TINY], ids=name_of)
def test_the_first_rule_provides_for_a_command(ruleset: Ruleset[Any]) -> None:
    for command in ruleset.commands:
        assert command.rule == command.rules[0]
        if ruleset.catalogue.rule(command.rule).holds_in(ruleset.id):
            assert ruleset.catalogue.in_force(command.rules, ruleset.id)[0] == command.rule


def test_a_command_may_declare_its_rules_anew() -> None:
    class PutUpTwice(PutUp, frozen=True):
        rules = ("NU-A1B-02", "NU-A1B-01")

    assert (PutUp.rule, PutUpTwice.rule) == ("TA-PUT-01", "NU-A1B-02")
    assert PutUpTwice.__struct_fields__ == PutUp.__struct_fields__, "what is declared is no field"


def test_a_command_without_rules_is_provided_for_by_none() -> None:
    class Bare(Command[Any], frozen=True):
        pass

    assert Bare.rules == ()
    assert not hasattr(Bare, "rule")


@pytest.mark.parametrize("ruleset", RULESETS, ids=name_of)
def test_every_rule_that_is_named_in_prose_is_in_the_catalogue(ruleset: Ruleset[Any]) -> None:
    for shape in (*ruleset.events, *ruleset.commands):
        assert documented(shape) <= {rule.id for rule in ruleset.catalogue.rules}, type_name(shape)
        assert not re.search(r"[,(] ?-\d", shape.__doc__ or ""), f"{type_name(shape)}: rules are named in full"


def test_a_rule_of_a_chapter_with_digits_is_found_in_prose() -> None:
    assert RULE_ID.findall("No more than four (IT-I1-10), see A1B-02 and NU-A1B-04.") == ["IT-I1-10", "NU-A1B-04"]


def test_what_is_said_of_single_fields_does_not_count() -> None:
    assert "MN-INC-12" in documented(IncomePaid)
    assert IncomePaid.rules == ("MN-INC-01",)


# --- Rules in force ---------------------------------------------------------------------------------------------------


@pytest.fixture
def editions() -> Catalogue:
    return loading.load(EDITIONS)


@pytest.mark.parametrize(
    ("ruleset_id", "given", "in_force"),
    [
        ("first", ("NU-A1B-02", "NU-A1B-01"), ("NU-A1B-02", "NU-A1B-01")),
        ("second", ("NU-A1B-02", "NU-A1B-01"), ("NU-A1B-03", "NU-A1B-01")),
        ("second", ("NU-A1B-02", "NU-A1B-03"), ("NU-A1B-03",)),
        ("first", ("NU-A1B-04", "NU-A1B-01"), ("NU-A1B-01",)),
        ("first", (), ()),
    ],
    ids=["hold", "one holds in the place of another", "both are one here", "nothing in its place", "none"],
)
def test_rules_are_those_of_the_ruleset(
    editions: Catalogue, ruleset_id: str, given: tuple[str, ...], in_force: tuple[str, ...]
) -> None:
    assert editions.in_force(given, ruleset_id) == in_force


def test_a_rule_that_no_catalogue_has_is_named(editions: Catalogue) -> None:
    with pytest.raises(UnknownRuleError, match="catalogue numbered has no rule 'NU-A1B-09'; similar: NU-A1B-0"):
        editions.in_force(("NU-A1B-01", "NU-A1B-09"), "first")
