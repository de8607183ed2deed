"""When Python searches for garbage: among what is new, and seldom among everything.

Nearly all memory is free again as soon as nobody refers to it. Only objects that refer to each other in a circle have
to be searched for, and while Python does that, nobody is answered. It walks through all objects that it knows: 200,000
when the service has started (modules, rule books, routes) and up to a hundred more for every game in memory. That takes
70 to 110 ms. But what has been in use for long is hardly ever garbage. So whatever a search of everything has left over
is set aside (`gc.freeze`), and the next search walks only through what is newer: 10 ms.

What is set aside is freed like everything else when nobody refers to it any more, as a game that leaves the cache. A
circle in it is found by the search of everything, once an hour, in a second in which nobody asks for anything.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from service.observe.logging import log

THRESHOLDS: Final = (2_000, 10, 1)
"""When Python searches: the newest objects when there are 2,000 more of them, what ten such searches have left over,
and whatever is not set aside after two of those. Even if nothing of it is garbage, as when games are loaded, a search
walks through no more than 45,000 objects, which takes 20 ms."""

SEARCH: Final = 3600.0
"""Seconds between two searches of everything."""

PATIENCE: Final = 3600
"""The most glances, one a second, that such a search waits for a second without a request."""


@contextmanager
def set_aside() -> Iterator[None]:
    """A context in which what has long been in use is set aside, all that there is now to begin with."""
    before = gc.get_threshold()
    gc.set_threshold(*THRESHOLDS)
    gc.callbacks.append(_freeze)
    try:
        gc.collect()
        gc.collect()  # Python waits until what is new is a quarter of what this leaves over: now that is nothing.
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
