"""Which regulations a tournament can have."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.log.clock import Clock
from domain.kernel.rules.refusal import Refusal
from domain.tournament.regulations import TOURNAMENTS, Preset, Random, Swiss, require_sound_regulations
from tests.helpers.tournaments import SEATS, regulations


@pytest.mark.rule("TAB-TRN-02")
@pytest.mark.parametrize(
    ("changes", "asked", "right"),
    [
        ({"sizes": ()}, "There are no sizes of tables.", "A table of tiny has 2, 3, 4, 5, 6 players."),
        ({"sizes": (7, 3)}, "A table of 7 cannot be played.", "has 2, 3, 4, 5, 6 players"),
        ({"sizes": (1, 3)}, "A table of 1 cannot be played.", "has 2, 3, 4, 5, 6 players"),
        ({"sizes": (3, 4, 3)}, "A size of tables stands there twice.", "Name each size once"),
        ({"sizes": (4, 3, 5)}, "There are points for tables of 3 and 4.", "tables of 3, 4 and 5, one list each"),
        ({"points": ((3, 2, 1), (4, 3, 2, 1), (2, 1))}, "points for tables of 2, 3 and 4", "tables of 3 and 4"),
        ({"points": ((3, 4, 1), (4, 3, 2, 1))}, "The points 3-4-1 rise with the place.", "never has more points"),
        ({"points": ((3, 2, -1), (4, 3, 2, 1))}, "The points 3-2--1 are out of bounds.", "0 to 1,000"),
        ({"points": ((1001, 2, 1), (4, 3, 2, 1))}, "The points 1001-2-1 are out of bounds.", "0 to 1,000"),
        ({"stages": ()}, "there is no stage", "Give one stage or more"),
        ({"stages": (Swiss(2), Random(0))}, "A stage has no rounds", "each of one round or more"),
        ({"stages": (Swiss(20), Random(11))}, "rounds = 31", "Expected 1 to 30."),
        ({"bye": -1}, "bye = -1", "Expected 0 to 1000."),
        ({"late": 3}, "late = 3", "Expected 1 to 2."),
        ({"confirmed_after": 721}, "confirmed_after = 721", "Expected 0 to 720."),
        ({"entrants": 2}, "entrants = 2", "Expected 3 to 1000."),
        ({"entrants": 1001}, "entrants = 1001", "Expected 3 to 1000."),
        ({"tie_breaks": ("wins", "lot", "wins")}, "A tie-break stands there twice.", "once"),
        ({"bans": (("a", "b"), ("c", "c"))}, "banned from meeting themselves", "two players"),
    ],
)
def test_what_cannot_be_played_is_refused(changes: dict[str, Any], asked: str, right: str) -> None:
    with pytest.raises(Refusal) as refusal:
        require_sound_regulations(regulations(**changes), SEATS)
    assert refusal.value.rule == "TAB-TRN-02"
    assert asked in refusal.value.wrong
    assert right in refusal.value.allowed


@pytest.mark.rule("TAB-TRN-02")
def test_a_table_has_as_many_players_as_the_ruleset_has_seats() -> None:
    require_sound_regulations(regulations(), (2, 3, 4))
    with pytest.raises(Refusal, match=r"A table of 4 cannot be played. A table of tiny has 2, 3 players."):
        require_sound_regulations(regulations(), (2, 3))


@pytest.mark.rule("TAB-TRN-02", "TAB-CLK-02")
def test_the_clock_fits_every_table() -> None:
    clock = Clock(kind="bank", time=3600, at_zero="end")
    with pytest.raises(Refusal, match="TAB-CLK-02"):
        require_sound_regulations(regulations(clock=clock), SEATS)
    require_sound_regulations(regulations(clock=replace(clock, at_zero="answer")), SEATS)


@pytest.mark.parametrize("preset", TOURNAMENTS, ids=[each.name for each in TOURNAMENTS])
@pytest.mark.parametrize("seats", [(2,), (2, 3), (3, 4, 5), (2, 3, 4, 5, 6)])
def test_presets_are_sound(preset: Preset, seats: tuple[int, ...]) -> None:
    made = preset.regulations("tiny", seats)
    require_sound_regulations(made, seats)
    assert made.clock is not None
    assert (made.rounds, len(made.sizes)) == (preset.rounds, min(2, len(seats)))


def test_stages_follow_each_other() -> None:
    two = regulations(stages=(Random(1), Swiss(2)))
    assert [two.stage_of(played) for played in range(4)] == [Random(1), Swiss(2), Swiss(2), None]
