"""Movement on land: steps, allowances, leaders, straits, and the end of the phase (chapters MOV and STR).

A phase is made of steps from an area to a neighbour (IT-MOV-02). The allowance belongs to each unit, so `Moving.walks`
keeps groups of units that have moved alike; units of an area that are in no group are fresh. When a command names a
number of units, those that have moved furthest and still may make the step go first (but see `Step.sorted`). A move of
a campaign is such a phase, too, in which nobody moves without its leader (IT-CAM-01, IT-CAM-09).
"""

from collections.abc import Iterable
from typing import Any

from msgspec import field
from msgspec.structs import replace

from domain.italia.box.pieces import Army, LeaderId, NationId, Units, amount_of, listed, plus, total, within
from domain.italia.box.state import By, Combat, Front, LeaderWalk, Leaving, Moving, Walk, without
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.moves import entry, overrun, sea
from domain.italia.moves.steps import (
    MOVE,
    WHY,
    Step,
    Walks,
    allies_at,
    army_of,
    groups_at,
    joined,
    left_behind,
    may_rest,
    merged,
    moving_of,
    no_rest,
    record_walks,
    refuse_unless_there,
    step_between,
)
from domain.italia.moves.ways import Ways, count_of, has_entered, ways_from
from domain.italia.turn.sequence import begin_stage, end_stage
from domain.italia.turn.stacking import attack_limit, some_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names, enumerated
from domain.kernel.rules.refusal import Refusal, refuse_unless

# --- what happens ---


class MovementBegan(Event, frozen=True):
    """A nation began to move (IT-MOV-01).

    Attributes:
        roads: highlands in which its units need not stop, because of a city that it controls now (IT-CTY-02).
    """

    rules = ("IT-MOV-01", "IT-MOV-04", "IT-CTY-02", "IT-CTY-03")

    nation: NationId
    roads: tuple[AreaId, ...] = ()

    def apply(self, table: Table) -> None:
        if table.campaign is None:
            begin_stage(table, "movement")
        table.moving = Moving(roads=self.roads)

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} began to move."


class ArmyMoved(Event, frozen=True):
    """Units and leaders entered an area (IT-MOV-02).

    Attributes:
        walks: how the units in both areas have moved now.
        leaders: how the leaders among them have moved.
    """

    rules = ("IT-MOV-01", "IT-MOV-02", "IT-MOV-07", "IT-MOV-10", "IT-MOV-11", "IT-STR-01", "IT-OVR-01", "IT-OVR-03")
    places = (("origin", "from"), ("to", "to"))

    nation: NationId
    origin: AreaId
    to: AreaId
    army: Army
    by: By = "land"
    walks: Walks = field(default_factory=dict[str, tuple[Walk, ...]])
    leaders: dict[LeaderId, LeaderWalk] = field(default_factory=dict[LeaderId, LeaderWalk])

    def apply(self, table: Table) -> None:
        table.take(self.origin, self.nation, self.army)
        table.add(self.to, self.nation, self.army)
        record_walks(table, self.walks, self.leaders, self.origin)

    def tell(self, names: Names) -> str:
        way = "across the strait " if self.by == "strait" else ""
        who = f"{self.army.tell(names)} of the {names(self.nation)}"
        return f"{who} moved {way}from {names(self.origin)} to {names(self.to)}."


class AttackersDisbanded(Event, frozen=True):
    """Attackers who were too many for an area were given up (IT-STK-12). Nobody scores them.

    Attributes:
        units: how many of each type.
    """

    rules = ("IT-STK-12", "IT-STK-04", "IT-PCS-06")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    units: Units

    def apply(self, table: Table) -> None:
        table.take(self.area, self.nation, Army(self.units))
        moving = moving_of(table)
        walks = moving.walks.get(self.area, ())
        present = table.army(self.area, self.nation).units
        for kind in self.units:
            moved = sum(walk.count for walk in walks if walk.kind == kind)
            walks = without(walks, kind, max(0, moved - present.get(kind, 0)))
        table.moving = replace(moving, walks=joined(moving.walks, {self.area: walks}))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} gave up {listed(self.units)} in {names(self.area)}, too many for the attack."


