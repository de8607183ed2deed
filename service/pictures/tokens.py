"""What lies in an area, as SVG: a fragment to be put into the area's group of the bare board."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Final

from msgspec import Struct

from domain.boards.drawing import Outline
from domain.kernel.marks import Mark, Place, Stack
from domain.kernel.message import Names
from domain.kernel.words import AreaId, Seat
from service.pictures.palette import DARK, NOBODY, Paint
from service.pictures.svg import box, number, symbol, width, written

HEIGHT: Final = 19.0
"""Of a token."""
GLYPH: Final = 14.0
EMBLEM: Final = 7.0
SIZE: Final = 11.5
"""Of the figures on tokens."""
PAD: Final = 4.0
GAP: Final = 2.5
SITE: Final = 20.0
"""The side of what stands in an area and is nobody's."""

Paints = Mapping[Seat, Paint]


class Token(Struct, frozen=True):
    """A piece of a fragment that is laid out as one: `svg` begins at 0, 0."""

    width: float
    svg: str


def fragment(area: AreaId, place: Place, outline: Outline, paints: Paints, names: Names) -> str:
    """Return what lies in an area, with everything said in its titles."""
    said = described(area, place, names)
    hit = f'<use href="#shape-{area}" class="hit" pointer-events="all"/>'
    return f"<title>{written(said)}</title>{hit}{_pieces(place, outline, paints)}"


def described(area: AreaId, place: Place, names: Names) -> str:
    """Return in words what lies in an area."""
    parts = [names(area) + (f", {names(place.owner)}" if place.owner is not None else "")]
    parts += [place.battle] if place.battle else []
    parts += [mark.words for mark in place.sites if mark.words]
    parts += [stack.words for stack in place.stacks]
    parts += [place.words] if place.words else []
    return "; ".join(parts)


def _pieces(place: Place, outline: Outline, paints: Paints) -> str:
    rows = list(_rows(place, paints, max(84.0, 2.6 * outline.radius)))
    if not rows:
        return ""
    height = (HEIGHT + GAP) * len(rows) - GAP
    x, y = outline.anchor
    # A tall pile grows downwards: above it stands the area's name.
    top = -min(height / 2, outline.radius)
    lines: list[str] = []
    for tokens in rows:
        left = -(sum(token.width for token in tokens) + GAP * (len(tokens) - 1)) / 2
        for token in tokens:
            lines.append(f'<g transform="translate({number(left)} {number(top)})">{token.svg}</g>')
            left += token.width + GAP
        top += HEIGHT + GAP
    return f'<g class="pieces" transform="translate({number(x)} {number(y)})">{"".join(lines)}</g>'


def _rows(place: Place, paints: Paints, room: float) -> Iterator[list[Token]]:
    """Yield the rows of a pile: first what stands there, then what is in the seats' hands."""
    fought = [_battle(place.battle)] if place.battle else []
    yield from _broken([*fought, *(_site(mark, paints) for mark in place.sites)], room)
    yield from _broken([_stack(stack, paints) for stack in place.stacks], room)


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


def _stack(stack: Stack, paints: Paints) -> Token:
    return _pill(stack, paints.get(stack.seat, NOBODY))


@lru_cache(maxsize=8192)
def _pill(stack: Stack, paint: Paint) -> Token:
    """Return what belongs together as one token: the emblem of its owner, then a glyph for each mark."""
    middle = HEIGHT / 2
    parts = [symbol(f"emblem-{paint.emblem}", PAD, middle - EMBLEM / 2, EMBLEM, ' fill-opacity=".75"')]
    x = PAD + EMBLEM + 2
    for mark in stack.marks:
        drawn, wide = _marked(mark, x, middle)
        parts.append(drawn)
        x += wide + 2
    total = x - 2 + PAD
    ground = box(0, 0, total, HEIGHT, f'rx="4.5" fill="{paint.colour}" stroke="{paint.edge}"')
    return Token(total, f'{ground}<g fill="{paint.ink}"><title>{written(stack.words)}</title>{"".join(parts)}</g>')


def _marked(mark: Mark, x: float, middle: float) -> tuple[str, float]:
    """Return a glyph with its figure, and how wide they are."""
    drawn = symbol(f"glyph-{mark.kind}", x, middle - GLYPH / 2, GLYPH)
    figure = mark.label or (str(mark.count) if mark.count != 1 else "")
    if not figure:
        return drawn, GLYPH
    wide = width(figure, SIZE, bold=True)
    drawn += f'<text x="{number(x + GLYPH + 1)}" y="{number(middle + SIZE * 0.36)}">{written(figure)}</text>'
    return drawn, GLYPH + 1 + wide


@lru_cache(maxsize=1024)
def _plate(mark: Mark, paint: Paint | None) -> Token:
    """Return what stands in an area: dark on a light ground, framed in the colour of whoever has taken it."""
    edge = f'stroke="{paint.colour}" stroke-width="3"' if paint is not None else 'stroke="#5b523f"'
    drawn, wide = _marked(mark, (SITE - GLYPH) / 2, HEIGHT / 2)
    total = wide + SITE - GLYPH
    ground = box(0, 0, total, HEIGHT, f'rx="2" fill="#fffaf0" {edge}')
    return Token(total, f'{ground}<g fill="{DARK}"><title>{written(mark.words)}</title>{drawn}</g>')


def _site(mark: Mark, paints: Paints) -> Token:
    return _plate(mark, paints.get(mark.seat, NOBODY) if mark.seat is not None else None)


@lru_cache(maxsize=256)
def _battle(words: str) -> Token:
    ground = '<circle cx="11.5" cy="9.5" r="12.5" fill="#fff3c9" stroke="#b01010" stroke-width="2"/>'
    swords = symbol("glyph-battle", 3, 1, 17)
    return Token(HEIGHT + 4, f'{ground}<g fill="#b01010"><title>{written(words)}</title>{swords}</g>')


def kinds(places: Iterable[Place]) -> set[str]:
    """Return the kinds of all marks on the board: each needs a glyph."""
    marks = chain.from_iterable(chain(place.sites, *(stack.marks for stack in place.stacks)) for place in places)
    return {mark.kind for mark in marks}
