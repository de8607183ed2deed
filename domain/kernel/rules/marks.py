"""What a picture of a table shows: which pieces, whose, how many and where, but not how they look.

A ruleset makes `Marks` from a view, so they show a viewer nothing that the view does not. The code that draws them
knows no ruleset: kinds are names of glyphs, areas are those of the board, and everything comes with a text.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import AreaId, Seat

Figure = int | Annotated[float, Meta(multiple_of=0.5)]
"""What a scoreboard counts: a whole number, or a half such as 12.5, which JSON and floating point keep exactly."""


def halved(halves: int) -> Figure:
    """Turn a number of halves into a figure: 25 becomes 12.5. A table keeps the number of halves, which is whole."""
    return halves / 2 if halves % 2 else halves // 2


def spelled(figure: Figure) -> str:
    """Return a figure as it is written: 12.5 is "12½"."""
    whole = int(figure)
    if figure == whole:
        return str(whole)
    return f"{'-' if figure < 0 else ''}{abs(whole) or ''}½"


class Mark(Struct, frozen=True, omit_defaults=True):
    """A piece or token, or several alike.

    Attributes:
        kind: what it is: the name of its glyph, such as ``infantry``.
        count: how many.
        label: a few letters beside it that distinguish it from others of its kind, such as the number of a general; in
            a battle, where there is room, also a name.
        seat: whose it is, where its stack or standing does not say it.
        words: what it is, in words: "3 infantry".
        nation: which nation of that seat it belongs to, where seats lead several.
    """

    kind: str
    count: int = 1
    label: str = ""
    seat: Seat | None = None
    words: str = ""
    nation: str = ""


class Stack(Struct, frozen=True, omit_defaults=True):
    """Pieces that belong together in one place: an army with its leaders, a galley with its cargo.

    Attributes:
        seat: whose it is.
        marks: what it consists of.
        words: all of it, in words.
        coast: the coast of the area, by the board's id; empty for pieces that are not on a coast.
        nation: which nation of that seat it belongs to, where seats lead several.
    """

    seat: Seat
    marks: tuple[Mark, ...]
    words: str
    coast: str = ""
    nation: str = ""


class Place(Struct, frozen=True, omit_defaults=True):
    """An area and what lies there.

    Attributes:
        owner: who controls it.
        sites: what belongs to the place itself: cities, caravans on their icons.
        stacks: the pieces of the seats.
        battle: the battle that is fought there, in words; empty when there is none.
        words: further text about it.
        nation: which nation of its owner controls it, where seats lead several.
    """

    owner: Seat | None = None
    sites: tuple[Mark, ...] = ()
    stacks: tuple[Stack, ...] = ()
    battle: str = ""
    words: str = ""
    nation: str = ""


class Link(Struct, frozen=True):
    """Something that joins two areas, such as a road.

    Attributes:
        kind: what it is.
        between: the areas.
        words: what it is, in words.
    """

    kind: str
    between: tuple[AreaId, AreaId]
    words: str


class Nation(Struct, frozen=True, omit_defaults=True):
    """A nation that a seat leads, at a glance: a line of the legend below its seat.

    Attributes:
        nation: its id, a key of `Ruleset.nations`.
        figures: what it has, by name: whole numbers or halves.
        items: what else it has.
        words: other facts in words: its overlord, or the round in which it enters.
        absent: whether it is still to come, or gone.
        active: whether it is its turn.
    """

    nation: str
    figures: Mapping[str, Figure] = {}
    items: tuple[Mark, ...] = ()
    words: str = ""
    absent: bool = False
    active: bool = False


class Standing(Struct, frozen=True, omit_defaults=True):
    """A seat at a glance: a line of the legend.

    Attributes:
        seat: the seat.
        figures: what it has, by name: whole numbers or halves.
        items: what else it has: prisoners, cards, roles.
        active: whether it is its turn; false for all when the game is over.
        out: why it is not, or no longer, in the game, in words; empty while it plays, and for the winner.
        won: whether it has won the game.
        nations: the nations that it leads, where seats lead several.
    """

    seat: Seat
    figures: Mapping[str, Figure]
    items: tuple[Mark, ...] = ()
    active: bool = False
    out: str = ""
    won: bool = False
    nations: tuple[Nation, ...] = ()


class Shelf(Struct, frozen=True, omit_defaults=True):
    """Things beside the board that belong to nobody, such as a bank.

    Attributes:
        title: what it is.
        items: what lies there.
        now: whether it shows something under way, such as an offer, which players need to see at a glance.
    """

    title: str
    items: tuple[Mark, ...]
    now: bool = False


class Throw(Struct, frozen=True):
    """The dice of a side in the round of a battle, as its pieces and the rules make them now.

    Attributes:
        die: which die, a key of `Ruleset.dice`.
        dice: how many.
        chances: the probability that exactly 0, 1, 2 and so on of them hit.
    """

    die: str
    dice: int
    chances: tuple[float, ...]


class Fighter(Struct, frozen=True):
    """A side of a battle.

    Attributes:
        seat: whose it is; null for a side that nobody plays.
        words: what the side is called.
        marks: its pieces in the battle.
        due: how many hits it has taken and not yet assigned to pieces.
        throw: its dice in this round; null until it is settled what fights.
        nation: which nation of that seat it is, where seats lead several.
    """

    seat: Seat | None
    words: str
    marks: tuple[Mark, ...]
    due: int = 0
    throw: Throw | None = None
    nation: str = ""


class Battle(Struct, frozen=True):
    """A battle under way.

    Attributes:
        place: where it is fought.
        round: the number of its round.
        attacker, defender: the two sides.
    """

    place: AreaId
    round: int
    attacker: Fighter
    defender: Fighter


def together(chances: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """Return the probabilities that the sum of independent random numbers is 0, 1, 2 and so on.

    Args:
        chances: for each number, the probabilities that it is 0, 1, 2 and so on.
    """
    total = [1.0]
    for probabilities in chances:
        summed = [0.0] * (len(total) + len(probabilities) - 1)
        for subtotal, subtotal_probability in enumerate(total):
            for number, probability in enumerate(probabilities):
                summed[subtotal + number] += subtotal_probability * probability
        total = summed
    return tuple(total)


class Marks(Struct, frozen=True):
    """Everything that a picture of a position shows.

    Attributes:
        places: the areas on which there is something to show.
        links: what joins areas, such as roads.
        standings: the seats.
        shelves: what lies beside the board.
    """

    places: dict[AreaId, Place] = {}
    links: tuple[Link, ...] = ()
    standings: tuple[Standing, ...] = ()
    shelves: tuple[Shelf, ...] = ()


def lost_pieces(before: Marks, after: Marks, seat: Seat, guises: Mapping[str, str]) -> dict[str, int]:
    """Return, by kind, how many of a seat's pieces and sites the board shows in `before` and no longer in `after`.

    Args:
        guises: each kind of mark that shows a piece in another state, with the usual kind of that piece, as in
            `Ruleset.guises`. A piece that only changed its state is not lost.
    """
    pieces_before, pieces_after = _pieces_of(before, seat), _pieces_of(after, seat)
    losses, new = pieces_before - pieces_after, pieces_after - pieces_before
    for guise, usual in guises.items():
        for old_kind, new_kind in ((guise, usual), (usual, guise)):
            changed = min(losses[old_kind], new[new_kind])
            losses[old_kind] -= changed
            new[new_kind] -= changed
    return dict(sorted((+losses).items()))


def _pieces_of(marks: Marks, seat: Seat) -> Counter[str]:
    pieces: Counter[str] = Counter()
    for place in marks.places.values():
        for owner, owned in ((place.owner, place.sites), *((stack.seat, stack.marks) for stack in place.stacks)):
            for mark in owned:
                if (mark.seat or owner) == seat:
                    pieces[mark.kind] += mark.count
    return pieces
