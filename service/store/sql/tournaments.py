"""The index of tournaments, and the seeds of their lots."""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

import msgspec

from domain.kernel.ids import PlayerId, TournamentId
from service.store.protocol import Append, TournamentRow
from service.store.sql.log import SqlLog

_TOURNAMENTS: Final = (
    "SELECT t.stream, t.title, t.ruleset, t.status, t.organizer, t.entrants, t.rounds, t.version, t.created, t.changed"
    " FROM tournaments t"
)


class TournamentIndex(SqlLog):
    """The part of a store that lists tournaments."""

    order_of_tournaments: ClassVar[str] = "t.place"
    """The order of the list of tournaments, the newest last."""
    seed_bytes: ClassVar[str]
    """The seed of a tournament, as bytes."""

    async def tournament(self, tournament: TournamentId) -> TournamentRow | None:
        query = f"{_TOURNAMENTS} WHERE t.book = ? AND t.stream = ?"
        rows = await self._at(tournament).select(query, self.book(tournament), tournament)
        return TournamentRow(*rows[0]) if rows else None

    async def tournaments(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        organizer: PlayerId | None = None,
        after: TournamentId | None = None,
        limit: int = 50,
    ) -> list[TournamentRow]:
        conditions = (("t.status = ?", status), ("t.ruleset = ?", ruleset), ("t.organizer = ?", organizer))
        filters: list[tuple[str, tuple[Any, ...]]] = [
            (each, (value,)) for each, value in conditions if value is not None
        ]
        if after is not None:
            filters.append(self.before_tournament(after))
        where = " AND ".join(("TRUE", *(condition for condition, _ in filters)))
        values = [value for _, values_of in filters for value in values_of]
        query = f"{_TOURNAMENTS} WHERE {where} ORDER BY {self.order_of_tournaments} DESC LIMIT ?"
        return [TournamentRow(*row) for row in await self._everywhere.select(query, *values, limit)]

    def before_tournament(self, after: TournamentId) -> tuple[str, tuple[Any, ...]]:
        """Return the condition that a tournament comes before another one in the order of the list, and its values."""
        query = "t.place < (SELECT place FROM tournaments WHERE book = ? AND stream = ?)"
        return query, (self.book(after), after)

    async def seed(self, tournament: TournamentId) -> bytes | None:
        query = f"SELECT {self.seed_bytes} FROM seeds WHERE book = ? AND stream = ?"
        rows = await self._at(tournament).select(query, self.book(tournament), tournament)
        return rows[0][0] if rows else None


def tournament_statements(batch: Append, row: TournamentRow, book: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the statements that store a tournament beside its records, each with its values."""
    if batch.seed is None:
        yield (
            "UPDATE tournaments SET ruleset = ?, status = ?, organizer = ?, entrants = ?, rounds = ?, version = ?,"
            " changed = ? WHERE book = ? AND stream = ?",
            (
                *(row.ruleset, row.status, row.organizer, row.entrants, row.rounds, row.version),
                *(row.changed, book, row.tournament),
            ),
        )
        return
    yield (
        "INSERT INTO tournaments (book, stream, title, ruleset, status, organizer, entrants, rounds, version, created,"
        " changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (book, *msgspec.structs.astuple(row)),
    )
    yield "INSERT INTO seeds (book, stream, seed) VALUES (?, ?, ?)", (book, row.tournament, batch.seed)
