"""Retreats after a round of battle, and units that must leave an area (chapter RET).

Units retreat to one destination at a time: an adjacent area, or a fleet in an adjacent sea area. A side goes on until
it stands (`Stand`). Units that must leave an area, for any reason, are in `Table.leaving`; they leave before anything
else goes on, and those that cannot are eliminated.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain.italia.box.pieces import (
    Army,
    FleetId,
    LeaderId,
    NationId,
    Units,
    amount_of,
    fits,
    minus,
    plus,
)
from domain.italia.box.state import Battle, Leaving, Why
from domain.italia.box.table import Command, Event, Table, battle_of, combat_of, turn_of
from domain.italia.combat import battle, cities, naval
from domain.italia.combat.battle import next_round
from domain.italia.combat.destinations import barred, commander, could_declare, destinations, is_open, room
from domain.italia.turn import scoring, stacking
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Names
from domain.kernel.rules.refusal import Refusal, refuse_unless

KNIGHT: Final = "knight"
COUNTED: Final[tuple[Why | None, ...]] = (None, "raid", "driven-off", "leaders")
"""Why leaders retreat, if cards count the retreat (IT-I1-28); None is a retreat by choice."""
RULES: Final[Mapping[Why, str]] = {
    "eviction": "IT-I1-02",
    "arrival": "IT-RNF-17",
    "raid": "IT-RAI-08",
    "driven-off": "IT-HIT-11",
    "submission": "IT-SUB-09",
    "leaders": "IT-BAT-18",
    "subjects": "IT-CAM-13",
    "title": "IT-I2-14",
}
"""The rule for each reason why units must leave an area."""


# --- what happens ---


class UnitsRetreated(Event, frozen=True):
    """Units and leaders retreated to an area, or aboard a fleet (IT-RET-02).

    Attributes:
        to: the area, or the fleet.
        why: why they had to; null for a retreat by choice.
    """

    rules = ("IT-RET-02", "IT-RET-03", "IT-RET-04", "IT-RET-10", "IT-STK-16", "IT-BAT-11")
    places = (("area", "from"), ("to", "to"))

    nation: NationId
    area: AreaId
    to: str
    army: Army
    why: Why | None = None
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, self.army)
        if self.to in table.fleets:
            table.load(FleetId(self.to), self.army)
        else:
            table.add(AreaId(self.to), self.nation, self.army)
            table.receive(AreaId(self.to), self.nation)
        if self.why is not None:
            _remove_retreated(table, self.army)
        _forget_damaged(table, self.area, self.nation, self.army.units)

    def tell(self, names: Names) -> str:
        to = f"aboard {names(self.to)}" if self.to.count("-fleet-") else f"to {names(self.to)}"
        return f"The {names(self.nation)} retreated from {names(self.area)} {to}: {self.army.tell(names)}."


class UnitsCutOff(Event, frozen=True):
    """Units that had to leave an area could go nowhere, and were eliminated (IT-RET-09)."""

    rules = ("IT-RET-09", "IT-HIT-12", "IT-RAI-08", "IT-VP-16")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    army: Army
    why: Why

    def apply(self, table: Table) -> None:
        table.eliminate(self.area, self.nation, self.army)
        table.leaving.pop(0)
        _forget_damaged(table, self.area, self.nation, self.army.units)

    def tell(self, names: Names) -> str:
        army = self.army.tell(names)
        return f"The {names(self.nation)} lost {army}, who had nowhere to go from {names(self.area)}."


class LeavingOrdered(Event, frozen=True):
    """Units must leave an area: one that an elephant drives off (IT-HIT-11), or a leader facing another (IT-BAT-18)."""

    rules = ("IT-HIT-10", "IT-HIT-11", "IT-BAT-18")

    leaving: Leaving

    def apply(self, table: Table) -> None:
        table.leaving.append(self.leaving)
        fight, nation = table.battle, self.leaving.nation
        if fight is not None and self.leaving.why == "driven-off":
            driven = {side: number - (side == nation) for side, number in fight.driven.items()}
            table.battle = replace(fight, driven={side: number for side, number in driven.items() if number})

    def tell(self, names: Names) -> str:
        leaving = self.leaving
        who, area = f"{leaving.army.tell(names)} of the {names(leaving.nation)}", names(leaving.area)
        if leaving.why == "driven-off":
            return f"An elephant in {area} drove off {who}."
        return f"{who} must leave {area}, where only leaders face each other."


class Stood(Event, frozen=True):
    """A side said that it retreats no more before the next round (IT-RET-01, IT-NAV-08)."""

    rules = ("IT-RET-01", "IT-NAV-08")

    nation: NationId

    def apply(self, table: Table) -> None:
        fight = battle_of(table)
        table.battle = replace(fight, stood=(*fight.stood, self.nation))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} fight on."


def _remove_retreated(table: Table, army: Army) -> None:
    """Remove units that have gone from the first entry of `Table.leaving`."""
    head = table.leaving[0]
    rest = head.army - army
    table.leaving[:1] = [replace(head, army=rest)] if rest else []


def _forget_damaged(table: Table, area: AreaId, nation: NationId, units: Units) -> None:
    """Forget the damage of units that have left a battle, restored or lost (IT-BAT-11, IT-HIT-12).

    Of each type, damaged units go first; but damaged knights never go (IT-I2-05).
    """
    fight = table.battle
    if fight is None or fight.place != area:
        return
    going: Units = {kind: number for kind, number in units.items() if kind != KNIGHT}
    damaged = fight.damaged.get(nation, {})
    rest: Units = {kind: number - min(number, going.get(kind, 0)) for kind, number in damaged.items()}
    table.battle = replace(fight, damaged={**fight.damaged, nation: minus(rest, {})})


# --- retreats ---


class Retreat(Command, frozen=True):
    """Retreat units and leaders to one destination: after a round of battle, or where they must leave (IT-RET-02).

    Attributes:
        to: the area, or the fleet.
        units: how many of each type.
        leaders: who goes with them.
    """

    rules = (
        *("IT-RET-02", "IT-RET-01", "IT-RET-03", "IT-RET-04", "IT-RET-05", "IT-RET-06", "IT-RET-07", "IT-RET-08"),
        *("IT-RET-09", "IT-RET-10", "IT-RET-11", "IT-RET-12", "IT-RET-13", "IT-STK-16", "IT-STK-17", "IT-I2-05"),
    )
    answers = frozenset({"retreat", "leave"})
    gesture = Gesture(to="to", pieces=("leaders",), counts=("units",))

    nation: NationId
    to: str
    units: Units = {}  # noqa: RUF012  (msgspec copies it, and leaves it out when it is empty)
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        going, table = _going(draft.table), draft.table
        army = Army({kind: number for kind, number in self.units.items() if number}, tuple(sorted(self.leaders)))
        names = table.names
        who = f"{army.tell(names)} of the {names(self.nation)}"
        wrong = f"You cannot retreat with {who} from {names(going.area)} to {names(self.to)}."
        leaves = RULES[going.why] if going.why else "IT-RET-01"
        refuse_unless(self.nation == going.nation, leaves, wrong, f"The {names(going.nation)} must answer now.")
        army_there = table.army(going.area, going.nation)
        leaving = Army(self.units, army.leaders)
        rule = self.rule
        if army and army_there.has(leaving):
            rule = RULES[going.why] if going.why else "IT-I2-05"
        able = f"These can retreat: {going.army.tell(names)}." if going.army else "Nobody can retreat."
        refuse_unless(army and going.army.has(leaving), rule, wrong, able)
        places = _places(table, going)
        if self.to not in places:
            allowed = f"They can retreat to {names.all(places)}." if places else "They cannot retreat anywhere."
            raise Refusal(_why_not(table, going, self.to), wrong, allowed)
        number = _number(table, going, self.to, places[self.to], army.leaders)
        full = _full(table, going.nation, self.to)
        refuse_unless(fits(self.units, number), full, wrong, f"There is room for {amount_of('unit', number)}.")
        _go(draft, going, self.to, army)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        going = _going(table)
        decision = "retreat" if going.why is None else "leave"
        leader = commander(table, going.nation)
        others = tuple(each for each in going.army.leaders if each != leader)
        for to, number in _places(table, going).items():
            led = leader in going.army.leaders and to not in table.fleets
            crowds = [(number, others, ()), (going.army.size, going.army.leaders, (leader,))] if led else []
            for most, leaders, needed in crowds or [(number, going.army.leaders, ())]:
                fields = {"nation": schema.const(going.nation), "to": schema.const(to)}
                if choice := naval.part_of(Army(going.army.units, leaders), most, needed):
                    optional, some = choice[1:]
                    title = f"Retreat to {table.names(to)}"
                    yield cls.option(
                        title,
                        {**fields, **choice[0]},
                        decision=decision,
                        optional=optional,
                        places=table.fleet_places((to,)),
                        x_total=some,
                    )


class Going(Struct, frozen=True):
    """Units whose player is asked where they retreat.

    Attributes:
        army: those who can still retreat.
        barred: areas to which they cannot.
        why: why they must leave; null after a round of battle.
        scorer: who may score those who cannot leave.
    """

    nation: NationId
    area: AreaId
    army: Army
    barred: tuple[AreaId, ...]
    why: Why | None = None
    scorer: NationId | None = None


def _going(table: Table) -> Going:
    """Return the units for which a retreat is asked now."""
    if table.leaving:
        head = table.leaving[0]
        present = table.army(head.area, head.nation)
        units: Units = {kind: min(number, present.units.get(kind, 0)) for kind, number in head.army.units.items()}
        leaders = tuple(leader for leader in head.army.leaders if leader in present.leaders)
        return Going(head.nation, head.area, Army(plus(units, {}), leaders), head.barred, head.why, head.scorer)
    fight = battle_of(table)
    nation = _announcing(table, fight)
    assert nation is not None, "somebody may retreat"
    return _retreating(table, fight, nation)


def _retreating(table: Table, fight: Battle, nation: NationId) -> Going:
    """Return what a side of a battle on land can retreat: all but damaged knights (IT-I2-05)."""
    army, knights = table.army(fight.place, nation), fight.damaged.get(nation, {}).get(KNIGHT, 0)
    mobile = army - Army({KNIGHT: knights}) if knights else army
    return Going(nation, fight.place, mobile, barred(table, fight, nation))


def _places(table: Table, going: Going) -> dict[str, int]:
    return destinations(table, going.nation, going.area, going.army, going.barred)


def _number(table: Table, going: Going, to: str, number: int, leaders: tuple[LeaderId, ...]) -> int:
    """Return how many units can go to a destination together with some leaders."""
    return number if to in table.fleets else room(table, going.nation, AreaId(to), going.army, *leaders)


def _why_not(table: Table, going: Going, to: str) -> str:
    """Return the rule that forbids a destination."""
    if to in table.fleets or to in table.map.seas:
        return "IT-RET-10"
    if to not in table.map.land_neighbours(going.area):
        return "IT-RET-04"
    area = AreaId(to)
    if not table.treats_as_normal(going.nation, area):
        return "IT-ENT-02"
    if not is_open(table, going.nation, going.area, area):
        return "IT-RET-07"
    if area in going.barred:
        return "IT-RET-12" if going.nation == table.active else "IT-RET-05"
    return _full(table, going.nation, to)


def _full(table: Table, nation: NationId, to: str) -> str:
    """Return the rule that limits how many units retreat to a destination."""
    if to in table.fleets:
        return "IT-RET-10"
    return "IT-STK-17" if to == stacking.capital(table, nation) else "IT-STK-16"


def _go(draft: Draft[Table], going: Going, to: str, army: Army, *, automatic: bool = False) -> None:
    """Retreat units; then score the retreat of leaders, and take the city at the destination."""
    draft.emit(UnitsRetreated(going.nation, going.area, to, army, going.why, automatic))
    if army.leaders and going.why in COUNTED:
        scoring.leaders_retreated(draft, going.nation, army.leaders)
    if to in draft.table.map:
        cities.take(draft, going.nation, AreaId(to))


class Stand(Command, frozen=True):
    """Retreat no more units or fleets before the next round (IT-RET-01, IT-NAV-08)."""

    rules = ("IT-RET-01", "IT-NAV-08")
    answers = frozenset({"retreat"})
    gesture = Gesture(quiet=True)

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        fight, names = battle_of(draft.table), draft.table.names
        nation = _announcing(draft.table, fight)
        assert nation is not None, "a side may retreat"
        wrong, rule = f"The {names(self.nation)} cannot answer.", "IT-NAV-08" if fight.naval else "IT-RET-01"
        refuse_unless(self.nation == nation, rule, wrong, f"The {names(nation)} must answer now.")
        draft.emit(Stood(self.nation))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        yield cls.option("Fight on", {"nation": schema.const(_announcing(table, battle_of(table)))})


def _announcing(table: Table, fight: Battle) -> NationId | None:
    """Return the side that may retreat now: first the attacker, then the defender (IT-RET-01)."""
    if fight.naval:
        return naval.retreating(table, fight)
    for nation in fight.sides:
        if nation not in fight.stood:
            going = _retreating(table, fight, nation)
            if _places(table, going) or could_declare(table, nation, going.area, going.barred):
                return nation
    return None


def announce(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the attacker, then the defender, who can retreat, until they fight on; then the battle goes on or ends."""
    fight, names = battle_of(table), table.names
    if not all(battle.is_there(table, fight, side) for side in fight.sides):
        return next_round
    nation = _announcing(table, fight)
    if nation is None:
        return next_round
    about: dict[str, Any] = {"nation": nation, "place": fight.place, "round": fight.round}
    if fight.naval:
        about["to"] = list(table.map.sea_neighbours(fight.place))
    else:
        about["to"] = _places(table, _retreating(table, fight, nation))
    rule = RuleId("IT-NAV-08" if fight.naval else "IT-RET-01")
    title = f"The {names(nation)} in {names(fight.place)}: do you retreat?"
    return [Decision("retreat", (table.seat_of(nation),), rule, title, "Then the battle goes on or ends.", about)]


