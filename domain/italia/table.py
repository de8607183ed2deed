"""The table of Italia: what lies where, how the nations stand, whose turn it is, and what is under way.

A seat leads several nations, and turns, units, gold and points belong to nations (IT-SEQ-03). So everything here is by
nation; `Table.seat_of` says who decides for it. Nothing is hidden but targets under the option `individual_targets`
(IT-BAT-19), while they are chosen.
"""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from domain.italia.cards import Cards
from domain.italia.data import Data
from domain.italia.pieces import NO_ARMY, Army, Fleet, FleetId, Kind, LeaderId, NationId, Units
from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules import command, message
from domain.kernel.rules.board import Map
from domain.kernel.rules.message import Count
from domain.kernel.rules.table import Table as KernelTable

ENTRY_REGIONS: Final = frozenset({"entry-italy", "entry-africa"})
"""The regions of the entry areas (IT-BRD-05)."""

# --- the course ---

RoundStage = Literal[
    "setup", "round-start", "turns", "civil-war", "scoring", "transformations", "late-arrivals", "over"
]
"""Where a round is (IT-SEQ-09); ``over`` when the game has ended."""

Stage = Literal[
    "revolt",
    "eviction",
    "income",
    "purchase",
    "leaders-leave",
    "placement",
    "arrivals",
    "movement",
    "sacking",
    "rebuilding",
    "stacking",
    "declaring",
    "title",
    "battles",
    "parting",
    "rebuilding-after-combat",
    "stacking-after-combat",
    "campaign",
    "march",
    "defection",
    "announcing",
    "uprising",
    "reactions",
    "campaign-check",
    "exits",
]
"""The stages of a nation's turn; `domain.italia.sequence` lays them out (IT-SEQ-02, IT-MAJ-02, IT-CAM-03)."""


class Turn(Struct, frozen=True, omit_defaults=True):
    """The turn of a nation.

    Attributes:
        stages: the present stage and those that are still to come.
        major_invasion: whether the nation makes a major invasion (IT-MAJ-01).
        building: areas of purchased cities that are still to be placed (IT-BUY-10).
        ruined: cities that were sacked or raided in this turn, which cannot be rebuilt in it (IT-CTY-10).
        arrived: areas where reinforcements of this turn were placed (IT-ENT-08).
    """

    nation: NationId
    stages: tuple[Stage, ...]
    major_invasion: bool = False
    building: tuple[AreaId, ...] = ()
    ruined: tuple[AreaId, ...] = ()
    arrived: tuple[AreaId, ...] = ()

    @property
    def stage(self) -> Stage:
        return self.stages[0]


# --- nations and places ---


class Nation(Struct, frozen=True, omit_defaults=True):
    """How a nation stands.

    Attributes:
        gold: saved gold.
        points: victory points, in halves (IT-VP-20).
        shared: points scored as a subject in this turn or round, in halves, which are still to be halved (IT-SUB-13).
        overlord: the nation to which it is subject (IT-SUB-15).
        capital: the area declared as capital (IT-STK-06); `domain.italia.stacking` knows the fixed ones.
        received: areas that received a retreat since the nation's last stacking check (IT-STK-16).
        held: purchased units that wait for a placement (IT-INC-16, IT-BUY-11), by type; fleets among them.
        gone: counters that left the game for good (IT-I2-09), by type.
        came: the round in which each leader on the board came last (IT-RNF-12).
        fallen: leaders who were eliminated and never return (IT-RNF-14).
        over: whether it has left the game or was transformed (IT-TRF-01).
    """

    gold: Count = 0
    points: int = 0
    shared: int = 0
    overlord: NationId | None = None
    capital: AreaId | None = None
    received: tuple[AreaId, ...] = ()
    held: dict[str, Count] = {}
    gone: dict[str, Count] = {}
    came: dict[LeaderId, Count] = {}
    fallen: tuple[LeaderId, ...] = ()
    over: bool = False


