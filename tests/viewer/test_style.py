"""The viewer's JavaScript keeps the recommended rules of Biome, and is written as Biome formats it."""

from tests.contract import clients
from tests.viewer.logic import UNITS, VIEWER


def test_nothing_is_found_by_the_linter_and_nothing_is_formatted_otherwise() -> None:
    biome = clients.installed("@biomejs", "biome", "bin", "biome")
    clients.node(biome, "ci", "--error-on-warnings", "--config-path=.", ".", UNITS, cwd=VIEWER)
