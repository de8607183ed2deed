"""The catalogue loader refuses what is unsound, and the shipped catalogues are sound and whole."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import domain.classic
import domain.kernel.rules
from domain.kernel.ids import RuleId
from domain.kernel.rules.catalogue import Catalogue, CatalogueError, UnknownRuleError
from domain.kernel.rules.coverage import Share, coverage
from domain.kernel.rules.loading import check_options, load
from domain.library import LIBRARY
from tests.tiny.auction import TinyAuction
from tests.tiny.house import House

SMALL = """
id = "ludus"
version = 1
[rulesets]
ludus-old = {}
ludus-new = {}

[sources.old]
title = "The old booklet"
cited_as = "Old booklet"
language = "Latin"
lines = 40
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"

[sources.house]
title = "What everybody knows"
cited_as = "Custom"
language = "Latin"

[chapters]
MOV = "movement"
BAT = "battle"

[[rule]]
id = "LU-MOV-01"
title = "One step"
text = "A piece moves one step."
source = ["old:3", "house", "old:5-7"]

[[rule]]
id = "LU-BAT-01"
applies = ["ludus-old"]
title = "One die"
text = "A piece rolls one die."
source = ["old:9"]
differs_from = ["LU-BAT-02"]

[[rule]]
id = "LU-BAT-02"
applies = ["ludus-new"]
title = "Two dice"
text = "A piece rolls two dice."
source = ["house"]
ambiguity = "Nobody says how many."
ruling = "Ours: two."
decision = "the owner picks the dice"
differs_from = ["LU-BAT-01"]

[[worked_example]]
id = "LU-EX-01"
title = "A fight"
applies = ["ludus-new"]
source = ["old:9-10"]
rules = ["LU-BAT-02"]
setup = "Two pieces."
rolls = [{ by = "attacker", dice = 2, faces = { sword = 1, blank = 1 }, hits = 1 }]
choices = "None."
expected = "One piece."

[[edition_difference]]
id = "LU-DIF-01"
topic = "Dice"
says.ludus-old = "One."
says.ludus-new = "Two."
rules = ["LU-BAT-01", "LU-BAT-02"]
functional = true

