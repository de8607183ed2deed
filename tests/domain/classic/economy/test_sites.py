"""Where roads and cities find room: the fast search against trying everything."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.boards import builtin
from domain.classic.box.editions import FRIZ
from domain.classic.box.state import Province, road_id
from domain.classic.box.table import Table
from domain.classic.economy import sites
from domain.classic.start.position import arrange
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Map

RED = Seat("red")
LANDS = Map.of(builtin("conquest")).lands


@st.composite
def empires(draw: st.DrawFn) -> Table:
    """A table on which red owns some provinces, some of them with cities, some of those joined by roads."""
    table = arrange({"players": {"red": "italia", "blue": "egypt"}}, FRIZ, builtin("conquest"))
    owned = draw(st.lists(st.sampled_from(LANDS), unique=True, max_size=12))
    cities = draw(st.sets(st.sampled_from(owned))) if owned else set()
    table.provinces = {land: Province(RED if land in owned else None, land in cities) for land in LANDS}
    table.roads = draw(st.lists(st.sampled_from(pairs), unique=True)) if (pairs := roads_between(table, cities)) else []
    return table


def roads_between(table: Table, cities: set[AreaId]) -> list[str]:
    """The roads that cities allow, by the letter of CC-PLC-07, CC-ROAD-03 and CC-ROAD-04."""
    return sorted(
        road_id(one, other)
        for one, other in combinations(sorted(cities), 2)
        if other in table.map.land_neighbours(one)
        and table.map.strait_between(one, other) is None
        and road_id(one, other) not in table.roads
    )


@settings(max_examples=150, deadline=None)
@given(empires())
def test_the_most_roads_are_what_trying_all_choices_of_cities_finds(table: Table) -> None:
    owned, free = set(sites.cities(table, RED)), sites.city_sites(table, RED)
    most = sites.most_roads(table, RED, min(4, len(free)))
    for cities, found in enumerate(most):
        assert found == max(len(roads_between(table, {*owned, *chosen})) for chosen in combinations(free, cities))


@settings(max_examples=150, deadline=None)
@given(empires(), st.data())
def test_a_city_may_go_exactly_where_all_roads_still_find_room(table: Table, data: st.DataObject) -> None:
    owned, free = set(sites.cities(table, RED)), sites.city_sites(table, RED)
    cities = data.draw(st.integers(0, min(4, len(free))))
    if not cities:
        return
    roads = data.draw(st.integers(0, sites.most_roads(table, RED, cities)[-1]))
    possible = {
        site
        for chosen in combinations(free, cities)
        if len(roads_between(table, {*owned, *chosen})) >= roads
        for site in chosen
    }
    assert sites.city_sites_with_roads_left(table, RED, cities, roads) == sorted(possible)


def test_a_walk_of_the_map_keeps_few_provinces_open() -> None:
    """What makes the search fast: 2 to the power of 3 choices at most are kept apart at any step."""
    table = arrange({"players": {"red": "italia", "blue": "egypt"}}, FRIZ, builtin("conquest"))
    neighbours, order = sites._by_land(table.map)
    passed: set[AreaId] = set()
    for land in order:
        passed.add(land)
        assert sum(any(other not in passed for other in neighbours[one]) for one in passed) <= 3
    assert sorted(order) == list(LANDS)
