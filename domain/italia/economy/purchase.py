"""Buying units and cities (chapter BUY). Where they are placed is chosen afterwards, in placement.py (IT-BUY-11)."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from domain.italia.box.entries import FleetSeas
from domain.italia.box.pieces import FLEET, KINDS, NationId, amount_of
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.turn import reinforcements
from domain.italia.turn.sequence import end_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal

CONSULAR: Final = "consular-legion"


# --- what happens ---


class Purchased(Event, frozen=True):
    """A nation bought units and cities (IT-BUY-06), or nothing; gold that it cannot save is lost (IT-INC-08).

    Attributes:
        units: how many of each type, fleets among them.
        cities: the areas for which it bought a city.
        cost: what all of it cost.
        lost: the gold that was left and cannot be saved.
    """

    rules = ("IT-BUY-01", "IT-BUY-02", "IT-BUY-03", "IT-BUY-06", "IT-BUY-10", "IT-INC-07", "IT-INC-08")

    nation: NationId
    units: dict[str, Count]
    cities: tuple[AreaId, ...]
    cost: Count
    lost: Count = 0

    def apply(self, table: Table) -> None:
        standing = table.nations[self.nation]
        supply = {kind: standing.held.get(kind, 0) + self.units.get(kind, 0) for kind in (*KINDS, FLEET)}
        supply = {kind: number for kind, number in supply.items() if number}
        table.change(self.nation, gold=standing.gold - self.cost - self.lost, held=supply)
        end_stage(table)
        table.turn = replace(turn_of(table), building=self.cities)

    def tell(self, names: Names) -> str:
        bought = [amount_of(kind, number) for kind, number in self.units.items()]
        bought += [f"a city in {names(area)}" for area in self.cities]
        loss = f" They lost {self.lost} gold that they could not save." if self.lost else ""
        if not bought:
            return f"The {names(self.nation)} bought nothing.{loss}"
        return f"The {names(self.nation)} bought {enumerated(bought)} for {self.cost} gold.{loss}"


# --- what can be bought ---


def price(table: Table, nation: NationId, kind: str) -> int:
    """Return the price of a unit in gold (IT-BUY-01, IT-BUY-03)."""
    return table.data.units[kind].cost


def price_of_city(table: Table, area: AreaId) -> int:
    """Return the price of a city in an area in gold (IT-BUY-02)."""
    costs = table.data.costs
    return costs.city_in_highland_or_marsh if table.is_highland(area) or table.is_marsh(area) else costs.city


def available(table: Table, nation: NationId) -> dict[str, int]:
    """Return how many units of each type a nation could buy if it had the gold (IT-BUY-05, IT-BUY-07)."""
    supply = table.supply(nation)
    cities_each = table.cards.nations[nation].consular_limit
    if CONSULAR in supply and cities_each:
        cities = sum(table.has_city(area) for area in table.areas_of(nation))
        standing = table.nations[nation].held.get(CONSULAR, 0) + table.on_board(nation).get(CONSULAR, 0)
        supply[CONSULAR] = max(0, min(supply[CONSULAR], cities // cities_each - standing))
    return {kind: max(0, supply[kind]) for kind in (*KINDS, FLEET) if kind in supply}


def places(table: Table, nation: NationId) -> list[AreaId]:
    """Return the areas where a nation can place purchased units, without `departing` leaders (IT-PLC-02, IT-BUY-11)."""
    leaving = set(departing(table, nation))
    return [
        area
        for area in table.areas_of(nation)
        if table.treats_as_normal(nation, area)
        and (table.army(area, nation).units or set(table.army(area, nation).leaders) - leaving)
    ]


def departing(table: Table, nation: NationId) -> list[str]:
    """Return the leaders of a nation who leave the board in this turn before units are placed (IT-RNF-12)."""
    return list(reinforcements.dismissed(table, nation))


def room(table: Table, nation: NationId) -> int | None:
    """Return how many purchased land units can be placed; None for any number (IT-PLC-03, IT-PLC-04)."""
    areas = places(table, nation)
    return None if len(areas) == 1 else len(areas)


def sites(table: Table, nation: NationId, *, rough: bool) -> list[AreaId]:
    """Return the areas for which a nation can buy a city (IT-BUY-10): highlands and marshes if `rough`, else others."""
    barred = table.cards.nations[nation].no_city
    return [
        area
        for area in places(table, nation)
        if area not in table.cities
        and area not in barred
        and table.allows_city(area)
        and rough == (table.is_highland(area) or table.is_marsh(area))
    ]


def seas(table: Table, nation: NationId) -> list[AreaId]:
    """Return the sea areas where a nation can place purchased fleets (IT-PLC-05, IT-I1-36)."""
    allowed = table.cards.nations[nation].special(FleetSeas)
    near = {sea for area in places(table, nation) for sea in table.seas_of(area)}
    return sorted(near if allowed is None else near & set(allowed.seas))


# --- buying ---


class Buy(Command, frozen=True):
    """Buy units and cities for your nation whose turn it is (IT-BUY-06). You may also buy nothing.

    Attributes:
        infantry: how many infantry.
        roman_foederati: how many Roman foederati.
        legion: how many legions.
        consular_legion: how many consular legions (IT-BUY-07).
        knight: how many knights.
        elephant: how many elephants.
        fleet: how many fleets.
        cities: the areas of normal terrain for which you buy a city (IT-BUY-10).
        rough_cities: the highlands and marshes for which you buy one; they cost more (IT-BUY-02).
    """

    rules = ("IT-BUY-06", "IT-BUY-01", "IT-BUY-02", "IT-BUY-05", "IT-BUY-07", "IT-BUY-10", "IT-BUY-11")
    answers = frozenset({"buy"})
    gesture = Gesture(
        areas=("cities", "rough_cities"),
        counts=("infantry", "roman_foederati", "legion", "consular_legion", "knight", "elephant", "fleet"),
        control="purchase",
    )

    infantry: Count = 0
    roman_foederati: Count = 0
    legion: Count = 0
    consular_legion: Count = 0
    knight: Count = 0
    elephant: Count = 0
    fleet: Count = 0
    cities: tuple[AreaId, ...] = ()
    rough_cities: tuple[AreaId, ...] = ()

    @property
    def units(self) -> dict[str, int]:
        """The units, by type."""
        numbers = {kind: getattr(self, _field(kind)) for kind in (*KINDS, FLEET)}
        return {kind: number for kind, number in numbers.items() if number}

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        self._check_units(table, nation)
        self._check_cities(table, nation)
        cities = (*self.cities, *self.rough_cities)
        cost = sum(number * price(table, nation, kind) for kind, number in self.units.items())
        cost += sum(price_of_city(table, area) for area in cities)
        gold = table.nations[nation].gold
        if cost > gold:
            raise Refusal(
                "IT-BUY-06", f"Your purchase costs {cost} gold.", f"The {table.names(nation)} have {gold} gold."
            )
        draft.emit(Purchased(nation, self.units, tuple(sorted(cities)), cost, _unsaved(table, gold - cost)))

    def _check_units(self, table: Table, nation: NationId) -> None:
        offer, who = available(table, nation), table.names(nation)
        for kind, number in self.units.items():
            if number > offer.get(kind, 0):
                rule = "IT-BUY-07" if kind == CONSULAR and number <= table.supply(nation).get(kind, 0) else "IT-BUY-05"
                offered = [amount_of(each, most) for each, most in offer.items() if most]
                wrong = f"The {who} cannot buy {amount_of(kind, number)}."
                allowed = f"They can buy up to {enumerated(offered)}." if offered else "They can buy nothing."
                if rule == "IT-BUY-07":
                    cities_each = table.cards.nations[nation].consular_limit
                    allowed = f"They may have 1 consular legion for every {cities_each} cities: {offer[CONSULAR]} more."
                raise Refusal(rule, wrong, allowed)
        bought = sum(number for kind, number in self.units.items() if kind != FLEET)
        most = room_left(table, nation)
        if bought and most is not None and bought > most:
            wrong = f"The {who} cannot place {bought} more land units."
            raise Refusal(
                "IT-BUY-11", wrong, f"They have room for {amount_of('unit', most)}: one in each area that they control."
            )
        if self.fleet and not seas(table, nation):
            wrong = f"The {who} cannot place a fleet."
            raise Refusal(
                "IT-BUY-11",
                wrong,
                "Fleets are placed in a sea area beside an area that they control, if their card allows that sea area.",
            )

    def _check_cities(self, table: Table, nation: NationId) -> None:
        for rough, areas in ((False, self.cities), (True, self.rough_cities)):
            offered = sites(table, nation, rough=rough)
            if len(set(areas)) < len(areas):
                raise Refusal("IT-BUY-10", "You named an area twice.", "Buy at most one city for each area.")
            if refused := [area for area in areas if area not in offered]:
                where = "highlands and marshes" if rough else "areas of normal terrain"
                places = table.names.all(offered) if offered else "none"
                wrong = f"The {table.names(nation)} cannot buy a city for {table.names.all(refused)}."
                other = sites(table, nation, rough=not rough)
                rule = "IT-BUY-02" if set(refused) <= set(other) else "IT-BUY-10"
                raise Refusal(rule, wrong, f"They can buy one for these {where}: {places}.")

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        fields, prices = _offered(table, nation)
        land = [name for name in fields if name not in (FLEET, "cities", "rough_cities")]
        most = room_left(table, nation)
        limit = {"of": land, "maximum": most} if land and most is not None else None
        cost = {
            "prices": prices,
            "maximum": table.nations[nation].gold,
            "unit": "gold",
            "left": {_field(kind): number for kind, number in available(table, nation).items()},
        }
        yield cls.option("Buy", fields, x_total=limit, x_cost=cost)


def _offered(table: Table, nation: NationId) -> tuple[dict[str, schema.Schema], dict[str, int]]:
    """Return what a nation can buy, can pay and can place, by fields of `Buy`, and the prices."""
    gold, most = table.nations[nation].gold, room_left(table, nation)
    fields: dict[str, schema.Schema] = {}
    prices: dict[str, int] = {}
    for kind, number in available(table, nation).items():
        bound = min(number, gold // price(table, nation, kind))
        if kind == FLEET:
            bound = bound if seas(table, nation) else 0
        elif most is not None:
            bound = min(bound, most)
        if bound:
            fields[_field(kind)] = schema.count(0, bound)
            prices[_field(kind)] = price(table, nation, kind)
    for name, rough in (("cities", False), ("rough_cities", True)):
        areas = sites(table, nation, rough=rough)
        cost = price_of_city(table, areas[0]) if areas else gold + 1
        if cost <= gold:
            fields[name] = schema.subset(areas, 0, gold // cost)
            prices[name] = cost
    return fields, prices


def _field(kind: str) -> str:
    return kind.replace("-", "_")


def room_left(table: Table, nation: NationId) -> int | None:
    """Return how many more land units could be placed beside those held; None for any number (IT-BUY-11)."""
    most = room(table, nation)
    number_held = sum(number for kind, number in table.nations[nation].held.items() if kind != FLEET)
    return None if most is None else max(0, most - number_held)


def _unsaved(table: Table, gold: int) -> int:
    """Return how much of some gold cannot be saved (IT-INC-08)."""
    return max(0, gold - table.data.costs.reserve_limit)


def buy(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask the active nation's player what they buy, if they could pay and place anything.

    Otherwise gold above the limit is lost; None when there is none.
    """
    nation = turn_of(table).nation
    gold = table.nations[nation].gold
    if not _offered(table, nation)[0]:
        loss = _unsaved(table, gold)
        return (lambda draft: draft.emit(Purchased(nation, {}, (), 0, loss))) if loss else None
    return [
        Decision(
            "buy",
            (table.seat_of(nation),),
            RuleId("IT-BUY-06"),
            f"What do the {table.names(nation)} buy?",
            "Then they place what they bought.",
            {"nation": nation, "gold": gold},
        )
    ]


EVENTS = (Purchased,)
COMMANDS = (Buy,)
