"""The battle under way, as everybody sees it: both sides, and how likely their dice hit (chapter BAT)."""

from functools import lru_cache

from domain.kernel.ids import Seat
from domain.kernel.rules import marks
from domain.kernel.rules.marks import Fighter, Mark, Throw, together
from domain.kernel.rules.message import Names
from domain.mare_nostrum.box import phrases
from domain.mare_nostrum.box.pieces import Force
from domain.mare_nostrum.box.state import Battle
from domain.mare_nostrum.box.table import Table
from domain.mare_nostrum.combat.battle import FORTRESS, POINTS_PER_HIT, fighting

SIDES = 6


def of(table: Table, names: Names) -> marks.Battle | None:
    """Return the battle on land under way; None without one, or if a side has no units left.

    A battle at sea is over as soon as it begins.
    """
    battle = table.battle
    if battle is None or not {battle.attacker, battle.defender} <= table.provinces[battle.province].forces.keys():
        return None
    forces = {seat: fighting(table, battle, seat) for seat in (battle.attacker, battle.defender)}
    attacker, defender = (
        _fighter(table, battle, seat, forces[seat], forces[enemy].units, names)
        for seat, enemy in ((battle.attacker, battle.defender), (battle.defender, battle.attacker))
    )
    return marks.Battle(battle.province, 1, attacker, defender)


def _fighter(table: Table, battle: Battle, seat: Seat, force: Force, targets: int, names: Names) -> Fighter:
    kinds = (("legion", "legions", force.legions), ("fortress", "fortresses", force.fortresses))
    pieces = tuple(
        Mark(kind, count, words=f"{count} {kind if count == 1 else kinds}") for kind, kinds, count in kinds if count
    )
    added = table.bonus(seat, "legion") * force.legions + FORTRESS * force.fortresses
    throw = Throw("battle", force.legions, chances(force.legions, added, targets))
    neutral = seat in table.neutral
    return Fighter(None if neutral else seat, phrases.owner(seat), pieces, battle.losses.get(seat, 0), throw)


@lru_cache(maxsize=1024)
def chances(dice: int, added: int, targets: int) -> tuple[float, ...]:
    """Return how likely dice hit exactly 0, 1, 2 and so on times: once for each full 5 points (MN-BAT-05)."""
    sums = together([(0.0, *[1 / SIDES] * SIDES)] * dice)
    hits = [0.0] * (targets + 1)
    for total, likely in enumerate(sums):
        hits[min((total + added) // POINTS_PER_HIT, targets)] += likely
    return tuple(hits)
