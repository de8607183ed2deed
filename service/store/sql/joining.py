"""Accounts that were joined, as SQLite and PostgreSQL keep them. `service/store/joining.py` says what each method does.

A method with several statements runs them in one transaction. It may be executed twice when the connection to
PostgreSQL is lost, so the second execution must change nothing and find the result of the first.
"""

from collections.abc import Iterator
from typing import Any, Final

from domain.kernel.ids import PlayerId
from service.base.scopes import EVERYBODYS, SCOPES
from service.store.accounts import TokenId
from service.store.joining import JoiningRow
from service.store.sql.accounts import ending
from service.store.sql.apps import Change
from service.store.sql.database import Database

Statement = tuple[str, tuple[Any, ...]]

ALONE: Final = "joinings"
"""Two joinings may share an account, so they run one after another."""

_ROWS: Final = "SELECT account, kept, at, asked_by, confirmed_by FROM joinings"
_JOINED: Final = "(SELECT account FROM joinings WHERE account = ?)"
"""The account if it was joined, otherwise no row, so that statements with this condition change nothing."""
_CLAIMED: Final = "(account IS NOT NULL AND account NOT IN (SELECT account FROM joinings))"
"""Whether an account has claimed a code and the joining is not done."""


class SqlJoinings:
    """The `JoiningStore` of both databases."""

    def __init__(self, database: Database, change: Change) -> None:
        self._database = database
        self._change = change

    async def ask(self, player: PlayerId, digest: bytes, asked_by: TokenId, ends: str, now: str) -> bool:
        add = "INSERT INTO joining_codes (hash, player, asked_by, ends) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        rows = await self._change(
            ("DELETE FROM joining_codes WHERE ends <= ?", (now,)),
            (f"DELETE FROM joining_codes WHERE player = ? AND NOT {_CLAIMED}", (player,)),
            (add, (digest, player, asked_by, ends)),
            ("SELECT player FROM joining_codes WHERE hash = ?", (digest,)),
            alone=ALONE,
        )
        return bool(rows)

    async def asker_of(self, digest: bytes, now: str) -> PlayerId | None:
        query = "SELECT player FROM joining_codes WHERE hash = ? AND ends > ?"
        rows = await self._database.select(query, digest, now)
        return PlayerId(rows[0][0]) if rows else None

    async def claim(self, digest: bytes, account: PlayerId, now: str) -> bool:
        claim = (
            "UPDATE joining_codes SET account = ? WHERE hash = ? AND ends > ? AND player <> ?"
            " AND (account IS NULL OR account = ?) AND NOT EXISTS ("
            f"SELECT 1 FROM joining_codes o WHERE o.hash <> ? AND o.ends > ? AND {_CLAIMED}"
            " AND (o.account IN (?, joining_codes.player) OR o.player = ?))"
        )
        rows = await self._change(
            (claim, (account, digest, now, account, account, digest, now, account, account)),
            ("SELECT hash FROM joining_codes WHERE hash = ? AND account = ? AND ends > ?", (digest, account, now)),
            alone=ALONE,
        )
        return bool(rows)

    async def join(
        self, digest: bytes, account: PlayerId, confirmed_by: TokenId, now: str, most: int
    ) -> JoiningRow | None:
        able = " AND ".join(
            f"{who}.closed IS NULL AND {who}.bot IS NULL AND NOT {who}.automated AND {_has_not(who, OPERATORS)}"
            for who in ("a", "k")
        )
        add = (
            "INSERT INTO joinings (account, kept, at, asked_by, confirmed_by)"
            " SELECT a.player, k.player, ?, c.asked_by, ? FROM joining_codes c"
            " JOIN players k ON k.player = c.player JOIN players a ON a.player = c.account"
            f" WHERE c.hash = ? AND c.account = ? AND c.ends > ? AND {able}"
            " AND NOT EXISTS (SELECT 1 FROM joinings j WHERE j.kept = a.player)"
            " AND (SELECT count(*) FROM joinings j WHERE j.kept = k.player) < ? ON CONFLICT DO NOTHING"
        )
        asker = "(SELECT player FROM joining_codes WHERE hash = ?)"
        rows = await self._change(
            (add, (now, confirmed_by, digest, account, now, most)),
            *_losing(account),
            *_closing(account, now),
            (f"{_ROWS} WHERE account = ? AND kept = {asker}", (account, digest)),
            alone=ALONE,
        )
        return JoiningRow(*rows[0]) if rows else None

    async def of(self, player: PlayerId) -> list[JoiningRow]:
        query = f"{_ROWS} WHERE account = ? OR kept = ? ORDER BY at, account"
        return [JoiningRow(*row) for row in await self._database.select(query, player, player)]

    async def joined_with(self, player: PlayerId) -> list[PlayerId]:
        query = "SELECT player FROM players WHERE joined = ? ORDER BY player"
        return [PlayerId(account) for (account,) in await self._database.select(query, player)]


OPERATORS: Final = tuple(scope for scope in SCOPES if scope not in EVERYBODYS)
"""The scopes of those who run the service."""


def _has_not(who: str, scopes: tuple[str, ...]) -> str:
    return " AND ".join(f"' ' || {who}.scopes || ' ' NOT LIKE '% {scope} %'" for scope in scopes)


def _losing(account: PlayerId) -> Iterator[Statement]:
    """Yield statements that take scopes from the account that stays, if the other one had lost them (TAB-JOIN-05)."""
    for scope in EVERYBODYS:
        yield (
            f"UPDATE players SET scopes = trim(replace(' ' || scopes || ' ', ' {scope} ', ' '))"
            " WHERE player = (SELECT j.kept FROM joinings j JOIN players a ON a.player = j.account"
            f" WHERE j.account = ? AND {_has_not('a', (scope,))})",
            (account,),
        )


def _closing(account: PlayerId, now: str) -> Iterator[Statement]:
    """Yield statements that close the joined account, which keeps its name, and change what belongs to it."""
    heir = "(SELECT kept FROM joinings WHERE account = ?)"
    yield (
        f"UPDATE players SET closed = coalesce(closed, ?), sought = NULL, joined = {heir} WHERE player = {_JOINED}",
        (now, account, account),
    )
    yield (f"UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE player = {_JOINED}", (now, account))
    yield from ending(account, _JOINED)
    for moved in ("identities", "apps", "imports"):
        yield (f"UPDATE {moved} SET player = {heir} WHERE player = {_JOINED}", (account, account))
