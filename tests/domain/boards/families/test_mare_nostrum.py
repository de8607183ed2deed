"""The board of Mare Nostrum: what the rules say of it, and what makes another one playable."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import resources
from typing import Any, cast

import pytest

from domain.boards import BoardError, builtin, drawing_of, parse_board, validate
from domain.boards.families.mare_nostrum import CIVILIZATIONS, GOODS
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.board import Area, Board, Map
from domain.mare_nostrum.box.data import CARDS, OWN_HERO, PRICES, Item
from domain.mare_nostrum.ruleset import MareNostrum

RAW = resources.files("domain.boards").joinpath("mare-nostrum.json").read_text()
BOARD = builtin("mare-nostrum")
MAP = Map.of(BOARD)


def seas(land: str) -> set[str]:
    return {sea for coast in MAP.coasts(AreaId(land)) for sea in coast.seas}


@pytest.mark.rule("MN-BRD-01", "MN-BRD-02")
def test_it_has_the_published_number_of_areas_and_islands_are_provinces() -> None:
    assert len(MAP.lands) == 33
    assert len(MAP.seas) == 10
    assert {area.id for area in BOARD.areas if area.island} < set(MAP.lands)
    for land in MAP.lands:
        area = MAP.area(land)
        assert area.value("city_sites") in (0, 1)
        icons = area.traits.get("resources", ())
        assert len(set(icons)) == len(icons)


def test_the_icons_of_a_good_fit_its_cards() -> None:
    icons = Counter(good for area in BOARD.areas for good in area.traits.get("resources", ()))
    assert sum(icons.values()) == 38
    assert {good: 2 * number + 1 for good, number in icons.items()} == {
        **dict.fromkeys(("perfume", "papyrus", "gold", "gems"), 5),
        **dict.fromkeys(("oil", "wine", "livestock", "fruit", "metal"), 7),
        **dict.fromkeys(("grain", "fish", "slaves"), 11),
    }
    assert set(icons) == set(GOODS)


@pytest.mark.rule("MN-BRD-05")
def test_carthage_shows_perfume_and_fruit() -> None:
    assert set(MAP.area(AreaId("carthage")).traits["resources"]) == {"perfume", "fruit"}


@pytest.mark.rule("MN-BRD-06")
def test_the_provinces_along_the_aegean() -> None:
    assert {land for land, _ in MAP.coasts_on(AreaId("aegean-sea"))} == {
        "athens",
        "constantinople",
        "troy",
        "rhodes",
        "knossos",
    }


@pytest.mark.rule("MN-BRD-07")
def test_two_sea_spaces_lie_between_athens_and_alexandria() -> None:
    near, far = seas("athens"), seas("alexandria")
    assert not near & far
    assert any(set(MAP.sea_neighbours(AreaId(sea))) & far for sea in near)


@pytest.mark.rule("MN-BRD-08")
def test_rome_lies_beyond_the_sea_between_athens_and_syracuse() -> None:
    between = seas("athens") & seas("syracuse")
    assert len(between) == 1
    assert not between & seas("rome")
    assert "adriatic-sea" in MAP.sea_neighbours(AreaId(between.pop()))
    assert "adriatic-sea" in seas("rome")


@pytest.mark.rule("MN-BRD-09")
def test_every_civilization_has_its_capital() -> None:
    capitals = {MAP.area(home).traits["capital_of"]: home for home in MAP.homes}
    assert capitals == {
        ("rome",): "rome",
        ("carthage",): "carthage",
        ("greece",): "athens",
        ("egypt",): "alexandria",
        ("babylon",): "babylon",
    }


def test_every_fact_is_marked_with_where_it_is_from() -> None:
    for area in BOARD.areas:
        wanted = {"exists", "name", "position"}
        if area.kind == "land":
            icons = {f"resources_{good}" for good in area.traits.get("resources", ())}
            wanted |= {"city_sites", *icons, *marked(area, "coasts", seas(area.id) or ("",))}
            wanted |= marked(area, "start", area.traits.get("start", ()))
            wanted |= {"capital_of", "free_start_of"} & set(area.traits)
        assert wanted == set(area.provenance), area.id
        assert area.source
    assert all(border.provenance["exists"] in BOARD.legend for border in BOARD.borders)


def marked(area: Area, fact: str, parts: Iterable[str]) -> set[str]:
    """Return the marks that a fact of an area needs: one for all of it, or one for each part."""
    by_part = {f"{fact}_{part.replace('-', '_')}" for part in parts}
    return by_part if by_part & set(area.provenance) else {fact} if by_part else set()


def test_what_has_invented_parts_is_marked_part_by_part() -> None:
    """A single mark would pass off a sea, or a caravan, that is our reconstruction as stated or published."""
    for area in BOARD.areas:
        parts = {"coasts": seas(area.id) if area.kind == "land" else (), "start": area.traits.get("start", ())}
        several = {area.provenance.get(fact) for fact in parts if len(parts[fact]) > 1}
        assert several <= {None, "reconstructed"}, area.id
    seas_of_rome = {sea: MAP.area(AreaId("rome")).provenance[f"coasts_{sea}_sea"] for sea in ("adriatic", "tyrrhenian")}
    assert seas_of_rome == {"adriatic": "seed", "tyrrhenian": "reconstructed"}


@pytest.mark.rule("MN-SET-06")
@pytest.mark.parametrize(("name", "roman"), [("mare-nostrum", (5, 36)), ("mare-nostrum-1", (4, 39))])
def test_what_the_layouts_bring_and_cost(name: str, roman: tuple[int, int]) -> None:
    """An income, and a cost at list prices, hero included: equal for all but for Rome on the board of version 1."""
    found = {civilization: worth(builtin(name), civilization) for civilization in CIVILIZATIONS}
    assert found == {**dict.fromkeys(CIVILIZATIONS, (5, 36)), "rome": roman}


def worth(board: Board, civilization: str) -> tuple[int, int]:
    own = [area.traits.get("start", ()) for area in board.areas if civilization in area.traits.get("start_of", ())]
    pieces = [piece for start in own for piece in start]
    income = sum(piece == "city" or piece in GOODS for piece in pieces)
    items: list[Item] = ["caravan" if piece in GOODS else cast(Item, piece) for piece in pieces]
    hero = CARDS[OWN_HERO[Seat(civilization)]]
    return income, sum(PRICES[item] for item in items) + len(own) * PRICES["influence"] + hero.price


def test_the_board_of_version_1_is_what_it_was_and_is_drawn_on_the_same_map() -> None:
    first = builtin(MareNostrum(1).board)
    assert Map.of(first).digest == "sha256:e4945135e5ccdfedb1c0b205f323fedb4ce5028495ef106a807a122fc4e4ff1d"
    assert MareNostrum().board == BOARD.id == first.id
    assert Map.of(BOARD).digest != Map.of(first).digest
    assert drawing_of(first) is drawing_of(BOARD) is not None


# --- other boards ---


def area(board: dict[str, Any], area_id: str) -> dict[str, Any]:
    return next(row for row in board["areas"] if row["id"] == area_id)


MISTAKES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "two city sites": (lambda b: area(b, "rome").update(values={"city_sites": 2}), "rome: city_sites is 2"),
    "no city sites said": (lambda b: area(b, "rome").update(values={}), "rome: has no city_sites"),
    "unknown good": (
        lambda b: area(b, "corsica")["traits"].update(resources=["wood"]),
        "corsica: resources 'wood' is unknown; known: livestock",
    ),
    "a good twice": (
        lambda b: area(b, "corsica")["traits"].update(resources=["fish", "fish"]),
        "corsica: resources names something twice",
    ),
    "no capital": (
        lambda b: (area(b, "rome")["traits"].pop("capital_of"), area(b, "rome").update(home=False)),
        "rome has 0 capitals",
    ),
    "two capitals": (
        lambda b: (area(b, "corsica")["traits"].update(capital_of=["rome"]), area(b, "corsica").update(home=True)),
        "rome has 2 capitals",
    ),
    "capital that is no home": (lambda b: area(b, "rome").update(home=False), "rome: home is false"),
    "home that is no capital": (lambda b: area(b, "corsica").update(home=True), "corsica: home is true"),
    "capital of two": (
        lambda b: area(b, "rome")["traits"].update(capital_of=["rome", "greece"]),
        "rome: capital_of has 2 words; give at most 1",
    ),
    "capital where another begins": (
        lambda b: area(b, "rome")["traits"].update(start_of=["greece"]),
        "rome: start_of is not the civilization whose capital it is",
    ),
    "pieces of nobody": (
        lambda b: area(b, "etruria")["traits"].pop("start_of"),
        "etruria: start names pieces, but start_of no civilization",
    ),
    "caravan without an icon": (
        lambda b: area(b, "etruria")["traits"].update(start=["oil"]),
        "etruria: start has a caravan on oil, which is not among its resources",
    ),
    "unknown piece": (
        lambda b: area(b, "etruria")["traits"].update(start=["castle"]),
        "etruria: start 'castle' is unknown; known: city",
    ),
    "two cities": (
        lambda b: area(b, "rome")["traits"].update(start=["city", "city"]),
        "rome: start has 2 of 'city'",
    ),
    "city without a site": (
        lambda b: area(b, "etruria")["traits"].update(start=["city"]),
        "etruria: start has a city, but there is no city site",
    ),
    "trireme without a coast": (
        lambda b: area(b, "assyria")["traits"].update(start=["trireme"]),
        "assyria: start has a trireme, but the province has no coast",
    ),
    "sea with a trait": (
        lambda b: area(b, "black-sea").update(traits={"resources": ["fish"]}),
        "black-sea: a sea has no traits",
    ),
    "unknown trait": (
        lambda b: area(b, "rome")["traits"].update(weather=["fair"]),
        "rome: trait 'weather' is unknown to mare-nostrum",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.rule("MN-BRD-01", "MN-BRD-09")
def test_a_mistake_is_named(mistake: str) -> None:
    spoil, complaint = MISTAKES[mistake]
    board = json.loads(RAW)
    spoil(board)
    with pytest.raises(BoardError) as error:
        validate(parse_board(json.dumps(board).encode()))
    assert any(problem.startswith(complaint) for problem in error.value.problems), error.value.problems


def test_a_corrected_board_is_sound() -> None:
    board = json.loads(RAW)
    area(board, "corsica").update(values={"city_sites": 1})
    area(board, "corsica")["traits"].update(resources=["fish", "wine"])
    validate(parse_board(json.dumps(board).encode()))
    assert len(CIVILIZATIONS) == 5
