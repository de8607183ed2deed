"""How many units an area holds, and capitals, which hold one more (chapter STK).

Limits are checked only at set times, and only for the nation whose turn it is: after movement in all its areas, after
combat in the areas of combat (IT-STK-03, IT-STK-15, IT-STK-23). A capital can be declared at any time. So the check
asks the player, who can declare one instead of removing units (IT-STK-07).
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import field

from domain.italia.box.entries import FixedCapital, Plan
from domain.italia.box.pieces import Army, Kind, NationId, Units, amount_of, listed, plus, total, within
from domain.italia.box.state import Combat
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.turn.sequence import begin_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, refuse_unless

RETREAT: Final = 1
"""How many more units an area holds when some of them retreated there (IT-STK-16)."""

# --- what happens ---


class ExcessRemoved(Event, frozen=True):
    """A nation removed units above the limit of an area (IT-STK-04). Nobody scores them.

    Attributes:
        units: how many of each type.
    """

    rules = ("IT-STK-04", "IT-STK-03", "IT-STK-15", "IT-STK-18", "IT-PCS-06")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    units: Units

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, Army(self.units))

    def tell(self, names: Names) -> str:
        removed, area = listed(self.units), names(self.area)
        return f"The {names(self.nation)} removed {removed} from {area}, which cannot hold so many."


class StackingChecked(Event, frozen=True):
    """Areas that had received a retreat were checked again with the ordinary limit (IT-STK-18)."""

    rules = ("IT-STK-18",)

    nation: NationId
    areas: tuple[AreaId, ...]

    def apply(self, table: Table) -> None:
        begin_stage(table, "stacking")
        received = table.nations[self.nation].received
        table.change(self.nation, received=tuple(area for area in received if area not in self.areas))

    def tell(self, names: Names) -> str:
        where = names.all(self.areas)
        return f"The ordinary limits hold again for the {names(self.nation)} in {where}, to which they had retreated."


class CapitalDeclared(Event, frozen=True):
    """A nation declared an area its capital (IT-STK-06, IT-STK-07).

    Attributes:
        removed: units of the former capital above its limit, which were removed at once (IT-STK-08).
    """

    rules = ("IT-STK-06", "IT-STK-07", "IT-STK-08", "IT-STK-11")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId
    former: AreaId | None = None
    removed: Units = field(default_factory=dict[Kind, int])

    def apply(self, table: Table) -> None:
        table.change(self.nation, capital=self.area)
        if self.former is not None:
            table.take(self.former, self.nation, Army(self.removed))

    def tell(self, names: Names) -> str:
        loss = f", and lost {listed(self.removed)} in {names(self.former)}" if self.former and self.removed else ""
        return f"The {names(self.nation)} declared {names(self.area)} their capital{loss}."


# --- limits ---


def base(table: Table, area: AreaId) -> int:
    """Return the basic limit of an area (IT-STK-01)."""
    stacking = table.data.stacking
    if table.is_highland(area):
        return stacking.highland
    return stacking.marsh if table.is_marsh(area) else stacking.normal


def capital(table: Table, nation: NationId) -> AreaId | None:
    """Return the capital of a nation: the declared or the fixed one, while the nation controls it (IT-STK-09)."""
    area = fixed_capital(table, nation) or table.nations[nation].capital
    return area if area is not None and nation in table.armies.get(area, {}) else None


def fixed_capital(table: Table, nation: NationId) -> AreaId | None:
    """Return the area that always is the capital of a nation (IT-STK-10)."""
    fixed = table.cards.nations[nation].special(FixedCapital)
    return None if fixed is None else fixed.area


def limit(table: Table, nation: NationId, area: AreaId, *, after_retreat: bool = False) -> int:
    """Return how many units a nation can have in an area, without leaders (IT-STK-02, IT-STK-06, IT-STK-17)."""
    bonus = table.data.stacking.capital if area == capital(table, nation) else 0
    return base(table, area) + bonus + (RETREAT if after_retreat else 0)


def attack_limit(table: Table, nation: NationId, area: AreaId, *, led: bool) -> int:
    """Return with how many units a nation can attack an area, with or without a leader (IT-STK-12 to IT-STK-14)."""
    stacking, turn = table.data.stacking, table.turn
    invades = turn is not None and turn.nation == nation and turn.major_invasion
    return (
        base(table, area)
        + stacking.attack
        + (stacking.leader if led else 0)
        + (stacking.major_invasion if invades else 0)
    )


def has_no_limit(table: Table, area: AreaId) -> bool:
    """Tell whether the active nation can have any number of units in an area: the army of a campaign or invasion.

    That is where the leader of a campaign is, also in the normal turn before it (IT-STK-19, IT-STK-20); and, if the
    card says so, where the leader of a major invasion is after the first movement (IT-MAJ-04).
    """
    turn, plan = turn_of(table), plan_of(table)
    if turn.stage == "campaign-check":
        return False
    if table.campaign is not None:
        return table.leader_at(table.campaign.leader) == area
    if plan is None or plan.leader is None or table.leader_at(plan.leader) != area:
        return False
    gathers = "campaign" in turn.stages
    invades = plan.unlimited_stack and turn.stage == "stacking" and "stacking" in turn.stages[1:]
    return gathers or invades


def plan_of(table: Table) -> Plan | None:
    """Return the plan for this round on the card of the active nation; None for a normal turn."""
    return table.cards.nations[turn_of(table).nation].plan_of(table.round)


# --- checks ---


def crowded(table: Table) -> dict[AreaId, int]:
    """Return the areas that a check finds above their limits, each with the number of units to remove.

    The check after movement leaves out areas where a battle is due, which were held to the attack limit (IT-STK-12),
    and entry areas where the units cannot stay (IT-ENT-01).
    """
    nation, stage = turn_of(table).nation, turn_of(table).stage
    combat = table.combat or Combat()
    after_combat = stage != "stacking"
    if stage == "campaign-check":
        areas = _where_campaign_ended(table)
    elif after_combat:
        areas = list(combat.fought)
    else:
        limited = tuple(table.areas_of(nation)) if table.campaign is None else _held_to_limits(table, nation, combat)
        areas = [area for area in limited if area not in combat.fronts and table.treats_as_normal(nation, area)]
    excesses = {area: excess_of(table, nation, area, after_combat=after_combat) for area in areas}
    return {area: number for area, number in excesses.items() if number and not has_no_limit(table, area)}


def _held_to_limits(table: Table, nation: NationId, combat: Combat) -> tuple[AreaId, ...]:
    """Return the areas that a move of a campaign holds to the ordinary limit (IT-STK-22, IT-STK-18)."""
    received = table.nations[nation].received if table.rules.marches_end_retreats else ()
    return tuple(dict.fromkeys((*combat.left, *received)))


def excess_of(table: Table, nation: NationId, area: AreaId, *, after_combat: bool = True) -> int:
    """Return how many units are too many in an area; after combat it may hold one more that retreated (IT-STK-16)."""
    received = after_combat and area in table.nations[nation].received
    return max(0, table.army(area, nation).size - limit(table, nation, area, after_retreat=received))


def _where_campaign_ended(table: Table) -> list[AreaId]:
    """Return the land area where the leader of the ended campaign is, or was last (IT-STK-19); none at sea."""
    campaign, plan = table.campaign, plan_of(table)
    if campaign is not None:
        at = table.place_of(campaign.leader) or campaign.at
    else:  # the end of the civil war
        at = None if plan is None or plan.leader is None else table.place_of(plan.leader)
    return [at] if at is not None and at in table.map.lands else []


def check(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask which units are removed from areas above their limits. If there are none, restore limits after retreats.

    None when there is nothing to restore either.
    """
    nation, excesses = turn_of(table).nation, crowded(table)
    if not excesses:
        areas = _received(table, nation)
        return (lambda draft: draft.emit(StackingChecked(nation, areas))) if areas else None
    places = table.names.all(excesses)
    return [
        Decision(
            "stacking",
            (table.seat_of(nation),),
            RuleId("IT-STK-04"),
            f"Which units do the {table.names(nation)} remove from {places}?",
            "What an area cannot hold is lost. A capital holds one more.",
            {"nation": nation, "excess": excesses},
        )
    ]


