"""Declaring a land battle, and who joins a battle before its first round (CS-BAT-01 to CS-BAT-09, CS-NAV-06)."""

from collections.abc import Iterable

from domain.campaign.box.state import SLAVES, Battle, Side
from domain.campaign.box.table import Command, Table, battle_of, turn_of
from domain.campaign.combat import forces
from domain.campaign.combat.battle import BattleBegan, BattleRoundBegan, ForceJoined
from domain.campaign.turn.turn import ACT, require_action
from domain.conquest.pieces import Units, amount_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, enumerated
from domain.kernel.rules.refusal import Refusal, or_none

# --- the attack ---


class Attack(Command, frozen=True):
    """Attack one player who is not your ally, with any of your units in the same province (CS-BAT-01)."""

    rules = ("CS-BAT-01", "CS-BAT-02", "CS-BAT-03")
    answers = ACT
    gesture = Gesture(to="province", targets=("defender",), counts=("infantry", "cavalry", "catapults"))

    province: AreaId
    defender: Seat
    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, units = draft.table, Units(self.infantry, self.cavalry, self.catapults)
        wrong = f"You cannot attack {self.defender} in {self.province} with {units}."
        require_action(table, wrong)
        own_units = table.army(self.province, seat).units if self.province in table.provinces else Units()
        if not own_units.total:
            raise Refusal("CS-BAT-01", wrong, "Attack where you have land military units.")
        if self.defender not in (others := table.enemies_at(self.province, seat)):
            rule = "CS-AUC-17" if table.are_allied(seat, self.defender) else "CS-BAT-02"
            allowed = f"Players there whom you can attack: {or_none(others)}."
            raise Refusal(rule, wrong, allowed)
        if not units.total or not units.within(own_units):
            raise Refusal("CS-BAT-01", wrong, f"You have {own_units} there. Attack with at least one unit.")
        begin(draft, self.province, seat, self.defender, forces.force(seat, units))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if not turn_of(table).actions:
            return
        for area, province in sorted(table.provinces.items()):
            if seat not in province.armies or not (others := table.enemies_at(area, seat)):
                continue
            own = province.armies[seat].units.by_type
            units = {kind: schema.count(0, number) for kind, number in own.items() if number}
            if units:
                fields = {"province": schema.const(area), "defender": schema.one_of(others), **units}
                total = {"of": [*units], "minimum": 1}
                yield cls.option(f"Attack in {table.names(area)}", fields, x_total=total)


def begin(draft: Draft[Table], area: AreaId, attacker: Seat, defender: Seat, attacking: forces.Force) -> None:
    """Begin a battle on land; all the defender's land military units there take part (CS-BAT-02)."""
    table = draft.table
    defending = forces.force(defender, table.army(area, defender).units)
    draft.emit(
        BattleBegan(
            area,
            False,
            attacker,
            defender,
            forces.joined(attacking, forces.phantoms(table, attacker, area, naval=False)),
            forces.joined(defending, forces.phantoms(table, defender, area, naval=False)),
            takes_action=attacker != SLAVES,
        )
    )


# --- who joins ---


class CallGalleys(Command, frozen=True):
    """Bring galleys from adjacent sea zones into your battle, or none (CS-BAT-04).

    Attributes:
        galleys: how many from each sea zone.
    """

    rules = ("CS-BAT-04", "CS-BAT-05")
    answers = frozenset({"call-galleys"})
    gesture = Gesture(areas=("galleys",), counts=("galleys",))

    galleys: dict[AreaId, Count] = {}  # noqa: RUF012 - msgspec copies it, and leaves it out of the log when it is empty

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        battle = battle_of(draft.table)
        _check_galleys(self.galleys, forces.available_galleys(draft.table, battle, seat), "CS-BAT-04")
        draft.emit(ForceJoined(seat, seat, forces.force(seat, Units(), dict(sorted(self.galleys.items())))))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        counts = _galley_counts(forces.available_galleys(table, battle_of(table), seat))
        yield cls.option("Call galleys, or none", {"galleys": counts}, optional=["galleys"])


