"""A board that a stranger sends is looked at in work that grows with it, and no answer is larger than is of use."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from domain.boards import BoardError, parse_board, validate
from domain.boards import board as checking
from domain.boards.board import LONGEST, LONGEST_WORD, MOST, MOST_PARTS
from domain.kernel.ids import AreaId
from domain.kernel.rules.board import Area, Board, Border, Coast, Key, Map
from domain.kernel.rules.documents import LONGEST_PROBLEM, MOST_PROBLEMS
from tests.domain.boards.conquest import CONQUEST
from tests.helpers.work import LINEAR, counted, growth

Replaced = Callable[[int], Board]


def board(**parts: Any) -> Board:
    return msgspec.structs.replace(CONQUEST, **parts)


def with_area(**parts: Any) -> Board:
    return board(areas=(*CONQUEST.areas, Area(**dict[str, Any](id="ultima-thule", name="Thule", kind="sea") | parts)))


def seas(number: int) -> tuple[Area, ...]:
    return tuple(Area(AreaId(f"sea-{each}"), f"Sea {each}", "sea") for each in range(number))


WORST: dict[str, Replaced] = {
    "areas": lambda n: board(areas=seas(n)),
    "areas of one name": lambda n: board(areas=tuple(Area(AreaId("a"), "A", "sea") for _ in range(n))),
    "seas cut off": lambda n: board(areas=(*CONQUEST.areas, *seas(n))),
    "borders": lambda n: board(borders=tuple(Border((AreaId("a"), AreaId("b")), "land") for _ in range(n))),
    "marks and facts": lambda n: board(
        legend={f"m{each}": "" for each in range(n)},
        areas=(Area(AreaId("a"), "A", "sea", provenance={f"f{each}": "none" for each in range(n)}),),
    ),
    "sources and citations": lambda n: board(
        sources={f"m{each}": "" for each in range(n)},
        areas=(Area(AreaId("a"), "A", "sea", source="[X]" * n),),
    ),
    "aliases under a long id": lambda n: with_area(id="A" * n, aliases=(" ",) * n),
    "coasts": lambda n: with_area(kind="land", coasts=tuple(Coast(f"c{each}", ()) for each in range(n))),
    "seas of a coast": lambda n: with_area(
        kind="land", coasts=(Coast("c", tuple(AreaId(f"s{each}") for each in range(n))),)
    ),
    "words of a trait": lambda n: with_area(kind="land", traits={"start": ("legion",) * n}),
    "traits": lambda n: with_area(traits={f"t{each}": () for each in range(n)}),
    "places": lambda n: with_area(kind="land", key=Key((1,) * n)),
    "notes": lambda n: board(notes=("note",) * n),
}


SOUND_BUT_LARGE = {"notes"}


def refuse(given: Board) -> None:
    with pytest.raises(BoardError) as refused:
        validate(given)
    problems = refused.value.problems
    assert 0 < len(problems) <= MOST_PROBLEMS
    assert max(map(len, problems)) <= LONGEST_PROBLEM


@pytest.mark.parametrize("limited", [True, False], ids=["limited", "unlimited"])
@pytest.mark.parametrize("name", WORST)
def test_the_work_of_checking_a_board_grows_with_the_board(
    name: str, limited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not limited:  # that no limit hides what is beyond it
        monkeypatch.setattr(checking, "_size_problems", lambda board: ())
    act = refuse if limited or name not in SOUND_BUT_LARGE else validate
    assert growth(act, lambda size: counted(WORST[name](size)), 201) <= LINEAR


@pytest.mark.parametrize("name", WORST)
def test_messages_about_a_large_board_are_short(name: str) -> None:
    refuse(WORST[name](3_000))


def chained(number: int) -> Board:
    """A board of `number` seas in a row, each with an island, which is valid as long as it is small enough."""
    rows = seas(number)
    islands = tuple(
        Area(AreaId(f"isle-{each}"), f"Isle {each}", "land", island=True, values={"tribute": 5}, home=True)
        for each in range(number)
    )
    coasts = [Coast("c", (sea.id,)) for sea in rows]
    areas = [msgspec.structs.replace(isle, coasts=(coast,)) for isle, coast in zip(islands, coasts, strict=True)]
    borders = tuple(Border((one.id, other.id), "sea") for one, other in pairwise(rows))
    return Board("chain", "conquest", "A chain", (*rows, *areas), borders)


def test_the_largest_board_is_valid_and_one_area_more_is_not() -> None:
    validate(chained(MOST["areas"] // 2))
    with pytest.raises(BoardError) as refused:
        validate(chained(MOST["areas"] // 2 + 1))
    assert refused.value.problems == ("areas has 302 entries; give at most 300",)


@pytest.mark.parametrize(
    ("name", "sound", "too_large"),
    [
        ("aliases", lambda n: with_area(aliases=("x",) * n), MOST_PARTS),
        ("id", lambda n: with_area(id="a" * n), LONGEST_WORD),
        ("name", lambda n: with_area(name="a" * n), LONGEST["name"]),
        ("source", lambda n: with_area(source="a" * n), LONGEST["source"]),
        ("legend", lambda n: board(legend={f"m{each}": "" for each in range(n)}), MOST["legend"]),
        ("borders", lambda n: board(borders=CONQUEST.borders[:1] * n), MOST["borders"]),
        ("provenance", lambda n: with_area(provenance={f"f{each}": "seed" for each in range(n)}), MOST["provenance"]),
    ],
)
def test_each_limit_is_told_by_its_number(name: str, sound: Replaced, too_large: int) -> None:
    def told(size: int) -> str:
        with pytest.raises(BoardError) as refused:
            validate(sound(size))
        return str(refused.value)

    assert f"give at most {too_large}" not in told(too_large)
    assert f"{name} has {too_large + 1}" in told(too_large + 1)
    assert f"give at most {too_large}" in told(too_large + 1)


def test_a_map_is_made_in_work_that_grows_with_the_board() -> None:
    assert growth(Map, chained, 100) <= LINEAR


def test_a_repeated_field_is_named_shortly() -> None:
    with pytest.raises(BoardError) as refused:
        parse_board(b'{"id": "' + b"x" * 100_000 + b'", "id": "x"}')
    assert max(map(len, refused.value.problems)) <= LONGEST_PROBLEM
