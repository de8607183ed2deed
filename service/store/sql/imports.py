"""Imports as SQLite and PostgreSQL keep them. `service/store/imports.py` says what each method does."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from msgspec.structs import astuple

from domain.kernel.ids import PlayerId
from service.store.accounts import LimitReached
from service.store.imports import ImportId, ImportRow
from service.store.sql.database import Database

_COLUMNS: Final = "import, player, imported, ruleset, found, certificate, policy, size"
_IMPORTS: Final = f"SELECT {_COLUMNS} FROM imports"


class SqlImports:
    """The `ImportStore` of both databases. `change` is that of `SqlAccounts`."""

    def __init__(self, database: Database, change: Callable[..., Awaitable[list[Any]]]) -> None:
        self._database = database
        self._change = change

    async def add(self, row: ImportRow, content: bytes, most: int) -> ImportRow:
        add = (
            f"INSERT INTO imports ({_COLUMNS}, content) SELECT ?, p.player, ?, ?, ?, ?, ?, CAST(? AS integer), ?"
            " FROM players p WHERE p.player = ? AND p.closed IS NULL"
            " AND (SELECT count(*) FROM imports WHERE player = p.player) < ? ON CONFLICT DO NOTHING"
        )
        import_id, player, *others = astuple(row)
        rows = await self._change(
            (add, (import_id, *others, content, player, most)),
            (f"{_IMPORTS} WHERE import = ?", (row.import_id,)),
            alone=f"imports of {row.player}",
        )
        if not rows:
            raise LimitReached
        return ImportRow(*rows[0])

    async def get(self, import_id: ImportId) -> ImportRow | None:
        rows = await self._database.select(f"{_IMPORTS} WHERE import = ?", import_id)
        return ImportRow(*rows[0]) if rows else None

    async def content(self, import_id: ImportId) -> bytes | None:
        rows = await self._database.select("SELECT content FROM imports WHERE import = ?", import_id)
        return bytes(rows[0][0]) if rows else None

    async def list(
        self,
        *,
        player: PlayerId | None = None,
        ruleset: str | None = None,
        after: ImportId | None = None,
        limit: int,
    ) -> list[ImportRow]:
        conditions = {
            "player = ?": player,
            "ruleset = ?": ruleset,
            "place < (SELECT place FROM imports WHERE import = ?)": after,
        }
        filters = {condition: value for condition, value in conditions.items() if value is not None}
        where = " AND ".join(("TRUE", *filters))
        query = f"{_IMPORTS} WHERE {where} ORDER BY place DESC LIMIT ?"
        return [ImportRow(*row) for row in await self._database.select(query, *filters.values(), limit)]

    async def remove(self, import_id: ImportId) -> None:
        await self._database.execute("DELETE FROM imports WHERE import = ?", import_id)
