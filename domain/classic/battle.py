"""The land battle, round by round (chapter BAT).

In each round the defender, then the attacker forms a battle legion; the attacker rolls and the defender marks his
losses; the defender rolls with all that he had and the attacker marks his; then all losses leave the board together.
Whether there is another round is asked in `retreat`; what the result means for province, galleys and leaders is told
to `conquest` and `capture`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal

from msgspec.structs import replace

from domain.classic import capture, conquest, dice
from domain.classic.dice import Face
from domain.classic.table import NO_UNITS, Army, Battle, Command, Event, Side, Table, Units
from domain.kernel import schema
from domain.kernel.decision import Decision, Option
from domain.kernel.draft import Draft
from domain.kernel.message import Count, Names
from domain.kernel.refusal import Refusal
from domain.kernel.secret import Vault
from domain.kernel.words import AreaId, RuleId, Seat

LEGION_UNITS = 5
"""Units of a battle legion without leaders; each leader adds one (CC-BAT-07)."""

FORTIFICATION_DICE = 2
FORTIFICATION_DICE_AGAINST_CATAPULTS = 1
"""Extra dice of a fortified city (CC-BAT-21, CC-BAT-22)."""

KINDS = ("infantry", "cavalry", "catapults")

Ending = Literal["eliminated", "both-eliminated", "retreat", "both-retreat"]
Ranges = Mapping[str, tuple[int, int]]
"""How many units may be chosen, least and most, by field of a command."""


# --- events ---


class BattleBegan(Event, frozen=True):
    """A land battle began."""

    province: AreaId
    attacker: Seat
    defender: Seat

    def apply(self, table: Table) -> None:
        table.battle = Battle(self.province, Side(self.attacker), Side(self.defender))
        if table.combat is not None:
            others = tuple(province for province in table.combat.battles if province != self.province)
            table.combat = replace(table.combat, battles=others)

    def tell(self, names: Names) -> str:
        return f"{names(self.attacker)} attacks {names(self.defender)} in {names(self.province)}."


class RoundBegan(Event, frozen=True):
    """Both sides went on: a new round with new battle legions (CC-BAT-25)."""

    round: int

    def apply(self, table: Table) -> None:
        battle = fought(table)
        attacker, defender = Side(battle.attacker.seat), Side(battle.defender.seat)
        table.battle = Battle(battle.province, attacker, defender, self.round)

    def tell(self, names: Names) -> str:
        return f"Round {self.round} of the battle began."


class LegionFormed(Event, frozen=True):
    """A side formed its battle legion; its other units are in reserve (CC-BAT-10)."""

    seat: Seat
    legion: Units
    automatic: bool = False

    def apply(self, table: Table) -> None:
        battle = fought(table)
        if self.seat == battle.defender.seat:
            defender = replace(battle.defender, legion=self.legion)
            table.battle = replace(battle, defender=defender, step="form-attacker")
        else:
            table.battle = replace(battle, attacker=replace(battle.attacker, legion=self.legion), step="roll-attacker")

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} formed a battle legion of {self.legion}."


class LegionRolled(Event, frozen=True):
    """A side rolled and matched its dice.

    `fortification` of the dice come from a fortified city; `surplus` hits find no unit left in the enemy's battle
    legion (CC-BAT-17).
    """

    seat: Seat
    draw: int
    faces: tuple[Face, ...]
    hits: int
    surplus: int = 0
    fortification: int = 0

    def apply(self, table: Table) -> None:
        battle, taken = fought(table), self.hits - self.surplus
        if self.seat == battle.attacker.seat:
            step = "mark-defender" if taken else "roll-defender"
            table.battle = replace(battle, defender=replace(battle.defender, hits=taken), step=step)
        else:
            step = "mark-attacker" if taken else "remove"
            table.battle = replace(battle, attacker=replace(battle.attacker, hits=taken), step=step)

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} rolled {names.all(self.faces)}: {self.hits} hits."


class LossesMarked(Event, frozen=True):
    """A side chose which units of its battle legion are hit; `landed` of them came from galleys this turn."""

    seat: Seat
    units: Units
    landed: Units = NO_UNITS
    automatic: bool = False

    def apply(self, table: Table) -> None:
        battle = fought(table)
        if self.seat == battle.defender.seat:
            defender = replace(battle.defender, hits=0, lost=self.units, lost_landed=self.landed)
            table.battle = replace(battle, defender=defender, step="roll-defender")
        else:
            attacker = replace(battle.attacker, hits=0, lost=self.units, lost_landed=self.landed)
            table.battle = replace(battle, attacker=attacker, step="remove")

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} must take off {self.units}."


class LossesRemoved(Event, frozen=True):
    """A round was over: all that was hit on both sides went back to its owner's supply (CC-BAT-20)."""

    province: AreaId
    attacker: Units
    defender: Units
    attacker_landed: Units = NO_UNITS
    defender_landed: Units = NO_UNITS

    def apply(self, table: Table) -> None:
        battle = fought(table)
        attacker, defender = battle.attacker.seat, battle.defender.seat
        remove(table, self.province, attacker, self.attacker, self.attacker_landed)
        remove(table, self.province, defender, self.defender, self.defender_landed)
        sides = {"attacker": Side(attacker), "defender": Side(defender)}
        table.battle = replace(battle, step="announce-defender", **sides)

    def tell(self, names: Names) -> str:
        lost = f"the attacker lost {self.attacker}, the defender {self.defender}"
        return f"The round in {names(self.province)} was over: {lost}."


