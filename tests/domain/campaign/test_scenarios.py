"""The scenarios of the Campaign game, which tests/test_scenarios.py runs, name every rule."""

from pathlib import Path

from domain.campaign.ruleset import Campaign
from domain.kernel.scenario import read

FOLDER = Path(__file__).parents[2] / "scenarios" / "conquest-campaign"


def test_every_rule_is_named_by_a_scenario() -> None:
    named = {rule for path in FOLDER.glob("*.toml") for scenario in read(path.read_text()) for rule in scenario.rules}
    assert {rule.id for rule in Campaign().catalogue.rules} - named == set()
