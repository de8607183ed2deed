"""The board of Conquest as it ships, and ways to damage it."""

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

from domain.boards import builtin
from domain.kernel.rules.board import Map

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
