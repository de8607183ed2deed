"""Luck: the dice of each seat beside what is expected of so many."""

import pytest

from domain.kernel.ids import Seat
from domain.library import LIBRARY as RULESETS
from projections import luck
from projections.store import ProjectionStore
from tests.projections.logs import CLASSIC, LIBRARY, classic_play
from tests.projections.test_projections import projected


def test_numbers_are_worth_themselves_and_symbols_what_can_hit() -> None:
    rolled = {
        ("conquest-classic-friz", "battle"): {"infantry": 2, "blank": 4},
        ("italia-1", "ten-sided"): {"1": 1, "10": 3},
        ("mare-nostrum", "battle"): {"6": 3},
        ("chess", "clock"): {"white": 1},
        ("mare-nostrum", "unknown"): {"6": 1},
    }
    symbols, ten, pips = luck.luck_of(RULESETS, rolled)
    assert (symbols.rolled, symbols.worth, symbols.expected, symbols.deviations) == (6, 2, 5, -3.286)
    assert (ten.worth, ten.expected, ten.deviations) == (31, 22, pytest.approx(9 / (4 * 8.25) ** 0.5, abs=0.001))
    assert (pips.worth, pips.expected) == (18, 10.5)


@pytest.mark.parametrize("ruleset", RULESETS.ids())
def test_every_die_of_a_ruleset_is_worth_something(ruleset: str) -> None:
    for die, sides in RULESETS.current(ruleset).dice.items():
        (fair,) = luck.luck_of(RULESETS, {(ruleset, die): dict.fromkeys(sides, 0) | {sides[0]: 1}})
        assert fair.expected > 0


async def test_each_seat_has_the_luck_of_its_own_dice(rows: ProjectionStore) -> None:
    plays = [classic_play(seed, 300) for seed in (3, 4)]
    await projected(rows, *plays)
    seats: list[tuple] = []
    totals: dict[Seat, int] = {}
    for play in plays:
        rolled = await luck.of_game(rows, play.game.id)
        assert len(rolled) > 1
        for seat, faces in rolled.items():
            seats.append((play.game.id, seat))
            (of_seat,) = luck.luck_of(LIBRARY, faces)
            assert of_seat.ruleset == CLASSIC.id
            totals[seat] = totals.get(seat, 0) + of_seat.rolled
    (together,) = luck.luck_of(LIBRARY, await luck.of_seats(rows, seats))
    assert together.rolled == sum(totals.values())
    assert await luck.of_seats(rows, []) == {}
