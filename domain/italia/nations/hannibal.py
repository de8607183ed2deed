"""Units that gather in the entry area from which a campaign starts, as Hannibal's do in Alpes (IT-I1-03, IT-I1-04)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.italia.box.entries import Plan
from domain.italia.box.pieces import KINDS, Army, NationId, Units, listed, total, within
from domain.italia.box.state import Walk
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.moves.steps import fresh_at, moving_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names, enumerated
from domain.kernel.rules.refusal import Refusal


class UnitsGathered(Event, frozen=True):
    """Land units were put into the area where a campaign will start, as their whole movement (IT-I1-04).

    Attributes:
        units: how many of each type.
    """

    rules = ("IT-I1-03", "IT-I1-04", "IT-MOV-03")
    places = (("origin", "from"), ("to", "to"))

    nation: NationId
    origin: AreaId
    to: AreaId
    units: Units

    def apply(self, table: Table) -> None:
        table.take(self.origin, self.nation, Army(self.units))
        table.add(self.to, self.nation, Army(self.units))
        moving = moving_of(table)
        gathered = tuple(Walk(kind, number, 1, self.origin, spent=True) for kind, number in sorted(self.units.items()))
        walks = {**moving.walks, self.to: (*moving.walks.get(self.to, ()), *gathered)}
        table.moving = replace(moving, walks=walks)

    def tell(self, names: Names) -> str:
        return f"{listed(self.units)} of the {names(self.nation)} left {names(self.origin)} for {names(self.to)}."


class Gather(Command, frozen=True):
    """Put land units into the area where your campaign will start, as their whole movement (IT-I1-04).

    Attributes:
        origin: the area that they leave.
        units: how many of each type go.
    """

    rules = ("IT-I1-04", "IT-MOV-03")
    answers = frozenset({"move"})
    gesture = Gesture(start="origin", counts=("units",))

    origin: AreaId
    units: Units

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        wrong = f"You cannot gather {listed(self.units)} from {table.names(self.origin)}."
        plan = _plan(table, nation)
        sources = _sources(table, nation)
        fits = total(self.units) and within(self.units, sources.get(self.origin, {}))
        if plan is None or plan.waits_in is None or not fits:
            choices = [f"{listed(units)} in {table.names(area)}" for area, units in sources.items()]
            raise Refusal(
                "IT-I1-04", wrong, f"Units that have not moved can gather: {enumerated(choices) or 'none are left'}."
            )
        units: Units = {kind: self.units[kind] for kind in KINDS if self.units.get(kind)}
        draft.emit(UnitsGathered(nation, self.origin, plan.waits_in, units))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for area, units in _sources(table, turn_of(table).nation).items():
            counts = {kind: schema.count(0, number) for kind, number in units.items()}
            record = schema.record(counts, counts, x_sum={"minimum": 1, "maximum": total(units)})
            yield cls.option(f"Gather from {table.names(area)}", {"origin": schema.const(area), "units": record})


def _plan(table: Table, nation: NationId) -> Plan | None:
    """Return the plan by which units gather in this movement; None when they do not."""
    plan = table.cards.nations[nation].plan_of(table.round)
    gathers = plan is not None and plan.gathers_from is not None and turn_of(table).stage == "movement"
    return plan if gathers else None


def _sources(table: Table, nation: NationId) -> dict[AreaId, Units]:
    """Return the units that may gather: those in the region of the card that have not moved."""
    plan = _plan(table, nation)
    if plan is None:
        return {}
    areas = [area for area in table.areas_of(nation) if plan.gathers_from in table.map.area(area).traits["region"]]
    return {area: fresh for area in areas if (fresh := fresh_at(table, nation, area))}


EVENTS = (UnitsGathered,)
COMMANDS = (Gather,)
