"""The store on a PostgreSQL database that Citus spreads over several machines, by the books of the log.

`deploy/migrations/0050_distribution.sql` says which data is where. The service talks to the coordinator alone.
Statements about one stream are executed by the machine that keeps its book. Appends are calls of `append_to()`, each
for one book; several go on at the same time.
"""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import asyncpg

from domain.kernel.ids import BOOKS, StreamId, book_of
from projections.cursor import Cursor
from projections.sql import numbered
from service.base.clock import stamped
from service.store.postgres.books import ALL
from service.store.postgres.connections import Connection, Connections, wait_for_standbys
from service.store.postgres.machines import PLACES, Machines, Part
from service.store.postgres.store import WINDOWS, Distributed, PostgresStore
from service.store.postgres.writer import Writer, arguments
from service.store.protocol import Append, Appended, Placed, StoreUnavailable
from service.store.sql.archived import COLUMNS

EACH: Final = 2
"""Connections that append to each machine. A machine that is away holds up only those that go to it."""

OF_BOOKS: Final = "{}.book = ANY (?::smallint[])"
"""The condition that rows are of some books. By it, Citus asks only their machines, as it does not by a join."""

LOOKED_UP: Final = 60.0
"""Seconds after which a process asks again which machine has which book. Until then, an append to a book that has moved
arrives as well, over a connection that is meant for another machine."""

BOARDS: Final = 10_000
"""How many boards a process remembers as stored."""

# Citus sends a statement to a machine by the values that it has when it is planned. One connection to each machine is
# enough for queries about several: otherwise each session here might open sixteen there.
_SESSION: Final = "SET plan_cache_mode = auto; SET citus.max_adaptive_executor_pool_size = 1;"

_APPEND: Final = (
    "SELECT outcome, head, after, version FROM tabularium.append_to("
    "$1::smallint, $2::tabularium.command[], $3::tabularium.entry[], $4::tabularium.hidden[],"
    " $5::tabularium.seating[], $6::tabularium.opening[], $7::bigint[])"
)
_A_BOOK_OF_EACH_MACHINE: Final = f"SELECT min(b.book) {PLACES} GROUP BY p.groupid"


class _Coordinator(Connections):
    """Connections to the coordinator. When it does not answer in time, it may wait for a machine that is frozen."""

    def distrust(self) -> None:
        """Leave the other connections alone: what they wait for may be on a machine that answers."""


