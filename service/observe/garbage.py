"""When Python searches for garbage: often among new objects, and seldom among all.

Nearly all memory is free again as soon as nothing refers to it. Python has to search only for objects that refer to
each other in a cycle, and meanwhile no request is answered. It walks through all objects that it knows: 200,000 when
the service has started (modules, rule books, routes) and up to a hundred more for every game in memory. That takes 70
to 110 ms. But objects that have long been in use are hardly ever garbage. So all that such a search leaves over is set
aside (`gc.freeze`), and the next search walks only through newer objects: 10 ms.

An object that is set aside is freed like others when nothing refers to it any more, such as a game that leaves the
cache. A cycle among these objects is found by a search of everything, once an hour, in a second without requests.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from service.observe.logging import log

THRESHOLDS: Final = (2_000, 10, 1)
"""When Python searches: the newest objects when there are 2,000 more of them, what such searches left over after ten of
these, and all that is not set aside after two of those. Even if nothing is garbage, as when games are loaded, a search
walks through no more than 45,000 objects, which takes 20 ms."""

SEARCH: Final = 3600.0
"""Seconds between two searches of everything."""

PATIENCE: Final = 3600
"""How many times a search of everything waits, a second each time, for a second without a request. Then it begins."""


@contextmanager
def set_aside() -> Iterator[None]:
    """A context in which objects that have long been in use are set aside, to begin with all that there are now."""
    before = gc.get_threshold()
    gc.set_threshold(*THRESHOLDS)
    gc.callbacks.append(_freeze)
    try:
        gc.collect()
        gc.collect()  # Later, Python waits until new objects are a quarter of those left over here: now these are none.
        yield
    finally:
        gc.callbacks.remove(_freeze)
        gc.set_threshold(*before)
        gc.unfreeze()


def _freeze(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()


async def search(requests: Callable[[], int], every: float = SEARCH, glance: float = 1.0) -> None:
    """Search everything at intervals, while it is quiet: `requests` counts the requests so far. Never returns."""
    while True:
        await asyncio.sleep(every)
        for _ in range(PATIENCE):
            before = requests()
            await asyncio.sleep(glance)
            if requests() == before:
                break
        gc.unfreeze()
        number = gc.collect()
        gc.collect()
        log.debug("garbage searched", found=number)
