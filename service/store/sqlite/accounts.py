"""The accounts of the embedded store."""

import sqlite3
from collections.abc import Collection
from typing import Any

import msgspec
from msgspec.structs import astuple

from domain.kernel.ids import PlayerId
from service.store.accounts import LimitReached, Made, PlayerRow, TokenId, TokenRow, described
from service.store.sql.accounts import (
    ADD_MADE,
    ADD_PLAYER,
    ADD_TOKEN,
    COUNT_TOKENS,
    FIND_KNOWN,
    FIND_MADE,
    FIND_PLAYER,
    FIND_PLAYERS,
    RETIRE,
    SqlAccounts,
    first_player,
    player_row,
    player_values,
    token_values,
)
from service.store.sqlite.connections import Connections


class SqliteAccounts(SqlAccounts):
    """An `AccountStore` in the file of a `SqliteStore`, over the connections of that store."""

    def __init__(self, connections: Connections) -> None:
        super().__init__(connections)
        self._write = connections.write

    async def change(self, *statements: tuple[str, tuple[Any, ...]], alone: str = "") -> list[Any]:
        # A file has one writer, so everything runs one after another.
        def work(connection: sqlite3.Connection) -> list[Any]:
            return [connection.execute(statement, values).fetchall() for statement, values in statements][-1]

        return await self._write(work)

    async def add(self, row: PlayerRow) -> None:
        await self._database.execute(ADD_PLAYER, *player_values(row))

    async def by_ids(self, players: Collection[PlayerId]) -> list[PlayerRow]:
        names = msgspec.json.encode(sorted(players))
        rows = await self._database.select(f"{FIND_PLAYERS} IN (SELECT value FROM json_each(?))", names)
        return [player_row(row) for row in rows]

    async def add_known(self, row: PlayerRow, issuer: str, subject: str) -> PlayerRow:
        def work(connection: sqlite3.Connection) -> PlayerRow:
            rows = first_player(connection.execute(FIND_KNOWN, (issuer, subject)).fetchall())
            if rows is not None:
                return rows
            connection.execute(ADD_PLAYER, player_values(row))
            connection.execute(
                "INSERT INTO identities (issuer, subject, player) VALUES (?, ?, ?)", (issuer, subject, row.player)
            )
            return row

        return await self._write(work)

    async def describe(self, player: PlayerId, name: str | None, findable: bool | None) -> None:
        def work(connection: sqlite3.Connection) -> None:
            rows = first_player(connection.execute(FIND_PLAYER, (player,)).fetchall())
            if rows is not None:
                row = described(rows, name, findable)
                connection.execute(
                    "UPDATE players SET name = ?, sought = ? WHERE player = ?", (row.name, row.sought, player)
                )

        await self._write(work)

    async def add_token(
        self, row: TokenRow, digest: bytes, creation: Made | None = None, most: int | None = None
    ) -> Made | None:
        return await self._once(creation, digest, row, most=most)

    async def open_account(self, row: PlayerRow, token: TokenRow, digest: bytes, creation: Made) -> Made | None:
        return await self._once(creation, digest, token, row)

    async def _once(
        self,
        creation: Made | None,
        digest: bytes,
        token: TokenRow,
        account: PlayerRow | None = None,
        most: int | None = None,
    ) -> Made | None:
        """Store a token, and its account. If the key of `creation` was used, store nothing and return what it made."""

        def work(connection: sqlite3.Connection) -> Made | None:
            before = _row_of_key(connection, creation.key) if creation is not None else None
            if before is None:
                _require_room(connection, token, most)
                if account is not None:
                    connection.execute(ADD_PLAYER, player_values(account))
                _add_token(connection, token, digest, creation)
            return before

        return await self._write(work)

    async def made_by_key(self, key: str) -> Made | None:
        rows = await self._database.select(FIND_MADE, key)
        return Made(*rows[0]) if rows else None

    async def forget_made(self, before: str, limit: int) -> int:
        def work(connection: sqlite3.Connection) -> int:
            oldest = "SELECT number FROM made ORDER BY number LIMIT ?"
            return connection.execute(
                f"DELETE FROM made WHERE number IN ({oldest}) AND at < ?", (limit, before)
            ).rowcount

        return await self._write(work)

    async def replace_token(
        self,
        old: TokenId,
        retires: str,
        row: TokenRow,
        digest: bytes,
        creation: Made | None = None,
        most: int | None = None,
    ) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            _require_room(connection, row, most)
            if connection.execute(RETIRE, (retires, old, row.created)).rowcount != 1:
                return False
            _add_token(connection, row, digest, creation)
            return True

        return await self._write(work)

    async def used(self, tokens: Collection[TokenId], now: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("UPDATE tokens SET used = ? WHERE token = ?", [(now, token) for token in tokens])

        await self._write(work)


def _add_token(connection: sqlite3.Connection, row: TokenRow, digest: bytes, creation: Made | None) -> None:
    connection.execute(ADD_TOKEN, token_values(row, digest))
    if creation is not None:
        connection.execute(ADD_MADE, astuple(creation))


def _require_room(connection: sqlite3.Connection, row: TokenRow, most: int | None) -> None:
    values = row.player, row.created, row.created
    if most is not None and connection.execute(COUNT_TOKENS, values).fetchone()[0] >= most:
        raise LimitReached


def _row_of_key(connection: sqlite3.Connection, key: str) -> Made | None:
    row = connection.execute(FIND_MADE, (key,)).fetchone()
    return row and Made(*row)
