"""Which books of the log a database keeps: all, or those that ``TABULARIUM_BOOK_SERVERS`` gives to its server.

A database keeps the books that have a row in ``tabularium.books``; ``append()`` refuses streams of any other book. So
two processes with different maps cannot write one book in two places.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import Any, Final

from domain.kernel.ids import BOOKS
from service.store.postgres.migrations import MigrationError, as_owner, naming, place_of

ALL: Final = frozenset(range(BOOKS))
SETTING: Final = "TABULARIUM_BOOK_SERVERS"

LOCK: Final = "hashtextextended('tabularium.spread', 0)"
"""The advisory lock for changing which books a database keeps. Programs that need the books to stay share it."""

_KEPT: Final = "SELECT book, position, open FROM tabularium.books ORDER BY book"
_WITH_EVENTS: Final = (
    "SELECT b.book FROM tabularium.books AS b WHERE b.book <> ALL ($1::smallint[])"
    " AND EXISTS (SELECT FROM tabularium.log AS l WHERE l.book = b.book) ORDER BY b.book"
)
_RAISE: Final = (
    "INSERT INTO tabularium.books AS b (book, position, open)"
    " SELECT book, position, TRUE FROM unnest($1::smallint[], $2::bigint[]) AS n (book, position)"
    " ON CONFLICT (book) DO UPDATE SET position = excluded.position WHERE b.position < excluded.position"
)

# Lists over several servers are ordered by the time of each row, because each database numbers its own rows.
_INDEXES: Final = """
CREATE INDEX IF NOT EXISTS games_by_time ON tabularium.games ((created || ' ' || game));
CREATE INDEX IF NOT EXISTS games_by_status_and_time ON tabularium.games (status, (created || ' ' || game));
CREATE INDEX IF NOT EXISTS cases_by_time ON tabularium.cases ((created || ' ' || stream));
CREATE INDEX IF NOT EXISTS cases_by_status_and_time ON tabularium.cases (status, (created || ' ' || stream));
CREATE INDEX IF NOT EXISTS tournaments_by_time ON tabularium.tournaments ((created || ' ' || stream));
CREATE INDEX IF NOT EXISTS leagues_by_time ON tabularium.leagues ((created || ' ' || stream));
"""


def spans(books: Iterable[int]) -> str:
    """Return books in the form of the setting, such as ``0-15,20``; `none` if there are none."""
    parts: list[list[int]] = []
    for book in sorted(books):
        if parts and parts[-1][-1] == book - 1:
            parts[-1][1:] = [book]
        else:
            parts.append([book])
    return ",".join("-".join(map(str, part)) for part in parts) or "none"


async def misfit(connection: Any, books: Collection[int], *, moved: bool = False) -> str:
    """Return what is wrong with the books that a database keeps, if it should keep these; empty if nothing is.

    With `moved`, books may differ that `tabularium books move` moved here or away since the setting was made.
    """
    rows = await connection.fetch(_KEPT)
    books_there = {row["book"] for row in rows}
    differ = books_there ^ {*books}
    if moved and differ:
        notes = await connection.fetch("SELECT number, state = 'arrived' FROM tabularium.moves WHERE state <> 'coming'")
        differ -= {number for number, arrived in notes if arrived == (number in books_there)}
    if differ:
        return (
            f"keeps the books {spans(books_there)} of the log, and should keep {spans(books)} by {SETTING}: correct the"
            " setting, which all processes need, or run `tabularium migrate` with it"
        )
    if books_there != ALL and not all(row["open"] for row in rows):
        return "has one order for all books of the log: run `tabularium migrate --open-books`"
    return ""


async def spread(servers: Mapping[str, frozenset[int]]) -> None:
    """Give each database its books, and no others, as the owner of each. It may be repeated.

    A book that has events stays where it is. A book without events changes its server with its position, because
    cursors that were given out must not skip later events.

    Raises:
        MigrationError: a server cannot be reached or refuses, or a book has events on another server than it should.
    """

    async with AsyncExitStack() as opened:
        connections = {url: await opened.enter_async_context(as_owner(url)) for url in servers}
        for url, connection in connections.items():
            with naming(url):
                await _alone(url, connection)
        async with AsyncExitStack() as transactions:
            rows_by_server: dict[str, list[Any]] = {}
            for url, connection in connections.items():
                with naming(url):
                    await transactions.enter_async_context(connection.transaction())
                    rows_by_server[url] = await _locked(url, connection, servers[url])
            positions = _positions(rows_by_server)
            for url, connection in connections.items():
                books = [*servers[url]]
                with naming(url):
                    await connection.execute(_RAISE, books, [positions[book] for book in books])
                    await connection.execute(_INDEXES)
        # Only now a book is taken from a server. So if this breaks off, each book still has a server, with its
        # position.
        for url, connection in connections.items():
            with naming(url):
                async with connection.transaction():
                    await _locked(url, connection, servers[url])
                    remove = "DELETE FROM tabularium.books WHERE book <> ALL ($1::smallint[])"
                    await connection.execute(remove, [*servers[url]])


async def _alone(url: str, connection: Any) -> None:
    # Also tells whether two addresses are those of one database.
    if not await connection.fetchval(f"SELECT pg_try_advisory_lock({LOCK})"):
        raise MigrationError(
            f"{place_of(url)} is named twice by {SETTING}, or another `tabularium migrate` is at work: each address"
            " needs a database of its own"
        )


async def _locked(url: str, connection: Any, books: frozenset[int]) -> list[Any]:
    """Return the rows of the books that a database keeps, to which nobody appends until the transaction ends."""
    rows = await connection.fetch(f"{_KEPT} FOR UPDATE")
    if not all(row["open"] for row in rows):
        raise MigrationError(
            f"{place_of(url)} has one order for all books: stop the processes of releases before books, then run"
            " `tabularium migrate --open-books`"
        )
    with_events = [book for (book,) in await connection.fetch(_WITH_EVENTS, [*books])]
    if with_events:
        raise MigrationError(
            f"{place_of(url)} has events of the books {spans(with_events)}, which {SETTING} gives to another server:"
            " let the setting leave them where they are, for books with events cannot be moved"
        )
    return rows


def _positions(rows_by_server: Mapping[str, Iterable[Any]]) -> dict[int, int]:
    """Return the position of each book: the largest that any server has."""
    positions: dict[int, int] = {}
    for rows in rows_by_server.values():
        for row in rows:
            positions[row["book"]] = max(row["position"], positions.get(row["book"], 0))
    missing = ALL - positions.keys()
    if missing:
        raise MigrationError(
            f"no server keeps the books {spans(missing)}: let {SETTING} name the server that kept them until now"
        )
    return positions
