"""The ground around a board: land goes on as land, and water as water."""

import re
from itertools import pairwise

import pytest

from domain.boards import Drawing, builtin_drawing
from service.pictures.beyond import Point, beyond, rings

APART = 19.0
"""So far apart the points along the frame are."""


@pytest.mark.parametrize("board", ["conquest", "italia", "mare-nostrum"])
def test_land_goes_on_beyond_the_frame_and_water_does_too(board: str) -> None:
    drawing = builtin_drawing(board)
    assert drawing is not None
    far, land = beyond(drawing)
    strips = [_corners(strip) for strip in land.split("M")[1:]]
    outlines = _land(drawing)
    same = [
        any(_within(outline, inside) for outline in outlines) == any(_within([strip], outside) for strip in strips)
        for inside, outside in _along(drawing.size, far)
    ]
    # A coast that meets the frame at an angle is elsewhere a step further in.
    assert sum(same) / len(same) > 0.96
    assert len(same) > 250


def test_an_outline_with_curves_has_no_ground_beyond() -> None:
    assert [*rings("m1,2c1,1 2,2 3,3z")] == []
    assert [*rings("m1,2l1,1 -.5,2zm1,0 2,2z")] == [[(1, 2), (2, 3), (1.5, 5)], [(2, 2), (4, 4)]]


def _along(size: tuple[int, int], far: float) -> list[tuple[Point, Point]]:
    """Return pairs of points on both sides of the frame, all around it; those outside lie farther than the corners."""
    (width, height), inset = size, 1.5
    across = [APART * step for step in range(1, int(width / APART))]
    down = [APART * step for step in range(1, int(height / APART))]
    return [
        *(((x, inset), (x, -far / 2)) for x in across),
        *(((x, height - inset), (x, height + far / 2)) for x in across),
        *(((inset, y), (-far / 2, y)) for y in down),
        *(((width - inset, y), (width + far / 2, y)) for y in down),
    ]


def _corners(strip: str) -> list[Point]:
    """Return the corners of ``x,yHxVyHxz``."""
    left, top, right, bottom, _ = map(float, re.findall(r"[-\d.]+", strip))
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _land(drawing: Drawing) -> list[list[list[Point]]]:
    provinces = (outline.path for outline in drawing.areas.values() if outline.kind == "land")
    return [list(rings(path)) for path in (drawing.terra_incognita, *provinces)]


def _within(lines: list[list[Point]], point: Point) -> bool:
    """Tell whether a point lies in an outline, by even and odd."""
    x, y = point
    crossed = 0
    for ring in lines:
        for (x1, y1), (x2, y2) in pairwise((*ring, ring[0])):
            if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
                crossed += 1
    return crossed % 2 == 1
