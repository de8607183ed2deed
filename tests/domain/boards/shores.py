"""Where the coasts of a map lie, derived from its outlines: a point by the shore for what lies there.

    python -m tests.domain.boards.shores conquest      writes those that the map lacks

One that it has stays, for some are corrected by hand: a test asks of each only that it lies by its coast.
"""

import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import domain.boards
from domain.boards import Drawing, builtin, builtin_drawing
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Board, Coast
from domain.library import LIBRARY
from service.pictures.piles import Box, Layout

Point = tuple[float, float]
Spot = tuple[AreaId, str]
"""A coast of an area."""

CELL: Final = 2
"""The side of the cells in which land and sea are told apart."""
SEAWARD: Final = (4.0, 8.0, 12.0, 16.0, 20.0)
"""So far from the shore a point is looked for."""
STEP: Final = 6
"""So far apart the points of the sea and land under a pile are."""


def rings(path: str) -> list[list[Point]]:
    """Return the closed lines of an outline, which has relative moves and lines only."""
    found: list[list[Point]] = []
    x = y = 0.0
    for command, numbers in re.findall(r"([mlz])([^mlz]*)", path):
        if command == "m":
            found.append([])
        given = [float(number) for number in re.findall(r"-?\d*\.?\d+", numbers)]
        for right, down in zip(given[::2], given[1::2], strict=True):
            x, y = x + right, y + down
            found[-1].append((round(x, 1), round(y, 1)))
        if command == "z":
            x, y = found[-1][0]
    return found


def shore(drawing: Drawing, land: AreaId, coast: Coast) -> Iterator[tuple[Point, Point]]:
    """Yield the lines of an outline that it has in common with the seas of a coast, neighbours share their ends."""
    wet = {point for sea in coast.seas for ring in rings(drawing.areas[sea].path) for point in ring}
    for ring in rings(drawing.areas[land].path):
        yield from ((one, other) for one, other in pairwise((*ring, ring[0])) if {one, other} <= wet)


def distance(point: Point, line: tuple[Point, Point]) -> float:
    """Return how far a point is from a line."""
    (x1, y1), (x2, y2) = line
    along, down = x2 - x1, y2 - y1
    length = along * along + down * down
    share = ((point[0] - x1) * along + (point[1] - y1) * down) / length if length else 0.0
    share = min(max(share, 0.0), 1.0)
    return math.dist(point, (x1 + share * along, y1 + share * down))


def _cells(lines: list[list[Point]]) -> Iterator[tuple[int, int]]:
    """Yield the cells of a grid whose middles lie in an outline."""
    rows: defaultdict[int, list[float]] = defaultdict(list)
    for ring in lines:
        for (x1, y1), (x2, y2) in pairwise((*ring, ring[0])):
            for row in range(math.ceil(min(y1, y2) / CELL - 0.5), math.ceil(max(y1, y2) / CELL - 0.5)):
                rows[row].append(x1 + ((row + 0.5) * CELL - y1) * (x2 - x1) / (y2 - y1))
    for row, crossed in rows.items():
        ends = iter(sorted(crossed))
        for left, right in zip(ends, ends, strict=True):
            yield from ((column, row) for column in range(math.ceil(left / CELL - 0.5), math.ceil(right / CELL - 0.5)))