class BattleEnded(Event, frozen=True):
    """A land battle was over, with one of two results: the attacker won or the defender held (CC-BAT-31)."""

    province: AreaId
    attacker: Seat
    defender: Seat
    attacker_won: bool
    ending: Ending

    def apply(self, table: Table) -> None:
        table.battle = None

    def tell(self, names: Names) -> str:
        how = "won" if self.attacker_won else "did not win"
        return f"{names(self.attacker)} {how} the battle against {names(self.defender)} in {names(self.province)}."


# --- what other chapters use ---


def begin(draft: Draft[Table], province: AreaId, attacker: Seat, defender: Seat) -> None:
    """Begin the battle in `province`; the active player attacks (CC-BAT-02)."""
    draft.emit(BattleBegan(province, attacker, defender))


def next_round(draft: Draft[Table]) -> None:
    """Begin another round. There is no limit to their number (CC-BAT-32)."""
    draft.emit(RoundBegan(fought(draft.table).round + 1))


def end(draft: Draft[Table], ending: Ending, *, attacker_won: bool, rule: str = "CC-CAP-01") -> None:
    """End the battle, settle province and galleys, and give the loser's leaders left there to the winner.

    `rule` is the one by which they fall to him. The leaders of third players are none of his (CC-BAT-33).
    """
    battle = fought(draft.table)
    province, attacker, defender = battle.province, battle.attacker.seat, battle.defender.seat
    draft.emit(BattleEnded(province, attacker, defender, attacker_won, ending))
    if ending == "both-retreat":  # the owner stays, and nobody won: CC-RET-19 leaves the galleys to CC-SEA-33
        return
    conquest.after_battle(draft, province, attacker, defender, attacker_won)
    if ending == "both-eliminated":  # CC-BAT-29, CC-BAT-30: nobody is left to capture anyone
        return
    winner, loser = (attacker, defender) if attacker_won else (defender, attacker)
    if leaders := draft.table.leaders_at(province, loser):
        capture.defeat(draft, leaders, winner, rule)


def fought(table: Table) -> Battle:
    """The battle under way."""
    assert table.battle is not None, "no land battle is under way"
    return table.battle


def force(table: Table, battle: Battle, seat: Seat) -> Army:
    """All land combat units of one side, however they came: they fight together (CC-BAT-05)."""
    return table.army(battle.province, seat)


def remove(table: Table, province: AreaId, seat: Seat, units: Units, landed: Units = NO_UNITS) -> None:
    """Take units off the board, `landed` of them from those that came ashore this turn. For `apply` only."""
    if not units.total:
        return
    army = table.army(province, seat)
    left = units - landed
    from_spent = _common(left, army.spent)
    left -= from_spent
    from_tired = min(left.cavalry, army.tired)
    left -= Units(cavalry=from_tired)
    army = Army(
        fresh=army.fresh - left,
        tired=army.tired - from_tired,
        spent=army.spent - from_spent,
        landed=army.landed - landed,
    )
    table.set_army(province, seat, army)


