"""The table of Mare Nostrum: what lies where, who leads, whose turn it is, and what is under way.

Only hands are hidden. Cards that openly went into a hand or came out of it (income, payments, takes of the trade) are
counted openly. Cards that nobody else saw (a gift, what a player kept from a discard) are sealed with the rest of the
hand.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from msgspec import field
from msgspec.structs import replace

from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import command, message
from domain.kernel.rules.board import Map
from domain.kernel.rules.table import Table as KernelTable
from domain.mare_nostrum.box.data import (
    BANK,
    CARDS,
    CIVILIZATIONS,
    PIECES,
    Building,
    Item,
    Power,
    Resource,
    Role,
)
from domain.mare_nostrum.box.editions import Rules
from domain.mare_nostrum.box.pieces import Fleet, Force, Province
from domain.mare_nostrum.box.state import Battle, Entry, Hand, Holding, Phase, Setup, Spoils, Tie, Trade


class Table(KernelTable, kw_only=True):
    """The whole state. The values in its dictionaries are frozen; change them with the methods below.

    Attributes:
        rules: the switches of the ruleset version that judges the game.
        seats: who plays, in seat order; `neutral` are the civilizations that nobody plays.
        turn: the number of the turn; 0 during the set-up.
        active: the active player, in construction or in the Military Phase.
        done: who has had their construction turn or military turn in this phase.
        roles: who holds each role; `ties` are the ties that the holders still must decide, in the order of decision.
        capitals: each civilization's capital (MN-BRD-09).
        hands: the resource cards of each player; `bank` the open piles.
        cards: the heroes and wonders of each player, in the order of purchase.
        supply: the building tokens not on the board.
        provinces: all land provinces; `fleets` the triremes at sea, by sea space and owner, without empty entries.
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
    """How many points the first of them has left (MN-SET-10)."""
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
    """Who could pillage, occupy or convert in a province this turn; without another battle, only once (MN-AFT-01)."""
    seduced: bool = False
    """Whether Helen has been used in this Military Phase (MN-HER-07)."""
    entry: Entry | None = None
    battle: Battle | None = None
    spoils: Spoils | None = None
    holding: Holding | None = None
    contested: dict[AreaId, Holding] = field(default_factory=dict[AreaId, Holding])
    """What occupiers held where the active player has attacked them and still has units. Until the turn ends, each
    occupier may be alone there again and keep holding it (MN-AFT-11)."""

    # --- changes ---
    # Methods that run hundreds of times a game call `replace` themselves: ``**changes`` would take five times as long.

    def change_province(self, area: AreaId, **changes: Any) -> None:
        """Replace fields of a province."""
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
        """Put a building of a province, named as in `Province.buildings`, back into the supply (MN-PCS-06)."""
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
        visible = hand.seen.copy()
        for card, number in cards.items():
            visible[card] += number
        self.hands[seat] = Hand(hand.count + sum(cards.values()), hand.cards, visible)

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


def battle_of(table: Table) -> Battle:
    """Return the battle on land under way."""
    assert table.battle is not None, "a battle is under way"
    return table.battle


def trade_of(table: Table) -> Trade:
    """Return the trade under way."""
    assert table.trade is not None, "a trade is under way"
    return table.trade


class Event(message.Event[Table], frozen=True):
    """Something that happened at this table."""


class Command(command.Command[Table], frozen=True):
    """Something a seat asks for at this table."""