class DistributedStore(PostgresStore):
    """An `EventStore` in a distributed database. To be made by `DistributedStore.open`, or by `open_store`."""

    is_distributed = True
    book_of = "{0}.book"  # which keeps a query on its machine
    answered = "SELECT 1 FROM boards LIMIT 1"  # which the coordinator has

    def __init__(self, connections: Connections, books: frozenset[int] = ALL) -> None:
        super().__init__(connections, books)
        self._connections.settle = settle
        self._boards: set[str] = set()
        self._machines = Machines(connections, connections.numbers["limit"]())
        self.tree.log_of_all = self._everywhere
        self._known_until = -math.inf
        self._writers_to: dict[tuple[int, int], Writer] = {}

    async def check_schema(self) -> None:
        await super().check_schema()
        await self._look_up_machines()

    async def close(self) -> None:
        await self._machines.close()
        await super().close()

    async def _misfit(self, connection: Connection) -> str:
        """Return nothing: all books are here. To look at them needs all machines, and one may be away."""
        return ""

    def part_of(self, stream: StreamId) -> int:
        return self._machines.of_book.get(book_of(stream), 0)

    def _at(self, *streams: StreamId) -> Part:
        return self._machines.part([*map(book_of, streams)])

    @property
    def _everywhere(self) -> Part:
        return self._machines.part(ALL)

    def _between_places(self, after: Cursor, until: Cursor) -> Part:
        return self._machines.part(_books_between(after, until))

    async def divided(self) -> bool:
        return True  # otherwise it cannot be distributed

    async def is_together(self) -> bool:
        return True  # as `divided`

    def _any_of(
        self, games: Collection[StreamId], column: str = "game", table: str = ""
    ) -> tuple[str, tuple[Any, ...]]:
        pairs, values = super()._any_of(games, column, table)
        if len(games) == 1:
            return pairs, values
        # For the pairs alone Citus would ask all machines, and wait for one that is away.
        return f"({table}book = ANY (?::smallint[]) AND {pairs})", ([*{*map(book_of, games)}], *values)

    @staticmethod
    def _to(url: str, connections: int, durable: bool) -> Connections:
        return _Coordinator(url, connections, durable=durable, session=_SESSION)

    def _make_writers(self) -> list[Writer]:
        return []  # each is made when it has something to write

    def _writer_of(self, stream: StreamId) -> Writer:
        book = book_of(stream)
        place = self.part_of(stream), book % EACH
        if place not in self._writers_to:
            self._writers_to[place] = Writer(self._connections, append_to, self._settle, is_of_one_book=True)
            self._writers.append(self._writers_to[place])
        return self._writers_to[place]

    async def _append(self, batch: Append) -> Appended:
        if batch.opening is not None and batch.opening.board not in self._boards:
            # Before the append waits for its turn: a new board needs all machines, and would hold up appends to one.
            is_stored = await self._connections.select("SELECT 1 FROM boards WHERE digest = ?", batch.opening.board)
            queries = self._connections if is_stored else self._everywhere
            await queries.patiently(lambda connection: self._prepare_openings(connection, [batch]))
        if time.monotonic() > self._known_until:
            await self._look_up_machines()
        books = (book_of(batch.game),)
        self._machines.check(books)
        try:
            return await super()._append(batch)
        except StoreUnavailable:
            self._machines.suspect(books)
            raise

    async def _look_up_machines(self) -> None:
        await self._machines.look_up()
        self._known_until = time.monotonic() + LOOKED_UP

    async def _prepare_openings(self, connection: Connection, batches: Sequence[Append]) -> None:
        """Store the boards of new games. They are on all machines, so each is a short write of its own."""
        for batch in batches:
            opening = batch.opening
            if opening is None or opening.board in self._boards:
                continue
            if not await connection.fetchval("SELECT 1 FROM tabularium.boards WHERE digest = $1", opening.board):
                # Not ON CONFLICT, for which Citus wants the right to change rows.
                with suppress(asyncpg.UniqueViolationError):
                    await connection.execute(
                        "INSERT INTO tabularium.boards (digest, file) VALUES ($1, $2)",
                        *(opening.board, opening.board_file.decode()),
                    )
            if len(self._boards) >= BOARDS:
                self._boards.clear()
            self._boards.add(opening.board)

    async def _call(self, connection: Connection, batches: Sequence[Append]) -> list[Any]:
        return await append_to(connection, batches)

    async def read_on(
        self, after: Cursor, limit: int, games: Collection[StreamId] | None = None, until: Cursor | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Read on in the log, also while a machine is away: then its books stay where they were.

        Without any records, nobody knows whether the end is reached. Raises `PartUnavailable` then.
        """
        away = self._machines.away()
        if away:
            until = await self._reachable(after, until, away)
        rows, reached = await super().read_on(after, limit, games, until)
        if not rows:
            self._machines.check(away)
        return rows, reached

    async def reach(self, known: Cursor) -> Cursor:
        away = self._machines.away()
        return await self._reachable(known, None, away) if away else await self.end()

    async def away(self) -> frozenset[int]:
        await self.reach(Cursor.start(BOOKS))
        return await super().away() | self._machines.away()

    async def _reachable(self, after: Cursor, until: Cursor | None, away: frozenset[int]) -> Cursor:
        """Return a place up to which the log can be read. Some books are away: those stay where they are in `after`."""
        if until is not None:
            last = dict(enumerate(until.positions))
        else:
            query = f"SELECT book, position FROM books b WHERE {OF_BOOKS.format('b')}"
            last = dict(await self._machines.part(ALL - away).select(query, [*(ALL - away)]))
        steps = {book: position - after.positions[book] for book, position in last.items() if book not in away}
        return after.plus(steps)

    async def forget_keys(self, before: str, limit: int) -> int:
        async def work(connection: Connection) -> int:
            status = await connection.execute(
                "DELETE FROM keys WHERE (book, game, account, key) IN"
                " (SELECT book, game, account, key FROM keys WHERE at < $1 ORDER BY at LIMIT $2)",
                stamped(before),
                limit,
            )
            return int(status.rpartition(" ")[2])

        return await self._everywhere.patiently(work)

    async def _shares(
        self, after: Cursor, until: Cursor, shares: Mapping[int, int], games: Collection[StreamId] | None
    ) -> list[Any]:
        """Ask book by book, because one query cannot tell a machine how many rows each book may have."""
        only, values = ("", ()) if games is None else (f"AND game {self.among}", (self._texts(games),))
        query = numbered(
            f"SELECT book, position, game, {self.record} FROM log"
            f" WHERE book = ? AND position > ? AND position <= ? {only} ORDER BY position LIMIT ?"
        )

        async def work(connection: Connection) -> list[Any]:
            return [
                row
                for book, most in sorted(shares.items())
                for row in await connection.fetch(
                    query, *(book, after.positions[book], until.positions[book], *values, most)
                )
            ]

        return await self._machines.part(shares.keys()).patiently(work)

    def _archived_after(self, after: Cursor, until: Cursor) -> tuple[Any, ...]:
        query = (
            "SELECT 1 FROM unnest(?::smallint[], ?::bigint[]) AS a (book, position)"
            f" JOIN segments s ON s.book = a.book AND s.last > a.position WHERE {OF_BOOKS.format('s')} LIMIT 1"
        )
        books = _books_between(after, until)
        return query, books, [after.positions[book] for book in books], books

    def _packed_between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        query = (
            f"SELECT w.book, {COLUMNS} FROM {WINDOWS} JOIN segments s ON s.book = w.book"
            " AND s.first <= w.until AND s.last > w.after"
        )
        return self._among(query, "s", after, windows, games)

    def _among(
        self, query: str, table: str, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        narrowed, *values = super()._among(query, table, after, windows, games)
        joint = "WHERE" if games is None else "AND"
        return f"{narrowed} {joint} {OF_BOOKS.format(table)}", *values, [*windows]

    async def _settle(self, connection: Connection, stream: StreamId) -> None:
        await _settle_book(connection, book_of(stream))


def _books_between(after: Cursor, until: Cursor) -> list[int]:
    """Return the books that have positions between two places."""
    pairs = zip(after.positions, until.positions, strict=True)
    return [book for book, (first, last) in enumerate(pairs) if last > first]


async def open_store(url: str, **how: Any) -> PostgresStore:
    """Open the store in a database as it is: distributed or not. Takes and raises what `PostgresStore.open` does."""
    try:
        return await PostgresStore.open(url, **how)
    except Distributed:
        return await DistributedStore.open(url, **how)


async def append_to(connection: Connection, batches: Sequence[Append]) -> list[Any]:
    """Call append_to(), and return its rows, as `append_with` does. The boards of new games have to be stored."""
    book, *others = {book_of(batch.game) for batch in batches}
    if others:
        raise ValueError(f"streams of several books: {', '.join(batch.game for batch in batches)}")
    openings = sum(batch.opening is not None for batch in batches)
    numbers: list[int] = []
    if openings:
        next_ones = "SELECT nextval('tabularium.games_number_seq') AS number FROM generate_series(1, $1::integer)"
        numbers = [row["number"] for row in await connection.fetch(next_ones, openings)]
    return await connection.fetch(_APPEND, book, *arguments(batches), numbers)


async def settle(connection: Connection) -> int:
    """Wait until all that can be read is on the disks of all machines, and on their synchronous standbys.

    Returns how many machines have books. Raises what asyncpg raises.
    """
    await wait_for_standbys(connection)
    books = await connection.fetch(_A_BOOK_OF_EACH_MACHINE, BOOKS - 1)
    for (book,) in books:
        await _settle_book(connection, book)
    return len(books)


async def _settle_book(connection: Connection, book: int) -> None:
    # Only a number that stands in the text is sent to its machine, however this was planned.
    await connection.execute(f"SELECT tabularium.settle({book:d}::smallint)")