def _received(table: Table, nation: NationId) -> tuple[AreaId, ...]:
    """Return the areas with retreated units for which the check after movement restores the limit (IT-STK-18)."""
    if turn_of(table).stage != "stacking" or table.combat is None:
        return ()
    received = table.nations[nation].received
    if table.campaign is None:
        return received
    limited = _held_to_limits(table, nation, table.combat)
    return tuple(area for area in received if area in limited)


class RemoveExcess(Command, frozen=True):
    """Remove the units above the limit of an area (IT-STK-04).

    Attributes:
        units: how many of each type you remove, as many as are too many.
    """

    rules = ("IT-STK-04", "IT-STK-02", "IT-STK-03", "IT-STK-15")
    answers = frozenset({"stacking"})
    gesture = Gesture(to="area", counts=("units",), control="division")

    area: AreaId
    units: Units

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        names = table.names
        wrong = f"The {names(nation)} cannot remove {listed(self.units)} from {names(self.area)}."
        excesses, present = crowded(table), table.army(self.area, nation).units
        refuse_unless(
            self.area in excesses,
            "IT-STK-04",
            wrong,
            f"Too many units are in {names.all(excesses)}: remove some there.",
        )
        refuse_unless(within(self.units, present), "IT-STK-04", wrong, f"They have {listed(present)} there.")
        excess = excesses[self.area]
        refuse_unless(total(self.units) == excess, "IT-STK-04", wrong, f"Remove {amount_of('unit', excess)} there.")
        draft.emit(ExcessRemoved(nation, self.area, plus(self.units, {})))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        for area, excess in crowded(table).items():
            fields = {"area": schema.const(area), "units": some_of(table.army(area, nation).units, excess)}
            yield cls.option(
                f"Remove units from {table.names(area)}", fields, x_total=schema.exactly(excess, ["units"])
            )


