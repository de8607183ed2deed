"""A third edition is data: switches, and what the catalogue says of it."""

from importlib import resources
from pathlib import Path
from random import Random

import pytest

from domain.boards import builtin
from domain.classic.box.editions import FRIZ, PUBLISHED_2005, Edition
from domain.classic.ruleset import ruleset_of
from domain.kernel.proof.verify import verify
from domain.kernel.rules.loading import load
from domain.kernel.scenario import read, run, runs
from tests.helpers.play import Play

BOARD = builtin("conquest")
CATALOGUE = resources.files("domain.classic").joinpath("catalogue.toml").read_text()
SCENARIOS = Path(__file__).parents[3] / "scenarios" / "conquest-classic"
ENTRIES = 'rulesets.conquest-classic-third = {{based_on = "{}", without = ["CC-PLC-08"]}}\n\n# The texts'


@pytest.mark.parametrize("base", [FRIZ, PUBLISHED_2005], ids=lambda base: base.id)
def test_a_third_edition_plays_by_the_rules_of_its_base_but_those_it_is_without(base: Edition) -> None:
    third = ruleset_of(base.revised("conquest-classic-third", "A third edition", galleys_block_straits=True))
    third.catalogue = load(CATALOGUE.replace("\n# The texts", ENTRIES.format(base.id)))
    assert (third.versions, third.edition.proposals_lapse) == (range(1, 2), True)
    held = {rule.id for rule in third.catalogue.for_ruleset(base.id)}
    assert {rule.id for rule in third.catalogue.for_ruleset(third.id)} == held - {"CC-PLC-08"}
    scenarios = [scenario for file in SCENARIOS.glob("*.toml") for scenario in read(file.read_text())]
    shared = [case for case in runs(scenarios, [third]) if "CC-PLC-07" in case[0].rules]
    assert shared
    for scenario, ruleset in shared:
        run(scenario, ruleset, BOARD)
    assert not any("CC-PLC-08" in scenario.rules for scenario, _ in runs(scenarios, [third]))
    play = Play(third, BOARD, 4, 7).run(Random(7), 300)
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
