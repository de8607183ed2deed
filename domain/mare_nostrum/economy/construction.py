"""A construction turn: building for combinations of cards (chapters BLD and PRC; the limits: chapter PCS)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from msgspec.structs import replace

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, or_none
from domain.mare_nostrum.box import chains, hands, phrases
from domain.mare_nostrum.box.data import PIECES, PRICES, Item, Resource, price_of
from domain.mare_nostrum.box.pieces import NO_FORCE
from domain.mare_nostrum.box.table import Command, Event, Table
from domain.mare_nostrum.economy import combinations
from domain.mare_nostrum.turn import order, war

Obstacle = tuple[str, str]
"""Why something is forbidden: the rule, and what it allows instead."""

Piece = Literal["city", "market", "temple", "fortress", "legion", "trireme"]
"""What a player builds in a province without naming an icon."""

PLURAL: Final[Mapping[Item, str]] = {
    "influence": "influence markers",
    "city": "cities",
    "caravan": "caravans",
    "market": "markets",
    "temple": "temples",
    "legion": "legions",
    "trireme": "triremes",
    "fortress": "fortresses",
}
PRICE_RULE: Final[Mapping[Item, str]] = {
    "legion": "MN-PRC-01",
    "trireme": "MN-PRC-02",
    "fortress": "MN-PRC-03",
    "influence": "MN-PRC-04",
    "caravan": "MN-PRC-05",
    "city": "MN-PRC-06",
    "market": "MN-PRC-07",
    "temple": "MN-PRC-08",
}
FORTRESSES: Final = 1
"""How many fortresses a player can have in a province (MN-BLD-09)."""
FORTRESSES_OF_ZEUS: Final = 2
"""The same for the owner of the Statue of Zeus (MN-WON-04)."""


# --- events ---


class PieceBuilt(Event, frozen=True):
    """A building or a unit was built in a province (MN-BLD-02, MN-CMB-04).

    Attributes:
        paid: the cards of the combination, by kind.
        good: the icon of a caravan; null for anything else.
    """

    rules = ("MN-BLD-02", "MN-CMB-04")
    places = (("province", "at"),)

    seat: Seat
    item: Item
    province: AreaId
    paid: dict[Resource, int]
    good: Resource | None = None

    def apply(self, table: Table) -> None:
        table.draw(self.seat, hands.negated(self.paid))
        put(table, self.seat, self.item, self.province, self.good)

    def tell(self, names: Names) -> str:
        what = f"{self.item} on {self.good}" if self.good else self.item
        return f"{names(self.seat)} built a {what} in {names(self.province)} for {phrases.cards(self.paid)}."


def put(table: Table, seat: Seat, item: Item, area: AreaId, good: Resource | None = None) -> None:
    """Put a player's new piece into a province: legions may act at once (MN-MIL-08), triremes are in port."""
    province = table.provinces[area]
    force = province.forces.get(seat, NO_FORCE)
    match item:
        case "influence":
            table.provinces[area] = replace(province, owner=seat, marked=table.turn)
        case "legion":
            table.set_force(area, seat, replace(force, fresh=force.fresh + 1))
        case "fortress":
            table.set_force(area, seat, replace(force, fortresses=force.fortresses + 1))
        case "trireme":
            table.set_port(area, seat, province.ports.get(seat, 0) + 1)
        case _:
            table.build(area, item, good)


# --- where there is room, and pieces left ---


def limit_reached(table: Table, seat: Seat, item: Item, area: AreaId, good: Resource | None = None) -> Obstacle | None:
    """Return the limit that keeps a piece out of a province; None when there is none.

    Limits are the site, icon, coast and number in a province (MN-BLD-06 to MN-BLD-10), the player's own pieces
    (MN-PCS-04) and the common supply (MN-PCS-05), not who may build there. `area` must be a province.
    """
    return no_room(table, seat, item, area, good) or none_left(table, seat, item)


def no_room(table: Table, seat: Seat, item: Item, area: AreaId, good: Resource | None = None) -> Obstacle | None:
    """Return why a province has no room for a piece (MN-BLD-06 to MN-BLD-10)."""
    province = table.provinces[area]
    match item:
        case "city" if province.city or not table.sites(area):
            return "MN-BLD-06", "A city needs an empty city site."
        case "caravan" if good not in table.icons(area) or good in province.caravans:
            free = [icon for icon in table.icons(area) if icon not in province.caravans]
            return "MN-BLD-07", f"Icons without a caravan there: {or_none(free)}."
        case "market" | "temple" if getattr(province, item):
            return "MN-BLD-08", f"A province holds one {item}."
        case "fortress" if province.forces.get(seat, NO_FORCE).fortresses >= (most := _most_fortresses(table, seat)):
            return "MN-BLD-09", f"Fortresses that {seat} can have in a province: {most}."
        case "trireme" if not chains.seas_of(table, area):
            return "MN-BLD-10", "You can build triremes only in provinces that touch the sea."
        case _:
            return None


def none_left(table: Table, seat: Seat, item: Item) -> Obstacle | None:
    """Return why a piece cannot be built if the player or the supply has none left (MN-PCS-04, MN-PCS-05)."""
    if item in ("city", "caravan", "market", "temple"):
        if table.supply[item] <= 0:
            return "MN-PCS-05", f"The supply has no {PLURAL[item]} left."
    elif table.stock(seat)[item] <= 0:
        return "MN-PCS-04", f"All {PIECES[item]} {PLURAL[item]} of {seat} are already on the board."
    return None


def _most_fortresses(table: Table, seat: Seat) -> int:
    return FORTRESSES_OF_ZEUS if table.has(seat, "second-fortress") else FORTRESSES


