"""The shipped board has what the rule catalogue says of it, and an identity of its own."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.boards import BoardError, builtin, parse_board
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Board, Map, canonical, from_canonical
from tests.domain.boards.conquest import CONQUEST, MAP, RAW, Row, area, border, damaged, packed


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
    assert Counter(MAP.area(land).value("tribute") for land in MAP.lands) == {10: 16, 5: 26}
    assert sum(MAP.area(land).value("tribute") for land in MAP.lands) == 290
    assert not any("tribute" in MAP.area(sea).values for sea in MAP.seas)


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
    for place in CONQUEST.areas:
        facts = {"exists", "position"}
        if place.kind == "land":
            facts |= {"tribute", "home", "key_member", "key", "coasts"}
        assert set(place.provenance) == facts, place.id
        assert place.source
        assert place.position is not None
    for line in CONQUEST.borders:
        facts = {"exists", "strait_sea"} if line.kind == "strait" else {"exists"}
        assert set(line.provenance) == facts, line.between
        assert line.source


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
