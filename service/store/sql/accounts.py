"""Accounts and tokens, as far as SQLite and PostgreSQL keep and find them in the same way."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import astuple

from domain.kernel.ids import LARGEST_INTEGER, GameId, PlayerId, StreamId, Version
from service.base.scopes import Scope
from service.store.accounts import (
    LAST_CHARACTER,
    InvitationId,
    InvitationRow,
    LimitReached,
    PasskeyId,
    PasskeyRow,
    PlayerRow,
    TokenId,
    TokenRow,
    folded,
)
from service.store.sql.database import Database
from service.store.sql.webhooks import removed

AUTOMATED: Final = "SELECT player FROM players WHERE automated ORDER BY player"
PLAYER: Final = "p.player, p.name, p.created, p.scopes, p.closed, p.sought IS NOT NULL, p.bot, p.automated, p.joined"
TOKEN: Final = "t.token, t.player, t.name, t.scopes, t.created, t.expires, t.retires, t.revoked, t.used"

ADD_PLAYER: Final = (
    "INSERT INTO players (player, name, created, scopes, closed, sought, bot) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
ADD_TOKEN: Final = (
    "INSERT INTO tokens (token, player, name, scopes, created, expires, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
ADD_MADE: Final = "INSERT INTO made (key, fingerprint, nonce, token, at) VALUES (?, ?, ?, ?, ?)"

FIND_PLAYER: Final = f"SELECT {PLAYER} FROM players p WHERE p.player = ?"
FIND_PLAYERS: Final = f"SELECT {PLAYER} FROM players p WHERE p.player"
"""The beginning of a query; a condition on the ids of the accounts follows."""
FIND_KNOWN: Final = (
    f"SELECT {PLAYER} FROM identities i JOIN players p ON p.player = i.player WHERE i.issuer = ? AND i.subject = ?"
)
FIND_MADE: Final = "SELECT key, fingerprint, nonce, token, at FROM made WHERE key = ?"
RETIRE: Final = (
    "UPDATE tokens SET retires = ? WHERE token = ? AND retires IS NULL AND revoked IS NULL"
    " AND (expires IS NULL OR expires > ?)"
)


COUNT_TOKENS: Final = (
    "SELECT count(*) FROM tokens t WHERE t.player = ? AND t.token LIKE 't%' AND t.revoked IS NULL"
    " AND (t.expires IS NULL OR t.expires > ?) AND (t.retires IS NULL OR t.retires > ?)"
)


class SqlAccounts(ABC):
    """The part of an `AccountStore` that both databases share."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def player(self, player: PlayerId) -> PlayerRow | None:
        return first_player(await self._database.select(FIND_PLAYER, player))

    async def by_identity(self, issuer: str, subject: str) -> PlayerRow | None:
        return first_player(await self._database.select(FIND_KNOWN, issuer, subject))

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        rows = await self._database.select(
            f"SELECT {PLAYER} FROM players p WHERE p.player > ? AND ' ' || p.scopes || ' ' LIKE ?"
            " ORDER BY p.player LIMIT ?",
            after,
            f"% {scope} %" if scope else "%",
            limit,
        )
        return [player_row(row) for row in rows]

    async def bots(self) -> list[PlayerRow]:
        rows = await self._database.select(f"SELECT {PLAYER} FROM players p WHERE p.bot IS NOT NULL ORDER BY p.player")
        return [player_row(row) for row in rows]

    async def automated(self) -> list[PlayerId]:
        return [PlayerId(player) for (player,) in await self._database.select(AUTOMATED)]

    async def automate(self, player: PlayerId) -> None:
        await self._database.execute("UPDATE players SET automated = TRUE WHERE player = ?", player)

    async def grant(self, player: PlayerId, scopes: Sequence[Scope]) -> None:
        await self._database.execute("UPDATE players SET scopes = ? WHERE player = ?", " ".join(scopes), player)

    async def find(
        self, name: str, *, whole: bool, after: tuple[str, PlayerId] = ("", PlayerId("")), limit: int
    ) -> list[PlayerRow]:
        sought = folded(name)
        rows = await self._database.select(
            f"SELECT {PLAYER} FROM players p WHERE p.sought >= ? AND p.sought <= ? AND p.closed IS NULL"
            " AND (p.sought, p.player) > (?, ?) ORDER BY p.sought, p.player LIMIT ?",
            sought,
            sought if whole else sought + LAST_CHARACTER,
            *after,
            limit,
        )
        return [player_row(row) for row in rows]

    async def revoke(self, token: TokenId, now: str) -> None:
        await self.change(
            ("UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE token = ?", (now, token)),
            # Otherwise the next user of the browser would get notifications of this account.
            *removed("IN (SELECT webhook FROM webhooks WHERE token = ?)", token),
        )

    async def token(self, token: TokenId) -> TokenRow | None:
        rows = await self._database.select(f"SELECT {TOKEN} FROM tokens t WHERE t.token = ?", token)
        return token_row(rows[0]) if rows else None

    async def by_digest(self, digest: bytes) -> tuple[TokenRow, PlayerRow] | None:
        rows = await self._database.select(
            f"SELECT {TOKEN}, {PLAYER} FROM tokens t JOIN players p ON p.player = t.player WHERE t.hash = ?", digest
        )
        if not rows:
            return None
        columns = tuple(rows[0])
        return token_row(columns[:9]), player_row(columns[9:])

    async def tokens(self, player: PlayerId, now: str) -> list[TokenRow]:
        rows = await self._database.select(
            f"SELECT {TOKEN} FROM tokens t WHERE t.player = ? AND t.revoked IS NULL"
            " AND (t.expires IS NULL OR t.expires > ?) AND (t.retires IS NULL OR t.retires > ?)"
            " ORDER BY t.number DESC",
            player,
            now,
            now,
        )
        return [token_row(row) for row in rows]

    async def all_tokens(self, player: PlayerId, after: TokenId | None, limit: int) -> list[TokenRow]:
        follows = "" if after is None else " AND t.number < (SELECT number FROM tokens WHERE token = ?)"
        rows = await self._database.select(
            f"SELECT {TOKEN} FROM tokens t WHERE t.player = ?{follows} ORDER BY t.number DESC LIMIT ?",
            *((player,) if after is None else (player, after)),
            limit,
        )
        return [token_row(row) for row in rows]

    async def add_invitation(
        self, row: InvitationRow, digest: bytes, most_open: int | None = None, most: int | None = None
    ) -> InvitationRow:
        add = (
            "INSERT INTO invitations (invitation, game, hash, created, key, nonce) SELECT ?, ?, ?, ?, ?, ?"
            " WHERE (SELECT count(*) FROM invitations WHERE game = ? AND revoked IS NULL) < ?"
            " AND (SELECT count(*) FROM invitations WHERE game = ?) < ? ON CONFLICT DO NOTHING"
        )
        values = (row.invitation, row.game, digest, row.created, row.key, row.nonce)
        limits = (row.game, _or_any(most_open), row.game, _or_any(most))
        find = f"{_INVITATIONS} WHERE invitation = ? OR key = ?"
        rows = await self.change(
            (add, (*values, *limits)), (find, (row.invitation, row.key)), alone=f"invitations of {row.game}"
        )
        if not rows:
            raise LimitReached
        return InvitationRow(*rows[0])

    async def invitation(self, digest: bytes) -> InvitationRow | None:
        rows = await self._database.select(f"{_INVITATIONS} WHERE hash = ?", digest)
        return InvitationRow(*rows[0]) if rows else None

    async def invitations(self, game: GameId) -> list[InvitationRow]:
        rows = await self._database.select(f"{_INVITATIONS} WHERE game = ? ORDER BY number DESC", game)
        return [InvitationRow(*row) for row in rows]

    async def revoke_invitation(self, invitation: InvitationId, now: str) -> None:
        statement = "UPDATE invitations SET revoked = coalesce(revoked, ?) WHERE invitation = ?"
        await self._database.execute(statement, now, invitation)

    async def add_passkey(self, row: PasskeyRow, most: int | None = None) -> bool:
        add = (
            "INSERT INTO passkeys (passkey, player, credential, public_key, signs, name, created)"
            " SELECT ?, ?, ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM passkeys WHERE player = ?) < ?"
            " ON CONFLICT DO NOTHING"
        )
        rows = await self.change(
            (add, (*astuple(row)[:-1], row.player, _or_any(most))),
            ("SELECT passkey FROM passkeys WHERE credential = ?", (row.credential,)),
            alone=f"passkeys of {row.player}",
        )
        if not rows:
            raise LimitReached
        return rows[0][0] == row.passkey

    async def passkey(self, credential: bytes) -> PasskeyRow | None:
        rows = await self._database.select(f"{_PASSKEYS} WHERE credential = ?", credential)
        return PasskeyRow(*rows[0]) if rows else None

    async def passkeys(self, player: PlayerId) -> list[PasskeyRow]:
        rows = await self._database.select(f"{_PASSKEYS} WHERE player = ? ORDER BY number DESC", player)
        return [PasskeyRow(*row) for row in rows]

    async def passkey_used(self, passkey: PasskeyId, signs: int, now: str) -> None:
        await self._database.execute("UPDATE passkeys SET signs = ?, used = ? WHERE passkey = ?", signs, now, passkey)

    async def remove_passkey(self, passkey: PasskeyId) -> None:
        await self._database.execute("DELETE FROM passkeys WHERE passkey = ?", passkey)

    async def challenge_key(self, new: bytes) -> bytes:
        add = "INSERT INTO challenge_keys (number, key) VALUES (1, ?) ON CONFLICT DO NOTHING"
        return (await self.change((add, (new,)), ("SELECT key FROM challenge_keys", ())))[0][0]

    async def use_challenge(self, digest: bytes, ends: str, now: str) -> bool:
        add = "INSERT INTO challenges (hash, ends) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING hash"
        return bool(await self.change(("DELETE FROM challenges WHERE ends <= ?", (now,)), (add, (digest, ends))))

    async def replace_codes(self, player: PlayerId, digests: Sequence[bytes], now: str) -> None:
        add = "INSERT INTO recovery_codes (hash, player, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        await self.change(
            ("DELETE FROM recovery_codes WHERE player = ?", (player,)),
            *((add, (digest, player, now)) for digest in digests),
            alone=f"recovery codes of {player}",
        )

    async def close(self, player: PlayerId, now: str, name: str) -> None:
        close = (
            "UPDATE players SET closed = coalesce(closed, ?), name = CASE WHEN bot IS NULL THEN ? ELSE name END,"
            " sought = NULL WHERE player = ?"
        )
        await self.change(
            (close, (now, name, player)),
            ("UPDATE tokens SET revoked = coalesce(revoked, ?), name = '' WHERE player = ?", (now, player)),
            *ending(player),
            *unregistering("player = ?", player, now),
            ("DELETE FROM imports WHERE player = ?", (player,)),
        )

    async def codes(self, player: PlayerId) -> int:
        return (await self._database.select("SELECT count(*) FROM recovery_codes WHERE player = ?", player))[0][0]

    async def take_code(self, digest: bytes) -> PlayerId | None:
        rows = await self.change(("DELETE FROM recovery_codes WHERE hash = ? RETURNING player", (digest,)))
        return PlayerId(rows[0][0]) if rows else None

    async def issuers(self, player: PlayerId) -> list[str]:
        rows = await self._database.select(
            "SELECT DISTINCT issuer FROM identities WHERE player = ? ORDER BY issuer", player
        )
        return [row[0] for row in rows]

    async def identities(self, player: PlayerId) -> list[tuple[str, str]]:
        query = "SELECT issuer, subject FROM identities WHERE player = ? ORDER BY issuer, subject"
        return [(issuer, subject) for issuer, subject in await self._database.select(query, player)]

    async def link(self, player: PlayerId, issuer: str, subject: str) -> PlayerRow | None:
        add = (
            "INSERT INTO identities (issuer, subject, player) SELECT ?, ?, p.player FROM players p WHERE p.player = ?"
            " AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.player = p.player AND i.issuer = ?)"
            " ON CONFLICT DO NOTHING"
        )
        return first_player(
            await self.change(
                (add, (issuer, subject, player, issuer)),
                (FIND_KNOWN, (issuer, subject)),
                alone=f"issuers of {player}",
            )
        )

    async def unlink(self, player: PlayerId, issuer: str) -> None:
        await self._database.execute("DELETE FROM identities WHERE player = ? AND issuer = ?", player, issuer)

    async def read_marks(self, player: PlayerId, after: str = "", limit: int | None = None) -> dict[StreamId, Version]:
        query = "SELECT stream, version FROM read_marks WHERE player = ? AND stream > ? ORDER BY stream LIMIT ?"
        rows = await self._database.select(query, player, after, _or_any(limit))
        return dict(rows)

    async def mark_read(self, player: PlayerId, upto: Mapping[StreamId, Version]) -> None:
        mark = (
            "INSERT INTO read_marks (player, stream, version)"
            " SELECT p.player, ?, CAST(? AS bigint) FROM players p WHERE p.player = ? AND p.closed IS NULL"
            " ON CONFLICT (player, stream) DO UPDATE SET version = excluded.version"
            " WHERE read_marks.version < excluded.version"
        )
        if upto:
            await self.change(*((mark, (stream, version, player)) for stream, version in sorted(upto.items())))

    async def inbox_settings(self, player: PlayerId) -> str | None:
        rows = await self._database.select("SELECT settings FROM inbox_settings WHERE player = ?", player)
        return rows[0][0] if rows else None

    async def set_inbox(self, player: PlayerId, settings: str) -> None:
        add = (
            "INSERT INTO inbox_settings (player, settings)"
            " SELECT p.player, CAST(? AS text) FROM players p WHERE p.player = ? AND p.closed IS NULL"
            " ON CONFLICT (player) DO UPDATE SET settings = excluded.settings"
        )
        await self._database.execute(add, settings, player)

    @abstractmethod
    async def change(self, *statements: tuple[str, tuple[Any, ...]], alone: str = "") -> list[Any]:
        """Execute statements, each with its values, in one transaction; return the rows of the last.

        Transactions with the same `alone`, which names what they count or replace, run one after another.
        """


