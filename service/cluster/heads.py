"""The versions at which games stand. They are asked for before reads when other processes append to the same store."""

import asyncio

from domain.kernel.ids import StreamId, Version
from service.store.protocol import EventStore


class Heads:
    """Asks a store for the versions at which games stand. Requests of the same moment share one query.

    An answer is never older than its request: a request that comes during a query waits for the next query. Games in
    different parts of the store do not wait for each other.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._parts: dict[int, _Part] = {}

    async def of(self, game: StreamId) -> Version:
        """Return the version at which a game stands; 0 for an unknown one. Raises `StoreError`."""
        number = self._store.part_of(game)
        if number not in self._parts:
            self._parts[number] = _Part(self._store)
        return await self._parts[number].of(game)


class _Part:
    """Asks one part of the store."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._waiting: dict[StreamId, asyncio.Future[Version]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def of(self, game: StreamId) -> Version:
        future = self._waiting.get(game)
        if future is None:
            future = self._waiting[game] = asyncio.get_running_loop().create_future()
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        # Others may wait for the same answer, even if this caller is cancelled.
        return await asyncio.shield(future)

    async def _ask(self) -> None:
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, {}
                try:
                    heads = await self._store.heads(waiting)
                except BaseException as error:
                    for future in waiting.values():
                        future.set_exception(error)
                        future.exception()  # otherwise asyncio logs an error when no caller is left
                    if not isinstance(error, Exception):
                        raise
                else:
                    for game, future in waiting.items():
                        future.set_result(heads.get(game, 0))
        finally:
            self._asking = None