class MovementEnded(Event, frozen=True):
    """A nation ended its movement; battles are due where it met others (IT-BAT-01).

    Attributes:
        fronts: the land areas in which it must fight.
        at: on a campaign, the area or the sea area where the leader is now.
        left: on a campaign, the areas that units have left, and those where units that moved are without the leader
            (IT-STK-22).
        leaving: units that cannot stay among allies, and had no move left (IT-SUB-11).
    """

    rules = ("IT-MOV-01", "IT-BAT-01", "IT-BAT-02", "IT-OVR-05", "IT-HIT-08")

    nation: NationId
    fronts: dict[AreaId, Front]
    at: AreaId | None = None
    left: tuple[AreaId, ...] = ()
    leaving: tuple[Leaving, ...] = ()

    def apply(self, table: Table) -> None:
        end_stage(table)
        table.moving, table.combat = None, Combat(self.fronts, left=self.left)
        if table.campaign is not None:
            table.campaign = replace(table.campaign, at=self.at)
        table.leaving.extend(self.leaving)

    def tell(self, names: Names) -> str:
        fight = f" They fight in {names.all(self.fronts)}." if self.fronts else ""
        return f"The {names(self.nation)} have moved.{fight}"


# --- a step ---


class Move(Command, frozen=True):
    """Move units and leaders from an area to a neighbour (IT-MOV-02).

    Attributes:
        units: how many of each type go.
        leaders: who goes with them.
    """

    rules = ("IT-MOV-01", "IT-MOV-02", "IT-MOV-03", "IT-MOV-07", "IT-MOV-08", "IT-MOV-10", "IT-MOV-11", "IT-MOV-13")
    answers = MOVE
    gesture = Gesture(start="origin", to="to", pieces=("leaders",), counts=("units",))

    origin: AreaId
    to: AreaId
    units: Units = {}  # noqa: RUF012 - msgspec copies it, and leaves it out of the log when it is empty
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        army = army_of(self.units, self.leaders)
        names = table.names
        wrong = f"You cannot move {army.tell(names)} from {names(self.origin)} to {names(self.to)}."
        refuse_unless_there(table, nation, self.origin, self.units, army.leaders, wrong)
        if self.to in table.map.seas:
            rule = "IT-SEA-03" if army.units else "IT-MOV-15"
            raise Refusal(rule, wrong, "Land units and leaders go to sea aboard a fleet.")
        step = step_between(table, nation, self.origin, self.to, army.leaders, wrong)
        groups = step.choose(table, self.units, wrong)
        for leader in army.leaders:
            if (rule := step.leader_barred(table, leader, groups)) is not None:
                raise Refusal(rule, wrong, WHY[rule])
        rest = _less(groups_at(table, nation, self.origin), groups)
        if any(left_behind(table, walk, army.leaders) for walk in rest):
            allowed = "Units that moved one more area with their leader cannot be left behind by him."
            raise Refusal("IT-MOV-10", wrong, allowed)
        entered = has_entered(table, groups, army.leaders)
        if step.contested and (not step.free or entered):
            overrun.require(table, nation, self.origin, army, wrong, entered=entered)
            rest = overrun.stop_units(rest, overrun.needed(table, nation, self.origin))
        draft.emit(_moved(table, step, army, groups, rest))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        for origin in table.areas_of(nation):
            by_ways: dict[str, tuple[Ways, list[AreaId]]] = {}
            for to, ways in ways_from(table, nation, origin):
                by_ways.setdefault(repr(ways), (ways, []))[1].append(to)
            for ways, places in by_ways.values():
                yield cls._option(f"Move from {table.names(origin)}", table.names, origin, places, ways)

    @classmethod
    def _option(cls, title: str, names: Names, origin: AreaId, places: list[AreaId], ways: Ways) -> Option:
        units = some_of(ways.units, total(ways.units), ways.companions)
        fields = {"origin": schema.const(origin), "to": schema.one_of(places), "units": units}
        most = {} if ways.most is None else {"maximum": ways.most}
        totals = {"of": ["units"], "minimum": 0 if ways.leaders else 1, **most}
        if ways.leaders:
            title = f"{title} with {names.all(ways.leaders)}"
            fields["leaders"] = schema.subset(ways.leaders, len(ways.leaders))
        optional = ["units"] if ways.leaders and not ways.companions else []
        return cls.option(title, fields, optional=optional, x_total=totals)


