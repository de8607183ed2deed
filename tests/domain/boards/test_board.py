"""The shipped board has what the rule catalogue says of it, and a damaged board is refused with a line that helps."""

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from importlib import resources
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.boards import BoardError, builtin, parse_board, validate
from domain.kernel.board import Board, Map, canonical, from_canonical
from domain.kernel.words import AreaId

RAW = resources.files("domain.boards").joinpath("conquest.json").read_bytes()
CONQUEST = builtin("conquest")
MAP = Map.of(CONQUEST)

Row = dict[str, Any]


def area(board: Row, area_id: str) -> Row:
    return next(row for row in board["areas"] if row["id"] == area_id)


def border(board: Row, one: str, other: str) -> Row:
    return next(row for row in board["borders"] if set(row["between"]) == {one, other})


def packed(board: Row) -> bytes:
    return json.dumps(board).encode()


def damaged(damage: Callable[[Row], object]) -> bytes:
    board = json.loads(RAW)
    damage(board)
    return packed(board)


def ids(*names: str) -> tuple[AreaId, ...]:
    return tuple(AreaId(name) for name in names)


# --- What the catalogue says of the board -----------------------------------------------------------------------------


@pytest.mark.rule("CC-BRD-01")
def test_the_board_has_42_provinces_and_18_seas() -> None:
    assert len(MAP.lands) == 42
    assert len(MAP.seas) == 18
    assert set(MAP.lands) | set(MAP.seas) == {area.id for area in CONQUEST.areas}


@pytest.mark.rule("CC-BRD-02")
def test_16_provinces_yield_10_and_26_yield_5_and_seas_nothing() -> None:
    assert Counter(MAP.area(land).tribute for land in MAP.lands) == {10: 16, 5: 26}
    assert sum(MAP.area(land).value("tribute") for land in MAP.lands) == 290
    assert {MAP.area(sea).tribute for sea in MAP.seas} == {None}


@pytest.mark.rule("CC-BRD-02")
def test_asking_for_a_value_that_an_area_lacks_is_an_error() -> None:
    with pytest.raises(KeyError):
        MAP.area(AreaId("mare-narbo")).value("tribute")


@pytest.mark.rule("CC-BRD-03")
def test_the_seven_homes_yield_10_each() -> None:
    assert MAP.homes == ids("egypt", "galatia", "hispania", "italia", "macedonia", "mesopotamia", "numidia")
    assert {MAP.area(home).value("tribute") for home in MAP.homes} == {10}


@pytest.mark.rule("CC-BRD-04")
def test_adjacency_is_symmetric_and_between_areas_of_one_kind() -> None:
    for land in MAP.lands:
        assert land not in MAP.land_neighbours(land)
        for neighbour in MAP.land_neighbours(land):
            assert neighbour in MAP.lands
            assert land in MAP.land_neighbours(neighbour)
            assert MAP.strait_between(land, neighbour) == MAP.strait_between(neighbour, land)
    for sea in MAP.seas:
        assert sea not in MAP.sea_neighbours(sea)
        for neighbour in MAP.sea_neighbours(sea):
            assert neighbour in MAP.seas
            assert sea in MAP.sea_neighbours(neighbour)


@pytest.mark.rule("CC-BRD-04")
def test_every_border_of_the_file_is_in_the_index_and_no_other() -> None:
    land_steps = sum(len(MAP.land_neighbours(land)) for land in MAP.lands)
    sea_steps = sum(len(MAP.sea_neighbours(sea)) for sea in MAP.seas)
    kinds = Counter(border.kind for border in CONQUEST.borders)
    assert kinds == {"land": 55, "strait": 4, "sea": 22}
    assert land_steps == 2 * (kinds["land"] + kinds["strait"])
    assert sea_steps == 2 * kinds["sea"]


@pytest.mark.rule("CC-BRD-04")
def test_neighbours_of_a_province_and_of_a_sea() -> None:
    assert MAP.land_neighbours(AreaId("numidia")) == ids("africa-proconsularis", "caesariensis")
    assert MAP.sea_neighbours(AreaId("mare-amisus")) == ids("mare-pontus-euxinus")
    assert MAP.land_neighbours(AreaId("mare-amisus")) == ()
    assert MAP.sea_neighbours(AreaId("numidia")) == ()


