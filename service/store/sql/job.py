"""Jobs for a writer that does several at once."""

import asyncio
from collections.abc import Callable
from typing import Any


class Job:
    """A job, its outcome, and the caller who waits for it. If the outcome is an exception, it is raised there.

    `done` gets any other outcome, even if nobody waits any more.
    """

    __slots__ = ("done", "future", "outcome", "request")

    def __init__(self, request: Any, future: asyncio.Future[Any], on_done: Callable[[Any], None] | None = None) -> None:
        self.request = request
        self.future = future
        self.done = on_done
        self.outcome: Any = None

    def settle(self) -> None:
        """Hand the outcome to the caller, if it still waits."""
        failed = isinstance(self.outcome, BaseException)
        if self.done is not None and not failed:
            self.done(self.outcome)
        if self.future.done():
            return
        if failed:
            self.future.set_exception(self.outcome)
        else:
            self.future.set_result(self.outcome)
