"""The board of a page in the dark: its style sheet knows the colours that the board has by day, and no others."""

import re
from collections.abc import Iterator
from importlib import resources

import pytest

from domain.boards import builtin, drawing_of
from domain.library import LIBRARY
from service.pictures import piles
from service.pictures.bare import bare_board
from service.pictures.palette import paints

NIGHT = resources.files("service.viewer").joinpath("styles/night.css").read_text()
PART = re.compile(r'<g id="(earth|lines|names|beyond)".*?(?=<g id=|<defs|</svg>)', re.DOTALL)
INKS = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')


def by_day(board: str) -> Iterator[tuple[str, str]]:
    """Yield the colours of the ground, the lines and the names of a bare board, each with where it is used."""
    ruleset = next(each for each in map(LIBRARY.current, LIBRARY.ids()) if each.board == board)
    drawing = drawing_of(builtin(board))
    assert drawing is not None
    svg = bare_board(drawing, paints(ruleset), "", "")
    for part in PART.finditer(svg):
        yield from INKS.findall(part.group())


BOARDS = sorted({LIBRARY.current(each).board for each in LIBRARY.ids()})


@pytest.mark.parametrize("board", BOARDS)
def test_no_colour_of_the_ground_is_forgotten(board: str) -> None:
    used = set(by_day(board))
    assert len(used) > 8, "or the test looks at nothing"
    assert used <= set(INKS.findall(NIGHT))


def test_no_colour_is_one_that_boards_have_no_more() -> None:
    small = set(INKS.findall(piles._FAINT))
    assert set(INKS.findall(NIGHT)) == {colour for board in BOARDS for colour in by_day(board)} | small
