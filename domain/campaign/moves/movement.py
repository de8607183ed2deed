"""Land moves: by land, or by sea where a galley is at the destination (chapters MOV and AMP).

A land move activates one province. Its units leave in any number of steps, each with a destination of its own, until
the move is ended or something else is done. Units go by land if they can: only a way by sea takes room on galleys.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from domain.campaign.box.state import Army, Landing, LandMove
from domain.campaign.box.table import Command, Event, Table, turn_of
from domain.campaign.moves import cities
from domain.campaign.turn.turn import ACT, require_action
from domain.conquest.pieces import Units
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.decision import Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Count, Names
from domain.kernel.rules.refusal import Refusal

UNITS_PER_GALLEY: Final = 4
"""Land military units that a galley serves in one action (CS-AMP-03)."""

# --- what happens ---


class LandMoveBegan(Event, frozen=True):
    """A player activated a province for a land move (CS-MOV-01)."""

    rules = ("CS-MOV-01",)

    seat: Seat
    origin: AreaId

    def apply(self, table: Table) -> None:
        table.spend_action()
        table.change_turn(land_move=LandMove(self.origin))

    def tell(self, names: Names) -> str:
        return f"{names(self.seat)} begins a land move from {names(self.origin)}."


class ArmyMoved(Event, frozen=True):
    """Land units moved from the activated province to another one (CS-MOV-02).

    Attributes:
        army: the units that moved.
        by_sea: whether it came by sea, and took room on the galleys there (CS-AMP-03).
    """

    rules = ("CS-MOV-02", "CS-AMP-01", "CS-AMP-03")
    places = (("origin", "from"), ("to", "to"))

    seat: Seat
    origin: AreaId
    to: AreaId
    army: Army
    by_sea: bool = False

    def apply(self, table: Table) -> None:
        table.set_army(self.origin, self.seat, table.army(self.origin, self.seat) - self.army)
        table.set_army(self.to, self.seat, table.army(self.to, self.seat) + self.army)
        move = turn_of(table).land_move
        if self.by_sea and move is not None:
            landing = Landing(self.to, self.army.units.total)
            table.change_turn(land_move=replace(move, landings=(*move.landings, landing)))

    def tell(self, names: Names) -> str:
        way = "by sea " if self.by_sea else ""
        return f"{names(self.seat)} moved {self.army} {way}from {names(self.origin)} to {names(self.to)}."


# --- ways by land ---


def is_open(table: Table, seat: Seat, one: AreaId, other: AreaId) -> bool:
    """Tell whether a player may go from a province to a neighbour: no enemy galley closes the crossing (CS-MOV-06)."""
    sea = table.map.strait_between(one, other)
    return sea is None or all(table.are_allied(seat, owner) for owner in table.fleets.get(sea, {}))


def neighbours(table: Table, seat: Seat, area: AreaId) -> list[AreaId]:
    """Return the provinces to which a player may go from one (CS-BRD-04)."""
    return [other for other in table.map.land_neighbours(area) if is_open(table, seat, area, other)]


def by_land(
    table: Table, seat: Seat, origin: AreaId, *, past_enemies: bool = False, past_galleys: bool = False
) -> set[AreaId]:
    """Return the provinces that can be reached by land (CS-MOV-03 to CS-MOV-06).

    With `past_enemies`, enemy units do not stop the way; with `past_galleys`, no galley closes a crossing.
    """
    reached, queue = {origin}, deque([origin])
    while queue:
        area = queue.popleft()
        if area != origin and not past_enemies and table.enemies_at(area, seat):
            continue
        for other in table.map.land_neighbours(area):
            if other not in reached and (past_galleys or is_open(table, seat, area, other)):
                reached.add(other)
                queue.append(other)
    return reached - {origin}


# --- ways by sea ---


def room(table: Table, seat: Seat, landed: Mapping[AreaId, int], to: AreaId) -> int:
    """Return how many more military units can land in a province (CS-AMP-03).

    In an action, each galley serves up to `UNITS_PER_GALLEY` units, which may land in any province adjacent to its
    zone. The units that have `landed` are assigned to zones one by one; earlier ones change zones if that makes room.
    """
    places = {sea: UNITS_PER_GALLEY * table.galleys(sea, seat) for sea in table.map.seas}
    carried: defaultdict[AreaId, defaultdict[AreaId, int]] = defaultdict(lambda: defaultdict(int))

    def find_place(area: AreaId, tried: set[AreaId]) -> bool:
        for sea in table.seas_of(area):
            if sea in tried:
                continue
            tried.add(sea)
            if places[sea]:
                places[sea] -= 1
                carried[sea][area] += 1
                return True
            for other in [other for other, number in carried[sea].items() if number and other != area]:
                if find_place(other, tried):
                    carried[sea][other] -= 1
                    carried[sea][area] += 1
                    return True
        return False

    for area, number in landed.items():
        for _ in range(number):
            find_place(area, set())
    free_places = 0
    while find_place(to, set()):
        free_places += 1
    return free_places


def landed_in(table: Table, origin: AreaId) -> dict[AreaId, int]:
    """Return how many military units have come by sea in the present move from a province, by destination."""
    move = turn_of(table).land_move
    landed: defaultdict[AreaId, int] = defaultdict(int)
    for landing in move.landings if move is not None and move.origin == origin else ():
        landed[landing.to] += landing.units
    return landed


def has_galley(table: Table, seat: Seat, area: AreaId) -> bool:
    """Tell whether a player has a galley in a sea zone adjacent to a province (CS-AMP-02)."""
    return any(table.galleys(sea, seat) for sea in table.seas_of(area))


# --- a step of a move ---


def goes_by_sea(
    table: Table, seat: Seat, origin: AreaId, to: AreaId, army: Army, landed: Mapping[AreaId, int], wrong: str
) -> bool:
    """Tell whether land units go by sea to their destination. Raises `Refusal` when they cannot go there at all."""
    if to not in table.provinces:
        raise Refusal("CS-BRD-01", wrong, "Land units are in provinces only.")
    if to == origin:
        raise Refusal("CS-MOV-02", wrong, "The destination must be another province.")
    if to in by_land(table, seat, origin):
        return False
    barred_by = _barred_by(table, seat, origin, to)
    if not table.seas_of(origin) or not table.seas_of(to):
        raise Refusal(barred_by, wrong, "There is no open way by land or by sea.")
    if not has_galley(table, seat, to):
        allowed = "There is no open way by land. To go by sea, you need a galley in an adjacent sea zone."
        raise Refusal("CS-AMP-02" if barred_by == "CS-MOV-03" else barred_by, wrong, allowed)
    if army.units.total > (most := room(table, seat, landed, to)):
        raise Refusal("CS-AMP-03", wrong, f"Your galleys have room for {most} more military units there.")
    return True


def _barred_by(table: Table, seat: Seat, origin: AreaId, to: AreaId) -> str:
    """Return the rule by which no way by land leads to `to`."""
    if to in by_land(table, seat, origin, past_enemies=True):
        return "CS-MOV-04"
    return "CS-MOV-06" if to in by_land(table, seat, origin, past_enemies=True, past_galleys=True) else "CS-MOV-03"


def move(draft: Draft[Table], seat: Seat, origin: AreaId, to: AreaId, army: Army, *, by_sea: bool) -> None:
    """Move land units; they take a city whose owner has no military units there (CS-CTY-05)."""
    draft.emit(ArmyMoved(seat, origin, to, army, by_sea))
    cities.occupy(draft, to, seat)


class March(Command, frozen=True):
    """Move land units from one province to another, any distance (CS-MOV-03), or by sea (CS-AMP-01).

    The first step from a province takes an action and needs a leader there (CS-MOV-01). Further steps from the same
    province belong to the same action until you end it or do anything else.

    Attributes:
        caesar: 1 when the Caesar is among them.
        generals: how many Generals are among them.
    """

    rules = ("CS-MOV-01", "CS-MOV-02", "CS-MOV-03", "CS-MOV-07", "CS-MOV-08", "CS-AMP-01")
    answers = ACT
    gesture = Gesture(start="origin", to="to", counts=("infantry", "cavalry", "catapults", "generals", "caesar"))

    origin: AreaId
    to: AreaId
    infantry: Count = 0
    cavalry: Count = 0
    catapults: Count = 0
    generals: Count = 0
    caesar: Count = 0

    @property
    def army(self) -> Army:
        return Army(Units(self.infantry, self.cavalry, self.catapults), self.generals, bool(self.caesar))

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, army = draft.table, self.army
        wrong = f"You cannot move {army} from {self.origin} to {self.to}."
        refuse_caesars(self.caesar, wrong)
        begins = not _goes_on(table, self.origin)
        if begins:
            require_action(table, wrong)
        check_leaving(table, seat, self.origin, army, wrong, begins=begins)
        by_sea = goes_by_sea(table, seat, self.origin, self.to, army, landed_in(table, self.origin), wrong)
        if begins:
            draft.emit(LandMoveBegan(seat, self.origin))
        move(draft, seat, self.origin, self.to, army, by_sea=by_sea)

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        for origin in origins(table, seat):
            army = table.army(origin, seat)
            title = f"Move from {table.names(origin)}"
            near = by_land(table, seat, origin)
            if near:
                yield cls._option(title, origin, sorted(near), army, army.units.total)
            rooms: defaultdict[int, list[AreaId]] = defaultdict(list)
            for to in by_sea(table, seat, origin, near):
                rooms[min(room(table, seat, landed_in(table, origin), to), army.units.total)].append(to)
            for most, places in sorted(rooms.items()):
                if most or army.leads:
                    fewer = f", at most {most} unit{'s' * (most > 1)}" if most else ", leaders only"
                    by_ship = f"{title} by sea{fewer if most < army.units.total else ''}"
                    yield cls._option(by_ship, origin, places, army, most)

    @classmethod
    def _option(cls, title: str, origin: AreaId, places: list[AreaId], army: Army, most: int) -> Option:
        units = {kind: schema.count(0, min(count, most)) for kind, count in army.units.by_type.items() if count}
        present = (("generals", army.generals), ("caesar", int(army.caesar)))
        leaders = {kind: schema.count(0, number) for kind, number in present if number}
        fields = {"origin": schema.const(origin), "to": schema.one_of(places), **units, **leaders}
        totals: list[dict[str, Any]] = [{"of": [*units, *leaders], "minimum": 1}]
        if most < army.units.total:
            totals.append({"of": [*units], "maximum": most})
        return cls.option(title, fields, x_total=totals)


def _goes_on(table: Table, origin: AreaId) -> bool:
    """Tell whether a step from a province belongs to the move under way (CS-MOV-07)."""
    under_way = turn_of(table).land_move
    return under_way is not None and under_way.origin == origin


def refuse_caesars(number: int, wrong: str) -> None:
    """Raise `Refusal` for more than one Caesar: an `Army` could not tell."""
    if number > 1:
        raise Refusal("CS-PCS-06", wrong, "You have one Caesar.")


def check_leaving(table: Table, seat: Seat, origin: AreaId, army: Army, wrong: str, *, begins: bool) -> None:
    """Raise `Refusal` unless these units are in the province and, where the move `begins`, a leader is there."""
    if origin not in table.provinces:
        raise Refusal("CS-MOV-01", wrong, "Name a province where you have a leader.")
    present = table.army(origin, seat)
    if begins and not present.leads:
        raise Refusal("CS-MOV-01", wrong, "A land move begins where you have a General or your Caesar.")
    if not army.units.within(present.units) or army.generals > present.generals or army.caesar > present.caesar:
        raise Refusal("CS-MOV-02", wrong, f"You have {present} there.")
    if army == Army():
        raise Refusal("CS-MOV-02", wrong, "Move at least one unit.")


def origins(table: Table, seat: Seat) -> list[AreaId]:
    """Return the provinces from which a player may move land units now."""
    turn = turn_of(table)
    own = [area for area, province in sorted(table.provinces.items()) if seat in province.armies]
    return [area for area in own if _goes_on(table, area) or (turn.actions and table.army(area, seat).leads)]


def by_sea(table: Table, seat: Seat, origin: AreaId, near: set[AreaId]) -> list[AreaId]:
    """Return the provinces that land units can reach by sea only (CS-AMP-02)."""
    if not table.seas_of(origin):
        return []
    served = {land for sea, fleet in table.fleets.items() if fleet.get(seat) for land, _ in table.map.coasts_on(sea)}
    return sorted(served - near - {origin})


def can_go_on(table: Table, seat: Seat) -> bool:
    """Tell whether more units may leave in the land move under way."""
    under_way = turn_of(table).land_move
    if under_way is None or seat not in table.provinces[under_way.origin].armies:
        return False
    if near := by_land(table, seat, under_way.origin):
        return True
    landed, leads = landed_in(table, under_way.origin), table.army(under_way.origin, seat).leads
    return any(leads or room(table, seat, landed, to) for to in by_sea(table, seat, under_way.origin, near))


EVENTS = (LandMoveBegan, ArmyMoved)
COMMANDS = (March,)
