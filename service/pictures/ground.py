"""The SVG under the pieces: the owner of each land, and the links between areas."""

from collections.abc import Mapping
from typing import Final

from domain.boards.drawing import Drawing
from domain.kernel.ids import Seat
from domain.kernel.rules.marks import Link, Marks
from service.pictures.palette import Paint
from service.pictures.svg import number, written

TINT: Final = 0.42
"""The opacity of an owner's colour on their land. With less, dark colours look alike to people who are colour-blind."""


def ground(marks: Marks, drawing: Drawing, paints: Mapping[Seat, Paint]) -> str:
    """Return the tints of the land and the links on it."""
    tints = "".join(
        # The hatching is a second shape: if its pattern had a coloured ground, the edges of its tiles would show.
        f'<use href="#shape-{area}" fill="{paint.colour}" fill-opacity="{TINT}"/>'
        f'<use href="#shape-{area}" fill="url(#strewn-{written(place.owner)})"/>'
        for area, place in marks.places.items()
        if place.owner is not None and (paint := paints.get(place.owner)) is not None and area in drawing.areas
    )
    links = "".join(_link(link, drawing) for link in marks.links if all(end in drawing.areas for end in link.between))
    return f"{tints}{links}"


def _link(link: Link, drawing: Drawing) -> str:
    """Return a link between two areas as a line between their anchors."""
    (x1, y1), (x2, y2) = (drawing.areas[end].anchor for end in link.between)
    line = f'd="M{number(x1)},{number(y1)}L{number(x2)},{number(y2)}"'
    return (
        f'<g class="{link.kind}" fill="none" stroke-linecap="round"><title>{written(link.words)}</title>'
        f'<path {line} stroke="#4d3a22" stroke-width="6"/>'
        f'<path {line} stroke="#e9d9a8" stroke-width="3" stroke-dasharray="7 4"/></g>'
    )
