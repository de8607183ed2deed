"""What is handed to a writer that does several things at once."""

import asyncio
from typing import Any


class Job:
    """Something to be done, its outcome, and who waits for it: an outcome that is an exception is raised there."""

    __slots__ = ("asked", "future", "outcome")

    def __init__(self, asked: Any, future: asyncio.Future[Any]) -> None:
        self.asked = asked
        self.future = future
        self.outcome: Any = None

    def settle(self) -> None:
        """Tell who waits, if anybody still does."""
        if self.future.done():
            return
        if isinstance(self.outcome, BaseException):
            self.future.set_exception(self.outcome)
        else:
            self.future.set_result(self.outcome)
