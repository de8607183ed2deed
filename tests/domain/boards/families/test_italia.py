"""The board of Italia: what the rules say of it, and what makes another one playable."""

import json
from collections import Counter
from collections.abc import Callable
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest

from domain.boards import BoardError, builtin, drawing_of, parse_board, validate
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Map

RAW = resources.files("domain.boards").joinpath("italia.json").read_text()
BOARD = builtin("italia")
MAP = Map.of(BOARD)


def near(land: str) -> set[str]:
    return set(MAP.land_neighbours(AreaId(land)))


def seas(land: str) -> set[str]:
    return {sea for coast in MAP.coasts(AreaId(land)) for sea in coast.seas}


def having(trait: str, word: str) -> set[str]:
    return {area.id for area in BOARD.areas if word in area.traits.get(trait, ())}


@pytest.mark.rule("IT-BRD-01", "IT-BRD-08")
def test_it_has_39_land_areas_and_nine_seas() -> None:
    assert (len(MAP.lands), len(MAP.seas)) == (39, 9)


@pytest.mark.rule("IT-BRD-02", "IT-BRD-03", "IT-BRD-04", "IT-BRD-05")
def test_the_regions() -> None:
    assert having("region", "south-italy") == {
        "puglia",
        "sannio",
        "neapolis",
        "lucania",
        "calabria",
        "bruzio",
        "reggio",
    }
    assert having("region", "sicily") == {"lilibeo", "agrigento", "messana", "syracusa"}
    assert having("region", "sardinia") == {"olbia", "carales"}
    assert having("region", "corsica") == {"corsica"}
    assert having("region", "entry-italy") == {"alpes", "helvetia", "norico", "illyricum"}
    assert having("region", "entry-africa") == {"aures"}
    assert Counter(MAP.area(land).traits["region"] for land in MAP.lands) == {
        ("north-italy",): 15,
        ("south-italy",): 7,
        ("sicily",): 4,
        ("sardinia",): 2,
        ("corsica",): 1,
        ("africa",): 5,
        ("entry-italy",): 4,
        ("entry-africa",): 1,
    }


@pytest.mark.rule("IT-BRD-06", "IT-BRD-07")
def test_the_terrain() -> None:
    entries = having("region", "entry-italy") | having("region", "entry-africa")
    named = ["pavia", "florentia", "perusia", "umbria", "sannio", "reggio", "corsica", "agrigento", "olbia"]
    assert having("terrain", "highland") == {*named, *entries}
    assert having("terrain", "marsh") == {"ravenna", "venezia"}


@pytest.mark.rule("IT-BRD-09")
def test_two_straits_that_no_sea_has_a_part_in() -> None:
    straits = [border for border in BOARD.borders if border.kind == "strait"]
    assert {border.pair for border in straits} == {("messana", "reggio"), ("corsica", "olbia")}
    for border in straits:
        one, other = border.pair
        assert MAP.is_strait(one, other)
        assert MAP.is_strait(other, one)
        assert MAP.strait_between(one, other) is None
        assert other in MAP.land_neighbours(one)
    assert not MAP.is_strait(AreaId("messana"), AreaId("syracusa"))


@pytest.mark.rule("IT-BRD-10")
def test_where_no_city_may_be_built() -> None:
    barred = {land for land in MAP.lands if not MAP.area(land).value("city_allowed")}
    assert barred == {"alpes", "helvetia", "norico", "illyricum", "aures", "tridentum"}


@pytest.mark.rule("IT-BRD-11")
def test_corners_are_no_borders() -> None:
    assert "tridentum" not in near("norico")
    assert "venezia" not in near("helvetia")
    assert "mare-ligusticum" not in seas("carales")
    assert "mare-tyrrhenum" not in seas("olbia")


@pytest.mark.parametrize(
    "path",
    [
        "lucania neapolis roma etruria",
        "lucania sannio corfinium picenum",
        "roma perusia picenum ravenna florentia etruria pisae pavia",
        "pavia verona mediolanum",
        "liguria pavia",
        "florentia pisae",
        "roma sannio puglia",
        "corfinium puglia lucania bruzio",
    ],
)
def test_the_ways_of_the_examples(path: str) -> None:
    for one, other in pairwise(path.split()):
        assert other in near(one), (one, other)


