"""Maps: what is drawn fits the boards, and what does not fit is said."""

import math

import msgspec
import pytest

from domain.boards import BoardError, builtin, builtin_drawing, drawing_of
from domain.boards.drawing import Drawing, Outline, drawing_problems, parse_drawing
from domain.kernel.ids import AreaId
from domain.library import LIBRARY
from tests.domain.boards.shores import Shores, distance, shore

BOARDS = sorted({LIBRARY.current(ruleset).board for ruleset in LIBRARY.ids()})


def own(board: str) -> Drawing:
    drawing = builtin_drawing(board)
    assert drawing is not None
    return drawing


@pytest.mark.parametrize("board", BOARDS)
def test_a_boards_own_map_fits_it(board: str) -> None:
    assert own(board).board == board
    assert list(drawing_problems(own(board), builtin(board))) == []
    assert set(own(board).areas) == {area.id for area in builtin(board).areas}
    assert own(board).credits


@pytest.mark.parametrize("board", BOARDS)
def test_each_coast_of_a_boards_own_map_has_a_place_by_its_shore(board: str) -> None:
    shores, areas = Shores(builtin(board), own(board)), own(board).areas
    assert {(area, coast) for area, outline in areas.items() for coast in outline.coasts} == set(shores.coasts)
    for (land, name), coast in shores.coasts.items():
        point = areas[land].coasts[name]
        assert shores.under(*point) in {land, *coast.seas}, (land, name)
        assert min(distance(point, line) for line in shore(own(board), land, coast)) <= 30, (land, name)
        others = [other for each in areas.values() for other in (each.anchor, *each.coasts.values())]
        assert sorted(math.dist(point, other) for other in others)[1] >= 30, (land, name)


def test_a_drawing_that_does_not_fit_its_board_is_refused_with_the_reason() -> None:
    drawing, board = own("conquest"), builtin("conquest")
    outside: Outline = msgspec.structs.replace(drawing.areas[AreaId("italia")], anchor=(-1, 5))
    areas = {**drawing.areas, AreaId("italia"): outside}
    areas[AreaId("achaia")] = msgspec.structs.replace(areas[AreaId("achaia")], coasts={"coast": (5, 1069)})
    areas[AreaId("asia")] = msgspec.structs.replace(areas[AreaId("asia")], kind="sea")
    areas[AreaId("egypt")] = msgspec.structs.replace(areas[AreaId("egypt")], path="")
    del areas[AreaId("syria")]
    broken = msgspec.structs.replace(drawing, areas=areas)
    assert sorted(drawing_problems(broken, board)) == [
        "achaia: its coast 5, 1069 lies outside the frame of 1600 by 1068",
        "asia is land, and drawn as sea",
        "egypt: its outline is empty",
        "italia: its anchor -1, 5 lies outside the frame of 1600 by 1068",
        "syria has no outline",
    ]


def test_a_corrected_board_is_drawn_on_the_same_map_as_long_as_its_areas_are_on_it() -> None:
    board = builtin("conquest")
    smaller = msgspec.structs.replace(board, areas=board.areas[1:], title="Corrected")
    assert drawing_of(smaller) is own("conquest")
    new = msgspec.structs.replace(board.areas[0], id=AreaId("atlantis"))
    assert drawing_of(msgspec.structs.replace(board, areas=(new, *board.areas))) is None
    assert drawing_of(msgspec.structs.replace(board, id="elsewhere")) is None


def test_a_map_that_is_none_is_refused_in_a_line() -> None:
    raw = msgspec.json.encode(own("conquest"))
    with pytest.raises(BoardError, match=r"the map cannot be read: .*missing"):
        parse_drawing(b'{"board": "conquest"}')
    with pytest.raises(BoardError, match=r"the map cannot be read: .*path"):
        parse_drawing(raw.replace(b'"path":"M', b'"path":"<script>', 1))
