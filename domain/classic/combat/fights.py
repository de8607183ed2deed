"""What must and what may be fought in the combat phase (CC-BAT-01, CC-NAV-02, CC-CAP-04)."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from domain.classic.box.state import Combat, NavalPlan
from domain.classic.box.table import Table, combat_of
from domain.kernel.ids import AreaId, Seat

FIGHT = frozenset({"fight"})
"""The kind of decision that the commands of the phase answer."""


class Fights(NamedTuple):
    """What the active player must and may fight now."""

    battles: tuple[AreaId, ...]
    """Land battles (CC-BAT-01): one wherever there are units of two players."""
    naval: tuple[NavalPlan, ...]
    """Naval battles that were declared."""
    seas: dict[AreaId, tuple[list[str], list[Seat]]]
    """Sea zones where they may declare battle: their galleys and their possible opponents (CC-NAV-02)."""
    leaders: dict[AreaId, list[Seat]]
    """Players with lone leaders where the active player has a unit and no battle is due (CC-CAP-04, CC-BAT-33)."""

    @property
    def required(self) -> int:
        """How many battles must be fought."""
        return len(self.battles) + len(self.naval)

    @property
    def optional(self) -> bool:
        """Whether there is something that the active player may fight or leave alone."""
        return bool(self.seas or self.leaders)


def left_to_fight(table: Table) -> Fights:
    """Return what is left to fight. A captor who acts for a fallen player has no optional attacks (CC-CAP-24)."""
    combat = combat_of(table)
    if table.acting != table.active:
        return Fights(combat.battles, combat.naval, {}, {})
    contested = fleets(table, combat.seas)
    seas = {sea: fleet for sea in combat.seas if (fleet := contested.get(sea)) is not None}
    return Fights(combat.battles, combat.naval, seas, leaders_alone(table, combat))


def fleets(table: Table, seas: Iterable[AreaId]) -> dict[AreaId, tuple[list[str], list[Seat]]]:
    """Return, by sea zone, the active player's galleys and the other players there; only zones of `seas` with both."""
    zones = set(seas)
    own: defaultdict[AreaId, list[str]] = defaultdict(list)
    others: defaultdict[AreaId, set[Seat]] = defaultdict(set)
    for name, galley in table.galleys.items():
        if galley.at not in zones:  # CC-NAV-03: never on a coast
            continue
        if galley.owner == table.acting:
            own[galley.at].append(name)
        else:
            others[galley.at].add(galley.owner)
    return {sea: (sorted(own[sea]), sorted(others[sea])) for sea in own if sea in others}


def leaders_alone(table: Table, combat: Combat) -> dict[AreaId, list[Seat]]:
    """Return, by province, the players with lone leaders among the active player's units who are not spared."""
    players_at: defaultdict[AreaId, set[Seat]] = defaultdict(set)
    for name, leader in table.leaders.items():
        area = leader.at
        if area is None or leader.owner == table.acting or area in combat.battles:  # elsewhere nobody else has units
            continue
        if table.acting not in table.provinces[area].armies:
            continue
        if not any(spared in combat.spared for spared in (spared_as(area, leader.owner), spared_as(area, name))):
            players_at[area].add(leader.owner)
    return {area: sorted(players) for area, players in sorted(players_at.items())}


def unspared(table: Table, province: AreaId, player: Seat) -> list[str]:
    """Return the lone leaders of a player in a province, without those who were spared one by one."""
    spared = combat_of(table).spared
    return [name for name in table.leaders_at(province, player) if spared_as(province, name) not in spared]


def spared_as(province: AreaId, player_or_leader: str) -> str:
    """Return the entry in `Combat.spared` for a player's lone leaders in a province, or for one leader there."""
    return f"{province}/{player_or_leader}"
