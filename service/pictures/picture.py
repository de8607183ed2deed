"""A whole picture of a position, to be embedded: heading, board, legend."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from domain.boards.drawing import Drawing
from domain.kernel.ids import Seat
from domain.kernel.rules.marks import Marks, Place
from domain.kernel.rules.message import Names
from service.pictures.bare import board
from service.pictures.ground import ground
from service.pictures.legend import FAINT, HEADING, MARGIN, heading, legend
from service.pictures.palette import Look, Paint
from service.pictures.piles import LARGEST_PIECES, Layout, fragment
from service.pictures.svg import FAMILY, box, line_of_text, number, written

EMPTY: Final = Place()
READABLE: Final = 900
"""The width in pixels at which a picture can be read without zooming."""
LARGEST: Final = 2.4
PAPER: Final = "#f6efdf"


class Sheet(Struct, frozen=True):
    """What the pictures of a game are drawn on.

    Attributes:
        plan: the map of its board, and where things go on it.
        look: how its seats look, and the names of its areas.
        title: the title of the pictures.
    """

    plan: Layout
    look: Look
    title: str

    @property
    def paints(self) -> Mapping[Seat, Paint]:
        """How its seats look."""
        return self.look.paints

    @property
    def names(self) -> Names:
        """The names of its areas and seats."""
        return self.look.names

    @property
    def drawing(self) -> Drawing:
        """The map of its board."""
        return self.plan.drawing


def picture(sheet: Sheet, marks: Marks, subtitle: str, width: int | None = None) -> str:
    """Return a position as a whole SVG; `subtitle` stands above it, beside the title of the sheet.

    If it will be shown only `width` pixels wide, the text around the board and the pieces are larger.
    """
    across, down = sheet.drawing.size
    larger = max(1.0, min(READABLE / width, LARGEST)) if width is not None else 1.0
    areas = {
        area: fragment(area, marks.places.get(area, EMPTY), sheet.plan, sheet.look, min(larger, LARGEST_PIECES))
        for area in sheet.drawing.areas
    }
    under_pieces = ground(marks, sheet.drawing, sheet.paints)
    narrow = across / larger
    below, bottom = legend(marks.standings, marks.shelves, sheet.look, 14, narrow)
    above = HEADING * larger
    tall = above + down + (bottom + 26) * larger
    enlarged = f"scale({number(larger * 100)}e-2)"
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{number(tall)}" ',
            f'viewBox="0 0 {across} {number(tall)}" font-family="{FAMILY}">',
            f"<title>{written(f'{sheet.title}. {subtitle}')}</title>",
            box(0, 0, across, tall, f'fill="{PAPER}"'),
            f'<g transform="{enlarged}">{heading(sheet.title, subtitle, narrow)}</g>',
            f'<svg y="{number(above)}" width="{across}" height="{down}">',
            board(sheet.drawing, sheet.paints, sheet.look.glyphs, under_pieces, areas),
            f'</svg><g transform="translate(0 {number(above + down)}) {enlarged}">{below}',
            line_of_text(sheet.drawing.credits, MARGIN, bottom + 17, 11, f'fill="{FAINT}"'),
            "</g></svg>",
        )
    )
