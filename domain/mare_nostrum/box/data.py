"""The figures of the game, read from `data.toml`: cards, pieces, prices, heroes, wonders and the first roles."""

from collections.abc import Mapping
from importlib import resources
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.kernel.ids import Seat

Role = Literal["director-of-commerce", "political-leader", "military-leader"]
Building = Literal["city", "caravan", "market", "temple"]
"""The buildings (MN-PCS-03)."""
Unit = Literal["legion", "trireme", "fortress"]
"""The military units (MN-PCS-01)."""
Item = Literal["influence", "city", "caravan", "market", "temple", "legion", "trireme", "fortress"]
"""What a player can build in a province for a combination of cards."""
Resource = Annotated[
    str, Meta(title="MareNostrumResource", description="A kind of resource card: `tax` or a good, such as `wine`.")
]
CardId = Annotated[str, Meta(title="MareNostrumCardId", description="A hero or a wonder, such as `helen-of-troy`.")]
Power = Literal[
    "free-marker",
    "exchange",
    "seduce",
    "plunder",
    "redirect",
    "extra-tax",
    "keep-good",
    "extra-good",
    "second-fortress",
    "distant-markers",
    "victory",
]
"""A special rule that holds only for the owner of a card."""
Provenance = Literal["stated", "example", "deduced", "published", "ours"]
Positive = Annotated[int, Meta(ge=1)]

TAX: Final = "tax"


class Card(Struct, frozen=True, forbid_unknown_fields=True):
    """A hero or a wonder (MN-HER-*, MN-WON-*).

    Attributes:
        civilization: the only one that can ever own it; None for a generic card.
        price: how many cards it costs, all in one combination.
        prices: what its owner pays for an item instead of the usual price.
        roles: what it adds to its owner's total for a role.
        dice: what it adds to each die rolled for its owner's units of a kind.
        power: a special rule that holds only for its owner.
    """

    id: str
    name: str
    kind: Literal["hero", "wonder"]
    price: Positive
    provenance: Provenance
    effect: str
    rule: str
    civilization: Seat | None = None
    prices: dict[Item, Positive] = {}
    roles: dict[Role, Positive] = {}
    dice: dict[Unit, Positive] = {}
    power: Power | None = None


class _Civilizations(Struct, frozen=True, forbid_unknown_fields=True):
    order: tuple[Seat, ...]
    recommended: dict[int, tuple[Seat, ...]]


class _Free(Struct, frozen=True, forbid_unknown_fields=True):
    points: Positive


class _Keep(Struct, frozen=True, forbid_unknown_fields=True):
    tax: Positive


class _Data(Struct, frozen=True, forbid_unknown_fields=True):
    civilizations: _Civilizations
    roles: dict[Role, Seat]
    roles_provenance: dict[Role, Provenance]
    resources: dict[Resource, Positive]
    resources_provenance: dict[Resource, Provenance]
    pieces: dict[Literal["legion", "trireme", "fortress", "influence"], Positive]
    supply: dict[int, dict[Building, Positive]]
    prices: dict[Item, Positive]
    prices_provenance: dict[Item, Provenance]
    free: _Free
    keep: _Keep
    card: tuple[Card, ...]


_DATA: Final = msgspec.toml.decode(
    resources.files("domain.mare_nostrum.box").joinpath("data.toml").read_bytes(), type=_Data, strict=False
)

CIVILIZATIONS: Final = _DATA.civilizations.order
"""The five civilizations, in the order in which seats are listed."""
RECOMMENDED: Final[Mapping[int, tuple[Seat, ...]]] = _DATA.civilizations.recommended
"""The civilizations recommended for a number of players (MN-SET-21)."""
START_ROLES: Final[Mapping[Role, Seat]] = _DATA.roles
"""Who starts with which role card (MN-SET-08)."""
ROLES: Final[tuple[Role, ...]] = tuple(START_ROLES)
BANK: Final[Mapping[Resource, int]] = _DATA.resources
"""All resource cards, by kind (MN-PCS-07, MN-PCS-08)."""
GOODS: Final[tuple[Resource, ...]] = tuple(resource for resource in BANK if resource != TAX)
PIECES: Final = _DATA.pieces
"""Each player's own pieces (MN-SET-02)."""
SUPPLY: Final[Mapping[int, Mapping[Building, int]]] = _DATA.supply
"""The common supply of building tokens, by number of players (MN-SET-04)."""
BUILDINGS: Final[tuple[Building, ...]] = ("city", "caravan", "market", "temple")
PRICES: Final[Mapping[Item, int]] = _DATA.prices
FREE_POINTS: Final = _DATA.free.points
"""Building points of the free set-up (MN-SET-10)."""
KEPT_TAXES: Final = _DATA.keep.tax
"""Tax cards that may be kept for the next turn (MN-CMB-06)."""
CARDS: Final[Mapping[str, Card]] = {card.id: card for card in _DATA.card}
"""The heroes and wonders, by id."""
OWN_HERO: Final[Mapping[Seat, str]] = {card.civilization: card.id for card in _DATA.card if card.civilization}
"""Each civilization's hero (MN-HER-01)."""


def price_of(item: Item, cards: tuple[str, ...]) -> int:
    """Return what an item costs the owner of these heroes and wonders (MN-PRC-12, MN-PRC-13)."""
    return min((CARDS[card].prices[item] for card in cards if item in CARDS[card].prices), default=PRICES[item])
