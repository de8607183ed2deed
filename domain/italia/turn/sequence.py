"""Rounds, the turns of nations in them, and the stages of a turn (chapters SEQ and MAJ).

A turn is a list of stages, which its first event writes on the table. course.py says what happens in each stage, and
begins the next one. The plan of a nation for a round says which stages its turn has, and each move of a campaign puts
stages of its own in front of them (IT-CAM-04).
"""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec.structs import replace

from domain.italia.box.pieces import NationId
from domain.italia.box.state import RoundStage, Stage, Turn
from domain.italia.box.table import Event, Table, turn_of
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.message import Names

PlanKind = Literal["normal", "major-invasion", "campaign", "campaign-only", "alternating-campaign"]
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

PLANS: Final[Mapping[PlanKind, tuple[Stage, ...]]] = {
    "normal": (*BEFORE, *MOVE, *FIGHT, *CHECK, "exits"),
    "major-invasion": (*BEFORE, *MOVE, *FIGHT, *MOVE, *FIGHT, *CHECK, "exits"),
    "campaign": (*BEFORE, *MOVE, *FIGHT, *CHECK, "campaign", "campaign-check", "exits"),
    "campaign-only": ("revolt", "leaders-leave", "arrivals", "campaign", "campaign-check", "exits"),
    "alternating-campaign": ("campaign",),
}
"""The stages of a turn, by plan. A major invasion is not checked for stacking after its first battles (IT-MAJ-03)."""


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
        return PARTS[self.stage]


PARTS: Final[Mapping[RoundStage, str]] = {
    "turns": "The nations take their turns.",
    "civil-war": "The factions make their campaigns.",
    "scoring": "The nations score what they hold.",
    "transformations": "Nations whose time is over leave the game.",
    "late-arrivals": "Reinforcements arrive at the end of the round.",
}
"""The parts of a round after its start, in their order, each with what happens in it (IT-SEQ-09)."""


class TurnBegan(Event, frozen=True):
    """A nation began its turn (IT-SEQ-01, IT-SEQ-03).

    Attributes:
        stages: the stages that it will have, in order.
        major_invasion: whether the nation makes a major invasion (IT-MAJ-01).
    """

    rules = ("IT-SEQ-01", "IT-SEQ-02", "IT-SEQ-03", "IT-MAJ-01", "IT-MAJ-02", "IT-CAM-02", "IT-CAM-08")

    nation: NationId
    stages: tuple[Stage, ...]
    major_invasion: bool = False

    def apply(self, table: Table) -> None:
        table.turn = Turn(self.nation, self.stages, self.major_invasion)
        table.announced = False

    def tell(self, names: Names) -> str:
        invasion = " They make a major invasion." if self.major_invasion else ""
        return f"The {names(self.nation)} began their turn.{invasion}"


class StageBegan(Event, frozen=True):
    """The next stage of a turn began: a player has a choice in it, or something happens by itself (IT-SEQ-02)."""

    rules = ("IT-SEQ-02",)

    nation: NationId
    stage: Stage

    def apply(self, table: Table) -> None:
        _skip(table, turn_of(table).stages.index(self.stage, 1))

    def tell(self, names: Names) -> str:
        happens = WHAT_NATIONS_DO.get(
            self.stage, f"came to the next stage of their turn: {self.stage.replace('-', ' ')}"
        )
        return f"The {names(self.nation)} {happens}."


WHAT_NATIONS_DO: Final[Mapping[Stage, str]] = {
    "revolt": "may revolt",
    "purchase": "may buy units and cities",
    "sacking": "hold cities that others held",
    "rebuilding": "may rebuild cities",
    "rebuilding-after-combat": "may rebuild cities after the battles",
    "stacking": "have more units than their areas hold",
    "stacking-after-combat": "have more units than their areas hold after the battles",
    "declaring": "may fight at sea",
    "title": "may take a title",
    "battles": "fight their battles",
    "parting": "face leaders without units",
    "campaign": "may go on with their campaign",
    "announcing": "may raid cities and block areas",
    "uprising": "are near nations that may revolt",
    "defection": "have units that may go over",
    "campaign-check": "have ended their campaign",
    "exits": "may remove units from the game",
}
"""What a nation does in a stage, for the history. A stage that is not here is named by its id."""


class TurnEnded(Event, frozen=True):
    """The turn of a nation ended (IT-SEQ-01). It takes the cities of the areas where it is alone (IT-CTY-07)."""

    rules = ("IT-SEQ-01", "IT-CTY-07")

    nation: NationId

    def apply(self, table: Table) -> None:
        for area in table.areas_of(self.nation):
            table.hold(area, self.nation)
        if table.campaign is not None:
            table.blocked[self.nation] = table.campaign.blocked
        table.turn = table.moving = table.combat = table.campaign = None
        if table.stage == "civil-war":
            table.done.clear()
        table.done.append(self.nation)

    def tell(self, names: Names) -> str:
        return f"The turn of the {names(self.nation)} ended."


# --- turns and their stages ---


def phase(table: Table) -> str:
    """Return the phase of the turn, in words. After an event that ends a stage, that is the phase of the next stage."""
    stage = turn_of(table).stage
    if table.campaign is not None:
        return f"campaign of {table.names(table.campaign.leader)}"
    if stage in BEFORE:
        return "income and placement"
    return stage if stage in ("movement", "campaign") else "end" if stage == "exits" else "combat"


def begin_stage(table: Table, stage: Stage) -> None:
    """Begin a stage of the turn, if the turn is not at it already. For `apply` only."""
    stages = turn_of(table).stages
    if stages[0] != stage:
        _skip(table, stages.index(stage))


def end_stage(table: Table) -> None:
    """End the present stage of the turn, so that the next one can begin. For `apply` only."""
    _skip(table, 1)


def _skip(table: Table, stages: int) -> None:
    turn = turn_of(table)
    table.turn = replace(turn, stages=turn.stages[stages:])
    table.placing = None
    table.announced = False


def next_turn(table: Table) -> Consequence[Table] | None:
    """Begin the turn of the next nation that takes one; None after the last (IT-SEQ-01, IT-SEQ-08)."""
    for nation in table.nations:
        if nation not in table.done and takes_turn(table, nation):
            plan = table.cards.nations[nation].plan(table.round)
            return lambda draft: draft.emit(TurnBegan(nation, PLANS[plan], major_invasion=plan == "major-invasion"))
    return None


def takes_turn(table: Table, nation: NationId) -> bool:
    """Tell whether a nation takes a turn in this round (IT-SEQ-01, IT-SEQ-05, IT-SEQ-07, IT-SEQ-08)."""
    card = table.cards.nations[nation]
    if table.nations[nation].over or not card.rounds[0] <= table.round <= card.rounds[1]:
        return False
    arrives = any(entry.round == table.round and entry.when == "placement" for entry in card.arrivals)
    return arrives or has_pieces(table, nation)


def has_pieces(table: Table, nation: NationId) -> bool:
    """Tell whether a nation has units, leaders or fleets on the board (IT-SEQ-10)."""
    return bool(table.on_board(nation)) or any(nation in armies for armies in table.armies.values())


EVENTS = (RoundBegan, RoundStageBegan, TurnBegan, StageBegan, TurnEnded)
