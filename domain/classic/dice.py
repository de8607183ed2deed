"""The battle die (CC-BAT-06)."""

from typing import Literal

from domain.classic.table import Table
from domain.kernel.rules.draft import Draft

Face = Literal["infantry", "cavalry", "catapult", "galley", "blank"]

FACES: tuple[Face, ...] = ("infantry", "infantry", "cavalry", "catapult", "galley", "blank")
"""The six faces, in the order of the numbers 1 to 6 that chance yields."""


def roll(draft: Draft[Table], count: int) -> tuple[int, tuple[Face, ...]]:
    """Roll `count` battle dice; return the number of the draw and the faces. Store both in an event."""
    rolled = draft.roll(count, len(FACES))
    return rolled.draw, tuple(FACES[number - 1] for number in rolled.faces)
