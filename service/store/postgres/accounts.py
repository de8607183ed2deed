"""The accounts of the PostgreSQL store. `deploy/migrations/0010_accounts.sql` has their tables."""

from collections.abc import Collection
from typing import Any

import asyncpg

from domain.kernel.ids import PlayerId
from projections.sql import numbered
from service.base.clock import stamped, written
from service.store.accounts import LimitReached, Made, PlayerRow, TokenId, TokenRow, described
from service.store.postgres.connections import Connection, Connections, wait_for_standbys
from service.store.protocol import StoreError
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
    tokens_of,
)


class PostgresAccounts(SqlAccounts):
    """An `AccountStore` in the database of a `PostgresStore`, over the connections of that store.

    When the connection is lost before the answer comes, a write is sent twice. So the second time must change nothing
    and return the result of the first.
    """

    def __init__(self, connections: Connections) -> None:
        super().__init__(connections)
        self._patiently = connections.patiently

    async def change(self, *statements: tuple[str, tuple[Any, ...]], alone: str = "") -> list[Any]:
        async def work(connection: Connection) -> list[Any]:
            async with connection.transaction():
                if alone:
                    await _wait(connection, alone)
                return [await connection.fetch(numbered(statement), *values) for statement, values in statements][-1]

        return await self._patiently(work)

    async def add(self, row: PlayerRow) -> None:
        async def work(connection: Connection) -> None:
            try:
                await connection.execute(numbered(ADD_PLAYER), *player_values(row))
            except asyncpg.UniqueViolationError:
                if first_player(await connection.fetch(numbered(FIND_PLAYER), row.player)) != row:
                    raise

        await self._patiently(work)

    async def by_ids(self, players: Collection[PlayerId]) -> list[PlayerRow]:
        rows = await self._database.select(f"{FIND_PLAYERS} = ANY (?::text[])", list(players))
        return [player_row(row) for row in rows]

    async def add_known(self, row: PlayerRow, issuer: str, subject: str) -> PlayerRow:
        async def work(connection: Connection) -> PlayerRow:
            await connection.execute(
                "WITH made AS ("
                " INSERT INTO identities (issuer, subject, player) VALUES ($8, $9, $1)"
                " ON CONFLICT (issuer, subject) DO NOTHING RETURNING player"
                ") INSERT INTO players (player, name, created, scopes, closed, sought, bot)"
                " SELECT player, $2, $3, $4, $5, $6, $7 FROM made",
                *player_values(row),
                issuer,
                subject,
            )
            account = first_player(await connection.fetch(numbered(FIND_KNOWN), issuer, subject))
            if account is None:
                raise StoreError(f"no account was made for {issuer} {subject!r}")
            return account

        return await self._patiently(work)

    async def describe(self, player: PlayerId, name: str | None, findable: bool | None) -> None:
        async def work(connection: Connection) -> None:
            async with connection.transaction():
                account = first_player(await connection.fetch(f"{numbered(FIND_PLAYER)} FOR UPDATE", player))
                if account is not None:
                    row = described(account, name, findable)
                    await connection.execute(
                        "UPDATE players SET name = $1, sought = $2 WHERE player = $3",
                        row.name,
                        row.sought,
                        player,
                    )

        await self._patiently(work)

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

        async def work(connection: Connection) -> Made | None:
            if creation is None and await _holder(connection, digest) == token.token:
                return None
            async with connection.transaction():
                # The second request waits here until the first has committed.
                if creation is not None and not await connection.fetchval(
                    f"{numbered(ADD_MADE)} ON CONFLICT (key) DO NOTHING RETURNING 1", *_values(creation)
                ):
                    before = await _row_of_key(connection, creation.key)
                    await wait_for_standbys(connection)
                    return before if before != creation else None
                await _require_room(connection, token, most)
                if account is not None:
                    await connection.execute(numbered(ADD_PLAYER), *player_values(account))
                await connection.execute(numbered(ADD_TOKEN), *token_values(token, digest))
                return None

        return await self._patiently(work)

    async def made_by_key(self, key: str) -> Made | None:
        async def work(connection: Connection) -> Made | None:
            before = await _row_of_key(connection, key)
            if before is not None:
                await wait_for_standbys(connection)
            return before

        return await self._patiently(work)

    async def forget_made(self, before: str, limit: int) -> int:
        async def work(connection: Connection) -> int:
            status = await connection.execute(
                "DELETE FROM made WHERE key IN (SELECT key FROM made WHERE at < $1 ORDER BY at LIMIT $2)",
                stamped(before),
                limit,
            )
            return int(status.rpartition(" ")[2])

        return await self._patiently(work)

    async def replace_token(
        self,
        old: TokenId,
        retires: str,
        row: TokenRow,
        digest: bytes,
        creation: Made | None = None,
        most: int | None = None,
    ) -> bool:
        async def work(connection: Connection) -> bool:
            if await _holder(connection, digest) == row.token:
                return True
            async with connection.transaction():
                await _require_room(connection, row, most)
                retired = await connection.fetchval(f"{numbered(RETIRE)} RETURNING token", retires, old, row.created)
                if retired is None:
                    return False
                await connection.execute(numbered(ADD_TOKEN), *token_values(row, digest))
                if creation is not None:
                    await connection.execute(numbered(ADD_MADE), *_values(creation))
                return True

        return await self._patiently(work)

    async def used(self, tokens: Collection[TokenId], now: str) -> None:
        await self._database.execute("UPDATE tokens SET used = ? WHERE token = ANY (?)", now, list(tokens))


async def _wait(connection: Connection, what: str) -> None:
    """Wait until no other transaction counts or replaces `what`, and let others wait until this one ends."""
    await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", what)


async def _require_room(connection: Connection, row: TokenRow, most: int | None) -> None:
    if most is None:
        return
    await _wait(connection, tokens_of(row.player))
    if await connection.fetchval(numbered(COUNT_TOKENS), row.player, row.created, row.created) >= most:
        raise LimitReached


async def _holder(connection: Connection, digest: bytes) -> TokenId | None:
    return await connection.fetchval("SELECT token FROM tokens WHERE hash = $1", digest)


async def _row_of_key(connection: Connection, key: str) -> Made | None:
    row = await connection.fetchrow(numbered(FIND_MADE), key)
    return row and Made(*tuple(row)[:4], at=written(row["at"]))


def _values(creation: Made) -> tuple[object, ...]:
    return creation.key, creation.fingerprint, creation.nonce, creation.token, stamped(creation.at)
