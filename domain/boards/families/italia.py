"""What the Italia family needs of a board: regions, terrain, and where cities may be built.

The traits of a land area are

    ``region``      the region that it belongs to (IT-BRD-02 to IT-BRD-05), which cards score as a whole;
    ``terrain``     ``normal``, ``highland`` or ``marsh`` (IT-BRD-06, IT-BRD-07).

The areas of the regions ``entry-italy`` and ``entry-africa`` are the entry areas: they are highlands, and belong to
neither Italy nor Africa (IT-BRD-05). The value ``city_allowed`` is 0 where the board shows a square (IT-BRD-10).
"""

from collections.abc import Iterator
from typing import Final

from domain.boards.family import Family, Measure
from domain.kernel.rules.board import Area, Board

REGIONS: Final = (
    "north-italy",
    "south-italy",
    "sicily",
    "sardinia",
    "corsica",
    "africa",
    "entry-italy",
    "entry-africa",
)
ENTRY_REGIONS: Final = ("entry-italy", "entry-africa")
"""Their areas are the entry areas (IT-BRD-05)."""
TERRAINS: Final = ("normal", "highland", "marsh")


def problems(board: Board) -> Iterator[str]:
    """Yield each reason why Italia could not be played on `board`, a line each."""
    settled = {region for area in board.areas for region in area.traits.get("region", ())}
    for region in REGIONS:
        if region not in settled:
            yield f"no area is in the region {region}; give it to one at least"
    for area in board.areas:
        if area.kind == "sea":
            if area.traits:
                yield f"{area.id}: a sea has no traits; leave out {', '.join(sorted(area.traits))}"
            continue
        yield from _word_problems(area, "region", REGIONS)
        yield from _word_problems(area, "terrain", TERRAINS)
        yield from _entry_problems(area)


def _word_problems(area: Area, trait: str, allowed: tuple[str, ...]) -> Iterator[str]:
    words = area.traits.get(trait, ())
    if len(words) != 1 or words[0] not in allowed:
        yield f"{area.id}: {trait} is {', '.join(words) or 'missing'}; give one of {', '.join(allowed)}"


def _entry_problems(area: Area) -> Iterator[str]:
    if set(area.traits.get("region", ())) & set(ENTRY_REGIONS):
        if area.traits.get("terrain") != ("highland",):
            yield f"{area.id}: is an entry area, so its terrain must be highland"
        if area.values.get("city_allowed"):
            yield f"{area.id}: is an entry area, so city_allowed must be 0"


FAMILY: Final = Family(
    values={"city_allowed": Measure(kind="land", allowed=(0, 1))},
    traits=frozenset({"region", "terrain"}),
    needs_home=False,
    straits_have_seas=False,  # IT-STR-01: fleets have no part in them
    problems=problems,
)
