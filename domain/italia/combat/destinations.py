"""Where units can retreat to, and how many of them (chapter RET)."""

from collections.abc import Iterable
from typing import Final

from domain.italia.box.entries import EntryAreas
from domain.italia.box.pieces import Army, LeaderId, NationId
from domain.italia.box.state import Battle
from domain.italia.box.table import Table, combat_of, turn_of
from domain.italia.turn import stacking
from domain.kernel.ids import AreaId

NOBODY: Final = LeaderId("")


def destinations(
    table: Table, nation: NationId, area: AreaId, army: Army, barred: Iterable[AreaId] = ()
) -> dict[str, int]:
    """Return where units could retreat from an area, and how many of them: areas, and fleets (IT-RET-03, IT-RET-10).

    Leaders need no room. Destinations to which nothing of `army` could go are left out.
    """
    if table.is_neutral(nation):  # IT-I1-14: garrisons do not retreat
        return {}
    room_at: dict[str, int] = {}
    for other in table.map.land_neighbours(area):
        if other not in barred and is_open(table, nation, area, other):
            room_at[other] = room(table, nation, other, army)
    for sea in table.seas_of(area):
        for name, fleet in table.fleets_of(nation, sea):
            room_at[name] = max(0, table.data.fleet_capacity - fleet.cargo.size)
    return {where: number for where, number in room_at.items() if (number and army.units) or army.leaders}


def is_open(table: Table, nation: NationId, area: AreaId, other: AreaId) -> bool:
    """Tell whether a nation may retreat to an area, however many units it holds (IT-RET-07, IT-RET-13, IT-ENT-02)."""
    if not table.treats_as_normal(nation, other):
        return False
    campaign, turn = table.campaign, table.turn
    among_subjects = campaign is not None and campaign.nation == nation and campaign.at == area  # IT-RET-13
    if turn is not None and turn.stage == "campaign-check":  # IT-CAM-13: a campaign cannot end among subjects
        among_subjects = False
    return all(
        each == nation
        or not table.sees(nation, each, other)
        or (among_subjects and table.nations[each].overlord == nation)
        for each in table.nations_at(other)
    )


def room(table: Table, nation: NationId, area: AreaId, army: Army, *leaders: LeaderId) -> int:
    """Return how many units of an army can retreat to an area, together with some leaders (IT-STK-16, IT-STK-17).

    There is no limit where the `commander` of a campaign is (IT-STK-19, IT-STK-20).
    """
    if commander(table, nation) in (*leaders, *table.army(area, nation).leaders):
        return army.size
    limit = stacking.limit(table, nation, area, after_retreat=True)
    return max(0, min(army.size, limit - table.army(area, nation).size))


def commander(table: Table, nation: NationId) -> LeaderId:
    """Return the leader around whom there is no limit: of the campaign under way, or after this turn; or `NOBODY`."""
    if nation != table.active:
        return NOBODY
    if table.campaign is not None:
        return table.campaign.leader
    plan = table.cards.nations[nation].plan_of(table.round)
    gathers = plan is not None and "campaign" in turn_of(table).stages
    return plan.leader or NOBODY if plan is not None and gathers else NOBODY


def could_declare(table: Table, nation: NationId, area: AreaId, barred: Iterable[AreaId]) -> bool:
    """Tell whether another capital would make room for a retreat (IT-STK-11)."""
    if stacking.fixed_capital(table, nation) is not None or table.is_neutral(nation):
        return False
    own = [other for other in table.map.land_neighbours(area) if nation in table.armies.get(other, {})]
    reachable = [other for other in own if is_open(table, nation, area, other) and other not in barred]
    return any(other != stacking.capital(table, nation) and not _room(table, nation, other) for other in reachable)


def _room(table: Table, nation: NationId, area: AreaId) -> int:
    return stacking.limit(table, nation, area, after_retreat=True) - table.army(area, nation).size


def barred(table: Table, battle: Battle, nation: NationId) -> tuple[AreaId, ...]:
    """Return the areas to which a side cannot retreat from a battle (IT-RET-05, IT-RET-06, IT-RET-12).

    For the defender these are the empty ones from which attackers came, unless its card allows an entry area; for the
    army on campaign those from which the defender has made a reaction move.
    """
    if nation == battle.attacker:
        return () if table.campaign is None else table.campaign.started.get(battle.defender, ())
    front = combat_of(table).fronts.get(battle.place)
    entries = table.cards.nations[nation].special(EntryAreas)
    allowed = entries.areas if entries is not None and entries.retreat_to_origin else ()
    origins = () if front is None else front.origins
    return tuple(area for area in origins if area not in allowed and nation not in table.armies.get(area, {}))