# --- units that must leave ---


class Abandon(Command, frozen=True):
    """Give up units that must leave and have nowhere to go, even if another capital would make room (IT-RET-09)."""

    rules = ("IT-RET-09", "IT-STK-11")
    answers = frozenset({"leave"})

    nation: NationId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        going = _going(draft.table)
        names = draft.table.names
        wrong = f"You cannot give up units of the {names(self.nation)}."
        places = _places(draft.table, going)
        refuse_unless(self.nation == going.nation, self.rule, wrong, f"The {names(going.nation)} must leave now.")
        refuse_unless(not places, self.rule, wrong, f"They can retreat to {names.all(places)}.")
        _cut_off(draft, going)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        going = _going(table)
        if not _places(table, going):
            yield cls.option("Give them up", {"nation": schema.const(going.nation)})


def _cut_off(draft: Draft[Table], going: Going) -> None:
    assert going.why is not None, "they had to leave"
    draft.emit(UnitsCutOff(going.nation, going.area, going.army, going.why))
    if going.scorer is not None:
        army = going.army
        scoring.eliminated(draft, going.nation, army.units, by=going.scorer, leaders=army.leaders)


def leave(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask where the first units go that must leave an area; those who cannot go anywhere are eliminated (IT-RET-09)."""
    going = _going(table)
    places = _places(table, going)
    if not places and not (going.army and could_declare(table, going.nation, going.area, going.barred)):
        return lambda draft: _cut_off(draft, going)
    if len(places) == 1:
        (to,) = places
        if _number(table, going, to, places[to], going.army.leaders) >= going.army.size:
            return lambda draft: _go(draft, going, to, going.army, automatic=True)
    names, why = table.names, going.why or "eviction"
    title = f"The {names(going.nation)} must leave {names(going.area)}: where shall {going.army.tell(names)} go?"
    about = {"nation": going.nation, "area": going.area, "why": why, "to": places}
    depends = "Those who cannot go anywhere are eliminated."
    return [Decision("leave", (table.seat_of(going.nation),), RuleId(RULES[why]), title, depends, about)]


# --- leaders who face leaders ---


def part(table: Table) -> Consequence[Table] | None:
    """Order the active nation's leaders out of an area where only leaders of both sides are left (IT-BAT-18)."""
    nation = turn_of(table).nation
    for area in combat_of(table).fronts:
        own = table.army(area, nation)
        enemies = table.strangers(nation, area)
        if own.leaders and not own.size and enemies and not any(table.army(area, each).size for each in enemies):
            started = {} if table.campaign is None else table.campaign.started  # IT-RET-12
            leaving = Leaving(nation, area, own, "leaders", enemies[0], started.get(enemies[0], ()))
            return lambda draft: draft.emit(LeavingOrdered(leaving))
    return None


EVENTS = (UnitsRetreated, UnitsCutOff, LeavingOrdered, Stood)
COMMANDS = (Retreat, Stand, Abandon)
