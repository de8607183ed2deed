"""One of several PostgreSQL servers that share the log: the books that it keeps, and its part of common lists."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import asyncpg

from domain.judging.case import CaseRow
from domain.kernel.ids import CaseId, GameId, LeagueId, TournamentId
from projections.lobby import GameRow
from service.store.postgres.books import ALL, misfit
from service.store.postgres.connections import LOST, patiently
from service.store.postgres.store import PostgresStore
from service.store.protocol import LeagueRow, TournamentRow, Within
from service.store.sql.games import is_of_many

LEASE: Final = 2.0
"""Seconds for which a process relies on a server's answer about its books.

A book that moves has no server for longer than that.
"""

_STANDING: Final = """
SELECT book, TRUE FROM books UNION ALL SELECT number, FALSE FROM moves WHERE state IN ('coming', 'leaving', 'gone')
"""


class Server(PostgresStore):
    """One of the servers. Lists over several servers have one order: by the time at which each item began.

    `after` in `games`, `cases`, `tournaments` and `leagues` is therefore a place in that order, such as `place_of_game`
    returns.
    """

    order = "(g.created || ' ' || g.game)"
    order_of_cases = "(c.created || ' ' || c.stream)"
    order_of_tournaments = "(t.created || ' ' || t.stream)"
    order_of_leagues = "(l.created || ' ' || l.stream)"

    strange: frozenset[int] = frozenset()
    """Books that are not kept here, and may have rows here."""
    asked_at = -math.inf
    """When it last said which books it keeps, by the monotonic clock."""
    _looking: asyncio.Task[None] | None = None

    @property
    def is_sure(self) -> bool:
        """Whether its answer about its books is still good."""
        return time.monotonic() < self.asked_at + LEASE

    async def look(self) -> None:
        """Ask which books it keeps; when others are asking, wait for their answer. Raises `StoreUnavailable`."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
            self._looking.add_done_callback(self._on_answer)
        await asyncio.shield(self._looking)

    def _on_answer(self, task: asyncio.Task[None]) -> None:
        self._looking = None
        if not task.cancelled():
            task.exception()  # otherwise asyncio logs an error when no caller is left

    async def _look(self) -> None:
        at = time.monotonic()
        rows = await self._database.select(_STANDING)
        self.books_kept = frozenset(book for book, is_kept in rows if is_kept)
        self.strange = frozenset(book for book, is_kept in rows if not is_kept) - self.books_kept
        self.asked_at = at

    async def _misfit(self, connection: Any) -> str:
        return await misfit(connection, self.books_kept, moved=True)

    def hidden(self, column: str) -> tuple[str, tuple[Any, ...]] | None:
        if not self.strange:
            return None
        return f"{column} <> ALL (?::smallint[])", (sorted(ALL - self.books_kept),)

    def before(self, after: GameId) -> tuple[str, tuple[Any, ...]]:
        return f"{self.order} < ?", (after,)

    def before_case(self, after: CaseId) -> tuple[str, tuple[Any, ...]]:
        return f"{self.order_of_cases} < ?", (after,)

    def before_tournament(self, after: TournamentId) -> tuple[str, tuple[Any, ...]]:
        return f"{self.order_of_tournaments} < ?", (after,)

    def before_league(self, after: LeagueId) -> tuple[str, tuple[Any, ...]]:
        return f"{self.order_of_leagues} < ?", (after,)

    @classmethod
    def counting(cls, what: Within, is_together: bool) -> tuple[Any, ...]:
        """For the seats of bots, the values also name the bots, because only the home has accounts."""
        if what.what != "bots":
            return super().counting(what, is_together)
        bots = ", ".join(["?"] * len(what.values[2:])) or "NULL"
        return (
            "SELECT count(*) FROM games g JOIN seated s ON s.book = g.book AND s.game = g.game"
            f"{cls.changes} WHERE g.organizer = ? AND g.status IN ('gathering', 'running')"
            f" AND {cls.changed} > ? AND s.player IN ({bots})",
            *what.values,
        )

    def counting_query(self, what: Within, is_together: bool) -> tuple[Any, ...]:
        query, *values = super().counting_query(what, is_together)
        if is_of_many(what) and (hidden := self.hidden("g.book")):
            return f"{query} AND {hidden[0]}", *values, *hidden[1]
        return query, *values

    async def positions(self) -> dict[int, int]:
        """Return the last position of each book that it keeps."""
        return dict(await self._database.select("SELECT book, position FROM books"))

    @asynccontextmanager
    async def alone(self, what: str) -> AsyncIterator[None]:
        """A context that only one process is in at a time for the same `what`, unless its connection breaks."""

        async def lock() -> Any:
            connection = await self._connections.connect()
            try:
                await connection.execute("SELECT pg_advisory_lock(hashtextextended($1, 8))", what)
            except BaseException:
                connection.terminate()
                raise
            return connection

        try:
            connection = await patiently(lock)
        except Exception as error:
            raise self._connections.translated(error) from error
        try:
            yield
        finally:
            with suppress(*LOST, asyncpg.PostgresError):
                await connection.close(timeout=1)

    async def answer(self) -> None:
        """Return when the server answers. Raises `StoreUnavailable`."""
        await self._database.select("SELECT 1")


def place_of_game(row: GameRow) -> str:
    """Return the place of a game in a list, as `Server.order` has it."""
    return f"{row.created} {row.game}"


def place_of_tournament(row: TournamentRow) -> str:
    """Return the place of a tournament in a list, as `Server.order_of_tournaments` has it."""
    return f"{row.created} {row.tournament}"


def place_of_league(row: LeagueRow) -> str:
    """Return the place of a league in a list, as `Server.order_of_leagues` has it."""
    return f"{row.created} {row.league}"


def place_of_case(row: CaseRow) -> str:
    """Return the place of a case in a list, as `Server.order_of_cases` has it."""
    return f"{row.created} {row.case}"
