"""Leases, for work that only one process does at a time."""

import time
from collections.abc import Awaitable, Callable
from typing import Final, Protocol
from uuid import uuid4

LEASE: Final = 5.0
"""Seconds that a lease lasts, with which one process alone does the work. If it dies, another takes over after that."""


class Lessor(Protocol):
    """Lets one process at a time do some work."""

    async def lease(self, holder: str, seconds: float, work: str) -> bool:
        """Return whether `holder` may do the work for that number of seconds. Raises `Unavailable`."""
        ...


class Lease:
    """The lease of one process for a kind of work: it takes the work over, and keeps it until it gives it back."""

    def __init__(self, lessor: Lessor, work: str, is_wanted: Callable[[], Awaitable[bool]]) -> None:
        """`is_wanted` tells whether there is anything to do; until then, no process takes the work over."""
        self._lessor = lessor
        self._work = work
        self._wanted = is_wanted
        self._name = uuid4().hex
        self._until = 0.0

    async def is_held(self) -> bool:
        """Tell whether this process is to do the work now. Raises `Unavailable`, and what `is_wanted` raises."""
        if self._until == 0.0 and not await self._wanted():
            return False
        now = time.monotonic()
        if now > self._until - LEASE / 2:
            has_lease = await self._lessor.lease(self._name, LEASE, self._work)
            self._until = now + LEASE if has_lease else 0.0
        return self._until > 0.0

    async def give_back(self) -> None:
        """Leave the work to other processes. Raises `Unavailable`."""
        had_lease, self._until = self._until > 0.0, 0.0
        if had_lease:
            await self._lessor.lease(self._name, 0, self._work)
