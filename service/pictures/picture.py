"""A whole picture of a position, for whoever embeds it: heading, board, legend."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from domain.boards.drawing import Drawing
from domain.kernel.marks import Marks, Place
from domain.kernel.message import Names
from domain.kernel.words import Seat
from service.pictures.bare import board
from service.pictures.ground import ground
from service.pictures.legend import FAINT, HEADING, MARGIN, heading, legend
from service.pictures.palette import Paint
from service.pictures.svg import FAMILY, box, line_of_text, number, written
from service.pictures.tokens import fragment

EMPTY: Final = Place()
PAPER: Final = "#f6efdf"


class Sheet(Struct, frozen=True):
    """What the pictures of a game are drawn on.

    Attributes:
        drawing: the map of its board.
        paints: how its seats look.
        names: the names of its areas and seats.
        title: what the pictures show.
    """

    drawing: Drawing
    paints: Mapping[Seat, Paint]
    names: Names
    title: str


def picture(sheet: Sheet, marks: Marks, said: str) -> str:
    """Return a position as a whole SVG; `said` is the line above it."""
    across, down = sheet.drawing.size
    areas = {
        area: fragment(area, marks.places.get(area, EMPTY), outline, sheet.paints, sheet.names)
        for area, outline in sheet.drawing.areas.items()
    }
    lying = ground(marks, sheet.drawing, sheet.paints)
    top = HEADING + down + 14
    below, bottom = legend(marks.standings, marks.shelves, sheet.paints, sheet.names, top, across)
    tall = bottom + 26
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {number(tall)}" font-family="{FAMILY}">',
            f"<title>{written(f'{sheet.title}. {said}')}</title>",
            box(0, 0, across, tall, f'fill="{PAPER}"'),
            heading(sheet.title, said, across),
            f'<svg y="{HEADING}" width="{across}" height="{down}">',
            board(sheet.drawing, sheet.paints, lying, areas),
            f"</svg>{below}",
            line_of_text(sheet.drawing.credits, MARGIN, tall - 9, 11, f'fill="{FAINT}"'),
            "</svg>",
        )
    )
