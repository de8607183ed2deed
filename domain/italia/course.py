"""The course of the game from top to bottom: rounds, turns, their stages, campaigns and battles."""

from collections.abc import Mapping
from typing import Final

from domain.italia import (
    aims,
    battle,
    campaign,
    cities,
    civil_war,
    deserters,
    entry,
    exits,
    income,
    movement,
    naval,
    placement,
    purchase,
    raids,
    reactions,
    reinforcements,
    retreat,
    rome,
    sequence,
    setup,
    stacking,
    submission,
    title,
    transformations,
    winning,
)
from domain.italia.sequence import turn_of
from domain.italia.state import BattleStep, RoundStage, Stage
from domain.italia.table import Table, under_way
from domain.kernel.rules.course import Step, always


def step(table: Table) -> Step[Table]:
    """Return the step at which the game is. What a battle or a turn has brought about comes before it goes on."""
    if (interrupts := interruption(table)) is not None:
        return interrupts
    return ROUND[table.stage] if table.turn is None else TURN[turn_of(table).stage]


def interruption(table: Table) -> Step[Table] | None:
    """Return the step of what comes before the round or the turn goes on; None when nothing does."""
    if table.battle is None and (freed := submission.release(table)) is not None:
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


ROUND: Final[Mapping[RoundStage, Step[Table]]] = {
    "setup": always(setup.begin),
    "round-start": civil_war.round_start,
    "turns": sequence.turns,
    "civil-war": civil_war.turns,
    "scoring": winning.areas,
    "transformations": transformations.transform,
    "late-arrivals": reinforcements.at_the_end,
}
"""The parts of a round (IT-SEQ-09)."""

TURN: Final[Mapping[Stage, Step[Table]]] = {
    "revolt": submission.revolt,
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
    "declaring": naval.declare,
    "title": title.offer,
    "battles": battle.choose,
    "parting": retreat.part,
    "rebuilding-after-combat": cities.rebuild,
    "stacking-after-combat": stacking.check,
    "campaign": lambda table: submission.before_first_move(table) or campaign.decide(table),
    "march": movement.move,
    "announcing": campaign.announce,
    "uprising": submission.rise,
    "defection": civil_war.defect,
    "reactions": reactions.react,
    "campaign-check": entry.check_after_campaign,
    "exits": exits.leave,
}
"""The stages of a turn (IT-SEQ-02)."""


def battle_step(table: Table) -> Step[Table]:
    """Return the step at which a round of battle is (IT-BAT-14, IT-BAT-15); one without a question is passed over."""
    fight = under_way(table)
    if fight.step == "submit" and submission.may_submit(table, fight):
        return submission.ask
    if fight.step in ("submit", "conversion") and deserters.convertible(table, fight) is not None:
        return battle.convert
    return AFTER_ROLL.get(fight.step, aims.aim)


AFTER_ROLL: Final[Mapping[BattleStep, Step[Table]]] = {
    "lose": naval.lose,
    "driven-off": retreat.drive_off,
    "retreat": retreat.announce,
}
"""The steps of a round of battle after the dice."""
