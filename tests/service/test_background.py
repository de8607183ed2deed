"""Work in the background ends with what it is for, and never in silence."""

import asyncio

import pytest
from structlog.testing import capture_logs

from service.observe.background import background


async def test_work_goes_on_while_something_is_open_and_ends_with_it() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    async with background("working", work()):
        await began.wait()
        assert not ended.is_set()
    assert ended.is_set()


async def test_work_that_swallows_a_cancellation_is_cancelled_again() -> None:
    swallowed = 0

    async def work() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                if swallowed == 2:
                    raise
                swallowed += 1

    async with background("working", work()):
        await asyncio.sleep(0)
    assert swallowed == 2


async def test_work_that_fails_is_told_of_and_stops_nothing_else() -> None:
    async def fail() -> None:
        raise ValueError("a fault of ours")

    with capture_logs() as logs:
        async with background("working", fail()):
            await asyncio.sleep(0.01)
    assert [(each["event"], each["what"]) for each in logs] == [("background work ended", "working")]
    assert str(logs[0]["exc_info"]) == "a fault of ours"


async def test_an_error_inside_comes_out() -> None:
    with pytest.raises(ValueError, match="inside"):
        async with background("working", asyncio.sleep(3600)):
            raise ValueError("inside")
