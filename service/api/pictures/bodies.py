"""Maps, marks and pictures as they are asked for and answered."""

from typing import Annotated

from msgspec import Meta, Raw, Struct

from domain.boards import Drawing
from domain.kernel.ids import GameId, Seat, Version
from service.api.bodies import Past
from service.api.play.bodies import AtVersion

LARGEST_CHUNK = 250
"""The most frames in one answer."""


class Sized(AtVersion, frozen=True):
    """Which version to draw, and how large.

    Attributes:
        width: the width of the picture in pixels; its height follows.
    """

    width: Annotated[int, Meta(ge=200, le=3200)] = 1200


class FramesPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Which frames to list.

    Attributes:
        after: list the frames after this version; 0 for all. This version is drawn whole, so the game must have reached
            it.
        limit: the most frames to list.
    """

    after: Past = 0
    limit: Annotated[int, Meta(ge=1, le=LARGEST_CHUNK)] = LARGEST_CHUNK


class MapView(Struct, frozen=True):
    """The map of a board.

    Attributes:
        ruleset: the ruleset.
        colours: the colours of its seats, and of owners that nobody plays.
        map: outlines, names and anchors.
    """

    ruleset: str
    colours: dict[Seat, str]
    map: Drawing


class FramePage(Struct, frozen=True):
    """Versions of a game as pictures: the first one whole, and then what each version changed.

    Attributes:
        game: the game.
        head: the version of the game now.
        key: the position at version `after`; at version 0 the board is empty.
        frames: the versions that follow it, in order.
        next: the `after` of the next page; null if the game has no later versions yet.
    """

    game: GameId
    head: Version
    key: Raw
    frames: Raw
    next: Version | None
