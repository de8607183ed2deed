"""Recruiting (chapter REC)."""

from collections.abc import Iterable

from msgspec import field

from domain.campaign.box.state import Army
from domain.campaign.box.table import Command, Event, Table, turn_of
from domain.campaign.turn.turn import ACT, require_action
from domain.conquest.pieces import Units, amount_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal, or_none

CHAOS = 2
"""Chaos points for each Recruit action (CS-REC-04)."""


class UnitsRecruited(Event, frozen=True):
    """A player paid for new units and placed them (CS-REC-02), and got chaos (CS-REC-04).

    Attributes:
        galleys: new galleys by sea zone.
        talents: what was paid.
        chaos: chaos points that the player got.
    """

    rules = ("CS-REC-01", "CS-REC-02", "CS-REC-04")
    places = (("province", "at"), ("galleys", "at"))

    seat: Seat
    province: AreaId
    army: Army
    galleys: dict[AreaId, Count]
    talents: Count
    chaos: Count

    def apply(self, table: Table) -> None:
        table.spend_action()
        table.pay(self.seat, self.talents)
        table.add_chaos(self.seat, self.chaos)
        table.set_army(self.province, self.seat, table.army(self.province, self.seat) + self.army)
        for sea, number in self.galleys.items():
            table.add_galleys(sea, self.seat, number)

    def tell(self, names: Names) -> str:
        land = [f"{self.army} in {names(self.province)}"] if self.army != Army() else []
        ships = [f"{amount_of('galleys', number)} in {names(sea)}" for sea, number in sorted(self.galleys.items())]
        recruited = enumerated([*land, *ships])
        return f"{names(self.seat)} recruited {recruited} for {self.talents} talents and {self.chaos} chaos."


def provinces(table: Table, seat: Seat) -> list[AreaId]:
    """Return the provinces where a player may recruit: those with influence and a leader of theirs (CS-REC-02)."""
    return [
        area
        for area, province in sorted(table.provinces.items())
        if seat in province.influence and table.army(area, seat).leads
    ]


class Recruit(Command, frozen=True):
    """Recruit units in one province where you have influence and a leader (CS-REC-02), for 2 chaos points.

    Attributes:
        galleys: new galleys by sea zone adjacent to the province.
        generals: new Generals.
    """

    rules = ("CS-REC-01", "CS-REC-02", "CS-REC-03", "CS-REC-04", "CS-REC-05")
    answers = ACT
    gesture = Gesture(
        to="province", counts=("infantry", "cavalry", "catapults", "generals", "galleys"), control="purchase"
    )

    province: AreaId
    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    generals: Count = 0
    galleys: dict[AreaId, Count] = field(default={})

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        army = Army(Units(self.infantry, self.cavalry, self.catapults), self.generals)
        galleys = {sea: number for sea, number in sorted(self.galleys.items()) if number}
        ships = sum(galleys.values())
        units = [*([str(army)] if army != Army() else []), *([amount_of("galleys", ships)] if ships else [])]
        wrong = f"You asked to recruit {enumerated(units) or 'nothing'} in {self.province}."
        require_action(table, wrong)
        if self.province not in (where := provinces(table, seat)):
            allowed = f"Provinces where you have influence and a leader: {or_none(where)}."
            raise Refusal("CS-REC-02", wrong, allowed)
        if not self.galleys.keys() <= {*(seas := table.seas_of(self.province))}:
            raise Refusal("CS-REC-02", wrong, f"Sea zones beside the province: {or_none(seas)}.")
        order = {**army.units.by_type, "generals": army.generals, "galleys": ships}
        if not sum(order.values()):
            raise Refusal("CS-REC-03", wrong, "Recruit at least one unit.")
        supply = table.supply(seat)
        for kind, number in order.items():
            if number > supply[kind]:
                raise Refusal("CS-PCS-04", wrong, f"Your supply has {amount_of(kind, supply[kind])}.")
        price = sum(number * table.data.prices[kind] for kind, number in order.items())
        if price > (talents := table.players[seat].talents):
            raise Refusal("CS-REC-03", wrong, f"That costs {price} talents; you have {talents}.")
        draft.emit(UnitsRecruited(seat, self.province, army, galleys, price, CHAOS))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not turn_of(table).actions:
            return
        supply, prices, talents = table.supply(seat), table.data.prices, table.players[seat].talents
        most = {kind: min(supply[kind], talents // price) for kind, price in prices.items()}
        for area in provinces(table, seat):
            kinds = {kind: schema.count(0, most[kind]) for kind in prices if kind != "galleys" and most[kind]}
            fields: dict[str, schema.Schema] = {"province": schema.const(area), **kinds}
            totals = [{"of": [*kinds], "minimum": 1}]
            if most["galleys"] and (seas := table.seas_of(area)):
                fields["galleys"] = schema.record({sea: schema.count(0, most["galleys"]) for sea in seas}, seas)
                totals = [{"of": [*kinds, "galleys"], "minimum": 1}, {"of": ["galleys"], "maximum": most["galleys"]}]
            if len(fields) > 1:
                cost = {
                    "prices": {kind: prices[kind] for kind in prices if kind in fields},
                    "maximum": talents,
                    "unit": "talents",
                    "left": {kind: supply[kind] for kind in prices},
                }
                title = f"Recruit in {table.names(area)}"
                optional = [name for name in fields if name != "province"]
                yield cls.option(title, fields, optional=optional, x_total=totals, x_cost=cost)


EVENTS = (UnitsRecruited,)
COMMANDS = (Recruit,)