class City(Struct, frozen=True, omit_defaults=True):
    """The marker of a city (IT-PCS-04).

    Attributes:
        standing: false for a ruin.
        owner: the player whose nation held or built it last; nobody before any did (IT-CTY-07).
        spared: whether it can be neither sacked nor raided any more (IT-I1-25).
    """

    standing: bool = True
    owner: Seat | None = None
    spared: bool = False


# --- purchases and arrivals ---


class Placing(Struct, frozen=True, omit_defaults=True):
    """Where purchased units, which the nation holds, are placed (IT-PLC-02).

    Attributes:
        areas: the land areas where units can be placed: those controlled when the placement began.
        used: areas that have received a purchased land unit (IT-PLC-03).
    """

    areas: tuple[AreaId, ...]
    used: tuple[AreaId, ...] = ()


class Arriving(Struct, frozen=True, omit_defaults=True):
    """Reinforcements of a card that are still to be placed (IT-RNF-01).

    Attributes:
        entry: the place of the entry among the arrivals of the nation's card, from 0.
        units: how many of each type are left, fleets among them.
        leaders: the leaders who are left.
        chosen: the area that was chosen for them, whose occupants must leave first (IT-RNF-17).
        at: the areas where units stand already, and how many.
        fleets: the fleets that came with them.
    """

    nation: NationId
    entry: int
    units: dict[str, Count] = {}
    leaders: tuple[LeaderId, ...] = ()
    chosen: AreaId | None = None
    at: dict[AreaId, Count] = {}
    fleets: tuple[FleetId, ...] = ()


class Overflow(Struct, frozen=True):
    """Tribute raised the gold of an overlord above what can be saved: one unit may be bought (IT-INC-15)."""

    nation: NationId


# --- movement ---

By = Literal["land", "sea", "strait"]
"""How units came to the place where they are."""


class Walk(Struct, frozen=True, omit_defaults=True):
    """Land units of one type that have moved alike in this movement phase; others are fresh.

    Attributes:
        count: how many of them.
        steps: how many areas they have entered.
        origin: the place from which they came in their last step.
        leaders: the leaders with whom they made every step, from the first one that these made (IT-MOV-10).
        rough: they entered a highland where only a leader lets them go on (IT-MOV-11).
        spent: they cannot move any more.
        ship: the fleet that they used (IT-SEA-11).
    """

    kind: Kind
    count: Count
    steps: Count
    origin: AreaId
    by: By = "land"
    leaders: tuple[LeaderId, ...] = ()
    rough: bool = False
    spent: bool = False
    ship: FleetId | None = None


class LeaderWalk(Struct, frozen=True, omit_defaults=True):
    """How a leader has moved in this movement phase.

    Attributes:
        steps: how many areas he has entered.
        origin: the place from which he came in his last step.
        spent: he cannot move any more.
        ship: the fleet that he used (IT-SEA-11).
    """

    steps: Count
    origin: AreaId
    by: By = "land"
    spent: bool = False
    ship: FleetId | None = None


class Voyage(Struct, frozen=True, omit_defaults=True):
    """How a fleet has moved in this movement phase.

    Attributes:
        steps: how many sea areas it has entered (IT-SEA-01).
        carried: how many land units it has carried, those aboard at the start among them (IT-SEA-05).
    """

    steps: Count = 0
    carried: Count = 0


class Moving(Struct, frozen=True, omit_defaults=True):
    """A movement phase, or the movement step of a campaign.

    Attributes:
        walks: the units that have moved, by the area or fleet where they are.
        leaders: the leaders who have moved.
        voyages: the fleets that have moved or carried units.
        roads: highlands whose cities the nation controlled at the start (IT-CTY-02).
        behind: areas that units or leaders have left (IT-STK-22).
    """

    walks: dict[str, tuple[Walk, ...]] = {}
    leaders: dict[LeaderId, LeaderWalk] = {}
    voyages: dict[FleetId, Voyage] = {}
    roads: tuple[AreaId, ...] = ()
    behind: tuple[AreaId, ...] = ()


