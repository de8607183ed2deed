"""Moving books with all their rows from one server to another, while both serve (`tabularium books move`).

1. The events and hidden values of a book are copied while it goes on, and compared.
2. The server that has it gives it up. From then on nobody appends to it, and nothing about it changes.
3. No server keeps it for longer than a process relies on an answer (`LEASE`).
4. The rest is copied and compared. In the same transaction, the other server begins to keep the book.
5. The rows that stayed behind are deleted.

`tabularium.moves` on each server has the progress. So a move may be killed anywhere, and goes on when called again.
Two servers never keep the same book. Its rows are deleted only when the other server has committed that it keeps them.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from msgspec import Struct

from service.store.postgres.books import LOCK, SETTING
from service.store.postgres.migrations import MigrationError, applied, as_owner, naming, packaged, pending, place_of

PAUSE: Final = 3.0
"""Seconds for which no server keeps a book: more than `LEASE` (`server.py`)."""

GRACE: Final = 15.0
"""Seconds after which rows that stayed behind are deleted. No query that began before the pause takes so long."""

CHUNK: Final = 20_000
"""Events that are copied at once."""

CLOSE: Final = 2_000
"""A book stops when fewer events than this are not copied yet."""

ROUNDS: Final = 20
"""How many times new rows are copied, at most, before a book stops in any case."""

_IN_MEMORY: Final = 32 * 1024 * 1024
_GUARDED: Final = ("games", "statements", "unlisted")
"""Tables that others change than append()."""

_BY_ORDER: Final = {"log": "position", "secrets": "number"}
"""Tables to which rows are only added, in the order of a column: most of them are copied while the book goes on."""

_STAYS: Final = frozenset(("books", "snapshots"))
"""Tables of which nothing moves. Snapshots are on the home."""

_OWN_NUMBERS: Final = {"cases": "place"}
"""Columns that each server counts by itself."""

Tell = Callable[[str], None]
Step = Callable[[str], Awaitable[None]]


class Table(Struct, frozen=True):
    """A table about streams."""

    name: str
    columns: tuple[str, ...]

    @property
    def listed(self) -> str:
        return ", ".join(f'"{column}"' for column in self.columns)


class Server(Struct, frozen=True):
    """A server, as its owner."""

    url: str
    connection: Any


async def move(
    servers: Mapping[str, frozenset[int]], moved: Collection[int], to: str, tell: Tell, step: Step | None = None
) -> None:
    """Move books with all their rows to the server at `to`, one after the other. It may be repeated.

    Args:
        servers: the addresses of all servers.
        tell: gets each message, which is one line.
        step: is called before each step with its name.

    Raises:
        MigrationError: a server cannot be reached or refuses, or a copy differs from its original.
    """
    async with AsyncExitStack() as opened:
        owned_servers: list[Server] = []
        for url in servers:
            owned_servers.append(Server(url, await opened.enter_async_context(_owned(url))))
        goal = next(server for server in owned_servers if server.url == to)
        moves: list[_Move] = []
        for book in sorted(moved):
            source = await _source(book, goal, owned_servers)
            if source is None:
                tell(f"book {book} is at {place_of(to)}")
                continue
            moves.append(_Move(book, source, goal, tell, step or _nothing))
            await moves[-1].come()
        moves = [each for each in moves if not each.is_back]
        for each in moves:
            await each.give_up()
        if moves:
            await asyncio.sleep(GRACE)
        for each in moves:
            await each.clear()


@asynccontextmanager
async def _owned(url: str) -> AsyncIterator[Any]:
    async with as_owner(url) as connection:
        if pending(await applied(connection), packaged()):
            raise MigrationError(f"{place_of(url)} has an older schema: run `tabularium migrate` first")
        if await connection.fetchval("SELECT tabularium.is_distributed()"):
            raise MigrationError(f"{place_of(url)} is distributed by Citus, which moves books itself")
        if not await connection.fetchval(f"SELECT pg_try_advisory_lock({LOCK})"):
            raise MigrationError(
                f"{place_of(url)} is busy with `tabularium migrate`, `books move` or `archive`, or is named twice:"
                " wait until that is done"
            )
        await connection.execute("SET search_path = tabularium; SET lock_timeout = '10s'")
        if await connection.fetchval("SHOW synchronous_commit") == "off":
            await connection.execute("SET synchronous_commit = on")
        yield connection


async def _source(book: int, goal: Server, servers: Iterable[Server]) -> Server | None:
    """Return the server from which a book moves; None when nothing is left to do. Raises `MigrationError`."""
    keeps: Server | None = None
    for server in servers:
        if await server.connection.fetchval("SELECT count(*) FROM books WHERE book = $1", book):
            keeps = server
    leaving = [
        server
        for server in servers
        if await server.connection.fetchval(
            "SELECT count(*) FROM moves WHERE number = $1 AND state IN ('leaving', 'gone')", book
        )
    ]
    if keeps is not None and keeps is not goal:
        if leaving:
            raise MigrationError(
                f"book {book} has come to {place_of(keeps.url)}, and {place_of(leaving[0].url)} still has rows of it:"
                f" run `tabularium books move {book} --to {_name(keeps)}` first"
            )
        return keeps
    if leaving:
        return leaving[0]
    if keeps is None:
        raise MigrationError(f"no server keeps book {book}: let {SETTING} name the one that kept it")
    return None


def _name(server: Server) -> str:
    return place_of(server.url).removeprefix("database ")


async def _nothing(_: str) -> None:
    pass


class _Move:
    """The way of one book from a server to another."""

    def __init__(self, book: int, source: Server, goal: Server, tell: Tell, step: Step) -> None:
        self._book = book
        self._source = source
        self._goal = goal
        self._at_source = source.connection
        self._at_goal = goal.connection
        self._tell = tell
        self._step = step

    @property
    def is_back(self) -> bool:
        """Whether the book only returns to the server that it was leaving."""
        return self._source is self._goal

    async def come(self) -> None:
        """Let the goal keep the book, unless it does already."""
        if self.is_back:
            await self._give_back()
            return
        if await self._at_goal.fetchval("SELECT count(*) FROM books WHERE book = $1", self._book):
            return
        self._tables = await _tables(self._at_source)
        if self._tables != await _tables(self._at_goal):
            raise MigrationError(f"{place_of(self._goal.url)} has other tables than {place_of(self._source.url)}")
        await self._refuse_what_is_apart()
        await self._step("announce")
        await self._announce()
        await self._step("copy")
        copied_until = {name: await self._copy_ahead(self._tables[name]) for name in _BY_ORDER}
        await self._step("compare")
        for name, last in copied_until.items():
            column = _BY_ORDER[name]
            if not await self._is_same(self._tables[name], f"{column} <= {last}"):
                # For example events that were archived after an earlier attempt broke off.
                await self._delete_here()
                copied_until = {each: await self._copy_ahead(self._tables[each]) for each in _BY_ORDER}
                break
        await self._step("leave")
        stopped = time.monotonic()
        position = await self._leave()
        await self._step("pause")
        await asyncio.sleep(PAUSE)
        await self._step("arrive")
        await self._arrive(position, copied_until)
        self._tell(
            f"book {self._book} moved from {place_of(self._source.url)} to {place_of(self._goal.url)}: stood still for"
            f" {time.monotonic() - stopped:.1f} s at position {position}"
        )

    async def _refuse_what_is_apart(self) -> None:
        if await self._at_source.fetchval(
            "SELECT count(*) FROM cases WHERE book = $1 AND book <> book_of(game) OR book <> $1 AND book_of(game) = $1",
            self._book,
        ) or await self._at_source.fetchval(
            "SELECT count(*) FROM forks WHERE book = $1 AND book <> book_of(parent)"
            " OR book <> $1 AND book_of(parent) = $1",
            self._book,
        ):
            raise MigrationError(
                f"book {self._book} has forks or cases apart from their games, from a release before books: leave it"
                f" at {place_of(self._source.url)}"
            )

    async def _announce(self) -> None:
        """Let the goal hide what it gets, and the source refuse changes once the book has left."""
        with naming(self._goal.url):
            await self._note(self._at_goal, "coming", 0)
        with naming(self._source.url):
            for table in _GUARDED:
                await self._at_source.execute(
                    f"CREATE OR REPLACE TRIGGER a_book_left BEFORE INSERT OR UPDATE OR DELETE ON {table}"
                    " FOR EACH ROW EXECUTE FUNCTION refuse_left()"
                )

    async def _note(self, connection: Any, state: str, position: int) -> None:
        await connection.execute(
            "INSERT INTO moves (number, state, position) VALUES ($1, $2, $3)"
            " ON CONFLICT (number) DO UPDATE SET state = excluded.state, position = excluded.position",
            *(self._book, state, position),
        )

    # --- copying ---

    async def _copy_ahead(self, table: Table) -> int:
        """Copy the rows of a table, until few are left that were added meanwhile. Return the last place copied."""
        column = _BY_ORDER[table.name]
        last = await self._at_goal.fetchval(f"SELECT max({column}) FROM {table.name} WHERE book = $1", self._book) or 0
        for _ in range(ROUNDS):
            copied = 0
            async for until, rows in self._chunks(table, column, last):
                last, copied = until, copied + rows
            if copied < CLOSE:
                break
        return last

    async def _chunks(self, table: Table, column: str, after: int) -> AsyncIterator[tuple[int, int]]:
        """Copy the present rows after a place. Yield for each chunk the last place and the number of rows."""
        end = await self._at_source.fetchval(f"SELECT max({column}) FROM {table.name} WHERE book = $1", self._book) or 0
        while after < end:
            # Positions of the log have no gaps in a book. Values of a sequence may have gaps, and chunks have fewer
            # rows then.
            until = min(end, after + CHUNK) if table.name == "log" else end
            rows = await self._copy_rows(table, f"{column} > {after} AND {column} <= {until}")
            after = until
            yield after, rows

    async def _copy_rows(self, table: Table, where: str = "TRUE") -> int:
        """Copy rows of the book in one transaction, compare them, and return how many there were."""
        order = f" ORDER BY {_OWN_NUMBERS[table.name]}" if table.name in _OWN_NUMBERS else ""
        with SpooledTemporaryFile(_IN_MEMORY) as rows:

            async def write(part: bytes) -> None:
                rows.write(part)

            with naming(self._source.url):
                await self._at_source.copy_from_query(
                    f"SELECT {table.listed} FROM {table.name} WHERE book = {self._book:d} AND {where}{order}",
                    output=write,
                    format="binary",
                )
            rows.seek(0)
            with naming(self._goal.url):
                async with self._at_goal.transaction():
                    status = await self._at_goal.copy_to_table(
                        table.name, source=rows, columns=table.columns, schema_name="tabularium", format="binary"
                    )
                    if not await self._is_same(table, where):
                        raise MigrationError(
                            f"{table.name} of book {self._book} is at {place_of(self._goal.url)} not what it is at"
                            f" {place_of(self._source.url)}: nothing was changed; run this again"
                        )
        return int(status.rpartition(" ")[2])

    async def _is_same(self, table: Table, where: str = "TRUE") -> bool:
        """Tell whether both servers have the same rows of the book, by their number and a digest of each."""
        query = (
            "SELECT count(*), bit_xor(hashtextextended(r::text, 0)) FROM"
            f" (SELECT {table.listed} FROM {table.name} WHERE book = {self._book:d} AND {where}) AS r"
        )
        one, other = await asyncio.gather(self._at_source.fetchrow(query), self._at_goal.fetchrow(query))
        return tuple(one) == tuple(other)

    # --- the change ---

    async def _leave(self) -> int:
        """Make the source give up the book, and return the book's position."""
        with naming(self._source.url):
            async with self._at_source.transaction():
                stands = await self._at_source.fetchrow(
                    "SELECT position, open FROM books WHERE book = $1 FOR UPDATE", self._book
                )
                if stands is None:  # when it left before this was killed
                    return await self._at_source.fetchval("SELECT position FROM moves WHERE number = $1", self._book)
                if not stands["open"]:
                    raise MigrationError(
                        f"{place_of(self._source.url)} has one order for all books: run `tabularium migrate"
                        " --open-books` first"
                    )
                # A change of one of these tables is done before the book leaves, or is refused afterwards.
                await self._at_source.execute(f"LOCK TABLE {', '.join(_GUARDED)} IN SHARE ROW EXCLUSIVE MODE")
                await self._note(self._at_source, "leaving", stands["position"])
                await self._at_source.execute("DELETE FROM books WHERE book = $1", self._book)
                return stands["position"]

    async def _arrive(self, position: int, copied_until: Mapping[str, int]) -> None:
        """Copy what is left, and let the goal keep the book, in one transaction."""
        async with AsyncExitStack() as transactions:
            with naming(self._source.url):
                # All rows are read at one moment, because expired keys are still deleted there.
                reading = self._at_source.transaction(isolation="repeatable_read", readonly=True)
                await transactions.enter_async_context(reading)
            with naming(self._goal.url):
                await transactions.enter_async_context(self._at_goal.transaction())
                await self._at_goal.execute(
                    "INSERT INTO books (book, position, open) VALUES ($1, $2, TRUE)", self._book, position
                )
                await self._note(self._at_goal, "arrived", position)
            await self._copy_what_others_share()
            for name, table in self._tables.items():
                if name in _BY_ORDER:
                    await self._copy_rows(table, f"{_BY_ORDER[name]} > {copied_until[name]}")
                elif name != "precedents":
                    await self._copy_rows(table)
            await self._copy_precedents()
            with naming(self._goal.url):
                # Later secrets of a game have greater numbers.
                counter = "pg_get_serial_sequence('tabularium.secrets', 'number')"
                await self._at_goal.execute(
                    f"SELECT setval({counter}, greatest((SELECT max(number) FROM secrets), nextval({counter})))"
                )
            await self._step("commit")

    async def _copy_what_others_share(self) -> None:
        """Copy the boards and dictionaries that the book needs."""
        needed = {
            "boards": ("digest, file::text", "digest", "SELECT board FROM games WHERE book = $1"),
            "dictionaries": ("number, file", "number", "SELECT dictionary FROM segments WHERE book = $1"),
        }
        for table, (columns, key, used) in needed.items():
            with naming(self._source.url):
                rows = await self._at_source.fetch(f"SELECT {columns} FROM {table} WHERE {key} IN ({used})", self._book)
            insert = f"INSERT INTO {table} ({key}, file) VALUES ($1, $2) ON CONFLICT DO NOTHING"
            await self._at_goal.executemany(insert, [tuple(row) for row in rows])

    async def _copy_precedents(self) -> None:
        """Copy the precedents, which name a case by a number that each server counts by itself."""
        with naming(self._source.url):
            rows = await self._at_source.fetch(
                "SELECT p.rule, c.stream FROM precedents p JOIN cases c ON c.place = p.place AND c.book = p.book"
                " WHERE p.book = $1",
                self._book,
            )
        await self._at_goal.executemany(
            "INSERT INTO precedents (rule, place, book)"
            " SELECT $1, place, book FROM cases WHERE book = $2 AND stream = $3",
            [(row["rule"], self._book, row["stream"]) for row in rows],
        )

    # --- afterwards ---

    async def give_up(self) -> None:
        """Let the source know that the goal keeps the book."""
        await self._step("give up")
        with naming(self._source.url):
            await self._note(self._at_source, "gone", 0)

    async def clear(self) -> None:
        """Delete the rows that stayed behind, when no query that began before the pause can read them any more."""
        await self._step("delete")
        with naming(self._source.url):
            await _delete(self._at_source, self._book)
            await self._step("end")
            async with self._at_source.transaction():
                await self._note(self._at_source, "left", 0)
                if not await self._at_source.fetchval("SELECT count(*) FROM moves WHERE state IN ('leaving', 'gone')"):
                    for table in _GUARDED:
                        await self._at_source.execute(f"DROP TRIGGER IF EXISTS a_book_left ON {table}")

    async def _delete_here(self) -> None:
        with naming(self._goal.url):
            await _delete(self._at_goal, self._book)

    async def _give_back(self) -> None:
        """Let the source keep a book again that left it and has not arrived anywhere."""
        with naming(self._source.url):
            async with self._at_source.transaction():
                note = await self._at_source.fetchrow("SELECT state, position FROM moves WHERE number = $1", self._book)
                if note["state"] != "leaving":
                    raise MigrationError(f"book {self._book} is kept elsewhere, and its rows are being deleted here")
                await self._at_source.execute(
                    "INSERT INTO books (book, position, open) VALUES ($1, $2, TRUE)", self._book, note["position"]
                )
                await self._note(self._at_source, "arrived", note["position"])
        self._tell(f"book {self._book} is back at {place_of(self._source.url)}")


async def _tables(connection: Any) -> dict[str, Table]:
    """Return the tables of which rows move, in the order in which they are copied."""
    rows = await connection.fetch(
        "SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) AS columns FROM pg_class AS c"
        " JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
        " WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind = 'r'"
        " GROUP BY c.relname HAVING 'book' = ANY (array_agg(a.attname::text)) ORDER BY c.relname"
    )
    return {
        name: Table(name, tuple(column for column in columns if column != _OWN_NUMBERS.get(name)))
        for name, columns in rows
        if name not in _STAYS
    }


async def _delete(connection: Any, book: int) -> None:
    """Delete the rows of a book that is kept elsewhere, a few at a time."""
    for name in await _tables(connection):
        while True:
            status = await connection.execute(
                f"DELETE FROM {name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {name} WHERE book = $1 LIMIT $2))",
                *(book, CHUNK),
            )
            if int(status.rpartition(" ")[2]) < CHUNK:
                break
