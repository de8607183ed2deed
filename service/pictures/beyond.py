"""The ground around a map: land and water go on beyond the edge of the map.

So a page with more room than the board needs shows more ground beside it instead of empty bars.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from domain.boards.drawing import Drawing, Path, Point
from service.pictures.svg import number

NEAR: Final = 0.5
"""An outline at most this far from the edge of the map touches it: sums of rounded steps are not exact."""
SEAM: Final = 1.0
"""How far the ground reaches into the map, which is drawn over it: so there is no gap."""


def beyond(drawing: Drawing) -> tuple[float, Path]:
    """Return how far the ground reaches beyond the map on each side, and the path of the land on it."""
    provinces = (outline.path for outline in drawing.areas.values() if outline.kind == "land")
    far = sum(drawing.size)
    return far, _land((drawing.terra_incognita, *provinces), drawing.size, far)


@lru_cache(maxsize=16)
def _land(outlines: tuple[Path, ...], size: tuple[int, int], far: float) -> Path:
    lines = (line for outline in outlines for ring in rings(outline) for line in pairwise((*ring, ring[0])))
    return "".join(_strip(one, other, size, far) for one, other in lines)


def rings(path: Path) -> Iterator[list[Point]]:
    """Yield the closed lines of an outline. One with other commands than relative moves and lines has none."""
    if re.search(r"[^mlz\d\s.,-]", path):
        return
    x = y = 0.0
    for ring in path.split("m")[1:]:
        steps = [float(each) for each in re.findall(r"-?\d*\.?\d+", ring)]
        right, down = accumulate(steps[2::2], initial=x + steps[0]), accumulate(steps[3::2], initial=y + steps[1])
        points = list(zip(right, down, strict=True))
        yield points
        x, y = points[0] if ring.rstrip().endswith("z") else points[-1]


def _strip(one: Point, other: Point, size: tuple[int, int], far: float) -> Path:
    """Return the land outwards from a line of an outline; empty if the line does not lie on the edge of the map.

    A line that reaches a corner of the map also gets the land beyond that corner.
    """
    for across, along in ((0, 1), (1, 0)):
        for edge, inner, outer in ((0, SEAM, -far), (size[across], size[across] - SEAM, size[across] + far)):
            if abs(one[across] - edge) < NEAR and abs(other[across] - edge) < NEAR:
                low, high = sorted((one[along], other[along]))
                low = -far if low < NEAR else low
                high = size[along] + far if high > size[along] - NEAR else high
                (left, right), (top, bottom) = ((inner, outer), (low, high))[:: 1 if across == 0 else -1]
                return f"M{number(left)},{number(top)}H{number(right)}V{number(bottom)}H{number(left)}z"
    return ""
