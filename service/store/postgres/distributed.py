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
from service.store.postgres.store import WINDOWS, Distributed, PostgresStore
from service.store.postgres.writer import Writer, arguments
from service.store.protocol import Append, Appended
from service.store.sql.archived import COLUMNS

EACH: Final = 2
"""Connections that append to each machine. A machine that is away holds up only those that go to it."""

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
_PLACES: Final = (
    "FROM generate_series(0, $1::integer) AS b (book) JOIN pg_dist_placement AS p"
    " ON p.shardid = get_shard_id_for_distribution_column('tabularium.books'::regclass, b.book)"
)
_MACHINES: Final = f"SELECT b.book, p.groupid {_PLACES}"
_A_BOOK_OF_EACH_MACHINE: Final = f"SELECT min(b.book) {_PLACES} GROUP BY p.groupid"


class DistributedStore(PostgresStore):
    """An `EventStore` in a distributed database. To be made by `DistributedStore.open`, or by `open_store`."""

    is_distributed = True
    book_of = "{0}.book"  # which keeps a query on its machine

    def __init__(self, connections: Connections, books: frozenset[int] = ALL) -> None:
        super().__init__(connections, books)
        self._connections.settle = settle
        self._boards: set[str] = set()
        self._machines: dict[int, int] = {}
        self._known_until = -math.inf
        self._writers_to: dict[tuple[int, int], Writer] = {}

    async def check_schema(self) -> None:
        await super().check_schema()
        await self._look_up_machines()

    def part_of(self, stream: StreamId) -> int:
        return self._machines.get(book_of(stream), 0)

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
        return Connections(url, connections, durable=durable, session=_SESSION)

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
            # Before the append waits for its turn: this needs all machines, and would hold up appends to one of them.
            await self._connections.patiently(lambda connection: self._prepare_openings(connection, [batch]))
        if time.monotonic() > self._known_until:
            await self._look_up_machines()
        return await super()._append(batch)

    async def _look_up_machines(self) -> None:
        self._machines = dict(await self._connections.select(_MACHINES, BOOKS - 1))
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

    async def forget_keys(self, before: str, limit: int) -> int:
        async def work(connection: Connection) -> int:
            status = await connection.execute(
                "DELETE FROM keys WHERE (book, game, account, key) IN"
                " (SELECT book, game, account, key FROM keys WHERE at < $1 ORDER BY at LIMIT $2)",
                stamped(before),
                limit,
            )
            return int(status.rpartition(" ")[2])

        return await self._connections.patiently(work)

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

        return await self._connections.patiently(work)

    def _archived_after(self, after: Cursor) -> tuple[Any, ...]:
        query = (
            "SELECT 1 FROM unnest(?::smallint[], ?::bigint[]) AS a (book, position)"
            " JOIN segments s ON s.book = a.book AND s.last > a.position LIMIT 1"
        )
        return query, range(BOOKS), after.positions

    def _packed_between(
        self, after: Cursor, windows: Mapping[int, int], games: Collection[StreamId] | None
    ) -> tuple[Any, ...]:
        query = (
            f"SELECT w.book, {COLUMNS} FROM {WINDOWS} JOIN segments s ON s.book = w.book"
            " AND s.first <= w.until AND s.last > w.after"
        )
        return query if games is None else f"{query} WHERE s.game {self.among}", *self._windows(after, windows, games)

    async def _settle(self, connection: Connection, stream: StreamId) -> None:
        await _settle_book(connection, book_of(stream))


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
