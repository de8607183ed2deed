"""The chi-square test, against published tables."""

import random

import pytest

from projections.fairness import fairness, survival


@pytest.mark.parametrize(
    ("chi_square", "degrees", "p"),
    [
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (5.991, 2, 0.05),
        (7.815, 3, 0.05),
        (9.488, 4, 0.05),
        (11.070, 5, 0.05),
        (15.086, 5, 0.01),
        (19.675, 11, 0.05),
        (30.144, 19, 0.05),
        (10.828, 1, 0.001),
    ],
)
def test_critical_values_are_those_of_the_tables(chi_square: float, degrees: int, p: float) -> None:
    assert survival(chi_square, degrees) == pytest.approx(p, rel=2e-3)


def test_equal_counts_are_as_fair_as_can_be() -> None:
    found = fairness([20, 10, 10], [2, 1, 1])
    assert found is not None
    assert (found.chi_square, found.p) == (0, 1)


def test_too_few_rolls_say_nothing() -> None:
    assert fairness([4, 4, 4, 4, 4, 4], [1] * 6) is None
    assert fairness([], []) is None
    assert fairness([100], [1]) is None


def test_a_loaded_die_is_found_out_and_fair_ones_are_seldom_accused() -> None:
    loaded = fairness([100, 100, 100, 100, 100, 180], [1] * 6)
    assert loaded is not None
    assert loaded.p < 1e-6
    rng = random.Random(1)
    tests = [fairness([rolls.count(face) for face in range(6)], [1] * 6) for rolls in _rolls(rng)]
    accused = sum(test is not None and test.p < 0.05 for test in tests)
    assert 2 <= accused <= 25


def _rolls(rng: random.Random) -> list[list[int]]:
    return [[rng.randrange(6) for _ in range(300)] for _ in range(200)]


def test_enormous_deviations_have_no_chance_left() -> None:
    found = fairness([100_000, 0], [1, 1])
    assert found is not None
    assert found.p == 0
    assert survival(1e5, 4) == 0
