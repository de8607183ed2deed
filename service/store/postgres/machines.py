"""The machines behind a coordinator: which books each has, which of them are away, and how many connections each takes.

A query that waits for a frozen machine takes a connection to the coordinator until it is given up. So queries about one
machine take at most half of the connections, and queries about several a quarter: some are left for the machines that
answer. A machine that failed to answer is asked again, beside the pool, until it does. Meanwhile whatever needs it
fails at once.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Any, Final, TypeVar

import asyncpg

from domain.kernel.ids import BOOKS
from service.store.postgres.books import ALL, spans
from service.store.postgres.connections import LOST, TIMEOUT, Connection, Connections
from service.store.protocol import PartUnavailable, StoreUnavailable

T = TypeVar("T")

GRACE: Final = 1.0
"""Seconds that a machine has to answer a question, once it has failed to answer a query in time."""

PROBE: Final = 0.5
"""Seconds between two questions whether a machine answers again."""

PLACES: Final = (
    "FROM generate_series(0, $1::integer) AS b (book) JOIN pg_dist_placement AS p"
    " ON p.shardid = get_shard_id_for_distribution_column('tabularium.books'::regclass, b.book)"
)
"""The books up to $1, `b`, with the places of their shards, `p`."""

_MACHINES: Final = f"SELECT b.book, p.groupid {PLACES}"


class Machines:
    """The machines, as far as this process knows."""

    def __init__(self, connections: Connections, most: int) -> None:
        """`connections` has a pool of at most `most`."""
        self._connections = connections
        self.query = _MACHINES
        """Asks the coordinator which machine has which book, for all books up to a number."""
        self.of_book: dict[int, int] = {}
        """Which machine has which book. Replaced when that changes, never changed in place."""
        self._gates = defaultdict[int, asyncio.Semaphore](lambda: asyncio.Semaphore(max(1, most // 2)))
        self._wide_gate = asyncio.Semaphore(max(1, most // 4))
        self._running = defaultdict[int, set[asyncio.Timeout]](set)
        self._watches: dict[int, asyncio.Task[None]] = {}
        self._away: set[int] = set()
        self._closed = False

    async def close(self) -> None:
        self._closed = True
        watches = [*self._watches.values()]
        for task in watches:
            task.cancel()
        await asyncio.gather(*watches, return_exceptions=True)

    async def look_up(self) -> None:
        """Ask the coordinator which machine has which book. Raises `StoreUnavailable`."""
        self.of_book = dict(await self._connections.select(self.query, BOOKS - 1))

    def part(self, books: Collection[int]) -> "Part":
        """Return the part of the database that has these books."""
        return Part(self, self._connections, frozenset(books))

    def away(self, books: Collection[int] = ALL) -> frozenset[int]:
        """Return the books that are on machines which are away and have any of these books."""
        missing = self._away & self._of_all(books) if self._away else ()
        return frozenset(book for book in ALL if self._of(book) in missing) if missing else frozenset()

    def check(self, books: Collection[int] = ALL) -> None:
        """Raise `PartUnavailable` when a machine is away that has one of these books."""
        if away := self.away(books):
            where = self._connections.where
            raise PartUnavailable(
                f"the books {spans(away)} of the log are on a machine of {where} that does not answer"
            )

    def suspect(self, books: Collection[int]) -> None:
        """Find out whether the machines answer that have these books, because one of them may not."""
        if self._closed:
            return
        for machine in self._of_all(books) - self._watches.keys():
            watch = self._watches[machine] = asyncio.create_task(self._watch(machine))
            watch.add_done_callback(lambda _, machine=machine: self._watches.pop(machine))

    async def reach(self, books: Collection[int], ask: Callable[[], Awaitable[T]]) -> T:
        """Return what `ask` returns, which needs the machines that have these books.

        Raises:
            PartUnavailable: one of them is away, or was found to be away meanwhile.
            StoreUnavailable: too many other queries wait for them.
            StoreError: what `ask` raises.
        """
        machines = self._of_all(books)
        gate = self._gates[next(iter(machines))] if len(machines) == 1 else self._wide_gate
        self.check(books)
        try:
            async with asyncio.timeout(TIMEOUT):
                await gate.acquire()
        except TimeoutError:
            raise StoreUnavailable(f"too many queries wait for the books {spans(books)} of the log") from None
        running: asyncio.Timeout | None = None
        try:
            self.check(books)
            async with asyncio.timeout(None) as running:
                for machine in machines:
                    self._running[machine].add(running)
                return await ask()
        except TimeoutError:
            # Not what is known now: it may have answered since.
            raise PartUnavailable(f"a machine with books of {spans(books)} did not answer") from None
        except StoreUnavailable:
            self.suspect(books)
            raise
        finally:
            for machine in machines:
                self._running[machine].discard(running)
            gate.release()

    def _of(self, book: int) -> int:
        return self.of_book.get(book, 0)

    def _of_all(self, books: Collection[int]) -> set[int]:
        return {*map(self._of, books)}

    async def _watch(self, machine: int) -> None:
        """Ask a machine until it answers, and have it count as away when it does not."""
        try:
            while True:
                # When there is no connection to the coordinator, that says nothing about the machine.
                with suppress(asyncpg.PostgresError, *LOST):
                    connection = await self._connections.connect()
                    try:
                        self.of_book = dict(await connection.fetch(self.query, BOOKS - 1))
                        if await self._answers(machine, connection):
                            return
                    finally:
                        connection.terminate()
                await asyncio.sleep(PROBE)
        finally:
            self._away.discard(machine)

    async def _answers(self, machine: int, connection: Connection) -> bool:
        """Tell whether a machine answers, or has no books any more."""
        book = next((book for book in self.of_book if self._of(book) == machine), None)
        if book is None:
            return True
        late = asyncio.get_running_loop().call_later(GRACE, self._lose, machine)
        try:
            # A number that stands in the text, not a value: so it is sent to the machine, however this was planned.
            await connection.execute(f"SELECT FROM tabularium.books WHERE book = {book:d}")
        except (asyncpg.PostgresError, *LOST):
            self._lose(machine)
            return False
        finally:
            late.cancel()
        return True

    def _lose(self, machine: int) -> None:
        """Have a machine count as away, and end the queries that wait for it."""
        self._away.add(machine)
        for running in self._running[machine]:
            if not running.expired():
                running.reschedule(0)


class Part:
    """The part of a distributed database that has some books: `Queries` that reach only the machines that have them."""

    def __init__(self, machines: Machines, connections: Connections, books: frozenset[int]) -> None:
        self._machines = machines
        self._connections = connections
        self._books = books

    async def select(self, query: str, *values: Any) -> list[Any]:
        return await self._machines.reach(self._books, lambda: self._connections.select(query, *values))

    async def select_at_once(self, *queries: tuple[Any, ...]) -> list[list[Any]]:
        return await self._machines.reach(self._books, lambda: self._connections.select_at_once(*queries))

    async def execute(self, statement: str, *values: Any) -> None:
        await self._machines.reach(self._books, lambda: self._connections.execute(statement, *values))

    async def patiently(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        return await self._machines.reach(self._books, lambda: self._connections.patiently(work))
