"""The protocol of a bot, which gets what any client gets: a view, and options to choose from. And the random bot."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from domain.kernel.rules import schema

RANDOM: Final = "random"
GREEDY: Final = "greedy"
THINKER: Final = "thinker"
"""Levels of bots. A random bot takes any option, a greedy one what looks best at once, and a thinker looks ahead."""

Board = Mapping[str, Any]
"""A board. Its member `documents` has the documents of the game by name, and `game` what the API says of the game.

Bots read `setup` and `ruleset_version` of `game`. Without them, the game has the default setup and the newest version.
"""
View = Mapping[str, Any]
Options = Sequence[Mapping[str, Any]]
Command = dict[str, Any]


class Bot(Protocol):
    """Chooses one command for a seat that has to decide."""

    def choose(self, seat: str, view: View, options: Options) -> Command: ...


class RandomBot:
    """Chooses an option and an instance of it at random: one that answers a decision, if there is any; never undo."""

    def __init__(self, rng: random.Random, board: Board) -> None:
        self._rng = rng

    def choose(self, seat: str, view: View, options: Options) -> Command:
        answers = [option for option in options if option.get("decision")]
        others = [option for option in options if option["command"] != "undo"]
        return schema.sample(self._rng.choice(answers or others)["schema"], self._rng)
