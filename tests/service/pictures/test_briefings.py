"""What newcomers are told of each game: there is something, and it forgets nothing that lies on the board."""

from importlib import resources

import pytest

from domain.boards import builtin
from domain.kernel.rules.briefing import briefing_of
from domain.library import LIBRARY
from service.bots.simulation import Plan, Simulation

RULESETS = sorted(LIBRARY.ids())
EVERY = 40
"""Events between two looks at the table."""


@pytest.mark.parametrize("name", RULESETS)
def test_the_legend_explains_everything_that_lies_on_the_board(name: str) -> None:
    ruleset = LIBRARY.current(name)
    assert ruleset.briefing is not None
    kinds = {mark.kind for marks in ruleset.printed(builtin(ruleset.board)).values() for mark in marks}
    simulation = Simulation(Plan(name, ruleset.players[-1], seed=1, rounds=6))
    for number, step in enumerate(simulation.play()):
        if number % EVERY == 0 and step.game.table is not None:
            laid = ruleset.marks(ruleset.view(step.game.table, simulation.vault), step.game.names)
            for place in laid.places.values():
                kinds |= {
                    mark.kind for marks in (place.sites, *(each.marks for each in place.stacks)) for mark in marks
                }
            kinds |= {link.kind for link in laid.links}
    assert len(kinds) > 5
    assert not kinds - ruleset.briefing.pieces.keys()
    drawn = resources.files("service.pictures").joinpath("glyphs.svg").read_text() + ruleset.glyphs
    assert all(f'id="glyph-{kind}"' in drawn for kind in ruleset.briefing.pieces)


def test_a_ruleset_that_no_file_tells_of_has_none() -> None:
    assert briefing_of("another", "briefing = []", LIBRARY.current(RULESETS[0]).catalogue) is None
