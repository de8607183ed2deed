"""Phase 5, purchase of new pieces (chapter BUY; the supply: CC-PCS-03 to CC-PCS-05, CC-CAP-15)."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from domain.classic.box.pieces import STOCK
from domain.classic.box.state import Purchase
from domain.classic.box.table import Command, Event, Table
from domain.classic.economy import sites
from domain.classic.turn import inflation, turn
from domain.conquest.pieces import NO_UNITS, PIECES, amount_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal

PRICES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "infantry": 10,
        "cavalry": 20,
        "catapults": 30,
        "galleys": 20,
        "cities": 30,
        "fortifications": 20,
        "roads": 10,
    }
)
"""Base prices in talents (CC-BUY-02). A fortified city is a city and a fortification (CC-BUY-07)."""


class PiecesBought(Event, frozen=True):
    """The active player paid for new pieces (CC-BUY-01, CC-BUY-03), which are placed next.

    Attributes:
        talents: what they paid.
    """

    rules = ("CC-BUY-01", "CC-BUY-03")

    seat: Seat
    pieces: Purchase
    talents: Count

    def apply(self, table: Table) -> None:
        table.change_player(self.seat, talents=table.players[self.seat].talents - self.talents)
        table.bought = self.pieces

    def tell(self, names: Names) -> str:
        counts = ((kind, getattr(self.pieces, kind)) for kind in PRICES)
        bought = [amount_of(kind, count) for kind, count in counts if count]
        return f"{names(self.seat)} bought {names.all(bought)} for {self.talents} talents."


class NothingBought(Event, frozen=True):
    """The active player bought nothing (CC-BUY-01).

    Attributes:
        automatic: whether they were not asked, because they could not buy anything.
    """

    rules = ("CC-BUY-01",)

    seat: Seat
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        pass

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} {'could buy nothing' if self.automatic else 'bought nothing'}."


# --- what there is to buy ---


def prices(table: Table) -> dict[str, int]:
    """Return the current price of each kind of piece, in talents (CC-INF-08)."""
    factor = inflation.factor(table)
    return {kind: price * factor for kind, price in PRICES.items()}


def supply(table: Table, seat: Seat) -> dict[str, int]:
    """Return how many pieces of each kind are unused: of all colours of a seat (CC-CAP-15), and of the common stock."""
    troops, cities, fortifications = NO_UNITS, 0, 0
    for province in table.provinces.values():
        cities += province.city
        fortifications += province.fortified
        if province.armies and (army := province.armies.get(seat)) is not None:
            troops += army.units
    on_board = {"cities": cities, "fortifications": fortifications, "roads": len(table.roads)}
    fleet = [galley for galley in table.galleys.values() if galley.owner == seat]
    for galley in fleet:
        troops += galley.cargo
    in_use = {
        "infantry": troops.infantry,
        "cavalry": troops.cavalry,
        "catapults": troops.catapults,
        "galleys": len(fleet),
    }
    colours = len(table.players[seat].colours)
    own = {kind: pieces * colours - in_use[kind] for kind, pieces in PIECES.items()}
    return own | {kind: pieces - on_board[kind] for kind, pieces in STOCK.items()}


def _why_not_buy(table: Table, seat: Seat, kind: str) -> tuple[str, str] | None:
    """Return the rule that forbids a seat to buy a kind of piece now, and what it requires; None if none does.

    It looks only at the Home Province and, for galleys, at the coasts: not at talents, the supply or other places.
    """
    is_common = kind in STOCK
    if not table.controls_home(seat):
        if table.edition.purchase_needs_home:
            return "CC-BUY-05", "You cannot buy anything until you regain your Home Province."
        if not is_common:
            return "CC-BUY-06", "Without your Home Province, you can only buy cities, fortifications and roads."
    elif kind == "galleys" and not sites.galley_coasts(table, seat):
        return "CC-PLC-04", "Galleys need a coast, so you must control Syria or Armenia first."
    return None


class Market(Struct, frozen=True):
    """What one seat can buy now.

    Attributes:
        talents: how many talents it has.
        prices: the price of each kind.
        left: the pieces of each kind in the supply.
        most: as `left`, but 0 for a kind that a rule forbids now; and for cities no more than there are places for.
        bare_cities: how many cities could take a fortification.
        roads: for each number of new cities (0, 1, 2, …), how many roads could then be placed; all 0 when no road can
            be bought.
    """

    talents: int
    prices: dict[str, int]
    left: dict[str, int]
    most: dict[str, int]
    bare_cities: int
    roads: list[int]

    def affordable(self, cities: int) -> dict[str, int]:
        """Return how many of each kind could be bought with `cities` new cities, if only one other kind is bought."""
        rest = self.talents - cities * self.prices["cities"]
        most = {kind: min(self.most[kind], rest // price) for kind, price in self.prices.items()}
        most["cities"] = cities
        most["fortifications"] = min(most["fortifications"], self.bare_cities + cities)
        most["roads"] = min(most["roads"], self.roads[cities])
        return most


def market(table: Table, seat: Seat) -> Market:
    """Return what a seat can buy (CC-BUY-04, CC-BUY-08)."""
    price, talents = prices(table), table.players[seat].talents
    unused = supply(table, seat)
    most = {kind: 0 if _why_not_buy(table, seat, kind) else count for kind, count in unused.items()}
    most["cities"] = min(most["cities"], len(sites.city_sites(table, seat)))
    cities = min(most["cities"], talents // price["cities"])
    can_buy_roads = most["roads"] and talents >= price["roads"]
    roads = sites.most_roads(table, seat, cities) if can_buy_roads else [0] * (cities + 1)
    return Market(talents, price, unused, most, len(sites.fortification_sites(table, seat)), roads)


# --- what may be done ---


class Buy(Command, frozen=True):
    """Buy pieces, all at once (CC-BUY-01). You must be able to afford and place them, and the supply must have them."""

    rules = ("CC-BUY-01",)
    answers = frozenset({"buy"})
    gesture = Gesture(
        counts=("infantry", "cavalry", "catapults", "galleys", "cities", "fortifications", "roads"), control="purchase"
    )

    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    galleys: Count = 0
    cities: Count = 0
    fortifications: Count = 0
    roads: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        order = {kind: count for kind in PRICES if (count := getattr(self, kind))}
        if not order:
            raise Refusal("CC-BUY-01", "You asked for no pieces.", "To buy nothing, send finish-purchase.")
        for kind, count in order.items():
            self._check_kind(table, seat, kind, count)
        price = prices(table)
        cost = sum(price[kind] * count for kind, count in order.items())
        talents = table.players[seat].talents
        if cost > talents:
            raise Refusal("CC-BUY-03", f"These pieces cost {cost} talents.", f"You have {talents}.")
        self._check_places(table, seat)
        draft.emit(PiecesBought(seat, Purchase(**order), cost))
        turn.enter(draft, "placement")

    def _check_kind(self, table: Table, seat: Seat, kind: str, count: int) -> None:
        if (reason := _why_not_buy(table, seat, kind)) is not None:
            raise Refusal(reason[0], f"You asked for {amount_of(kind, count)}.", reason[1])
        unused = supply(table, seat)[kind]
        if count > unused:
            raise Refusal("CC-BUY-04", f"You asked for {amount_of(kind, count)}.", f"The supply has {unused} left.")

    def _check_places(self, table: Table, seat: Seat) -> None:
        """Check that there is a place for every piece (CC-BUY-08)."""
        room = len(sites.city_sites(table, seat))
        self._check_room("cities", room, "one in each of your provinces without a city")
        room = len(sites.fortification_sites(table, seat)) + self.cities
        self._check_room("fortifications", room, "one in each of your cities without one, new cities included")
        room = sites.most_roads(table, seat, self.cities)[-1] if self.roads else 0
        self._check_room("roads", room, "one between two of your cities in adjacent provinces, new cities included")

    def _check_room(self, kind: str, room: int, places: str) -> None:
        if (count := getattr(self, kind)) > room:
            wrong = f"You asked for {amount_of(kind, count)}."
            raise Refusal("CC-BUY-08", wrong, f"There is room for {room}: {places}.")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        """Yield an option for each number of new cities: more cities make room for more fortifications and roads."""
        goods = market(table, seat)
        for cities in range(len(goods.roads)):
            most = goods.affordable(cities)
            if any(most.values()):
                yield cls._option(goods, cities, most)

    @classmethod
    def _option(cls, goods: Market, cities: int, most: Mapping[str, int]) -> Option:
        fields = {kind: schema.count(cities if kind == "cities" else 0, count) for kind, count in most.items()}
        cost = {"prices": goods.prices, "maximum": goods.talents, "unit": "talents", "left": goods.left}
        at_least_one = None if cities else {"of": list(PRICES), "minimum": 1}
        return cls.option(_title(cities), fields, x_cost=cost, x_total=at_least_one)


def _title(cities: int) -> str:
    new_cities = {0: "no new city", 1: "one new city"}.get(cities, f"{cities} new cities")
    return f"Buy pieces, with {new_cities}"


class FinishPurchase(Command, frozen=True):
    """Buy nothing."""

    rules = ("CC-BUY-01",)
    answers = frozenset({"buy"})
    gesture = Gesture(quiet=True, called="Buy nothing")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(NothingBought(seat))
        turn.enter(draft, "placement")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def buy(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the active player what to buy. If they can buy nothing, return the consequence that records that."""
    if not _can_buy(table, table.acting):
        return _buy_nothing
    about = {"talents": table.players[table.acting].talents, "prices": prices(table)}
    title, depends = "What do you buy?", "Placement comes next, then the turn ends."
    return [Decision("buy", (table.acting,), RuleId("CC-BUY-01"), title, depends, about)]


def _can_buy(table: Table, seat: Seat) -> bool:
    price, talents = prices(table), table.players[seat].talents
    if talents < min(price.values()):
        return False
    unused = supply(table, seat)
    return any(
        price[kind] <= talents
        and unused[kind]
        and _why_not_buy(table, seat, kind) is None
        and _has_place(table, seat, kind)
        for kind in PRICES
    )


def _has_place(table: Table, seat: Seat, kind: str) -> bool:
    places = {"cities": sites.city_sites, "fortifications": sites.fortification_sites, "roads": sites.road_sites}
    return kind not in places or bool(places[kind](table, seat))


def _buy_nothing(draft: Draft[Table]) -> None:
    draft.emit(NothingBought(draft.table.acting, automatic=True))
    turn.enter(draft, "placement")


EVENTS = (PiecesBought, NothingBought)
COMMANDS = (Buy, FinishPurchase)
