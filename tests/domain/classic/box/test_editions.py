"""A third edition is data: switches, how a game starts, and what the catalogue says of it."""

from importlib import resources
from pathlib import Path
from random import Random

import pytest

from domain.boards import builtin
from domain.classic.box.editions import FRIZ, PUBLISHED_2005, Edition
from domain.classic.ruleset import ruleset_of
from domain.classic.start.setup import EmpireFounded
from domain.kernel.ids import AreaId
from domain.kernel.log.history import read_event
from domain.kernel.log.lifecycle import RulesUpgraded
from domain.kernel.proof.verify import verify
from domain.kernel.rules.loading import load
from domain.kernel.rules.message import type_name
from domain.kernel.scenario import read, run, runs
from domain.library import LIBRARY
from tests.helpers.play import Play
from tests.recorded.__main__ import kinds

BOARD = builtin("conquest")
CATALOGUE = resources.files("domain.classic").joinpath("catalogue.toml").read_text()
SCENARIOS = Path(__file__).parents[3] / "scenarios" / "conquest-classic"
ENTRIES = 'rulesets.conquest-classic-third = {{based_on = "{}", without = ["CC-PLC-08"]}}\n\n# The texts'


@pytest.mark.parametrize("base", [FRIZ, PUBLISHED_2005], ids=lambda base: base.id)
def test_a_third_edition_plays_by_the_rules_of_its_base_but_those_it_is_without(base: Edition) -> None:
    third = ruleset_of(base.revised("conquest-classic-third", "A third edition", galleys_block_straits=True)).at(1)
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


def test_an_edition_may_start_otherwise() -> None:
    homes = {3: (AreaId("galatia"), AreaId("numidia"), AreaId("italia"))}
    third = ruleset_of(FRIZ.revised("conquest-classic-third", "A third edition", infantry=7, generals=2, homes=homes))
    third.catalogue = load(CATALOGUE.replace("\n# The texts", ENTRIES.format(FRIZ.id)))
    assert (third.players, third.seats(4)) == ((3,), ())
    play = Play(third, BOARD, 3, 7).run(Random(7), 50)
    founded = [event for record in play.records if isinstance(event := read_event(third, record), EmpireFounded)]
    assert [(each.home, each.infantry, each.generals) for each in founded] == [(home, 7, 2) for home in homes[3]]
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
    base = LIBRARY.current(FRIZ.id)
    assert third.briefing == base.briefing
    assert kinds(base) - kinds(third) == {type_name(RulesUpgraded)}
