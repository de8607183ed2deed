"""What a picture shows, as data: marks with their words and colours, and frames, which say what a version changed."""

from collections.abc import Mapping

from msgspec import UNSET, Struct, UnsetType

from domain.kernel.ids import AreaId, GameId, Seat, Version
from domain.kernel.rules.marks import Battle, Figure, Link, Mark, Place, Shelf


class NationView(Struct, frozen=True):
    """A nation that a seat leads, at a glance.

    Attributes:
        nation: its id.
        name: its name.
        sign: the letters on its pieces, which have the colour of its seat.
        figures: what it has, by name: whole numbers or halves (12.5).
        items: what lies before it, as for a seat.
        words: other facts in words: its overlord, or the round in which it enters.
        absent: whether it is still to come, or gone.
        active: whether it is its turn; false for all when the game is over.
    """

    nation: str
    name: str
    sign: str
    figures: Mapping[str, Figure]
    items: tuple[Mark, ...]
    words: str
    absent: bool
    active: bool


class StandingView(Struct, frozen=True):
    """A seat at a glance.

    Attributes:
        seat: the seat.
        name: its name.
        colour: its colour.
        ink: a colour for text that is readable on it.
        emblem: the symbol of the bare board that marks the seat, in addition to its colour.
        figures: what it has, by name: whole numbers or halves (12.5).
        items: what lies before it; a mark's `kind` names the symbol ``glyph-KIND`` of the bare board.
        active: whether it is its turn; false for all when the game is over.
        out: why the seat is out of the game, in words; empty while it plays, and for a winner.
        won: whether it has won the game.
        nations: the nations that it leads, in rulesets in which a seat leads several.
    """

    seat: Seat
    name: str
    colour: str
    ink: str
    emblem: str
    figures: Mapping[str, Figure]
    items: tuple[Mark, ...]
    active: bool
    out: str
    won: bool
    nations: tuple[NationView, ...]


class MarksView(Struct, frozen=True):
    """What lies on the table and beside it, as the caller may see it: everything that a picture shows, as data.

    Attributes:
        game: the game.
        version: the version that is shown.
        round: the round; 0 before the first, and where there are none.
        heading: the phase of the game, in words.
        places: the areas that hold something, and what they hold.
        links: what joins two areas, such as a road.
        standings: the seats.
        shelves: what lies beside the board and belongs to nobody.
    """

    game: GameId
    version: Version
    round: int
    heading: str
    places: dict[AreaId, Place]
    links: tuple[Link, ...]
    standings: tuple[StandingView, ...]
    shelves: tuple[Shelf, ...]


class Scene(Struct, frozen=True):
    """A position, drawn as the caller may see it.

    Attributes:
        version: the version.
        areas: for each area, the SVG for the group ``area-ID`` of the bare board.
        links: the SVG for the group ``links`` of the bare board: tints and roads.
        standings: the seats.
        shelves: what lies beside the board and belongs to nobody.
        battle: the battle under way; null where there is none.
        round: the round; 0 before the first, and where there are none.
        heading: the phase of the game, in words.
    """

    version: Version
    areas: dict[AreaId, str]
    links: str
    standings: tuple[StandingView, ...]
    shelves: tuple[Shelf, ...]
    battle: Battle | None
    round: int
    heading: str


class RollView(Struct, frozen=True):
    """Dice that were rolled.

    Attributes:
        die: the kind of die.
        faces: the faces.
        seat: the seat that rolled; null if none did.
        hits: how many hits they made; null for dice that decide something else.
        nation: the nation that rolled, in rulesets in which a seat leads several; otherwise empty.
        struck: whether each of them hit, in the order of `faces`; empty where no die hits by itself, such as where
            their sum counts.
    """

    die: str
    faces: tuple[str, ...]
    seat: Seat | None
    hits: int | None
    nation: str
    struck: tuple[bool, ...]


class Happening(Struct, frozen=True, omit_defaults=True):
    """Where on the map something happened.

    Attributes:
        moves: moves, as pairs of the area that was left and the area that was reached.
        at: areas in which something happened.
        lost: areas in which something was lost or taken.
    """

    moves: tuple[tuple[AreaId, AreaId], ...] = ()
    at: tuple[AreaId, ...] = ()
    lost: tuple[AreaId, ...] = ()


class FrameView(Struct, frozen=True, omit_defaults=True):
    """What one version changed in the picture. Absent parts stay the same.

    Attributes:
        version: the version.
        type: the type of its event.
        at: when it was recorded.
        text: what happened, in a sentence.
        draws: how many draws of chance the game had used by then.
        command: whether it is the first event of a command, or of another act, such as a resignation.
        seat: the seat that gave this command or act; absent for other events.
        rolls: the dice that its event shows.
        happened: where it happened, if its event names an area of the map.
        drawn: `happened` as SVG for the group ``happened`` of the bare board: an arrow for what moved, a ring where
            something happened, and a cross in the ring where something was lost or taken. Add those of several versions
            to show everything that a command did.
        areas: the areas that look different, as in `Scene`.
        links: the new SVG of the group ``links``.
        standings: the seats.
        shelves: what lies beside the board.
        battle: the battle under way; null when it has ended.
        round: the round.
        heading: where in the game it is.
    """

    version: Version
    type: str
    at: str
    text: str
    draws: int
    command: bool = False
    seat: Seat | None = None
    rolls: tuple[RollView, ...] = ()
    happened: Happening | UnsetType = UNSET
    drawn: str = ""
    areas: dict[AreaId, str] = {}
    links: str | UnsetType = UNSET
    standings: tuple[StandingView, ...] | UnsetType = UNSET
    shelves: tuple[Shelf, ...] | UnsetType = UNSET
    battle: Battle | UnsetType | None = UNSET
    round: int | UnsetType = UNSET
    heading: str | UnsetType = UNSET
