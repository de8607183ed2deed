"""Overrun: units pass through an area of strangers while enough others stay there (chapter OVR)."""

from collections.abc import Iterable

from msgspec.structs import replace

from domain.italia.box.pieces import Army, NationId, amount_of
from domain.italia.box.state import Walk
from domain.italia.box.table import Table
from domain.italia.turn.stacking import attack_limit
from domain.kernel.ids import AreaId
from domain.kernel.rules.refusal import Refusal


def needed(table: Table, nation: NationId, area: AreaId) -> int:
    """Return how many units must stay so that others can pass: twice the defenders, or as many where a city stands.

    Leaders count on neither side, but one unit must stay even against a lone leader (IT-OVR-01, IT-OVR-02).
    """
    defenders = sum(table.army(area, other).size for other in table.strangers(nation, area))
    return max(1, defenders * (1 if table.has_city(area) else 2))


def most_passing(table: Table, nation: NationId, area: AreaId, *, led: bool) -> int:
    """Return how many units can leave an area of strangers (IT-OVR-04); negative if even a leader cannot leave."""
    staying = needed(table, nation, area)
    if staying > attack_limit(table, nation, area, led=led):
        return -1
    return table.army(area, nation).size - staying


def require(table: Table, nation: NationId, area: AreaId, leaving: Army, wrong: str, *, entered: bool) -> None:
    """Refuse units that leave an area of strangers without an overrun (IT-MOV-08, IT-OVR-01 to IT-OVR-04).

    An army that has not `entered` starts a campaign there (IT-CAM-17).
    """
    staying = table.army(area, nation) - leaving
    enough, most = needed(table, nation, area), attack_limit(table, nation, area, led=bool(staying.leaders))
    if enough <= min(staying.size, most):
        return
    rule, name = "IT-OVR-02" if table.has_city(area) else "IT-OVR-01", table.names(area)
    allowed = f"To pass through {name}, leave {amount_of('unit', enough)} there."
    if enough > most:
        rule = "IT-OVR-04"
        allowed = f"{amount_of('unit', enough)} would have to stay in {name}, but at most {most} can attack it."
    if not staying.size:
        rule = "IT-MOV-08"
    raise Refusal(rule if entered else "IT-CAM-17", wrong, allowed)


def stop_units(walks: Iterable[Walk], number: int) -> tuple[Walk, ...]:
    """Return walks in which `number` units cannot move any more, counting those that could not before (IT-OVR-03)."""
    groups = list(walks)
    number -= sum(walk.count for walk in groups if walk.spent)
    result: list[Walk] = []
    for walk in sorted(groups, key=lambda each: each.steps, reverse=True):
        stay = 0 if walk.spent else max(0, min(number, walk.count))
        number -= stay
        if stay:
            result.append(replace(walk, count=stay, spent=True))
        if walk.count > stay:
            result.append(replace(walk, count=walk.count - stay))
    return tuple(result)
