"""Accounts: a name, an opaque id that the events carry, and tokens that only their owner has."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from msgspec import Struct

from domain.kernel.words import PlayerId
from service.clock import Clock, later, stamp, stamped
from service.identity import ID_BYTES, new_id
from service.logging import log
from service.scopes import EVERYBODYS, Scope, ordered
from service.store.accounts import AccountStore, PlayerRow, TokenId, TokenRow
from service.store.protocol import StoreError

TOKEN_PREFIX: Final = "tab_"
FIRST_TOKEN: Final = "registration"
LONGEST_NAME: Final = 80

MOST_TOKENS: Final = 100
"""How many tokens an account has at most that have not ended."""

REMEMBERED: Final = 10_000
"""How many tokens are recognized without asking the store."""

FLUSH: Final = 60.0
"""Seconds after which it is written when tokens were last used."""


class BadName(ValueError):
    """A name that no account can have; the message says what a name is."""


class UnknownToken(Exception):
    """Nobody has this token."""


class TokenEnded(Exception):
    """The token has expired or was revoked, or its account was closed; the message says which and when."""


class TooManyTokens(Exception):
    """The account has as many tokens as it can have."""


class Caller(Struct, frozen=True):
    """Who sent a request, and what the token that came with it may be used for.

    Attributes:
        player: the account.
        scopes: what the token may be used for: its own scopes, as far as the account has them.
        granted: what the account's tokens may be used for at most.
        token: the token; None for one of another issuer.
        digest: the SHA-256 of what was sent.
        ends: when the token ends; None for never.
    """

    player: PlayerId
    scopes: frozenset[Scope]
    granted: frozenset[Scope]
    token: TokenId | None
    digest: bytes
    ends: str | None = None


class Accounts:
    """The accounts of a store. Every method may raise `StoreError`."""

    def __init__(
        self,
        store: AccountStore,
        clock: Clock,
        randomness: Callable[[int], bytes] = secrets.token_bytes,
        remember: float = 2.0,
    ) -> None:
        """`remember` is for how many seconds a token is taken without asking the store again."""
        self._store = store
        self._clock = clock
        self._randomness = randomness
        self._remember = remember
        self._known: dict[bytes, tuple[Caller, float]] = {}
        self._used: dict[TokenId, str] = {}

    def now(self) -> str:
        """Return the time by which tokens end."""
        return stamp(self._clock)

    # --- accounts ---

    async def register(self, name: str, scopes: Collection[Scope] = EVERYBODYS) -> tuple[PlayerRow, str]:
        """Open an account; return it and a token for all that it may do, which nobody can find out again.

        Raises `BadName`.
        """
        name = name.strip()
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise BadName(f"A name is 1 to {LONGEST_NAME} characters that can be printed.")
        player = PlayerId(new_id("p", self._randomness(ID_BYTES)))
        row = PlayerRow(player, name, stamp(self._clock), ordered(tuple(scopes)))
        await self._store.add(row)
        token, value = self._made(player, FIRST_TOKEN, row.scopes, None)
        await self._store.add_token(token, _hash(value))
        return row, value

    async def player(self, player: PlayerId) -> PlayerRow | None:
        """Return an account, or None."""
        return await self._store.player(player)

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        """Return accounts by their ids, those that follow `after`; `scope` picks the ones that have it."""
        return await self._store.players(scope, after, limit)

    async def grant(self, player: PlayerId, scopes: Collection[Scope]) -> None:
        """Say what the tokens of an account may be used for at most; holds for those that it has, too."""
        await self._store.grant(player, ordered(tuple(scopes)))
        self._forget(lambda caller: caller.player == player)

    async def close(self, player: PlayerId) -> None:
        """Close an account, for ever, and end its tokens."""
        await self._store.close(player, stamp(self._clock))
        self._forget(lambda caller: caller.player == player)

    # --- tokens ---

    async def issue(
        self, player: PlayerId, name: str, scopes: Collection[Scope], expires: str | None = None
    ) -> tuple[TokenRow, str]:
        """Make a token; return it and its value, which nobody can find out again. Raises `TooManyTokens`."""
        if len(await self.tokens(player)) >= MOST_TOKENS:
            raise TooManyTokens(f"The account has {MOST_TOKENS} tokens, and can have no more.")
        row, value = self._made(player, name, scopes, expires)
        await self._store.add_token(row, _hash(value))
        return row, value

    async def rotate(self, old: TokenRow, overlap: float) -> tuple[TokenRow, str] | None:
        """Make a token in place of another, which ends `overlap` seconds from now; None when it has ended already.

        The new one has the name and the scopes of the old one, and lasts as long as that was made to last.
        """
        now = stamp(self._clock)
        lasts = stamped(old.expires) - stamped(old.created) if old.expires is not None else None
        expires = later(now, lasts) if lasts is not None else None
        row, value = self._made(old.player, old.name, old.scopes, expires)
        if not await self._store.replace_token(old.token, later(now, timedelta(seconds=overlap)), row, _hash(value)):
            return None
        if not overlap:
            await self._store.revoke(old.token, now)
        self._forget(lambda caller: caller.token == old.token)
        return row, value

    async def revoke(self, token: TokenId) -> None:
        """End a token: at once in this process, in others as soon as they ask the store again."""
        await self._store.revoke(token, stamp(self._clock))
        self._forget(lambda caller: caller.token == token)

    async def token(self, token: TokenId) -> TokenRow | None:
        """Return a token, ended or not, or None."""
        return await self._store.token(token)

    async def tokens(self, player: PlayerId) -> list[TokenRow]:
        """Return the tokens of an account that have not ended, the newest first."""
        return await self._store.tokens(player, stamp(self._clock))

    def _made(
        self, player: PlayerId, name: str, scopes: Collection[Scope], expires: str | None
    ) -> tuple[TokenRow, str]:
        # Not of `randomness`: that may be fixed to repeat a demonstration, and a token must never be guessed.
        token = TokenId(new_id("t", secrets.token_bytes(ID_BYTES)))
        row = TokenRow(token, player, name, ordered(tuple(scopes)), stamp(self._clock), expires)
        return row, TOKEN_PREFIX + secrets.token_urlsafe(32)

    # --- who is it? ---

    async def authenticate(self, token: str) -> Caller:
        """Return whose token this is. Raises `UnknownToken` or `TokenEnded`."""
        return await self._caller(_hash(token))

    async def still(self, caller: Caller) -> Caller:
        """Return a caller as its token makes it now. Raises `TokenEnded`."""
        return await self._caller(caller.digest)

    async def _caller(self, digest: bytes) -> Caller:
        known = self._known.get(digest)
        if known is None or known[1] <= time.monotonic():
            asked = time.monotonic()
            caller = await self._look_up(digest)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            known = self._known[digest] = caller, asked + self._remember
        caller = known[0]
        if caller.ends is not None and caller.ends <= stamp(self._clock):
            raise TokenEnded(f"The token ended at {caller.ends}.")
        return caller

    async def _look_up(self, digest: bytes) -> Caller:
        self._known.pop(digest, None)
        found = await self._store.by_digest(digest)
        if found is None:
            raise UnknownToken("No account has this token.")
        token, player = found
        now = stamp(self._clock)
        if player.closed is not None:
            raise TokenEnded(f"Its account was closed at {player.closed}.")
        if token.revoked is not None:
            raise TokenEnded(f"The token was revoked at {token.revoked}.")
        self._used[token.token] = now
        granted = frozenset(player.scopes)
        return Caller(player.player, granted & frozenset(token.scopes), granted, token.token, digest, token.ends)

    def _forget(self, which: Callable[[Caller], bool]) -> None:
        self._known = {digest: known for digest, known in self._known.items() if not which(known[0])}

    # --- when were they used? ---

    async def flush(self) -> None:
        """Write when tokens were last used; it is kept in mind when that cannot be done now."""
        if not self._used:
            return
        used, self._used = self._used, {}
        try:
            await self._store.used(used)
        except StoreError as error:
            self._used = used | self._used
            log.warning("uses of tokens wait", why=str(error))

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """A context in which uses are written every minute, and at its end."""

        async def flushing() -> None:
            while True:
                await asyncio.sleep(FLUSH)
                await self.flush()

        task = asyncio.create_task(flushing())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await self.flush()


def _hash(token: str) -> bytes:
    # A token has 256 random bits: nothing is gained by a slow hash.
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
