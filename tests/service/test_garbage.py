"""What has long been in use is not searched for garbage again and again, and yet no garbage stays."""

import asyncio
import gc
import itertools
import weakref
from collections.abc import Iterator
from contextlib import suppress

import pytest

from service.observe import garbage


@pytest.fixture(autouse=True)
def nothing_is_set_aside() -> Iterator[None]:
    """Begin as a service does, and leave things as `tests.conftest` does."""
    gc.unfreeze()
    yield
    gc.freeze()


class Circle:
    """An object that refers to itself: garbage that has to be searched for, once nobody else refers to it."""

    def __init__(self) -> None:
        self.myself = self


def test_what_is_there_is_set_aside_and_everything_is_as_before_at_the_end() -> None:
    before = gc.get_threshold(), [*gc.callbacks], gc.get_freeze_count()
    with garbage.set_aside():
        assert gc.get_freeze_count() > 10_000
        assert len(gc.get_objects()) < 1_000
        assert gc.get_threshold() == garbage.THRESHOLDS
    assert (gc.get_threshold(), [*gc.callbacks], gc.get_freeze_count()) == before


def test_what_a_search_leaves_over_is_set_aside_too_and_freed_when_nobody_refers_to_it() -> None:
    with garbage.set_aside():
        kept = [[number] for number in range(10_000)]
        before = gc.get_freeze_count()
        gc.collect()  # which may free a few of the others, too
        assert gc.get_freeze_count() >= before + 9_000
        del kept
        assert gc.get_freeze_count() < before + 1_000


def test_garbage_among_what_is_new_is_found_without_a_search_of_everything() -> None:
    with garbage.set_aside():
        made = [weakref.ref(Circle()) for _ in range(100_000)]
        alive = sum(each() is not None for each in made)
        assert alive < 10_000


async def test_garbage_among_what_is_set_aside_is_found_in_a_quiet_moment() -> None:
    asked, circle = 0, Circle()
    gone = weakref.ref(circle)
    with garbage.set_aside():
        del circle
        gc.collect()
        assert gone() is not None
        searching = asyncio.create_task(garbage.search(lambda: asked, every=0.01, glance=0.05))
        for _ in range(10):
            asked += 1
            await asyncio.sleep(0.02)
        assert gone() is not None, "somebody was asking"
        async with asyncio.timeout(10):
            while gone() is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        searching.cancel()
        with suppress(asyncio.CancelledError):
            await searching


async def test_the_search_of_everything_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "PATIENCE", 2)
    circle = Circle()
    gone = weakref.ref(circle)
    with garbage.set_aside():
        del circle
        numbers = itertools.count()
        searching = asyncio.create_task(garbage.search(lambda: next(numbers), every=0.01, glance=0.01))
        async with asyncio.timeout(10):
            while gone() is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        searching.cancel()
        with suppress(asyncio.CancelledError):
            await searching
