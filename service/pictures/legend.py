"""The SVG around the board in a whole picture: the heading above it, the seats and the shelves below."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from domain.kernel.ids import Seat
from domain.kernel.rules.marks import Figure, Mark, Nation, Shelf, Standing, spelled
from service.pictures.palette import NOBODY, Look, Paint
from service.pictures.svg import box, fitted, line_of_text, symbol, width, written

HEADING: Final = 52
MARGIN: Final = 16
CARD: Final = 250
"""The least width of the card of a seat."""
LINE: Final = 20
INK: Final = "#2b2318"
FAINT: Final = "#6b5f4a"

Paints = Mapping[Seat, Paint]


def heading(title: str, words: str, across: float) -> str:
    """Return the line above the board."""
    room = across - 2 * MARGIN - width(words, 20, bold=True) - 40
    words_svg = line_of_text(words, MARGIN, 34, 20, f'font-weight="700" fill="{INK}"')
    look = f'text-anchor="end" fill="{FAINT}"'
    return words_svg + line_of_text(fitted(title, 16, room), across - MARGIN, 33, 16, look)


class Column:
    """A column of lines. `parts` is their SVG, and `y` the place of the next line."""

    def __init__(self, x: float, y: float, room: float) -> None:
        self.x, self.y, self.room = x, y, room
        self.parts: list[str] = []

    def line(self, words: str, colour: str = INK, size: float = 13.0) -> None:
        """Write a line."""
        text = fitted(words, size, self.room)
        self.parts.append(line_of_text(text, self.x, self.y + 13, size, f'fill="{colour}"'))
        self.y += LINE

    def items(self, marks: Sequence[Mark], paints: Paints) -> None:
        """Write glyphs with their words beside them, as many in a line as there is room for."""
        x = self.x
        for mark in marks:
            words = fitted(mark.words, 12.5, self.room - 20)
            wide = 18 + width(words, 12.5) + 10
            if x > self.x and x + wide - 10 > self.x + self.room:
                x = self.x
                self.y += LINE
            paint = paints.get(mark.seat, NOBODY) if mark.seat is not None else None
            self.parts.append(_item(mark, words, x, self.y, paint))
            x += wide
        if marks:
            self.y += LINE

    def nation(self, each: Nation, look: Look, paint: Paint) -> None:
        """Write a nation of a seat: its sign, as on its pieces, its name, and below them what it has."""
        sign = look.signs.get(each.nation, "")
        wide = width(sign, 10, bold=True) + 8
        self.parts.append(box(self.x, self.y + 2, wide, 15, f'rx="4" fill="{paint.colour}"'))
        self.parts.append(line_of_text(sign, self.x + 4, self.y + 13, 10, f'font-weight="700" fill="{paint.ink}"'))
        self.x, self.room = self.x + wide + 6, self.room - wide - 6
        self.line(look.names(each.nation), FAINT if each.absent else INK)
        for words in (*_lines(each.figures, self.room), *filter(None, (each.words,))):
            self.line(words, FAINT, 12)
        self.items(each.items, look.paints)
        self.x, self.room = self.x - wide - 6, self.room + wide + 6


def _item(mark: Mark, words: str, x: float, y: float, paint: Paint | None) -> str:
    colour = paint.edge if paint is not None else INK
    glyph = symbol(f"glyph-{mark.kind}", x, y + 1, 14)
    line = line_of_text(words, x + 18, y + 13, 12.5, f'fill="{INK}"')
    return f'<g fill="{colour}"><title>{written(mark.words)}</title>{glyph}{line}</g>'


def legend(
    standings: Sequence[Standing], shelves: Sequence[Shelf], look: Look, top: float, across: float
) -> tuple[str, float]:
    """Return the SVG of the seats and the shelves, from `top` down, and the height at which it ends."""
    parts: list[str] = []
    per_row = max(1, min(len(standings), int((across - MARGIN) // (CARD + MARGIN))))
    per_row = -(-len(standings) // -(-len(standings) // per_row)) if standings else 1
    wide = (across - MARGIN * (per_row + 1)) / per_row
    bottom = top
    for first in range(0, len(standings), per_row):
        row = [
            _card(each, look, MARGIN + index * (wide + MARGIN), bottom, wide)
            for index, each in enumerate(standings[first : first + per_row])
        ]
        tall = max(down for _, down in row) - bottom + 10
        for index, (each, (svg, _)) in enumerate(zip(standings[first:], row, strict=False)):
            x = MARGIN + index * (wide + MARGIN)
            parts.append(_frame(each, look.paints.get(each.seat, NOBODY), x, bottom, wide, tall))
            parts.append(svg)
        bottom += tall + 12
    for shelf in shelves:
        column = Column(MARGIN + 4, bottom, across - 2 * MARGIN)
        column.line(shelf.title, FAINT)
        column.items(shelf.items, look.paints)
        parts += column.parts
        bottom = column.y + 4
    return "".join(parts), bottom


def _frame(each: Standing, paint: Paint, x: float, y: float, wide: float, tall: float) -> str:
    edge = f'stroke="{paint.edge}" stroke-width="{3 if each.active or each.won else 1}"'
    head = box(x, y, wide, 28, f'rx="6" fill="{paint.colour}"')
    return box(x, y, wide, tall, f'rx="6" fill="#fffaf0" {edge}') + head


def _card(each: Standing, look: Look, x: float, y: float, wide: float) -> tuple[str, float]:
    """Return the card of a seat without its frame, and the height at which it ends."""
    paint = look.paints.get(each.seat, NOBODY)
    turn = "won the game" if each.won else "to move" if each.active else each.out
    name = fitted(look.names(each.seat), 15, wide - 50 - width(turn, 12), bold=True)
    ink = f'fill="{paint.ink}"'
    head = (
        symbol(f"emblem-{paint.emblem}", x + 9, y + 8, 12, f" {ink}")
        + line_of_text(name, x + 28, y + 19.5, 15, f'font-weight="700" {ink}')
        + line_of_text(turn, x + wide - 9, y + 19, 12, f'text-anchor="end" {ink}')
    )
    column = Column(x + 9, y + 33, wide - 18)
    for words in _lines(each.figures, column.room):
        column.line(words)
    column.items(each.items, look.paints)
    for nation in each.nations:
        column.nation(nation, look, paint)
    return head + "".join(column.parts), column.y


def _lines(figures: Mapping[str, Figure], room: float) -> Iterator[str]:
    """Yield figures, as many in a line as there is room for."""
    line = ""
    for name, figure in figures.items():
        words = f"{name} {spelled(figure)}"
        more = f"{line} · {words}" if line else words
        if line and width(more, 13) > room:
            yield line
            more = words
        line = more
    if line:
        yield line
