"""Where new pieces can go (chapter PLC): checked before they are bought (CC-BUY-08) and when they are placed."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from domain.classic.box.state import road_id
from domain.classic.box.table import Table
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Map

PORTS: Final[Mapping[AreaId, tuple[AreaId, ...]]] = MappingProxyType(
    {AreaId("mesopotamia"): (AreaId("syria"), AreaId("armenia"))}
)
"""Provinces that take the new galleys of a Home Province without a coast (CC-PLC-04)."""

STARTS: Final = 16
"""How many provinces are tried as the start of a walk along the map: those with the fewest neighbours."""


def galley_coasts(table: Table, seat: Seat) -> list[tuple[AreaId, str]]:
    """Return the coasts for new galleys, each as its province and coast (CC-PLC-03, CC-PLC-04)."""
    if not table.controls_home(seat):
        return []
    home = table.home(seat)
    ports = (port for port in PORTS.get(home, (home,)) if table.provinces[port].owner == seat)
    return [(port, coast.id) for port in ports for coast in table.map.coasts(port)]


def cities(table: Table, seat: Seat) -> list[AreaId]:
    """Return the provinces where a seat has a city, sorted."""
    return sorted(area for area, province in table.provinces.items() if province.city and province.owner == seat)


def city_sites(table: Table, seat: Seat) -> list[AreaId]:
    """Return the provinces that may take a new city (CC-PLC-05), sorted."""
    return sorted(area for area, province in table.provinces.items() if province.owner == seat and not province.city)


def fortification_sites(table: Table, seat: Seat) -> list[AreaId]:
    """Return the cities that may take a fortification (CC-PLC-06), sorted."""
    return [area for area in cities(table, seat) if not table.provinces[area].fortified]


def road_sites(table: Table, seat: Seat) -> list[str]:
    """Return the roads that may be built between a seat's present cities (CC-PLC-07, CC-ROAD-03, -04), sorted."""
    return _missing_roads(table, set(cities(table, seat)))


def most_roads(table: Table, seat: Seat, new_cities: int) -> list[int]:
    """Return, for 0 up to `new_cities` more cities, how many roads could then be built at most (CC-PLC-08).

    There must be places for `new_cities` cities.
    """
    return _most_roads(table, set(cities(table, seat)), city_sites(table, seat), new_cities)


def city_sites_with_roads_left(table: Table, seat: Seat, new_cities: int, roads: int) -> list[AreaId]:
    """Return the places for the next of `new_cities` cities after which `roads` roads can still all be built."""
    sites, owned = city_sites(table, seat), set(cities(table, seat))
    if not roads or _most_roads(table, owned, sites, new_cities - 1)[-1] >= roads:
        return sites  # the roads fit without this city, so it may go anywhere
    usable = _usable_sites(table, owned, sites, new_cities, roads)
    return [site for site in sites if site in usable]


def _missing_roads(table: Table, owned: Collection[AreaId]) -> list[str]:
    neighbours, _ = _by_land(table.map)
    pairs = {road_id(one, other) for one in owned for other in neighbours[one] if other in owned}
    return sorted(pairs.difference(table.roads))


def _most_roads(table: Table, owned: Collection[AreaId], sites: Collection[AreaId], new_cities: int) -> list[int]:
    """Return what `most_roads` does. Of equivalent choices of sites (see `Site`), only the best is followed."""
    present = len(_missing_roads(table, owned))
    choices: dict[tuple[int, int], int] = {(0, 0): present}
    for place in _walk(table.map, owned, sites) if new_cities else ():
        longer: dict[tuple[int, int], int] = {}
        for (choice, used), roads in choices.items():
            without = (choice & place.open, used)
            longer[without] = max(longer.get(without, 0), roads)
            if used < new_cities:
                with_it = ((choice | place.bit) & place.open, used + 1)
                longer[with_it] = max(longer.get(with_it, 0), roads + place.roads_to(choice))
        choices = longer
    most = [present] * (new_cities + 1)
    for (_, used), roads in choices.items():
        most[used] = max(most[used], roads)
    for used in range(new_cities):
        most[used + 1] = max(most[used], most[used + 1])
    return most


