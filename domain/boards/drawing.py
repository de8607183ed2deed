"""How a board is drawn: the outlines of its areas, and the places of their names and pieces.

The rules of a game do not use it. A corrected board is drawn on the map of its id, if `drawing_problems` finds none.

The points of coasts are derived from the outlines (`tests/domain/boards/shores.py`); some were then moved by hand.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from domain.boards.board import BoardError
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import SHORE, Board, Kind

ENDING: Final = ".map.json"

Path = Annotated[str, Meta(pattern=r"^[-0-9., MLHVCSQTAZmlhvcsqtaz]*$")]
"""The `d` of an SVG path."""

Point = tuple[float, float]


class Outline(Struct, frozen=True, forbid_unknown_fields=True):
    """How one area is drawn.

    Attributes:
        kind: land or sea.
        text: its name as it is written on the map.
        path: its outline.
        label: the centre of its name.
        anchor: the centre of the pieces there.
        angle: how far its name is turned, in degrees clockwise.
        radius: the radius of the free space around the anchor.
        coasts: the centre of the pieces on each of its coasts, by the board's id of the coast. Pieces on a coast that
            only a corrected board has are drawn around the anchor.
    """

    kind: Kind
    text: str
    path: Path
    label: Point
    anchor: Point
    angle: float = 0
    radius: Annotated[float, Meta(gt=0)] = 20
    coasts: Mapping[str, Point] = {}


class Crossing(Struct, frozen=True, forbid_unknown_fields=True):
    """A strait that pieces cross between two provinces, and the line that shows it."""

    between: tuple[AreaId, AreaId]
    path: Path


class Inscription(Struct, frozen=True, forbid_unknown_fields=True):
    """A name on the land outside the game."""

    text: str
    at: Point
    size: float
    angle: float = 0


class Drawing(Struct, frozen=True, forbid_unknown_fields=True):
    """The map of a board, in SVG's space (y goes down).

    Attributes:
        board: the id of the board.
        projection: the map projection.
        size: width and height of the frame.
        areas: the areas, by id.
        terra_incognita: land outside the game.
        mare_incognitum: water outside the game.
        rivers: lines, for ornament only.
        straits: where provinces are joined across water.
        inscriptions: names on the land outside the game.
        notes: how to read the map.
        remarks: where the map differs from the earth, and why.
        credits: the sources of the map.
    """

    board: str
    projection: str
    size: tuple[Annotated[int, Meta(gt=0)], Annotated[int, Meta(gt=0)]]
    areas: Mapping[AreaId, Outline]
    terra_incognita: Path
    mare_incognitum: Path
    rivers: Path
    straits: tuple[Crossing, ...]
    inscriptions: tuple[Inscription, ...]
    notes: str
    credits: str
    remarks: tuple[str, ...] = ()


def parse_drawing(raw: bytes) -> Drawing:
    """Read a map file (JSON). Raise BoardError with one line about the first part that does not have the right form."""
    try:
        return msgspec.json.decode(raw, type=Drawing)
    except msgspec.DecodeError as error:
        raise BoardError([f"the map cannot be read: {error}"]) from None


def drawing_problems(drawing: Drawing, board: Board) -> Iterator[str]:
    """Yield each reason why `drawing` cannot show `board`, a line each."""
    width, height = drawing.size
    for area in board.areas:
        outline = drawing.areas.get(area.id)
        if outline is None:
            yield f"{area.id} has no outline"
            continue
        if outline.kind != area.kind:
            yield f"{area.id} is {area.kind}, and drawn as {outline.kind}"
        if not outline.path:
            yield f"{area.id}: its outline is empty"
        shores = ((coast if coast == SHORE else f"{coast} coast", point) for coast, point in outline.coasts.items())
        for what, (x, y) in (("anchor", outline.anchor), ("label", outline.label), *shores):
            if not (0 <= x <= width and 0 <= y <= height):
                yield f"{area.id}: its {what} {x:g}, {y:g} lies outside the frame of {width} by {height}"


@lru_cache(maxsize=16)
def builtin_drawing(board_id: str) -> Drawing | None:
    """Return the project's map for the id of a board, from a cache; None when there is none."""
    names = {file.name for file in resources.files("domain.boards").iterdir() if file.name.endswith(ENDING)}
    if f"{board_id}{ENDING}" not in names:
        return None
    return parse_drawing(resources.files("domain.boards").joinpath(f"{board_id}{ENDING}").read_bytes())


def drawing_of(board: Board) -> Drawing | None:
    """Return the project's map for the id of a board; None when there is none, or it cannot show the board."""
    drawing = builtin_drawing(board.id)
    return None if drawing is None or any(drawing_problems(drawing, board)) else drawing
