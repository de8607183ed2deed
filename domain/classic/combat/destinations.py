"""Where a side may retreat to, and what it would lose (chapter RET)."""

from domain.classic.box.pieces import Army
from domain.classic.box.state import Battle
from domain.classic.box.table import Table
from domain.classic.combat.losses import force
from domain.classic.moves import passage
from domain.kernel.ids import AreaId, Seat


def destinations(table: Table, fight: Battle, seat: Seat) -> list[AreaId]:
    """Return the provinces to which a side may retreat; those across a strait only when all who must consent have."""
    return [
        to
        for to in _neighbours(table, fight, seat)
        if fight.strait_answers.get(to) or not strait_owners(table, fight, seat, to)
    ]


def askable(table: Table, fight: Battle, seat: Seat) -> list[AreaId]:
    """Return the provinces across a strait to which a side may ask to retreat; none when landed units prevent that."""
    if landed_bar_retreat(table, force(table, fight, seat)):
        return []
    neighbours = _neighbours(table, fight, seat)
    return [to for to in neighbours if to not in fight.strait_answers and strait_owners(table, fight, seat, to)]


def _neighbours(table: Table, fight: Battle, seat: Seat) -> list[AreaId]:
    """Return the adjacent provinces that are destinations when straits are left aside."""
    return [to for to in table.map.land_neighbours(fight.province) if why_no_retreat(table, fight, seat, to) is None]


def why_no_retreat(table: Table, fight: Battle, seat: Seat, to: AreaId) -> tuple[str, str] | None:
    """Return the rule that forbids a retreat to `to`, straits aside, and what it requires; None if no rule does."""
    if to not in table.provinces:
        return "CC-RET-14", "You can retreat only to a province, never to a galley."
    # CC-RET-17: movement points, leaders, the size of a legion and roads do not matter.
    if to not in table.map.land_neighbours(fight.province):
        return "CC-RET-17", "A retreat is one step to an adjacent province."
    to_own = table.edition.retreat_to_own_provinces
    if table.combat is not None and to in table.combat.battles:
        return "CC-RET-04" if to_own else "CC-RET-05", "A battle must still be fought there."
    if to_own and table.provinces[to].owner != seat:
        return "CC-RET-03", "You can retreat only to one of your own provinces."
    if not to_own and table.enemies_in(to, seat):
        return "CC-RET-05", "You can retreat only to a province without units of another player."
    return None


def strait_owners(table: Table, fight: Battle, seat: Seat, to: AreaId) -> tuple[Seat, ...]:
    """Return who must let `seat` retreat to `to`: the other owners of galleys in the strait (CC-RET-15, CC-RET-16)."""
    return passage.strait_blockers(table, fight.province, to, seat)


def landed_bar_retreat(table: Table, army: Army) -> bool:
    """Tell whether surviving units that landed keep the whole side from retreating (CC-RET-11, CC-RET-13)."""
    return table.edition.retreat_needs_destination and army.landed.total > 0


def may_retreat(table: Table, fight: Battle, seat: Seat) -> bool:
    """Tell whether a side may announce a retreat (CC-RET-07, CC-RET-08)."""
    if not table.edition.retreat_needs_destination:
        return True
    return not landed_bar_retreat(table, force(table, fight, seat)) and bool(destinations(table, fight, seat))


def total_loss(table: Table, fight: Battle, seat: Seat) -> str | None:
    """Return the rule by which a retreat would lose every unit (2005); None when some units would get away."""
    if not destinations(table, fight, seat):
        return "CC-RET-08"
    return "CC-RET-12" if force(table, fight, seat).by_land.total == 0 else None


def leaders_to_go(table: Table, fight: Battle, seat: Seat) -> tuple[str, ...]:
    """Return the leaders that can retreat: those that did not land this turn."""
    return tuple(name for name in table.leaders_at(fight.province, seat) if not table.leaders[name].landed)
