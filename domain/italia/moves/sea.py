"""Fleets and what they carry: sailing, embarking and landing (chapter SEA).

Each fleet has an id and its own cargo. In one movement phase it sails at most two sea areas and carries at most two
land units, counting those aboard at the start (IT-SEA-05); it can load before, between and after its moves. A unit
embarks only in the area where it began the phase, uses one fleet, and moves no further once it has landed (IT-SEA-06,
IT-SEA-08, IT-SEA-11).
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from domain.italia.box.pieces import Army, Fleet, FleetId, LeaderId, NationId, Units, amount_of, fits
from domain.italia.box.state import LeaderWalk, Voyage, Walk, without
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.moves import overrun
from domain.italia.moves.steps import (
    MOVE,
    allies_at,
    army_of,
    fresh_at,
    leaves_freely,
    may_rest,
    merged,
    moving_of,
    no_rest,
    record_walks,
    refuse_unless_there,
)
from domain.italia.turn.stacking import some_of
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Names
from domain.kernel.rules.refusal import Refusal, refuse_unless

# --- what happens ---


class FleetSailed(Event, frozen=True):
    """A fleet sailed to the next sea area, with all that is aboard (IT-SEA-01, IT-SEA-02)."""

    rules = ("IT-SEA-01", "IT-SEA-02", "IT-SEA-09", "IT-SEA-12")
    places = (("origin", "from"), ("to", "to"))

    fleet: FleetId
    origin: AreaId
    to: AreaId

    def apply(self, table: Table) -> None:
        moving, fleet = moving_of(table), table.fleets[self.fleet]
        voyage = voyage_of(table, self.fleet)
        table.fleets[self.fleet] = replace(fleet, sea=self.to)
        table.moving = replace(moving, voyages={**moving.voyages, self.fleet: replace(voyage, steps=voyage.steps + 1)})

    def tell(self, names: Names) -> str:
        return f"{names(self.fleet)} sailed from {names(self.origin)} to {names(self.to)}."


class ArmyEmbarked(Event, frozen=True):
    """Units and leaders went aboard a fleet (IT-SEA-06)."""

    rules = ("IT-SEA-03", "IT-SEA-04", "IT-SEA-05", "IT-SEA-06", "IT-SEA-12")
    places = (("origin", "at"),)

    nation: NationId
    origin: AreaId
    fleet: FleetId
    army: Army

    def apply(self, table: Table) -> None:
        table.take(self.origin, self.nation, self.army)
        voyage = voyage_of(table, self.fleet)
        table.load(self.fleet, self.army)
        units = [Walk(kind, number, 1, self.origin, "sea", ship=self.fleet) for kind, number in self.army.units.items()]
        aboard = merged([*moving_of(table).walks.get(self.fleet, ()), *units])
        leaders = {each: LeaderWalk(1, self.origin, "sea", ship=self.fleet) for each in self.army.leaders}
        voyages = {**moving_of(table).voyages, self.fleet: replace(voyage, carried=voyage.carried + self.army.size)}
        record_walks(table, {self.fleet: aboard}, leaders, self.origin, voyages=voyages)

    def tell(self, names: Names) -> str:
        return f"{self.army.tell(names)} went aboard {names(self.fleet)} in {names(self.origin)}."


class ArmyLanded(Event, frozen=True):
    """Units and leaders landed from a fleet (IT-SEA-10); they move no further (IT-SEA-08)."""

    rules = ("IT-SEA-07", "IT-SEA-08", "IT-SEA-10", "IT-SEA-11")
    places = (("sea", "from"), ("to", "to"))

    nation: NationId
    fleet: FleetId
    sea: AreaId
    to: AreaId
    army: Army

    def apply(self, table: Table) -> None:
        voyages = {**moving_of(table).voyages, self.fleet: voyage_of(table, self.fleet)}
        table.unload(self.fleet, self.army)
        table.add(self.to, self.nation, self.army)
        aboard = moving_of(table).walks.get(self.fleet, ())
        for kind, number in self.army.units.items():
            aboard = without(aboard, kind, number)
        units = [
            Walk(kind, number, 1, self.sea, "sea", spent=True, ship=self.fleet)
            for kind, number in self.army.units.items()
        ]
        present = merged([*moving_of(table).walks.get(self.to, ()), *units])
        leaders = {each: LeaderWalk(1, self.sea, "sea", spent=True, ship=self.fleet) for each in self.army.leaders}
        record_walks(table, {self.fleet: aboard, self.to: present}, leaders, voyages=voyages)

    def tell(self, names: Names) -> str:
        return f"{self.army.tell(names)} landed from {names(self.fleet)} in {names(self.to)}."


# --- fleets ---


def voyage_of(table: Table, fleet: FleetId) -> Voyage:
    """Return how a fleet has moved; what was aboard at the start counts as carried (IT-SEA-05)."""
    voyage = moving_of(table).voyages.get(fleet)
    return Voyage(carried=table.fleets[fleet].cargo.size) if voyage is None else voyage


def room(table: Table, fleet: FleetId) -> int:
    """Return how many more land units a fleet can take aboard in this phase (IT-SEA-04, IT-SEA-05)."""
    capacity = table.data.fleet_capacity
    return capacity - max(voyage_of(table, fleet).carried, table.fleets[fleet].cargo.size)


def _fleet(table: Table, nation: NationId, fleet: FleetId, wrong: str, foreign: str = "IT-SEQ-03") -> Fleet:
    """Return a fleet of the active nation. Raises `Refusal`; by the rule `foreign` for one of another nation."""
    own, names = [name for name, _ in table.fleets_of(nation)], table.names
    has = f"name one of their {amount_of('fleet', len(own))}" if own else "they have no fleets"
    allowed = f"It is the turn of the {names(nation)}: {has}."
    refuse_unless(fleet in own, foreign if fleet in table.fleets else "IT-MOV-01", wrong, allowed)
    return table.fleets[fleet]


def _coastal_areas(table: Table, sea: AreaId) -> list[AreaId]:
    return [land for land, _ in table.map.coasts_on(sea)]


def _goes_along(table: Table, fleet: FleetId) -> bool:
    """Tell whether a fleet can move on a campaign: it carries the leader, or units that move with him (IT-CAM-12).

    Units that move with him have embarked in this step, are at sea where he is, or are about to land where he is.
    """
    if table.campaign is None:
        return True
    cargo, sea = table.fleets[fleet].cargo, table.fleets[fleet].sea
    where = table.leader_at(table.campaign.leader)
    if moving_of(table).walks.get(fleet):  # units aboard that have moved in this step: they have embarked
        return True
    if not cargo or where is None:
        return False
    if where in table.fleets:
        return table.fleets[FleetId(where)].sea == sea
    return AreaId(where) in _coastal_areas(table, sea)


class Sail(Command, frozen=True):
    """Sail with a fleet to an adjacent sea area (IT-SEA-01)."""

    rules = ("IT-SEA-01", "IT-SEA-02", "IT-CAM-12")
    answers = MOVE
    gesture = Gesture(start="fleet", to="to")

    fleet: FleetId
    to: AreaId

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        names = table.names
        wrong = f"You cannot sail with {names(self.fleet)} to {names(self.to)}."
        sea = _fleet(table, nation, self.fleet, wrong).sea
        near = table.map.sea_neighbours(sea)
        rule = "IT-SEA-03" if self.to in table.map.lands else "IT-MOV-02"
        refuse_unless(self.to in near, rule, wrong, f"From {names(sea)} it can sail to {names.all(near)}.")
        steps = voyage_of(table, self.fleet).steps
        refuse_unless(
            steps < _longest_voyage(table),
            "IT-SEA-01",
            wrong,
            f"It has sailed {steps} sea areas in this phase, as far as it can.",
        )
        allowed = "On campaign only fleets sail that carry the leader or units that move with him."
        refuse_unless(_goes_along(table, self.fleet), "IT-CAM-12", wrong, allowed)
        draft.emit(FleetSailed(self.fleet, sea, self.to))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        able: dict[AreaId, list[FleetId]] = {}
        for name, fleet in table.fleets_of(turn_of(table).nation):
            if voyage_of(table, name).steps < _longest_voyage(table) and _goes_along(table, name):
                able.setdefault(fleet.sea, []).append(name)
        for sea, fleets in able.items():
            fields = {"fleet": schema.one_of(fleets), "to": schema.one_of(table.map.sea_neighbours(sea))}
            yield cls.option(f"Sail from {table.names(sea)}", fields, places=dict.fromkeys(fleets, sea))


def _longest_voyage(table: Table) -> int:
    return table.data.units["fleet"].move


# --- going aboard ---


class Embark(Command, frozen=True):
    """Take units and leaders aboard a fleet off the coast where they were when this movement began (IT-SEA-06).

    Attributes:
        units: how many of each type go aboard.
        leaders: who goes aboard with them.
    """

    rules = ("IT-SEA-06", "IT-SEA-03", "IT-SEA-04", "IT-SEA-05", "IT-SEA-14", "IT-MOV-15")
    answers = MOVE
    gesture = Gesture(start="origin", to="fleet", pieces=("leaders",), counts=("units",))

    origin: AreaId
    fleet: FleetId
    units: Units = {}  # noqa: RUF012 - msgspec copies it, and leaves it out of the log when it is empty
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        army = army_of(self.units, self.leaders)
        names = table.names
        wrong = f"You cannot take {army.tell(names)} aboard {names(self.fleet)} in {names(self.origin)}."
        sea = _fleet(table, nation, self.fleet, wrong, foreign="IT-SEA-14").sea
        refuse_unless_there(table, nation, self.origin, self.units, army.leaders, wrong)
        coasts = _coastal_areas(table, sea)
        refuse_unless(self.origin in coasts, "IT-SEA-06", wrong, f"The fleet is off {names.all(coasts)}.")
        fresh = _unmoved(table, nation, self.origin)
        allowed = "Only units that have not moved in this phase go aboard."
        refuse_unless(fresh.has(Army(self.units, army.leaders)), "IT-SEA-06", wrong, allowed)
        places = room(table, self.fleet)
        allowed = f"In this phase it can take {amount_of('unit', places)} more, and any number of leaders."
        rule = (
            "IT-SEA-04" if table.fleets[self.fleet].cargo.size + army.size > table.data.fleet_capacity else "IT-SEA-05"
        )
        refuse_unless(fits(self.units, places), rule, wrong, allowed)
        allowed = "On campaign units go aboard only where the leader does."
        refuse_unless(_boards_with_leader(table, self.origin, sea), "IT-CAM-12", wrong, allowed)
        if table.strangers(nation, self.origin) and not leaves_freely(table):
            most = overrun.most_passing(table, nation, self.origin, led=False)
            allowed = f"At most {amount_of('unit', max(most, 0))} can leave the enemies there, as in an overrun."
            refuse_unless(army.size <= most and fits(self.units, max(most, 0)), "IT-CAM-17", wrong, allowed)
        draft.emit(ArmyEmbarked(nation, self.origin, self.fleet, army))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        for origin in table.areas_of(nation):
            army, most = _unmoved(table, nation, origin), table.army(origin, nation).size
            if not army:
                continue
            if table.strangers(nation, origin) and not leaves_freely(table):
                most = overrun.most_passing(table, nation, origin, led=False)
            yield from cls._options_from(table, nation, origin, army, most)

    @classmethod
    def _options_from(cls, table: Table, nation: NationId, origin: AreaId, army: Army, most: int) -> Iterator[Option]:
        by_room: dict[int, list[FleetId]] = {}
        for name, fleet in table.fleets_of(nation):
            if origin in _coastal_areas(table, fleet.sea) and _boards_with_leader(table, origin, fleet.sea):
                by_room.setdefault(min(room(table, name), most), []).append(name)
        for places, fleets in by_room.items():
            if places >= 0 and (places or army.leaders):
                fields = {"origin": schema.const(origin), "fleet": schema.one_of(fleets)}
                at = {name: table.fleets[name].sea for name in fleets}
                yield _option(cls, f"Go aboard in {table.names(origin)}", fields, army, places, at)


def _option(
    cls: type[Command],
    title: str,
    fields: dict[str, schema.Schema],
    army: Army,
    most: int,
    at: Mapping[FleetId, AreaId],
) -> Option:
    """Return an option for at most `most` units of an army, and for its leaders. `at` says where each fleet is."""
    units = army.units if most else {}
    fields = {**fields, "units": some_of(units, most)}
    of, optional = ["units"], list[str]()
    if army.leaders:
        fields["leaders"] = schema.subset(army.leaders, 0 if units else 1)
        of, optional = ["units", "leaders"], ["units", *(["leaders"] if units else [])]
    totals = [{"of": of, "minimum": 1}, {"of": ["units"], "maximum": most}]
    return cls.option(title, fields, optional=optional, places=at, x_total=totals)


def _unmoved(table: Table, nation: NationId, area: AreaId) -> Army:
    """Return the units and leaders in an area that have not moved in this phase (IT-SEA-06)."""
    leaders = (each for each in table.army(area, nation).leaders if each not in moving_of(table).leaders)
    return Army(fresh_at(table, nation, area), tuple(leaders))


def can_embark(table: Table, nation: NationId, area: AreaId) -> bool:
    """Tell whether somebody in an area can go aboard a fleet off its coast."""
    fresh = _unmoved(table, nation, area)
    return any(
        _boards_with_leader(table, area, sea) and (fresh.leaders or (fresh.units and room(table, name) > 0))
        for sea in table.seas_of(area)
        for name, _ in table.fleets_of(nation, sea)
    )


def _boards_with_leader(table: Table, origin: AreaId, sea: AreaId) -> bool:
    """Tell whether units may go aboard from an area: on campaign, only where the leader is or went aboard (IT-CAM-12).

    A leader on a fleet also takes units along from each coast that he passes (IT-CAM-10).
    """
    if table.campaign is None:
        return True
    leader = table.campaign.leader
    if table.place_of(leader) == sea:
        return True
    walk = moving_of(table).leaders.get(leader)
    return table.leader_at(leader) == origin or (walk is not None and walk.by == "sea" and walk.origin == origin)


# --- landing ---


class Land(Command, frozen=True):
    """Land units and leaders from a fleet on a coast of its sea area, also among enemies (IT-SEA-10).

    Attributes:
        units: how many of each type land.
        leaders: who lands with them.
    """

    rules = ("IT-SEA-10", "IT-SEA-07", "IT-SEA-08", "IT-SEA-11")
    answers = MOVE
    gesture = Gesture(start="fleet", to="to", pieces=("leaders",), counts=("units",))

    fleet: FleetId
    to: AreaId
    units: Units = {}  # noqa: RUF012 - msgspec copies it, and leaves it out of the log when it is empty
    leaders: tuple[LeaderId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        army = army_of(self.units, self.leaders)
        names = table.names
        wrong = f"You cannot land {army.tell(names)} from {names(self.fleet)} in {names(self.to)}."
        fleet = _fleet(table, nation, self.fleet, wrong)
        refuse_unless(bool(army), "IT-SEA-10", "You named nobody.", "Name at least one unit or leader.")
        aboard = fleet.cargo.tell(names) if fleet.cargo else "nothing"
        refuse_unless(fleet.cargo.has(Army(self.units, army.leaders)), "IT-SEA-12", wrong, f"It carries {aboard}.")
        coasts = _coastal_areas(table, fleet.sea)
        refuse_unless(self.to in coasts, "IT-SEA-10", wrong, f"The fleet is off {names.all(coasts)}.")
        if (rule := _bar_to_landing(table, nation, self.to)) is not None:
            raise Refusal(rule, wrong, CLOSED[rule])
        allowed = "On campaign only units land that move with the leader."
        refuse_unless(_goes_along(table, self.fleet), "IT-CAM-12", wrong, allowed)
        draft.emit(ArmyLanded(nation, self.fleet, fleet.sea, self.to, army))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        for name, fleet in table.fleets_of(nation):
            places = [area for area in _coastal_areas(table, fleet.sea) if _bar_to_landing(table, nation, area) is None]
            if fleet.cargo and places and _goes_along(table, name):
                fields = {"fleet": schema.const(name), "to": schema.one_of(places)}
                at, title = {name: fleet.sea}, f"Land from {table.names(fleet.sea)}"
                yield _option(cls, title, fields, fleet.cargo, fleet.cargo.size, at)


CLOSED = {
    "IT-ENT-03": "Your nation may not enter that entry area: land elsewhere.",
    "IT-SUB-11": "Units cannot stay among allied units, and units that have landed move no further: land elsewhere.",
    "IT-CAM-13": "The army may stop among subjects only when it has gold for another move: land elsewhere.",
}


def _bar_to_landing(table: Table, nation: NationId, area: AreaId) -> str | None:
    """Return the rule that forbids a landing in an area; None when it is allowed."""
    if not table.treats_as_normal(nation, area):
        return "IT-ENT-03"
    allied = allies_at(table, nation, area) and not table.strangers(nation, area)
    if allied and not (table.campaign is not None and may_rest(table, nation, area)):
        return no_rest(table, nation, area)
    return None


EVENTS = (FleetSailed, ArmyEmbarked, ArmyLanded)
COMMANDS = (Sail, Embark, Land)
