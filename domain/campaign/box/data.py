"""The data of the game, read from ``data.toml``: numbers of pieces, prices, tokens, and the cards and their effects."""

from importlib import resources
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.conquest.pieces import Units
from domain.kernel.ids import AreaId
from domain.kernel.rules.message import Count

CardId = Annotated[
    str,
    Meta(
        title="CampaignCardId",
        description="A kind of Conquest card, such as `merchant-egypt`; equal cards have one id.",
    ),
]
Kind = Literal["immediate", "senator", "diplomacy", "reusable", "vote", "permanent"]
"""When a card takes effect, and how long it stays (CS-CRD-03). Votes can be used again, like reusable cards."""
Provenance = Literal["stated", "shared", "published", "ours"]
"""Where a fact about a card comes from; `papers.ORIGINS` explains each."""

COIN: Final = 5
"""The smallest coin: every sum of talents is a multiple of it (CS-PCS-08)."""


# --- what cards do ---


class Gain(Struct, frozen=True, tag="gain", omit_defaults=True, forbid_unknown_fields=True):
    """Talents from the bank, chaos and victory points. Negative chaos takes chaos points away, down to 0."""

    talents: int = 0
    chaos: int = 0
    points: int = 0


class Levy(Struct, frozen=True, tag="levy", omit_defaults=True, forbid_unknown_fields=True):
    """Units from the player's supply, as many as it has (CS-PCS-04), all placed in one of these areas."""

    places: tuple[AreaId, ...]
    infantry: int = 0
    cavalry: int = 0
    galleys: int = 0


class Tokens(Struct, frozen=True, tag="tokens", omit_defaults=True, forbid_unknown_fields=True):
    """Influence tokens from the player's supply, for a province; if none is named, where their Caesar is."""

    number: int
    province: AreaId | None = None


class Income(Struct, frozen=True, tag="income", forbid_unknown_fields=True):
    """Talents for each influence token that the player has in a province (CS-EFF-01)."""

    province: AreaId
    talents: int


class City(Struct, frozen=True, tag="city", forbid_unknown_fields=True):
    """A city in one of these provinces, if none stands there (CS-CTY-01, CS-CTY-02)."""

    provinces: tuple[AreaId, AreaId]


class Expedition(Struct, frozen=True, tag="expedition", omit_defaults=True, forbid_unknown_fields=True):
    """A move of a number of the player's units or galleys to an area, and its reward (CS-EFF-13 to CS-EFF-17)."""

    to: AreaId
    then: Gain | Levy
    units: int = 0
    galleys: int = 0


class Assassination(Struct, frozen=True, tag="assassination", forbid_unknown_fields=True):
    """The removal of a General or a random senator of another player (CS-EFF-02)."""


class Bribe(Struct, frozen=True, tag="bribe", forbid_unknown_fields=True):
    """The theft of a random senator (CS-EFF-19)."""


class Senator(Struct, frozen=True, tag="senator", forbid_unknown_fields=True):
    """Votes in the senate (CS-SEN-01)."""

    votes: int


class Pact(Struct, frozen=True, tag="pact", omit_defaults=True, forbid_unknown_fields=True):
    """Phantom units in every land battle of the owner in a province or, if none is named, in every naval battle."""

    province: AreaId | None = None
    infantry: int = 0
    cavalry: int = 0
    galleys: int = 0


class Training(Struct, frozen=True, tag="training", omit_defaults=True, forbid_unknown_fields=True):
    """Extra dice in all land, or all naval, battles of the owner (CS-EFF-23, CS-EFF-24)."""

    land: int = 0
    sea: int = 0


class Calm(Struct, frozen=True, tag="calm", forbid_unknown_fields=True):
    """The choice to avoid any naval battle (CS-EFF-25)."""


class Uprising(Struct, frozen=True, tag="revolt", forbid_unknown_fields=True):
    """Slaves that rise and fight every army in a province (CS-EFF-20)."""

    infantry: int


class Vote(Struct, frozen=True, tag="vote", forbid_unknown_fields=True):
    """A vote of the senate for a prize (CS-SEN-03)."""

    prize: Gain | Levy | Tokens


Effect = (
    Gain
    | Tokens
    | Income
    | City
    | Expedition
    | Assassination
    | Bribe
    | Senator
    | Pact
    | Training
    | Calm
    | Uprising
    | Vote
)


EFFECTS_OF: Final[dict[Kind, tuple[type[Struct], ...]]] = {
    "immediate": (Gain, Tokens, City, Expedition, Bribe, Uprising),
    "senator": (Senator,),
    "diplomacy": (Pact,),
    "reusable": (Gain, Income, Assassination),
    "vote": (Vote,),
    "permanent": (Training, Calm),
}
"""The effects that cards of each kind can have. A card with another effect would cost talents and do nothing."""


class Card(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of Conquest card (CS-CRD-03).

    Attributes:
        copies: how many there are in the deck.
        price: talents paid to the bank for it; 0 for a card without a printed price.
        provenance: where each of these facts comes from.
        effect: what the card does.
    """

    id: CardId
    name: str
    kind: Kind
    copies: int
    price: Count
    rules: tuple[str, ...]
    provenance: dict[str, Provenance]
    effect: Effect

    def __post_init__(self) -> None:
        """Raises `ValueError` when no card of this kind can have this effect."""
        if not isinstance(self.effect, EFFECTS_OF[self.kind]):
            effects = ", ".join(effect.__name__.lower() for effect in EFFECTS_OF[self.kind])
            raise ValueError(f"{self.id}: a card of the kind {self.kind} has one of the effects {effects}")


class Start(Struct, frozen=True, forbid_unknown_fields=True):
    """What each player begins with, besides the Caesar (CS-SET-03 to CS-SET-05, CS-SET-08)."""

    infantry: int
    cavalry: int
    catapults: int
    galleys: int
    generals: int
    talents: int
    influence: int
    senators: tuple[CardId, ...]

    @property
    def units(self) -> Units:
        return Units(self.infantry, self.cavalry, self.catapults)


class Data(Struct, frozen=True, forbid_unknown_fields=True):
    """All data. `tokens` is the number of province tokens of each key province."""

    seasons: tuple[int, ...]
    rounds: int
    actions: int
    start: Start
    prices: dict[str, int]
    pieces: dict[str, int]
    pieces_provenance: dict[str, Provenance]
    tokens: dict[AreaId, int]
    card: tuple[Card, ...]

    @property
    def cards(self) -> dict[CardId, Card]:
        """The cards by id."""
        return {card.id: card for card in self.card}


def read(raw: bytes) -> Data:
    """Return the data in a TOML document. Raises `msgspec.ValidationError`."""
    return msgspec.toml.decode(raw, type=Data)


DATA: Final = read(resources.files("domain.campaign.box").joinpath("data.toml").read_bytes())

_NAMES: Final = {card.id: card.name for card in DATA.card}


def name_of(card: CardId) -> str:
    """Return the name of a card for sentences."""
    return _NAMES.get(card, card.replace("-", " "))