# --- combat ---


class Front(Struct, frozen=True, omit_defaults=True):
    """A land area in which the active nation must fight (IT-BAT-01).

    Attributes:
        enemies: the nations there, with each of which a battle is due.
        origins: the areas from which attackers moved in (IT-RET-05).
        seaborne: attackers who came directly from the sea or across a strait (IT-HIT-08).
    """

    enemies: tuple[NationId, ...]
    origins: tuple[AreaId, ...] = ()
    seaborne: Units = {}


class Encounter(Struct, frozen=True):
    """A naval battle that was declared between the active nation and another (IT-NAV-01).

    Attributes:
        against_active: whether the other nation declared it (IT-NAV-11).
    """

    sea: AreaId
    other: NationId
    against_active: bool


class Combat(Struct, frozen=True, omit_defaults=True):
    """The battles of a combat phase.

    Attributes:
        fronts: the land areas where battles are due.
        encounters: the naval battles that are due.
        asked: the nations that have said whether they fight at sea (IT-NAV-02).
        fought: the land areas whose battle is over, or had nobody left to fight it (IT-STK-15).
        left: the areas where a campaign has left units behind, or could have, in its last move (IT-STK-22).
        retreated: fleets that retreated in this phase (IT-SUP-03).
    """

    fronts: dict[AreaId, Front] = {}
    encounters: tuple[Encounter, ...] = ()
    asked: tuple[NationId, ...] = ()
    fought: tuple[AreaId, ...] = ()
    left: tuple[AreaId, ...] = ()
    retreated: tuple[FleetId, ...] = ()


BattleStep = Literal["submit", "conversion", "roll", "lose", "driven-off", "retreat"]
"""The steps of a round of battle (IT-BAT-14, IT-BAT-15); `domain.italia.course` knows what is asked in each."""


class Aim(Struct, frozen=True):
    """Units of one type and the enemies at which they aim (IT-BAT-05): a group of `domain.italia.dice`.

    Attributes:
        count: how many of them aim at it.
        target: the enemies: a group of `domain.italia.dice`.
    """

    kind: Kind
    count: Count
    target: str


class Battle(Struct, frozen=True, omit_defaults=True):
    """A battle under way, on land or at sea. All units of both nations that are there take part.

    Attributes:
        place: the land area, or the sea area.
        naval: whether it is fought at sea.
        raid: whether the attacker raids the city (IT-RAI-01).
        damaged: two-hit units that were hit once (IT-BAT-09), by nation.
        aims: the targets that were declared in this round, by nation.
        sealed: targets under the option `individual_targets`, one for each unit, until all are chosen (IT-BAT-19).
        losses: naval hits that are still to be assigned (IT-NAV-05), by nation.
        sinking: fleets that are lost, but whose cargo may still be saved (IT-NAV-07), by nation.
        driven: units that elephants still drive off (IT-HIT-10), by nation.
        stood: who has declared what they retreat in this round.
        pitched: the nations that score a pitched battle when they win, and by which line of their cards (IT-I1-08).
        converted: the unit that fights for the nation that has converted it (IT-I2-06).
    """

    place: AreaId
    naval: bool
    attacker: NationId
    defender: NationId
    step: BattleStep = "conversion"
    round: Count = 1
    raid: bool = False
    damaged: dict[NationId, Units] = {}
    aims: dict[NationId, tuple[Aim, ...]] = {}
    sealed: dict[NationId, tuple[Sealed, ...]] = {}
    losses: dict[NationId, Count] = {}
    sinking: dict[NationId, tuple[FleetId, ...]] = {}
    driven: dict[NationId, Count] = {}
    stood: tuple[NationId, ...] = ()
    pitched: dict[NationId, Count] = {}
    converted: Kind | None = None

    @property
    def sides(self) -> tuple[NationId, NationId]:
        """The attacker, who is asked first, and the defender."""
        return self.attacker, self.defender

    def enemy(self, nation: NationId) -> NationId:
        """Return the other side."""
        return self.defender if nation == self.attacker else self.attacker


