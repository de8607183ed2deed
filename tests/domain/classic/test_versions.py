"""A running game of Classic moves to the newest version of its rules from any position, goes on and is proved."""

from random import Random
from typing import Any

import pytest

from domain.boards import builtin
from domain.classic.ruleset import RULESETS, Classic
from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from tests.helpers.play import Play

BOARD = builtin("conquest")
STEPS = 800
"""Commands in which a random game has seen battles on land and at sea, prisoners, ransoms and takeovers."""
MOVES = 12
"""The positions of each game from which one moves on."""
CORRECTED = [ruleset for ruleset in RULESETS if ruleset.changes]


@pytest.mark.parametrize("ruleset", CORRECTED, ids=lambda ruleset: ruleset.id)
@pytest.mark.parametrize("seed", [15])
def test_a_game_moves_to_the_newest_version_from_any_position(ruleset: Classic, seed: int) -> None:
    play = first_version(ruleset, seed, STEPS)
    rng = Random(seed)
    running = [version for version, game in play.at_each_version.items() if game.status == "running"]
    for version in rng.sample(running, min(MOVES, len(running))):
        branch = play.at(version)
        branch.upgrade(ruleset.version)
        branch.run(rng, 20)
        assert branch.fold().table == branch.game.table
        verdict = verify(branch.export(), branch.library)
        assert verdict.ok, verdict


@pytest.mark.parametrize("ruleset", CORRECTED, ids=lambda ruleset: ruleset.id)
def test_a_game_that_was_moved_is_played_to_its_end(ruleset: Classic) -> None:
    play = first_version(ruleset, 6, 300)
    assert play.game.status == "running"
    play.upgrade(ruleset.version)
    play.run(Random(5))
    verdict = verify(play.export(), play.library)
    assert (verdict.ok, verdict.status) == (True, "over"), verdict


def first_version(ruleset: Classic, seed: int, steps: int, setup: dict[str, Any] | None = None) -> Play:
    """Return a game of the first version after `steps` random commands, in a library that knows the newest."""
    play = Play(ruleset.at(1), BOARD, ruleset.players[seed % len(ruleset.players)], seed, setup)
    play.library = Library([ruleset])
    return play.run(Random(seed), steps)