def _usable_sites(
    table: Table, owned: Collection[AreaId], sites: Collection[AreaId], new_cities: int, roads: int
) -> set[AreaId]:
    """Return every site that is in some choice of exactly `new_cities` sites that gives at least `roads` roads."""
    walk = _walk(table.map, owned, sites)
    choices: dict[tuple[int, int, int], int] = {(0, 0, len(_missing_roads(table, owned))): 0}
    for place in walk:
        longer: dict[tuple[int, int, int], int] = {}
        for (choice, used, new_roads), all_chosen in choices.items():
            without = (choice & place.open, used, new_roads)
            longer[without] = longer.get(without, 0) | all_chosen
            if used < new_cities:
                with_it = ((choice | place.bit) & place.open, used + 1, new_roads + place.roads_to(choice))
                longer[with_it] = longer.get(with_it, 0) | all_chosen | place.bit
        choices = longer
    good = [
        all_chosen for (_, used, new_roads), all_chosen in choices.items() if used == new_cities and new_roads >= roads
    ]
    return {place.site for place in walk if any(place.bit & all_chosen for all_chosen in good)}


class Site(Struct, frozen=True):
    """A site on a walk along the map, on which cities are chosen site by site.

    Only two things matter about a partial choice: how many sites it took, and which of them are open, that is, have
    neighbours still to come. In the order of `_by_land`, few are open at a time. Sets of sites are integers with one
    bit for each site.

    Attributes:
        bit: stands for this site.
        open: the sites up to this one that have neighbours after it.
        near: the neighbours that are also sites.
        gain: how many neighbours have a city.
    """

    site: AreaId
    bit: int
    open: int
    near: int
    gain: int

    def roads_to(self, earlier: int) -> int:
        """Return how many roads a city here adds when cities at the sites `earlier` are already chosen."""
        return self.gain + (earlier & self.near).bit_count()


def _walk(board: Map, owned: Collection[AreaId], sites: Collection[AreaId]) -> list[Site]:
    """Return the sites in the order of `_by_land`, without those where no road could end."""
    neighbours, order = _by_land(board)
    gains = {site: sum(other in owned for other in neighbours[site]) for site in sites}
    walk = [site for site in order if site in gains and (gains[site] or any(n in gains for n in neighbours[site]))]
    bits = {site: 1 << number for number, site in enumerate(walk)}
    nears = [sum(bits.get(other, 0) for other in neighbours[site]) for site in walk]
    closing = [0] * len(walk)
    for number, near in enumerate(nears):
        closing[max(number, near.bit_length() - 1)] |= 1 << number
    places, still_open = list[Site](), 0
    for number, site in enumerate(walk):
        still_open = (still_open | bits[site]) & ~closing[number]
        places.append(Site(site, bits[site], still_open, nears[number], gains[site]))
    return places


@lru_cache(maxsize=64)
def _by_land(board: Map) -> tuple[dict[AreaId, tuple[AreaId, ...]], list[AreaId]]:
    """Return each province's neighbours to which a road could lead (CC-ROAD-03), and an order that leaves few open."""
    neighbours = {
        land: tuple(other for other in board.land_neighbours(land) if board.strait_between(land, other) is None)
        for land in board.lands
    }
    edge = sorted(board.lands, key=lambda land: len(neighbours[land]))[:STARTS]
    return neighbours, min(_order_from(start, neighbours) for start in edge)[1]


def _order_from(start: AreaId, neighbours: Mapping[AreaId, tuple[AreaId, ...]]) -> tuple[int, list[AreaId]]:
    """Return the cost and the order of a walk from `start` through all provinces; each step leaves few open.

    A province is open when the walk has visited it, but not all its neighbours. A step costs 2 to the power of the
    number of open provinces, because `_most_roads` has to tell so many choices apart there.
    """
    order, cost = [start], 0
    while len(order) < len(neighbours):
        visited = set(order)
        opened = {land: later for land in order if (later := sum(other not in visited for other in neighbours[land]))}
        steps = ((_step(neighbours[land], visited, opened), land) for land in neighbours if land not in visited)
        (still_open, _), land = min(steps)
        order.append(land)
        cost += 1 << still_open
    return cost, order


def _step(near: tuple[AreaId, ...], visited: Collection[AreaId], opened: Mapping[AreaId, int]) -> tuple[int, int]:
    """Return how many provinces are open after a step to one with the neighbours `near`.

    The second number decides ties: the place in `opened` of the neighbour that was opened first.
    """
    closing = sum(opened.get(other) == 1 for other in near)
    opening = any(other not in visited for other in near)
    oldest = next((age for age, other in enumerate(opened) if other in near), len(opened))
    return len(opened) - closing + opening, oldest