Why = Literal["eviction", "arrival", "raid", "driven-off", "submission", "leaders", "subjects", "title"]
"""Why units must leave an area."""


class Leaving(Struct, frozen=True, omit_defaults=True):
    """Units that must leave an area now, each to where it can; those that cannot are eliminated (IT-RET-09).

    Attributes:
        army: what must still leave.
        scorer: the nation that may score what is eliminated (IT-VP-16); none for most reasons.
        barred: areas to which they may not go (IT-RET-05).
    """

    nation: NationId
    area: AreaId
    army: Army
    why: Why
    scorer: NationId | None = None
    barred: tuple[AreaId, ...] = ()


class Spoil(Struct, frozen=True, omit_defaults=True):
    """A city that a nation may sack, or has raided: it chooses what it gains (IT-CTY-04, IT-RAI-07).

    Attributes:
        raid: whether the city was raided; else it can be sacked.
    """

    nation: NationId
    area: AreaId
    raid: bool = False


class Repair(Struct, frozen=True):
    """A raided city that its defender may rebuild at once (IT-RAI-09)."""

    nation: NationId
    area: AreaId


# --- campaigns ---


class Reaction(Struct, frozen=True):
    """A reaction move that can go on: more units may make the same move (IT-REA-03, IT-REA-04).

    Attributes:
        into_battle: whether they join the battle in the leader's area; else one stack moves and sees.
        origin: the area, or the sea area, from which they came.
    """

    into_battle: bool
    origin: AreaId
    to: AreaId


