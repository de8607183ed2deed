"""Every conformance scenario, by every version of every ruleset for which it is written."""

from typing import Any

import pytest

from domain.boards import builtin
from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.scenario import Scenario, run, runs
from domain.library import LIBRARY
from tests.helpers.questions import heard
from tests.helpers.scenarios import written


def _cases() -> list[Any]:
    """A folder is named after a ruleset, or after what the ids of its rulesets begin with."""
    cases: list[Any] = []
    for path, scenarios in written():
        rulesets = [LIBRARY.current(name) for name in LIBRARY.ids() if name.startswith(path.parent.name)]
        for scenario, ruleset in runs(scenarios, rulesets):
            name = f"{ruleset.id}/v{ruleset.version}/{path.stem}/{scenario.title}"
            cases.append(pytest.param(scenario, ruleset, id=name))
    return cases


@pytest.mark.parametrize(("scenario", "ruleset"), _cases())
def test_scenario(scenario: Scenario, ruleset: Ruleset[Any]) -> None:
    board = builtin(ruleset.board)
    with heard(ruleset, board) as questions:
        run(scenario, ruleset, board)
    assert not questions.faults
