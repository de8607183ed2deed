"""Boards: areas, borders, straits, coasts and values. Data files, and what loads and checks them."""

from domain.boards.board import BoardError, builtin, parse_board, validate

__all__ = ["BoardError", "builtin", "parse_board", "validate"]
