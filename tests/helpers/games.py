"""The games of the library: for each package of rules in `domain` its rulesets, scenarios and laws."""

from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from tests.helpers.laws.laws import Laws

SCENARIOS: Final = Path(__file__).parents[1] / "scenarios"


def _package(ruleset: Ruleset[Any]) -> str:
    return type(ruleset).__module__.split(".")[1]


GAMES: Final = {
    package: tuple(rulesets)
    for package, rulesets in groupby(sorted(map(LIBRARY.current, LIBRARY.ids()), key=_package), key=_package)
}
"""The packages, each with its rulesets."""


def scenarios_of(game: str) -> Path:
    """Return the folder of a game's scenarios: its name is what the ids of the rulesets begin with."""
    (folder,) = (each for each in SCENARIOS.iterdir() if GAMES[game][0].id.startswith(each.name))
    return folder


def laws_of(game: str) -> Iterator[Laws]:
    """Yield the laws that the tests of a game check."""
    for name, found in vars(import_module(f"tests.domain.{game}.test_laws")).items():
        if name.startswith("Test") and issubclass(found, Laws):
            yield found()
