"""What happened, drawn over a map: arrows for what moved, rings and crosses for what happened or was lost in a place.

An event's class says which of its fields name the areas (`Event.places`), so this knows no ruleset. The kinds differ by
shape. A light outline around dark ink can be seen on every tint.
"""

from itertools import product
from math import hypot
from typing import Any, Final

from domain.boards.drawing import Drawing, Outline
from domain.kernel.rules.message import Event
from service.pictures.svg import number
from service.pictures.views import Happening

SEAM: Final = "#fffdf6"
INK: Final = "#1d1812"
LOST: Final = "#8c1c13"
BEND: Final = 0.14
"""How far an arrow bends, as a share of its length, so that arrows there and back do not cover each other."""
WIDE: Final = 1.7
"""How much wider than tall a ring is, like the pieces inside it."""
ACROSS: Final = 1600
"""The length of the longer side of a board for which the sizes here are meant."""


def happening(event: Event[Any], drawing: Drawing) -> Happening | None:
    """Return where on a map an event happened; None when it names no area of it."""
    areas = drawing.areas
    origins, reached = (
        dict.fromkeys(area for area in event.places_of(part) if area in areas) for part in ("from", "to")
    )
    moves = tuple((one, other) for one, other in product(origins, reached) if one != other)
    moved = {area for move in moves for area in move}
    removed = tuple(dict.fromkeys(area for area in event.places_of("lost") if area in areas))
    beside = dict.fromkeys((*origins, *reached, *(area for area in event.places_of("at") if area in areas)))
    at = tuple(area for area in beside if area not in moved and area not in removed)
    return Happening(moves, at, removed) if moves or at or removed else None


def drawn_happening(happened: Happening, drawing: Drawing) -> str:
    """Return the SVG of what happened."""
    areas, scale = drawing.areas, max(drawing.size) / ACROSS
    return "".join(
        (
            *(_ring(areas[area], scale, INK) for area in happened.at),
            *(_ring(areas[area], scale, LOST) + _cross(areas[area], scale) for area in happened.lost),
            *(_arrow(areas[one], areas[other], scale) for one, other in happened.moves),
        )
    )


def _ring(outline: Outline, scale: float, ink: str) -> str:
    x, y = map(number, outline.anchor)
    wide, tall = WIDE * _radius(outline, scale), _radius(outline, scale)
    oval = f'cx="{x}" cy="{y}" rx="{number(wide)}" ry="{number(tall)}" fill="none"'
    seam = f'<ellipse {oval} stroke="{SEAM}" stroke-opacity=".8" stroke-width="{number(7 * scale)}"/>'
    return f'<g class="ring">{seam}<ellipse {oval} stroke="{ink}" stroke-width="{number(3 * scale)}"/></g>'


def _cross(outline: Outline, scale: float) -> str:
    """Return a cross on the ring, up and to the right of the pieces."""
    away = _radius(outline, scale) * 0.7
    x, y, arm = outline.anchor[0] + WIDE * away, outline.anchor[1] - away, 6 * scale
    left, right, up, down = map(number, (x - arm, x + arm, y - arm, y + arm))
    badge = f'cx="{number(x)}" cy="{number(y)}" r="{number(12 * scale)}" fill="{SEAM}" stroke="{LOST}"'
    lines = f'd="M{left},{up}L{right},{down}M{left},{down}L{right},{up}" stroke="{LOST}" stroke-linecap="round"'
    return (
        f'<g class="cross"><circle {badge} stroke-width="{number(2 * scale)}"/>'
        f'<path {lines} stroke-width="{number(4 * scale)}"/></g>'
    )


def _radius(outline: Outline, scale: float) -> float:
    return min(max(outline.radius, 28 * scale), 40 * scale)


def _arrow(one: Outline, other: Outline, scale: float) -> str:
    """Return a bent arrow between the anchors of two areas. It does not cover the pieces on them."""
    (x, y), (u, v) = one.anchor, other.anchor
    long = hypot(u - x, v - y) or 1.0
    bent = BEND * long
    middle = (x + u) / 2 + bent * (y - v) / long, (y + v) / 2 + bent * (u - x) / long
    start = _towards(one.anchor, middle, min(_radius(one, scale) * 0.6, long / 4))
    tip = _towards(other.anchor, middle, min(_radius(other, scale) * 0.6, long / 4))
    back = _towards(tip, middle, 20 * scale)
    across, along = 11 * scale, hypot(tip[0] - back[0], tip[1] - back[1]) or 1.0
    side = across * (back[1] - tip[1]) / along, across * (tip[0] - back[0]) / along
    (bx, by), (sx, sy) = back, side
    head = f"M{_at(tip)}L{_at((bx + sx, by + sy))}L{_at((bx - sx, by - sy))}Z"
    line = f'd="M{_at(start)}Q{_at(middle)} {_at(back)}" fill="none" stroke-linecap="round"'
    return (
        f'<g class="moved"><path {line} stroke="{SEAM}" stroke-width="{number(10 * scale)}"/>'
        f'<path d="{head}" fill="{INK}" stroke="{SEAM}" stroke-width="{number(6 * scale)}" stroke-linejoin="round" '
        f'paint-order="stroke"/><path {line} stroke="{INK}" stroke-width="{number(5 * scale)}"/></g>'
    )


def _towards(one: tuple[float, float], other: tuple[float, float], far: float) -> tuple[float, float]:
    """Return the point at the distance `far` from `one`, in the direction of `other`."""
    (x, y), (u, v) = one, other
    share = far / (hypot(u - x, v - y) or 1.0)
    return x + share * (u - x), y + share * (v - y)


def _at(point: tuple[float, float]) -> str:
    return f"{number(point[0])},{number(point[1])}"
