"""Nations that leave the game at the end of a round, replaced by another one or not (chapter TRF)."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TypeVar

from msgspec import Struct, field

from domain.italia.box.entries import Departure, Transformation
from domain.italia.box.pieces import FLEET, Army, FleetId, Kind, NationId, amount_of
from domain.italia.box.state import City
from domain.italia.box.table import Command, Event, Table
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


class NationLeft(Event, frozen=True):
    """All pieces of a nation left the game (IT-TRF-01); its gold is lost, and its subjects are freed.

    Attributes:
        into: the nation that takes its place; null for none.
        kind: the type of the units of that nation.
        units: how many of them stand in each area, or aboard each of these fleets.
        fleets: the fleets that are replaced, where they are.
    """

    rules = ("IT-TRF-01", "IT-TRF-02", "IT-TRF-03")

    nation: NationId
    into: NationId | None = None
    kind: Kind | None = None
    units: dict[str, Count] = field(default_factory=dict[str, int])
    fleets: tuple[FleetId, ...] = ()
    automatic: Automatic = False

    def apply(self, table: Table) -> None:
        seas = {fleet: table.fleets[fleet].sea for fleet in self.fleets}
        for area in [area for area, armies in table.armies.items() if self.nation in armies]:
            table.set_army(area, self.nation, Army())
        for fleet in [name for name, _ in table.fleets_of(self.nation)]:
            del table.fleets[fleet]
        table.change(self.nation, gold=0, overlord=None, capital=None, held={}, came={}, over=True)
        if self.into is None or self.kind is None:
            return
        for fleet, sea in seas.items():
            for new in table.add_fleets(self.into, sea, 1):
                table.load(new, Army({self.kind: self.units[fleet]} if self.units.get(fleet) else {}))
        for area in (AreaId(place) for place in self.units if place not in self.fleets):
            table.add(area, self.into, Army({self.kind: self.units[area]}))
            if area in table.cities:
                table.cities[area] = City(table.cities[area].standing, table.seat_of(self.into))

    def tell(self, names: Names) -> str:
        if self.into is None or self.kind is None:
            return f"The {names(self.nation)} left the game."
        number = sum(self.units.values())
        new = [amount_of(self.kind, number)] if number else []
        new += [amount_of(FLEET, len(self.fleets))] if self.fleets else []
        who = f"{enumerated(new)} of the {names(self.into)}" if new else "nobody"
        return f"The {names(self.nation)} left the game, replaced by {who}."


# --- who leaves ---

S = TypeVar("S", Transformation, Departure)


class Change(Struct, frozen=True):
    """A nation that is to be replaced: the room in its areas and fleets, and how many pieces can be placed.

    Attributes:
        areas: how many units could stand in each area.
        cargo: how many could be aboard each fleet that carries any, if it is replaced.
        most: how many units can be placed at most.
        first: an area in which at least one unit must be placed.
        fleets: the fleets that could be replaced.
        most_fleets: how many of them are replaced.
    """

    nation: NationId
    into: NationId
    kind: Kind
    areas: dict[str, int]
    cargo: dict[FleetId, int]
    most: int
    first: AreaId | None
    fleets: tuple[FleetId, ...]
    most_fleets: int

    def room_for_units(self, fleets: Iterable[FleetId]) -> dict[str, int]:
        """Return how many units could stand in each area, and aboard each of the fleets that are replaced."""
        return {**self.areas, **{fleet: self.cargo[fleet] for fleet in fleets if fleet in self.cargo}}

    def number(self, fleets: Iterable[FleetId]) -> int:
        """Return how many units are placed when these fleets are replaced."""
        return min(self.most, sum(self.room_for_units(fleets).values()))

    def choices(self) -> list[tuple[FleetId, ...]]:
        """Return the sets of fleets that can be replaced; one set with all of them if none carries anything."""
        if not self.cargo:
            return [self.fleets]
        return list(combinations(self.fleets, self.most_fleets))


def _change(table: Table, nation: NationId, special: Transformation) -> Change:
    allowed = set(table.map.lands if special.at is None else special.at.on(table.map))
    areas: dict[str, int] = {
        area: 1 if special.each == "area" else army.size
        for area in table.areas_of(nation)
        if area in allowed and ((army := table.army(area, nation)).size or special.each == "area")
    }
    supply = table.supply(special.into)
    fleets = dict(table.fleets_of(nation)) if special.each == "unit" else {}
    cargo = {name: fleet.cargo.size for name, fleet in fleets.items() if fleet.cargo.size}
    most_fleets = min(supply.get(FLEET, 0), len(fleets))
    most = supply.get(special.unit, 0) if special.most is None else min(supply.get(special.unit, 0), special.most)
    first = special.first if special.first in areas else None
    return Change(nation, special.into, special.unit, areas, cargo, most, first, tuple(fleets), most_fleets)


def _leaving(table: Table, kind: type[S]) -> tuple[NationId, S] | None:
    """Return the next nation that leaves in this round by a special rule of a kind, with that rule; else None."""
    for nation, card in table.cards.nations.items():
        special = card.special(kind)
        if special is not None and special.round == table.round and not table.nations[nation].over:
            return nation, special
    return None


class PlaceSuccessors(Command, frozen=True):
    """Say where units of your nation take the place of one that leaves, if there are too few counters (IT-TRF-03).

    Attributes:
        units: how many in each area.
        fleets: the fleets that are replaced.
    """

    rules = ("IT-TRF-03",)
    answers = frozenset({"place-successors"})
    gesture = Gesture(areas=("units",), pieces=("fleets",), counts=("units",))

    units: dict[str, Count]
    fleets: tuple[FleetId, ...] = ()

    def decide(self, draft: Draft[Table], seat: Seat) -> None:
        table = draft.table
        change = _open_change(table)
        is_wrong = (
            len(self.fleets) != change.most_fleets or len({*self.fleets} & {*change.fleets}) != change.most_fleets
        )
        if is_wrong:
            wrong = f"You cannot replace {table.names.all(self.fleets)}."
            allowed = f"Choose {amount_of(FLEET, change.most_fleets)} out of {table.names.all(change.fleets)}."
            raise Refusal("IT-TRF-03", wrong, allowed)
        room, number = change.room_for_units(self.fleets), change.number(self.fleets)
        wrong = f"You cannot place {_units_in_words(self.units, table.names)}."
        if any(count > room.get(area, 0) for area, count in self.units.items()):
            raise Refusal("IT-TRF-03", wrong, f"There is room for {_units_in_words(room, table.names)}.")
        if sum(self.units.values()) != number:
            raise Refusal("IT-TRF-03", wrong, f"Place {amount_of('unit', number)} in all.")
        if change.first is not None and not self.units.get(change.first):
            raise Refusal("IT-TRF-03", wrong, f"Place at least one unit in {table.names(change.first)}.")
        units = {area: number for area, number in sorted(self.units.items()) if number}
        draft.emit(NationLeft(change.nation, change.into, change.kind, units, tuple(sorted(self.fleets))))

    @classmethod
    def options(cls, table: Table, seat: Seat, vault: Vault) -> Iterable[Option]:
        change = _open_change(table)
        for some in change.choices():
            total = change.number(some)
            room = change.room_for_units(some)
            counts = {area: schema.count(int(area == change.first), number) for area, number in room.items()}
            free = [area for area in counts if area != change.first]
            units = schema.record(counts, free, x_sum={"minimum": total, "maximum": total})
            fleets = schema.subset(some, change.most_fleets, change.most_fleets)
            yield cls.option("Choose the areas", {"units": units, **({"fleets": fleets} if change.most_fleets else {})})


def _units_in_words(units: Mapping[str, int], names: Names) -> str:
    return enumerated([f"{number} in {names(place)}" for place, number in units.items()]) or "nothing"


def _open_change(table: Table) -> Change:
    waiting = _leaving(table, Transformation)
    assert waiting is not None, "a nation is being transformed"
    return _change(table, *waiting)


def transform(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Let the nations leave whose time is over, after the scoring (IT-TRF-02); then late reinforcements arrive."""
    if (departing := _leaving(table, Departure)) is not None:
        return lambda draft: draft.emit(NationLeft(departing[0]))
    waiting = _leaving(table, Transformation)
    if waiting is None:
        return None
    nation, special = waiting
    change = _change(table, nation, special)
    fleets = change.fleets[: change.most_fleets]
    room = change.room_for_units(fleets) if change.most else {}
    if change.most_fleets in (0, len(change.fleets)) and sum(room.values()) <= change.most:
        return lambda draft: draft.emit(NationLeft(nation, change.into, change.kind, room, fleets, automatic=True))
    return [
        Decision(
            "place-successors",
            (table.seat_of(change.into),),
            RuleId("IT-TRF-03"),
            f"Where do the {table.names(change.into)} take the place of the {table.names(nation)}?",
            f"Then the {table.names(nation)} leave the game.",
            {"nation": change.into, "areas": change.areas, "units": change.most},
        )
    ]


EVENTS = (NationLeft,)
COMMANDS = (PlaceSuccessors,)
