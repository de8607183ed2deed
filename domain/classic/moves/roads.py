"""Roads: who controls their ends, and where a road move can continue (chapter ROAD; placement.py builds roads).

A road move costs one point, however far it goes (CC-ROAD-05, CC-ROAD-06). It is made step by step; each step follows
one segment, the road between two adjacent provinces. The first step costs the point and begins the table's journey.
Pieces that continue the journey pay nothing more (movement.py). A segment is usable only if each of its two ends is
controlled by the mover or, in the community edition, by a player who consents to this use (CC-ROAD-16).
"""

from collections.abc import Collection

from msgspec import Struct

from domain.classic.box.state import road_id
from domain.classic.box.table import Table
from domain.kernel.ids import AreaId, Seat


class Segment(Struct, frozen=True):
    """A road from a province to an adjacent one, with the other players whose consent its use needs.

    Attributes:
        near: who controls the province where the step begins; None for the mover, or when a standing grant consents.
        far: the same for the province where the step ends.
    """

    near: Seat | None = None
    far: Seat | None = None


def segment(table: Table, seat: Seat, origin: AreaId, to: AreaId) -> Segment | None:
    """Return the road from `origin` to `to`; None if there is none, or if nobody controls one of its ends.

    Other players may control its ends; `passage.find_way` considers their standing grants. In the 2005 edition nobody
    can consent, so a player can use only a road of which they control both ends (CC-ROAD-06, CC-ROAD-14).
    """
    if road_id(origin, to) not in table.roads:
        return None
    near, far = table.provinces[origin].owner, table.provinces[to].owner
    if near is None or far is None:
        return None
    return Segment(None if near == seat else near, None if far == seat else far)


def leads_on(table: Table, seat: Seat, at: AreaId, visited: Collection[AreaId]) -> bool:
    """Tell whether a road leads from `at` to an unvisited province that `seat` controls, free of enemy units."""
    return any(
        road_id(at, to) in table.roads
        and table.provinces[to].owner == seat
        and to not in visited
        and not table.enemies_in(to, seat)
        for to in table.map.land_neighbours(at)
    )
