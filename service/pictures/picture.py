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
from service.pictures.piles import Plan, fragment
from service.pictures.svg import FAMILY, box, line_of_text, number, written

EMPTY: Final = Place()
PAPER: Final = "#f6efdf"


class Sheet(Struct, frozen=True):
    """What the pictures of a game are drawn on.

    Attributes:
        plan: the map of its board, and where things go on it.
        paints: how its seats look.
        names: the names of its areas and seats.
        title: what the pictures show.
    """

    plan: Plan
    paints: Mapping[Seat, Paint]
    names: Names
    title: str

    @property
    def drawing(self) -> Drawing:
        """The map of its board."""
        return self.plan.drawing


def picture(sheet: Sheet, marks: Marks, said: str) -> str:
    """Return a position as a whole SVG; `said` is the line above it."""
    across, down = sheet.drawing.size
    areas = {
        area: fragment(area, marks.places.get(area, EMPTY), sheet.plan, sheet.paints, sheet.names)
        for area in sheet.drawing.areas
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
