"""Apps that sign somebody in, as SQLite and PostgreSQL keep them. `service/store/apps.py` says what each method does.

A method with several statements runs them in one transaction. It may be executed twice when the connection to
PostgreSQL is lost, so the second execution must change nothing and find the result of the first.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from domain.kernel.ids import PlayerId
from service.store.accounts import LimitReached, PlayerRow, TokenId, TokenRow
from service.store.apps import AccessRow, AppId, AppRow, ClientId, ClientRow, CodeRow, SignInRow
from service.store.sql.accounts import PLAYER, TOKEN, player_row, revoking, token_row, token_values, unregistering
from service.store.sql.database import Database

Change = Callable[..., Awaitable[list[Any]]]
"""Executes all statements in one transaction, and returns the rows of the last; see `SqlAccounts.change`."""

_CLIENTS: Final = "SELECT client, player, name, redirects, created, hash, key, fingerprint, nonce FROM apps"
_APPS: Final = "SELECT app, player, client, site, name, scopes, given, reused FROM app_consents"
_CODES: Final = (
    "SELECT hash, client, site, name, scopes, ends, redirect, challenge, user_code, player, allowed, pause, polled,"
    " token FROM app_codes"
)
_ACCESS: Final = "a.hash, a.token, a.scopes, a.ends"
_SIGN_IN: Final = f"{TOKEN}, s.client, s.site, s.refresh"
_WIDTH: Final = len(TokenRow.__struct_fields__)


class SqlApps:
    """The `AppStore` of both databases."""

    def __init__(self, database: Database, change: Change) -> None:
        self._database = database
        self._change = change

    # --- registered apps ---

    async def register(self, row: ClientRow, most: int) -> ClientRow:
        add = (
            "INSERT INTO apps (client, player, name, redirects, created, hash, key, fingerprint, nonce)"
            " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM apps WHERE player = ?) < ?"
            " ON CONFLICT DO NOTHING"
        )
        values = (row.client, row.player, row.name, " ".join(row.redirects), row.created, row.hash, row.key)
        rows = await self._change(
            (add, (*values, row.fingerprint, row.nonce, row.player, most)),
            (f"{_CLIENTS} WHERE client = ? OR key = ?", (row.client, row.key)),
            alone=f"apps of {row.player}",
        )
        if not rows:
            raise LimitReached
        return _client(rows[0])

    async def client(self, client: ClientId) -> ClientRow | None:
        rows = await self._database.select(f"{_CLIENTS} WHERE client = ?", client)
        return _client(rows[0]) if rows else None

    async def clients(self, player: PlayerId) -> list[ClientRow]:
        rows = await self._database.select(f"{_CLIENTS} WHERE player = ? ORDER BY created DESC, client", player)
        return [_client(row) for row in rows]

    async def unregister(self, client: ClientId, now: str) -> None:
        await self._change(*unregistering("client = ?", client, now))

    # --- consents ---

    async def let_in(self, row: AppRow) -> AppRow:
        which = "WHERE player = ? AND client = ? AND site = ?"
        key = (row.player, row.client, row.site)
        add = (
            "INSERT INTO app_consents (app, player, client, site, name, scopes, given) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (player, client, site) DO UPDATE SET name = excluded.name, scopes = excluded.scopes,"
            " given = excluded.given, reused = NULL"
        )
        values = (row.app, *key, row.name, " ".join(row.scopes), row.given)
        return _app(await self._one((add, values), (f"{_APPS} {which}", key)))

    async def apps(self, player: PlayerId, now: str) -> list[AppRow]:
        columns = "c.app, c.player, c.client, c.site, c.name, c.scopes, c.given, c.reused"
        # By the account's tokens, which are few: an app may be signed in to many accounts.
        live = (
            "SELECT s.client, s.site, t.token, t.used FROM tokens t JOIN app_sign_ins s ON s.token = t.token"
            " WHERE t.player = ? AND t.revoked IS NULL AND t.expires > ?"
        )
        query = (
            f"SELECT {columns}, count(l.token), max(l.used) FROM app_consents c"
            f" LEFT JOIN ({live}) l ON l.client = c.client AND l.site = c.site"
            f" WHERE c.player = ? GROUP BY {columns} ORDER BY c.given DESC, c.app"
        )
        return [_app(row) for row in await self._database.select(query, player, now, player)]

    async def shut_out(self, player: PlayerId, app: AppId, now: str) -> None:
        of_app = (
            "(SELECT s.token FROM app_sign_ins s JOIN app_consents c ON c.client = s.client AND c.site = s.site"
            " JOIN tokens t ON t.token = s.token AND t.player = c.player WHERE c.player = ? AND c.app = ?)"
        )
        unused = "DELETE FROM app_codes WHERE player = ? AND client IN (SELECT client FROM app_consents WHERE app = ?)"
        await self._change(
            *revoking(of_app, now, player, app),
            (unused, (player, app)),
            ("DELETE FROM app_consents WHERE player = ? AND app = ?", (player, app)),
        )

    async def note_reuse(self, of: SignInRow, now: str) -> None:
        note = "UPDATE app_consents SET reused = ? WHERE player = ? AND client = ? AND site = ?"
        await self._change(
            *revoking("(SELECT token FROM app_sign_ins WHERE token = ?)", now, of.token.token),
            (note, (now, of.token.player, of.client, of.site)),
        )

    async def sign_ins(self, player: PlayerId, client: ClientId, site: str) -> list[TokenId]:
        query = (
            "SELECT t.token FROM app_sign_ins s JOIN tokens t ON t.token = s.token"
            " WHERE t.player = ? AND s.client = ? AND s.site = ? AND t.revoked IS NULL ORDER BY t.number DESC"
        )
        return [row[0] for row in await self._database.select(query, player, client, site)]

    # --- codes ---

    async def add_code(self, row: CodeRow, before: str) -> bool:
        add = (
            "INSERT INTO app_codes (hash, client, site, name, scopes, ends, redirect, challenge, user_code, player,"
            " allowed, pause, polled, token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        )
        values = (row.hash, row.client, row.site, row.name, " ".join(row.scopes), row.ends, row.redirect, row.challenge)
        return bool(
            await self._change(
                ("DELETE FROM app_codes WHERE ends < ?", (before,)),
                (add, (*values, row.user_code, row.player, row.allowed, row.pause, row.polled, row.token)),
                ("SELECT hash FROM app_codes WHERE hash = ?", (row.hash,)),
            )
        )

    async def code(self, digest: bytes) -> CodeRow | None:
        rows = await self._database.select(f"{_CODES} WHERE hash = ?", digest)
        return _code(rows[0]) if rows else None

    async def device(self, user_code: str) -> CodeRow | None:
        rows = await self._database.select(f"{_CODES} WHERE user_code = ?", user_code)
        return _code(rows[0]) if rows else None

    async def decide(self, row: CodeRow) -> bool:
        decide = "UPDATE app_codes SET player = ?, allowed = ?, scopes = ? WHERE hash = ? AND player = ''"
        scopes = " ".join(row.scopes)
        rows = await self._change(
            (decide, (row.player, row.allowed, scopes, row.hash)),
            (
                "SELECT hash FROM app_codes WHERE hash = ? AND player = ? AND allowed = ?",
                (row.hash, row.player, row.allowed),
            ),
        )
        return bool(rows)

    async def poll(self, digest: bytes, now: str, pause: int) -> None:
        await self._database.execute("UPDATE app_codes SET polled = ?, pause = ? WHERE hash = ?", now, pause, digest)

    async def redeem(self, digest: bytes, sign_in: SignInRow, secret: bytes, access: AccessRow) -> TokenId:
        token = sign_in.token.token
        # The second request waits for the first here, and then changes nothing.
        claim = "UPDATE app_codes SET token = ? WHERE hash = ? AND token = ''"
        mine = "WHERE EXISTS (SELECT 1 FROM app_codes WHERE hash = ? AND token = ?) ON CONFLICT DO NOTHING"
        add = (
            "INSERT INTO tokens (token, player, name, scopes, created, expires, hash)"
            f" SELECT ?, ?, ?, ?, ?, ?, ? {mine}"
        )
        sign = f"INSERT INTO app_sign_ins (token, client, site, refresh) SELECT ?, ?, ?, ? {mine}"
        give = f"INSERT INTO app_access (hash, token, scopes, ends) SELECT ?, ?, ?, ? {mine}"
        row = await self._one(
            (claim, (token, digest)),
            (add, (*token_values(sign_in.token, secret), digest, token)),
            (sign, (token, sign_in.client, sign_in.site, sign_in.refresh, digest, token)),
            (give, (*_access_values(access), digest, token)),
            ("SELECT token FROM app_codes WHERE hash = ?", (digest,)),
        )
        return TokenId(row[0])

    # --- tokens ---

    async def sign_in(self, secret: bytes) -> SignInRow | None:
        rows = await self._database.select(
            f"SELECT {_SIGN_IN} FROM app_sign_ins s JOIN tokens t ON t.token = s.token WHERE t.hash = ?", secret
        )
        return _sign_in(rows[0]) if rows else None

    async def of_access(self, digest: bytes) -> tuple[AccessRow, SignInRow] | None:
        rows = await self._database.select(
            f"SELECT {_ACCESS}, {_SIGN_IN} FROM app_access a JOIN app_sign_ins s ON s.token = a.token"
            " JOIN tokens t ON t.token = a.token WHERE a.hash = ?",
            digest,
        )
        return (_access(rows[0][:4]), _sign_in(tuple(rows[0])[4:])) if rows else None

    async def refresh(self, row: SignInRow, refresh: bytes, access: AccessRow, expires: str) -> bool:
        token = row.token.token
        live = "SELECT 1 FROM tokens WHERE token = ? AND revoked IS NULL"
        mine = "EXISTS (SELECT 1 FROM app_sign_ins WHERE token = ? AND refresh = ?)"
        swap = f"UPDATE app_sign_ins SET refresh = ? WHERE token = ? AND refresh = ? AND EXISTS ({live})"
        forget = (
            f"DELETE FROM app_access WHERE token = ? AND {mine} AND hash <> ?"
            " AND ends < (SELECT max(ends) FROM app_access WHERE token = ?)"
        )
        give = (
            f"INSERT INTO app_access (hash, token, scopes, ends) SELECT ?, ?, ?, ? WHERE {mine} ON CONFLICT DO NOTHING"
        )
        rows = await self._change(
            (swap, (refresh, token, row.refresh, token)),
            (f"UPDATE tokens SET expires = ? WHERE token = ? AND {mine}", (expires, token, token, refresh)),
            (forget, (token, token, refresh, access.hash, token)),
            (give, (*_access_values(access), token, refresh)),
            ("SELECT 1 FROM app_access WHERE hash = ?", (access.hash,)),
        )
        return bool(rows)

    async def by_access(self, digest: bytes) -> tuple[AccessRow, TokenRow, PlayerRow] | None:
        rows = await self._database.select(
            f"SELECT {_ACCESS}, {TOKEN}, {PLAYER} FROM app_access a JOIN tokens t ON t.token = a.token"
            " JOIN players p ON p.player = t.player WHERE a.hash = ?",
            digest,
        )
        if not rows:
            return None
        columns = tuple(rows[0])
        of_player = columns[4 + _WIDTH :]
        return _access(columns[:4]), token_row(columns[4 : 4 + _WIDTH]), player_row(of_player)

    async def _one(self, *statements: tuple[str, tuple[Any, ...]]) -> Any:
        return (await self._change(*statements))[0]


def _access_values(row: AccessRow) -> tuple[Any, ...]:
    return row.hash, row.token, " ".join(row.scopes), row.ends


def _access(columns: Sequence[Any]) -> AccessRow:
    digest, token, scopes, ends = columns
    return AccessRow(digest, token, tuple(scopes.split()), ends)


def _client(columns: Sequence[Any]) -> ClientRow:
    client, player, name, redirects, *rest = columns
    return ClientRow(client, player, name, tuple(redirects.split(" ")), *rest)


def _app(columns: Sequence[Any]) -> AppRow:
    app, player, client, site, name, scopes, *rest = columns
    return AppRow(app, player, client, site, name, tuple(scopes.split()), *rest)


def _code(columns: Sequence[Any]) -> CodeRow:
    digest, client, site, name, scopes, *rest = columns
    ends, redirect, challenge, user_code, player, allowed, *more = rest
    request = (tuple(scopes.split()), ends, redirect, challenge, user_code)
    return CodeRow(digest, client, site, name, *request, player, bool(allowed), *more)


def _sign_in(columns: Sequence[Any]) -> SignInRow:
    return SignInRow(token_row(columns[:_WIDTH]), *columns[_WIDTH:])
