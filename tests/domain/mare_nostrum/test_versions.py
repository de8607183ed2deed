"""A game of version 1 of Mare Nostrum moves to the newest from any position, and version 1 stays what it was."""

from copy import copy
from random import Random
from typing import Any

import pytest

from domain.boards import builtin
from domain.kernel.proof.verify import verify
from domain.kernel.rules.ruleset import Library
from domain.mare_nostrum.box.data import RECOMMENDED
from domain.mare_nostrum.box.editions import CHANGES, Rules
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.ruleset import MareNostrum
from tests.helpers.play import Play
from tests.helpers.sampling import sampled

NEWEST = MareNostrum()
OLD = NEWEST.at(1)
SETUPS: tuple[dict[str, Any], ...] = ({}, {"layout": "free"})
STEPS = 25
"""How many commands lie between two moves."""
AFTER = 10
"""How many commands a game goes on after it was moved."""


def begun(seed: int) -> Play:
    """Return a game of version 1: all numbers of players, both layouts."""
    numbers = tuple(RECOMMENDED)
    setup = SETUPS[seed // len(numbers) % len(SETUPS)]
    play = Play(OLD, builtin(OLD.board), numbers[seed % len(numbers)], seed, setup)
    play.library = Library([NEWEST])
    return play


def apart(play: Play) -> Play:
    """Return the same play, to be gone on with apart from it."""
    twin = copy(play)
    twin.records, twin.secrets = list(play.records), list(play.secrets)
    twin.at_each_version = dict(play.at_each_version)
    return twin


def table_of(play: Play) -> Table:
    assert isinstance(play.game.table, Table)
    return play.game.table


def test_the_versions_differ_by_switches_that_are_all_explained() -> None:
    assert OLD.rules == Rules()
    assert {change.switch for change in CHANGES} == set(Rules.__struct_fields__)
    assert all(getattr(NEWEST.rules, switch) for switch in Rules.__struct_fields__)


@pytest.mark.parametrize("seed", sampled("games that move on", range(6), 1))
def test_a_running_game_moves_to_the_newest_version_at_any_time_and_goes_on(seed: int) -> None:
    play, rng = begun(seed), Random(seed)
    phases: set[str] = set()
    while play.game.status == "running":
        moved = apart(play)
        phases.add(table_of(moved).phase)
        moved.upgrade(NEWEST.version)
        assert moved.game.ruleset.version == NEWEST.version
        assert table_of(moved).rules == NEWEST.rules
        moved.run(Random(seed), AFTER)
        assert moved.fold().table == moved.game.table
        play.run(rng, STEPS)
    assert {"trade", "construction", "military"} <= phases
    assert ("setup" in phases) == (seed >= len(RECOMMENDED))
    assert verify(play.export(), play.library).ok


@pytest.mark.parametrize("seed", sampled("games that moved on", range(6), 2))
def test_a_game_that_was_moved_is_proved_to_its_end(seed: int) -> None:
    play, rng = begun(seed), Random(seed)
    play.run(rng, 20 + 60 * seed)
    play.upgrade(NEWEST.version)
    play.run(rng)
    verdict = verify(play.export(), play.library)
    assert verdict.ok, verdict
    assert (verdict.status, play.game.began_with) == ("over", 1)
