"""What a picture of a Classic table shows."""

from typing import Any

from domain.boards import builtin
from domain.classic.box.editions import FRIZ
from domain.classic.box.state import Battle, Combat, Fleet, NavalBattle, Side
from domain.classic.box.table import Table
from domain.classic.display import view
from domain.classic.display.marks import of, printed
from domain.classic.ruleset import Classic
from domain.classic.start.position import arrange
from domain.kernel.ids import AreaId, Seat
from domain.kernel.rules.marks import Link, Mark, Marks, Place, Stack, lost_pieces
from domain.kernel.rules.message import Names

RED, BLUE = Seat("red"), Seat("blue")
BOARD = builtin("conquest")
NAMES = Names({area.id: area.name for area in BOARD.areas}, (RED, BLUE))


def arranged(**given: Any) -> Table:
    """Return a position of red (Macedonia) and blue (Egypt)."""
    return arrange({"players": {"red": "macedonia", "blue": "egypt"}, **given}, FRIZ, BOARD)


def shown(**given: Any) -> Marks:
    return of(view.of(arranged(**given)), NAMES)


def place(marks: Marks, area: str) -> Place:
    return marks.places[AreaId(area)]


def words(marks: Marks, area: str) -> list[str]:
    return [stack.words for stack in place(marks, area).stacks]


def test_armies_with_their_leaders() -> None:
    force = {"seat": "red", "at": "thracia", "infantry": 3, "catapults": 1, "leaders": ["general-2", "general-1"]}
    marks = shown(forces=[force, {"seat": "blue", "at": "thracia", "cavalry": 1}])
    red, blue = place(marks, "thracia").stacks
    assert red == Stack(
        RED,
        (
            Mark("infantry", 3, words="3 infantry"),
            Mark("catapults", 1, words="1 catapult"),
            Mark("general", label="1", words="General 1"),
            Mark("general", label="2", words="General 2"),
        ),
        "Red: 3 infantry, 1 catapult, General 1 and General 2",
    )
    assert blue.words == "Blue: 1 cavalry"
    assert place(marks, "thracia").owner is None


def test_a_leader_of_another_colour_says_so() -> None:
    prisoner = {"general": "blue-general-3", "captor": "red"}
    (standing, _) = shown(prisoners=[prisoner]).standings
    assert standing.items == (Mark("prisoner", label="3", seat=BLUE, words="Blue General 3, prisoner"),)
    serving = shown(
        fallen={"blue": "red"}, forces=[{"seat": "red", "at": "asia", "leaders": ["blue-general-1", "general-1"]}]
    )
    assert words(serving, "asia") == ["Red: Blue General 1 and General 1"]
    assert [mark.label for mark in place(serving, "asia").stacks[0].marks] == ["B1", "1"]


def test_owners_cities_and_fortifications() -> None:
    marks = shown(owned={"red": ["asia", "syria"]}, cities=["asia"], fortified=[])
    assert place(marks, "asia") == Place(RED, (Mark("city", words="city"),))
    assert place(marks, "syria") == Place(RED)
    fortified = shown(owned={"red": ["asia"]}, cities=["asia"], fortified=["asia"])
    assert place(fortified, "asia").sites == (Mark("fortified-city", words="fortified city"),)


def test_galleys_at_sea_and_on_a_coast_with_their_cargo() -> None:
    marks = shown(
        forces=[
            {"seat": "red", "at": "mare-aegaeum", "galley": 1, "infantry": 2, "leaders": ["general-1"]},
            {"seat": "red", "at": "mare-aegaeum", "galley": 2},
            {"seat": "red", "at": "mare-aegaeum", "galley": 3},
            {"seat": "blue", "at": "creta", "coast": "coast", "galley": 4},
        ]
    )
    assert words(marks, "mare-aegaeum") == [
        "Red galley 1 at sea with 2 infantry and General 1",
        "Red: 2 galleys at sea",
    ]
    loaded, empty = place(marks, "mare-aegaeum").stacks
    assert [mark.kind for mark in loaded.marks] == ["galley", "infantry", "general"]
    assert [(mark.kind, mark.count) for mark in empty.marks] == [("galley", 2)]
    assert words(marks, "creta") == ["Blue: galley on the coast"]


def test_galleys_of_one_province_lie_on_the_coast_that_each_is_on() -> None:
    forces = [
        {"seat": "red", "at": "italia", "coast": coast, "galley": number, "infantry": infantry}
        for number, (coast, infantry) in enumerate((("east", 0), ("west", 0), ("east", 0), ("west", 2)), start=1)
    ]
    marks = shown(forces=[*forces, {"seat": "red", "at": "italia", "infantry": 1}])
    assert [(stack.words, stack.coast) for stack in place(marks, "italia").stacks] == [
        ("Red: 1 infantry", ""),
        ("Red galley 4 on the west coast with 2 infantry", "west"),
        ("Red: 2 galleys on the east coast", "east"),
        ("Red: galley on the west coast", "west"),
    ]


def test_battles_under_way_and_those_to_be_fought() -> None:
    table = arranged(
        forces=[
            *({"seat": seat, "at": at, "infantry": 1} for seat in ("red", "blue") for at in ("asia", "syria")),
            *({"seat": seat, "at": "mare-rhodus", "galley": 1} for seat in ("red", "blue")),
        ]
    )
    asia, syria, sea = AreaId("asia"), AreaId("syria"), AreaId("mare-rhodus")
    table.combat = Combat(battles=(asia, syria))
    table.battle = Battle(asia, Side(RED), Side(BLUE), round=2)
    table.naval_battle = NavalBattle(sea, Fleet(BLUE, ()), Fleet(RED, ()))
    marks = of(view.of(table), NAMES)
    assert place(marks, "asia").battle == "battle, round 2: Red against Blue"
    assert place(marks, "mare-rhodus").battle == "naval battle, cycle 1: Blue against Red"
    assert (place(marks, "syria").battle, place(marks, "syria").sites[0].kind) == ("", "battle-due")
    assert place(marks, "asia").sites == ()


def test_roads_and_standings() -> None:
    marks = shown(roads=[["thracia", "macedonia"]], owned={"red": ["thracia"]}, talents={"red": 25}, turn="red")
    assert marks.links == (
        Link("road", (AreaId("macedonia"), AreaId("thracia")), "road between Macedonia and Thracia"),
    )
    red = next(each for each in marks.standings if each.seat == RED)
    assert (red.active, red.out) == (True, "")
    assert (red.figures["talents"], red.figures["provinces"]) == (25, 2)


def test_the_winner_is_not_out_and_nobody_is_to_move() -> None:
    table = arranged(fallen={"blue": "red"})
    table.active, table.winner = RED, RED
    red, blue = of(view.of(table), NAMES).standings
    assert (red.won, red.active, red.out) == (True, False, "")
    assert (blue.won, blue.active, blue.out) == (False, False, "fell to Red")


def test_the_yield_of_a_province_is_printed() -> None:
    assert printed(BOARD)[AreaId("italia")] == (Mark("tribute", label="10", words="tribute 10 talents"),)
    assert AreaId("mare-aegaeum") not in printed(BOARD)


def test_a_city_that_was_fortified_is_not_gone() -> None:
    city, fortified = shown(cities=["macedonia"]), shown(fortified=["macedonia"])
    assert lost_pieces(city, fortified, RED, {}) == {"city": 1}
    assert lost_pieces(city, fortified, RED, Classic.guises) == {}