[[player_decision]]
id = "LU-DEC-01"
title = "Pick the dice"
applies = ["ludus-new"]
phase = "battle"
player = "the owner"
active = "either"
when = "Before the roll."
options = ["any two dice"]
optional = false
rules = ["LU-BAT-02"]
"""


def shipped(package: str, name: str) -> Catalogue:
    return load((Path(package).parent / name).read_bytes())


@pytest.fixture
def small() -> Catalogue:
    return load(SMALL)


@pytest.fixture(scope="module")
def classic() -> Catalogue:
    return shipped(domain.classic.__file__, "catalogue.toml")


@pytest.fixture(scope="module")
def services() -> Catalogue:
    return shipped(domain.kernel.rules.__file__, "common.toml")


def test_bytes_and_text_load_alike(small: Catalogue) -> None:
    assert load(SMALL.encode()) == small


def test_a_rule_knows_its_chapter_and_its_ruling(small: Catalogue) -> None:
    assert [rule.chapter for rule in small.rules] == ["MOV", "BAT", "BAT"]
    assert [rule.is_our_ruling for rule in small.rules] == [False, False, True]


OPTION = 'status = "house"\noption = "two_dice"\ndefault = true'
OPTIONAL = SMALL.replace('id = "LU-BAT-02"', f'id = "LU-BAT-02"\n{OPTION}')


def test_a_rule_says_what_it_is_and_when_it_holds() -> None:
    text = OPTIONAL.replace('id = "LU-BAT-01"', 'id = "LU-BAT-01"\nstatus = "faq"')
    assert [rule.standing for rule in load(text).rules] == [
        "",
        "official FAQ",
        "house rule, only with the option two_dice, on by default",
    ]


def test_the_set_up_has_the_options_of_the_rules_with_their_defaults() -> None:
    def setup(default: bool) -> type[msgspec.Struct]:
        return msgspec.defstruct("Setup", [("two_dice", bool, default)])

    optional = load(OPTIONAL)
    check_options(optional, "ludus-new", setup(True))
    check_options(optional, "ludus-old", msgspec.Struct)  # which does not have the rule
    holds = "^LU-BAT-02 holds under option two_dice, True by default; in the set-up of ludus-new it "
    with pytest.raises(CatalogueError, match=f"{holds}is False by default$"):
        check_options(optional, "ludus-new", setup(False))
    with pytest.raises(CatalogueError, match=f"{holds}is not there$"):
        check_options(optional, "ludus-new", msgspec.Struct)


def test_a_ruleset_without_the_option_of_a_rule_has_no_catalogue() -> None:
    class Forgetful(House):
        setup = TinyAuction.setup

    assert House().catalogue.rule("TA-GIV-02").option == "misers"
    with pytest.raises(CatalogueError, match="TA-GIV-02 holds under option misers"):
        _ = Forgetful().catalogue


def test_coverage_counts_by_status() -> None:
    covered = coverage(load(OPTIONAL), "ludus-new", {RuleId("LU-BAT-02"): ["a test"]})
    assert covered.statuses == {"rule": Share(1, 0), "house": Share(1, 1)}


def test_a_rule_is_found_by_its_id(small: Catalogue) -> None:
    assert small.rule("LU-BAT-02").title == "Two dice"


def test_an_unknown_rule_names_the_near_misses(small: Catalogue) -> None:
    with pytest.raises(UnknownRuleError) as refused:
        small.rule("lu-bat-3")
    assert isinstance(refused.value, CatalogueError)
    assert isinstance(refused.value, KeyError)
    assert str(refused.value).startswith("catalogue ludus has no rule 'lu-bat-3'; similar: LU-BAT-0")


def test_a_rule_like_no_other_has_no_near_misses(small: Catalogue) -> None:
    with pytest.raises(UnknownRuleError, match=r"has no rule 'ZZZ'$"):
        small.rule("ZZZ")


def test_a_ruleset_has_its_own_rules(small: Catalogue) -> None:
    assert [rule.id for rule in small.for_ruleset("ludus-old")] == ["LU-MOV-01", "LU-BAT-01"]
    assert [rule.id for rule in small.for_ruleset("ludus-new")] == ["LU-MOV-01", "LU-BAT-02"]


def test_an_entry_that_names_no_ruleset_holds_in_all(small: Catalogue) -> None:
    assert [rule.applies for rule in small.rules] == [("ludus-old", "ludus-new"), ("ludus-old",), ("ludus-new",)]


def test_an_edition_has_the_rules_of_the_one_it_is_based_on_but_those_it_is_without() -> None:
    known = 'ludus-third = {based_on = "ludus-new"}\nludus-fourth = {based_on = "ludus-third", without = ["LU-BAT-02"]}'
    wider = load(replaced("ludus-new = {}", f"ludus-new = {{}}\n{known}")(SMALL))
    assert [rule.id for rule in wider.for_ruleset("ludus-third")] == ["LU-MOV-01", "LU-BAT-02"]
    assert [rule.id for rule in wider.for_ruleset("ludus-fourth")] == ["LU-MOV-01"]
    assert wider.rule("LU-BAT-02").applies == ("ludus-new", "ludus-third")
    assert [wider.examples[0].applies, wider.decisions[0].applies] == [("ludus-new", "ludus-third")] * 2
    assert wider.in_force(["LU-BAT-01", "LU-MOV-01"], "ludus-third") == ("LU-BAT-02", "LU-MOV-01")


def test_an_edition_begins_with_the_rules_of_its_base_as_they_are_now() -> None:
    was = 'text = "A piece moves one step."\nearlier = [{until = 1, text = "Two."}]'
    third = 'ludus-new = {}\nludus-third = {based_on = "ludus-new"}'
    told = load(replaced("ludus-new = {}", third)(replaced('text = "A piece moves one step."', was)(SMALL)))
    assert told.at("ludus-new", 1).rule("LU-MOV-01").text == "Two."
    assert told.at("ludus-third", 1).rule("LU-MOV-01").text == "A piece moves one step."


def test_an_unknown_ruleset_is_refused(small: Catalogue) -> None:
    with pytest.raises(CatalogueError, match="no ruleset 'ludus'; it has ludus-old, ludus-new"):
        small.for_ruleset("ludus")


def test_chapters_come_in_their_order_with_titles(small: Catalogue) -> None:
    assert [(chapter.id, chapter.title, len(chapter.rules)) for chapter in small.chapters()] == [
        ("MOV", "movement", 1),
        ("BAT", "battle", 2),
    ]
    assert [len(chapter.rules) for chapter in small.chapters("ludus-old")] == [1, 1]


def test_a_citation_reads_as_a_person_would_write_it(small: Catalogue) -> None:
    assert small.cite(small.rule("LU-MOV-01")) == "Old booklet, lines 3, 5-7; Custom"
    assert small.cite(small.rule("LU-BAT-01")) == "Old booklet, line 9"
    assert small.cite(small.examples[0]) == "Old booklet, lines 9-10"


def replaced(old: str, new: str) -> Callable[[str], str]:
    def damage(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return damage


def based_on(base: str, *without: str) -> Callable[[str], str]:
    return replaced("ludus-new = {}", f"ludus-new = {{based_on = '{base}', without = {list(without)}}}")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (replaced('id = "ludus"', 'id = "ludus'), "not a TOML document"),
        (replaced("version = 1\n", ""), "missing required field `version`"),
        (replaced("version = 1\n", "version = 1\nauthor = 'Ovid'\n"), "unknown field `author`"),
        (replaced("version = 1", "version = true"), "Expected `int`"),
        (replaced('title = "One die"\n', ""), "missing required field `title` - at rule LU-BAT-01"),
        (replaced('title = "One die"', "title = 1"), "Expected `str`, got `int` - at rule LU-BAT-01.title"),
        (replaced('title = "One die"', 'title = " "'), "at rule LU-BAT-01.title"),
        (replaced('title = "One die"', 'title = "One die"\nnote = "?"'), "unknown field `note` - at rule LU-BAT-01"),
        (replaced('id = "LU-BAT-01"\n', ""), "missing required field `id` - at rule number 2"),
        (replaced("ludus-new = {}", "ludus-new = 1"), "Expected `object`, got `int` - at `$.rulesets[...]`"),
        (replaced("ludus-new = {}", "ludus-new = {base = 1}"), "unknown field `base`"),
        (based_on("ludus-newer"), "ludus-new is based on 'ludus-newer'; before it there is ludus-old"),
        (based_on("ludus-new"), "ludus-new is based on 'ludus-new'; before it there is ludus-old"),
        (based_on("ludus-old", "LU-BAT-04"), "ludus-new: catalogue ludus has no rule 'LU-BAT-04'"),
        (based_on("ludus-old", "LU-BAT-02"), "ludus-new is without LU-BAT-02, which it would not have from ludus-old"),
        (replaced("new = {}", 'new = {without = ["LU-MOV-01"]}'), "which it would not have from another"),
        (replaced('applies = ["ludus-old"]', "applies = []"), "at rule LU-BAT-01.applies"),
        (replaced('active = "either"', 'active = "maybe"'), "at player_decision LU-DEC-01.active"),
        (
            replaced("functional = true", "functional = true\nx = 1"),
            "unknown field `x` - at edition_difference LU-DIF-01",
        ),
        (replaced('sha256 = "0', 'sha256 = "x'), "sources"),
        (replaced('id = "LU-BAT-01"', 'id = "LU-BAT"'), "'LU-BAT' is not an id of the form"),
        (replaced('id = "LU-BAT-02"', 'id = "LU-BAT-01"'), "LU-BAT-01 is defined twice"),
        (replaced('id = "LU-EX-01"', 'id = "LU-MOV-01"'), "LU-MOV-01 is defined twice"),
        (replaced('id = "LU-MOV-01"', 'id = "LU-MAP-01"'), "LU-MAP-01: chapter MAP has no title"),
        (replaced('BAT = "battle"', 'BAT = "battle"\nWIN = "winning"'), "chapter WIN has no rule"),
        (replaced('"old:3"', '"new:3"'), "LU-MOV-01: no source 'new'; there is old, house"),
        (replaced('"old:3"', '"old:three"'), "'old:three' is not a citation"),
        (replaced('"old:3"', '"old"'), "source old is cited by line"),
        (replaced('"house"', '"house:1"'), "source house is cited as a whole"),
        (replaced('"old:9-10"', '"old:9-41"'), "LU-EX-01: 'old:9-41': source old has lines 1-40"),
        (replaced('"old:3"', '"old:0"'), "source old has lines 1-40"),
        (replaced('"old:5-7"', '"old:7-5"'), "source old has lines 1-40"),
        (replaced('applies = ["ludus-old"]', 'applies = ["ludus"]'), "LU-BAT-01: ruleset 'ludus' is not one of"),
        (replaced('applies = ["ludus-old"]', 'applies = ["*"]'), "LU-BAT-01: ruleset '*' is not one of"),
        (replaced("says.ludus-old", "says.ludus"), "LU-DIF-01: ruleset 'ludus' is not one of"),
        (replaced('says.ludus-old = "One."\n', ""), "at edition_difference LU-DIF-01.says"),
        (replaced('differs_from = ["LU-BAT-02"]', ""), "LU-BAT-02 differs from LU-BAT-01, but LU-BAT-01 does not"),
        (
            replaced('from = ["LU-BAT-02"]', 'from = ["LU-BAT-22"]'),
            "LU-BAT-01: catalogue ludus has no rule 'LU-BAT-22'",
        ),
        (replaced('rules = ["LU-BAT-02"]', 'rules = ["LU-BAT-03"]'), "LU-EX-01: catalogue ludus has no rule"),
        (replaced('rules = ["LU-BAT-01",', 'rules = ["LU-BAT-10",'), "LU-DIF-01: catalogue ludus has no rule"),
        (replaced('optional = false\nrules = ["LU-BAT-02"]', 'optional = false\nrules = ["LU-BAT-3"]'), "LU-DEC-01: "),
        (replaced('id = "LU-BAT-01"', 'id = "LU-BAT-01"\nstatus = "ours"'), "'ours' - at rule LU-BAT-01.status"),
        (
            replaced('id = "LU-BAT-01"', 'id = "LU-BAT-01"\noption = "one-die"'),
            "LU-BAT-01: give both `option` and its `default`, or neither",
        ),
        (replaced("sword = 1", "sword = 2"), "LU-EX-01: attacker shows more faces than 2 dice have"),
    ],
)
def test_a_damaged_catalogue_is_refused_in_one_line(damage: Callable[[str], str], message: str) -> None:
    with pytest.raises(CatalogueError) as refused:
        load(damage(SMALL))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(CatalogueError, match="not a TOML document"):
        load(b"id = '\xff'")


def test_coverage_counts_by_chapter_and_names_what_is_missing(small: Catalogue) -> None:
    covered = {
        RuleId("LU-MOV-01"): ["a test"],
        RuleId("LU-BAT-01"): [],
        RuleId("LU-BAT-02"): ["another"],
        RuleId("LU-BAT-77"): ["a slip"],
        RuleId("XX-MOV-01"): ["another game's test"],
    }
    report = coverage(small, "ludus-old", covered)
    assert msgspec.json.decode(msgspec.json.encode(report)) == {
        "catalogue": "ludus",
        "ruleset": "ludus-old",
        "total": 2,
        "covered": 1,
        "statuses": {"rule": {"total": 2, "covered": 1}},
        "chapters": [
            {"chapter": "MOV", "title": "movement", "total": 1, "covered": 1, "missing": []},
            {"chapter": "BAT", "title": "battle", "total": 1, "covered": 0, "missing": ["LU-BAT-01"]},
        ],
        "unknown": ["LU-BAT-77"],
    }


PUBLISHED = ("conquest-classic-friz", "conquest-classic-2005")


def test_the_classic_catalogue_is_whole(classic: Catalogue) -> None:
    held = Counter(tuple(each for each in rule.applies if each in PUBLISHED) for rule in classic.rules)
    assert (held[PUBLISHED], held[PUBLISHED[:1]], held[PUBLISHED[1:]]) == (226, 60, 30)
    assert len(classic.for_ruleset("conquest-classic-friz")) == 286
    assert len(classic.for_ruleset("conquest-classic-2005")) == 256
    assert (len(classic.examples), len(classic.differences), len(classic.decisions)) == (35, 48, 34)


def test_every_ruling_of_the_classic_catalogue_is_marked_as_ours(classic: Catalogue) -> None:
    assert sum(rule.is_our_ruling for rule in classic.rules if not {*PUBLISHED}.isdisjoint(rule.applies)) == 138
    assert all(rule.is_our_ruling for rule in classic.rules if rule.ruling or rule.ambiguity)


def test_the_classic_catalogue_cites_both_editions(classic: Catalogue) -> None:
    assert classic.cite(classic.rule("CC-SET-01")) == (
        "Versione di Friz 1.5 (Italian), lines 300-307; German booklet 2005, lines 148-157"
    )
    assert all(source.sha256 and source.lines for source in classic.sources.values())


def test_the_rules_of_the_house_hold_in_every_ruleset(services: Catalogue) -> None:
    assert services.rules
    assert all(services.for_ruleset(ruleset) == services.rules for ruleset in LIBRARY.ids())
    assert services.cite(services.rule("TAB-UNDO-01")) == "Tabularium documentation"