# --- where a player may build ---


def closed(table: Table, seat: Seat, area: AreaId) -> Obstacle | None:
    """Return why a player may not build in a province in their construction turn (MN-BLD-03 to -05, -11, -12)."""
    province = table.provinces[area]
    if province.owner != seat:
        return (
            "MN-BLD-04" if seat in province.forces else "MN-BLD-03",
            "You can build only in provinces with your marker.",
        )
    if province.marked == table.turn:
        return "MN-BLD-05", "You placed the marker there this turn. You can build there from the next turn on."
    if table.capitals[seat] != area and (enemies := table.enemies_in(area, seat)):
        return "MN-BLD-11", f"You cannot build where land units of {' and '.join(enemies)} are."
    return None


def building_ground(table: Table, seat: Seat) -> list[AreaId]:
    """Return the provinces in which a player may build in their construction turn."""
    return [area for area in table.map.lands if closed(table, seat, area) is None]


def _off_land(table: Table, item: Item, area: AreaId) -> Obstacle | None:
    if area in table.provinces:
        return None
    if area not in table.map:
        return "MN-BRD-01", f"There is no {area} on the board."
    return "MN-BLD-10" if item == "trireme" else "MN-BLD-03", "You can build only in a province, never at sea."


# --- what may be done ---


class Build(Command, frozen=True):
    """Build something in your own province, for one combination of exactly its price (MN-BLD-02, MN-CMB-04).

    Attributes:
        pay: the cards of the combination, in any order.
    """

    rules = ("MN-BLD-02", "MN-CMB-04")
    answers = frozenset({"build"})
    gesture = Gesture(to="province", targets=("item",), cards=("pay",))

    item: Piece
    province: AreaId
    pay: tuple[Resource, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _build(draft, seat, self.item, self.province, self.pay)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        hand, ground = hands.hand_of(table, seat, vault), building_ground(table, seat)
        for item, price in prices(table, seat).items():
            if item in ("influence", "caravan"):
                continue
            ways = list(combinations.payments(hand, price))
            if not ways or none_left(table, seat, item):
                continue
            if places := [area for area in ground if no_room(table, seat, item, area) is None]:
                fields = {"item": schema.const(item), "province": schema.one_of(places)}
                yield from _priced(cls, item, fields, ways, f"Build a {item}")


class BuildCaravan(Command, frozen=True):
    """Build a caravan on a resource icon of your own province (MN-BLD-07).

    Attributes:
        good: the icon.
        pay: the cards of the combination, in any order.
    """

    rules = ("MN-BLD-07",)
    answers = frozenset({"build"})
    gesture = Gesture(to="province", targets=("good",), cards=("pay",))

    province: AreaId
    good: Resource
    pay: tuple[Resource, ...]

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        _build(draft, seat, "caravan", self.province, self.pay, self.good)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        price = price_of("caravan", table.cards[seat])
        ways = list(combinations.payments(hands.hand_of(table, seat, vault), price))
        if not ways or none_left(table, seat, "caravan"):
            return
        for area in building_ground(table, seat):
            if icons := [good for good in table.icons(area) if no_room(table, seat, "caravan", area, good) is None]:
                fields = {"province": schema.const(area), "good": schema.one_of(icons)}
                yield from _priced(cls, "caravan", fields, ways, f"Build a caravan in {table.map.area(area).name}")


class FinishConstruction(Command, frozen=True):
    """Build nothing more in this turn (MN-BLD-02)."""

    rules = ("MN-BLD-02",)
    answers = frozenset({"build"})
    gesture = Gesture(quiet=True, called="Done building")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        order.finish(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def _build(
    draft: Draft[Table], seat: Seat, item: Item, area: AreaId, pay: tuple[Resource, ...], good: Resource | None = None
) -> None:
    table = draft.table
    obstacle = _off_land(table, item, area) or closed(table, seat, area) or limit_reached(table, seat, item, area, good)
    if obstacle is not None:
        what = f"a {item} on {good}" if good else f"a {item}"
        raise Refusal(obstacle[0], f"You cannot build {what} in {area}.", obstacle[1])
    paid = combinations.checked(pay, price_of(item, table.cards[seat]), hands.hand_of(table, seat, draft))
    draft.emit(PieceBuilt(seat, item, area, paid, good))
    if item in ("legion", "fortress"):
        war.end_occupations(draft, area)  # in the player's capital, where an enemy may hold a post (MN-BLD-12)


def _priced(
    command: type[Command],
    item: Item,
    fields: Mapping[str, schema.Schema],
    ways: Iterable[tuple[schema.Schema, str]],
    title: str,
) -> Iterator[Option]:
    """Yield one option for each way to pay."""
    for pay, word in ways:
        yield command.option(f"{title} for {word}", {**fields, "pay": pay}, rule=PRICE_RULE[item])


def prices(table: Table, seat: Seat) -> dict[Item, int]:
    """Return what each item costs a player; heroes and wonders count as soon as they are bought (MN-BLD-13)."""
    return {item: price_of(item, table.cards[seat]) for item in PRICES}


def build(table: Table) -> list[Decision]:
    """Ask the active player what to build."""
    seat = table.active
    assert seat is not None, "it is somebody's turn"
    return [
        Decision(
            "build",
            (seat,),
            RuleId("MN-BLD-02"),
            "What do you build?",
            "The next player is chosen when this turn is finished.",
            {"prices": prices(table, seat)},
        )
    ]


EVENTS = (PieceBuilt,)
COMMANDS = (Build, BuildCaravan, FinishConstruction)
