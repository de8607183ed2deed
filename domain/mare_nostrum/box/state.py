"""What the table of Mare Nostrum consists of: the set-up that was chosen, hands, and what is under way."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, PlayerId, Seat
from domain.mare_nostrum.box.data import (
    BANK,
    Resource,
    Role,
)
from domain.mare_nostrum.box.pieces import Post

Phase = Literal["setup", "roles", "income", "trade", "construction", "discard", "military", "over"]
"""The parts of a turn (MN-ROL-01): roles, the Commerce Phase (income, trade), the Construction Phase with the discard
at its end, and the Military Phase. The set-up comes before them, and the end of the game after them."""
Layout = Literal["introductory", "free"]
Civilization = Literal["rome", "carthage", "greece", "egypt", "babylon"]


class Leader(Struct, frozen=True, forbid_unknown_fields=True):
    """A civilization that the creator of a game reserves for a player.

    Attributes:
        player: the id of the player's account.
    """

    civilization: Civilization
    player: Annotated[PlayerId, Meta(min_length=1, max_length=80)]


class Setup(Struct, frozen=True, forbid_unknown_fields=True):
    """What the creator of a game chooses.

    Attributes:
        layout: the layout of the aid cards (MN-SET-06), or 36 points for everybody to spend (MN-SET-10).
        civilizations: who plays; by default those recommended for the number of players (MN-SET-21).
        influence_chain_any_player: whether triremes of any player join provinces for placing influence (MN-INF-04).
        assignment: `seats` when a player leads the civilization whose seat they take, in the order in which they come;
            `dealt` when the civilizations are dealt by lot at the start of the game (MN-SET-01).
        leaders: the civilizations that the creator reserves for players: nobody else can take their seats (MN-SET-01).
        lone_offer_ends_trade: whether the trade ends as soon as only one player has cards face up, even if the next
            taker could still take one (MN-TRD-15).
    """

    layout: Layout = "introductory"
    civilizations: Annotated[tuple[Civilization, ...], Meta(max_length=5, extra_json_schema={"uniqueItems": True})] = ()
    influence_chain_any_player: bool = False
    # Fields added later are unset unless somebody chooses them: so the first events of old games stay as they are.
    assignment: Literal["seats", "dealt"] | UnsetType = UNSET
    leaders: Annotated[tuple[Leader, ...], Meta(max_length=5)] | UnsetType = UNSET
    lone_offer_ends_trade: bool | UnsetType = UNSET


class Hand(Struct, frozen=True):
    """Resource cards in a player's hand.

    Attributes:
        count: how many cards, which is public (MN-TRD-04).
        cards: the hand as it was last sealed, {resource: number}; only its owner can read it. None before the set-up.
        seen: how many of each kind have openly come (or gone, if negative) since then.
    """

    count: int = 0
    cards: Sealed | None = None
    seen: dict[Resource, int] = field(default_factory=lambda: dict.fromkeys(BANK, 0))


class Tie(Struct, frozen=True):
    """A role for which other players tie with more than its holder, who decides between them (MN-ROL-09)."""

    role: Role
    seats: tuple[Seat, ...]


class TakenCard(Struct, frozen=True):
    """One take of the trade: a face-up card of `giver`."""

    taker: Seat
    giver: Seat
    card: Resource


class Trade(Struct, frozen=True):
    """The trade of a turn (chapter TRD).

    Attributes:
        number: how many cards each trader offers.
        traders: who takes part, in seat order.
        chosen: the face-down offers, each sealed for the player who made it; they still count as part of the hand.
        offers: the face-up cards, by owner; empty until all have been turned over.
        taken: the cards taken so far, by taker. They are face down, but everybody saw which they are.
        taker: who takes next; None before the reveal and when the chain has ended.
        takes: the takes so far, without one that Ulysses undid.
        stood: how many takes there were when Ulysses' owner last let one stand.
        forced: Ulysses' owner, when the taker must now take from them (MN-HER-11).
        short: who has one card less than before the trade, when the Director must give them one (MN-TRD-19).
    """

    number: int
    traders: tuple[Seat, ...] = ()
    chosen: dict[Seat, Sealed] = field(default_factory=dict[Seat, Sealed])
    offers: dict[Seat, tuple[Resource, ...]] = field(default_factory=dict[Seat, tuple[Resource, ...]])
    taken: dict[Seat, tuple[Resource, ...]] = field(default_factory=dict[Seat, tuple[Resource, ...]])
    taker: Seat | None = None
    takes: tuple[TakenCard, ...] = ()
    stood: int = 0
    forced: Seat | None = None
    short: Seat | None = None


class Battle(Struct, frozen=True):
    """A battle on land under way (chapter BAT).

    Attributes:
        legions, fortresses: the attacker's units in it; the defender fights with all their units there (MN-BAT-11).
        posts: what the defender's legions held when the first attack of the turn on them began (MN-AFT-11).
        losses: how many units each side still has to remove.
    """

    province: AreaId
    attacker: Seat
    defender: Seat
    legions: int
    fortresses: int = 0
    posts: tuple[Post, ...] = ()
    losses: dict[Seat, int] = field(default_factory=dict[Seat, int])


class Entry(Struct, frozen=True):
    """Legions that have just entered a province of Helen's owner (MN-HER-07).

    Attributes:
        seat: Helen's owner, who may convert one.
    """

    province: AreaId
    seat: Seat


class Spoils(Struct, frozen=True):
    """A province in which the active player is alone and must choose what their legions do (MN-AFT-01).

    Attributes:
        legions: how many of them.
    """

    province: AreaId
    legions: int


class Holding(Struct, frozen=True):
    """A province whose occupier was attacked (MN-AFT-11).

    Attributes:
        seat: the occupier.
        posts: what they may keep holding once they are alone again.
    """

    province: AreaId
    seat: Seat
    posts: tuple[Post, ...]
