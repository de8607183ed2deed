"""What a bot is: it sees what any client sees, a view and options to choose from. And the one that plays any game."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from domain.kernel.rules import schema

RANDOM: Final = "random"
GREEDY: Final = "greedy"
THINKER: Final = "thinker"
"""Levels of bots: one takes anything, one what looks best to it, one looks ahead."""

Board = Mapping[str, Any]
"""A board, in `documents` those that the game is played with, by name, and in `game` what the API says of the game.

Of that, `setup` and `ruleset_version` count; without them it is a game by the newest version, as it is by default.
"""
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
        answers = [option for option in options if option.get("decision")]
        others = [option for option in options if option["command"] != "undo"]
        return schema.sample(self._rng.choice(answers or others)["schema"], self._rng)