class Lend(Command, frozen=True):
    """Lend units to your ally in a battle, or none (CS-BAT-06, CS-BAT-07); you get the survivors back (CS-BAT-09).

    Attributes:
        leader: whether one of your leaders in the province takes part.
        galleys: how many from each sea zone.
    """

    rules = ("CS-BAT-06", "CS-BAT-07", "CS-BAT-08", "CS-NAV-06", "CS-SET-13")
    answers = frozenset({"lend"})
    gesture = Gesture(areas=("galleys",), counts=("infantry", "cavalry", "catapults", "galleys"))

    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    leader: bool = False
    galleys: dict[AreaId, Count] = {}  # noqa: RUF012

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, battle = draft.table, battle_of(draft.table)
        side = _side_to_help(table, battle, seat)
        assert side is not None, "only allies are asked"
        units, leader, galleys = _lendable(table, battle, seat)
        offered = Units(self.infantry, self.cavalry, self.catapults)
        wrong = f"You cannot lend {_listed(offered, self.leader)}."
        rule = "CS-NAV-06" if battle.naval else "CS-BAT-07"
        if not offered.within(units) or self.leader > leader:
            raise Refusal(rule, wrong, f"You can lend {_listed(units, leader)}.")
        _check_galleys(self.galleys, galleys, rule)
        force = forces.force(seat, offered, dict(sorted(self.galleys.items())))
        draft.emit(ForceJoined(seat, side.seat, force, self.leader))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        units, leader, galleys = _lendable(table, battle_of(table), seat)
        fields = {kind: schema.count(0, number) for kind, number in units.by_type.items() if number}
        if leader:
            fields["leader"] = {"type": "boolean"}
        if galleys:
            fields["galleys"] = _galley_counts(galleys)
        yield cls.option("Lend units, or none", fields, optional=[*fields])


def _galley_counts(available: dict[AreaId, int]) -> schema.Schema:
    return schema.record({sea: schema.count(0, number) for sea, number in available.items()}, available)


def _listed(units: Units, leader: bool) -> str:
    return enumerated([*([str(units)] if units.total else []), *(["a leader"] if leader else [])]) or "no land units"


def _check_galleys(requested: dict[AreaId, int], available: dict[AreaId, int], rule: str) -> None:
    if any(sea not in available or number > available[sea] for sea, number in requested.items()):
        each = [f"{amount_of('galleys', number)} from {sea}" for sea, number in requested.items()]
        wrong = f"You cannot send {', '.join(each)}."
        allowed = ", ".join(f"{number} in {sea}" for sea, number in available.items()) or "none"
        raise Refusal(rule, wrong, f"Galleys that you can send: {allowed}.")


def _side_to_help(table: Table, battle: Battle, seat: Seat) -> Side | None:
    """Return the side that a third player could help (CS-BAT-06); None without an ally or if they raised the slaves."""
    if table.revolt is not None and table.revolt.by == seat:
        return None
    sides = (battle.attacker, battle.defender)
    return next((side for side in sides if table.are_allied(side.seat, seat)), None)


def _lendable(table: Table, battle: Battle, seat: Seat) -> tuple[Units, bool, dict[AreaId, int]]:
    """Return the units, leader and galleys that a third player could lend (CS-BAT-07, CS-NAV-06)."""
    galleys = forces.available_galleys(table, battle, seat)
    if battle.naval:
        return Units(), False, galleys
    army = table.army(battle.place, seat)
    return army.units, army.leads, galleys


def muster(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the participants for galleys, then in turn order allies with something to lend; then begin the rounds."""
    battle = battle_of(table)
    sides = (battle.attacker.seat, battle.defender.seat)
    depends = "The first round begins when everybody has answered."
    about = {"place": battle.place, "attacker": sides[0], "defender": sides[1]}
    for seat in sides if not battle.naval else ():
        if seat not in battle.answered and (fleet := forces.available_galleys(table, battle, seat)):
            title = f"Do you call galleys into the battle in {table.names(battle.place)}?"
            return [Decision("call-galleys", (seat,), RuleId("CS-BAT-04"), title, depends, {**about, "galleys": fleet})]
    for seat in table.order:
        if seat in sides or seat in battle.answered or (side := _side_to_help(table, battle, seat)) is None:
            continue
        units, leader, galleys = _lendable(table, battle, seat)
        if units.total or leader or galleys:
            title = f"Do you lend units to {table.names(side.seat)} in {table.names(battle.place)}?"
            return [Decision("lend", (seat,), RuleId("CS-BAT-06"), title, depends, {**about, "to": side.seat})]
    return lambda draft: draft.emit(BattleRoundBegan(1))


COMMANDS = (Attack, CallGalleys, Lend)
