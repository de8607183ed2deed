"""Colours that stand out from their background, by the contrast that WCAG defines."""

import colorsys
from typing import Final

READABLE: Final = 4.5
"""The contrast that text has to have (WCAG 1.4.3)."""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def legible(colour: str, ground: str, least: float = READABLE) -> str:
    """Return a colour made lighter or darker, just enough to be read on a background."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*channels(colour))
    step, end = (0.02, 1.0) if luminance(ground) < 0.18 else (-0.02, 0.0)
    while contrast(colour, ground) < least and lightness != end:
        lightness = min(1.0, max(0.0, lightness + step))
        colour = of_channels(colorsys.hls_to_rgb(hue, lightness, saturation))
    return colour


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 to 1."""
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def channels(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue of ``#rrggbb``, from 0 to 1."""
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue


def of_channels(channels: tuple[float, float, float]) -> str:
    """Return ``#rrggbb`` of red, green and blue."""
    return "#" + "".join(f"{round(each * 255):02x}" for each in channels)
