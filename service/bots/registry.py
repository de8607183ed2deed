"""Which bots there are for a ruleset. Nothing else in the service knows one by name."""

import pkgutil
import random
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module

from domain.library import LIBRARY
from service.bots import players
from service.bots.bot import GREEDY, RANDOM, THINKER, Board, Bot, RandomBot
from service.bots.thinker import Thinker

Make = Callable[[random.Random, Board], Bot]
"""Makes a bot for a board, which is in the form of the API. The random numbers fix what the bot chooses."""


def levels(ruleset_id: str) -> Mapping[str, Make]:
    """Return the bots for a ruleset by level, the best last.

    These are `RANDOM`, the `LEVELS` of its file in `players` if it has one, and then `THINKER` if the library has it.
    """
    for module in pkgutil.iter_modules(players.__path__, f"{players.__name__}."):
        name = module.name.rpartition(".")[2].replace("_", "-")
        if f"{ruleset_id}-".startswith(f"{name}-"):
            own = import_module(module.name)
            thinker = partial(Thinker, ruleset=ruleset_id, greedy=own.LEVELS[GREEDY], outlook=own.OUTLOOK)
            return {RANDOM: RandomBot, **own.LEVELS, **({THINKER: thinker} if ruleset_id in LIBRARY.ids() else {})}
    return {RANDOM: RandomBot}


def bot_for(ruleset_id: str, rng: random.Random, board: Board) -> Bot:
    """Return the best bot for games of a ruleset among those that answer at once, without looking ahead."""
    *_, best = (make for level, make in levels(ruleset_id).items() if level != THINKER)
    return best(rng, board)
