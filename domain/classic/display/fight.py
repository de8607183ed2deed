"""The battle under way, as everybody sees it: both sides, and how likely their dice hit (chapters BAT and NAV)."""

from msgspec.structs import replace

from domain.classic.box.state import Battle, Fleet, NavalBattle, Side
from domain.classic.box.table import Table
from domain.classic.combat import battle as land
from domain.classic.combat import naval
from domain.classic.combat.losses import force
from domain.classic.display.marks import leader
from domain.conquest import dice
from domain.conquest.marks import units_of
from domain.conquest.pieces import NO_UNITS, amount_of
from domain.kernel.rules import marks
from domain.kernel.rules.marks import Fighter, Mark, Throw
from domain.kernel.rules.message import Names


def of(table: Table, names: Names) -> marks.Battle | None:
    """Return the battle under way; None when there is none."""
    if (battle := table.battle) is not None:
        sides = (_army(table, battle, side, names) for side in (battle.attacker, battle.defender))
        return marks.Battle(battle.province, battle.round, *sides)
    if (fight := table.naval_battle) is not None:
        fleets = ((fight.attacker, fight.defender), (fight.defender, fight.attacker))
        sides = (_fleet(table, fight, fleet, enemy, names) for fleet, enemy in fleets)
        return marks.Battle(fight.sea, fight.cycle, *sides)
    return None


def _army(table: Table, battle: Battle, side: Side, names: Names) -> Fighter:
    units = force(table, battle, side.seat).units
    leaders = (
        replace(leader(side.seat, table.leaders[name].kind, name), words=names(name))
        for name in table.leaders_at(battle.province, side.seat)
    )
    throw = None  # until the side has chosen its legion
    if side.legion is not None:
        extra = land.fortification_dice(table, battle) if side is battle.defender else 0
        number = side.legion.total + extra
        throw = Throw("battle", number, dice.chances(number, land.matching_units(table, side.seat)))
    return Fighter(side.seat, names(side.seat), (*units_of(units), *leaders), side.hits, throw)


def _fleet(table: Table, battle: NavalBattle, fleet: Fleet, enemy: Fleet, names: Names) -> Fighter:
    galleys = len(fleet.galleys)
    number = naval.DICE_PER_GALLEY * galleys
    throw = Throw("battle", number, dice.chances(number, NO_UNITS, naval.most_hits(table, fleet, enemy)))
    return Fighter(
        fleet.seat,
        names(fleet.seat),
        (Mark("galley", galleys, words=amount_of("galleys", galleys)),),
        fleet.hits,
        throw,
    )