def _less(groups: Iterable[Walk], removed: Iterable[Walk]) -> list[Walk]:
    counts = {replace(walk, count=0): walk.count for walk in groups}
    for walk in removed:
        counts[replace(walk, count=0)] -= walk.count
    return [replace(walk, count=number) for walk, number in counts.items() if number]


def _moved(table: Table, step: Step, army: Army, groups: Iterable[Walk], rest: Iterable[Walk]) -> ArmyMoved:
    """Return the event of a step that some groups make while the `rest` stays."""
    present = moving_of(table).walks.get(step.to, ())
    alone = (replace(walk, leaders=tuple(each for each in walk.leaders if each not in step.leaders)) for walk in rest)
    return ArmyMoved(
        step.nation,
        step.origin,
        step.to,
        army,
        "strait" if step.strait else "land",
        {step.origin: merged(alone), step.to: merged([*present, *(step.after(table, walk) for walk in groups)])},
        {leader: step.leader_after(table, leader) for leader in army.leaders},
    )


# --- the end of the phase ---


def excess(table: Table) -> dict[AreaId, int]:
    """Return the areas where too many units attack, each with how many are too many (IT-STK-12, IT-CAM-11)."""
    nation, excesses = turn_of(table).nation, dict[AreaId, int]()
    for area in _contested(table, nation):
        army = table.army(area, nation)
        if table.campaign is None or table.campaign.leader not in army.leaders:
            number = army.size - attack_limit(table, nation, area, led=bool(army.leaders))
            if number > 0:
                excesses[area] = number
    return excesses


def _contested(table: Table, nation: NationId) -> list[AreaId]:
    """Return the areas where a nation must fight when its movement ends (IT-BAT-01, IT-ENT-05, IT-ENT-08)."""
    return [
        area
        for area in table.areas_of(nation)
        if table.strangers(nation, area) and not entry.stay_without_fight(table, nation, area)
    ]


def _among_allies(table: Table, nation: NationId) -> list[AreaId]:
    """Return the areas of allied nations where a nation cannot stay (IT-SUB-11); its campaign may rest (IT-CAM-13)."""
    campaign = table.campaign
    resting = None if campaign is None else table.leader_at(campaign.leader)
    return [
        area
        for area in table.areas_of(nation)
        if allies_at(table, nation, area) and not (area == resting and may_rest(table, nation, area))
    ]


def _can_leave(table: Table, nation: NationId, area: AreaId) -> bool:
    """Tell whether somebody in an area can go aboard, or make a step to where there is room for another attacker."""
    if sea.can_embark(table, nation, area):
        return True
    for to, ways in ways_from(table, nation, area):
        army = table.army(to, nation)
        led = bool(army.leaders or ways.leaders)
        if not table.strangers(nation, to) or army.size < attack_limit(table, nation, to, led=led):
            return True
    return False


def _unfinished(table: Table) -> tuple[str, str] | None:
    """Return the rule that keeps a movement from ending, and what is right; None if it can end."""
    nation, names = turn_of(table).nation, table.names
    if excesses := excess(table):
        surplus = enumerated([f"{amount_of('unit', number)} in {names(area)}" for area, number in excesses.items()])
        return "IT-STK-12", f"Too many units attack. Move on or give up {surplus}."
    areas = entry.areas_to_leave(table)
    if table.campaign is not None:
        areas = [area for area in areas if table.campaign.leader in table.army(area, nation).leaders]
    for area in areas:
        if _can_leave(table, nation, area):
            return "IT-ENT-01", f"Units must still leave {names(area)}, and can."
    for area in _among_allies(table, nation):
        if any(True for _ in ways_from(table, nation, area)):
            resting = table.campaign is not None and table.campaign.leader in table.army(area, nation).leaders
            rule = no_rest(table, nation, area) if resting else "IT-SUB-11"
            return rule, f"Units cannot stay among allied units in {names(area)}, and can go on."
    return None


