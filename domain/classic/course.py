"""The course of the game: its phases, and the rounds of its battles, in the order of the rule book.

Each step asks somebody, or does what leaves no choice. Of all that is under way, the innermost comes first: a battle
before the phase in which it is fought.
"""

from collections.abc import Mapping
from typing import Final

from domain.classic.box.state import BattleStep, NavalStep, Phase
from domain.classic.box.table import Table
from domain.classic.combat import battle, capture, losses, naval, phase, pursuit, retreat
from domain.classic.economy import destruction, placement, purchase, tribute
from domain.classic.moves import movement, passage
from domain.classic.start import setup
from domain.kernel.rules.course import Step, always

TURN: Final[Mapping[Phase, Step[Table]]] = {
    "setup": setup.choose_homes,
    "movement": movement.next_move,
    "combat": phase.next_fight,
    "tribute": always(tribute.collect),
    "destruction": destruction.destroy,
    "purchase": purchase.buy,
    "placement": placement.place,
}
"""The set-up, and the six phases of each turn (CC-TRN-03)."""

BATTLE: Final[Mapping[BattleStep, Step[Table]]] = {
    "form-defender": battle.form_legion,
    "form-attacker": battle.form_legion,
    "roll-attacker": always(battle.attacker_rolls),
    "mark-defender": losses.mark,
    "roll-defender": always(battle.defender_rolls),
    "mark-attacker": losses.mark,
    "remove": always(battle.end_round),
    "announce-defender": retreat.announce,
    "announce-attacker": retreat.announce,
    "resolve": always(retreat.resolve),
    "pursue": always(pursuit.pursue),
    "mark-pursued": pursuit.mark,
    "withdraw": retreat.withdraw,
}
"""A round of a land battle. Without hits nobody marks. The last three steps are for a retreat."""

NAVAL_BATTLE: Final[Mapping[NavalStep, Step[Table]]] = {
    "roll-attacker": always(naval.attacker_rolls),
    "mark-defender": naval.mark_sunk,
    "roll-defender": always(naval.defender_rolls),
    "mark-attacker": naval.mark_sunk,
    "sink": always(naval.end_cycle),
}
"""A cycle of a naval battle (CC-NAV-11, CC-NAV-12)."""


def step(table: Table) -> Step[Table]:
    """Return the step that the game is at."""
    if table.request is not None:
        return passage.answer
    if table.defeats:
        return capture.judge_generals
    if table.rescues:
        return naval.place_rescued
    if table.naval_battle is not None:
        return NAVAL_BATTLE[table.naval_battle.step]
    if table.battle is not None:
        return BATTLE[table.battle.step]
    return TURN[table.phase]
