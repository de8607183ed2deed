"""The six colours that players choose among: their seats, in the order of the box, and how they are drawn."""

from collections.abc import Mapping
from typing import Final

from domain.kernel.ids import Seat

COLOURS: Final[Mapping[Seat, str]] = {
    Seat("red"): "#b3282d",
    Seat("blue"): "#2b5fb0",
    Seat("green"): "#2f7d3b",
    Seat("yellow"): "#e3b505",
    Seat("purple"): "#7d3c98",
    Seat("black"): "#3a3a3c",
}
