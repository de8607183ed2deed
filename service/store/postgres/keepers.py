"""Knowing which of several PostgreSQL servers keeps which book of the log now.

A book may move to another server (`moving.py`). So each process keeps asking the servers which books they keep, and
relies on an answer only for `LEASE` seconds.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from domain.kernel.ids import StreamId, book_of
from service.store.postgres.books import ALL, spans
from service.store.postgres.server import Server
from service.store.protocol import NotKept, PartUnavailable, StoreUnavailable

S = TypeVar("S", bound=StreamId)
T = TypeVar("T")

PROBE: Final = 0.5
"""Seconds between two requests to a server that ask which books it keeps, or whether it answers again."""

WAITED: Final = 5.0
"""How many seconds a call waits for a book that is moving."""


class Keepers:
    """The servers, and which books each keeps, as far as this process knows."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self._servers = servers
        self.of_book: dict[int, Server] = {}
        """Which server keeps which book. Replaced when that changes, never changed in place."""
        self._map()
        self._watching: list[asyncio.Task[None]] = []
        self._away: dict[Server, asyncio.Task[None]] = {}

    def watch(self) -> None:
        """Keep asking all servers which books they keep, until `close`."""
        self._watching = [asyncio.create_task(self._watch(server)) for server in self._servers]

    async def close(self) -> None:
        beside = [*self._away.values(), *self._watching]
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        for server in self._servers:
            await server.close()

    def part_of(self, stream: StreamId) -> int:
        server = self.of_book.get(book_of(stream))
        return self._servers.index(server) if server is not None else len(self._servers)

    async def know(self) -> None:
        """Ask servers whose last answer is too old which books they keep. Skip servers that are away."""
        unsure = [server for server in self._servers if not server.is_sure and server not in self._away]
        if unsure:
            await asyncio.gather(*map(self._look, unsure), return_exceptions=True)

    async def look_again(self) -> None:
        """Ask all servers which books they keep, even if they have just answered."""
        looks = (self._look(server) for server in self._servers if server not in self._away)
        await asyncio.gather(*looks, return_exceptions=True)

    def error_for_lost(self, books: Iterable[int]) -> StoreUnavailable | None:
        """Return the error for those of these books that no server keeps; None if there is none."""
        homeless = [book for book in books if book not in self.of_book]
        if not homeless:
            return None
        if {*homeless} <= frozenset[int]().union(*(server.strange for server in self._servers)):
            return NotKept(f"the books {spans(homeless)} of the log are on their way to another server")
        return StoreUnavailable(f"no server keeps the books {spans(homeless)} of the log: restore tabularium.books")

    async def of(self, stream: StreamId) -> Server:
        """Return the server that keeps a stream now. Raises `StoreUnavailable`."""
        while True:
            (server,) = await self.groups([stream])
            if server.is_sure:
                return server
            await self._look(server)

    async def groups(self, streams: Collection[S]) -> dict[Server, list[S]]:
        """Return the servers that keep these streams now, each with its streams. Raises `StoreUnavailable`."""
        await self._homes({book_of(stream) for stream in streams})
        groups: defaultdict[Server, list[S]] = defaultdict(list)
        for stream in streams:
            groups[self.of_book[book_of(stream)]].append(stream)
        return groups

    async def each(self, work: Callable[[Server], Awaitable[T]], servers: Collection[Server] | None = None) -> list[T]:
        """Ask each of these servers, or all, and return their answers. Raises `StoreError` when one does not answer."""
        if servers is None:
            await self._homes(ALL)
        targets = self._servers if servers is None else servers
        return await asyncio.gather(*(self.ask(server, work) for server in targets))

    async def ask(self, server: Server, work: Callable[[Server], Awaitable[T]]) -> T:
        """Ask a server and return its answer. A server that is away fails at once, so that nobody waits for it."""
        if server in self._away:
            raise PartUnavailable(f"{server.where} does not answer")
        if not server.is_sure:
            before = server.books_kept
            await self._look(server)
            if server.books_kept != before:
                raise NotKept(f"books of {server.where} move just now")
        try:
            return await work(server)
        except NotKept:
            raise
        except StoreUnavailable:
            self._is_away(server)
            raise

    async def changed(self, stream: StreamId, work: Callable[[Server], Awaitable[T]]) -> T:
        """Change something on the server of a stream. If its book has just moved, ask the server that keeps it now."""

        async def change() -> T:
            server = await self.of(stream)
            try:
                return await work(server)
            except NotKept:
                await self.look_again()
                raise

        return await until_kept(change)

    async def merged(
        self, streams: Collection[S], ask: Callable[[Server, Collection[S]], Awaitable[dict[S, T]]]
    ) -> dict[S, T]:
        """Ask the server of each of these streams, and return all answers as one."""
        groups = await self.groups(streams)
        answers = await self.each(lambda server: ask(server, groups[server]), groups)
        return {stream: value for each in answers for stream, value in each.items()}

    def _map(self) -> None:
        """Note which server keeps which book. If two claim a book, because one is away, the later answer counts."""
        by_answer = sorted(self._servers, key=lambda server: server.asked_at)
        self.of_book = {book: server for server in by_answer for book in server.books_kept}

    async def _watch(self, server: Server) -> None:
        while True:
            if server not in self._away:
                with suppress(StoreUnavailable):
                    await self._look(server)
            await asyncio.sleep(PROBE)

    async def _look(self, server: Server) -> None:
        """Ask a server which books it keeps. Raises `StoreUnavailable`."""
        try:
            await server.look()
        except StoreUnavailable:
            self._is_away(server)
            raise
        self._map()

    async def _homes(self, books: Collection[int]) -> None:
        """Wait until each of these books has a server: one that is moving has none. Raises `NotKept`."""
        await self.know()

        async def looked() -> None:
            if error := self.error_for_lost(books):
                await self.look_again()
                error = self.error_for_lost(books)
            if error:
                raise error

        await until_kept(looked)

    def _is_away(self, server: Server) -> None:
        if server not in self._away:
            probe = self._away[server] = asyncio.create_task(self._probe(server))
            probe.add_done_callback(lambda _: self._away.pop(server, None))

    async def _probe(self, server: Server) -> None:
        """Wait until a server answers again."""
        while True:
            try:
                return await server.answer()
            except StoreUnavailable:
                await asyncio.sleep(PROBE)


async def until_kept(attempt: Callable[[], Awaitable[T]]) -> T:
    """Make an attempt and return its result. While a book that it needs is moving, try again, for `WAITED` seconds."""
    until = time.monotonic() + WAITED
    while True:
        try:
            return await attempt()
        except NotKept:
            if time.monotonic() > until:
                raise
        await asyncio.sleep(0.05)