@pytest.mark.rule("CC-BRD-05")
def test_exactly_four_pairs_are_joined_across_a_strait() -> None:
    straits = {frozenset((one, other)) for one in MAP.lands for other in MAP.lands if MAP.strait_between(one, other)}
    assert straits == {
        frozenset({"thracia", "asia"}),
        frozenset({"sicilia", "neapolis"}),
        frozenset({"britannia", "belgica"}),
        frozenset({"baetica", "tingitana"}),
    }


@pytest.mark.rule("CC-BRD-05")
def test_a_strait_makes_neighbours_and_names_a_sea_that_both_ends_face() -> None:
    for one in MAP.lands:
        for other in MAP.lands:
            sea = MAP.strait_between(one, other)
            if sea is not None:
                assert other in MAP.land_neighbours(one)
                assert sea in MAP.seas
                assert {one, other} <= {land for land, _ in MAP.coasts_on(sea)}
    assert MAP.strait_between(AreaId("britannia"), AreaId("belgica")) == "oceanus-britannicus"


@pytest.mark.rule("CC-BRD-05")
def test_an_ordinary_border_is_no_strait() -> None:
    assert MAP.strait_between(AreaId("italia"), AreaId("neapolis")) is None
    assert MAP.strait_between(AreaId("italia"), AreaId("egypt")) is None


@pytest.mark.rule("CC-BRD-06")
def test_egypt_is_one_province() -> None:
    assert [area.id for area in CONQUEST.areas if "egypt" in f"{area.name} {area.aliases}".casefold()] == ["egypt"]
    assert MAP.land_neighbours(AreaId("egypt")) == ids("arabia-petraea", "cyrenaica", "palestina")


@pytest.mark.rule("CC-BRD-07")
def test_the_red_sea_is_no_area_and_no_coast_faces_it() -> None:
    assert not any(name in area_id for area_id in MAP.seas for name in ("red", "rubrum", "erythraeum"))
    assert MAP.coasts(AreaId("arabia-petraea")) == ()
    assert {sea for coast in MAP.coasts(AreaId("egypt")) for sea in coast.seas} == {"mare-alexandria", "mare-pelusium"}


@pytest.mark.rule("CC-BRD-08")
def test_the_inland_provinces_have_no_coast_and_all_others_do() -> None:
    inland = {"arabia-petraea", "dacia", "mesopotamia", "noricum", "pannonia", "raetia"}
    assert {land for land in MAP.lands if not MAP.coasts(land)} == inland


@pytest.mark.rule("CC-BRD-08")
def test_the_islands_are_coastal_on_all_sides() -> None:
    islands = {area.id for area in CONQUEST.areas if area.island}
    assert islands == {"baleares", "britannia", "corsica", "creta", "cyprus", "sardinia", "sicilia"}
    for island in islands:
        assert len(MAP.coasts(island)) == 1
        assert all(MAP.strait_between(island, neighbour) for neighbour in MAP.land_neighbours(island))


@pytest.mark.rule("CC-BRD-08")
def test_hispania_italia_and_macedonia_have_two_coasts_which_share_no_sea() -> None:
    broken = {land for land in MAP.lands if len(MAP.coasts(land)) > 1}
    assert broken == {"hispania", "italia", "macedonia"}
    for land in broken:
        one, other = MAP.coasts(land)
        assert not set(one.seas) & set(other.seas)


@pytest.mark.rule("CC-BRD-08")
def test_coasts_by_sea_and_by_province_agree() -> None:
    by_sea = {(land, coast, sea) for sea in MAP.seas for land, coast in MAP.coasts_on(sea)}
    by_land = {(land, coast.id, sea) for land in MAP.lands for coast in MAP.coasts(land) for sea in coast.seas}
    assert by_sea == by_land
    assert (AreaId("italia"), "east") in MAP.coasts_on(AreaId("mare-adriaticum"))
    assert (AreaId("italia"), "west") not in MAP.coasts_on(AreaId("mare-adriaticum"))


@pytest.mark.rule("CS-BRD-02", "CS-BRD-03")
def test_eleven_key_provinces_carry_two_numbers_and_italia_three() -> None:
    keys = {area.id: area.key.vp for area in CONQUEST.areas if area.key}
    assert set(keys) == {
        "hispania", "narbonensis", "italia", "neapolis", "sicilia", "achaia", "asia", "galatia", "mesopotamia",
        "egypt", "numidia",
    }  # fmt: skip
    assert {area_id: len(numbers) for area_id, numbers in keys.items() if len(numbers) != 2} == {"italia": 3}
    assert keys[AreaId("egypt")] == keys[AreaId("neapolis")] == (15, 5)


