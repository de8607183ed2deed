"""The course of the game from top to bottom: rounds, turns, their stages, campaigns and battles.

The table says which stages of the turn are still to come (`Turn.stages`), as `sequence.PLANS` lays them out. A chapter
says what its stage leaves to players, what follows in it without a choice, or None when it leaves nothing. Then this
file begins the next stage that leaves anything.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from domain.italia.box.state import BattleStep, RoundStage, Stage
from domain.italia.box.table import Table, battle_of, turn_of
from domain.italia.campaigns import campaign, reactions
from domain.italia.combat import (
    aims,
    battle,
    cities,
    declaring,
    deserters,
    driving_off,
    naval,
    next_battle,
    raids,
    retreat,
    submission,
)
from domain.italia.economy import income, placement, purchase
from domain.italia.moves import entry, movement
from domain.italia.nations import civil_war, exits, revolt, rome, title, transformations
from domain.italia.start import setup
from domain.italia.turn import reinforcements, scoring, sequence, stacking, winning
from domain.italia.turn.sequence import PARTS, RoundStageBegan, StageBegan, TurnEnded
from domain.kernel.rules.course import Consequence, Step, always
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.draft import Draft

Left = Sequence[Decision] | Consequence[Table] | None
"""What a stage still leaves: decisions, or what follows without a choice; None when it leaves nothing."""


def step(table: Table) -> Step[Table]:
    """Return the step at which the game is. What a battle or a turn has caused is settled before it goes on."""
    if (interrupts := interruption(table)) is not None:
        return interrupts
    return _part if table.turn is None else _stage


def interruption(table: Table) -> Step[Table] | None:
    """Return the step that must be done before the round or the turn goes on; None when there is none."""
    if table.battle is None and (freed := revolt.release(table)) is not None:
        return always(freed)
    if table.leaving:
        return retreat.leave
    if table.overflow is not None:
        return income.spend_tribute
    if table.spoils:
        return cities.choose_gain
    if table.repair is not None:
        return raids.repair
    if table.battle is not None:
        return battle_step(table)
    if table.arriving:
        return reinforcements.place
    return None


ROUND: Final[Mapping[RoundStage, Callable[[Table], Left]]] = {
    "setup": always(setup.open),
    "round-start": civil_war.round_start,
    "turns": sequence.next_turn,
    "civil-war": civil_war.next_faction,
    "scoring": winning.score_holdings,
    "transformations": transformations.transform,
    "late-arrivals": reinforcements.at_the_end,
}
"""The parts of a round (IT-SEQ-09)."""

TURN: Final[Mapping[Stage, Callable[[Table], Left]]] = {
    "revolt": revolt.revolt,
    "eviction": rome.clear,
    "income": always(income.collect),
    "purchase": purchase.buy,
    "leaders-leave": reinforcements.dismiss,
    "placement": placement.place,
    "arrivals": reinforcements.in_turn,
    "movement": movement.move,
    "sacking": cities.conquer,
    "rebuilding": cities.rebuild,
    "stacking": stacking.check,
    "declaring": declaring.declare,
    "title": title.offer,
    "battles": next_battle.choose,
    "parting": retreat.part,
    "rebuilding-after-combat": cities.rebuild,
    "stacking-after-combat": stacking.check,
    "campaign": lambda table: revolt.before_first_move(table) or campaign.decide(table),
    "march": movement.move,
    "announcing": campaign.announce,
    "uprising": revolt.rise,
    "defection": civil_war.defect,
    "reactions": reactions.react,
    "campaign-check": entry.check_after_campaign,
    "exits": exits.leave,
}
"""The stages of a turn (IT-SEQ-02)."""

ENTERED: Final[frozenset[Stage]] = frozenset(
    {
        *("eviction", "income", "leaders-leave", "placement", "arrivals", "movement", "stacking", "battles"),
        *("campaign", "reactions"),
    }
)
"""Stages whose first event calls `sequence.begin_stage`: they need no `StageBegan`, unless a player is asked first."""

FINAL: Final[frozenset[RoundStage | Stage]] = frozenset({"scoring", "declaring", "defection"})
"""Stages that end with what follows in them without a choice, because the table would let it happen again."""


def _part(table: Table) -> Sequence[Decision] | Consequence[Table]:
    return _or_next(ROUND[table.stage](table), table.stage, next_part)


def _stage(table: Table) -> Sequence[Decision] | Consequence[Table]:
    stage = turn_of(table).stage
    return _or_next(TURN[stage](table), stage, next_stage)


def _or_next(
    outcome: Left, stage: RoundStage | Stage, begin_next: Consequence[Table]
) -> Sequence[Decision] | Consequence[Table]:
    """Return what a stage leaves, or that the next one begins."""
    if outcome is None:
        return begin_next
    if not callable(outcome) or stage not in FINAL:
        return outcome

    def happens(draft: Draft[Table]) -> None:
        outcome(draft)
        begin_next(draft)

    return happens


def next_stage(draft: Draft[Table]) -> None:
    """End the present stage of the turn, and begin the next one that leaves anything; after the last the turn ends."""
    table, turn = draft.table, turn_of(draft.table)
    ahead = table.copy()
    for stage in turn.stages[1:]:
        began = StageBegan(turn.nation, stage)
        ahead.turn = turn  # because each stage is tried from the present one
        began.apply(ahead)
        outcome = TURN[stage](ahead)
        if outcome is None:
            continue
        if callable(outcome) and stage in ENTERED:
            outcome(draft)
        else:
            draft.emit(began)
        return
    if not table.options.subject_vp_round_total:
        scoring.round_up(draft)
    draft.emit(TurnEnded(turn.nation))


def next_part(draft: Draft[Table]) -> None:
    """End the present part of the round, and begin the next one that leaves anything; or the next round."""
    parts = list(PARTS)
    last = max(parts.index(draft.table.stage), parts.index("civil-war"))
    for stage in parts[last + 1 :]:
        began, ahead = RoundStageBegan(stage), draft.table.copy()
        began.apply(ahead)
        if ROUND[stage](ahead) is not None:
            draft.emit(began)
            return
    winning.begin_round(draft)


def battle_step(table: Table) -> Step[Table]:
    """Return the step at which a round of battle is (IT-BAT-14, IT-BAT-15); a step that asks nothing is passed over."""
    fight = battle_of(table)
    if fight.step == "submit" and submission.may_submit(table, fight):
        return submission.ask
    if fight.step in ("submit", "conversion") and deserters.convertible(table, fight) is not None:
        return battle.convert
    return AFTER_ROLL.get(fight.step, aims.aim)


AFTER_ROLL: Final[Mapping[BattleStep, Step[Table]]] = {
    "lose": naval.lose,
    "driven-off": driving_off.drive_off,
    "retreat": retreat.announce,
}
"""The steps of a round of battle after the dice."""
