"""The table of Italia: what lies where, how the nations stand, whose turn it is, and what is under way.

A seat leads several nations, and turns, units, gold and points belong to nations (IT-SEQ-03). So everything here is by
nation; `Table.seat_of` says which seat leads it. Only targets are hidden, under the option `individual_targets`
(IT-BAT-19), until both sides have chosen theirs.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Final

from msgspec import field
from msgspec.structs import replace

from domain.italia.box.cards import Cards
from domain.italia.box.data import Data
from domain.italia.box.editions import Rules
from domain.italia.box.pieces import NO_ARMY, Army, Fleet, FleetId, LeaderId, NationId
from domain.italia.box.state import (
    Arriving,
    Battle,
    Campaign,
    City,
    Combat,
    Leaving,
    Moving,
    Nation,
    Options,
    Overflow,
    Placing,
    Repair,
    RoundStage,
    Spoil,
    Turn,
)
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import command, message
from domain.kernel.rules.board import Map
from domain.kernel.rules.table import Table as KernelTable

ENTRY_REGIONS: Final = frozenset({"entry-italy", "entry-africa"})
"""The regions of the entry areas (IT-BRD-05)."""


class Table(KernelTable):
    """The whole position. The structs are in state.py; `static` fields are fixed for the game."""

    static: ClassVar[tuple[str, ...]] = ("map", "data", "cards", "rules", "options", "seats")

    map: Map
    data: Data
    """The figures of the game."""
    cards: Cards
    """The nation cards, and who leads which nation."""
    rules: Rules
    """The switches of the version."""
    options: Options
    seats: tuple[Seat, ...]

    round: int = 0
    stage: RoundStage = "setup"
    nations: dict[NationId, Nation] = field(default_factory=dict[NationId, Nation])
    """All nations of the game, in play order."""
    armies: dict[AreaId, dict[NationId, Army]] = field(default_factory=dict[AreaId, dict[NationId, Army]])
    """Land units and leaders by area; a nation without any there is absent."""
    fleets: dict[FleetId, Fleet] = field(default_factory=dict[FleetId, Fleet])
    cities: dict[AreaId, City] = field(default_factory=dict[AreaId, City])
    sacked: dict[NationId, tuple[AreaId, ...]] = field(default_factory=dict[NationId, tuple[AreaId, ...]])
    """Cities that nations have sacked or raided at least once (IT-VP-20)."""
    done: list[NationId] = field(default_factory=list[NationId])
    """The nations whose turn in this round is over; in the civil war, the faction that was last to move or pass."""

    turn: Turn | None = None
    placing: Placing | None = None
    announced: bool = False
    """Whether the reinforcements of this stage were announced, or its offer (a revolt, a title, exits) was declined."""
    arriving: list[Arriving] = field(default_factory=list[Arriving])
    overflow: Overflow | None = None
    moving: Moving | None = None
    combat: Combat | None = None
    battle: Battle | None = None
    leaving: list[Leaving] = field(default_factory=list[Leaving])
    spoils: list[Spoil] = field(default_factory=list[Spoil])
    repair: Repair | None = None
    campaign: Campaign | None = None
    blocked: dict[NationId, tuple[AreaId, ...]] = field(default_factory=dict[NationId, tuple[AreaId, ...]])
    """The places that each nation blocked in its last campaign move (IT-BLK-04)."""
    at_war: bool = False
    """Whether the factions have got the gold for the civil war (IT-I1-13)."""
    levies: list[NationId] = field(default_factory=list[NationId])
    """The factions that may still buy units, before the first move of the civil war (IT-BUY-09)."""
    passes: int = 0
    """How many factions in a row have passed in the civil war (IT-I1-17)."""
    elephant_battles: int = 0
    """How many battles Romans have fought against elephants (IT-I1-10)."""
    conversions: int = 0
    """How often the Patrimonium has converted a unit (IT-I2-06)."""
    titles: list[str] = field(default_factory=list[str])
    """Titles that were taken (IT-I2-14)."""
    winners: list[Seat] = field(default_factory=list[Seat])
    won_by: str = ""

    # --- looking ---

    @property
    def names(self) -> message.Names:
        """Display names for the questions that are put to players."""
        return _names_of(self.map, self.cards, self.seats)

    @property
    def active(self) -> NationId | None:
        """The nation whose turn it is."""
        return None if self.turn is None else self.turn.nation

    def seat_of(self, nation: NationId) -> Seat:
        """Return the seat that leads a nation."""
        return self.cards.nations[nation].seat

    def army(self, area: AreaId, nation: NationId) -> Army:
        """The land units and leaders of a nation in an area; an empty army where there are none."""
        return self.armies.get(area, {}).get(nation, NO_ARMY)

    def nations_at(self, area: AreaId) -> list[NationId]:
        """The nations with units or leaders in an area, in play order."""
        armies = self.armies.get(area, {})
        if len(armies) < 2:
            return list(armies)
        return [nation for nation in self.nations if nation in armies]

    def areas_of(self, nation: NationId) -> list[AreaId]:
        """The land areas that a nation controls (IT-INC-02), sorted by id."""
        return sorted([area for area, armies in self.armies.items() if nation in armies])

    def size_of(self, nation: NationId) -> int:
        """How many land areas a nation controls."""
        return sum([nation in armies for armies in self.armies.values()])

    def fleets_of(self, nation: NationId, sea: AreaId | None = None) -> Iterator[tuple[FleetId, Fleet]]:
        """The fleets of a nation, all or those in one sea area."""
        for name, fleet in self.fleets.items():
            if fleet.nation == nation and sea in (None, fleet.sea):
                yield name, fleet

    def are_allied(self, one: NationId, other: NationId) -> bool:
        """Tell whether one nation is subject to the other (IT-SUB-11)."""
        return other == self.nations[one].overlord or one == self.nations[other].overlord

    def is_highland(self, area: AreaId) -> bool:
        """Tell whether an area is a highland, as every entry area is (IT-BRD-06)."""
        return "highland" in self.map.area(area).traits["terrain"]

    def is_marsh(self, area: AreaId) -> bool:
        return "marsh" in self.map.area(area).traits["terrain"]

    def is_entry(self, area: AreaId) -> bool:
        """Tell whether an area is an entry area (IT-BRD-05)."""
        return not ENTRY_REGIONS.isdisjoint(self.map.area(area).traits["region"])

    def allows_city(self, area: AreaId) -> bool:
        """Tell whether a city can be built in an area (IT-BRD-10)."""
        return self.map.area(area).values["city_allowed"] == 1

    def treats_as_normal(self, nation: NationId, area: AreaId) -> bool:
        """Tell whether an area is no entry area, or one that the nation may use like any other area (IT-ENT-04)."""
        return not self.is_entry(area) or area in self.cards.nations[nation].normal_entry_areas

    def is_neutral(self, nation: NationId) -> bool:
        """Tell whether a nation is a neutral garrison, which neither moves, retreats nor scores (IT-I1-14)."""
        return self.is_civil_war and self.cards.nations[nation].order_round_10 is None

    @property
    def is_civil_war(self) -> bool:
        """Whether this is a round of alternating campaigns (IT-I1-13); false again from its scoring on."""
        if self.stage != "round-start":
            return self.stage == "civil-war"
        plans = [card.plan_of(self.round) for card in self.cards.nations.values()]
        return any(plan is not None and plan.kind == "alternating-campaign" for plan in plans)

    def sees(self, nation: NationId, other: NationId, area: AreaId) -> bool:
        """Tell whether two nations see each other in an area (IT-ENT-05 to IT-ENT-07)."""
        return self.treats_as_normal(nation, area) and self.treats_as_normal(other, area)

    def strangers(self, nation: NationId, area: AreaId) -> list[NationId]:
        """The other nations that a nation meets in an area, allied ones left out (IT-MOV-08, IT-SUB-11)."""
        return [
            other
            for other in self.nations_at(area)
            if other != nation and self.sees(nation, other, area) and not self.are_allied(nation, other)
        ]

    def seas_of(self, area: AreaId) -> tuple[AreaId, ...]:
        """The sea areas adjacent to a land area."""
        return tuple(sorted({sea for coast in self.map.coasts(area) for sea in coast.seas}))

    def has_city(self, area: AreaId) -> bool:
        """Tell whether a city stands in an area; a ruin is none (IT-CTY-14)."""
        return area in self.cities and self.cities[area].standing

    def fleet_places(self, places: Iterable[str]) -> dict[str, AreaId]:
        """Return, for each of the places that is a fleet, the sea area where it is."""
        return {place: self.fleets[FleetId(place)].sea for place in places if place in self.fleets}

    def place_of(self, leader: LeaderId) -> AreaId | None:
        """Return the area or the sea area where a leader is; None when he is not on the board."""
        place = self.leader_at(leader)
        if place is None:
            return None
        return self.fleets[FleetId(place)].sea if place in self.fleets else AreaId(place)

    def leader_at(self, leader: LeaderId) -> AreaId | FleetId | None:
        """Return the area or the fleet where a leader is; None when he is not on the board."""
        for area, armies in self.armies.items():
            for army in armies.values():
                if leader in army.leaders:
                    return area
        return next((name for name, fleet in self.fleets.items() if leader in fleet.cargo.leaders), None)

    def on_board(self, nation: NationId) -> dict[str, int]:
        """How many pieces of each type a nation has on the board, fleets and cargo among them; not leaders."""
        pieces: dict[str, int] = {}
        fleets = [fleet for _, fleet in self.fleets_of(nation)]
        cargoes = [fleet.cargo for fleet in fleets]
        for army in (*(armies[nation] for armies in self.armies.values() if nation in armies), *cargoes):
            for kind, number in army.units.items():
                pieces[kind] = pieces.get(kind, 0) + number
        if fleets:
            pieces["fleet"] = len(fleets)
        return pieces

    def supply(self, nation: NationId) -> dict[str, int]:
        """How many counters of each type a nation has left: neither on the board, nor held, nor gone (IT-PCS-05)."""
        standing, placed = self.nations[nation], self.on_board(nation)
        return {
            kind: number - placed.get(kind, 0) - standing.held.get(kind, 0) - standing.gone.get(kind, 0)
            for kind, number in self.cards.nations[nation].counters.items()
        }

    # --- changing; for `apply` only ---

    def remove_leaders(self, nation: NationId, leaders: Iterable[LeaderId], *, fallen: bool) -> None:
        """Take leaders off the board, wherever they are; those who have fallen never return (IT-RNF-14)."""
        leaving = tuple(leaders)
        if not leaving:
            return
        for area in self.areas_of(nation):
            if found := [name for name in self.armies[area][nation].leaders if name in leaving]:
                self.take(area, nation, Army(leaders=tuple(found)))
        for name, fleet in list(self.fleets_of(nation)):
            if found := [name for name in fleet.cargo.leaders if name in leaving]:
                self.unload(name, Army(leaders=tuple(found)))
        standing = self.nations[nation]
        arrivals = {name: number for name, number in standing.came.items() if name not in leaving}
        self.change(nation, came=arrivals, fallen=(*standing.fallen, *leaving) if fallen else standing.fallen)

    def change(self, nation: NationId, **changes: Any) -> None:
        """Replace fields of a nation's standing."""
        self.nations[nation] = replace(self.nations[nation], **changes)

    def set_army(self, area: AreaId, nation: NationId, army: Army) -> None:
        armies = {**self.armies.get(area, {})}
        armies.pop(nation, None)
        if army.units or army.leaders:
            armies[nation] = army
        elif self.nations[nation].capital == area:
            self.change(nation, capital=None)  # a capital must be controlled (IT-STK-09)
        if armies:
            self.armies[area] = armies
        else:
            self.armies.pop(area, None)

    def receive(self, area: AreaId, nation: NationId) -> None:
        """Remember that units of a nation retreated to an area: until its next check it can hold one unit more."""
        received = self.nations[nation].received
        if area not in received:
            self.change(nation, received=(*received, area))

    def hold(self, area: AreaId, nation: NationId) -> None:
        """Give the city of an area to a nation that is alone there; the nation may not sack it (IT-CTY-06)."""
        if area in self.cities and self.nations_at(area) == [nation]:
            self.cities[area] = replace(self.cities[area], owner=self.seat_of(nation))

    def add(self, area: AreaId, nation: NationId, army: Army) -> None:
        """Put units and leaders into an area."""
        self.set_army(area, nation, self.army(area, nation) + army)

    def take(self, area: AreaId, nation: NationId, army: Army) -> None:
        """Take units and leaders out of an area."""
        self.set_army(area, nation, self.army(area, nation) - army)

    def eliminate(self, area: AreaId, nation: NationId, army: Army) -> None:
        """Take units and leaders in an area off the board; the leaders never return (IT-RNF-14)."""
        self.remove_leaders(nation, army.leaders, fallen=True)
        self.take(area, nation, Army(army.units))

    def load(self, fleet: FleetId, army: Army) -> None:
        """Put units and leaders aboard."""
        self.fleets[fleet] = replace(self.fleets[fleet], cargo=self.fleets[fleet].cargo + army)

    def unload(self, fleet: FleetId, army: Army) -> None:
        self.fleets[fleet] = replace(self.fleets[fleet], cargo=self.fleets[fleet].cargo - army)

    def add_fleets(self, nation: NationId, sea: AreaId, number: int) -> list[FleetId]:
        """Put new fleets into a sea area, under the lowest free numbers. Return their ids; counters may run out."""
        numbers = range(1, self.cards.nations[nation].counters.get("fleet", 0) + 1)
        names = (FleetId(f"{nation}-fleet-{each}") for each in numbers)
        free = list(islice((name for name in names if name not in self.fleets), number))
        for name in free:
            self.fleets[name] = Fleet(nation, sea)
        return free

    def earn(self, nation: NationId, gold: int) -> None:
        """Add gold to what a nation has saved; what is above the limit is lost (IT-INC-08)."""
        self.change(nation, gold=min(self.nations[nation].gold + gold, self.data.costs.reserve_limit))


@lru_cache(maxsize=64)  # because joining the names costs more than most questions that use them
def _names_of(board: Map, cards: Cards, seats: tuple[Seat, ...]) -> message.Names:
    return message.Names({**board.names, **cards.names}, seats)


def turn_of(table: Table) -> Turn:
    """Return the turn under way."""
    assert table.turn is not None, "it is a nation's turn"
    return table.turn


def battle_of(table: Table) -> Battle:
    """Return the battle under way."""
    assert table.battle is not None, "a battle is under way"
    return table.battle


def combat_of(table: Table) -> Combat:
    """Return the combat phase under way."""
    assert table.combat is not None, "it is a combat phase"
    return table.combat


def campaign_of(table: Table) -> Campaign:
    """Return the campaign under way."""
    assert table.campaign is not None, "a campaign is under way"
    return table.campaign


class Event(message.Event[Table], frozen=True):
    """The base of this game's events."""


class Command(command.Command[Table], frozen=True):
    """The base of this game's commands."""
