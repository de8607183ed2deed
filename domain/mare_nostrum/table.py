"""The table of Mare Nostrum: what lies where, who leads, whose turn it is, and what is under way.

Only hands are hidden. Cards that openly went into a hand or came out of it (income, payments, takes of the trade) are
counted openly. Cards that nobody else saw (a gift, what a player kept from a discard) are sealed with the rest of the
hand.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, PlayerId, Seat
from domain.kernel.rules import command, message
from domain.kernel.rules.board import Map
from domain.kernel.rules.table import Table as KernelTable
from domain.mare_nostrum.data import (
    BANK,
    BUILDINGS,
    CARDS,
    CIVILIZATIONS,
    PIECES,
    Building,
    Item,
    Power,
    Resource,
    Role,
)
from domain.mare_nostrum.editions import Rules
from domain.mare_nostrum.pieces import Fleet, Force, Post, Province

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
    # Later additions stay out of the first event unless somebody chooses them, or old games would start differently.
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
        stood: how many takes Ulysses' owner has let stand.
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


class Table(KernelTable, kw_only=True):
    """The whole state. What lies in its dictionaries is frozen; change it with the methods below.

    Attributes:
        rules: the switches of the ruleset version that judges the game.
        seats: who plays, in seat order; `neutral` are the civilizations that nobody plays.
        turn: the number of the turn; 0 during the set-up.
        active: the active player, in construction or in the Military Phase.
        done: who has had their construction turn or military turn in this phase.
        roles: who holds each role; `ties` are those that their holders still must decide, in the order of decision.
        capitals: each civilization's capital (MN-BRD-09).
        hands: the resource cards of each player; `bank` the open piles.
        cards: the heroes and wonders of each player, in the order of purchase.
        supply: the building tokens not on the board.
        provinces: all land provinces; `fleets` the triremes at sea, by sea space and owner, without empty entries.
        points: what the active founder has left to spend in the free set-up.
    """

    static: ClassVar[tuple[str, ...]] = ("map", "rules", "setup")

    map: Map
    rules: Rules
    setup: Setup
    seats: tuple[Seat, ...]
    neutral: tuple[Seat, ...] = ()
    turn: int = 0
    phase: Phase = "setup"
    active: Seat | None = None
    done: list[Seat] = field(default_factory=list[Seat])
    roles: dict[Role, Seat] = field(default_factory=dict[Role, Seat])
    ties: list[Tie] = field(default_factory=list[Tie])
    capitals: dict[Seat, AreaId] = field(default_factory=dict[Seat, AreaId])
    hands: dict[Seat, Hand] = field(default_factory=dict[Seat, Hand])
    cards: dict[Seat, tuple[str, ...]] = field(default_factory=dict[Seat, tuple[str, ...]])
    bank: dict[Resource, int] = field(default_factory=lambda: dict(BANK))
    supply: dict[Building, int] = field(default_factory=dict[Building, int])
    provinces: dict[AreaId, Province] = field(default_factory=dict[AreaId, Province])
    fleets: dict[AreaId, dict[Seat, Fleet]] = field(default_factory=dict[AreaId, dict[Seat, Fleet]])
    winner: Seat | None = None
    won_by: str = ""
    # --- the free set-up ---
    order: list[Seat] = field(default_factory=list[Seat])
    """Who still spends points, in the order drawn (MN-SET-17)."""
    points: int = 0
    """What the first of them has left (MN-SET-10)."""
    # --- commerce ---
    paid: bool = False
    """Whether this turn's income has been paid."""
    trade: Trade | None = None
    redirected: bool = False
    """Whether Ulysses has been used in this Commerce Phase (MN-HER-11)."""
    # --- construction ---
    replaced: dict[AreaId, Seat] = field(default_factory=dict[AreaId, Seat])
    """Whose marker was replaced this turn: they controlled that province when the turn began (MN-INF-01)."""
    free_marker: bool = False
    """Whether the active player has placed Hammurabi's free marker this turn (MN-HER-14)."""
    exchanged: bool = False
    """Whether Cleopatra's exchange has been used in this Construction Phase (MN-HER-17)."""
    kept: dict[Seat, Sealed] = field(default_factory=dict[Seat, Sealed])
    """The cards that players have laid aside to keep, sealed until all have chosen (MN-CMB-06)."""
    # --- the Military Phase ---
    ashore: bool = False
    """Whether the active player has moved or fought with a legion, after which triremes cannot act (MN-MIL-03)."""
    owed: dict[AreaId, tuple[Seat, ...]] = field(default_factory=dict[AreaId, tuple[Seat, ...]])
    """Provinces at war since an earlier turn, and who had land units there when this turn began: units that stay must
    fight a round in their owner's turn (MN-WAR-03)."""
    exploited: dict[AreaId, tuple[Seat, ...]] = field(default_factory=dict[AreaId, tuple[Seat, ...]])
    """Who has pillaged, occupied or begun to convert a province this turn, which they may do once (MN-AFT-01)."""
    seduced: bool = False
    """Whether Helen has been used in this Military Phase (MN-HER-07)."""
    entry: Entry | None = None
    battle: Battle | None = None
    spoils: Spoils | None = None
    holding: Holding | None = None
    contested: dict[AreaId, Holding] = field(default_factory=dict[AreaId, Holding])
    """What occupiers held where the active player has attacked them and still has units. Until the turn ends, each
    occupier may still be alone again and keep holding it (MN-AFT-11)."""

    # --- changes ---
    # What happens hundreds of times a game calls `replace` itself: passing ``**changes`` on takes five times as long.

    def change_province(self, area: AreaId, **changes: Any) -> None:
        """Replace what has changed in a province."""
        self.provinces[area] = replace(self.provinces[area], **changes)

    def set_force(self, area: AreaId, owner: Seat, force: Force) -> None:
        """Replace an owner's land units in a province; an empty force removes them."""
        province = self.provinces[area]
        forces = province.forces.copy()
        forces.pop(owner, None)
        if force.units:
            forces[owner] = force
        self.provinces[area] = replace(province, forces=forces)

    def set_fleet(self, sea: AreaId, owner: Seat, fleet: Fleet) -> None:
        """Replace a player's triremes in a sea space."""
        fleets = self.fleets.get(sea, {}).copy()
        fleets.pop(owner, None)
        if fleet.triremes:
            fleets[owner] = fleet
        self.fleets[sea] = fleets
        if not fleets:
            del self.fleets[sea]

    def set_port(self, area: AreaId, owner: Seat, triremes: int) -> None:
        """Set how many of a player's triremes are in port in a province."""
        province = self.provinces[area]
        ports = province.ports.copy()
        ports.pop(owner, None)
        if triremes:
            ports[owner] = triremes
        self.provinces[area] = replace(province, ports=ports)

    def build(self, area: AreaId, building: Building, good: Resource | None = None) -> None:
        """Put a building token of the supply into a province; `good` is the icon of a caravan."""
        self.supply[building] -= 1
        if building == "caravan":
            if good is None:
                raise AssertionError("a caravan stands on a good")
            province = self.provinces[area]
            self.provinces[area] = replace(province, caravans=(*province.caravans, good))
        else:
            self.change_province(area, **{building: True})

    def raze(self, area: AreaId, post: str) -> None:
        """Return a building of a province, named as in `Province.buildings`, to the supply (MN-PCS-06)."""
        if post in ("city", "market", "temple"):
            self.supply[post] += 1
            self.change_province(area, **{post: False})
        else:
            self.supply["caravan"] += 1
            self.change_province(area, caravans=tuple(good for good in self.provinces[area].caravans if good != post))

    def vacate(self, area: AreaId) -> None:
        """Take all legions in a province off their posts (MN-AFT-12)."""
        forces = self.provinces[area].forces.items()
        self.change_province(area, forces={seat: replace(force, posts=()) for seat, force in forces})

    def draw(self, seat: Seat, cards: Mapping[Resource, int]) -> None:
        """Let a player take cards from the bank, openly; negative numbers go back to it."""
        self.pass_openly(seat, cards)
        for card, number in cards.items():
            self.bank[card] -= number

    def pass_openly(self, seat: Seat, cards: Mapping[Resource, int]) -> None:
        """Change a hand by cards that everybody sees; negative numbers leave it."""
        hand = self.hands[seat]
        seen = hand.seen.copy()
        for card, number in cards.items():
            seen[card] += number
        self.hands[seat] = Hand(hand.count + sum(cards.values()), hand.cards, seen)

    def hold(self, seat: Seat, count: int, cards: Sealed) -> None:
        """Give a player a newly sealed hand."""
        self.hands[seat] = Hand(count, cards)

    def exploit(self, area: AreaId, seat: Seat) -> None:
        """Remember that a player pillages, occupies or converts a province this turn."""
        self.exploited[area] = (*(other for other in self.exploited.get(area, ()) if other != seat), seat)

    # --- questions ---

    @property
    def names(self) -> message.Names:
        """Display names for the questions that are put to players, neutral civilizations included."""
        return message.Names(self.map.names, CIVILIZATIONS)

    def icons(self, area: AreaId) -> tuple[Resource, ...]:
        """Return the goods whose icons a province shows (MN-BRD-01)."""
        return self.map.area(area).traits.get("resources", ())

    def sites(self, area: AreaId) -> int:
        """Return how many city sites a province shows (MN-BRD-01)."""
        return self.map.area(area).value("city_sites")

    def owner_of(self, power: Power) -> Seat | None:
        """Return who has the hero or wonder of that power; None when nobody has."""
        return next(
            (seat for seat, cards in self.cards.items() if any(CARDS[card].power == power for card in cards)), None
        )

    def has(self, seat: Seat, power: Power) -> bool:
        """Tell whether a player has the hero or wonder of that power."""
        return any(CARDS[card].power == power for card in self.cards.get(seat, ()))

    def bonus(self, owner: Seat, unit: Literal["legion", "trireme"]) -> int:
        """Return what heroes add to each die rolled for an owner's units (MN-HER-13, MN-HER-16)."""
        return sum(CARDS[card].dice.get(unit, 0) for card in self.cards.get(owner, ()))

    def controls(self, seat: Seat, area: AreaId) -> bool:
        """Tell whether a province was under a player's control at the start of the turn (MN-INF-01)."""
        province = self.provinces[area]
        if province.owner == seat:
            return province.marked < max(self.turn, 1)
        return self.replaced.get(area) == seat

    def on_board(self, owner: Seat) -> dict[Item, int]:
        """Count an owner's pieces on the board: ``legion``, ``fortress``, ``trireme`` and ``influence``."""
        legions = fortresses = markers = triremes = 0
        for province in self.provinces.values():
            if (force := province.forces.get(owner)) is not None:
                legions += force.legions
                fortresses += force.fortresses
            markers += province.owner == owner
            triremes += province.ports.get(owner, 0)
        triremes += sum(fleets[owner].triremes for fleets in self.fleets.values() if owner in fleets)
        return {"legion": legions, "fortress": fortresses, "trireme": triremes, "influence": markers}

    def stock(self, owner: Seat) -> dict[Item, int]:
        """Count the pieces that an owner has left to place (MN-PCS-04)."""
        placed = self.on_board(owner)
        return {piece: PIECES[piece] - placed[piece] for piece in PIECES}

    def enemies_in(self, area: AreaId, seat: Seat) -> tuple[Seat, ...]:
        """Return the other owners of land units in a province, in the order of their names."""
        return tuple(sorted(owner for owner in self.provinces[area].forces if owner != seat))

    @property
    def available(self) -> tuple[str, ...]:
        """The heroes and wonders that nobody owns yet, without those of civilizations not in play (MN-HER-01)."""
        owned = {card for cards in self.cards.values() for card in cards}
        return tuple(
            card.id
            for card in CARDS.values()
            if card.id not in owned and (card.civilization is None or card.civilization in self.seats)
        )

    def seats_from(self, first: Seat) -> tuple[Seat, ...]:
        """Return the players in seat order, beginning with `first`."""
        place = self.seats.index(first)
        return self.seats[place:] + self.seats[:place]


class Event(message.Event[Table], frozen=True):
    """Something that happened at this table."""


class Command(command.Command[Table], frozen=True):
    """Something a seat asks for at this table."""


def bare(
    map_: Map,
    rules: Rules,
    setup: Setup,
    seats: tuple[Seat, ...],
    everybody: Iterable[Seat],
    supply: Mapping[Building, int],
) -> Table:
    """Return the table before the set-up: an empty board, empty hands, all tokens in the supply."""
    return Table(
        map=map_,
        rules=rules,
        setup=setup,
        seats=seats,
        neutral=tuple(civilization for civilization in everybody if civilization not in seats),
        capitals={Seat(map_.area(area).traits["capital_of"][0]): area for area in map_.homes},
        hands={seat: Hand() for seat in seats},
        cards=dict.fromkeys(seats, ()),
        supply={building: supply[building] for building in BUILDINGS},
        provinces={area: Province() for area in map_.lands},
    )
