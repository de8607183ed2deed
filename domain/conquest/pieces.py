"""The pieces of a colour, and numbers of land combat units."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from domain.kernel.rules import message

KINDS: Final = ("infantry", "cavalry", "catapults")
"""The types of land combat units."""

SINGULAR: Final[Mapping[str, str]] = MappingProxyType(
    {
        "catapults": "catapult",
        "galleys": "galley",
        "cities": "city",
        "fortifications": "fortification",
        "roads": "road",
    }
)

MASS_NOUNS: Final = ("infantry", "cavalry")
"""The types without a plural: "3 infantry"."""

PIECES = {"infantry": 20, "cavalry": 20, "catapults": 6, "galleys": 8}
"""Pieces of each colour, besides one Caesar and four generals."""


class Units(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A number of land combat units of each type."""

    infantry: message.Count = 0
    cavalry: message.Count = 0
    catapults: message.Count = 0

    def __str__(self) -> str:
        """Return the number of each type in words: "3 infantry, 1 cavalry and 2 catapults"."""
        numbers = ((self.infantry, "infantry"), (self.cavalry, "cavalry"), (self.catapults, "catapult"))
        parts = [f"{number} {kind}{'s' * (kind == 'catapult' and number > 1)}" for number, kind in numbers if number]
        return message.enumerated(parts) or "no units"

    @property
    def total(self) -> int:
        return self.infantry + self.cavalry + self.catapults

    @property
    def by_type(self) -> dict[str, int]:
        """The number of each type."""
        return {"infantry": self.infantry, "cavalry": self.cavalry, "catapults": self.catapults}

    def __add__(self, other: "Units") -> "Units":
        return Units(self.infantry + other.infantry, self.cavalry + other.cavalry, self.catapults + other.catapults)

    def __sub__(self, other: "Units") -> "Units":
        return Units(self.infantry - other.infantry, self.cavalry - other.cavalry, self.catapults - other.catapults)

    def within(self, other: "Units") -> bool:
        """Tell whether `other` has at least as many of each type."""
        return self.infantry <= other.infantry and self.cavalry <= other.cavalry and self.catapults <= other.catapults


NO_UNITS = Units()


def amount_of(kind: str, count: int) -> str:
    """Say how many pieces of a kind: "1 city", "2 cities"."""
    return f"{count} {SINGULAR.get(kind, kind) if count == 1 else kind}"
