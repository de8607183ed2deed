"""The scenarios of Italia, which is not in the library yet; tests/test_scenarios.py runs those that are."""

from pathlib import Path

import pytest

from domain.boards import builtin
from domain.italia.ruleset import ItaliaI, ItaliaII
from domain.kernel.scenario import Scenario, read, run
from tests.helpers.questions import heard

FOLDER = Path(__file__).parents[2] / "scenarios" / "italia"
RULESETS = {ruleset.id: ruleset for ruleset in (ItaliaI(), ItaliaII())}
SCENARIOS = [scenario for path in sorted(FOLDER.glob("*.toml")) for scenario in read(path.read_text())]
CASES = [(name, scenario) for scenario in SCENARIOS for name in scenario.rulesets]


@pytest.mark.parametrize(("name", "scenario"), CASES, ids=lambda each: each if isinstance(each, str) else each.title)
def test_scenario(name: str, scenario: Scenario) -> None:
    ruleset = RULESETS[name]
    board = ruleset.equip(builtin(ruleset.board))
    with heard(ruleset, board) as questions:
        run(scenario, ruleset, board)
    assert not questions.faults
