"""SVG tokens: a pill for a stack of pieces, a plate for other marks of an area, crossed swords for a battle."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final

from msgspec import Struct

from domain.kernel.rules.marks import Mark, Stack
from service.pictures.palette import DARK, Paint
from service.pictures.svg import box, line_of_text, number, symbol, width, written

LINE: Final = 22.0
"""The height of a token with one line of glyphs."""
GLYPH: Final = 16.5
EMBLEM: Final = 8.0
SIZE: Final = 13.0
"""The font size of the figures on tokens."""
SIGN: Final = 13.0
"""The font size of the letters that mark the pieces of a nation."""
PAD: Final = 4.0
APART: Final = 2.5
"""The distance between two marks."""
WIDEST: Final = 96.0
"""The width of a line of marks on a token, at most. Longer lines are broken."""


class Token(Struct, frozen=True):
    """A small drawing that is placed as a whole, with its size. The upper left corner of its SVG is at 0, 0."""

    width: float
    height: float
    svg: str


class _Item(Struct, frozen=True):
    """A glyph and the figure beside it."""

    kind: str
    figure: str

    @property
    def width(self) -> float:
        return GLYPH + (1 + width(self.figure, SIZE, bold=True) if self.figure else 0)

    def as_svg(self, x: float, middle: float) -> str:
        glyph = symbol(f"glyph-{self.kind}", x, middle - GLYPH / 2, GLYPH)
        if not self.figure:
            return glyph
        at = f'x="{number(x + GLYPH + 1)}" y="{number(middle + SIZE * 0.36)}"'
        return f"{glyph}<text {at}>{written(self.figure)}</text>"


class Owner(Struct, frozen=True):
    """The owner of a mark: their paint, and the letters of their nation, if it has any."""

    paint: Paint
    sign: str = ""


class _Field(Struct, frozen=True):
    """A field in the colour of an owner, with their emblem or letters and a figure."""

    owner: Owner
    figure: str

    @property
    def width(self) -> float:
        emblem = _emblem_width(self.owner.sign)
        return emblem + 2 * APART + (1 + width(self.figure, SIZE, bold=True) if self.figure else 0)

    def as_svg(self, x: float) -> str:
        paint, sign, middle = self.owner.paint, self.owner.sign, LINE / 2
        ground = box(x, 0, self.width, LINE, f'rx="2" fill="{paint.colour}" stroke="{paint.edge}"')
        emblem = _emblem(paint, sign, x + APART, middle)
        at = f'x="{number(x + APART + _emblem_width(sign) + 1)}" y="{number(middle + SIZE * 0.36)}"'
        figure = f"<text {at}>{written(self.figure)}</text>" if self.figure else ""
        return f'{ground}<g fill="{paint.ink}">{emblem}{figure}</g>'


def _items(marks: Iterable[Mark]) -> Iterator[_Item]:
    """Yield the glyphs of marks, with figures. Adjacent marks of one kind with labels share a glyph."""
    for (kind, labelled), alike in groupby(marks, key=lambda mark: (mark.kind, bool(mark.label))):
        if labelled:
            yield _Item(kind, "·".join(mark.label for mark in alike))
        else:
            yield from (_Item(kind, str(mark.count) if mark.count != 1 else "") for mark in alike)


def _lines(items: Iterable[_Item]) -> list[list[_Item]]:
    lines: list[list[_Item]] = [[]]
    used = 0.0
    for item in items:
        if lines[-1] and used + item.width > WIDEST:
            lines.append([])
            used = 0.0
        lines[-1].append(item)
        used += item.width + APART
    return lines


@lru_cache(maxsize=8192)
def pill(stack: Stack, paint: Paint, sign: str = "") -> Token:
    """Return the token of a stack: the emblem of its owner or the sign of its nation, then a glyph for each mark."""
    lines = _lines(_items(stack.marks))
    start = PAD + _emblem_width(sign) + APART
    wide = start + max(_length(line) for line in lines) + PAD
    tall = LINE * len(lines) - 2 * (len(lines) - 1)
    ground = box(0, 0, wide, tall, f'rx="5" fill="{paint.colour}" stroke="{paint.edge}"')
    emblem = _emblem(paint, sign, PAD, tall / 2)
    text = "".join(_line_as_svg(line, start, LINE / 2 + (LINE - 2) * index) for index, line in enumerate(lines))
    svg = f'<title>{written(stack.words)}</title>{ground}<g fill="{paint.ink}">{emblem}{text}</g>'
    return Token(wide, tall, svg)


def _emblem(paint: Paint, sign: str, x: float, middle: float) -> str:
    """Return the SVG of an owner: the letters `sign` of the nation, or else the emblem of the paint.

    `x` is its left edge, and `middle` its vertical centre.
    """
    if sign:
        return line_of_text(sign, x, middle + SIGN * 0.36, SIGN)
    return symbol(f"emblem-{paint.emblem}", x, middle - EMBLEM / 2, EMBLEM)


def _emblem_width(sign: str) -> float:
    return width(sign, SIGN, bold=True) if sign else EMBLEM


def _length(line: Sequence[_Item]) -> float:
    return sum(item.width for item in line) + APART * (len(line) - 1)


def _line_as_svg(line: Iterable[_Item], x: float, middle: float) -> str:
    parts: list[str] = []
    for item in line:
        parts.append(item.as_svg(x, middle))
        x += item.width + APART
    return "".join(parts)


@lru_cache(maxsize=1024)
def plate(marks: tuple[Mark, ...], owners: tuple[Owner, ...] = ()) -> Token:
    """Return the token of marks, such as buildings: a dark glyph on a light ground.

    With `owners`, one for each mark, a field beside the glyph shows each owner, and all counts if one is not 1. The
    marks must share a glyph: with `owners` they are of one kind; without, `_items` yields one item.
    """
    (item,) = [_Item(marks[0].kind, "")] if owners else _items(marks)
    pad = (LINE - GLYPH) / 2
    x = item.width + 2 * pad
    ground = box(0, 0, x, LINE, 'rx="2" fill="#fffaf0" stroke="#5b523f"')
    content = f'{ground}<g fill="{DARK}">{item.as_svg(pad, LINE / 2)}</g>'
    is_counted = any(mark.count != 1 for mark in marks)
    for mark, owner in zip(marks, owners, strict=False):
        field = _Field(owner, str(mark.count) if is_counted else "")
        content += field.as_svg(x)
        x += field.width
    description = ", ".join(mark.words for mark in marks)
    return Token(x, LINE, f"<title>{written(description)}</title>{content}")


@lru_cache(maxsize=256)
def swords(words: str) -> Token:
    """Return crossed swords for a battle, with `words` as their title."""
    middle = LINE / 2
    ground = f'<circle cx="{number(middle + 2)}" cy="{number(middle)}" r="14" fill="#ffe9a8" stroke="#a01010" '
    crossed = symbol("glyph-battle", 3.5, middle - 9.5, 19)
    svg = f'<title>{written(words)}</title>{ground}stroke-width="2.5"/><g fill="#a01010">{crossed}</g>'
    return Token(LINE + 4, LINE, svg)
