"""The accounts of the PostgreSQL store. `deploy/migrations/0010_accounts.sql` has their tables."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, Final, Protocol, TypeVar

import asyncpg

from domain.kernel.ids import PlayerId
from service.base.clock import stamped, written
from service.base.scopes import Scope
from service.store.accounts import LAST_CHARACTER, Made, PlayerRow, TokenId, TokenRow, described, folded
from service.store.postgres.connections import Connection
from service.store.protocol import StoreError

T = TypeVar("T")

_PLAYER: Final = "p.player, p.name, p.created, p.scopes, p.closed, p.sought IS NOT NULL"
_TOKEN: Final = "t.token, t.player, t.name, t.scopes, t.created, t.expires, t.retires, t.revoked, t.used"
_ADD_PLAYER: Final = (
    "INSERT INTO tabularium.players (player, name, created, scopes, closed, sought) VALUES ($1, $2, $3, $4, $5, $6)"
)
_ADD_MADE: Final = "INSERT INTO tabularium.made (key, fingerprint, nonce, token, at) VALUES ($1, $2, $3, $4, $5)"
_ADD_TOKEN: Final = (
    "INSERT INTO tabularium.tokens (token, player, name, scopes, created, expires, hash)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7)"
)


class Patiently(Protocol):
    """Runs work on a connection, and again when that was lost."""

    def __call__(self, work: Callable[[Connection], Awaitable[T]], /) -> Awaitable[T]: ...


class PostgresAccounts:
    """An `AccountStore` in the database of a `PostgresStore`, which lends it its connections.

    What it writes may be written twice, when the connection is lost before the answer comes: the second time must
    find the first and change nothing.
    """

    def __init__(self, patiently: Patiently) -> None:
        self._patiently = patiently

    async def add(self, row: PlayerRow) -> None:
        async def work(connection: Connection) -> None:
            try:
                await connection.execute(_ADD_PLAYER, *_player_values(row))
            except asyncpg.UniqueViolationError:
                if await _player(connection, row.player) != row:
                    raise

        await self._patiently(work)

    async def add_known(self, row: PlayerRow, issuer: str, subject: str) -> PlayerRow:
        async def work(connection: Connection) -> PlayerRow:
            await connection.execute(
                "WITH made AS ("
                " INSERT INTO tabularium.identities (issuer, subject, player) VALUES ($7, $8, $1)"
                " ON CONFLICT (issuer, subject) DO NOTHING RETURNING player"
                ") INSERT INTO tabularium.players (player, name, created, scopes, closed, sought)"
                " SELECT player, $2, $3, $4, $5, $6 FROM made",
                *_player_values(row),
                issuer,
                subject,
            )
            found = await _known(connection, issuer, subject)
            if found is None:
                raise StoreError(f"no account was made for {issuer} {subject!r}")
            return found

        return await self._patiently(work)

    async def player(self, player: PlayerId) -> PlayerRow | None:
        return await self._patiently(lambda connection: _player(connection, player)) if "\0" not in player else None

    async def known(self, issuer: str, subject: str) -> PlayerRow | None:
        if "\0" in subject:
            return None
        return await self._patiently(lambda connection: _known(connection, issuer, subject))

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        async def work(connection: Connection) -> list[PlayerRow]:
            rows = await connection.fetch(
                f"SELECT {_PLAYER} FROM tabularium.players p WHERE p.player > $1 AND ' ' || p.scopes || ' ' LIKE $2"
                " ORDER BY p.player LIMIT $3",
                after,
                f"% {scope} %" if scope else "%",
                limit,
            )
            return [_player_row(row) for row in rows]

        return await self._patiently(work) if "\0" not in after else []

    async def grant(self, player: PlayerId, scopes: Sequence[Scope]) -> None:
        await self._execute("UPDATE tabularium.players SET scopes = $1 WHERE player = $2", " ".join(scopes), player)

    async def describe(self, player: PlayerId, name: str | None, findable: bool | None) -> None:
        async def work(connection: Connection) -> None:
            async with connection.transaction():
                found = await connection.fetchrow(
                    f"SELECT {_PLAYER} FROM tabularium.players p WHERE p.player = $1 FOR UPDATE", player
                )
                if found is not None:
                    row = described(_player_row(found), name, findable)
                    await connection.execute(
                        "UPDATE tabularium.players SET name = $1, sought = $2 WHERE player = $3",
                        row.name,
                        row.sought,
                        player,
                    )

        await self._patiently(work)

    async def find(
        self, name: str, *, whole: bool, after: tuple[str, PlayerId] = ("", PlayerId("")), limit: int
    ) -> list[PlayerRow]:
        sought = folded(name)

        async def work(connection: Connection) -> list[PlayerRow]:
            rows = await connection.fetch(
                f"SELECT {_PLAYER} FROM tabularium.players p WHERE p.sought >= $1 AND p.sought <= $2"
                " AND p.closed IS NULL AND (p.sought, p.player) > ($3, $4) ORDER BY p.sought, p.player LIMIT $5",
                sought,
                sought if whole else sought + LAST_CHARACTER,
                *after,
                limit,
            )
            return [_player_row(row) for row in rows]

        return await self._patiently(work) if "\0" not in name + "".join(after) else []

    async def close(self, player: PlayerId, now: str) -> None:
        await self._execute(
            "WITH account AS (UPDATE tabularium.players SET closed = coalesce(closed, $1) WHERE player = $2)"
            " UPDATE tabularium.tokens SET revoked = coalesce(revoked, $1) WHERE player = $2",
            now,
            player,
        )

    async def add_token(self, row: TokenRow, digest: bytes, made: Made | None = None) -> Made | None:
        if made is not None:
            return await self._once(made, digest, row)

        async def work(connection: Connection) -> None:
            try:
                await connection.execute(_ADD_TOKEN, *_token_values(row, digest))
            except asyncpg.UniqueViolationError:
                if await _holder(connection, digest) != row.token:
                    raise

        await self._patiently(work)
        return None

    async def open_account(self, row: PlayerRow, token: TokenRow, digest: bytes, made: Made) -> Made | None:
        return await self._once(made, digest, token, row)

    async def _once(self, made: Made, digest: bytes, token: TokenRow, account: PlayerRow | None = None) -> Made | None:
        """Store a token, and its account, under an idempotency key; return what that had made before."""

        async def work(connection: Connection) -> Made | None:
            async with connection.transaction():
                # Who comes second waits here until the first has committed.
                if not await connection.fetchval(
                    f"{_ADD_MADE} ON CONFLICT (key) DO NOTHING RETURNING 1", *_values(made)
                ):
                    before = await _made(connection, made.key)
                    return before if before != made else None
                if account is not None:
                    await connection.execute(_ADD_PLAYER, *_player_values(account))
                await connection.execute(_ADD_TOKEN, *_token_values(token, digest))
                return None

        return await self._patiently(work)

    async def made(self, key: str) -> Made | None:
        return await self._patiently(lambda connection: _made(connection, key))

    async def forget_made(self, before: str, limit: int) -> int:
        async def work(connection: Connection) -> int:
            done = await connection.execute(
                "DELETE FROM tabularium.made WHERE key IN ("
                " SELECT key FROM tabularium.made WHERE at < $1 ORDER BY at LIMIT $2)",
                stamped(before),
                limit,
            )
            return int(done.rpartition(" ")[2])

        return await self._patiently(work)

    async def replace_token(
        self, old: TokenId, retires: str, row: TokenRow, digest: bytes, made: Made | None = None
    ) -> bool:
        async def work(connection: Connection) -> bool:
            if await _holder(connection, digest) == row.token:
                return True
            async with connection.transaction():
                found = await connection.fetchval(
                    "UPDATE tabularium.tokens SET retires = $1 WHERE token = $2 AND retires IS NULL AND revoked IS NULL"
                    " AND (expires IS NULL OR expires > $3) RETURNING token",
                    retires,
                    old,
                    row.created,
                )
                if found is None:
                    return False
                await connection.execute(_ADD_TOKEN, *_token_values(row, digest))
                if made is not None:
                    await connection.execute(_ADD_MADE, *_values(made))
                return True

        return await self._patiently(work)

    async def revoke(self, token: TokenId, now: str) -> None:
        await self._execute("UPDATE tabularium.tokens SET revoked = coalesce(revoked, $1) WHERE token = $2", now, token)

    async def token(self, token: TokenId) -> TokenRow | None:
        async def work(connection: Connection) -> TokenRow | None:
            row = await connection.fetchrow(f"SELECT {_TOKEN} FROM tabularium.tokens t WHERE t.token = $1", token)
            return row and _token_row(row)

        return await self._patiently(work) if "\0" not in token else None

    async def by_digest(self, digest: bytes) -> tuple[TokenRow, PlayerRow] | None:
        async def work(connection: Connection) -> tuple[TokenRow, PlayerRow] | None:
            row = await connection.fetchrow(
                f"SELECT {_TOKEN}, {_PLAYER} FROM tabularium.tokens t"
                " JOIN tabularium.players p ON p.player = t.player WHERE t.hash = $1",
                digest,
            )
            return row and (_token_row(tuple(row)[:9]), _player_row(tuple(row)[9:]))

        return await self._patiently(work)

    async def tokens(self, player: PlayerId, now: str) -> list[TokenRow]:
        async def work(connection: Connection) -> list[TokenRow]:
            rows = await connection.fetch(
                f"SELECT {_TOKEN} FROM tabularium.tokens t WHERE t.player = $1 AND t.revoked IS NULL"
                " AND (t.expires IS NULL OR t.expires > $2) AND (t.retires IS NULL OR t.retires > $2)"
                " ORDER BY t.number DESC",
                player,
                now,
            )
            return [_token_row(row) for row in rows]

        return await self._patiently(work) if "\0" not in player else []

    async def used(self, tokens: Collection[TokenId], now: str) -> None:
        await self._execute("UPDATE tabularium.tokens SET used = $1 WHERE token = ANY ($2)", now, list(tokens))

    async def _execute(self, statement: str, *values: object) -> None:
        await self._patiently(lambda connection: connection.execute(statement, *values))


async def _player(connection: Connection, player: PlayerId) -> PlayerRow | None:
    row = await connection.fetchrow(f"SELECT {_PLAYER} FROM tabularium.players p WHERE p.player = $1", player)
    return row and _player_row(row)


async def _known(connection: Connection, issuer: str, subject: str) -> PlayerRow | None:
    row = await connection.fetchrow(
        f"SELECT {_PLAYER} FROM tabularium.identities i JOIN tabularium.players p ON p.player = i.player"
        " WHERE i.issuer = $1 AND i.subject = $2",
        issuer,
        subject,
    )
    return row and _player_row(row)


async def _holder(connection: Connection, digest: bytes) -> TokenId | None:
    return await connection.fetchval("SELECT token FROM tabularium.tokens WHERE hash = $1", digest)


async def _made(connection: Connection, key: str) -> Made | None:
    row = await connection.fetchrow(
        "SELECT key, fingerprint, nonce, token, at FROM tabularium.made WHERE key = $1", key
    )
    return row and Made(*tuple(row)[:4], at=written(row["at"]))


def _values(made: Made) -> tuple[object, ...]:
    return made.key, made.fingerprint, made.nonce, made.token, stamped(made.at)


def _player_values(row: PlayerRow) -> tuple[object, ...]:
    return row.player, row.name, row.created, " ".join(row.scopes), row.closed, row.sought


def _token_values(row: TokenRow, digest: bytes) -> tuple[object, ...]:
    return row.token, row.player, row.name, " ".join(row.scopes), row.created, row.expires, digest


def _player_row(row: Sequence[Any]) -> PlayerRow:
    player, name, created, scopes, closed, findable = row
    return PlayerRow(player, name, created, tuple(scopes.split()), closed, bool(findable))


def _token_row(row: Sequence[Any]) -> TokenRow:
    token, player, name, scopes, *times = row
    return TokenRow(token, player, name, tuple(scopes.split()), *times)
