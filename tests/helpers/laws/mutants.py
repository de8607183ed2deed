"""Commands at the edges of what is on offer, and commands that are nearly on offer."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec


class Edges:
    """A source of chance that goes to the edges: the least, the most, the first, the last."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def random(self) -> float:
        return self._rng.choice((0.0, 0.999))

    def randint(self, a: int, b: int) -> int:
        return self._rng.choice((a, b))

    def choice(self, seq: Sequence[Any]) -> Any:
        return self._rng.choice((seq[0], seq[-1]))

    def sample(self, population: Sequence[Any], k: int) -> list[Any]:
        return list(population[:k])


def mutated(command: dict[str, Any], rng: Random) -> Any:
    """Return the command with one thing changed, somewhere in it."""
    copy = msgspec.json.decode(msgspec.json.encode(command))
    holder, key = rng.choice(list(_places(copy)))
    value = holder[key]
    changes: list[Any] = [None, "nowhere", -1, 10**9, 0, [], {}]
    if isinstance(value, bool):
        changes += [not value] * 5
    elif isinstance(value, int):
        changes += [value + 1, value - 1] * 3
    elif isinstance(value, list) and value:
        changes += [value[1:], [*value, value[0]]] * 3
    holder[key] = rng.choice(changes)
    if isinstance(holder, dict) and rng.random() < 0.2:
        del holder[key]
    elif isinstance(holder, dict) and rng.random() < 0.1:
        holder["bogus"] = 1
    return copy


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, below in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(below, dict | list):
            yield from _places(below)
