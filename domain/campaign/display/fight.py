"""The battle under way, as everybody sees it: both sides, and how likely their dice hit (chapters BAT and NAV)."""

from domain.campaign.box.state import SLAVES, Battle, Side
from domain.campaign.box.table import Table
from domain.campaign.combat import battle as rounds
from domain.campaign.combat import forces
from domain.campaign.display.marks import force_of, leaders_of
from domain.conquest import dice
from domain.kernel.rules import marks
from domain.kernel.rules.marks import Fighter, Throw
from domain.kernel.rules.message import Names


def of(table: Table, names: Names) -> marks.Battle | None:
    """Return the battle under way; None when there is none."""
    battle = table.battle
    if battle is None:
        return None
    attacker, defender = (_fighter(table, battle, side, names) for side in (battle.attacker, battle.defender))
    return marks.Battle(battle.place, battle.round, attacker, defender)


def _fighter(table: Table, battle: Battle, side: Side, names: Names) -> Fighter:
    number = rounds.number_of_dice(table, battle, side)
    throw = Throw("battle", number, dice.chances(number, *forces.by_type(side.force)))
    seat = None if side.seat == SLAVES else side.seat
    # The word "phantom" is written on the units of a Diplomacy card, which are not on the board.
    pieces = (*force_of(side, names, phantom="phantom"), *leaders_of(table.provinces, battle, side, names))
    return Fighter(seat, forces.participant(side.seat, names), pieces, side.hits, throw)
