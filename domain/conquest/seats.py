"""The six colours that players choose among: their seats, in the order of the box, and how they are drawn."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from domain.kernel.ids import Seat

COLOURS: Final[Mapping[Seat, str]] = {
    Seat("red"): "#9c2d1a",
    Seat("blue"): "#4e68b7",
    Seat("green"): "#78c38c",
    Seat("yellow"): "#fbe33c",
    Seat("purple"): "#5c2574",
    Seat("black"): "#17141c",
}

Colour = Literal["red", "blue", "green", "yellow", "purple", "black"]
Colours = Annotated[tuple[Colour, ...], Meta(max_length=6, extra_json_schema={"uniqueItems": True})]
"""The colours in play that the creator of a game chooses."""
