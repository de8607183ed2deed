"""Deleting idempotency keys after `TABULARIUM_KEY_HOURS`, when repeated requests need no longer be recognized."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Final

from service.base.clock import Clock, later, stamp
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, StoreError

EVERY: Final = 600.0
"""Seconds between two searches for expired keys."""

BATCH: Final = 500
"""The most keys that one statement deletes, so that commands do not wait long for it."""


async def forget_ended(store: EventStore, now: str, hours: int) -> int:
    """Delete all keys that were used more than `hours` before `now`; return their number."""
    before = later(now, -timedelta(hours=hours))
    return await _all(store.forget_keys, before) + await _all(store.accounts.forget_made, before)


def forgetting(store: EventStore, clock: Clock, hours: int) -> AbstractAsyncContextManager[None]:
    """A context in which keys are deleted when they are `hours` old."""

    async def work() -> None:
        while True:
            try:
                await forget_ended(store, stamp(clock), hours)
            except StoreError as error:
                log.warning("ended keys wait", why=str(error))
            await asyncio.sleep(EVERY)

    return background("idempotency keys are deleted when they end", work())


async def _all(forget: Callable[[str, int], Awaitable[int]], before: str) -> int:
    total = 0
    while (deleted := await forget(before, BATCH)) > 0:
        total += deleted
        if deleted < BATCH:
            break
    return total