def _common(one: Units, other: Units) -> Units:
    return Units(
        min(one.infantry, other.infantry), min(one.cavalry, other.cavalry), min(one.catapults, other.catapults)
    )


# --- battle legions and rolls ---


def legion_size(table: Table, battle: Battle, seat: Seat) -> int:
    """How many units the battle legion must have: as many as it can (CC-BAT-07, CC-BAT-08)."""
    leaders = len(table.leaders_at(battle.province, seat))
    return min(LEGION_UNITS + leaders, force(table, battle, seat).units.total)


def hits(faces: Iterable[Face], legion: Units, catapults: int) -> int:
    """Match dice with units, one die to each (CC-BAT-13); `catapults` counts those in reserve, too (CC-BAT-14)."""
    rolled = list(faces)
    return (
        min(rolled.count("infantry"), legion.infantry)
        + min(rolled.count("cavalry"), legion.cavalry)
        + min(rolled.count("catapult"), catapults)
    )


def fortification_dice(table: Table, battle: Battle) -> int:
    """The defender's extra dice (CC-BAT-21, CC-BAT-22). An attacking catapult counts until it leaves the board."""
    place = table.provinces[battle.province]
    if not place.fortified or place.owner != battle.defender.seat:
        return 0
    besieged = force(table, battle, battle.attacker.seat).units.catapults
    return FORTIFICATION_DICE_AGAINST_CATAPULTS if besieged else FORTIFICATION_DICE


def _roll(draft: Draft[Table], side: Side, enemy: Side, extra: int) -> None:
    legion, target = side.legion or NO_UNITS, enemy.legion or NO_UNITS
    draw, faces = dice.roll(draft, legion.total + extra)
    catapults = force(draft.table, fought(draft.table), side.seat).units.catapults
    scored = hits(faces, legion, catapults)
    surplus = max(0, scored - target.total)
    draft.emit(LegionRolled(side.seat, draw, faces, scored, surplus, extra))


# --- choices of a number of units ---


def choices(units: Units, number: int) -> dict[str, tuple[int, int]]:
    """How many of each type there can be in a choice of `number` out of `units`."""
    others = units.total - number
    ranges = {kind: (max(0, of_kind - others), min(of_kind, number)) for kind, of_kind in _counted(units)}
    return {kind: bounds for kind, bounds in ranges.items() if bounds[1]}


def _counted(units: Units) -> tuple[tuple[str, int], ...]:
    return ("infantry", units.infantry), ("cavalry", units.cavalry), ("catapults", units.catapults)


def forced(ranges: Ranges) -> dict[str, int] | None:
    """The only possible choice, by field; None when there are several."""
    if any(least != most for least, most in ranges.values()):
        return None
    return {field: least for field, (least, _) in ranges.items()}


def counted_schema(command: str, ranges: Ranges, *totals: Mapping[str, Any]) -> schema.Schema:
    """The schema of a command of which the fields are numbers of units."""
    fields = {field: schema.count(least, most) for field, (least, most) in ranges.items()}
    return schema.command(command, fields, x_total=list(totals))


def exactly(number: int, fields: Iterable[str]) -> dict[str, Any]:
    """A total for an option's schema: the fields add up to `number`."""
    return {"of": list(fields), "minimum": number, "maximum": number}


# --- commands ---


class FormLegion(Command, frozen=True):
    """Choose the units of the battle legion of this round (CC-BAT-09)."""

    rule: ClassVar[str] = "CC-BAT-09"
    answers: ClassVar[frozenset[str]] = frozenset({"form-legion"})

    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, battle = draft.table, fought(draft.table)
        legion = Units(self.infantry, self.cavalry, self.catapults)
        available, size = force(table, battle, seat).units, legion_size(table, battle, seat)
        if not legion.within(available):
            asked = f"A battle legion of {legion} was to be formed."
            raise Refusal("CC-BAT-05", asked, f"{seat} has {available} there.")
        if legion.total != size:
            asked = f"A battle legion of {legion.total} units was to be formed."
            raise Refusal("CC-BAT-08", asked, f"It must be as large as possible: {size} of {available}.")
        draft.emit(LegionFormed(seat, legion))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        battle = fought(table)
        size = legion_size(table, battle, seat)
        ranges = choices(force(table, battle, seat).units, size)
        rules = counted_schema("form-legion", ranges, exactly(size, ranges))
        yield Option("form-legion", RuleId("CC-BAT-08"), rules, f"Form a battle legion of {size}.", "form-legion")


