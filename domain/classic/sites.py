"""Where new pieces can stand (chapter PLC): asked before they are bought (CC-BUY-08) and when they are placed."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from domain.classic.table import Table, road_id
from domain.kernel.board import Map
from domain.kernel.words import AreaId, Seat

PORTS: Final[Mapping[AreaId, tuple[AreaId, ...]]] = MappingProxyType(
    {AreaId("mesopotamia"): (AreaId("syria"), AreaId("armenia"))}
)
"""Provinces that take the new galleys of a Home Province without a coast (CC-PLC-04)."""


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

    There are as many places for cities as asked for.
    """
    return _most_roads(table, set(cities(table, seat)), city_sites(table, seat), new_cities)


def city_sites_that_leave(table: Table, seat: Seat, new_cities: int, roads: int) -> list[AreaId]:
    """Return the places for the next of `new_cities` cities after which `roads` roads can still all be built."""
    sites, owned = city_sites(table, seat), set(cities(table, seat))
    if not roads or (without := _most_roads(table, owned, sites, new_cities - 1)[-1]) >= roads:
        return sites  # the roads find their places without this city, so it may stand anywhere
    neighbours, _ = _by_land(table.map)
    cities_to_be = owned.union(sites)
    return [
        site
        for site in sites
        if without + sum(other in cities_to_be for other in neighbours[site]) >= roads
        and _most_roads(table, owned | {site}, [other for other in sites if other != site], new_cities - 1)[-1] >= roads
    ]


def _missing_roads(table: Table, owned: Collection[AreaId]) -> list[str]:
    neighbours, _ = _by_land(table.map)
    pairs = {road_id(one, other) for one in owned for other in neighbours[one] if other in owned}
    return sorted(pairs.difference(table.roads))


def _most_roads(table: Table, owned: Collection[AreaId], sites: Collection[AreaId], new_cities: int) -> list[int]:
    """Find the best choice of sites exactly, site by site along the map.

    All that counts of a partial choice is how many sites it took and which of those have neighbours still to come;
    of equal ones the best is kept. Taken in `_by_land`'s order there are never many.
    """
    neighbours, order = _by_land(table.map)
    present = len(_missing_roads(table, owned))
    if not new_cities:
        return [present]
    gains = {site: sum(other in owned for other in neighbours[site]) for site in sites}
    pending = [site for site in order if site in gains and (gains[site] or any(n in gains for n in neighbours[site]))]
    bit = {site: 1 << place for place, site in enumerate(pending)}
    near = {site: sum(bit.get(other, 0) for other in neighbours[site]) for site in pending}
    closing = [0] * len(pending)  # by place, the sites that have no neighbour after it
    for place, site in enumerate(pending):
        closing[max(place, near[site].bit_length() - 1)] |= bit[site]
    choices: dict[tuple[int, int], int] = {(0, 0): present}
    relevant = 0
    for place, site in enumerate(pending):
        relevant = (relevant | bit[site]) & ~closing[place]
        longer: dict[tuple[int, int], int] = {}
        for (chosen, used), roads in choices.items():
            without = (chosen & relevant, used)
            longer[without] = max(longer.get(without, 0), roads)
            if used < new_cities:
                taken = ((chosen | bit[site]) & relevant, used + 1)
                more = roads + gains[site] + (chosen & near[site]).bit_count()
                longer[taken] = max(longer.get(taken, 0), more)
        choices = longer
    most = [present] * (new_cities + 1)
    for (_, used), roads in choices.items():
        most[used] = max(most[used], roads)
    for used in range(new_cities):
        most[used + 1] = max(most[used], most[used + 1])
    return most


@lru_cache(maxsize=64)
def _by_land(board: Map) -> tuple[dict[AreaId, tuple[AreaId, ...]], list[AreaId]]:
    """Return the neighbours that a road could join (CC-ROAD-03), and an order that cuts few borders at any point."""
    neighbours = {
        land: tuple(other for other in board.land_neighbours(land) if board.strait_between(land, other) is None)
        for land in board.lands
    }
    orders = (_order_from(start, neighbours) for start in board.lands)
    return neighbours, min(orders)[1]


def _order_from(start: AreaId, neighbours: Mapping[AreaId, tuple[AreaId, ...]]) -> tuple[int, list[AreaId]]:
    """Return what a walk through all provinces costs, and their order: from `start` on to where fewest stay open.

    A province is open while it is passed and has a neighbour that is not. A step costs 2 to the power of their
    number, which is how many choices `_most_roads` has to keep apart there.
    """
    order, cost = [start], 0
    while len(order) < len(neighbours):
        passed = set(order)
        opened = {land: later for land in order if (later := sum(other not in passed for other in neighbours[land]))}
        steps = ((_step(land, neighbours[land], passed, opened), land) for land in neighbours if land not in passed)
        (still_open, _), land = min(steps)
        order.append(land)
        cost += 1 << still_open
    return cost, order


def _step(
    land: AreaId, near: tuple[AreaId, ...], passed: Collection[AreaId], opened: Mapping[AreaId, int]
) -> tuple[int, int]:
    """Return how many provinces are open after a step to `land`, and for ties how long ago its oldest one opened."""
    closing = sum(opened.get(other) == 1 for other in near)
    opening = any(other not in passed for other in near)
    oldest = next((age for age, other in enumerate(opened) if other in near), len(opened))
    return len(opened) - closing + opening, oldest
