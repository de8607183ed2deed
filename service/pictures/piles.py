"""The SVG of the pieces in an area: a fragment for the area's group of the bare board."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from domain.boards.drawing import Drawing, Outline
from domain.kernel.ids import AreaId
from domain.kernel.rules.marks import Mark, Place, Stack
from domain.kernel.rules.message import Names
from service.pictures.palette import NOBODY, Look
from service.pictures.svg import number, symbol, width, written
from service.pictures.tokens import Owner, Token, pill, plate, swords

GAP: Final = 3.0
"""The distance between tokens, and between rows of tokens."""
NAMED: Final = 13.5
"""The font size of the names of areas."""


class Box(Struct, frozen=True):
    """A rectangle, by its edges."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, right: float, down: float) -> "Box":
        return Box(self.left + right, self.top + down, self.right + right, self.bottom + down)

    def widened(self, by: float) -> "Box":
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def meets(self, other: "Box") -> bool:
        return self.common(other) > 0

    def lies_in(self, other: "Box") -> bool:
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom

    def distance(self, point: tuple[float, float]) -> float:
        """Return how far a point is from the rectangle; 0 for a point inside."""
        x, y = point
        return math.dist(point, (min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)))

    def common(self, other: "Box") -> float:
        """Return the area that lies in both."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        tall = min(self.bottom, other.bottom) - max(self.top, other.top)
        return wide * tall if wide > 0 and tall > 0 else 0.0


class Layout:
    """Where names, what is printed below them, and piles lie on a map. Piles avoid all names."""

    def __init__(self, drawing: Drawing, printed: Mapping[AreaId, tuple[Mark, ...]]) -> None:
        self.drawing = drawing
        self.printed = printed
        self._rows = {area: _printed(marks) for area, marks in printed.items() if area in drawing.areas}
        self.named = {
            area: _room_of_name(outline, self._rows.get(area, _NOTHING).width)
            for area, outline in drawing.areas.items()
        }
        self._piles: dict[tuple[AreaId, float, float, str, Box | None], Box] = {}

    def row(self, area: AreaId) -> str:
        """Return the SVG of what is printed in an area: a row below its name."""
        row = self._rows.get(area)
        if row is None:
            return ""
        outline = self.drawing.areas[area]
        (x, y), angle = outline.label, number(outline.angle)
        turned = f" rotate({angle})" if outline.angle else ""
        below = f'<g transform="translate({number(-row.width / 2)} {number(NAMED / 2)})" {_FAINT}>{row.svg}</g>'
        return f'<g transform="translate({number(x)} {number(y)}){turned}"><g class="printed">{below}</g></g>'

    def pile(self, area: AreaId, wide: float, tall: float, coast: str = "", beside: Box | None = None) -> Box:
        """Return where a pile lies: on the board, near the anchor of its area or coast, if possible hiding no name.

        `beside` is the pile in the area itself, which a pile on a coast avoids, too.
        """
        key = area, wide, tall, coast, beside
        box = self._piles.get(key)
        if box is None:
            if len(self._piles) >= KNOWN:
                self._piles.clear()
            box = self._piles[key] = self._put(*key)
        return box

    def _put(self, area: AreaId, wide: float, tall: float, coast: str, beside: Box | None) -> Box:
        outline = self.drawing.areas[area]
        x, y = outline.coasts.get(coast, outline.anchor)
        across, down = self.drawing.size
        middle = Box(x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2)
        right = max(3 - middle.left, 0) or min(across - 3 - middle.right, 0)
        middle = middle.moved(right, max(3 - middle.top, 0) or min(down - 3 - middle.bottom, 0))
        near = [(x * tall / 60, y * tall / 60) for x, y in _STEPS] if tall > 60 else _STEPS
        around = middle.widened(REACH * max(2, tall / 60))
        # Hiding a neighbour's name is as bad as hiding the area's own. Hiding the place of its pieces is less bad.
        hidden = self.named.values() if beside is None else (*self.named.values(), beside)
        names = [each for each in hidden if each.meets(around)]
        others = [other for other in self._others(area, coast) if other.meets(around)]
        if not any(other.meets(middle) for other in (*names, *others)):
            return middle
        whole = Box(0, 0, across, down)
        best = middle
        for steps in (near, [*near, *_LEAPS]):
            places = (middle.moved(*step) for step in steps)
            on_board = [place for place in places if place.lies_in(whole)]
            best = min(on_board, key=lambda place: _cost(place, middle, names, others), default=middle)
            if not any(map(best.meets, names)):
                break
        return best

    def _others(self, area: AreaId, coast: str) -> Iterator[Box]:
        """Yield where other piles may lie. Only a pile on a coast avoids piles on coasts, because these are rare."""
        for other, outline in self.drawing.areas.items():
            if other != area:
                x, y = outline.anchor
                yield Box(x - 44, y - 11, x + 44, y + 11)
            for other_coast, (x, y) in outline.coasts.items() if coast else ():
                if (other, other_coast) != (area, coast):
                    yield Box(x - 30, y - 11, x + 30, y + 11)


KNOWN: Final = 4096
"""The most piles whose places are cached."""
REACH: Final = 42
"""How far from its anchor a pile is moved to avoid a name."""
_STEPS: Final = [(float(x), float(y)) for y in range(-REACH, REACH + 1, 6) for x in range(-REACH, REACH + 1, 6)]
_LEAPS: Final = [(2 * x, 2 * y) for x, y in _STEPS]
"""For piles that would hide a name at every place near their anchor."""


def _cost(place: Box, middle: Box, names: Iterable[Box], others: Iterable[Box]) -> float:
    """Return how bad a place is: hiding a name is far worse than lying to the side, which is worse than lying below."""
    hidden = 2 * sum(map(place.common, names)) + 0.12 * sum(map(place.common, others))
    return hidden + 1.5 * abs(place.left - middle.left) + abs(place.top - middle.top)


NEARER: Final = 1.2
"""How much larger pieces are drawn on a screen than in a whole picture, so that figures on them can be read."""
LARGEST_PIECES: Final = 1.5
"""The largest scale of pieces. With a larger one, they would hide each other."""
SCREEN: Final = 1.2
"""The aspect ratio of the room for a board on a screen, or a little less, so that piles do not touch."""


def screen_scale(drawing: Drawing) -> float:
    """Return how much larger pieces are drawn on a screen: more on a tall board, because a screen shows it smaller."""
    across, down = drawing.size
    return round(min(max(NEARER, SCREEN * down / across), LARGEST_PIECES), 1)


def fragment(area: AreaId, place: Place, plan: Layout, look: Look, larger: float = 1.0) -> str:
    """Return the SVG of what lies in an area. Its title describes everything, and each token has a title, too."""
    description = described(area, place, plan.printed.get(area, ()), look.names)
    hit = f'<use href="#shape-{area}" class="hit" pointer-events="all"/>'
    return f"<title>{written(description)}</title>{hit}{plan.row(area)}{_pieces(area, place, plan, look, larger)}"


def described(area: AreaId, place: Place, printed: Iterable[Mark], names: Names) -> str:
    """Return in words what lies in an area."""
    owner = " of ".join(names(each) for each in (place.nation, place.owner) if each)
    parts = [names(area) + (f", {owner}" if owner else "")]
    parts += [place.battle] if place.battle else []
    parts += [mark.words for mark in place.sites if mark.words]
    parts += [stack.words for stack in place.stacks]
    parts += [place.words] if place.words else []
    parts += [mark.words for mark in printed]
    return "; ".join(parts)


def _pieces(area: AreaId, place: Place, plan: Layout, look: Look, larger: float) -> str:
    """Return what lies in an area itself, and on its coasts. If a coast has no anchor, its stacks lie in the area."""
    outline = plan.drawing.areas[area]
    by_coast: dict[str, list[Stack]] = {"": []}
    for stack in place.stacks:
        by_coast.setdefault(stack.coast if stack.coast in outline.coasts else "", []).append(stack)
    room = max(88.0, 3.2 * outline.radius)
    rows = [*_sites(place, look, room), *_stacks(by_coast.pop(""), look, room)]
    beside, svg = _laid(area, rows, plan, larger) if rows else (None, "")
    for coast, stacks in by_coast.items():
        svg += _laid(area, [*_stacks(stacks, look, 88.0)], plan, larger, coast, beside)[1]
    return svg


def _laid(
    area: AreaId, rows: Sequence[list[Token]], plan: Layout, larger: float, coast: str = "", beside: Box | None = None
) -> tuple[Box, str]:
    """Return where a pile lies, and its SVG: enlarged only if there is room for that."""
    outline = plan.drawing.areas[area]
    anchor = outline.coasts.get(coast, outline.anchor)
    pile = plan.pile(area, *_extent(rows, larger), coast, beside)
    if larger > 1 and (pile.distance(anchor) > APART or any(map(pile.meets, plan.named.values()))):
        larger = 1.0
        pile = plan.pile(area, *_extent(rows, larger), coast, beside)
    leader = _leader(anchor, pile) if pile.distance(anchor) > APART else ""
    return (
        pile,
        f'{leader}<g class="{" ".join(_classes(pile, plan.drawing, larger))}">{_rows_as_svg(rows, pile, larger)}</g>',
    )


GROWN: Final = 2.4
"""The largest factor by which a page enlarges piles when it shows much of the board."""


def _classes(pile: Box, drawing: Drawing, larger: float) -> Iterator[str]:
    """Yield the CSS classes of a pile. A page needs them to enlarge it: is it large already, and near which edges?"""
    yield "pile"
    if larger > 1:
        yield "large"
    across, down = drawing.size
    aside, below = (
        (end - start) * (GROWN - 1) / 2 for start, end in ((pile.left, pile.right), (pile.top, pile.bottom))
    )
    if pile.left < aside:
        yield "west"
    elif pile.right > across - aside:
        yield "east"
    if pile.top < below:
        yield "north"
    elif pile.bottom > down - below:
        yield "south"


APART: Final = 30
"""A pile that lies farther than this from its anchor is joined to it by a line."""


def _leader(anchor: tuple[float, float], pile: Box) -> str:
    """Return a line from the anchor of a pile to its middle. The pile covers the end of the line."""
    x, y = map(number, anchor)
    line = f'd="M{x},{y}L{number((pile.left + pile.right) / 2)},{number((pile.top + pile.bottom) / 2)}"'
    return (
        f'<g class="leader" stroke-linecap="round"><path {line} stroke="#fffaf0" stroke-width="5"/>'
        f'<path {line} stroke="#33291a" stroke-width="1.5"/><circle cx="{x}" cy="{y}" r="3" fill="#33291a"/></g>'
    )


def _extent(rows: Sequence[list[Token]], larger: float) -> tuple[float, float]:
    """Return how wide and how tall a pile is."""
    tall = sum(_height(row) + GAP for row in rows) - GAP
    return max(_length(row) for row in rows) * larger, tall * larger


def _rows_as_svg(rows: Iterable[list[Token]], pile: Box, larger: float) -> str:
    enlarged = f" scale({number(larger)})" if larger > 1 else ""
    top = pile.top
    tokens: list[str] = []
    for row in rows:
        left = (pile.left + pile.right - _length(row) * larger) / 2
        for token in row:
            tokens.append(f'<g transform="translate({number(left)} {number(top)}){enlarged}">{token.svg}</g>')
            left += (token.width + GAP) * larger
        top += (_height(row) + GAP) * larger
    return "".join(tokens)


def _length(row: Iterable[Token]) -> float:
    return sum(token.width + GAP for token in row) - GAP


def _height(row: Iterable[Token]) -> float:
    return max(token.height for token in row)


# As with names, a light outline makes what is printed readable on any tint. Glyphs are scaled down to half, so their
# outline has the double width.
_FAINT: Final = 'fill="#4d3f28" font-size="11" stroke="#efe6cf" stroke-width="4" paint-order="stroke"'
_SMALL: Final = 11.5
"""The height of a printed row."""


def _room_of_name(outline: Outline, below: float) -> Box:
    """Return the room of the name of an area and of the row that is printed below it, which is `below` wide."""
    angle = math.radians(outline.angle)
    wide = max(width(outline.text, NAMED), below)
    tall = NAMED + (_SMALL if below else 0)
    lower = (tall - NAMED) / 2
    x, y = outline.label[0] - lower * math.sin(angle), outline.label[1] + lower * math.cos(angle)
    across = (wide * abs(math.cos(angle)) + tall * abs(math.sin(angle))) / 2
    down = (wide * abs(math.sin(angle)) + tall * abs(math.cos(angle))) / 2
    return Box(x - across, y - down, x + across, y + down + 1)


def _printed(marks: Iterable[Mark]) -> Token:
    """Return a row of small glyphs with their figures."""
    parts: list[str] = []
    x = 0.0
    for mark in marks:
        parts.append(symbol(f"glyph-{mark.kind}", x, 0, _SMALL))
        x += _SMALL + 1
        if mark.label:
            parts.append(f'<text x="{number(x)}" y="9.5" stroke-width="2.2">{written(mark.label)}</text>')
            x += width(mark.label, 11) + 1
    return Token(max(x - 1, 0), _SMALL, "".join(parts))


_NOTHING: Final = Token(0, 0, "")


def _sites(place: Place, look: Look, room: float) -> Iterator[list[Token]]:
    """Yield rows of tokens for what stands in an area: a battle, and its sites."""
    battle = [swords(place.battle)] if place.battle else []
    return _broken([*battle, *_plates(place.sites, look)], room)


TOGETHER: Final = 4
"""The most owners that share a plate."""


def _plates(sites: Iterable[Mark], look: Look) -> Iterator[Token]:
    """Yield a plate for each mark; marks of one kind with different owners, such as influence, share one."""
    for (_, is_owned), group in groupby(sites, key=lambda mark: (mark.kind, mark.seat is not None)):
        alike = tuple(group)
        at_once = TOGETHER if len({mark.seat for mark in alike}) == len(alike) else 1
        for first in range(0, len(alike), at_once):
            marks = alike[first : first + at_once]
            yield plate(marks, tuple(_owner(mark, look) for mark in marks) if is_owned else ())


def _owner(mark: Mark, look: Look) -> Owner:
    paint = NOBODY if mark.seat is None else look.paints.get(mark.seat, NOBODY)
    return Owner(paint, look.signs.get(mark.nation, ""))


def _stacks(stacks: Iterable[Stack], look: Look, room: float) -> Iterator[list[Token]]:
    """Yield rows of tokens for stacks of pieces."""
    tokens = (pill(each, look.paints.get(each.seat, NOBODY), look.signs.get(each.nation, "")) for each in stacks)
    return _broken(tokens, room)


def _broken(tokens: Iterable[Token], room: float) -> Iterator[list[Token]]:
    row: list[Token] = []
    used = 0.0
    for token in tokens:
        if row and used + token.width > room:
            yield row
            row, used = [], 0.0
        row.append(token)
        used += token.width + GAP
    if row:
        yield row
