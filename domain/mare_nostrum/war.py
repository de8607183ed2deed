"""Provinces at war: what units that stay there must do, and what becomes of occupations (chapter WAR).

A war is two owners' land units in one province, neutral ones among them (MN-WAR-01); it ends when only one owner's are
left, by loss or by leaving (MN-WAR-05). Both are seen from the board at any moment: `Province.at_war`.
"""

from domain.kernel.ids import AreaId, RuleId, Seat
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names
from domain.mare_nostrum.pieces import NO_FORCE
from domain.mare_nostrum.table import Event, Table


class OccupationEnded(Event, frozen=True):
    """A war made an occupation or a conversion void; it takes a new choice to begin another (MN-AFT-12, MN-WAR-05).

    Attributes:
        seat: whose legions gave up what they stood on.
    """

    rules = ("MN-AFT-12", "MN-WAR-05")

    province: AreaId
    seat: Seat

    def apply(self, table: Table) -> None:
        table.vacate(self.province)
        table.contested.pop(self.province, None)

    def tell(self, names: Names) -> str:
        return f"{names(self.province)} was at war, and {names(self.seat)} held nothing there any more."


def void(draft: Draft[Table], area: AreaId) -> None:
    """End the occupation of a province in which another's land unit has appeared without a battle."""
    table = draft.table
    holders = [seat for seat, force in table.provinces[area].forces.items() if force.posts]
    if area in table.contested:
        holders.append(table.contested[area].seat)
    for seat in holders:
        draft.emit(OccupationEnded(area, seat))


def end_contested(draft: Draft[Table]) -> None:
    """End the occupations that the active player has made a war of, as his turn ends (MN-AFT-12)."""
    for area, holding in sorted(draft.table.contested.items()):
        draft.emit(OccupationEnded(area, holding.seat))


def debt(table: Table, seat: Seat, area: AreaId) -> RuleId | None:
    """Return the rule by which a player's units that stay in a province must still fight there; None when none must.

    A war that goes on from an earlier turn obliges everybody who was there: each legion that stays and each fortress
    fights one round in its owner's turn (MN-WAR-02 to MN-WAR-04). A war of this turn obliges nobody who was there.
    """
    if seat not in table.owed.get(area, ()) or not table.enemies_in(area, seat):
        return None
    force = table.provinces[area].forces.get(seat, NO_FORCE)
    if force.fresh:
        return RuleId("MN-WAR-03")
    return RuleId("MN-WAR-04") if force.manned else None


EVENTS = (OccupationEnded,)
