"""Small parts of SVG: numbers, symbols and text, and the width of a text in the font that comes with the service."""

from functools import lru_cache
from html import escape
from importlib import resources
from typing import Final

import msgspec

FAMILY: Final = "'DejaVu Sans',Verdana,'Segoe UI',sans-serif"

_WIDTHS: Final = msgspec.json.decode(
    resources.files("service.pictures").joinpath("fonts", "widths.json").read_bytes(), type=dict[str, dict[str, int]]
)
_UNKNOWN: Final = 600


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line of text in a font of this size."""
    widths = _WIDTHS["bold" if bold else "regular"]
    return sum(widths.get(letter, _UNKNOWN) for letter in text) * size / 1000


def written(text: str) -> str:
    """Return text escaped for the elements and attributes of SVG."""
    return escape(text)


def number(value: float) -> str:
    """Return a coordinate, as short as it can be written."""
    return f"{value:.1f}".removesuffix(".0")


@lru_cache(maxsize=4096)
def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return a line of text, cut off with an ellipsis where it is wider than `room`."""
    if width(text, size, bold=bold) <= room:
        return text
    while text and width(f"{text}…", size, bold=bold) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def symbol(name: str, x: float, y: float, size: float, more: str = "") -> str:
    """Return a glyph or an emblem in a square with its upper left corner at `x`, `y`; `more` are raw attributes."""
    side = number(size)
    return f'<use href="#{name}" x="{number(x)}" y="{number(y)}" width="{side}" height="{side}"{more}/>'


def box(x: float, y: float, wide: float, tall: float, look: str) -> str:
    """Return a rectangle; `look` are raw attributes."""
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(wide)}" height="{number(tall)}" {look}/>'


def line_of_text(words: str, x: float, y: float, size: float, look: str = "") -> str:
    """Return a line of text that begins at `x`. `look` are raw attributes: `text-anchor` moves it."""
    return f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" {look}>{written(words)}</text>'