def some_of(units: Units, most: int, one_of: Sequence[Sequence[Kind]] = ()) -> schema.Schema:
    """Return the schema of a choice of units: at most `most` of a type, at least one out of each set in `one_of`."""
    counts = {kind: schema.count(0, min(number, most)) for kind, number in units.items()}
    totals = [{"of": list(kinds), "minimum": 1} for kinds in one_of]
    return schema.record(counts, list(units), x_total=totals or None)


# --- capitals ---


class DeclareCapital(Command, frozen=True):
    """Declare an area the capital of one of your nations, at any time (IT-STK-06, IT-STK-07).

    Attributes:
        removed: the units that the former capital can no longer hold, if there are any (IT-STK-08).
    """

    rules = ("IT-STK-07", "IT-STK-06", "IT-STK-08", "IT-STK-09", "IT-STK-10", "IT-STK-11")
    gesture = Gesture(to="area", counts=("removed",), control="division")

    nation: NationId
    area: AreaId
    removed: Units = {}  # noqa: RUF012 - msgspec copies it, and leaves it out of the log when it is empty

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, names, nation = draft.table, draft.table.names, self.nation
        wrong = f"You cannot declare {names(self.area)} the capital of the {names(nation)}."
        own = _nations_of(table, seat)
        refuse_unless(nation in own, "IT-STK-07", wrong, f"You lead the {names.all(own)}.")
        if (fixed := fixed_capital(table, nation)) is not None:
            raise Refusal("IT-STK-10", wrong, f"Their capital always is {names(fixed)}.")
        areas = _sites(table, nation)
        allowed = (
            f"It must be another area that they control and do not attack: {names.all(areas) if areas else 'none'}."
        )
        refuse_unless(self.area in areas, "IT-STK-09", wrong, allowed)
        former, excess = _given_up(table, nation)
        present = table.army(former, nation).units if former is not None and excess else {}
        sentence = "They remove no units from their former capital."
        if former is not None and excess:
            sentence = (
                f"They must remove {amount_of('unit', excess)} from {names(former)}, where they have {listed(present)}."
            )
        fits = total(self.removed) == excess and within(self.removed, present)
        refuse_unless(fits, "IT-STK-08", wrong, sentence)
        draft.emit(CapitalDeclared(nation, self.area, former, plus(self.removed, {})))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for nation in _nations_of(table, seat):
            areas = _sites(table, nation)
            if fixed_capital(table, nation) is not None or not areas:
                continue
            former, excess = _given_up(table, nation)
            removed = some_of(table.army(former, nation).units if former is not None and excess else {}, excess)
            fields = {"nation": schema.const(nation), "area": schema.one_of(areas), "removed": removed}
            title = f"Declare a capital of the {table.names(nation)}"
            optional = [] if excess else ["removed"]
            yield cls.option(title, fields, optional=optional, x_total=schema.exactly(excess, ["removed"]))


def _nations_of(table: Table, seat: Seat) -> list[NationId]:
    return [nation for nation in table.nations if table.seat_of(nation) == seat]


def _sites(table: Table, nation: NationId) -> list[AreaId]:
    """Return the areas that a nation can declare its capital (IT-STK-09)."""
    return [
        area
        for area in table.areas_of(nation)
        if area != table.nations[nation].capital and not (nation == table.active and table.strangers(nation, area))
    ]


def _given_up(table: Table, nation: NationId) -> tuple[AreaId | None, int]:
    """Return the capital that a nation gives up when it declares another one, and how many units it loses there.

    It loses none from its own placement on, as long as a regular check of the area is still to come, nor where its
    units fight or must leave (IT-STK-08).
    """
    area, turn, combat = table.nations[nation].capital, table.turn, table.combat
    if area is None:
        return None, 0
    received = area in table.nations[nation].received
    excess = table.army(area, nation).size - base(table, area) - (RETREAT if received else 0)
    fights = combat is not None and area in combat.fronts and bool(table.strangers(nation, area))
    leaves = any((each.nation, each.area) == (nation, area) for each in table.leaving)
    checked = False
    if turn is not None and turn.nation == nation:
        fought = combat is not None and area in combat.fought and "stacking-after-combat" in turn.stages
        moves = "stacking" in turn.stages and "placement" not in turn.stages[1:]
        checked = moves or fought or has_no_limit(table, area)
    return area, 0 if fights or leaves or checked else max(0, excess)


EVENTS = (ExcessRemoved, StackingChecked, CapitalDeclared)
COMMANDS = (RemoveExcess, DeclareCapital)
