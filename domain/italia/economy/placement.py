"""Placing what a nation bought (chapter PLC). Stacking limits do not apply here (IT-PLC-08)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.italia.box.pieces import FLEET, KINDS, Army, NationId, amount_of
from domain.italia.box.state import City, Placing
from domain.italia.box.table import Command, Event, Table, turn_of
from domain.italia.economy import purchase
from domain.italia.turn.sequence import begin_stage
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules import schema
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision, Option
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.gesture import Gesture
from domain.kernel.rules.message import Automatic, Count, Names, enumerated
from domain.kernel.rules.refusal import Refusal

# --- what happens ---


class PlacementBegan(Event, frozen=True):
    """A nation began to place what it bought; the cities that it bought were built (IT-PLC-01, IT-BUY-10).

    Attributes:
        areas: the areas that it controls, where its units can be placed (IT-PLC-02).
        cities: the areas of its new cities.
    """

    rules = ("IT-PLC-01", "IT-PLC-02", "IT-BUY-10")

    nation: NationId
    areas: tuple[AreaId, ...]
    cities: tuple[AreaId, ...] = ()

    def apply(self, table: Table) -> None:
        begin_stage(table, "placement")
        table.placing = Placing(self.areas)
        table.turn = replace(turn_of(table), building=())
        for area in self.cities:
            table.cities[area] = City(owner=table.seat_of(self.nation))

    def tell(self, names: Names) -> str:
        cities = f"The {names(self.nation)} built cities in {names.all(self.cities)}. " if self.cities else ""
        return f"{cities}The {names(self.nation)} began to place what they bought."


class UnitsPlaced(Event, frozen=True):
    """Purchased units were placed in an area (IT-PLC-02, IT-PLC-03), or purchased fleets in a sea area (IT-PLC-05).

    Attributes:
        kind: their type.
        number: how many.
    """

    rules = ("IT-PLC-02", "IT-PLC-03", "IT-PLC-04", "IT-PLC-05", "IT-PLC-06")
    places = (("area", "at"),)

    nation: NationId
    area: AreaId
    kind: str
    number: Count
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        standing, placing = table.nations[self.nation], placing_of(table)
        supply = {**standing.held, self.kind: standing.held[self.kind] - self.number}
        table.change(self.nation, held={kind: number for kind, number in supply.items() if number})
        for kind in KINDS:
            if kind == self.kind:
                table.add(self.area, self.nation, Army({kind: self.number}))
                table.placing = replace(placing, used=(*placing.used, self.area))
        if self.kind == FLEET:
            table.add_fleets(self.nation, self.area, self.number)

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} placed {amount_of(self.kind, self.number)} in {names(self.area)}."


def placing_of(table: Table) -> Placing:
    """Return the placement under way."""
    assert table.placing is not None, "purchased units are being placed"
    return table.placing


# --- placing ---


def room_for(table: Table, nation: NationId, kind: str) -> dict[AreaId, int]:
    """Return the areas where units of a type can be placed, each with the most that can be placed there."""
    placing, number = placing_of(table), table.nations[nation].held.get(kind, 0)
    if kind == FLEET:
        return dict.fromkeys(purchase.seas(table, nation), number)
    if len(placing.areas) == 1:
        return dict.fromkeys(placing.areas, number)
    return dict.fromkeys((area for area in placing.areas if area not in placing.used), 1)


class Place(Command, frozen=True):
    """Place purchased units of one type in an area, or purchased fleets in a sea area (IT-PLC-02, IT-PLC-05).

    Attributes:
        kind: their type.
        area: the area, or the sea area.
        number: how many.
    """

    rules = ("IT-PLC-02", "IT-PLC-01", "IT-PLC-03", "IT-PLC-04", "IT-PLC-05", "IT-PLC-06")
    answers = frozenset({"place"})
    gesture = Gesture(to="area", counts=("number",), targets=("kind",))

    kind: str
    area: AreaId
    number: Count = 1

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table, nation = draft.table, turn_of(draft.table).nation
        supply = table.nations[nation].held
        if not 0 < self.number <= supply.get(self.kind, 0):
            wrong = f"The {table.names(nation)} cannot place {amount_of(self.kind, self.number)}."
            raise Refusal("IT-PLC-01", wrong, f"They still have to place {held_in_words(supply)}.")
        room_in = room_for(table, nation, self.kind)
        wrong = f"You cannot place {amount_of(self.kind, self.number)} in {table.names(self.area)}."
        if self.area not in room_in:
            raise Refusal(self._barred_by(table, nation), wrong, f"They can be placed in {table.names.all(room_in)}.")
        if self.number > room_in[self.area]:
            raise Refusal("IT-PLC-03", wrong, "Place one new land unit in each area, no more.")
        draft.emit(UnitsPlaced(nation, self.area, self.kind, self.number))

    def _barred_by(self, table: Table, nation: NationId) -> str:
        """Return the rule that keeps the units from the area.

        A sea area on the nation's own coast is closed to fleets only by the rule for Carthaginian fleets (IT-I1-36).
        """
        at_sea = self.area in table.map.seas
        if self.kind == FLEET:
            on_own_coast = any(self.area in table.seas_of(area) for area in placing_of(table).areas)
            return "IT-I1-36" if on_own_coast else "IT-PLC-05"
        if at_sea:
            return "IT-PLC-06"
        return "IT-PLC-03" if self.area in placing_of(table).used else "IT-PLC-02"

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        nation = turn_of(table).nation
        for kind, count in table.nations[nation].held.items():
            room_in = room_for(table, nation, kind)
            if room_in:
                number = {**schema.count(1, min(count, max(room_in.values()))), "default": 1}
                title = f"Place {amount_of(kind, count)}"
                yield cls.option(
                    title,
                    {"kind": schema.const(kind), "area": schema.one_of(room_in), "number": number},
                    optional=("number",),
                )


def held_in_words(supply: dict[str, int]) -> str:
    """Say what is still to be placed."""
    return enumerated([amount_of(kind, supply[kind]) for kind in (*KINDS, FLEET) if supply.get(kind)]) or "nothing"


def place(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Ask where purchased units are placed. Units that can be placed nowhere stay off the board (IT-INC-16)."""
    nation, supply = turn_of(table).nation, table.nations[turn_of(table).nation].held
    if table.placing is None:
        return _begin if supply or turn_of(table).building else None
    rooms = {kind: room for kind in supply if (room := room_for(table, nation, kind))}
    if not rooms:
        return None
    for kind, room in rooms.items():
        if len(room) == 1 and (number := min(supply[kind], *room.values())):
            (area,) = room
            return lambda draft: draft.emit(UnitsPlaced(nation, area, kind, number, automatic=True))
    return [
        Decision(
            "place",
            (table.seat_of(nation),),
            RuleId("IT-PLC-02"),
            f"Where do the {table.names(nation)} place {held_in_words(supply)}?",
            "Then their reinforcements arrive.",
            {"nation": nation, "units": supply},
        )
    ]


def _begin(draft: Draft[Table]) -> None:
    table, turn = draft.table, turn_of(draft.table)
    areas = tuple(purchase.places(table, turn.nation))
    draft.emit(PlacementBegan(turn.nation, areas, tuple(area for area in turn.building if area in areas)))


EVENTS = (PlacementBegan, UnitsPlaced)
COMMANDS = (Place,)
