"""The callers of requests: whose token or session it is, what it may be used for now, and when it was last used."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from service.accounts.caller import Caller, Identify, Identity, TokenEnded, UnknownToken
from service.accounts.values import ACCESS_PREFIX, SESSION_PREFIX, hashed
from service.base.clock import Clock, stamp
from service.base.scopes import EVERYBODYS, Scope
from service.observe.background import flushed
from service.observe.logging import log
from service.store.accounts import AccountStore, PlayerRow, TokenId
from service.store.apps import AppStore
from service.store.protocol import StoreError

REMEMBERED: Final = 10_000
"""The most tokens that a process remembers, to recognize them without asking the store."""

RECHECK: Final = 0.25
"""Seconds after which a watched token is checked again when the process does not remember it."""

FLUSH: Final = 60.0
"""Seconds between two writes of when tokens were last used."""


class Callers:
    """Recognizes callers, and remembers them for a while. Every method may raise `StoreError`."""

    def __init__(
        self,
        store: AccountStore,
        clock: Clock,
        remember: float,
        identify: Identify | None,
        opened_for: Callable[[Identity], Awaitable[PlayerRow]],
        apps: AppStore | None,
    ) -> None:
        """`remember` is for how many seconds a token is accepted without asking the store again.

        `identify` reads the tokens of another issuer, if one is trusted, and `opened_for` returns the account of the
        person that it names. `apps` has the tokens of apps.
        """
        self._store = store
        self._clock = clock
        self._remember = remember
        self._identify = identify
        self._opened_for = opened_for
        self._apps = apps
        self._callers: dict[bytes, tuple[Caller, float]] = {}
        self._forgotten = 0
        self._used: set[TokenId] = set()
        self._watched: dict[Callable[[], None], Caller] = {}

    async def authenticate(self, token: str) -> Caller:
        """Return the caller that this token belongs to. Raises `UnknownToken`, `TokenEnded` or `IssuerAway`."""
        if token.startswith(SESSION_PREFIX):
            raise UnknownToken("This is a browser's session, which is taken as a cookie only.")
        digest = hashed(token)
        if token.startswith(ACCESS_PREFIX):
            return await self._remembered(digest, self._look_up_access)
        if self._identify is not None and token.count(".") == 2:
            identify = self._identify
            return await self._remembered(digest, lambda digest: self._look_up_known(identify, token, digest))
        return await self._remembered(digest, self._look_up)

    async def authenticate_session(self, value: str) -> Caller:
        """Return the caller that this session belongs to. Raises `UnknownToken` or `TokenEnded`."""
        if not value.startswith(SESSION_PREFIX):
            raise UnknownToken("The cookie is not a session.")
        return await self._remembered(hashed(value), self._look_up)

    async def still(self, caller: Caller) -> Caller:
        """Return a caller with the scopes that its token has now. Raises `TokenEnded` or `UnknownToken`."""
        if caller.token is not None:
            return await self._remembered(caller.digest, self._look_up_access if caller.is_app else self._look_up)
        return await self._remembered(caller.digest, lambda _: self._look_up_again(caller))

    @asynccontextmanager
    async def watched(self, caller: Caller | None, tell: Callable[[], None]) -> AsyncIterator[None]:
        """While the context lasts, call `tell` whenever this process ends the caller's token or changes its scopes.

        To notice what other processes change, call `still` again after the seconds that `trusted` returns.
        """
        if caller is not None:
            self._watched[tell] = caller
        try:
            yield
        finally:
            self._watched.pop(tell, None)

    def trusted(self, caller: Caller) -> float:
        """Return the seconds after which `still` asks the store about a caller again; `RECHECK` if it would now."""
        entry = self._callers.get(caller.digest)
        seconds = entry[1] - time.monotonic() if entry is not None else 0.0
        return seconds if seconds > 0 else RECHECK

    async def _remembered(self, digest: bytes, look_up: Callable[[bytes], Awaitable[Caller]]) -> Caller:
        entry = self._callers.get(digest)
        if entry is None or entry[1] <= time.monotonic():
            self._callers.pop(digest, None)
            until = time.monotonic() + self._remember
            forgotten = self._forgotten
            entry = await look_up(digest), until
            if len(self._callers) >= REMEMBERED:
                self._callers.clear()
            if forgotten == self._forgotten:  # otherwise the token may have ended after it was read
                self._callers[digest] = entry
        caller = entry[0]
        if caller.ends is not None and caller.ends <= stamp(self._clock):
            raise TokenEnded(f"The token ended at {caller.ends}.")
        return caller

    async def _look_up(self, digest: bytes) -> Caller:
        rows = await self._store.by_digest(digest)
        if rows is None or rows[0].is_app:  # the digest of a sign-in is that of a part of its refresh tokens
            raise UnknownToken("No account has this token.")
        token, player = rows
        granted = granted_to(player)
        if token.revoked is not None:
            raise TokenEnded(f"The token was revoked at {token.revoked}.")
        self._used.add(token.token)
        return Caller(player.player, granted & frozenset(token.scopes), granted, token.token, digest, token.ends)

    async def _look_up_access(self, digest: bytes) -> Caller:
        rows = await self._apps.by_access(digest) if self._apps is not None else None
        if rows is None:
            raise UnknownToken("No account has this token.")
        access, token, player = rows
        granted = granted_to(player)
        if token.revoked is not None:
            raise TokenEnded(f"The token was revoked at {token.revoked}.")
        self._used.add(token.token)
        return Caller(player.player, granted & frozenset(access.scopes), granted, token.token, digest, access.ends)

    async def _look_up_known(self, identify: Identify, token: str, digest: bytes) -> Caller:
        """Return the caller that another issuer's token names. If they have no account, one is opened."""
        who = await identify(token)
        player = await self._opened_for(who)
        granted = granted_to(player)
        return Caller(player.player, reduced_scopes(who.scopes, granted), granted, None, digest, who.ends)

    async def _look_up_again(self, caller: Caller) -> Caller:
        player = await self._store.player(caller.player)
        if player is None:
            raise UnknownToken("There is no account for this token.")
        granted = granted_to(player)
        return replace(caller, scopes=reduced_scopes(caller.scopes, granted), granted=granted)

    def forget(self, tokens: Collection[TokenId]) -> None:
        """Forget callers with these tokens, because the tokens ended; the store is asked at their next requests."""
        self._forget(lambda caller: caller.token in tokens)

    def forget_player(self, player: PlayerId) -> None:
        """Forget callers of this account, because its tokens ended or have other scopes now."""
        self._forget(lambda caller: caller.player == player)

    def _forget(self, which: Callable[[Caller], bool]) -> None:
        self._forgotten += 1
        self._callers = {digest: entry for digest, entry in self._callers.items() if not which(entry[0])}
        for tell in [tell for tell, caller in self._watched.items() if which(caller)]:
            tell()

    async def flush(self) -> None:
        """Write which tokens were used since the last time. If the store fails, keep them for the next time."""
        if not self._used:
            return
        used, self._used = self._used, set()
        try:
            await self._store.used(used, stamp(self._clock))
        except StoreError as error:
            self._used |= used
            log.warning("uses of tokens wait", why=str(error))

    def writing(self) -> AbstractAsyncContextManager[None]:
        """Return a context in which uses of tokens are written every `FLUSH` seconds, and at its end."""
        return flushed("uses of tokens are written", self.flush, FLUSH)


def granted_to(player: PlayerRow) -> frozenset[Scope]:
    """Return the most scopes that tokens of an account can have. Raises `TokenEnded` when it was closed."""
    if player.joined is not None:
        raise TokenEnded(f"Its account was joined with {player.joined} at {player.closed}: sign in to that one.")
    if player.closed is not None:
        raise TokenEnded(f"Its account was closed at {player.closed}.")
    return frozenset(player.scopes)


def reduced_scopes(scopes: frozenset[Scope], granted: frozenset[Scope]) -> frozenset[Scope]:
    """Return another issuer's scopes, without those of `EVERYBODYS` that an administrator took from the account.

    The issuer alone decides about all other scopes.
    """
    return scopes - (frozenset(EVERYBODYS) - granted)
