"""The battle die."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

from domain.conquest.pieces import Units
from domain.kernel.rules.draft import Draft

Face = Literal["infantry", "cavalry", "catapult", "galley", "blank"]

FACES: tuple[Face, ...] = ("infantry", "infantry", "cavalry", "catapult", "galley", "blank")
"""The six faces, in the order of the numbers 1 to 6 that chance yields."""

WORTH: Mapping[str, Mapping[str, int]] = {"battle": {face: 1 for face in FACES if face != "blank"}}
"""What each face counts when luck is measured: a symbol can hit, if there is a unit of its type; a blank never does."""


def roll(draft: Draft[Any], count: int) -> tuple[int, tuple[Face, ...]]:
    """Roll `count` battle dice; return the number of the draw and the faces, both to be kept in an event."""
    rolled = draft.roll(count, len(FACES))
    return rolled.draw, tuple(FACES[number - 1] for number in rolled.faces)


def hits(faces: Iterable[Face], units: Units, galleys: int = 0) -> int:
    """Return the number of hits. A symbol hits at most once for each unit of its type: each die needs its own unit."""
    rolled = list(faces)
    return (
        min(rolled.count("infantry"), units.infantry)
        + min(rolled.count("cavalry"), units.cavalry)
        + min(rolled.count("catapult"), units.catapults)
        + min(rolled.count("galley"), galleys)
    )


def struck(faces: Iterable[Face], units: Units, galleys: int = 0) -> tuple[bool, ...]:
    """Tell of each die whether it hits (see `hits`). Of too many dice with a symbol, the first hit."""
    units_left = {**units.by_type, "catapult": units.catapults, "galley": galleys, "blank": 0}
    are_hits: list[bool] = []
    for face in faces:
        are_hits.append(units_left[face] > 0)
        units_left[face] -= 1
    return tuple(are_hits)


@lru_cache(maxsize=1024)
def chances(dice: int, units: Units, galleys: int = 0) -> tuple[float, ...]:
    """Return the probabilities that a number of dice make exactly 0, 1, 2 and so on hits (see `hits`)."""
    most = {"infantry": units.infantry, "cavalry": units.cavalry, "catapult": units.catapults, "galley": galleys}
    kinds = tuple(most)
    matched = {(0,) * len(kinds): 1.0}
    for _ in range(dice):
        after: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for counts, likely in matched.items():
            for face in FACES:
                more = tuple(min(count + (kind == face), most[kind]) for kind, count in zip(kinds, counts, strict=True))
                after[more] += likely / len(FACES)
        matched = after
    total = [0.0] * (min(dice, sum(most.values())) + 1)
    for counts, likely in matched.items():
        total[sum(counts)] += likely
    return tuple(total)
