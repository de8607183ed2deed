"""What a bot is: it sees what any client sees, a view and options to choose from. And the one that plays any game."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from domain.kernel.rules import schema

RANDOM: Final = "random"
GREEDY: Final = "greedy"
"""Levels of bots: one takes anything, one what looks best to it."""

Board = Mapping[str, Any]
"""A board, and in `documents` those that the game is played with, by name."""
View = Mapping[str, Any]
Options = Sequence[Mapping[str, Any]]
Command = dict[str, Any]


class Bot(Protocol):
    """Chooses one command for a seat that has to decide."""

    def choose(self, seat: str, view: View, options: Options) -> Command: ...


class RandomBot:
    """Takes any option, and any instance of it; says nothing unasked, if it can help it."""

    def __init__(self, rng: random.Random, board: Board) -> None:
        self._rng = rng

    def choose(self, seat: str, view: View, options: Options) -> Command:
        asked = [option for option in options if option.get("decision")]
        others = [option for option in options if option["command"] != "undo"]
        return schema.sample(self._rng.choice(asked or others)["schema"], self._rng)