@pytest.mark.rule("CS-BRD-04")
def test_the_campaign_board_has_the_same_crossings() -> None:
    assert sum(border.kind == "strait" for border in CONQUEST.borders) == 4


def test_every_fact_of_the_shipped_board_says_where_it_is_from() -> None:
    assert set(CONQUEST.legend) == {"seed", "published", "reconstructed"}
    for area in CONQUEST.areas:
        facts = {"exists", "position"}
        if area.kind == "land":
            facts |= {"tribute", "home", "key_member", "key", "coasts"}
        assert set(area.provenance) == facts, area.id
        assert area.source
        assert area.position is not None
    for border in CONQUEST.borders:
        facts = {"exists", "strait_sea"} if border.kind == "strait" else {"exists"}
        assert set(border.provenance) == facts, border.between
        assert border.source


# --- Reading ----------------------------------------------------------------------------------------------------------

UNREADABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not JSON"),
    "text": (b"a board", "not JSON"),
    "cut short": (RAW[:5000], "not JSON"),
    "trailing text": (RAW + b"x", "not JSON: JSON is malformed: trailing characters"),
    "a list": (b"[]", "the board: expected `object`, got `array`"),
    "latin-1": (RAW.replace(b"Achaia", b"Acha\xefa"), "not UTF-8 text; a board is JSON in UTF-8"),
    "nothing in it": (b"{}", "the board: object missing required field `id`"),
    "unknown field of the board": (
        damaged(lambda board: board.update(colour="red")),
        "the board: object contains unknown field `colour`; known are id, family, title, areas, borders, legend,",
    ),
    "unknown field of an area": (
        damaged(lambda board: area(board, "africa-proconsularis").update(tribute=10)),
        "areas[1] (africa-proconsularis): object contains unknown field `tribute`; known are id, name, kind, island,",
    ),
    "unknown field of a coast": (
        damaged(lambda board: area(board, "achaia")["coasts"][0].update(name="south")),
        "areas[0].coasts[0] (achaia): object contains unknown field `name`; known are id, seas",
    ),
    "unknown field of a key": (
        damaged(lambda board: area(board, "achaia")["key"].update(points=[1])),
        "areas[0].key (achaia): object contains unknown field `points`; known are vp",
    ),
    "unknown field of a border": (
        damaged(lambda board: border(board, "achaia", "macedonia").update(sea=True)),
        "borders[0] (achaia - macedonia): object contains unknown field `sea`; known are between, kind, strait_sea,",
    ),
    "tribute in words": (
        damaged(lambda board: area(board, "achaia")["values"].update(tribute="ten")),
        "areas[0].values[...] (achaia): expected `int`, got `str`",
    ),
    "tribute null": (
        damaged(lambda board: area(board, "achaia")["values"].update(tribute=None)),
        "areas[0].values[...] (achaia): expected `int`, got `null`",
    ),
    "tribute with a fraction": (
        damaged(lambda board: area(board, "achaia")["values"].update(tribute=10.5)),
        "areas[0].values[...] (achaia): expected `int`, got `float`",
    ),
    "tribute below zero": (
        damaged(lambda board: area(board, "achaia")["values"].update(tribute=-5)),
        "areas[0].values[...] (achaia): expected `int` >= 0",
    ),
    "tribute beyond every JSON reader": (
        damaged(lambda board: area(board, "achaia")["values"].update(tribute=2**53)),
        "areas[0].values[...] (achaia): expected `int` <= 9007199254740991",
    ),
    "island as a number": (
        damaged(lambda board: area(board, "achaia").update(island=0)),
        "areas[0].island (achaia): expected `bool`, got `int`",
    ),
    "a third kind of area": (
        damaged(lambda board: area(board, "achaia").update(kind="swamp")),
        "areas[0].kind (achaia): invalid enum value 'swamp'; use land or sea",
    ),
    "a fourth kind of border": (
        damaged(lambda board: border(board, "achaia", "macedonia").update(kind="bridge")),
        "borders[0].kind (achaia - macedonia): invalid enum value 'bridge'; use land or strait or sea",
    ),
    "an area without kind": (
        damaged(lambda board: area(board, "achaia").pop("kind")),
        "areas[0] (achaia): object missing required field `kind`",
    ),
    "an area that is text": (
        damaged(lambda board: board["areas"].insert(0, "achaia")),
        "areas[0]: expected `object`, got `str`",
    ),
    "a border of one end": (
        damaged(lambda board: border(board, "achaia", "macedonia").update(between=["achaia"])),
        "borders[0].between (achaia): expected `array` of length 2",
    ),
    "position in three dimensions": (
        damaged(lambda board: area(board, "achaia").update(position=[1, 2, 3])),
        "areas[0].position (achaia): expected `array` of length 2",
    ),
    "wrong here and malformed further on": (
        b'{"id":"x","family":"conquest","title":"X","areas":[{"id":1},,,',
        "areas[0].id: expected `str`, got `int`",
    ),
    "a field given twice": (
        RAW.replace(b'"name": "Achaia",', b'"name": "Achaia", "name": "Achaea",'),
        'field `name` of "achaia" is given 2 times; give it once',
    ),
    "the areas given twice": (
        RAW.replace(b'"areas": [', b'"areas": [], "areas": [', 1),
        'field `areas` of "conquest" is given 2 times; give it once',
    ),
}


