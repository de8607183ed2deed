"""What a picture shows of the pieces of the box."""

from collections.abc import Iterator, Mapping
from typing import Final

from domain.conquest.pieces import Units, amount_of
from domain.kernel.rules.marks import Mark
from domain.kernel.rules.message import enumerated

CITY: Final = Mark("city", words="city")

LOOKS: Final[Mapping[str, str]] = {
    "infantry": "infantry",
    "cavalry": "cavalry",
    "catapult": "catapults",
    "catapults": "catapults",
    "galley": "galley",
    "galleys": "galley",
    "blank": "",
}
"""The kinds of marks that show the faces of the battle die and the units that can be bought."""


def units_of(units: Units) -> Iterator[Mark]:
    """Yield a mark for each type of unit."""
    for kind, count in units.by_type.items():
        if count:
            yield Mark(kind, count, words=amount_of(kind, count))


def listed(marks: tuple[Mark, ...]) -> str:
    """Return what marks stand for, as an enumeration in words."""
    return enumerated([mark.words for mark in marks]) or "nothing"
