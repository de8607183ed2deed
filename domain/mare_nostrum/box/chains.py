"""Chains of triremes: which provinces they join (MN-BRD-04, MN-LEG-02, MN-INF-04)."""

from domain.kernel.ids import AreaId, Seat
from domain.mare_nostrum.box.table import Table


def seas_of(table: Table, land: AreaId) -> tuple[AreaId, ...]:
    """Return the sea spaces that a province touches."""
    return tuple(dict.fromkeys(sea for coast in table.map.coasts(land) for sea in coast.seas))


def across(table: Table, land: AreaId, seat: Seat, *, any_player: bool) -> set[AreaId]:
    """Return the provinces that an unbroken chain of launched triremes joins to `land`, without `land`.

    It counts the triremes of `seat`, even if they moved or fought this turn; with `any_player` those of everybody
    (`Setup.influence_chain_any_player`). Foreign triremes never block (MN-LEG-03).
    """
    waiting = [sea for sea in seas_of(table, land) if _bridges(table, sea, seat, any_player)]
    reached = set(waiting)
    while waiting:
        for sea in table.map.sea_neighbours(waiting.pop()):
            if sea not in reached and _bridges(table, sea, seat, any_player):
                reached.add(sea)
                waiting.append(sea)
    return {shore for sea in reached for shore, _ in table.map.coasts_on(sea)} - {land}


def _bridges(table: Table, sea: AreaId, seat: Seat, any_player: bool) -> bool:
    fleets = table.fleets.get(sea, {})
    return bool(fleets) if any_player else seat in fleets


def adjacent(table: Table, land: AreaId, seat: Seat, *, any_player: bool = False) -> tuple[AreaId, ...]:
    """Return the provinces next to `land` for a player, over a border or a chain, sorted (MN-BRD-03, MN-BRD-04)."""
    return tuple(sorted({*table.map.land_neighbours(land), *across(table, land, seat, any_player=any_player)}))
