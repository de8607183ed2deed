"""The battle under way, as everybody sees it: both sides, and how likely their dice hit (chapters BAT and NAV)."""

from domain.italia.box.pieces import FLEET, KINDS, Army, Kind, NationId, amount_of
from domain.italia.box.table import Battle, Table
from domain.italia.combat import dice
from domain.kernel.rules import marks
from domain.kernel.rules.marks import Fighter, Mark, Throw
from domain.kernel.rules.message import Names


def of(table: Table, names: Names) -> marks.Battle | None:
    """Return the battle under way; None where there is none."""
    battle = table.battle
    if battle is None:
        return None
    attacker, defender = (_fighter(table, battle, nation, names) for nation in battle.sides)
    return marks.Battle(battle.place, battle.round, attacker, defender)


def _fighter(table: Table, battle: Battle, nation: NationId, names: Names) -> Fighter:
    army, ships = table.army(battle.place, nation), [fleet for _, fleet in table.fleets_of(nation, battle.place)]
    if battle.naval:
        army = sum((fleet.cargo for fleet in ships), Army())
    pieces = [Mark("leader", label=names(leader), words=names(leader)) for leader in army.leaders]
    pieces += [Mark(FLEET, len(ships), words=amount_of(FLEET, len(ships)))] if battle.naval and ships else []
    damaged = battle.damaged.get(nation, {})
    pieces += [_units(kind, number, damaged.get(kind, 0)) for kind in KINDS if (number := army.units.get(kind))]
    throw = None
    if (len(ships) if battle.naval else army.size) and (
        battle.naval or table.army(battle.place, battle.enemy(nation)).size
    ):
        number = sum(each.count for each in dice.volleys(table, battle, nation))
        throw = Throw(dice.DIE, number, dice.chances(table, battle, nation))
    removals = battle.losses.get(nation, 0) + battle.driven.get(nation, 0)
    return Fighter(table.seat_of(nation), names(nation), tuple(pieces), removals, throw, nation)


def _units(kind: Kind, number: int, damaged: int) -> Mark:
    words = amount_of(kind, number)
    if not damaged:
        return Mark(kind, number, words=words)
    return Mark(kind, number, f"{damaged} damaged", words=f"{words}, {damaged} damaged")
