"""The catalogue of Italia is whole, and says of every rule what it is."""

from collections import Counter
from pathlib import Path

import domain
from domain.kernel.rules.loading import load

CATALOGUE = load((Path(domain.__file__).parent / "italia" / "catalogue.toml").read_bytes())


def test_the_catalogue_is_whole() -> None:
    assert [len(CATALOGUE.for_ruleset(ruleset)) for ruleset in ("italia-1", "italia-2")] == [354, 327]
    assert (len(CATALOGUE.rules), len(CATALOGUE.examples), len(CATALOGUE.decisions)) == (378, 37, 50)


def test_every_rule_says_what_it_is() -> None:
    counted = Counter(rule.status for rule in CATALOGUE.rules)
    assert counted == {"rule": 310, "clarification": 34, "faq": 28, "house": 6}
    assert {rule.option: rule.default for rule in CATALOGUE.rules if rule.status == "house"} == {
        "allied_city_roads": False,
        "individual_targets": False,
        "rescue_cargo": False,
        "subject_vp_round_total": False,
        "carthage_last_unit_window": True,
        "ignore_pyrrhus_faq": False,
    }


def test_every_ruling_is_marked_as_ours() -> None:
    assert all(rule.is_our_ruling for rule in CATALOGUE.rules if rule.ruling or rule.ambiguity)


def test_the_examples_have_their_dice() -> None:
    rolled = {example.id: len(example.rolls) for example in CATALOGUE.examples if example.rolls}
    assert rolled == {"IT-EX-24": 4, "IT-EX-25": 2, "IT-EX-26": 2}
