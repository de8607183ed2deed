"""Units that leave the game at the end of a turn: for points, and by order of a card (IT-I2-09)."""

from collections.abc import Iterable

from domain.italia.box.entries import ExitPoints, Removal
from domain.italia.box.pieces import KINDS, Army, Kind, NationId, Units, listed, total, within
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.turn import scoring
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal


class UnitsLeft(Event, frozen=True):
    """Units left the game for good; their counters never return (IT-I2-09).

    Attributes:
        units: how many of each type.
        scored: whether they left for points, or by order of the card.
    """

    rules = ("IT-I2-09", "IT-VP-01")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId
    units: Units
    scored: bool
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, Army(self.units))
        losses = table.nations[self.nation].gone
        losses = {kind: losses.get(kind, 0) + self.units.get(kind, 0) for kind in KINDS}
        table.change(self.nation, gone={kind: number for kind, number in losses.items() if number})

    def tell(self, names: Names) -> str:
        why = "for points" if self.scored else "by order of their card"
        return f"{listed(self.units)} of the {names(self.nation)} in {names(self.area)} left the game {why}."


class ExitsEnded(Event, frozen=True):
    """No more units leave the game for points in this turn (IT-I2-09)."""

    rules = ("IT-I2-09", "IT-VP-01")

    nation: NationId

    def apply(self, table: Table) -> None:
        table.announced = True

    def tell(self, names: Names) -> str:
        return f"The other units of the {names(self.nation)} stay in the game."


def _exit(table: Table, nation: NationId) -> ExitPoints | None:
    """Return the line of the card for units that may leave for points, if any are in its area."""
    for entry in scoring.deeds(table, nation, ExitPoints):
        if table.army(entry.area, nation).units:
            return entry
    return None


def _surplus(table: Table, nation: NationId) -> tuple[Kind, int] | None:
    """Return the type and the number of units that must leave by order of the card."""
    removal = table.cards.nations[nation].special(Removal)
    if removal is None or removal.round != table.round:
        return None
    number = sum(table.army(area, nation).units.get(removal.unit, 0) for area in table.areas_of(nation)) - removal.left
    return (removal.unit, number) if number > 0 else None


class Leave(Command, frozen=True):
    """Remove units of your nation from the game: for points, or those that its card orders away (IT-I2-09).

    Attributes:
        units: how many of each type leave.
    """

    rules = ("IT-I2-09", "IT-VP-01")
    answers = frozenset({"leave-for-points", "remove-units"})
    gesture = Gesture(to="area", counts=("units",), control="division")

    area: AreaId
    units: Units

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        wrong = f"You cannot remove {listed(self.units)} from {table.names(self.area)}."
        present = table.army(self.area, nation).units
        if not total(self.units) or not within(self.units, present):
            raise Refusal("IT-I2-09", wrong, f"The {table.names(nation)} have {listed(present)} there.")
        leaving = None if table.announced else _exit(table, nation)
        units: Units = {kind: self.units[kind] for kind in KINDS if self.units.get(kind)}
        if leaving is not None:
            if self.area != leaving.area:
                raise Refusal("IT-I2-09", wrong, f"Units leave the game for points from {table.names(leaving.area)}.")
            draft.emit(UnitsLeft(nation, self.area, units, scored=True))
            scoring.score(draft, nation, leaving, leaving.halves * total(units))
            return
        kind, number = _ordered(table, nation)
        if set(self.units) != {kind} or units[kind] > number:
            raise Refusal("IT-I2-09", wrong, f"Their card orders away {listed({kind: number})} in all.")
        draft.emit(UnitsLeft(nation, self.area, units, scored=False))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        leaving = None if table.announced else _exit(table, nation)
        if leaving is not None:
            present = table.army(leaving.area, nation).units
            counts = {kind: schema.count(0, each) for kind, each in present.items()}
            units = schema.record(counts, counts, x_sum={"minimum": 1, "maximum": total(present)})
            fields = {"area": schema.const(leaving.area), "units": units}
            yield cls.option("Leave for points", fields, decision="leave-for-points")
            return
        kind, number = _ordered(table, nation)
        for area in table.areas_of(nation):
            if present := table.army(area, nation).units.get(kind, 0):
                units = schema.record({kind: schema.count(1, min(present, number))})
                fields = {"area": schema.const(area), "units": units}
                yield cls.option(f"Remove units in {table.names(area)}", fields, decision="remove-units")


def _ordered(table: Table, nation: NationId) -> tuple[Kind, int]:
    surplus = _surplus(table, nation)
    assert surplus is not None, "the card orders units away"
    return surplus


class Stay(Command, frozen=True):
    """Let the other units of your nation stay in the game (IT-I2-09)."""

    rules = ("IT-I2-09", "IT-VP-01")
    answers = frozenset({"leave-for-points"})
    gesture = Gesture(quiet=True, called="Stay in the game")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        draft.emit(ExitsEnded(turn_of(draft.table).nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option()


def leave(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask which units leave for points, then which the card orders away; None when all have left."""
    nation = turn_of(table).nation
    seats, names = (table.seat_of(nation),), table.names
    leaving = None if table.announced else _exit(table, nation)
    if leaving is not None:
        area = leaving.area
        question = f"Do units of the {names(nation)} in {names(area)} leave the game for points?"
        about = {"nation": nation, "area": area, "units": table.army(area, nation).units}
        return [Decision("leave-for-points", seats, RuleId("IT-I2-09"), question, "Then their turn ends.", about)]
    surplus = _surplus(table, nation)
    if surplus is None:
        return None
    kind, number = surplus
    areas = [area for area in table.areas_of(nation) if table.army(area, nation).units.get(kind)]
    if len(areas) == 1:
        return lambda draft: draft.emit(UnitsLeft(nation, areas[0], {kind: number}, scored=False, automatic=True))
    question = f"The {names(nation)} must remove {listed({kind: number})} from the game: in which areas?"
    about = {"nation": nation, "kind": kind, "number": number}
    return [Decision("remove-units", seats, RuleId("IT-I2-09"), question, "Then their turn ends.", about)]


EVENTS = (UnitsLeft, ExitsEnded)
COMMANDS = (Leave, Stay)
