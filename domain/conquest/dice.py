"""The battle die."""

from collections.abc import Iterable
from typing import Any, Literal

from domain.conquest.pieces import Units
from domain.kernel.rules.draft import Draft

Face = Literal["infantry", "cavalry", "catapult", "galley", "blank"]

FACES: tuple[Face, ...] = ("infantry", "infantry", "cavalry", "catapult", "galley", "blank")
"""The six faces, in the order of the numbers 1 to 6 that chance yields."""


def roll(draft: Draft[Any], count: int) -> tuple[int, tuple[Face, ...]]:
    """Roll `count` battle dice; return the number of the draw and the faces, both to be kept in an event."""
    rolled = draft.roll(count, len(FACES))
    return rolled.draw, tuple(FACES[number - 1] for number in rolled.faces)


def hits(faces: Iterable[Face], units: Units, galleys: int = 0) -> int:
    """Match dice with units, one die to each: a symbol hits no oftener than there are units of its type."""
    rolled = list(faces)
    return (
        min(rolled.count("infantry"), units.infantry)
        + min(rolled.count("cavalry"), units.cavalry)
        + min(rolled.count("catapult"), units.catapults)
        + min(rolled.count("galley"), galleys)
    )
