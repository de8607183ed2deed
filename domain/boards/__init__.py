"""Boards (areas, borders, straits, coasts, values) and their maps: data files, and code that loads and checks them."""

from domain.boards.board import BoardError, builtin, parse_board, validate
from domain.boards.drawing import Drawing, builtin_drawing, drawing_of

__all__ = ["BoardError", "Drawing", "builtin", "builtin_drawing", "drawing_of", "parse_board", "validate"]
