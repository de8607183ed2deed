"""The viewer's JavaScript keeps the recommended rules of Biome, and is written as Biome formats it."""

from tests.contract import clients
from tests.viewer.logic import UNITS, VIEWER


def biome(*command: str) -> str:
    """Run Biome on the viewer and on the tests of its units; return what it says. Raises `AssertionError`."""
    program = clients.installed("@biomejs", "biome", "bin", "biome")
    return clients.node(program, *command, "--config-path=.", ".", UNITS, cwd=VIEWER)


def test_nothing_is_found_by_the_linter_and_nothing_is_formatted_otherwise() -> None:
    try:
        biome("ci", "--error-on-warnings")
    except AssertionError as found:
        found.add_note("`python -m tests.viewer` formats the viewer.")
        raise