class Disband(Command, frozen=True):
    """Give up attackers that are too many for an area (IT-STK-12).

    Attributes:
        units: how many of each type you give up.
    """

    rules = ("IT-STK-12", "IT-STK-04")
    answers = MOVE
    gesture = Gesture(to="area", counts=("units",), control="division")

    area: AreaId
    units: Units

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        wrong = f"You cannot give up {listed(self.units)} in {table.names(self.area)}."
        excesses, present = excess(table), table.army(self.area, nation).units
        most = excesses.get(self.area, 0)
        refuse_unless(within(self.units, present), "IT-STK-12", wrong, f"You have {listed(present)} there.")
        allowed = f"Give up {amount_of('unit', most)} at most." if most else "They are not too many for the attack."
        refuse_unless(1 <= total(self.units) <= most, "IT-STK-12", wrong, allowed)
        draft.emit(AttackersDisbanded(nation, self.area, plus(self.units, {})))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        for area, most in excess(table).items():
            fields = {"area": schema.const(area), "units": some_of(table.army(area, nation).units, most)}
            totals = {"of": ["units"], "minimum": 1, "maximum": most}
            yield cls.option(f"Give up units in {table.names(area)}", fields, x_total=totals)


class EndMovement(Command, frozen=True):
    """End the movement of the nation; battles follow where it met others (IT-MOV-01)."""

    rules = ("IT-MOV-01", "IT-ENT-01", "IT-STK-12", "IT-SUB-11")
    answers = MOVE
    gesture = Gesture(quiet=True, called="End the movement")

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        if (problem := _unfinished(draft.table)) is not None:
            rule, allowed = problem
            raise Refusal(rule, "You cannot end the movement yet.", allowed)
        end(draft)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        if _unfinished(table) is None:
            yield cls.option()


def end(draft: Draft[Table]) -> None:
    """End the movement: eliminate units that are still in forbidden entry areas, and say which battles are due."""
    table, nation = draft.table, turn_of(draft.table).nation
    entry.clear(draft, entry.areas_to_leave(table))
    fronts = {area: _front(table, nation, area) for area in _contested(table, nation)}
    leaving = [Leaving(nation, area, table.army(area, nation), "subjects") for area in _among_allies(table, nation)]
    at, behind = None, ()
    if table.campaign is not None:
        at, moving = table.place_of(table.campaign.leader), moving_of(table)
        elsewhere = (AreaId(place) for place in moving.walks if place in table.map.lands and place != at)
        behind = tuple(dict.fromkeys((*moving.behind, *elsewhere)))
    draft.emit(MovementEnded(nation, fronts, at, behind, tuple(leaving)))


def _front(table: Table, nation: NationId, area: AreaId) -> Front:
    """Return what the battles in an area need to know about the movement (IT-RET-05, IT-HIT-08)."""
    moving = moving_of(table)
    walks = moving.walks.get(area, ())
    leaders = [moving.leaders[each] for each in table.army(area, nation).leaders if each in moving.leaders]
    origins = {walk.origin for walk in (*walks, *leaders) if walk.by != "sea" and walk.steps}
    seaborne = count_of(walk for walk in walks if walk.by != "land")
    return Front(tuple(table.strangers(nation, area)), tuple(sorted(origins)), seaborne)


def move(table: Table) -> list[Decision] | Consequence[Table]:
    """Ask the nation for its moves, one step after the other, until it has moved."""
    turn = turn_of(table)
    nation, names = turn.nation, table.names
    if table.moving is None:
        roads = roads_of(table, nation)
        return lambda draft: draft.emit(MovementBegan(nation, roads))
    if not table.areas_of(nation) and not any(table.fleets_of(nation)):
        return end
    about: dict[str, Any] = {"nation": nation}
    title = f"Where do the {names(nation)} move?"
    if table.campaign is not None:
        about["leader"] = table.campaign.leader
        title = f"Where does {names(table.campaign.leader)} of the {names(nation)} go with the army?"
    if must := entry.areas_to_leave(table):
        about["must_leave"] = must
    if excesses := excess(table):
        about["excess"] = excesses
    depends = "Then they fight where they have met others."
    return [Decision("move", (table.seat_of(nation),), RuleId("IT-MOV-01"), title, depends, about)]


def roads_of(table: Table, nation: NationId) -> tuple[AreaId, ...]:
    """Return the highlands whose cities a nation controls; with the option, also those of its allies (IT-CTY-03)."""
    return tuple(
        area
        for area in table.cities
        if table.has_city(area)
        and table.is_highland(area)
        and (table.army(area, nation) or (table.options.allied_city_roads and allies_at(table, nation, area)))
    )


EVENTS = (MovementBegan, ArmyMoved, AttackersDisbanded, MovementEnded)
COMMANDS = (Move, Disband, EndMovement)
