"""The scenarios of the Campaign game, which is not in the library yet; tests/test_scenarios.py runs those that are."""

from pathlib import Path

import pytest

from domain.boards import builtin
from domain.campaign.ruleset import Campaign
from domain.kernel.scenario import Scenario, read, run
from tests.helpers.questions import heard

FOLDER = Path(__file__).parents[2] / "scenarios" / "conquest-campaign"
SCENARIOS = [scenario for path in sorted(FOLDER.glob("*.toml")) for scenario in read(path.read_text())]
RULESET = Campaign()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.title)
def test_scenario(scenario: Scenario) -> None:
    board = builtin(RULESET.board)
    with heard(RULESET, board) as questions:
        run(scenario, RULESET, board)
    assert not questions.faults


def test_every_rule_is_named_by_a_scenario() -> None:
    named = {rule for scenario in SCENARIOS for rule in scenario.rules}
    assert {rule.id for rule in RULESET.catalogue.rules} - named == set()
