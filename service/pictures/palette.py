"""How seats look: a colour, a colour for text on it, and an emblem, because not everybody can tell colours apart."""

import colorsys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from domain.kernel.ids import Seat
from domain.kernel.rules.message import Names
from domain.kernel.rules.ruleset import Ruleset
from service.pictures.contrast import channels, contrast, of_channels

EMBLEMS: Final = 8
SPARE: Final = ("#9c2d1a", "#4e68b7", "#78c38c", "#fbe33c", "#5c2574", "#17141c")
"""Colours of seats for which the ruleset has none. People with any colour blindness can tell them apart."""

DARK: Final = "#1d1812"
LIGHT: Final = "#fffdf6"


class Paint(Struct, frozen=True):
    """How a seat looks.

    Attributes:
        colour: its colour.
        ink: the colour of text on it.
        edge: a darker shade of it, for outlines.
        emblem: the number of its emblem.
    """

    colour: str
    ink: str
    edge: str
    emblem: int


class Look(Struct, frozen=True):
    """How a game looks.

    Attributes:
        paints: the paints of its seats.
        names: the names of seats and areas.
        glyphs: the glyphs of its ruleset.
        signs: the letters that mark the pieces of each nation.
    """

    paints: Mapping[Seat, Paint]
    names: Names
    glyphs: str
    signs: Mapping[str, str] = {}


NOBODY: Final = Paint("#8d8168", LIGHT, "#5b523f", 7)


def paints(ruleset: Ruleset[Any], seats: Iterable[Seat] = ()) -> Mapping[Seat, Paint]:
    """Return the paints of the owners that a ruleset has colours for, and of `seats`."""
    everybody = list(dict.fromkeys((*ruleset.colours, *seats)))
    return {
        seat: painted(ruleset.colours.get(seat, SPARE[number % len(SPARE)]), number % EMBLEMS)
        for number, seat in enumerate(everybody)
    }


def painted(colour: str, emblem: int) -> Paint:
    """Return the paint of a colour. Its ink is dark or light, whichever has more contrast."""
    ink = max(DARK, LIGHT, key=lambda ink: contrast(ink, colour))
    hue, lightness, saturation = colorsys.rgb_to_hls(*channels(colour))
    return Paint(colour, ink, of_channels(colorsys.hls_to_rgb(hue, lightness * 0.6, saturation)), emblem)