class Campaign(Struct, frozen=True, omit_defaults=True):
    """A campaign under way (IT-CAM-01).

    Attributes:
        leader: who conducts it.
        step: how many campaign moves were made.
        at: the area, or the sea area, in which the leader has fought in this move (IT-RET-13).
        raids: areas in which a raid was declared (IT-CAM-16).
        blocked: places that were blocked in this step (IT-BLK-01).
        asked: whether the reactions to this step have been opened.
        reacting: the nations that are still to be asked, in play order (IT-REA-02).
        reaction: what the first of them has done so far.
        started: areas from which each nation began a reaction move (IT-RET-12).
        risen: nations that were asked whether they revolt in this step (IT-I1-05).
    """

    nation: NationId
    leader: LeaderId
    step: Count = 0
    at: AreaId | None = None
    raids: tuple[AreaId, ...] = ()
    blocked: tuple[AreaId, ...] = ()
    asked: bool = False
    reacting: tuple[NationId, ...] = ()
    reaction: Reaction | None = None
    started: dict[NationId, tuple[AreaId, ...]] = {}
    risen: tuple[NationId, ...] = ()


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The house rules, each on or off.

    Attributes:
        allied_city_roads: highland cities of allied nations are roads, too (IT-CTY-03).
        individual_targets: units aim at single units, in secret (IT-BAT-19).
        rescue_cargo: cargo of sunk fleets may go to others (IT-NAV-07).
        subject_vp_round_total: a subject's points are halved once a round (IT-SUB-14).
        carthage_last_unit_window: a time limit for destroying Carthage (IT-I1-33).
        ignore_pyrrhus_faq: Pyrrhus must fight at once where he arrives (IT-I1-35).
    """

    allied_city_roads: bool = False
    individual_targets: bool = False
    rescue_cargo: bool = False
    subject_vp_round_total: bool = False
    carthage_last_unit_window: bool = True
    ignore_pyrrhus_faq: bool = False


class Table(KernelTable):
    """The whole position. See the structs above; `static` fields are fixed for the game."""

    static: ClassVar[tuple[str, ...]] = ("map", "data", "cards", "options", "seats")

    map: Map
    data: Data
    """The figures of the game."""
    cards: Cards
    """The nation cards, and who leads which nation."""
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
    """The nations whose turn in this round is over."""

    turn: Turn | None = None
    placing: Placing | None = None
    announced: bool = False
    """Whether the reinforcements of this moment have been announced."""
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
    """The factions that may buy units before the civil war (IT-BUY-09)."""
    passes: int = 0
    """Factions that passed one after the other, in the civil war (IT-I1-17)."""
    elephant_battles: int = 0
    """Battles of Romans against elephants (IT-I1-10)."""
    conversions: int = 0
    """How often the Patrimonium has converted a unit (IT-I2-06)."""
    titles: list[str] = field(default_factory=list[str])
    """Titles that were gained (IT-I2-14)."""
    winners: list[Seat] = field(default_factory=list[Seat])
    won_by: str = ""

    # --- looking ---

    @property
    def names(self) -> message.Names:
        """Display names for the questions that are put to players."""
        return message.Names({**self.map.names, **self.cards.names}, self.seats)

    @property
    def active(self) -> NationId | None:
        """The nation whose turn it is."""
        return None if self.turn is None else self.turn.nation

    def seat_of(self, nation: NationId) -> Seat:
        """Return who decides for a nation."""
        return self.cards.nations[nation].seat

    def army(self, area: AreaId, nation: NationId) -> Army:
        """The land units and leaders of a nation in an area; an empty army where there are none."""
        return self.armies.get(area, {}).get(nation, NO_ARMY)

    def nations_at(self, area: AreaId) -> list[NationId]:
        """The nations with units or leaders in an area, in play order."""
        there = self.armies.get(area, {})
        return [nation for nation in self.nations if nation in there]

    def areas_of(self, nation: NationId) -> list[AreaId]:
        """The land areas that a nation controls (IT-INC-02)."""
        return [area for area in self.map.lands if nation in self.armies.get(area, {})]

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
        """Tell whether an area is none of the entry areas, or one that the nation uses like others (IT-ENT-04)."""
        return not self.is_entry(area) or area in self.cards.nations[nation].normal_entry_areas

    def is_neutral(self, nation: NationId) -> bool:
        """Tell whether a nation is a neutral garrison, which neither moves, retreats nor scores (IT-I1-14)."""
        return self.is_civil_war and self.cards.nations[nation].order_round_10 is None

    @property
    def is_civil_war(self) -> bool:
        """Whether it is a round of alternating campaigns (IT-I1-13), from its start, with its reinforcements, on."""
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

    def place_of(self, leader: LeaderId) -> AreaId | None:
        """Return the area or the sea area where a leader is; None when he is not on the board."""
        there = self.leader_at(leader)
        if there is None:
            return None
        return self.fleets[FleetId(there)].sea if there in self.fleets else AreaId(there)

    def leader_at(self, leader: LeaderId) -> AreaId | FleetId | None:
        """Return the area or the fleet where a leader is; None when he is not on the board."""
        for area, armies in self.armies.items():
            if any(leader in army.leaders for army in armies.values()):
                return area
        return next((name for name, fleet in self.fleets.items() if leader in fleet.cargo.leaders), None)

    def on_board(self, nation: NationId) -> dict[str, int]:
        """How many pieces of each type a nation has on the board, fleets and cargo among them; not leaders."""
        found: dict[str, int] = {}
        fleets = [fleet for _, fleet in self.fleets_of(nation)]
        cargoes = [fleet.cargo for fleet in fleets]
        for army in (*(armies[nation] for armies in self.armies.values() if nation in armies), *cargoes):
            for kind, number in army.units.items():
                found[kind] = found.get(kind, 0) + number
        if fleets:
            found["fleet"] = len(fleets)
        return found

    def supply(self, nation: NationId) -> dict[str, int]:
        """How many counters of each type a nation has left: not on the board, reserved or gone (IT-PCS-05)."""
        standing, there = self.nations[nation], self.on_board(nation)
        return {
            kind: number - there.get(kind, 0) - standing.held.get(kind, 0) - standing.gone.get(kind, 0)
            for kind, number in self.cards.nations[nation].counters.items()
        }

    # --- changing; for `apply` only ---

    def remove_leaders(self, nation: NationId, leaders: Iterable[LeaderId], *, fallen: bool) -> None:
        """Take leaders off the board, wherever they are; those who have fallen never return (IT-RNF-14)."""
        gone = tuple(leaders)
        for area, armies in list(self.armies.items()):
            if nation in armies and (there := tuple(name for name in armies[nation].leaders if name in gone)):
                self.take(area, nation, Army(leaders=there))
        for name, fleet in list(self.fleets_of(nation)):
            if there := tuple(name for name in fleet.cargo.leaders if name in gone):
                self.unload(name, Army(leaders=there))
        standing = self.nations[nation]
        came = {name: number for name, number in standing.came.items() if name not in gone}
        self.change(nation, came=came, fallen=(*standing.fallen, *gone) if fallen else standing.fallen)

    def change(self, nation: NationId, **changes: Any) -> None:
        """Replace fields of a nation's standing."""
        self.nations[nation] = replace(self.nations[nation], **changes)

    def set_army(self, area: AreaId, nation: NationId, army: Army) -> None:
        there = {other: kept for other, kept in self.armies.get(area, {}).items() if other != nation}
        if army:
            there[nation] = army
        if there:
            self.armies[area] = there
        else:
            self.armies.pop(area, None)
        if not army and self.nations[nation].capital == area:
            self.change(nation, capital=None)  # a capital must be controlled (IT-STK-09)

    def receive(self, area: AreaId, nation: NationId) -> None:
        """Remember that units of a nation retreated to an area, which may hold one more until it is checked."""
        received = self.nations[nation].received
        if area not in received:
            self.change(nation, received=(*received, area))

    def hold(self, area: AreaId, nation: NationId) -> None:
        """Let a nation that is alone in an area have its city, without any right to sack it (IT-CTY-06)."""
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
        """Put new fleets into a sea area, under the lowest free numbers."""
        numbers = range(1, self.cards.nations[nation].counters.get("fleet", 0) + 1)
        names = (FleetId(f"{nation}-fleet-{each}") for each in numbers)
        free = [name for name in names if name not in self.fleets][:number]
        for name in free:
            self.fleets[name] = Fleet(nation, sea)
        return free

    def earn(self, nation: NationId, gold: int) -> None:
        """Give a nation gold, as much as can be saved (IT-INC-08)."""
        self.change(nation, gold=min(self.nations[nation].gold + gold, self.data.costs.reserve_limit))


def under_way(table: Table) -> Battle:
    """Return the battle under way."""
    assert table.battle is not None, "a battle is under way"
    return table.battle


def combat_of(table: Table) -> Combat:
    """Return the combat phase under way."""
    assert table.combat is not None, "it is a combat phase"
    return table.combat


def resolved(combat: Combat, *areas: AreaId) -> Combat:
    """Return a combat phase in which the battles of some areas are over."""
    return replace(combat, fought=tuple(dict.fromkeys((*combat.fought, *areas))))


def without(groups: Iterable[Walk], kind: Kind, count: int) -> tuple[Walk, ...]:
    """Return walks less `count` units of a type, those that have walked least first."""
    kept: list[Walk] = []
    for walk in sorted(groups, key=lambda each: each.steps):
        gone = min(count, walk.count) if walk.kind == kind else 0
        count -= gone
        if walk.count > gone:
            kept.append(replace(walk, count=walk.count - gone))
    return tuple(kept)


class Event(message.Event[Table], frozen=True):
    """The base of this game's events."""


class Command(command.Command[Table], frozen=True):
    """The base of this game's commands."""
