"""The leaders, and the most units of each type, that can make a step from an area to a neighbour (chapter MOV)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations

from msgspec import Struct

from domain.italia.box.pieces import Kind, LeaderId, NationId, Units, plus
from domain.italia.box.state import Walk
from domain.italia.box.table import Table
from domain.italia.moves import overrun
from domain.italia.moves.steps import (
    Step,
    bare_step,
    groups_at,
    left_behind,
    steps_of,
)
from domain.kernel.ids import AreaId


class Ways(Struct, frozen=True):
    """The leaders, and the most units of each type, that can make a step.

    Attributes:
        most: how many units in all; None for any number.
        companions: for each leader who can go no further alone, the types of which one unit must go along.
    """

    leaders: tuple[LeaderId, ...]
    units: Units
    most: int | None = None
    companions: tuple[tuple[Kind, ...], ...] = ()


def ways_from(table: Table, nation: NationId, origin: AreaId) -> Iterator[tuple[AreaId, Ways]]:
    """Yield the neighbours to which units and leaders can go from an area, and which of them: what `Move` accepts."""
    groups = groups_at(table, nation, origin)
    for leaders in _companies(table, table.army(origin, nation).leaders):
        if any(left_behind(table, walk, leaders) for walk in groups):
            continue
        for to in table.map.land_neighbours(origin):
            if table.treats_as_normal(nation, to):
                for ways in _ways_of(table, bare_step(table, nation, origin, to, leaders), groups):
                    yield to, ways


def _companies(table: Table, leaders: Sequence[LeaderId]) -> Iterator[tuple[LeaderId, ...]]:
    """Yield the sets of leaders who may go together, also none; on campaign only those with its leader (IT-CAM-01)."""
    campaign = table.campaign
    for together in chain.from_iterable(combinations(leaders, number) for number in range(len(leaders) + 1)):
        if campaign is None or campaign.leader in together:
            yield together


def _ways_of(table: Table, step: Step, groups: Sequence[Walk]) -> Iterator[Ways]:
    """Yield what can make a step: all units that are able to, or fewer if some must stay for an overrun."""
    able = [walk for walk in groups if step.barred(table, walk) is None]
    companions: list[tuple[Kind, ...]] = []
    for leader in step.leaders:
        if step.leader_barred(table, leader, ()) is None:
            continue
        kinds = count_of(walk for walk in able if step.leader_barred(table, leader, [walk]) is None)
        if not kinds:
            return
        companions.append(tuple(kinds))
    units = count_of(able)
    if not units and not step.leaders:
        return
    if not step.contested:
        yield Ways(step.leaders, units, None, tuple(companions))
        return
    fresh = count_of(walk for walk in able if not walk.steps)
    if step.free and not has_entered(table, (), step.leaders) and (fresh or step.leaders):
        yield Ways(step.leaders, fresh, None, tuple(companions))
        if units == fresh:
            return
    stay = set(table.army(step.origin, step.nation).leaders) - set(step.leaders)
    most = overrun.most_passing(table, step.nation, step.origin, led=bool(stay))
    if most > 0 and units:
        yield Ways(step.leaders, units, most, tuple(companions))
    elif most >= 0 and step.leaders and not companions:
        yield Ways(step.leaders, {})


def count_of(groups: Iterable[Walk]) -> Units:
    """Return how many units of each type some groups have."""
    counts: defaultdict[Kind, int] = defaultdict(int)
    for walk in groups:
        counts[walk.kind] += walk.count
    return plus(counts, {})


def has_entered(table: Table, groups: Iterable[Walk], leaders: Iterable[LeaderId]) -> bool:
    """Tell whether any of these units or leaders have moved in this phase already."""
    return any(walk.steps for walk in groups) or any(steps_of(table, leader) for leader in leaders)
