"""Wake-ups across processes: quick through Redis, and certain by looking at the store.

A process tells the others through one channel which games went on. A message may be lost: with the connection, with
Redis, or with a process that died between its commit and its message. So all readers are woken when a subscription
begins, and each process looks at the heads of the games that it follows: seldom while it gets messages of Redis, often
while it does not. An append never waits for any of this.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from operator import methodcaller
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import msgspec
from msgspec import Struct

from domain.kernel.ids import StreamId, Version
from service.cluster.away import RedisAway
from service.cluster.wake import LocalWake
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, StoreError

if TYPE_CHECKING:
    from service.cluster.redis import Redis

CHANNEL: Final = "tabularium:wake"

SELDOM: Final = 1.0
"""Seconds between two looks at the store while Redis delivers messages."""

OFTEN: Final = 0.2
"""Seconds between two looks at the store while Redis does not."""

UNTOLD: Final = 1000
"""The most games that wait for the next message. If there are more, it says that all readers have to look."""


class WakeUp(Struct, frozen=True):
    """A message to the other processes.

    Attributes:
        by: the process that sends it.
        heads: the games that went on, and the versions at which they stand.
        everyone: whether games are missing here, so that all readers have to look.
    """

    by: str
    heads: dict[StreamId, Version]
    everyone: bool = False


_decode: Final = msgspec.json.Decoder(WakeUp).decode


class SharedWake(LocalWake):
    """A `Wake` across the processes that share a store. To be made by `open_shared_wake`."""

    def __init__(self, store: EventStore, redis: "Redis | None") -> None:
        super().__init__()
        self._store = store
        self._redis = redis
        self._id = uuid4().hex
        self._heard = False
        self._listeners: list[Callable[[StreamId, Version], None]] = []
        self._seen: dict[StreamId, Version] = {}
        self._untold: dict[StreamId, Version] = {}
        self._everyone = False
        self._due = asyncio.Event()

    def tell(self, listener: Callable[[StreamId, Version], None]) -> None:
        self._listeners.append(listener)

    def notify(self, game: StreamId, version: Version, *, turned: bool = True) -> None:
        self._went_on(game, version, turned=turned)
        if self._redis is None:
            return
        self._untold[game] = version
        if len(self._untold) > UNTOLD:
            self._untold.clear()
            self._everyone = True
        self._due.set()

    def _went_on(self, game: StreamId, version: Version, *, turned: bool = True) -> None:
        if game in self._seen:
            self._seen[game] = max(version, self._seen[game])
        super().notify(game, version, turned=turned)

    # --- telling and hearing ---

    async def publish(self, redis: "Redis") -> None:
        """Tell the other processes which games go on here. Changes during one message go into the next."""
        while True:
            await self._due.wait()
            await redis.until_well()
            self._due.clear()
            message = msgspec.json.encode(WakeUp(self._id, self._untold, self._everyone))
            self._untold, self._everyone = {}, False
            try:
                await redis.ask(methodcaller("publish", CHANNEL, message))
            except RedisAway:
                self._everyone = True
                self._due.set()

    async def hear(self, redis: "Redis") -> None:
        """Hear what happens in the other processes."""
        while True:
            await redis.until_well()
            try:
                await redis.listen(CHANNEL, self._begin, self._hear)
            except RedisAway:
                self._heard = False

    def _begin(self) -> None:
        self._heard = True
        self.notify_all()

    def _hear(self, message: bytes) -> None:
        try:
            wake_up = _decode(message)
        except msgspec.DecodeError as error:
            log.warning("wake-up not understood", why=str(error))
            self.notify_all()
            return
        if wake_up.by == self._id:
            return
        if wake_up.everyone:
            self.notify_all()
        for game, version in wake_up.heads.items():
            for listener in self._listeners:
                listener(game, version)
            self._went_on(game, version)

    # --- looking ---

    async def look(self) -> None:
        """Look at the store at intervals, and wake the readers of games that went on without a message."""
        while True:
            await asyncio.sleep(SELDOM if self._heard else OFTEN)
            parts: defaultdict[int, set[StreamId]] = defaultdict(set)
            for game in self.followed():
                parts[self._store.part_of(game)].add(game)
            followed = set[StreamId]().union(*parts.values())
            self._seen = {game: version for game, version in self._seen.items() if game in followed}
            for games in parts.values():
                with suppress(StoreError):  # of one part, while others may answer
                    heads = await self._store.heads(games)
                    overtaken = [(game, version) for game, version in heads.items() if version != self._seen.get(game)]
                    self._seen |= heads
                    for game, version in overtaken:
                        super().notify(game, version)


@asynccontextmanager
async def open_shared_wake(store: EventStore, redis: "Redis | None") -> AsyncIterator[SharedWake]:
    """Provide a wake that gets messages of the other processes, through Redis if there is one."""
    wake = SharedWake(store, redis)
    works = [wake.look()] if redis is None else [wake.look(), wake.publish(redis), wake.hear(redis)]
    try:
        async with background("wake-ups", *works):
            yield wake
    finally:
        wake.close()
