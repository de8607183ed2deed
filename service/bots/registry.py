"""Which bots there are for a ruleset. Nothing else in the service knows one by name."""

import pkgutil
import random
from collections.abc import Callable, Mapping
from importlib import import_module

from service.bots import players
from service.bots.bot import RANDOM, Board, Bot, RandomBot

Make = Callable[[random.Random, Board], Bot]
"""Makes a bot for games on a board, as the API shows it. The random numbers fix what it chooses."""


def levels(ruleset_id: str) -> Mapping[str, Make]:
    """Return the bots for a ruleset by level, the best last: `RANDOM`, then the `LEVELS` of its file in `players`."""
    for module in pkgutil.iter_modules(players.__path__, f"{players.__name__}."):
        name = module.name.rpartition(".")[2].replace("_", "-")
        if f"{ruleset_id}-".startswith(f"{name}-"):
            return {RANDOM: RandomBot, **import_module(module.name).LEVELS}
    return {RANDOM: RandomBot}


def bot_for(ruleset_id: str, rng: random.Random, board: Board) -> Bot:
    """Return the best bot that there is for games of a ruleset."""
    *_, best = levels(ruleset_id).values()
    return best(rng, board)
