"""Seats are told apart by everybody: in the dark, without one kind of cones, and without any colour."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import dist
from typing import Final

import pytest

from domain.library import LIBRARY
from service.pictures.bare import LAND, TEXTURES
from service.pictures.contrast import channels
from service.pictures.ground import TINT
from service.pictures.palette import EMBLEMS, NOBODY, SPARE, painted, paints

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

EYES: Final[dict[str, Matrix]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red cones": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green cones": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue cones": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""What is left of linear RGB, at full severity: Machado, Oliveira and Fernandes, "A Physiologically-based Model for
Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009."""
TO_CONES: Final[Matrix] = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_OKLAB: Final[Matrix] = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
"""Björn Ottosson, "A perceptual color space for image processing", 2020. In it, a distance of 0.02 can just be seen."""
NIGHT: Final = "#4d4638"
"""The land in `viewer/styles/night.css`."""
PIECES, LANDS = 0.13, 0.05
"""The least distances of pieces and of tinted lands: six times and twice what can just be seen."""


def times(matrix: Matrix, vector: Sequence[float]) -> Vector:
    one, two, three = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return one, two, three


def seen(colour: Sequence[float], eye: Matrix) -> Vector:
    """Return where a colour, from 0 to 1 each, lies for an eye."""
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in colour]
    light = [min(1.0, max(0.0, each)) for each in times(eye, linear)]
    return times(TO_OKLAB, [each ** (1 / 3) for each in times(TO_CONES, light)])


def over(colour: str, ground: str) -> list[float]:
    return [TINT * one + (1 - TINT) * other for one, other in zip(channels(colour), channels(ground), strict=True)]


PALETTES: Final = {ruleset.id: paints(ruleset) for ruleset in map(LIBRARY.current, LIBRARY.ids())} | {
    "any other": {colour: painted(colour, number) for number, colour in enumerate(SPARE)}
}


def too_near(least: float, colours: dict[str, Sequence[float]], eye: Matrix) -> Iterator[str]:
    places = {name: seen(colour, eye) for name, colour in colours.items()}
    for one, other in combinations(places, 2):
        if (distance := dist(places[one], places[other])) < least:
            yield f"{one} and {other}: {distance:.3f}"


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("palette", PALETTES)
def test_every_eye_tells_the_seats_apart_by_their_colours(palette: str, eye: str) -> None:
    colours = {seat: paint.colour for seat, paint in PALETTES[palette].items()}
    assert len(colours) > 3
    pieces = {seat: channels(colour) for seat, colour in (colours | {"nobody": NOBODY.colour}).items()}
    assert not list(too_near(PIECES, dict(pieces), EYES[eye])), "pieces"
    for ground in (LAND, NIGHT):
        lands = {seat: over(colour, ground) for seat, colour in colours.items()}
        assert not list(too_near(LANDS, dict(lands), EYES[eye])), f"lands on {ground}"


def test_the_simulation_finds_red_and_green_alike_without_green_cones() -> None:
    old = {"red": channels("#b3282d"), "green": channels("#2f7d3b")}
    assert list(too_near(PIECES, dict(old), EYES["no green cones"])) == ["red and green: 0.025"]
    assert not list(too_near(PIECES, dict(old), EYES["all cones"]))


def test_without_any_colour_the_hatching_of_the_land_tells_them_apart() -> None:
    assert len(set(TEXTURES)) == EMBLEMS
    for palette in PALETTES.values():
        hatched = [TEXTURES[paint.emblem] for paint in palette.values()]
        assert len(set(hatched)) == len(hatched)