class Shores:
    """The coasts of a board, and the best place for a pile at each."""

    def __init__(self, board: Board, drawing: Drawing) -> None:
        ruleset = next(each for each in map(LIBRARY.current, LIBRARY.ids()) if each.board == board.id)
        printed = ruleset.printed(board)
        self.drawing = drawing
        self.coasts = {(area.id, coast.id): coast for area in board.areas for coast in area.coasts}
        self._names = list(Layout(drawing, printed).named.values())
        self._cells = {cell: area for area, outline in drawing.areas.items() for cell in _cells(rings(outline.path))}

    def under(self, x: float, y: float) -> AreaId | None:
        """Return the area in which a point lies."""
        return self._cells.get((int(x) // CELL, int(y) // CELL))

    def derived(self) -> dict[Spot, Point]:
        """Return a point for each coast: each looks for the best one three times, as the others then lie."""
        found = {
            (area, coast): point
            for area, outline in self.drawing.areas.items()
            for coast, point in outline.coasts.items()
        }
        wanted = {spot: list(self._candidates(spot)) for spot in self.coasts if spot not in found}
        for _ in range(3):
            for spot, candidates in wanted.items():
                others = [pile(point) for other, point in found.items() if other != spot]
                _, found[spot] = min(
                    (cost + 4 * sum(map(pile(point).common, others)), point) for cost, point in candidates
                )
        return found

    def _candidates(self, spot: Spot) -> Iterator[tuple[float, Point]]:
        """Yield points off a coast, each with how bad it is by itself."""
        land, _ = spot
        lines = list(shore(self.drawing, land, self.coasts[spot]))
        middle = _middle(lines)
        anchors = (outline.anchor for outline in self.drawing.areas.values())
        places = [Box(x - 44, y - 22, x + 44, y + 22) for x, y in anchors]
        reach = max(40.0, 0.35 * sum(math.dist(*line) for line in lines))
        seen: set[Point] = set()
        for one, other in lines:
            for away in (each * side for each in SEAWARD for side in (1, -1)):
                length = math.dist(one, other) or 1.0
                x = (one[0] + other[0]) / 2 + away * (other[1] - one[1]) / length
                y = (one[1] + other[1]) / 2 - away * (other[0] - one[0]) / length
                point = (float(round(x)), float(round(y)))
                if point in seen or self.under(x, y) not in self.coasts[spot].seas:
                    continue
                seen.add(point)
                box = pile(point)
                hidden = sum(map(box.common, self._names))
                crowded = sum(map(box.common, places))
                cost = 6 * hidden + 3 * crowded + 900 * self._strange(box, spot)
                yield cost + 200 * math.dist(point, middle) / reach, point

    def _strange(self, box: Box, spot: Spot) -> float:
        """Return how much of a pile would lie neither on the land nor on its seas; some of it shall lie on the land."""
        land, _ = spot
        under = [
            self.under(x, y)
            for x in range(int(box.left), int(box.right) + 1, STEP)
            for y in range(int(box.top), int(box.bottom) + 1, STEP)
        ]
        seas = self.coasts[spot].seas
        own = under.count(land) / len(under)
        strange = sum(area != land and area not in seas for area in under) / len(under)
        return 2 * strange + max(0.0, 0.15 - own)


def pile(point: Point) -> Box:
    """Return the room that a galley with a piece aboard takes."""
    x, y = point
    return Box(x - 32, y - 15, x + 32, y + 15)


def _middle(lines: list[tuple[Point, Point]]) -> Point:
    """Return the middle of the longest stretch of lines that follow each other."""
    stretches: list[list[tuple[Point, Point]]] = []
    for line in lines:
        if stretches and stretches[-1][-1][1] == line[0]:
            stretches[-1].append(line)
        else:
            stretches.append([line])
    longest = max(stretches, key=lambda stretch: sum(math.dist(*line) for line in stretch))
    half = sum(math.dist(*line) for line in longest) / 2
    for one, other in longest:
        half -= math.dist(one, other)
        if half <= 0:
            return other
    return longest[-1][1]


def write(board: str) -> None:
    """Write the points of a board's coasts into its map."""
    drawing = builtin_drawing(board)
    assert drawing is not None
    found = Shores(builtin(board), drawing).derived()
    file = Path(domain.boards.__file__).parent / f"{board}.map.json"
    lines = file.read_text().split("\n")
    for number, line in enumerate(lines):
        area = line.split('"')[1] if line.startswith('"') else ""
        points = {coast: point for (land, coast), point in found.items() if land == area}
        if points:
            outline = json.loads(f"{{{line.removesuffix(',')}}}")
            outline[area]["coasts"] = points
            lines[number] = json.dumps(outline, ensure_ascii=False)[1:-1] + ("," if line.endswith(",") else "")
    file.write_text("\n".join(lines))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(name)
