"""Income, tribute, and what an overlord buys with tribute that cannot be saved (chapter INC)."""

from collections.abc import Iterable
from typing import Final

from domain.italia.box.pieces import FLEET, KINDS, NationId, amount_of
from domain.italia.box.state import Overflow
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.economy import purchase
from domain.italia.turn.sequence import begin_stage, end_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal

UNITS: Final = (*KINDS, FLEET)
"""The types that can be bought with tribute; a city cannot (IT-INC-15)."""


# --- what happens ---


class IncomeReceived(Event, frozen=True):
    """A nation received its income, and paid tribute (IT-INC-01, IT-INC-14). Then the nation buys.

    Attributes:
        areas: gold for land areas, before any halving.
        cities: gold for cities in them, before any halving.
        received: what the nation keeps of its income.
        overlord: the nation that gets tribute.
        tribute: what the overlord gets.
        overflow: whether the overlord may buy a unit with gold that cannot be saved (IT-INC-15).
    """

    rules = ("IT-INC-01", "IT-INC-03", "IT-INC-04", "IT-INC-09", "IT-INC-10", "IT-INC-11", "IT-INC-12", "IT-INC-14")

    nation: NationId
    areas: Count
    cities: Count
    received: Count
    overlord: NationId | None = None
    tribute: Count = 0
    overflow: bool = False

    def apply(self, table: Table) -> None:
        begin_stage(table, "income")
        end_stage(table)
        table.change(self.nation, gold=table.nations[self.nation].gold + self.received)
        if self.overlord is None:
            return
        if self.overflow:
            table.change(self.overlord, gold=table.nations[self.overlord].gold + self.tribute)
            table.overflow = Overflow(self.overlord)
        else:
            table.earn(self.overlord, self.tribute)

    def tell(self, names: Names) -> str:
        tribute = f", and paid {self.tribute} gold of tribute to the {names(self.overlord)}" if self.overlord else ""
        return f"The {names(self.nation)} received {self.received} gold{tribute}."


class TributeSpent(Event, frozen=True):
    """An overlord bought a unit with tribute that it could not save, or let the gold go (IT-INC-15, IT-INC-16).

    Attributes:
        kind: the unit, which waits for the nation's next placement; null when none was bought.
        cost: its price.
    """

    rules = ("IT-INC-15", "IT-INC-16", "IT-INC-17")

    nation: NationId
    kind: str | None
    cost: Count

    def apply(self, table: Table) -> None:
        standing = table.nations[self.nation]
        supply = standing.held
        if self.kind is not None:
            supply = {**supply, self.kind: supply.get(self.kind, 0) + 1}
        table.change(self.nation, gold=standing.gold - self.cost, held=supply)
        table.earn(self.nation, 0)
        table.overflow = None

    def tell(self, names: Names) -> str:
        if self.kind is None:
            return f"The {names(self.nation)} let the tribute go that they could not save."
        return f"The {names(self.nation)} bought {amount_of(self.kind, 1)} with the tribute, for {self.cost} gold."


# --- income ---


def collect(draft: Draft[Table]) -> None:
    """Pay the active nation its income, and its overlord the tribute."""
    table, nation = draft.table, turn_of(draft.table).nation
    areas, cities = gold_of(table, nation)
    income = areas + cities
    if _is_halved(table, nation):
        income = (income + 1) // 2
    overlord = table.nations[nation].overlord
    tribute = 0 if overlord is None else income // 2
    overflow = False
    if overlord is not None and tribute:
        gold = table.nations[overlord].gold + tribute
        overflow = gold > table.data.costs.reserve_limit and bool(_affordable(table, overlord, gold))
    draft.emit(IncomeReceived(nation, areas, cities, income - tribute, overlord, tribute, overflow))


def gold_of(table: Table, nation: NationId) -> tuple[int, int]:
    """Return the gold of a nation's areas and of the cities in them, before it is halved (IT-INC-02 to IT-INC-06)."""
    card = table.cards.nations[nation]
    if card.income == "none":
        return 0, 0
    paying = [area for area in table.areas_of(nation) if not table.is_entry(area) or area in card.income_entry_areas]
    cities = [area for area in paying if table.has_city(area)]
    income = table.data.income
    return income.per_area * len(paying), income.per_city * len(cities)


def _is_halved(table: Table, nation: NationId) -> bool:
    """Tell whether a nation gets half of its income only (IT-INC-10, IT-INC-11, IT-INC-12)."""
    card = table.cards.nations[nation]
    if card.income == "half":
        return True
    return bool(card.full_income_areas) and not any(
        nation in table.armies.get(area, {}) for area in card.full_income_areas
    )


# --- tribute that cannot be saved ---


class SpendTribute(Command, frozen=True):
    """Buy one unit with tribute that your nation cannot save, or let the gold go (IT-INC-15).

    Attributes:
        kind: the type of the unit; left out to buy none.
    """

    rules = ("IT-INC-15", "IT-INC-16", "IT-INC-17")
    answers = frozenset({"spend-tribute"})

    kind: str | None = None

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, overflow = draft.table, draft.table.overflow
        assert overflow is not None, "tribute can be spent"
        nation = overflow.nation
        if self.kind is None:
            draft.emit(TributeSpent(nation, None, 0))
            return
        offered = _affordable(table, nation, table.nations[nation].gold)
        if self.kind not in offered:
            words = [amount_of(kind, 1) for kind in offered]
            wrong = f"The {table.names(nation)} cannot buy {amount_of(self.kind, 1)} with the tribute."
            allowed = f"They can buy nothing, or one of these: {enumerated(words)}."
            raise Refusal(_no_purchase(table, nation, self.kind), wrong, allowed)
        draft.emit(TributeSpent(nation, self.kind, offered[self.kind]))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        assert table.overflow is not None, "tribute can be spent"
        nation = table.overflow.nation
        offered = _affordable(table, nation, table.nations[nation].gold)
        yield cls.option("Buy a unit", {"kind": schema.one_of(sorted(offered))})
        yield cls.option("Buy nothing")


def _no_purchase(table: Table, nation: NationId, kind: str) -> str:
    """Return the rule by which a nation cannot buy a unit with tribute: no unit, no counter, or too few cities."""
    if kind not in UNITS:
        return "IT-INC-15"
    return "IT-INC-17" if table.supply(nation).get(kind) else "IT-BUY-05"


def _affordable(table: Table, nation: NationId, gold: int) -> dict[str, int]:
    """Return the types of which a nation can buy one, with their prices (IT-INC-15, IT-INC-17)."""
    return {
        kind: purchase.price(table, nation, kind)
        for kind, most in purchase.available(table, nation).items()
        if most and purchase.price(table, nation, kind) <= gold
    }


def spend_tribute(table: Table) -> list[Decision]:
    """Ask the overlord's player what they buy with the tribute."""
    overflow = table.overflow
    assert overflow is not None, "tribute can be spent"
    nation = overflow.nation
    return [
        Decision(
            "spend-tribute",
            (table.seat_of(nation),),
            RuleId("IT-INC-15"),
            f"What do the {table.names(nation)} buy with tribute that they cannot save?",
            f"Then they keep at most {table.data.costs.reserve_limit} gold.",
            {"nation": nation, "gold": table.nations[nation].gold},
        )
    ]


EVENTS = (IncomeReceived, TributeSpent)
COMMANDS = (SpendTribute,)
