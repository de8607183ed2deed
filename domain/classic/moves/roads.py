"""Roads: who may use them and where a road move can continue (chapter ROAD; building is in placement.py).

A road move costs one point, however far it goes (CC-ROAD-05, CC-ROAD-06). It is made segment by segment. The first is
an ordinary step that follows a road and opens the table's journey; those who continue the journey pay nothing
(movement.py). A segment is usable only if each of its two ends is controlled by the mover or, in the community edition,
by a player who consents to this use (CC-ROAD-16).
"""

from collections.abc import Collection

from msgspec import Struct

from domain.classic.box.state import road_id
from domain.classic.box.table import Table
from domain.kernel.ids import AreaId, Seat


class Segment(Struct, frozen=True):
    """A usable road from a province to an adjacent one: which other player, if any, controls each end."""

    near: Seat | None = None
    far: Seat | None = None


def segment(table: Table, seat: Seat, origin: AreaId, to: AreaId) -> Segment | None:
    """Return the road from `origin` to `to`; None when there is none, or when nobody controls one of its ends.

    In the 2005 edition nobody ever consents, so a player must control both ends to use it (CC-ROAD-06, CC-ROAD-14).
    """
    if road_id(origin, to) not in table.roads:
        return None
    near, far = table.provinces[origin].owner, table.provinces[to].owner
    if near is None or far is None:
        return None
    return Segment(None if near == seat else near, None if far == seat else far)


def leads_on(table: Table, seat: Seat, at: AreaId, visited: Collection[AreaId]) -> bool:
    """Tell whether a rider in `at` can continue, without consent, to an own province free of enemy units."""
    return any(
        road_id(at, to) in table.roads
        and table.provinces[to].owner == seat
        and to not in visited
        and not table.enemies_in(to, seat)
        for to in table.map.land_neighbours(at)
    )
