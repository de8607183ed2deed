"""Real options of every ruleset, with values that fit them and values that nearly do."""

import copy
import random
from collections.abc import Iterator
from typing import Any

from domain.boards import builtin
from domain.kernel.rules import schema
from domain.kernel.rules.ruleset import Ruleset
from domain.library import LIBRARY
from tests.helpers.play import Play
from tests.tiny.auction import ROOM, TinyAuction

COMMANDS = 120
"""The commands that are given in each game."""


def games() -> Iterator[Play]:
    """Yield a game of every ruleset, and of each layout that one has."""
    yield Play(TinyAuction(), ROOM, 3)
    for name in LIBRARY.ids():
        ruleset: Ruleset[Any] = LIBRARY.current(name)
        yield Play(ruleset, builtin(ruleset.board), ruleset.players[-1])
    free = LIBRARY.current("mare-nostrum")
    yield Play(free, builtin(free.board), 3, setup={"layout": "free"})


def options(play: Play, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Play at random; yield each option of every seat that is unlike those before it."""
    seen: set[str] = set()
    for _ in range(COMMANDS):
        if play.game.status != "running":
            return
        for seat in play.game.players:
            for option in play.game.options(seat, play.vault):
                if (text := repr(option.schema)) not in seen:
                    seen.add(text)
                    yield option.schema
        play.step(rng)


def values(option: dict[str, Any], rng: random.Random) -> Iterator[Any]:
    """Yield values that fit an option, and others that are a step away from one."""
    for _ in range(2):
        value = schema.sample(option, rng)
        yield value
        for _ in range(4):
            yield spoiled(copy.deepcopy(value), rng)


def spoiled(value: Any, rng: random.Random) -> Any:
    """Return a value with one thing changed in it, somewhere."""
    places = list(_places(value))
    if not places:
        return {"type": value}
    holder, name = rng.choice(places)
    old = holder[name]
    changes: list[Any] = [None, True, 0, -1, 1, 2, 99, "", "elsewhere", "x" * 500, [], {}, [old], [old, old], {"a": 1}]
    if isinstance(old, int):
        changes += [old - 1, old + 1, str(old)] * 4
    if isinstance(old, list) and old:
        changes += [old[1:], old[:-1], old + old[:1], old[::-1]] * 4
    if isinstance(holder, dict) and rng.random() < 0.25:
        if rng.random() < 0.5:
            del holder[name]
        else:
            holder["further"] = 1
    else:
        holder[name] = rng.choice(changes)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inside:
        yield value, name
        yield from _places(part)
