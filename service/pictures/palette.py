"""How seats look: a colour, the ink that can be read on it, and an emblem, for colour alone tells not everybody."""

import colorsys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from domain.kernel.ruleset import Ruleset
from domain.kernel.words import Seat

EMBLEMS: Final = 8
SPARE: Final = ("#a4452c", "#2b6ca3", "#4d8b31", "#c79a1b", "#7b4a97", "#4a4a4a", "#1f8a85", "#b3587e")
"""Colours of seats for which the ruleset has none."""

DARK: Final = "#1d1812"
LIGHT: Final = "#fffdf6"


class Paint(Struct, frozen=True):
    """How a seat looks.

    Attributes:
        colour: its colour.
        ink: what is written on that colour.
        edge: a darker shade of it, for outlines.
        emblem: the number of its emblem.
    """

    colour: str
    ink: str
    edge: str
    emblem: int


NOBODY: Final = Paint("#8d8168", LIGHT, "#5b523f", 7)


def paints(ruleset: Ruleset[Any], seats: Iterable[Seat] = ()) -> Mapping[Seat, Paint]:
    """Return how the owners of a ruleset look, and `seats` besides."""
    everybody = list(dict.fromkeys((*ruleset.colours, *seats)))
    return {
        seat: painted(ruleset.colours.get(seat, SPARE[number % len(SPARE)]), number % EMBLEMS)
        for number, seat in enumerate(everybody)
    }


def painted(colour: str, emblem: int) -> Paint:
    """Return the paint of a colour: its ink is the one that stands out more (WCAG's contrast)."""
    light = _luminance(colour)
    ink = DARK if (light + 0.05) / (_luminance(DARK) + 0.05) > (_luminance(LIGHT) + 0.05) / (light + 0.05) else LIGHT
    red, green, blue = _channels(colour)
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    edge = "#" + "".join(f"{round(each * 255):02x}" for each in colorsys.hls_to_rgb(hue, lightness * 0.6, saturation))
    return Paint(colour, ink, edge, emblem)


def _channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def _luminance(colour: str) -> float:
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in _channels(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
