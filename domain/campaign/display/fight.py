"""The battle under way, as everybody sees it: both sides, and how likely their dice hit (chapters BAT and NAV)."""

from collections.abc import Iterator

from domain.campaign.box.state import CARD, NO_ARMY, SLAVES, Battle, Side
from domain.campaign.box.table import Table
from domain.campaign.combat import battle as rounds
from domain.campaign.combat import forces
from domain.conquest import dice
from domain.kernel.rules import marks
from domain.kernel.rules.marks import Fighter, Mark, Throw
from domain.kernel.rules.message import Names


def of(table: Table, names: Names) -> marks.Battle | None:
    """Return the battle under way; None where there is none."""
    battle = table.battle
    if battle is None:
        return None
    attacker, defender = (_fighter(table, battle, side, names) for side in (battle.attacker, battle.defender))
    return marks.Battle(battle.place, battle.round, attacker, defender)


def _fighter(table: Table, battle: Battle, side: Side, names: Names) -> Fighter:
    number = rounds.number_of_dice(table, battle, side)
    throw = Throw("battle", number, dice.chances(number, *forces.by_type(side.force)))
    seat = None if side.seat == SLAVES else side.seat
    pieces = (*_units(side, names), *_leaders(table, battle, side, names))
    return Fighter(seat, forces.participant(side.seat, names), pieces, side.hits, throw)


def _units(side: Side, names: Names) -> Iterator[Mark]:
    for owner, counts in forces.by_owner(side.force, side.seat).items():
        for kind, number in forces.in_order(counts):
            words = forces.named({forces.group(owner, kind): number}, side.seat, names)
            glyph = "galley" if kind == forces.GALLEYS else kind
            label = "phantom" if owner == CARD else ""
            yield Mark(glyph, number, label, seat=None if owner in (CARD, SLAVES) else owner, words=words)


def _leaders(table: Table, battle: Battle, side: Side, names: Names) -> Iterator[Mark]:
    if not battle.naval and table.provinces[battle.place].armies.get(side.seat, NO_ARMY).leads:
        yield Mark("general", seat=side.seat, words="a leader")
    for seat in side.leaders:
        yield Mark("general", seat=seat, words=f"a leader lent by {names(seat)}")