class MarkLosses(Command, frozen=True):
    """Choose which units of the own battle legion are hit (CC-BAT-16, CC-BAT-19).

    In an army that came partly by land and partly from galleys the first three count the units that came by land, and
    the others those that landed this turn, which cannot retreat (CC-RET-13). Otherwise only the first three are used.
    """

    rule: ClassVar[str] = "CC-BAT-16"
    answers: ClassVar[frozenset[str]] = frozenset({"mark-losses"})

    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    landed_infantry: Count = 0
    landed_cavalry: Count = 0
    landed_catapults: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        battle = fought(draft.table)
        side, army = _marking(battle), force(draft.table, battle, seat)
        rule = "CC-BAT-16" if side is battle.defender else "CC-BAT-19"
        by_land = Units(self.infantry, self.cavalry, self.catapults)
        landed = Units(self.landed_infantry, self.landed_cavalry, self.landed_catapults)
        units, legion = by_land + landed, side.legion or NO_UNITS
        asked = f"{units} were to be marked as hit."
        if landed.total and not is_mixed(army):
            raise Refusal("CC-RET-13", asked, "Landed units are told apart only where others came by land.")
        if is_mixed(army) and not (by_land.within(army.by_land) and landed.within(army.landed)):
            allowed = f"{army.by_land} came by land and {army.landed} landed."
            raise Refusal("CC-RET-13", asked, allowed)
        if not units.within(legion):
            raise Refusal("CC-BAT-10", asked, f"Only the battle legion can be hit: {legion}.")
        if units.total != side.hits:
            raise Refusal(rule, asked, f"One unit for each hit: {side.hits} of {legion}.")
        _mark(draft, side, by_land, landed)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterator[Option]:
        battle = fought(table)
        side, army = _marking(battle), force(table, battle, seat)
        ranges = _losses(side, army)
        totals = [*_types_of_legion(side, ranges), exactly(side.hits, ranges)]
        rules = counted_schema("mark-losses", ranges, *totals)
        rule = RuleId("CC-BAT-16" if side is battle.defender else "CC-BAT-19")
        yield Option("mark-losses", rule, rules, f"Choose {side.hits} units that are hit.", "mark-losses")


def is_mixed(army: Army) -> bool:
    """Tell whether some units landed this turn and others came by land (CC-RET-13)."""
    return army.landed.total > 0 and army.by_land.total > 0


def _marking(battle: Battle) -> Side:
    return battle.defender if battle.step == "mark-defender" else battle.attacker


def _losses(side: Side, army: Army) -> dict[str, tuple[int, int]]:
    """How many units of each type, and in a mixed army of each origin, can be among those hit."""
    by_type = choices(side.legion or NO_UNITS, side.hits)
    if not is_mixed(army):
        return by_type
    by_land, landed = dict(_counted(army.by_land)), dict(_counted(army.landed))
    ranges: dict[str, tuple[int, int]] = {}
    for kind, (least, most) in by_type.items():
        ranges[kind] = max(0, least - landed[kind]), min(most, by_land[kind])
        ranges[f"landed_{kind}"] = max(0, least - by_land[kind]), min(most, landed[kind])
    return {field: bounds for field, bounds in ranges.items() if bounds[1]}


def _types_of_legion(side: Side, ranges: Ranges) -> Iterator[dict[str, Any]]:
    """The totals that keep each type within the battle legion where it is counted in two fields."""
    for kind, (least, most) in choices(side.legion or NO_UNITS, side.hits).items():
        if kind in ranges and f"landed_{kind}" in ranges:
            yield {"of": [kind, f"landed_{kind}"], "minimum": least, "maximum": most}


def _mark(draft: Draft[Table], side: Side, by_land: Units, landed: Units, *, automatic: bool = False) -> None:
    """Emit the losses. Where the whole army landed they are counted like units that came by land."""
    army = force(draft.table, fought(draft.table), side.seat)
    came_ashore = landed if is_mixed(army) or not army.landed.total else by_land
    draft.emit(LossesMarked(side.seat, by_land + landed, came_ashore, automatic))


