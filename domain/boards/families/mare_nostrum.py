"""What the Mare Nostrum family needs of a board: its civilizations, goods, city sites and starting layouts.

The traits of a province are

    ``capital_of``      the civilization whose capital it is (MN-BRD-09);
    ``resources``       one icon for each kind of good that it yields (MN-BRD-01);
    ``start_of``        the civilization that starts there in the introductory set-up (MN-SET-06), with an influence
                        marker and what ``start`` lists: ``city``, ``market``, ``temple``, ``fortress``, ``legion``,
                        ``trireme``, or a good for a caravan on it;
    ``free_start_of``   civilizations that may also start there in the free set-up, besides those of the adjacent
                        capitals (MN-SET-15).
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from domain.boards.family import Family, Measure
from domain.kernel.rules.board import Area, Board

CIVILIZATIONS: Final = ("rome", "carthage", "greece", "egypt", "babylon")
GOODS: Final = (
    "livestock",
    "grain",
    "fruit",
    "gems",
    "slaves",
    "oil",
    "metal",
    "gold",
    "papyrus",
    "perfume",
    "fish",
    "wine",
)
ONCE: Final = ("city", "market", "temple", "fortress")
"""Pieces of which a province starts with at most one (MN-BLD-06, MN-BLD-08, MN-BLD-09)."""
PIECES: Final = (*ONCE, "legion", "trireme")


def problems(board: Board) -> Iterator[str]:
    """Yield each reason why Mare Nostrum could not be played on `board`, a line each."""
    capitals = Counter(civilization for area in board.areas for civilization in area.traits.get("capital_of", ()))
    for civilization in CIVILIZATIONS:
        if capitals[civilization] != 1:
            yield f"{civilization} has {capitals[civilization]} capitals; give capital_of to one province"
    for area in board.areas:
        if area.kind == "sea":
            if area.traits:
                yield f"{area.id}: a sea has no traits; leave out {', '.join(sorted(area.traits))}"
            continue
        yield from _word_problems(area)
        yield from _capital_problems(area)
        yield from _start_problems(area)


def _word_problems(area: Area) -> Iterator[str]:
    for trait, allowed, most in (
        ("capital_of", CIVILIZATIONS, 1),
        ("resources", GOODS, len(GOODS)),
        ("start_of", CIVILIZATIONS, 1),
        ("free_start_of", CIVILIZATIONS, len(CIVILIZATIONS)),
    ):
        words = area.traits.get(trait, ())
        if len(words) > most:
            yield f"{area.id}: {trait} has {len(words)} words; give at most {most}"
        if len(set(words)) < len(words):
            yield f"{area.id}: {trait} names something twice; once is enough"
        for word in words:
            if word not in allowed:
                yield f"{area.id}: {trait} {word!r} is unknown; known: {', '.join(allowed)}"


def _capital_problems(area: Area) -> Iterator[str]:
    capital = bool(area.traits.get("capital_of"))
    if area.home != capital:
        yield f"{area.id}: home is {str(area.home).lower()}; a home is a capital, and so has the trait capital_of"
    if capital and area.traits.get("start_of") != area.traits["capital_of"]:
        yield f"{area.id}: start_of is not the civilization whose capital it is; a civilization begins in its capital"


def _start_problems(area: Area) -> Iterator[str]:
    start = area.traits.get("start", ())
    if start and not area.traits.get("start_of"):
        yield f"{area.id}: start names pieces, but start_of no civilization to own them"
    for piece, times in Counter(start).items():
        if piece in GOODS and piece not in area.traits.get("resources", ()):
            yield f"{area.id}: start has a caravan on {piece}, which is not among its resources"
        elif piece not in GOODS and piece not in PIECES:
            yield f"{area.id}: start {piece!r} is unknown; known: {', '.join(PIECES)} and the goods"
        if times > 1 and (piece in GOODS or piece in ONCE):
            yield f"{area.id}: start has {times} of {piece!r}; a province begins with at most one"
    if "city" in start and not area.values.get("city_sites"):
        yield f"{area.id}: start has a city, but there is no city site"
    if "trireme" in start and not area.coasts:
        yield f"{area.id}: start has a trireme, but the province has no coast"


FAMILY: Final = Family(
    values={"city_sites": Measure(kind="land", allowed=(0, 1))},  # MN-BRD-01
    traits=frozenset({"capital_of", "resources", "start_of", "start", "free_start_of"}),
    problems=problems,
)
