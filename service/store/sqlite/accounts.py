"""The accounts of the embedded store."""

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, Final, TypeVar

from domain.kernel.ids import PlayerId
from service.base.scopes import Scope
from service.store.accounts import LAST_CHARACTER, Made, PlayerRow, TokenId, TokenRow, described, folded
from service.store.sqlite.connections import Connections

T = TypeVar("T")

_PLAYER: Final = "p.player, p.name, p.created, p.scopes, p.closed, p.sought IS NOT NULL"
_TOKEN: Final = "t.token, t.player, t.name, t.scopes, t.created, t.expires, t.retires, t.revoked, t.used"


class SqliteAccounts:
    """An `AccountStore` in the file of a `SqliteStore`, which lends it its connections."""

    def __init__(self, connections: Connections) -> None:
        self._read = connections.read
        self._write = connections.write

    async def add(self, row: PlayerRow) -> None:
        await self._write(lambda connection: _add(connection, row))

    async def add_known(self, row: PlayerRow, issuer: str, subject: str) -> PlayerRow:
        def work(connection: sqlite3.Connection) -> PlayerRow:
            found = _known(connection, issuer, subject)
            if found is not None:
                return found
            _add(connection, row)
            connection.execute(
                "INSERT INTO identities (issuer, subject, player) VALUES (?, ?, ?)", (issuer, subject, row.player)
            )
            return row

        return await self._write(work)

    async def player(self, player: PlayerId) -> PlayerRow | None:
        def work(connection: sqlite3.Connection) -> PlayerRow | None:
            row = connection.execute(f"SELECT {_PLAYER} FROM players p WHERE p.player = ?", (player,)).fetchone()
            return row and _player_row(row)

        return await self._read(work)

    async def known(self, issuer: str, subject: str) -> PlayerRow | None:
        return await self._read(lambda connection: _known(connection, issuer, subject))

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        def work(connection: sqlite3.Connection) -> list[PlayerRow]:
            rows = connection.execute(
                f"SELECT {_PLAYER} FROM players p WHERE p.player > ? AND ' ' || p.scopes || ' ' LIKE ?"
                " ORDER BY p.player LIMIT ?",
                (after, f"% {scope} %" if scope else "%", limit),
            )
            return [_player_row(row) for row in rows]

        return await self._read(work)

    async def grant(self, player: PlayerId, scopes: Sequence[Scope]) -> None:
        await self._execute("UPDATE players SET scopes = ? WHERE player = ?", " ".join(scopes), player)

    async def describe(self, player: PlayerId, name: str | None, findable: bool | None) -> None:
        def work(connection: sqlite3.Connection) -> None:
            found = connection.execute(f"SELECT {_PLAYER} FROM players p WHERE p.player = ?", (player,)).fetchone()
            if found is not None:
                row = described(_player_row(found), name, findable)
                connection.execute(
                    "UPDATE players SET name = ?, sought = ? WHERE player = ?", (row.name, row.sought, player)
                )

        await self._write(work)

    async def find(
        self, name: str, *, whole: bool, after: tuple[str, PlayerId] = ("", PlayerId("")), limit: int
    ) -> list[PlayerRow]:
        sought = folded(name)

        def work(connection: sqlite3.Connection) -> list[PlayerRow]:
            rows = connection.execute(
                f"SELECT {_PLAYER} FROM players p WHERE p.sought >= ? AND p.sought <= ? AND p.closed IS NULL"
                " AND (p.sought, p.player) > (?, ?) ORDER BY p.sought, p.player LIMIT ?",
                (sought, sought if whole else sought + LAST_CHARACTER, *after, limit),
            )
            return [_player_row(row) for row in rows]

        return await self._read(work)

    async def close(self, player: PlayerId, now: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE players SET closed = coalesce(closed, ?) WHERE player = ?", (now, player))
            connection.execute("UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE player = ?", (now, player))

        await self._write(work)

    async def add_token(self, row: TokenRow, digest: bytes, made: Made | None = None) -> Made | None:
        def work(connection: sqlite3.Connection) -> Made | None:
            before = _made(connection, made.key) if made is not None else None
            if before is None:
                _add_token(connection, row, digest, made)
            return before

        return await self._write(work)

    async def open_account(self, row: PlayerRow, token: TokenRow, digest: bytes, made: Made) -> Made | None:
        def work(connection: sqlite3.Connection) -> Made | None:
            before = _made(connection, made.key)
            if before is None:
                _add(connection, row)
                _add_token(connection, token, digest, made)
            return before

        return await self._write(work)

    async def made(self, key: str) -> Made | None:
        return await self._read(lambda connection: _made(connection, key))

    async def forget_made(self, before: str, limit: int) -> int:
        def work(connection: sqlite3.Connection) -> int:
            oldest = "SELECT number FROM made ORDER BY number LIMIT ?"
            return connection.execute(
                f"DELETE FROM made WHERE number IN ({oldest}) AND at < ?", (limit, before)
            ).rowcount

        return await self._write(work)

    async def replace_token(
        self, old: TokenId, retires: str, row: TokenRow, digest: bytes, made: Made | None = None
    ) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            found = connection.execute(
                "UPDATE tokens SET retires = ?1 WHERE token = ?2 AND retires IS NULL AND revoked IS NULL"
                " AND (expires IS NULL OR expires > ?3)",
                (retires, old, row.created),
            )
            if found.rowcount != 1:
                return False
            _add_token(connection, row, digest, made)
            return True

        return await self._write(work)

    async def revoke(self, token: TokenId, now: str) -> None:
        await self._execute("UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE token = ?", now, token)

    async def token(self, token: TokenId) -> TokenRow | None:
        def work(connection: sqlite3.Connection) -> TokenRow | None:
            row = connection.execute(f"SELECT {_TOKEN} FROM tokens t WHERE t.token = ?", (token,)).fetchone()
            return row and _token_row(row)

        return await self._read(work)

    async def by_digest(self, digest: bytes) -> tuple[TokenRow, PlayerRow] | None:
        def work(connection: sqlite3.Connection) -> tuple[TokenRow, PlayerRow] | None:
            row = connection.execute(
                f"SELECT {_TOKEN}, {_PLAYER} FROM tokens t JOIN players p ON p.player = t.player WHERE t.hash = ?",
                (digest,),
            ).fetchone()
            return row and (_token_row(row[:9]), _player_row(row[9:]))

        return await self._read(work)

    async def tokens(self, player: PlayerId, now: str) -> list[TokenRow]:
        def work(connection: sqlite3.Connection) -> list[TokenRow]:
            rows = connection.execute(
                f"SELECT {_TOKEN} FROM tokens t WHERE t.player = ?1 AND t.revoked IS NULL"
                " AND (t.expires IS NULL OR t.expires > ?2) AND (t.retires IS NULL OR t.retires > ?2)"
                " ORDER BY t.number DESC",
                (player, now),
            )
            return [_token_row(row) for row in rows]

        return await self._read(work)

    async def used(self, tokens: Collection[TokenId], now: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("UPDATE tokens SET used = ? WHERE token = ?", [(now, token) for token in tokens])

        await self._write(work)

    async def _execute(self, statement: str, *values: object) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute(statement, values)

        await self._write(work)


def _add(connection: sqlite3.Connection, row: PlayerRow) -> None:
    connection.execute(
        "INSERT INTO players (player, name, created, scopes, closed, sought) VALUES (?, ?, ?, ?, ?, ?)",
        (row.player, row.name, row.created, " ".join(row.scopes), row.closed, row.sought),
    )


def _add_token(connection: sqlite3.Connection, row: TokenRow, digest: bytes, made: Made | None) -> None:
    connection.execute(
        "INSERT INTO tokens (token, player, name, scopes, created, expires, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (row.token, row.player, row.name, " ".join(row.scopes), row.created, row.expires, digest),
    )
    if made is not None:
        connection.execute(
            "INSERT INTO made (key, fingerprint, nonce, token, at) VALUES (?, ?, ?, ?, ?)",
            (made.key, made.fingerprint, made.nonce, made.token, made.at),
        )


def _made(connection: sqlite3.Connection, key: str) -> Made | None:
    row = connection.execute("SELECT key, fingerprint, nonce, token, at FROM made WHERE key = ?", (key,)).fetchone()
    return row and Made(*row)


def _known(connection: sqlite3.Connection, issuer: str, subject: str) -> PlayerRow | None:
    row = connection.execute(
        f"SELECT {_PLAYER} FROM identities i JOIN players p ON p.player = i.player"
        " WHERE i.issuer = ? AND i.subject = ?",
        (issuer, subject),
    ).fetchone()
    return row and _player_row(row)


def _player_row(row: Sequence[Any]) -> PlayerRow:
    player, name, created, scopes, closed, findable = row
    return PlayerRow(player, name, created, tuple(scopes.split()), closed, bool(findable))


def _token_row(row: Sequence[Any]) -> TokenRow:
    token, player, name, scopes, *times = row
    return TokenRow(token, player, name, tuple(scopes.split()), *times)
