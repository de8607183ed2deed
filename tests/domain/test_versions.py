"""Of every change that a version makes, the catalogue says how the rule was before it."""

from typing import Any

import pytest

from domain.kernel.rules.ruleset import Ruleset
from domain.kernel.rules.versions import Change
from domain.library import LIBRARY

RULESETS = [LIBRARY.current(name) for name in LIBRARY.ids()]
CHANGES = [(ruleset, change) for ruleset in RULESETS for change in ruleset.changes]


@pytest.mark.parametrize(("ruleset", "change"), CHANGES, ids=[f"{of.id}/{change.switch}" for of, change in CHANGES])
def test_the_catalogue_says_what_was_before_a_change(ruleset: Ruleset[Any], change: Change) -> None:
    after = ruleset.at(change.since).catalogue
    before = ruleset.at(change.since - 1).catalogue
    assert all(after.rule(rule).holds_in(ruleset.id) for rule in change.rules)
    assert any(after.rule(rule) != before.rule(rule) for rule in change.rules), (
        f"the catalogue has {' and '.join(change.rules)} alike in versions {change.since - 1} and {change.since}: add "
        f"`earlier = [{{ until = {change.since - 1}, text = … }}]`, or `absent = true` for a rule that is new"
    )
