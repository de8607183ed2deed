"""Phrases for the history: counted pieces and cards, owners who may be neutral, lists with a part for each seat."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.message import Names, enumerated
from domain.mare_nostrum.box.data import BANK, CIVILIZATIONS, TAX, Resource

T = TypeVar("T")

SINGLE: Final[Mapping[Resource, str]] = {TAX: "tax", "gems": "gem", "slaves": "slave"}
PLURAL: Final[Mapping[Resource, str]] = {TAX: "taxes"}
"""Cards that are not counted by the name of their kind: "1 slave", "2 taxes"; but "1 oil" and "2 oil"."""
MASS_NOUNS: Final = tuple(kind for kind in BANK if kind not in SINGLE)
"""The kinds of cards without a plural."""


def amount_of(kind: str, number: int) -> str:
    """Return a number of pieces in words: "a legion", "2 legions", "2 fortresses"."""
    if number == 1:
        return f"a {kind}"
    return f"{number} {kind}{'es' if kind.endswith('s') else 's'}"


def units(legions: int, fortresses: int = 0) -> str:
    """Return land units in words: "2 legions and a fortress"."""
    return enumerated([amount_of(kind, each) for each, kind in ((legions, "legion"), (fortresses, "fortress")) if each])


def card(kind: Resource) -> str:
    """Return one card in words: "a tax", "a slave", "oil"."""
    return f"a {SINGLE[kind]}" if kind in SINGLE else kind


def cards(hand: Mapping[Resource, int]) -> str:
    """Return cards in words: "2 taxes, 1 slave and 3 oil"."""
    parts = [
        f"{number} {SINGLE.get(kind, kind) if number == 1 else PLURAL.get(kind, kind)}"
        for kind in BANK
        if (number := hand.get(kind, 0))
    ]
    return enumerated(parts) or "no cards"


def owner(seat: Seat) -> str:
    """Return the display name of a civilization, which may be neutral and then has no seat."""
    return seat.title()


def sea(names: Names, area: AreaId) -> str:
    """Return the name of a sea space for use in a sentence: "the Aegean Sea"."""
    return f"the {names(area)}"


def by_seat(values: Mapping[Seat, T]) -> Iterable[tuple[Seat, T]]:
    """Yield the value of each seat, in seat order, because the log does not keep the order of keys."""
    return ((seat, values[seat]) for seat in CIVILIZATIONS if seat in values)
