"""Rounds, the turns of nations in them, and the stages of a turn (chapters SEQ and MAJ).

A turn is a list of stages. Each stage ends with `go_on`, which begins the next one; what a nation does in a round
follows from its plan, and a campaign lays out its own stages again for each of its moves (IT-CAM-04).
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from msgspec.structs import replace

from domain.italia import scoring
from domain.italia.cards import Clearance, ExitPoints, Removal, Scoring, TitlePoints
from domain.italia.pieces import NationId
from domain.italia.table import Event, RoundStage, Stage, Table, Turn
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names

Plan = Literal["normal", "major-invasion", "campaign", "campaign-only", "alternating-campaign"]
"""What a nation does in a round, as its card says (IT-MAJ-01, IT-CAM-02, IT-CAM-08)."""

BEFORE: Final[tuple[Stage, ...]] = (
    "revolt",
    "eviction",
    "income",
    "purchase",
    "leaders-leave",
    "placement",
    "arrivals",
)
MOVE: Final[tuple[Stage, ...]] = ("movement", "sacking", "rebuilding", "stacking", "declaring")
"""Movement, and what follows it before the battles (IT-CTY-13, IT-STK-03, IT-NAV-02)."""
FIGHT: Final[tuple[Stage, ...]] = ("title", "battles", "title", "parting", "rebuilding-after-combat")
"""Battles, and what follows them (IT-BAT-16, IT-BAT-18); a title can be taken before and after them (IT-I2-14)."""
CHECK: Final[tuple[Stage, ...]] = ("stacking-after-combat",)

CAMPAIGN_STEP: Final[tuple[Stage, ...]] = (
    *("march", "defection", "sacking", "rebuilding", "stacking", "announcing", "uprising"),
    *("reactions", "defection", "sacking", "declaring"),
    *FIGHT,
    *CHECK,
)
"""One move of a campaign (IT-CAM-03, IT-CTY-11, IT-STK-22, IT-CAM-18, IT-I1-05, IT-I1-18)."""

PLANS: Final[Mapping[Plan, tuple[Stage, ...]]] = {
    "normal": (*BEFORE, *MOVE, *FIGHT, *CHECK, "exits"),
    "major-invasion": (*BEFORE, *MOVE, *FIGHT, *MOVE, *FIGHT, *CHECK, "exits"),
    "campaign": (*BEFORE, *MOVE, *FIGHT, *CHECK, "campaign", "campaign-check", "exits"),
    "campaign-only": ("revolt", "leaders-leave", "arrivals", "campaign", "campaign-check", "exits"),
    "alternating-campaign": ("campaign",),
}
"""The stages of a turn. A major invasion is not checked for stacking after its first battles (IT-MAJ-03)."""


# --- what happens ---


class RoundBegan(Event, frozen=True):
    """A round began (IT-SEQ-01)."""

    rules = ("IT-SEQ-01", "IT-SET-09")

    round: int

    def apply(self, table: Table) -> None:
        table.round, table.stage = self.round, "round-start"
        table.announced = False
        table.done.clear()

    def tell(self, names: Names) -> str:
        return f"Round {self.round} began."


class RoundStageBegan(Event, frozen=True):
    """The next part of a round began (IT-SEQ-09)."""

    rules = ("IT-SEQ-09",)

    stage: RoundStage

    def apply(self, table: Table) -> None:
        table.stage = self.stage
        table.announced = False

    def tell(self, names: Names) -> str:
        return f"The next part of the round began: {self.stage.replace('-', ' ')}."


class TurnBegan(Event, frozen=True):
    """A nation began its turn (IT-SEQ-01, IT-SEQ-03).

    Attributes:
        stages: what it will consist of.
        major_invasion: whether the nation makes a major invasion (IT-MAJ-01).
    """

    rules = ("IT-SEQ-01", "IT-SEQ-02", "IT-SEQ-03", "IT-MAJ-01", "IT-MAJ-02", "IT-CAM-02", "IT-CAM-08")

    nation: NationId
    stages: tuple[Stage, ...]
    major_invasion: bool = False

    def apply(self, table: Table) -> None:
        table.turn = Turn(self.nation, self.stages, self.major_invasion)

    def tell(self, names: Names) -> str:
        invasion = " They make a major invasion." if self.major_invasion else ""
        return f"The {names(self.nation)} began their turn.{invasion}"


class StageBegan(Event, frozen=True):
    """The next stage of a turn began in which there is something to do (IT-SEQ-02)."""

    rules = ("IT-SEQ-02",)

    nation: NationId
    stage: Stage

    def apply(self, table: Table) -> None:
        turn = turn_of(table)
        table.turn = replace(turn, stages=turn.stages[turn.stages.index(self.stage, 1) :])
        table.placing = None
        table.announced = False

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} went on to the next stage: {self.stage.replace('-', ' ')}."


class TurnEnded(Event, frozen=True):
    """The turn of a nation ended (IT-SEQ-01)."""

    rules = ("IT-SEQ-01",)

    nation: NationId

    def apply(self, table: Table) -> None:
        table.turn = table.moving = table.combat = table.campaign = None
        if table.stage == "civil-war":
            table.done.clear()
        table.done.append(self.nation)

    def tell(self, names: Names) -> str:
        return f"The turn of the {names(self.nation)} ended."


# --- the course ---


def turn_of(table: Table) -> Turn:
    """Return the turn under way."""
    assert table.turn is not None, "it is a nation's turn"
    return table.turn


def go_on(draft: Draft[Table]) -> None:
    """End the present stage of the turn, and begin the next one in which there can be something to do."""
    table, turn = draft.table, turn_of(draft.table)
    for stage in turn.stages[1:]:
        if table.leaving or stage not in IDLE or not IDLE[stage](table, turn.nation):
            draft.emit(StageBegan(turn.nation, stage))
            return
    if not table.options.subject_vp_round_total:
        scoring.round_up(draft)
    draft.emit(TurnEnded(turn.nation))


IDLE: Final[Mapping[Stage, Callable[[Table, NationId], bool]]] = {
    "revolt": lambda table, nation: table.nations[nation].overlord is None,
    "eviction": lambda table, nation: table.cards.nations[nation].special(Clearance) is None,
    "leaders-leave": lambda table, nation: not table.nations[nation].came,
    "placement": lambda table, nation: not table.nations[nation].held and not turn_of(table).building,
    "arrivals": lambda table, nation: not table.cards.nations[nation].arriving(table.round, "placement"),
    "defection": lambda table, nation: table.stage != "civil-war",
    "sacking": lambda table, nation: not _takes_a_city(table, nation),
    "rebuilding": lambda table, nation: not _has_a_ruin(table, nation),
    "stacking": lambda table, nation: not table.nations[nation].received and not _may_crowd(table, nation),
    "uprising": lambda table, nation: all(each.overlord is None for each in table.nations.values()),
    "declaring": lambda table, nation: not _meets_fleets(table, nation),
    "title": lambda table, nation: not _scores(table, nation, TitlePoints),
    "battles": lambda table, nation: table.combat is None or not (table.combat.fronts or table.combat.encounters),
    "parting": lambda table, nation: not _meets_leaders(table, nation),
    "rebuilding-after-combat": lambda table, nation: not _has_a_ruin(table, nation),
    "stacking-after-combat": lambda table, nation: (
        table.combat is None or not table.combat.fought or not _may_crowd(table, nation)
    ),
    "exits": lambda table, nation: (
        not _scores(table, nation, ExitPoints) and table.cards.nations[nation].special(Removal) is None
    ),
}
"""The stages that are passed over, where there is evidently nothing to do and nobody has still to leave an area."""


def _takes_a_city(table: Table, nation: NationId) -> bool:
    seat = table.seat_of(nation)
    cities = (area for area, city in table.cities.items() if city.standing and city.owner != seat)
    return any(nation in table.armies.get(area, {}) for area in cities)


def _has_a_ruin(table: Table, nation: NationId) -> bool:
    return any(not city.standing and nation in table.armies.get(area, {}) for area, city in table.cities.items())


def _may_crowd(table: Table, nation: NationId) -> bool:
    least = min(table.data.stacking.normal, table.data.stacking.marsh, table.data.stacking.highland)
    return any(nation in armies and armies[nation].size > least for armies in table.armies.values())


def _scores(table: Table, nation: NationId, line: type[Scoring]) -> bool:
    return any(isinstance(each, line) for each in table.cards.nations[nation].scoring)


def _meets_fleets(table: Table, nation: NationId) -> bool:
    own = {fleet.sea for _, fleet in table.fleets_of(nation)}
    return any(fleet.nation != nation and fleet.sea in own for fleet in table.fleets.values())


def _meets_leaders(table: Table, nation: NationId) -> bool:
    return any(nation in armies and len(armies) > 1 for armies in table.armies.values())


def turns(table: Table) -> Consequence[Table]:
    """Begin the turn of the next nation that takes one; after all of them the round goes on (IT-SEQ-01, IT-SEQ-08)."""
    for nation in table.nations:
        if nation not in table.done and takes_turn(table, nation):
            plan = table.cards.nations[nation].plan(table.round)
            return lambda draft: draft.emit(TurnBegan(nation, PLANS[plan], major_invasion=plan == "major-invasion"))
    return lambda draft: draft.emit(RoundStageBegan("scoring"))


def takes_turn(table: Table, nation: NationId) -> bool:
    """Tell whether a nation takes a turn in this round (IT-SEQ-01, IT-SEQ-05, IT-SEQ-07, IT-SEQ-08)."""
    card = table.cards.nations[nation]
    if table.nations[nation].over or not card.rounds[0] <= table.round <= card.rounds[1]:
        return False
    comes = any(entry.round == table.round and entry.when == "placement" for entry in card.arrivals)
    return comes or has_pieces(table, nation)


def has_pieces(table: Table, nation: NationId) -> bool:
    """Tell whether a nation has units, leaders or fleets on the board (IT-SEQ-10)."""
    return bool(table.on_board(nation)) or any(nation in armies for armies in table.armies.values())


EVENTS = (RoundBegan, RoundStageBegan, TurnBegan, StageBegan, TurnEnded)
