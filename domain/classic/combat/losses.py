"""Marking and removing the units that are hit in a land battle (chapter BAT, CC-BAT-16 to CC-BAT-20).

The owner marks one unit of their battle legion for each hit. Where some of their units came by land and others landed
from galleys this turn, the owner says how many of each are hit, because units that landed cannot retreat (CC-RET-13).
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from domain.classic.box.pieces import Army
from domain.classic.box.state import Battle, Side
from domain.classic.box.table import Command, Event, Table, battle_of
from domain.conquest.choices import Ranges, choices, forced, number_fields
from domain.conquest.pieces import KINDS, NO_UNITS, Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names
from domain.kernel.rules.refusal import Refusal

# --- events ---


class LossesMarked(Event, frozen=True):
    """A side chose which units of its battle legion are hit (CC-BAT-16, CC-BAT-19).

    Attributes:
        units: the units that are hit, `landed` included.
        landed: those of them that came from galleys this turn.
    """

    rules = ("CC-BAT-16", "CC-BAT-19")

    seat: Seat
    units: Units
    landed: Units = NO_UNITS
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        if self.seat == battle.defender.seat:
            defender = replace(battle.defender, hits=0, lost=self.units, lost_landed=self.landed)
            table.battle = replace(battle, defender=defender, step="roll-defender")
        else:
            attacker = replace(battle.attacker, hits=0, lost=self.units, lost_landed=self.landed)
            table.battle = replace(battle, attacker=attacker, step="remove")

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} marked {self.units} as hit."


class LossesRemoved(Event, frozen=True):
    """A round was over: all units that were hit went back to their owner's supply (CC-BAT-20).

    Attributes:
        attacker: the units that the attacker lost, `attacker_landed` included.
        defender: the units that the defender lost, `defender_landed` included.
        attacker_landed: those lost units of the attacker that came from galleys this turn.
        defender_landed: those lost units of the defender that came from galleys this turn.
    """

    rules = ("CC-BAT-20",)
    places = (("province", "lost"),)

    province: AreaId
    attacker: Units
    defender: Units
    attacker_landed: Units = NO_UNITS
    defender_landed: Units = NO_UNITS

    def apply(self, table: Table) -> None:
        battle = battle_of(table)
        attacker, defender = battle.attacker.seat, battle.defender.seat
        remove(table, self.province, attacker, self.attacker, self.attacker_landed)
        remove(table, self.province, defender, self.defender, self.defender_landed)
        sides = {"attacker": Side(attacker), "defender": Side(defender)}
        table.battle = replace(battle, step="announce-defender", **sides)

    def tell(self, names: Names) -> str:
        losses = f"the attacker lost {self.attacker}, the defender {self.defender}"
        return f"The round in {names(self.province)} was over: {losses}."


# --- what the other chapters of the battle use ---


def force(table: Table, battle: Battle, seat: Seat) -> Army:
    """Return all land combat units of one side: they fight together, from land and sea (CC-BAT-05)."""
    return table.army(battle.province, seat)


def remove(table: Table, province: AreaId, seat: Seat, units: Units, landed: Units = NO_UNITS) -> None:
    """Take units off the board, `landed` of them from those that came ashore this turn. For `apply` only.

    Of the others, those with the fewest movement points left go first.
    """
    if not units.total:
        return
    army = table.army(province, seat)
    rest = units - landed
    from_spent = _common(rest, army.spent)
    rest -= from_spent
    from_tired = min(rest.cavalry, army.tired)
    rest -= Units(cavalry=from_tired)
    army = Army(
        fresh=army.fresh - rest,
        tired=army.tired - from_tired,
        spent=army.spent - from_spent,
        landed=army.landed - landed,
    )
    table.set_army(province, seat, army)


def _common(one: Units, other: Units) -> Units:
    return Units(
        min(one.infantry, other.infantry), min(one.cavalry, other.cavalry), min(one.catapults, other.catapults)
    )


# --- the choice of losses ---


class MarkLosses(Command, frozen=True):
    """Choose which units of your battle legion are hit (CC-BAT-16, CC-BAT-19).

    In an army that came partly by land and partly from galleys, the first three fields count the units that came by
    land, and the others those that landed this turn, which cannot retreat (CC-RET-13). Otherwise use only the first
    three.

    Attributes:
        landed_infantry: infantry that landed this turn.
        landed_cavalry: cavalry that landed this turn.
        landed_catapults: catapults that landed this turn.
    """

    rules = ("CC-BAT-16", "CC-BAT-19", "CC-RET-13")
    answers = frozenset({"mark-losses"})
    gesture = Gesture(
        counts=("infantry", "cavalry", "catapults", "landed_infantry", "landed_cavalry", "landed_catapults"),
        control="division",
    )

    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    landed_infantry: Count = 0
    landed_cavalry: Count = 0
    landed_catapults: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        battle = battle_of(draft.table)
        side, army = _side_to_mark(battle), force(draft.table, battle, seat)
        rule = "CC-BAT-16" if side is battle.defender else "CC-BAT-19"
        by_land = Units(self.infantry, self.cavalry, self.catapults)
        landed = Units(self.landed_infantry, self.landed_cavalry, self.landed_catapults)
        units, legion = by_land + landed, side.legion or NO_UNITS
        wrong = f"You asked to mark {units} as hit."
        if landed.total and not is_mixed(army):
            raise Refusal("CC-RET-13", wrong, "Use the fields for landed units only where other units came by land.")
        if is_mixed(army) and not (by_land.within(army.by_land) and landed.within(army.landed)):
            allowed = f"You have {army.by_land} that came by land and {army.landed} that landed."
            raise Refusal("CC-RET-13", wrong, allowed)
        if not units.within(legion):
            in_reserve = units.within(army.units)
            raise Refusal("CC-BAT-10" if in_reserve else rule, wrong, f"Only your battle legion can be hit: {legion}.")
        if units.total != side.hits:
            raise Refusal(rule, wrong, f"Mark one unit for each hit: {side.hits} of {legion}.")
        _emit_losses(draft, side, by_land, landed)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        battle = battle_of(table)
        side, army = _side_to_mark(battle), force(table, battle, seat)
        ranges = _ranges_of_losses(side, army)
        totals = [*_types_of_legion(side, ranges), schema.exactly(side.hits, ranges)]
        rule = "CC-BAT-16" if side is battle.defender else "CC-BAT-19"
        title = "Choose the unit that is hit" if side.hits == 1 else f"Choose {side.hits} units that are hit"
        yield cls.option(title, number_fields(ranges), rule=rule, x_total=totals)


def is_mixed(army: Army) -> bool:
    """Tell whether some units landed this turn and others came by land (CC-RET-13)."""
    return army.landed.total > 0 and army.by_land.total > 0


def _side_to_mark(battle: Battle) -> Side:
    return battle.defender if battle.step == "mark-defender" else battle.attacker


def _ranges_of_losses(side: Side, army: Army) -> dict[str, tuple[int, int]]:
    """Return how many units of each type, and in a mixed army of each origin, can be among those hit."""
    by_type = choices(side.legion or NO_UNITS, side.hits)
    if not is_mixed(army):
        return by_type
    by_land, landed = army.by_land.by_type, army.landed.by_type
    ranges: dict[str, tuple[int, int]] = {}
    for kind, (least, most) in by_type.items():
        ranges[kind] = max(0, least - landed[kind]), min(most, by_land[kind])
        ranges[f"landed_{kind}"] = max(0, least - by_land[kind]), min(most, landed[kind])
    return {field: bounds for field, bounds in ranges.items() if bounds[1]}


def _types_of_legion(side: Side, ranges: Ranges) -> Iterator[dict[str, Any]]:
    """Yield, for each type that is counted in two fields, how many of it together can be among those hit."""
    for kind, (least, most) in choices(side.legion or NO_UNITS, side.hits).items():
        if kind in ranges and f"landed_{kind}" in ranges:
            yield {"of": [kind, f"landed_{kind}"], "minimum": least, "maximum": most}


def _emit_losses(draft: Draft[Table], side: Side, by_land: Units, landed: Units, *, automatic: bool = False) -> None:
    """Emit the losses of a side.

    If the whole army landed, the command's fields for landed units are not used, and all units in `by_land` are landed.
    """
    army = force(draft.table, battle_of(draft.table), side.seat)
    came_ashore = landed if is_mixed(army) or not army.landed.total else by_land
    draft.emit(LossesMarked(side.seat, by_land + landed, came_ashore, automatic))


def mark(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the side that was hit for its losses; mark them where there is no choice."""
    battle = battle_of(table)
    side = _side_to_mark(battle)
    if (losses := forced(_ranges_of_losses(side, force(table, battle, side.seat)))) is not None:
        by_land = Units(*(losses.get(kind, 0) for kind in KINDS))
        landed = Units(*(losses.get(f"landed_{kind}", 0) for kind in KINDS))
        return lambda draft: _emit_losses(draft, side, by_land, landed, automatic=True)
    attacked = side is battle.defender
    place = table.map.area(battle.province).name
    decision = Decision(
        "mark-losses",
        (side.seat,),
        RuleId("CC-BAT-16" if attacked else "CC-BAT-19"),
        f"Which {'unit' if side.hits == 1 else f'{side.hits} units'} of your battle legion in {place}"
        f" {'is' if side.hits == 1 else 'are'} hit?",
        "The defender then rolls, still with all units." if attacked else "All losses are then removed together.",
        {"province": battle.province, "round": battle.round, "hits": side.hits},
    )
    return [decision]


EVENTS = (LossesMarked, LossesRemoved)
COMMANDS = (MarkLosses,)