# --- decisions, and what follows without one ---


def decisions(table: Table) -> list[Decision]:
    """Who has to form a battle legion or to mark losses, where there is a choice."""
    battle = table.battle
    if battle is None:
        return []
    match battle.step:
        case "form-defender" | "form-attacker":
            return _legion_decision(table, battle)
        case "mark-defender" | "mark-attacker":
            return _losses_decision(table, battle)
        case _:
            return []


def _legion_decision(table: Table, battle: Battle) -> list[Decision]:
    seat = _forming(battle).seat
    size, units = legion_size(table, battle, seat), force(table, battle, seat).units
    if forced(choices(units, size)) is not None:
        return []
    place = table.map.area(battle.province).name
    decision = Decision(
        "form-legion",
        (seat,),
        RuleId("CC-BAT-09"),
        f"Which {size} units form the battle legion in {place}?",
        "Both battle legions must be formed before the attacker rolls.",
        {"province": battle.province, "round": battle.round, "size": size},
    )
    return [decision]


def _losses_decision(table: Table, battle: Battle) -> list[Decision]:
    side = _marking(battle)
    if forced(_losses(side, force(table, battle, side.seat))) is not None:
        return []
    attacked = side is battle.defender
    place = table.map.area(battle.province).name
    decision = Decision(
        "mark-losses",
        (side.seat,),
        RuleId("CC-BAT-16" if attacked else "CC-BAT-19"),
        f"Which {side.hits} units of the battle legion in {place} are hit?",
        "The defender then rolls, still with all units." if attacked else "All losses are then removed together.",
        {"province": battle.province, "round": battle.round, "hits": side.hits},
    )
    return [decision]


def _forming(battle: Battle) -> Side:
    return battle.defender if battle.step == "form-defender" else battle.attacker


def settle(draft: Draft[Table]) -> bool:
    """Form and mark what can be formed and marked in one way only, roll, and remove what was hit."""
    battle = draft.table.battle
    if battle is None:
        return False
    match battle.step:
        case "form-defender" | "form-attacker":
            return _form_the_only_way(draft, battle)
        case "mark-defender" | "mark-attacker":
            return _mark_the_only_way(draft, battle)
        case "roll-attacker":
            _roll(draft, battle.attacker, battle.defender, 0)
        case "roll-defender":
            _roll(draft, battle.defender, battle.attacker, fortification_dice(draft.table, battle))
        case "remove":
            _end_round(draft, battle)
        case _:
            return False
    return True


def _form_the_only_way(draft: Draft[Table], battle: Battle) -> bool:
    seat = _forming(battle).seat
    legion = forced(choices(force(draft.table, battle, seat).units, legion_size(draft.table, battle, seat)))
    if legion is None:
        return False
    draft.emit(LegionFormed(seat, Units(**legion), automatic=True))
    return True


def _mark_the_only_way(draft: Draft[Table], battle: Battle) -> bool:
    side = _marking(battle)
    lost = forced(_losses(side, force(draft.table, battle, side.seat)))
    if lost is None:
        return False
    by_land = Units(*(lost.get(kind, 0) for kind in KINDS))
    landed = Units(*(lost.get(f"landed_{kind}", 0) for kind in KINDS))
    _mark(draft, side, by_land, landed, automatic=True)
    return True


def _end_round(draft: Draft[Table], battle: Battle) -> None:
    attacker, defender = battle.attacker, battle.defender
    draft.emit(LossesRemoved(battle.province, attacker.lost, defender.lost, attacker.lost_landed, defender.lost_landed))
    attackers = force(draft.table, battle, attacker.seat).units.total
    defenders = force(draft.table, battle, defender.seat).units.total
    if not attackers and not defenders:
        end(draft, "both-eliminated", attacker_won=False)
    elif not attackers or not defenders:  # CC-BAT-28: neither retreat nor pursuit
        end(draft, "eliminated", attacker_won=attackers > 0)


EVENTS = (BattleBegan, RoundBegan, LegionFormed, LegionRolled, LossesMarked, LossesRemoved, BattleEnded)
COMMANDS = (FormLegion, MarkLosses)
