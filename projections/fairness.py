"""Pearson's chi-square test: how likely it is that a fair die strays at least so far from the expected counts."""

import math
from collections.abc import Sequence

from msgspec import Struct

SMALLEST_EXPECTED = 5
"""Below this expected count of some face the test says nothing (Cochran's rule)."""


class FairnessTest(Struct, frozen=True):
    """Pearson's chi-square test of a die.

    Attributes:
        chi_square: how far the counts are from those expected.
        degrees: the degrees of freedom.
        p: the probability that a fair die strays as far or further. A very small p speaks against the die; but of a
            hundred fair dice, one has a p below 0.01.
    """

    chi_square: float
    degrees: int
    p: float


def fairness(observed: Sequence[int], sides: Sequence[int]) -> FairnessTest | None:
    """Test counts of faces against a die with so many sides for each face. Return None when there are too few rolls."""
    total, all_sides = sum(observed), sum(sides)
    expected = [total * number / all_sides for number in sides] if all_sides else []
    if len(expected) < 2 or min(expected) < SMALLEST_EXPECTED:
        return None
    chi_square = sum((count - hoped) ** 2 / hoped for count, hoped in zip(observed, expected, strict=True))
    degrees = len(expected) - 1
    return FairnessTest(chi_square, degrees, survival(chi_square, degrees))


def survival(chi_square: float, degrees: int) -> float:
    """Return the probability that a chi-square variable is at least this large: Q(degrees / 2, chi_square / 2).

    The regularized upper incomplete gamma function, by its closed sums for whole and half arguments (Abramowitz and
    Stegun 26.4.4, 26.4.5).
    """
    if chi_square <= 0:
        return 1.0
    half = chi_square / 2
    if degrees % 2:
        total, start = math.erfc(math.sqrt(half)), 0.5
    else:
        total, start = math.exp(-half), 1.0
    exponent = start
    while exponent < degrees / 2:
        total += math.exp(exponent * math.log(half) - half - math.lgamma(exponent + 1))
        exponent += 1
    return min(1.0, total)