@pytest.mark.parametrize(("raw", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_board_is_refused_in_one_line(raw: bytes, message: str) -> None:
    with pytest.raises(BoardError) as refused:
        parse_board(raw)
    (problem,) = refused.value.problems
    assert message in problem
    assert "\n" not in problem


def test_a_board_that_is_written_and_read_again_is_the_same() -> None:
    assert parse_board(msgspec.json.encode(CONQUEST)) == CONQUEST


# --- Checking ---------------------------------------------------------------------------------------------------------


def rename(board: Row, old: str, new: str) -> None:
    area(board, old)["id"] = new


def add_border(board: Row, one: str, other: str, kind: str, **more: object) -> None:
    board["borders"].append({"between": [one, other], "kind": kind, **more})


def cut_off(board: Row, *area_ids: str) -> None:
    """Leave no way between these areas and the others."""
    board["borders"] = [row for row in board["borders"] if len(set(row["between"]) & set(area_ids)) != 1]


INVALID: dict[str, tuple[Callable[[Row], object], str]] = {
    "board id is no slug": (lambda board: board.update(id="Conquest!"), "board id 'Conquest!' is not a slug"),
    "no title": (lambda board: board.update(title=" "), "the board has no title"),
    "no areas": (lambda board: board.update(areas=[], borders=[]), "the board has no land area"),
    "unknown family": (lambda board: board.update(family="go"), "family 'go' is unknown; known are conquest"),
    "id twice": (
        lambda board: board["areas"].append(copy.deepcopy(area(board, "mare-amisus"))),
        "area id 'mare-amisus' is given 2 times; ids are unique",
    ),
    "id is no slug": (lambda board: rename(board, "dacia", "Dacia Felix"), "area id 'Dacia Felix' is not a slug"),
    "id ends in a hyphen": (lambda board: rename(board, "dacia", "dacia-"), "area id 'dacia-' is not a slug"),
    "id ends in a newline": (lambda board: rename(board, "dacia", "dacia\n"), r"area id 'dacia\n' is not a slug"),
    "renamed in one place only": (
        lambda board: rename(board, "dacia", "dakia"),
        "border dacia - moesia: 'dacia' is no area of this board, but a land border joins two land areas",
    ),
    "no name": (lambda board: area(board, "dacia").update(name=""), "dacia: '' is no name"),
    "blank around an alias": (lambda board: area(board, "dacia").update(aliases=["Dakia "]), "dacia: 'Dakia ' is no"),
    "alias repeats the name": (
        lambda board: area(board, "dacia").update(aliases=["DACIA"]),
        "dacia: name or alias 'dacia' is given twice",
    ),
    "alias is another's name": (
        lambda board: area(board, "dacia").update(aliases=["Moesia"]),
        "name or alias 'moesia' is borne by dacia, moesia",
    ),
    "sea with a coast": (
        lambda board: area(board, "mare-amisus").update(coasts=[{"id": "coast", "seas": ["mare-rhodus"]}]),
        "mare-amisus: a sea has no `coasts`",
    ),
    "sea that is an island": (lambda board: area(board, "mare-amisus").update(island=True), "a sea has no `island`"),
    "sea that is a home": (lambda board: area(board, "mare-amisus").update(home=True), "a sea has no `home`"),
    "sea that is a key": (lambda board: area(board, "mare-amisus").update(key={"vp": [5]}), "a sea has no `key`"),
    "sea with tribute": (
        lambda board: area(board, "mare-amisus").update(values={"tribute": 5}),
        "mare-amisus: a sea has no tribute; leave it out",
    ),
    "province without tribute": (
        lambda board: area(board, "dacia").update(values={}),
        "dacia: has no tribute; give 5 or 10",
    ),
    "tribute of 0": (
        lambda board: area(board, "dacia").update(values={"tribute": 0}),
        "dacia: tribute is 0; it must be 5 or 10",
    ),
    "tribute of 20": (
        lambda board: area(board, "syria").update(values={"tribute": 20}),
        "syria: tribute is 20; it must be 5 or 10",
    ),
    "misspelt value": (
        lambda board: area(board, "dacia").update(values={"tribute": 5, "tribut": 5}),
        "dacia: value 'tribut' is unknown to conquest; known are tribute",
    ),
    "trait of another game": (
        lambda board: area(board, "dacia").update(traits={"resources": ["gold"]}),
        "dacia: trait 'resources' is unknown to conquest; known are none",
    ),
    "no home": (
        lambda board: [row.update(home=False) for row in board["areas"] if row["kind"] == "land"],
        "no area is a home",
    ),
    "key without numbers": (lambda board: area(board, "egypt").update(key={"vp": []}), "egypt: key.vp is []"),
    "key with a zero": (lambda board: area(board, "egypt").update(key={"vp": [15, 0]}), "egypt: key.vp is [15, 0]"),
    "island without a coast": (
        lambda board: area(board, "creta").update(coasts=[]),
        "creta: an island has no coast; give it one, or set island to false",
    ),
    "island with a land border": (
        lambda board: add_border(board, "sicilia", "italia", "land"),
        "border sicilia - italia: 'sicilia' is an island and has no land border",
    ),
    "coast id twice": (
        lambda board: area(board, "italia")["coasts"][0].update(id="west"),
        "italia: coast id 'west' is given twice",
    ),
    "coast id no slug": (lambda board: area(board, "italia")["coasts"][0].update(id=""), "italia, coast '': the coast"),
    "coast on no sea": (
        lambda board: area(board, "italia")["coasts"][0].update(seas=[]),
        "italia, coast 'east': faces no sea",
    ),
    "coast on a sea twice": (
        lambda board: area(board, "italia")["coasts"][0].update(seas=["mare-adriaticum", "mare-adriaticum"]),
        "italia, coast 'east': names 'mare-adriaticum' twice",
    ),
    "coast on the Red Sea": (
        lambda board: area(board, "egypt")["coasts"][0]["seas"].append("mare-rubrum"),
        "egypt, coast 'coast': 'mare-rubrum' is no area of this board",
    ),
    "coast on land": (
        lambda board: area(board, "egypt")["coasts"][0]["seas"].append("syria"),
        "egypt, coast 'coast': 'syria' is land, not sea",
    ),
    "border with itself": (
        lambda board: add_border(board, "dacia", "dacia", "land"),
        "border dacia - dacia: an area does not border on itself",
    ),
    "border with nothing": (
        lambda board: add_border(board, "dacia", "sarmatia", "land"),
        "border dacia - sarmatia: 'sarmatia' is no area of this board",
    ),
    "border given again the other way": (
        lambda board: add_border(board, "moesia", "dacia", "land"),
        "border dacia - moesia is given 2 times; one border joins a pair, in either direction",
    ),
    "strait where there is a border": (
        lambda board: add_border(board, "moesia", "thracia", "strait", strait_sea="mare-pontus-euxinus"),
        "border moesia - thracia is given 2 times",
    ),
    "land border into the sea": (
        lambda board: add_border(board, "syria", "mare-rhodus", "land"),
        "border syria - mare-rhodus: 'mare-rhodus' is sea, not land, but a land border joins two land areas",
    ),
    "sea border onto land": (
        lambda board: add_border(board, "syria", "mare-rhodus", "sea"),
        "border syria - mare-rhodus: 'syria' is land, not sea, but a sea border joins two sea areas",
    ),
    "strait into the sea": (
        lambda board: add_border(board, "syria", "mare-rhodus", "strait", strait_sea="mare-rhodus"),
        "'mare-rhodus' is sea, not land, but a strait border joins two land areas",
    ),
    "strait across nothing": (
        lambda board: border(board, "asia", "thracia").update(strait_sea=None),
        "border asia - thracia: a strait has no strait_sea; name the sea zone that it crosses",
    ),
    "strait across an unknown sea": (
        lambda board: border(board, "asia", "thracia").update(strait_sea="propontis"),
        "border asia - thracia: strait_sea: 'propontis' is no area of this board",
    ),
    "strait across land": (
        lambda board: border(board, "asia", "thracia").update(strait_sea="moesia"),
        "border asia - thracia: strait_sea: 'moesia' is land, not sea",
    ),
    "strait across a sea elsewhere": (
        lambda board: border(board, "asia", "thracia").update(strait_sea="mare-rhodus"),
        "border asia - thracia: no coast of 'thracia' faces 'mare-rhodus', the sea of the strait",
    ),
    "strait's other sea elsewhere": (
        lambda board: border(board, "asia", "thracia").update(strait_sea_alternatives=["mare-rhodus"]),
        "border asia - thracia: no coast of 'thracia' faces 'mare-rhodus'",
    ),
    "strait's other sea the same": (
        lambda board: border(board, "asia", "thracia").update(strait_sea_alternatives=["mare-aegaeum"]),
        "border asia - thracia: 'mare-aegaeum' is named twice as the sea of the strait",
    ),
    "land border with a strait's sea": (
        lambda board: border(board, "moesia", "thracia").update(strait_sea="mare-pontus-euxinus"),
        "border moesia - thracia: a land border has no strait_sea; leave it out, or make it a strait",
    ),
    "province cut off": (
        lambda board: cut_off(board, "dacia"),
        "dacia: cut off from the rest of the board; give a border, strait or coast that leads there",
    ),
    "provinces cut off together": (
        lambda board: (
            board["borders"].remove(border(board, "arabia-petraea", "egypt")) or cut_off(board, "noricum", "raetia")
        ),
        "noricum, raetia: cut off from the rest of the board",
    ),
    "sea cut off": (
        lambda board: board["areas"].append({"id": "mare-caspium", "name": "Mare Caspium", "kind": "sea"}),
        "mare-caspium: cut off from the rest of the board",
    ),
    "mark that the legend lacks": (
        lambda board: area(board, "dacia")["provenance"].update(exists="guessed"),
        "dacia: provenance of exists is 'guessed'; the legend has published, reconstructed, seed",
    ),
    "mark of a border that the legend lacks": (
        lambda board: border(board, "dacia", "moesia")["provenance"].update(exists="guessed"),
        "border dacia - moesia: provenance of exists is 'guessed'",
    ),
    "provenance of nothing": (
        lambda board: area(board, "dacia")["provenance"].update({"": "seed"}),
        "dacia: provenance of '', which is no name of a fact",
    ),
    "source that is not listed": (
        lambda board: area(board, "dacia").update(source="rules [R1, R9]"),
        "dacia: source cites [R9]; sources has D1, D2, D3, D4, R1, R2, R3",
    ),
}


@pytest.mark.parametrize(("damage", "message"), INVALID.values(), ids=INVALID)
def test_a_damaged_board_is_refused_with_what_would_be_right(damage: Callable[[Row], object], message: str) -> None:
    board = parse_board(damaged(damage))
    with pytest.raises(BoardError) as refused:
        validate(board)
    assert any(message in problem for problem in refused.value.problems), refused.value.problems


def test_every_problem_of_a_board_is_named_at_once() -> None:
    def damage(board: Row) -> None:
        area(board, "dacia")["values"]["tribute"] = 7
        area(board, "creta")["coasts"] = []
        border(board, "asia", "thracia")["strait_sea"] = None

    with pytest.raises(BoardError) as refused:
        validate(parse_board(damaged(damage)))
    assert len(refused.value.problems) == 3
    assert str(refused.value) == "; ".join(refused.value.problems)


def test_a_corrected_board_is_accepted_and_is_another_board() -> None:
    def correct(board: Row) -> None:
        board["legend"]["organizer"] = "read off the printed board by the organizer"
        strait = border(board, "asia", "thracia")
        strait.update(strait_sea="mare-pontus-euxinus", strait_sea_alternatives=[])
        strait["provenance"]["strait_sea"] = "organizer"

    corrected = Map.of(parse_board(damaged(correct)))
    assert corrected.strait_between(AreaId("thracia"), AreaId("asia")) == "mare-pontus-euxinus"
    assert corrected.digest != MAP.digest


SCRAPS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["land", "sea", "strait", "dacia", "mare-narbo", [], {}, ["dacia", "moesia"], {"id": "dacia"}]),
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """List every place in the file: what holds it, and under which field or index."""
    entries = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    below = [place for _, entry in entries if isinstance(entry, dict | list) for place in places(entry)]
    return [(value, key) for key, _ in entries] + below


def refusal(raw: bytes) -> tuple[str, ...]:
    """Read and check a board; nothing but BoardError may come of it."""
    try:
        validate(parse_board(raw))
    except BoardError as refused:
        return refused.problems or ("refused without a reason\n",)
    return ()


@given(st.data())
@settings(deadline=None)
def test_whatever_is_damaged_the_board_is_playable_or_refused_in_lines(data: st.DataObject) -> None:
    board = json.loads(RAW)
    for _ in range(data.draw(st.integers(1, 3))):
        found = places(board)
        holder, key = found[data.draw(st.integers(0, len(found) - 1))]
        if data.draw(st.booleans()):
            holder[key] = data.draw(SCRAPS)
        else:
            del holder[key]
    assert all(problem and "\n" not in problem for problem in refusal(packed(board)))


@given(st.binary(max_size=4), st.integers(0, len(RAW)))
@settings(deadline=None)
def test_whatever_bytes_are_damaged_the_board_is_playable_or_refused_in_lines(scrap: bytes, at: int) -> None:
    assert all(problem and "\n" not in problem for problem in refusal(RAW[:at] + scrap + RAW[at + len(scrap) :]))


# --- The board's identity ---------------------------------------------------------------------------------------------


def test_the_digest_is_that_of_the_canonical_bytes() -> None:
    assert MAP.digest == f"sha256:{hashlib.sha256(canonical(CONQUEST)).hexdigest()}"


def test_the_canonical_bytes_are_those_of_rfc_8785() -> None:
    # Of strings, booleans, null and small integers under ASCII keys, sorted compact JSON is RFC 8785.
    facts = json.loads(canonical(CONQUEST))
    assert canonical(CONQUEST) == json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert set(facts) == {"id", "family", "areas", "borders"}


def test_the_canonical_bytes_give_the_board_back() -> None:
    again = from_canonical(json.loads(canonical(CONQUEST)))
    assert canonical(again) == canonical(CONQUEST)
    for no_board in (None, [], {}, {"id": "nowhere"}, {**json.loads(canonical(CONQUEST)), "more": 1}):
        with pytest.raises(msgspec.ValidationError):
            from_canonical(no_board)


def test_the_shipped_board_does_not_change_unnoticed() -> None:
    # Games hold this digest. A mended fact is a new board for new games: then, and only then, change it here.
    assert MAP.digest == "sha256:660fe5c2b463c4bfb9d6bf03bb68c2865f0b0b8c56e129756339b38078c7e9d8"


FACTS: dict[str, Callable[[Row], object]] = {
    "id": lambda board: board.update(id="conquest-corrected"),
    "name": lambda board: area(board, "raetia").update(name="Rhaetia"),
    "tribute": lambda board: area(board, "dacia").update(values={"tribute": 10}),
    "home": lambda board: area(board, "dacia").update(home=True),
    "key": lambda board: area(board, "dacia").update(key={"vp": [5]}),
    "island": lambda board: area(board, "creta").update(island=False),
    "coast": lambda board: area(board, "dacia").update(coasts=[{"id": "coast", "seas": ["mare-pontus-euxinus"]}]),
    "coast id": lambda board: area(board, "italia")["coasts"][0].update(id="north"),
    "border": lambda board: board["borders"].remove(border(board, "cilicia", "galatia")),
    "sea border": lambda board: board["borders"].remove(border(board, "mare-pelusium", "mare-rhodus")),
    "strait made a border": lambda board: border(board, "asia", "thracia").update(
        kind="land", strait_sea=None, strait_sea_alternatives=[]
    ),
}


@pytest.mark.parametrize("change", FACTS.values(), ids=FACTS)
def test_another_fact_makes_another_digest(change: Callable[[Row], object]) -> None:
    assert Map.of(parse_board(damaged(change))).digest != MAP.digest


REMARKS: dict[str, Callable[[Row], object]] = {
    "title": lambda board: board.update(title="Conquest"),
    "notes": lambda board: board.update(notes=[]),
    "source": lambda board: area(board, "dacia").update(source="seen on the board"),
    "provenance": lambda board: area(board, "dacia").update(provenance={}),
    "position": lambda board: area(board, "dacia").update(position=[0.5, 1e-7]),
    "aliases": lambda board: area(board, "raetia").update(aliases=[]),
    "alternatives": lambda board: border(board, "asia", "thracia").update(strait_sea_alternatives=[]),
}


@pytest.mark.parametrize("change", REMARKS.values(), ids=REMARKS)
def test_a_mended_remark_leaves_the_digest(change: Callable[[Row], object]) -> None:
    mended = parse_board(damaged(change))
    assert Map.of(mended).digest == MAP.digest
    assert Map.of(mended).board == mended  # and yet the map shows the mended board, not the one met first


@given(st.integers(0, 2**32))
@settings(deadline=None)
def test_the_order_of_the_file_does_not_matter_to_play(seed: int) -> None:
    random = Random(seed)
    board = json.loads(RAW)
    for rows in (board["areas"], board["borders"]):
        random.shuffle(rows)
    for row in board["borders"]:
        random.shuffle(row["between"])
    for row in board["areas"]:
        random.shuffle(row.get("coasts", []))
        for coast in row.get("coasts", []):
            random.shuffle(coast["seas"])
    shuffled = Map.of(parse_board(packed(board)))
    assert shuffled.digest == MAP.digest
    assert (shuffled.lands, shuffled.seas, shuffled.homes) == (MAP.lands, MAP.seas, MAP.homes)
    for land in MAP.lands:
        assert shuffled.land_neighbours(land) == MAP.land_neighbours(land)
        assert [coast.id for coast in shuffled.coasts(land)] == [coast.id for coast in MAP.coasts(land)]
    for sea in MAP.seas:
        assert shuffled.sea_neighbours(sea) == MAP.sea_neighbours(sea)
        assert shuffled.coasts_on(sea) == MAP.coasts_on(sea)


# --- Play -------------------------------------------------------------------------------------------------------------


def test_the_map_of_a_board_is_made_once() -> None:
    assert builtin("conquest") is CONQUEST
    assert Map.of(parse_board(RAW)) is Map.of(CONQUEST)


def test_an_area_that_the_board_lacks_is_an_error_and_can_be_asked_for() -> None:
    nowhere = AreaId("sarmatia")
    assert nowhere not in MAP
    assert AreaId("dacia") in MAP
    for question in (MAP.area, MAP.land_neighbours, MAP.sea_neighbours, MAP.coasts, MAP.coasts_on):
        with pytest.raises(KeyError):
            question(nowhere)


def test_the_map_of_a_board_names_it() -> None:
    assert repr(MAP) == f"Map('conquest', '{MAP.digest}')"


@pytest.mark.parametrize("board_id", ["chess", "../conquest", "conquest.json", ""])
def test_there_is_no_other_built_in_board(board_id: str) -> None:
    with pytest.raises(BoardError, match="there are conquest"):
        builtin(board_id)


def test_a_small_board_needs_no_more_than_its_facts() -> None:
    board = parse_board(
        b"""{
            "id": "strait", "family": "conquest", "title": "Two shores",
            "areas": [
                {"id": "west", "name": "West", "kind": "land", "home": true, "values": {"tribute": 10},
                 "coasts": [{"id": "coast", "seas": ["sound"]}]},
                {"id": "east", "name": "East", "kind": "land", "values": {"tribute": 5},
                 "coasts": [{"id": "coast", "seas": ["sound"]}]},
                {"id": "sound", "name": "Sound", "kind": "sea"}
            ],
            "borders": [{"between": ["west", "east"], "kind": "strait", "strait_sea": "sound"}]
        }"""
    )
    map_ = Map.of(board)
    assert isinstance(board, Board)
    assert map_.land_neighbours(AreaId("west")) == ids("east")
    assert map_.strait_between(AreaId("east"), AreaId("west")) == "sound"
    assert map_.coasts_on(AreaId("sound")) == ((AreaId("east"), "coast"), (AreaId("west"), "coast"))
