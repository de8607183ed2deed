"""Maps: what is drawn fits the boards, and what does not fit is said."""

import msgspec
import pytest

from domain.boards import BoardError, builtin, builtin_drawing, drawing_of
from domain.boards.drawing import Drawing, Outline, drawing_problems, parse_drawing
from domain.kernel.words import AreaId
from domain.library import LIBRARY

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


def test_what_does_not_fit_is_said() -> None:
    drawing, board = own("conquest"), builtin("conquest")
    outside: Outline = msgspec.structs.replace(drawing.areas[AreaId("italia")], anchor=(-1, 5))
    areas = {**drawing.areas, AreaId("italia"): outside}
    areas[AreaId("asia")] = msgspec.structs.replace(areas[AreaId("asia")], kind="sea")
    areas[AreaId("egypt")] = msgspec.structs.replace(areas[AreaId("egypt")], path="")
    del areas[AreaId("syria")]
    broken = msgspec.structs.replace(drawing, areas=areas)
    assert sorted(drawing_problems(broken, board)) == [
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
