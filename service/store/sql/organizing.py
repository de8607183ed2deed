"""Consents and bulks, as SQLite and PostgreSQL keep them. `service/store/organizing.py` says what each method does."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Final

from msgspec.structs import astuple

from domain.kernel.ids import PlayerId
from service.store.accounts import LimitReached
from service.store.organizing import NEVER, BulkGameRow, BulkId, BulkRow, ConsentRow
from service.store.protocol import KeyReused
from service.store.sql.database import Database

Change = Callable[..., Awaitable[list[Any]]]
"""Executes all statements in one transaction, and returns the rows of the last; see `SqlAccounts.change`."""

_BULK: Final = "b.bulk, b.organizer, b.created, b.games, b.cancelled, b.changes"
_GAME: Final = "g.bulk, g.number, g.wish, g.title, g.starts_at, g.status, g.game, g.why, g.due, g.changed"
_BRIEF: Final = _GAME.replace("g.wish", "'' AS wish")
_OPEN: Final = "status IN ('queued', 'open', 'waiting')"
_MADE: Final = f"SELECT {_BULK}, b.fingerprint FROM bulks b WHERE b.made_by = ?"
_COLUMNS: Final = len(BulkGameRow.__struct_fields__)


class SqlOrganizing:
    """The `OrganizingStore` of both databases."""

    def __init__(self, database: Database, change: Change) -> None:
        self._database = database
        self._change = change

    async def consent(self, player: PlayerId, organizer: PlayerId, now: str, most: int) -> ConsentRow:
        add = (
            "INSERT INTO consents (player, organizer, given) SELECT ?, ?, ?"
            " WHERE (SELECT count(*) FROM consents WHERE player = ?) < ? ON CONFLICT DO NOTHING"
        )
        rows = await self._change(
            (add, (player, organizer, now, player, most)),
            ("SELECT organizer, given FROM consents WHERE player = ? AND organizer = ?", (player, organizer)),
            alone=f"consents of {player}",
        )
        if not rows:
            raise LimitReached
        return ConsentRow(*rows[0])

    async def withdraw(self, player: PlayerId, organizer: PlayerId) -> None:
        await self._database.execute("DELETE FROM consents WHERE player = ? AND organizer = ?", player, organizer)

    async def consents(self, player: PlayerId) -> list[ConsentRow]:
        query = "SELECT organizer, given FROM consents WHERE player = ? ORDER BY given DESC, organizer"
        return [ConsentRow(*row) for row in await self._database.select(query, player)]

    async def consenting(self, organizer: PlayerId, players: Collection[PlayerId]) -> set[PlayerId]:
        if not players:
            return set()
        query = f"SELECT player FROM consents WHERE organizer = ? AND player IN ({', '.join('?' * len(players))})"
        return {row[0] for row in await self._database.select(query, organizer, *players)}

    async def add(
        self, row: BulkRow, games: Sequence[BulkGameRow], key: str, fingerprint: bytes, since: str, most: int
    ) -> BulkRow:
        add = (
            "INSERT INTO bulks (bulk, organizer, created, games, cancelled, changes, made_by, fingerprint)"
            " SELECT ?, ?, ?, ?, ?, ?, ?, ?"
            " WHERE (SELECT coalesce(sum(games), 0) FROM bulks WHERE organizer = ? AND created > ?) <= ?"
            " ON CONFLICT DO NOTHING"
        )
        game = (
            f"INSERT INTO bulk_games ({', '.join(BulkGameRow.__struct_fields__)}) SELECT {', '.join('?' * _COLUMNS)}"
            " WHERE EXISTS (SELECT 1 FROM bulks WHERE bulk = ?)"
        )
        made_by = key or row.bulk
        rows = await self._change(
            (add, (*astuple(row), made_by, fingerprint, row.organizer, since, most - row.games)),
            *((game, (*astuple(each), row.bulk)) for each in games),
            (_MADE, (made_by,)),
            alone=f"bulks of {row.organizer}",
        )
        if not rows:
            raise LimitReached
        return _checked_bulk(rows[0], fingerprint)

    async def bulk_of_key(self, key: str, fingerprint: bytes) -> BulkRow | None:
        rows = await self._database.select(_MADE, key)
        return _checked_bulk(rows[0], fingerprint) if rows else None

    async def bulk(self, bulk: BulkId) -> BulkRow | None:
        rows = await self._database.select(f"SELECT {_BULK} FROM bulks b WHERE b.bulk = ?", bulk)
        return BulkRow(*rows[0]) if rows else None

    async def games(self, bulk: BulkId, after: int = 0) -> list[BulkGameRow]:
        query = f"SELECT {_BRIEF} FROM bulk_games g WHERE g.bulk = ? AND g.changed >= ? ORDER BY g.changed, g.number"
        return [BulkGameRow(*row) for row in await self._database.select(query, bulk, after + 1 if after else 0)]

    async def due_games(self, now: str, limit: int) -> list[tuple[BulkGameRow, BulkRow]]:
        selection = await self._database.select(
            f"SELECT {_GAME}, {_BULK} FROM bulk_games g JOIN bulks b ON b.bulk = g.bulk"
            f" WHERE g.{_OPEN} AND g.due <= ? ORDER BY g.due, g.bulk, g.number LIMIT ?",
            *(now, limit),
        )
        rows = map(tuple, selection)
        return [(BulkGameRow(*row[:_COLUMNS]), BulkRow(*row[_COLUMNS:])) for row in rows]

    async def any(self) -> bool:
        return bool(await self._database.select(f"SELECT 1 FROM bulk_games WHERE {_OPEN} AND due < ? LIMIT 1", NEVER))

    async def record(self, row: BulkGameRow) -> None:
        bulk, number = row.bulk, row.number
        await self._change(
            ("UPDATE bulks SET changes = changes + 1 WHERE bulk = ?", (bulk,)),
            (
                "UPDATE bulk_games SET status = ?, game = ?, why = ?,"
                " due = CASE (SELECT cancelled FROM bulks WHERE bulk = ?) WHEN '' THEN ? ELSE '' END,"
                f" changed = (SELECT changes FROM bulks WHERE bulk = ?) WHERE bulk = ? AND number = ? AND {_OPEN}",
                (row.status, row.game, row.why, bulk, row.due, bulk, bulk, number),
            ),
            alone=f"bulk {bulk}",
        )

    async def postpone(self, row: BulkGameRow, due: str) -> None:
        await self._change(
            (
                "UPDATE bulk_games SET due = CASE (SELECT cancelled FROM bulks WHERE bulk = ?) WHEN '' THEN ? ELSE ''"
                f" END WHERE bulk = ? AND number = ? AND {_OPEN}",
                (row.bulk, due, row.bulk, row.number),
            ),
            alone=f"bulk {row.bulk}",
        )

    async def cancel(self, bulk: BulkId, now: str) -> None:
        await self._change(
            ("UPDATE bulks SET cancelled = ?, changes = changes + 1 WHERE bulk = ? AND cancelled = ''", (now, bulk)),
            (f"UPDATE bulk_games SET due = '' WHERE bulk = ? AND {_OPEN}", (bulk,)),
            alone=f"bulk {bulk}",
        )

    async def is_busy(self, organizer: PlayerId) -> bool:
        of_organizer = "bulk IN (SELECT bulk FROM bulks WHERE organizer = ?)"
        query = f"SELECT 1 FROM bulk_games WHERE {of_organizer} AND {_OPEN} LIMIT 1"
        return bool(await self._database.select(query, organizer))

    async def forget(self, before: str, limit: int) -> int:
        oldest = "SELECT bulk FROM bulks WHERE created < ? ORDER BY created LIMIT ?"
        ids = [row[0] for row in await self._database.select(oldest, before, limit)]
        if ids:
            which = ", ".join("?" * len(ids))
            await self._change(
                (f"DELETE FROM bulk_games WHERE bulk IN ({which})", tuple(ids)),
                (f"DELETE FROM bulks WHERE bulk IN ({which})", tuple(ids)),
            )
        return len(ids)


def _checked_bulk(rows: Sequence[Any], fingerprint: bytes) -> BulkRow:
    *columns, before = rows
    if before != fingerprint:
        raise KeyReused
    return BulkRow(*columns)
