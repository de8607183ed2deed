"""Accounts and tokens, as far as SQLite and PostgreSQL keep and find them in the same way."""

from collections.abc import Sequence
from typing import Any, Final

from domain.kernel.ids import PlayerId
from service.base.scopes import Scope
from service.store.accounts import LAST_CHARACTER, PlayerRow, TokenId, TokenRow, folded
from service.store.sql.database import Database

PLAYER: Final = "p.player, p.name, p.created, p.scopes, p.closed, p.sought IS NOT NULL"
TOKEN: Final = "t.token, t.player, t.name, t.scopes, t.created, t.expires, t.retires, t.revoked, t.used"

ADD_PLAYER: Final = "INSERT INTO players (player, name, created, scopes, closed, sought) VALUES (?, ?, ?, ?, ?, ?)"
ADD_TOKEN: Final = (
    "INSERT INTO tokens (token, player, name, scopes, created, expires, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
ADD_MADE: Final = "INSERT INTO made (key, fingerprint, nonce, token, at) VALUES (?, ?, ?, ?, ?)"

FIND_PLAYER: Final = f"SELECT {PLAYER} FROM players p WHERE p.player = ?"
FIND_KNOWN: Final = (
    f"SELECT {PLAYER} FROM identities i JOIN players p ON p.player = i.player WHERE i.issuer = ? AND i.subject = ?"
)
FIND_MADE: Final = "SELECT key, fingerprint, nonce, token, at FROM made WHERE key = ?"
RETIRE: Final = (
    "UPDATE tokens SET retires = ? WHERE token = ? AND retires IS NULL AND revoked IS NULL"
    " AND (expires IS NULL OR expires > ?)"
)


class SqlAccounts:
    """The part of an `AccountStore` that both databases share."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def player(self, player: PlayerId) -> PlayerRow | None:
        return first_player(await self._database.select(FIND_PLAYER, player))

    async def known(self, issuer: str, subject: str) -> PlayerRow | None:
        return first_player(await self._database.select(FIND_KNOWN, issuer, subject))

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        found = await self._database.select(
            f"SELECT {PLAYER} FROM players p WHERE p.player > ? AND ' ' || p.scopes || ' ' LIKE ?"
            " ORDER BY p.player LIMIT ?",
            after,
            f"% {scope} %" if scope else "%",
            limit,
        )
        return [player_row(row) for row in found]

    async def grant(self, player: PlayerId, scopes: Sequence[Scope]) -> None:
        await self._database.execute("UPDATE players SET scopes = ? WHERE player = ?", " ".join(scopes), player)

    async def find(
        self, name: str, *, whole: bool, after: tuple[str, PlayerId] = ("", PlayerId("")), limit: int
    ) -> list[PlayerRow]:
        sought = folded(name)
        found = await self._database.select(
            f"SELECT {PLAYER} FROM players p WHERE p.sought >= ? AND p.sought <= ? AND p.closed IS NULL"
            " AND (p.sought, p.player) > (?, ?) ORDER BY p.sought, p.player LIMIT ?",
            sought,
            sought if whole else sought + LAST_CHARACTER,
            *after,
            limit,
        )
        return [player_row(row) for row in found]

    async def revoke(self, token: TokenId, now: str) -> None:
        await self._database.execute("UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE token = ?", now, token)

    async def token(self, token: TokenId) -> TokenRow | None:
        found = await self._database.select(f"SELECT {TOKEN} FROM tokens t WHERE t.token = ?", token)
        return token_row(found[0]) if found else None

    async def by_digest(self, digest: bytes) -> tuple[TokenRow, PlayerRow] | None:
        found = await self._database.select(
            f"SELECT {TOKEN}, {PLAYER} FROM tokens t JOIN players p ON p.player = t.player WHERE t.hash = ?", digest
        )
        if not found:
            return None
        columns = tuple(found[0])
        return token_row(columns[:9]), player_row(columns[9:])

    async def tokens(self, player: PlayerId, now: str) -> list[TokenRow]:
        found = await self._database.select(
            f"SELECT {TOKEN} FROM tokens t WHERE t.player = ? AND t.revoked IS NULL"
            " AND (t.expires IS NULL OR t.expires > ?) AND (t.retires IS NULL OR t.retires > ?)"
            " ORDER BY t.number DESC",
            player,
            now,
            now,
        )
        return [token_row(row) for row in found]


def first_player(found: Sequence[Any]) -> PlayerRow | None:
    """Return the account of the first row, if there is one."""
    return player_row(found[0]) if found else None


def player_row(columns: Sequence[Any]) -> PlayerRow:
    """Return the account of the columns `PLAYER`."""
    player, name, created, scopes, closed, findable = columns
    return PlayerRow(player, name, created, tuple(scopes.split()), closed, bool(findable))


def token_row(columns: Sequence[Any]) -> TokenRow:
    """Return the token of the columns `TOKEN`."""
    token, player, name, scopes, *times = columns
    return TokenRow(token, player, name, tuple(scopes.split()), *times)


def player_values(row: PlayerRow) -> tuple[Any, ...]:
    """Return the values of `ADD_PLAYER`."""
    return row.player, row.name, row.created, " ".join(row.scopes), row.closed, row.sought


def token_values(row: TokenRow, digest: bytes) -> tuple[Any, ...]:
    """Return the values of `ADD_TOKEN`."""
    return row.token, row.player, row.name, " ".join(row.scopes), row.created, row.expires, digest