def test_ravenna_and_africa_have_the_neighbours_that_the_rules_list() -> None:
    assert near("ravenna") == {"venezia", "verona", "pavia", "florentia", "picenum"}
    assert seas("ravenna") == {"mare-hadriaticum"}
    assert seas("africa") == {"mare-sardoum", "mare-libycum"}
    assert "byzacena" in near("africa")


def test_a_fleet_sails_from_africa_to_pisae() -> None:
    assert "mare-balearicum" in MAP.sea_neighbours(AreaId("mare-sardoum"))
    assert "mare-ligusticum" in MAP.sea_neighbours(AreaId("mare-balearicum"))
    assert "mare-balearicum" in seas("olbia")
    assert "mare-ligusticum" in seas("pisae")


def test_every_fact_is_marked_with_where_it_is_from() -> None:
    for area in BOARD.areas:
        wanted = {"exists", "name", "position"}
        if area.kind == "land":
            wanted |= {"region", "terrain", "city_allowed"}
            wanted |= {f"coasts_{sea.replace('-', '_')}" for sea in seas(area.id)}
        assert set(area.provenance) == wanted, area.id
        assert area.source
    assert all(set(border.provenance) == {"exists"} and border.source for border in BOARD.borders)


def test_it_has_a_map() -> None:
    drawing = drawing_of(BOARD)
    assert drawing is not None
    assert set(drawing.areas) == {area.id for area in BOARD.areas}
    assert all(list(drawing.areas[land].coasts) == ["coast"] for land in MAP.lands if MAP.coasts(land))


Row = dict[str, Any]


def area(board: Row, area_id: str) -> Row:
    return next(row for row in board["areas"] if row["id"] == area_id)


def strait(board: Row) -> Row:
    return next(row for row in board["borders"] if row["kind"] == "strait")


DAMAGES: dict[str, tuple[Callable[[Row], object], str]] = {
    "a strait over a sea": (
        lambda board: strait(board).update(strait_sea="mare-ligusticum"),
        "border corsica - olbia: no sea has a part in the straits of italia; leave strait_sea out",
    ),
    "no terrain": (
        lambda board: area(board, "roma")["traits"].pop("terrain"),
        "roma: terrain is missing; give one of normal, highland, marsh",
    ),
    "an unknown region": (
        lambda board: area(board, "roma")["traits"].update(region=["latium"]),
        "roma: region is latium; give one of north-italy, south-italy, sicily, sardinia, corsica, africa, "
        "entry-italy, entry-africa",
    ),
    "two regions": (
        lambda board: area(board, "roma")["traits"].update(region=["africa", "sicily"]),
        "roma: region is africa, sicily; give one of north-italy, south-italy, sicily, sardinia, corsica, africa, "
        "entry-italy, entry-africa",
    ),
    "a region without areas": (
        lambda board: area(board, "aures")["traits"].update(region=["entry-italy"]),
        "no area is in the region entry-africa; give it to one at least",
    ),
    "a flat entry area": (
        lambda board: area(board, "alpes")["traits"].update(terrain=["normal"]),
        "alpes: is an entry area, so its terrain must be highland",
    ),
    "a city at the border": (
        lambda board: area(board, "alpes")["values"].update(city_allowed=1),
        "alpes: is an entry area, so city_allowed must be 0",
    ),
    "a sea of a region": (
        lambda board: area(board, "mare-ionium").update(traits={"region": ["sicily"]}),
        "mare-ionium: a sea has no traits; leave out region",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_board_that_lacks_what_the_games_need_is_refused_in_a_line(damage: str) -> None:
    board = json.loads(RAW)
    change, told = DAMAGES[damage]
    change(board)
    with pytest.raises(BoardError) as refused:
        validate(parse_board(json.dumps(board).encode()))
    assert refused.value.problems == (told,)