def ending(player: PlayerId, which: str = "?") -> list[tuple[str, tuple[Any, ...]]]:
    """Return the statements that delete the data that an account needs only while somebody signs in to it.

    `which` is an SQL expression for the account, with a placeholder for its id.
    """
    mine = ("passkeys", "recovery_codes", "read_marks", "inbox_settings", "app_consents", "app_codes")
    return [
        *removed(f"IN (SELECT webhook FROM webhooks WHERE player = {which})", player),
        *((f"DELETE FROM {table} WHERE player = {which}", (player,)) for table in mine),
        (f"DELETE FROM consents WHERE player = {which} OR organizer = {which}", (player, player)),
    ]


def revoking(tokens: str, now: str, *values: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the statements that revoke the tokens that a query names, with the webhooks and devices made by them."""
    return [
        (f"UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE token IN {tokens}", (now, *values)),
        *removed(f"IN (SELECT webhook FROM webhooks WHERE token <> '' AND token IN {tokens})", *values),
    ]


def unregistering(which: str, value: str, now: str) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the statements that delete the registered apps that a condition with `value` names.

    Their tokens are revoked, and nobody has let them in any more.
    """
    clients = f"(SELECT client FROM apps WHERE {which})"
    return [
        *revoking(f"(SELECT token FROM app_sign_ins WHERE client IN {clients})", now, value),
        *((f"DELETE FROM {table} WHERE client IN {clients}", (value,)) for table in ("app_consents", "app_codes")),
        (f"DELETE FROM apps WHERE {which}", (value,)),
    ]


def tokens_of(player: PlayerId) -> str:
    """Return the text for `alone` of changes to the tokens of an account."""
    return f"tokens of {player}"


def _or_any(most: int | None) -> int:
    return LARGEST_INTEGER if most is None else most


_PASSKEYS: Final = "SELECT passkey, player, credential, public_key, signs, name, created, used FROM passkeys"
_INVITATIONS: Final = "SELECT invitation, game, created, revoked, key, nonce FROM invitations"


def first_player(rows: Sequence[Any]) -> PlayerRow | None:
    """Return the account of the first row, if there is one."""
    return player_row(rows[0]) if rows else None


def player_row(columns: Sequence[Any]) -> PlayerRow:
    """Return the account of the columns `PLAYER`."""
    player, name, created, scopes, closed, findable, bot, automated, joined = columns
    return PlayerRow(player, name, created, tuple(scopes.split()), closed, bool(findable), bot, bool(automated), joined)


def token_row(columns: Sequence[Any]) -> TokenRow:
    """Return the token of the columns `TOKEN`."""
    token, player, name, scopes, *times = columns
    return TokenRow(token, player, name, tuple(scopes.split()), *times)


def player_values(row: PlayerRow) -> tuple[Any, ...]:
    """Return the values of `ADD_PLAYER`."""
    return row.player, row.name, row.created, " ".join(row.scopes), row.closed, row.sought, row.bot


def token_values(row: TokenRow, digest: bytes) -> tuple[Any, ...]:
    """Return the values of `ADD_TOKEN`."""
    return row.token, row.player, row.name, " ".join(row.scopes), row.created, row.expires, digest
