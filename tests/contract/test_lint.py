"""The contract follows redocly's strictest rules, but for the exceptions that a file names."""

from pathlib import Path

import yaml

from tests.contract import clients

FOLDER = Path(__file__).parents[2] / "openapi"


def test_the_contract_follows_the_rules_of_a_linter_but_for_what_is_named() -> None:
    said = clients.lint(FOLDER / "openapi.json", FOLDER / "redocly.yaml")
    (exceptions,) = yaml.safe_load((FOLDER / ".redocly.lint-ignore.yaml").read_text()).values()
    named = sum(map(len, exceptions.values()))
    assert f"{named} problems are explicitly ignored" in said, "an exception that nothing needs is to go"
