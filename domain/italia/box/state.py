"""What the table of Italia consists of: the turn, nations and cities, and what is under way in a turn."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.italia.box.pieces import Army, FleetId, Kind, LeaderId, NationId, Units
from domain.kernel.chance.secret import Sealed
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.message import Count

# --- the course ---

RoundStage = Literal[
    "setup", "round-start", "turns", "civil-war", "scoring", "transformations", "late-arrivals", "over"
]
"""The parts of a round (IT-SEQ-09); ``over`` when the game has ended."""

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
"""The stages of a nation's turn; `domain.italia.turn.sequence` lays them out (IT-SEQ-02, IT-MAJ-02, IT-CAM-03)."""


class Turn(Struct, frozen=True, omit_defaults=True):
    """The turn of a nation.

    Attributes:
        stages: the present stage and those still to come, in order.
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
        points: victory points, in half points (IT-VP-20).
        shared: points scored as a subject that are still to be halved (IT-SUB-13, IT-SUB-14), in half points.
        overlord: the nation to which it is subject (IT-SUB-15).
        capital: the area declared as capital (IT-STK-06); `domain.italia.turn.stacking` knows the fixed ones.
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
        owner: the player whose nation last held or built it; null if no nation ever did (IT-CTY-07).
        spared: whether it can be neither sacked nor raided any more (IT-I1-25).
    """

    standing: bool = True
    owner: Seat | None = None
    spared: bool = False


# --- purchases and arrivals ---


class Placing(Struct, frozen=True, omit_defaults=True):
    """Where the purchased units that a nation holds can be placed (IT-PLC-02).

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
        at: how many units of these reinforcements have been placed in each area.
        fleets: the fleets of these reinforcements that have been placed.
    """

    nation: NationId
    entry: int
    units: dict[str, Count] = {}
    leaders: tuple[LeaderId, ...] = ()
    chosen: AreaId | None = None
    at: dict[AreaId, Count] = {}
    fleets: tuple[FleetId, ...] = ()


class Overflow(Struct, frozen=True):
    """Tribute raised the gold of an overlord above what can be saved: the overlord may buy one unit (IT-INC-15)."""

    nation: NationId


# --- movement ---

By = Literal["land", "sea", "strait"]
"""How units came to the place where they are."""


class Walk(Struct, frozen=True, omit_defaults=True):
    """Land units of one type that have moved alike in this movement phase. Units without a walk are fresh.

    Attributes:
        count: how many of them.
        steps: how many areas they have entered; 1 after they went aboard or landed.
        origin: the place from which they came in their last step.
        leaders: the leaders who have made every step with them, and no step without them (IT-MOV-10).
        rough: they are in a highland that they can leave only with a leader (IT-MOV-11).
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
        steps: how many areas he has entered; 1 after he went aboard or landed.
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
        roads: highlands in which units need not stop: at the start, the nation or, with the option, an ally controlled
            the city there (IT-CTY-02, IT-CTY-03).
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
        asked: the nations that have answered whether they fight at sea (IT-NAV-02).
        fought: the land areas whose battle is over, or in which nobody was left to fight one (IT-STK-15).
        left: areas where the movement of a campaign may have left units behind: those that units or leaders left, and
            those, besides the leader's, where units that moved are now (IT-STK-22).
        retreated: fleets that retreated in this phase (IT-SUP-03).
    """

    fronts: dict[AreaId, Front] = {}
    encounters: tuple[Encounter, ...] = ()
    asked: tuple[NationId, ...] = ()
    fought: tuple[AreaId, ...] = ()
    left: tuple[AreaId, ...] = ()
    retreated: tuple[FleetId, ...] = ()


BattleStep = Literal["submit", "conversion", "roll", "lose", "driven-off", "retreat"]
"""The steps of a round of battle (IT-BAT-14, IT-BAT-15); `domain.italia.course` lists the decisions in each."""


class Aim(Struct, frozen=True):
    """Units of one type and the enemies at which they aim (IT-BAT-05).

    Attributes:
        count: how many of them aim at it.
        target: a type of enemy units, such as ``legion``; ``legion-seaborne`` for those who came by sea where others
            did not (IT-HIT-09); ``legion-1`` for a single unit (IT-BAT-19); ``city`` in a raid (IT-RAI-06).
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
        driven: how many units elephants are still to drive off (IT-HIT-10), by nation.
        stood: the sides that have decided not to retreat any more before the next round.
        pitched: the nations that score if they win this pitched battle (IT-I1-08), each with the index, from 0, of the
            line of its card by which it scores.
        converted: the type of the unit that was converted in this battle and fights for its new nation (IT-I2-06).
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
    """A city that a nation may sack, or has raided. The nation chooses what it gains (IT-CTY-04, IT-RAI-07).

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
        into_battle: whether the units join the battle in the leader's area (IT-REA-03); else one stack moves to an
            adjacent area anywhere on the board, which the rules call "move and see" (IT-REA-04).
        origin: the area, or the sea area, from which they move.
    """

    into_battle: bool
    origin: AreaId
    to: AreaId


class Campaign(Struct, frozen=True, omit_defaults=True):
    """A campaign under way (IT-CAM-01).

    Attributes:
        leader: who conducts it.
        step: how many campaign moves have begun.
        at: the area, or the sea area, where the leader ended this move, or last attacked in it (IT-RET-13).
        raids: areas in which a raid was declared (IT-CAM-16).
        blocked: places that were blocked in this step (IT-BLK-01).
        asked: whether the reactions to this step have been opened.
        reacting: the nations that are still to be asked, in play order (IT-REA-02).
        reaction: the move that the first of them has begun.
        started: areas from which each nation began a reaction move (IT-RET-12).
        risen: nations that declined to revolt in this step, and are not asked again in it (IT-I1-05).
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
        rescue_cargo: cargo of lost fleets may go aboard others (IT-NAV-07).
        subject_vp_round_total: a subject's points are halved once a round (IT-SUB-14).
        carthage_last_unit_window: a time limit for destroying Carthage (IT-I1-33).
        ignore_pyrrhus_faq: Pyrrhus, too, must leave units behind, or fight, where he arrives among others (IT-I1-35).
    """

    allied_city_roads: bool = False
    individual_targets: bool = False
    rescue_cargo: bool = False
    subject_vp_round_total: bool = False
    carthage_last_unit_window: bool = True
    ignore_pyrrhus_faq: bool = False


def resolved(combat: Combat, *areas: AreaId) -> Combat:
    """Return `combat` with the battles of some areas marked as over."""
    return replace(combat, fought=tuple(dict.fromkeys((*combat.fought, *areas))))


def without(groups: Iterable[Walk], kind: Kind, count: int) -> tuple[Walk, ...]:
    """Return walks without `count` units of a type; those that have moved least are left out first."""
    rest: list[Walk] = []
    for walk in sorted(groups, key=lambda each: each.steps):
        fewer = min(count, walk.count) if walk.kind == kind else 0
        count -= fewer
        if walk.count > fewer:
            rest.append(replace(walk, count=walk.count - fewer))
    return tuple(rest)
