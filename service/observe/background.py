"""Work that goes on in the background while something is open."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from service.observe.logging import log


@asynccontextmanager
async def background(what: str, *works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """A context in which `works` run. When one fails, the log says that `what` is no longer done."""

    def log_failure(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background work ended", what=what, exc_info=error)

    tasks = [asyncio.create_task(work) for work in works]
    for task in tasks:
        task.add_done_callback(log_failure)
    try:
        yield
    finally:
        # Again and again: before Python 3.12 a `wait_for`, as inside redis-py, may swallow a cancellation.
        while pending := [task for task in tasks if not task.done()]:
            for task in pending:
                task.cancel()
            await asyncio.wait(pending, timeout=0.1)


@asynccontextmanager
async def flushed(what: str, flush: Callable[[], Awaitable[None]], every: float) -> AsyncIterator[None]:
    """A context in which `flush` is called every `every` seconds, and at its end."""

    async def flushing() -> None:
        while True:
            await asyncio.sleep(every)
            await flush()

    try:
        async with background(what, flushing()):
            yield
    finally:
        await flush()
