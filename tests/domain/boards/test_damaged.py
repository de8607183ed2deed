"""A board that is damaged is refused with lines that help, and one that is only corrected is played on."""

import copy
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.boards import BoardError, parse_board, validate
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Map
from tests.domain.boards.conquest import CONQUEST, MAP, RAW, Row, area, border, damaged, packed

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
        "the board: object contains unknown field `colour`; known: id, family, title, areas, borders, legend,",
    ),
    "unknown field of an area": (
        damaged(lambda board: area(board, "africa-proconsularis").update(tribute=10)),
        "areas[1] (africa-proconsularis): object contains unknown field `tribute`; known: id, name, kind, island,",
    ),
    "unknown field of a coast": (
        damaged(lambda board: area(board, "achaia")["coasts"][0].update(name="south")),
        "areas[0].coasts[0] (achaia): object contains unknown field `name`; known: id, seas",
    ),
    "unknown field of a key": (
        damaged(lambda board: area(board, "achaia")["key"].update(points=[1])),
        "areas[0].key (achaia): object contains unknown field `points`; known: vp",
    ),
    "unknown field of a border": (
        damaged(lambda board: border(board, "achaia", "macedonia").update(sea=True)),
        "borders[0] (achaia - macedonia): object contains unknown field `sea`; known: between, kind, strait_sea,",
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
    "unknown family": (lambda board: board.update(family="go"), "family 'go' is unknown; known: conquest"),
    "id twice": (
        lambda board: board["areas"].append(copy.deepcopy(area(board, "mare-amisus"))),
        "area id 'mare-amisus' is given 2 times; ids are unique",
    ),
    "id is no slug": (lambda board: rename(board, "dacia", "Dacia Felix"), "area id 'Dacia Felix' is not a slug"),
    "id ends in a hyphen": (lambda board: rename(board, "dacia", "dacia-"), "area id 'dacia-' is not a slug"),
    "id ends in a newline": (lambda board: rename(board, "dacia", "dacia\n"), r"area id 'dacia\n' is not a slug"),
    "renamed in one place only": (
        lambda board: rename(board, "dacia", "dakia"),
        "border dacia - moesia: 'dacia' is not an area of this board, but a land border joins two land areas",
    ),
    "no name": (lambda board: area(board, "dacia").update(name=""), "dacia: '' is not a name"),
    "blank around an alias": (lambda board: area(board, "dacia").update(aliases=["Dakia "]), "dacia: 'Dakia ' is no"),
    "alias repeats the name": (
        lambda board: area(board, "dacia").update(aliases=["DACIA"]),
        "dacia: name or alias 'dacia' is given twice",
    ),
    "alias is another's name": (
        lambda board: area(board, "dacia").update(aliases=["Moesia"]),
        "name or alias 'moesia' belongs to dacia, moesia",
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
        "dacia: value 'tribut' is unknown to conquest; known: tribute",
    ),
    "trait of another game": (
        lambda board: area(board, "dacia").update(traits={"resources": ["gold"]}),
        "dacia: trait 'resources' is unknown to conquest; known: none",
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
        "egypt, coast 'coast': 'mare-rubrum' is not an area of this board",
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
        "border dacia - sarmatia: 'sarmatia' is not an area of this board",
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
        "border asia - thracia: strait_sea: 'propontis' is not an area of this board",
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
        "dacia: provenance of '', which is not a name of a fact",
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
