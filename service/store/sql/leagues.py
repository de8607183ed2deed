"""The index of leagues."""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

import msgspec

from domain.kernel.ids import LeagueId, PlayerId
from service.store.protocol import Append, LeagueRow
from service.store.sql.log import SqlLog

_LEAGUES: Final = (
    "SELECT l.stream, l.title, l.status, l.organizer, l.divisions, l.seasons, l.version, l.created, l.changed"
    " FROM leagues l"
)


class LeagueIndex(SqlLog):
    """The part of a store that lists leagues."""

    order_of_leagues: ClassVar[str] = "l.place"
    """The order of the list of leagues, the newest last."""

    async def league(self, league: LeagueId) -> LeagueRow | None:
        query = f"{_LEAGUES} WHERE l.book = ? AND l.stream = ?"
        rows = await self._at(league).select(query, self.book(league), league)
        return LeagueRow(*rows[0]) if rows else None

    async def leagues(
        self, *, organizer: PlayerId | None = None, after: LeagueId | None = None, limit: int = 50
    ) -> list[LeagueRow]:
        filters: list[tuple[str, tuple[Any, ...]]] = []
        if organizer is not None:
            filters.append(("l.organizer = ?", (organizer,)))
        if after is not None:
            filters.append(self.before_league(after))
        where = " AND ".join(("TRUE", *(condition for condition, _ in filters)))
        values = [value for _, values_of in filters for value in values_of]
        query = f"{_LEAGUES} WHERE {where} ORDER BY {self.order_of_leagues} DESC LIMIT ?"
        return [LeagueRow(*row) for row in await self._everywhere.select(query, *values, limit)]

    def before_league(self, after: LeagueId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a league comes before another one in the order of the list, and its values."""
        query = "l.place < (SELECT place FROM leagues WHERE book = ? AND stream = ?)"
        return query, (self.book(after), after)


def league_statements(batch: Append, row: LeagueRow, book: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the statements that store a league beside its records, each with its values."""
    if batch.expected:
        yield (
            "UPDATE leagues SET status = ?, divisions = ?, seasons = ?, version = ?, changed = ?"
            " WHERE book = ? AND stream = ?",
            (row.status, row.divisions, row.seasons, row.version, row.changed, book, row.league),
        )
        return
    yield (
        "INSERT INTO leagues (book, stream, title, status, organizer, divisions, seasons, version, created, changed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (book, *msgspec.structs.astuple(row)),
    )
