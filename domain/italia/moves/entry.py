"""Entry areas: which units must leave them, and what happens to units that stay (chapter ENT).

`Table.sees` and `Table.strangers` know that units of different nations ignore each other there (IT-ENT-05 to -07).
"""

from domain.italia.box.pieces import Army, NationId
from domain.italia.box.table import Event, Table, turn_of
from domain.italia.turn import stacking
from domain.italia.turn.stacking import plan_of
from domain.kernel.ids import AreaId
from domain.kernel.rules.course import Consequence
from domain.kernel.rules.decision import Decision
from domain.kernel.rules.draft import Draft
from domain.kernel.rules.message import Names

# --- what happens ---


class ArmyPerished(Event, frozen=True):
    """Units were still in an entry area where they cannot stay, and were eliminated (IT-ENT-01). Nobody scores them."""

    rules = ("IT-ENT-01", "IT-RNF-06", "IT-CAM-08")
    places = (("area", "lost"),)

    nation: NationId
    area: AreaId
    army: Army

    def apply(self, table: Table) -> None:
        table.remove_leaders(self.nation, self.army.leaders, fallen=True)
        table.take(self.area, self.nation, Army(self.army.units))

    def tell(self, names: Names) -> str:
        return f"The {names(self.nation)} lost {self.army.tell(names)}, who had not left {names(self.area)} in time."


# --- who must leave ---


def areas_to_leave(table: Table) -> list[AreaId]:
    """Return the entry areas that units of the active nation are in and must have left when this movement ends.

    In a major invasion that is the second one (IT-ENT-01). Those who wait for a campaign need not leave before it; the
    card says whether they leave at its first move (IT-I1-03), or before it is over.
    """
    turn, plan = turn_of(table), plan_of(table)
    if turn.stage == "movement" and "movement" in turn.stages[1:]:
        return []
    waits_in = None if plan is None else plan.waits_in
    if turn.stage == "march" and plan is not None and plan.waits_until == "first-move":
        waits_in = None
    return [area for area in forbidden(table, turn.nation) if area != waits_in]


def forbidden(table: Table, nation: NationId) -> list[AreaId]:
    """Return the areas where a nation has units that cannot stay there (IT-ENT-04)."""
    return [area for area in table.areas_of(nation) if not table.treats_as_normal(nation, area)]


def check_after_campaign(table: Table) -> list[Decision] | Consequence[Table] | None:
    """Eliminate who has not left an entry area when a campaign is over; then stacking is checked (IT-STK-19)."""
    areas = forbidden(table, turn_of(table).nation)
    return (lambda draft: clear(draft, areas)) if areas else stacking.check(table)


def clear(draft: Draft[Table], areas: list[AreaId]) -> None:
    """Eliminate the units of the active nation in some entry areas (IT-ENT-01)."""
    nation = turn_of(draft.table).nation
    for area in areas:
        draft.emit(ArmyPerished(nation, area, draft.table.army(area, nation)))


def stay_without_fight(table: Table, nation: NationId, area: AreaId) -> bool:
    """Tell whether units of the active nation can stay in an entry area without a fight (IT-ENT-08).

    Reinforcements that were placed there can, until the turn of the others; not so if units have moved in.
    """
    moved = table.moving is not None and bool(table.moving.walks.get(area))
    return table.is_entry(area) and area in turn_of(table).arrived and not moved


EVENTS = (ArmyPerished,)
