"""Provinces at war: what units that stay there must do, and what happens to occupations (chapter WAR).

A province is at war while it has land units of two owners, neutral ones included (MN-WAR-01). The war ends when only
one owner's are left, because the others were lost or left (MN-WAR-05). `Province.at_war` reads it from the board.
"""

from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.mare_nostrum.box.pieces import NO_FORCE
from domain.mare_nostrum.box.table import Event, Table


class OccupationEnded(Event, frozen=True):
    """A war ended an occupation or a conversion; another one takes a new choice (MN-AFT-12, MN-WAR-05).

    Attributes:
        seat: whose legions left their posts.
    """

    rules = ("MN-AFT-12", "MN-WAR-05")
    places = (("province", "lost"),)

    province: AreaId
    seat: Seat

    def apply(self, table: Table) -> None:
        table.vacate(self.province)
        table.contested.pop(self.province, None)

    def tell(self, names: Names) -> str:
        return f"{names(self.province)} is at war, so {names(self.seat)} no longer holds anything there."


def end_occupations(draft: Draft[Table], area: AreaId) -> None:
    """End the occupation of a province in which another player's land unit has appeared without a battle."""
    table = draft.table
    holders = [seat for seat, force in table.provinces[area].forces.items() if force.posts]
    if area in table.contested:
        holders.append(table.contested[area].seat)
    for seat in holders:
        draft.emit(OccupationEnded(area, seat))


def end_contested(draft: Draft[Table]) -> None:
    """End the occupations in provinces that the active player leaves at war when their turn ends (MN-AFT-12)."""
    for area, holding in sorted(draft.table.contested.items()):
        draft.emit(OccupationEnded(area, holding.seat))


def debt(table: Table, seat: Seat, area: AreaId) -> RuleId | None:
    """Return the rule that makes a player's units that stay in a province fight there; None when none must.

    In a war that continues from an earlier turn, everybody who was there must fight: each legion that stays and each
    fortress fights one round in its owner's turn (MN-WAR-02 to MN-WAR-04). In a war of this turn nobody has to.
    """
    if seat not in table.owed.get(area, ()) or not table.enemies_in(area, seat):
        return None
    force = table.provinces[area].forces.get(seat, NO_FORCE)
    if force.fresh:
        return RuleId("MN-WAR-03")
    return RuleId("MN-WAR-04") if force.manned else None


EVENTS = (OccupationEnded,)
