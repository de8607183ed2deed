"""The viewer's modules that need neither a page nor a game, by Node's own runner: `units/`."""

from tests.contract import clients
from tests.viewer.logic import PAGE, UNITS


def test_every_unit_keeps_its_word() -> None:
    files = sorted(UNITS.glob("*.test.js"))
    assert files
    clients.node(*PAGE, "--test", *files)
