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
"""How many tokens are recognized without asking the store."""

RECHECK: Final = 0.25
"""Seconds between two looks at a token that is followed, where none is remembered."""

FLUSH: Final = 60.0
"""Seconds after which it is written when tokens were last used."""


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
        """`remember` is for how many seconds a token is taken without asking the store again.

        `identify` reads the tokens of another issuer, where one is trusted, and `opened_for` returns the account of the
        person that it names. `apps` knows the tokens of apps.
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
        """Return whose token this is. Raises `UnknownToken`, `TokenEnded` or `IssuerAway`."""
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
        """Return whose session this is. Raises `UnknownToken` or `TokenEnded`."""
        if not value.startswith(SESSION_PREFIX):
            raise UnknownToken("The cookie is not a session.")
        return await self._remembered(hashed(value), self._look_up)

    async def still(self, caller: Caller) -> Caller:
        """Return a caller as its token makes it now. Raises `TokenEnded`."""
        if caller.token is not None:
            return await self._remembered(caller.digest, self._look_up_access if caller.is_app else self._look_up)
        return await self._remembered(caller.digest, lambda _: self._look_up_again(caller))

    @asynccontextmanager
    async def watched(self, caller: Caller | None, tell: Callable[[], None]) -> AsyncIterator[None]:
        """Call `tell` whenever this process ends or changes what a caller may do, as long as the context lasts.

        What other processes do is found out by asking `still` again after the seconds that `trusted` says.
        """
        if caller is not None:
            self._watched[tell] = caller
        try:
            yield
        finally:
            self._watched.pop(tell, None)

    def trusted(self, caller: Caller) -> float:
        """Return for how many seconds a caller is taken without asking the store again."""
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
            if forgotten == self._forgotten:  # or what was read may be what was revoked meanwhile
                self._callers[digest] = entry
        caller = entry[0]
        if caller.ends is not None and caller.ends <= stamp(self._clock):
            raise TokenEnded(f"The token ended at {caller.ends}.")
        return caller

    async def _look_up(self, digest: bytes) -> Caller:
        rows = await self._store.by_digest(digest)
        if rows is None or rows[0].is_app:  # whose hash is that of a part of a refresh token
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
        """Return whom another issuer knows; at first sight an account is opened."""
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
        """Ask the store about these tokens again: somebody else has ended them."""
        self._forget(lambda caller: caller.token in tokens)

    def forget_player(self, player: PlayerId) -> None:
        """Ask the store about an account's tokens again: somebody else has ended them, or what they may do."""
        self._forget(lambda caller: caller.player == player)

    def _forget(self, which: Callable[[Caller], bool]) -> None:
        self._forgotten += 1
        self._callers = {digest: entry for digest, entry in self._callers.items() if not which(entry[0])}
        for tell in [tell for tell, caller in self._watched.items() if which(caller)]:
            tell()

    async def flush(self) -> None:
        """Write when tokens were last used; it is kept in mind when that cannot be done now."""
        if not self._used:
            return
        used, self._used = self._used, set()
        try:
            await self._store.used(used, stamp(self._clock))
        except StoreError as error:
            self._used |= used
            log.warning("uses of tokens wait", why=str(error))

    def writing(self) -> AbstractAsyncContextManager[None]:
        """A context in which uses are written every minute, and at its end."""
        return flushed("uses of tokens are written", self.flush, FLUSH)


def granted_to(player: PlayerRow) -> frozenset[Scope]:
    """Return what an account may do. Raises `TokenEnded` when it was closed."""
    if player.joined is not None:
        raise TokenEnded(f"Its account was joined with {player.joined} at {player.closed}: sign in to that one.")
    if player.closed is not None:
        raise TokenEnded(f"Its account was closed at {player.closed}.")
    return frozenset(player.scopes)


def reduced_scopes(scopes: frozenset[Scope], granted: frozenset[Scope]) -> frozenset[Scope]:
    """Return what is left of another issuer's scopes: an administrator may take away only what everybody has."""
    return scopes - (frozenset(EVERYBODYS) - granted)
