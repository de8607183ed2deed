"""Accounts: a name, an opaque id that the events carry, and tokens that only their owner has."""

import itertools
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from service.accounts.caller import Caller, Identify, Identity, TokenEnded, UnknownToken
from service.accounts.invitations import Invitations
from service.accounts.passkeys import Passkeys
from service.accounts.values import ACCESS_PREFIX, SESSION_PREFIX, TOKEN_PREFIX, Once, hashed, random_value
from service.base.clock import Clock, later, stamp, stamped
from service.base.ids import ID_BYTES, new_id
from service.base.scopes import EVERYBODYS, Scope, ordered
from service.base.visible import shows
from service.observe.background import flushed
from service.observe.logging import log
from service.store.accounts import AccountStore, LimitReached, Made, PlayerRow, TokenId, TokenRow, folded
from service.store.apps import AppStore
from service.store.protocol import KeyReused, StoreError

FIRST_TOKEN: Final = "registration"
BROWSER: Final = "browser"
"""The name of a session."""
LONGEST_NAME: Final = 80

MOST_TOKENS: Final = 100
"""How many tokens an account has at most that have not ended."""

MOST_SESSIONS: Final = 50
"""How many browsers can be signed in to an account at once. Then the oldest session ends."""

JWT_TOKENS_LAST: Final = timedelta(days=30)
"""How long a token lasts at most that was made with another issuer's, which takes its own back sooner."""

REMEMBERED: Final = 10_000
"""How many tokens are recognized without asking the store."""

RECHECK: Final = 0.25
"""Seconds between two looks at a token that is followed, where none is remembered."""

FLUSH: Final = 60.0
"""Seconds after which it is written when tokens were last used."""


class BadName(ValueError):
    """A name that no account can have; `allowed` says what would be one."""

    def __init__(self, why: str, allowed: str) -> None:
        super().__init__(f"{why} {allowed}")
        self.why, self.allowed = why, allowed


BOTS: Final = "bots"
"""Names the bots where another issuer's people are known by its address, so that each is opened once."""

BOT_NAMES: Final = ("Livia", "Marcus", "Claudia", "Titus", "Octavia", "Quintus", "Valeria", "Lucius")
BOTS_OWN: Final = re.compile(r",\s*\w{2,}\s+bot[\W\d_]*$")
"""How the names of the service's bots end ("Livia, greedy bot"), and nobody else's: everybody must see who is a bot."""


def pseudonym(player: PlayerId) -> str:
    """Return what an account is called that was closed: of two in a game, each has its own."""
    return f"Former player {player[1:6]}"


class TooManyTokens(Exception):
    """The account has as many tokens as it can have."""


class Accounts:
    """The accounts of a store. Every method may raise `StoreError`."""

    def __init__(
        self,
        store: AccountStore,
        clock: Clock,
        randomness: Callable[[int], bytes] = secrets.token_bytes,
        remember: float = 2.0,
        identify: Identify | None = None,
        apps: AppStore | None = None,
    ) -> None:
        """`remember` is for how many seconds a token is taken without asking the store again.

        `identify` reads the tokens of another issuer, where one is trusted. `apps` knows the tokens of apps.
        """
        self.passkeys = Passkeys(store, clock)
        self.invitations = Invitations(store, clock, randomness)
        self._store = store
        self._clock = clock
        self._randomness = randomness
        self._remember = remember
        self._identify = identify
        self._apps = apps
        self._callers: dict[bytes, tuple[Caller, float]] = {}
        self._forgotten = 0
        self._used: set[TokenId] = set()
        self._watched: dict[Callable[[], None], Caller] = {}

    def now(self) -> str:
        """Return the time, as tokens and games are stamped with it."""
        return stamp(self._clock)

    # --- accounts ---

    async def register(
        self, name: str, scopes: Collection[Scope] = EVERYBODYS, once: Once | None = None, *, session: bool = False
    ) -> tuple[PlayerRow, str]:
        """Open an account; return it and a token for all that it may do, which nobody can find out again.

        With `session`, the token is a browser's. Under an idempotency key, a repetition gets the account as it was
        opened, and its token. Raises `BadName` or `KeyReused`.
        """
        good = _good(name)
        row = PlayerRow(self._new_player(), good, stamp(self._clock), ordered(tuple(scopes)))
        token = self._new_token(row.player, BROWSER if session else FIRST_TOKEN, row.scopes, None, session=session)
        if once is None:
            value = random_value(SESSION_PREFIX if session else TOKEN_PREFIX)
            await self._store.add(row)
            await self._store.add_token(token, hashed(value))
            return row, value
        made, value = once.make(token)
        before = await self._store.open_account(row, token, hashed(value), made)
        if before is None:
            return row, value
        token, value = await self._again(before, once)
        opened = await self._store.player(token.player)
        assert opened is not None, "a token has an account"
        return replace(opened, name=good), value

    def _new_player(self) -> PlayerId:
        return PlayerId(new_id("p", self._randomness(ID_BYTES)))

    async def bots(self) -> list[PlayerRow]:
        """Return the accounts that the service plays, closed ones included."""
        return await self._store.bots()

    async def bots_at(self, level: str, count: int) -> list[PlayerRow]:
        """Return `count` open bots of a level, the same ones in the same order; opens those that are missing."""
        found = list[PlayerRow]()
        for number in itertools.count():
            if len(found) == count:
                break
            row = await self._bot(level, number)
            if row.closed is None:
                found.append(row)
        return found

    async def _bot(self, level: str, number: int) -> PlayerRow:
        known = await self._store.by_identity(BOTS, f"{level}/{number}")
        if known is not None:
            return known
        again, which = divmod(number, len(BOT_NAMES))
        name = f"{BOT_NAMES[which]}{f' {again + 1}' if again else ''}, {level} bot"
        row = PlayerRow(self._new_player(), name, stamp(self._clock), ("play",), bot=level)
        return await self._store.add_known(row, BOTS, f"{level}/{number}")

    async def describe(self, player: PlayerId, name: str | None = None, findable: bool | None = None) -> None:
        """Give an account another name, or let it be found by it or not. Raises `BadName`."""
        await self._store.describe(player, _good(name) if name is not None else None, findable)

    async def automate(self, player: PlayerId) -> None:
        """Say that a program plays an account, for ever: what others have seen of a bot was a bot's."""
        await self._store.automate(player)

    async def find(self, name: str, whole: bool, after: tuple[str, PlayerId] | None, limit: int) -> list[PlayerRow]:
        """Return open accounts that want to be found by this name, or by one that begins like it; see the store."""
        return await self._store.find(name.strip(), whole=whole, after=after or ("", PlayerId("")), limit=limit)

    async def player(self, player: PlayerId) -> PlayerRow | None:
        """Return an account, or None."""
        return await self._store.player(player)

    async def by_ids(self, players: Collection[PlayerId]) -> list[PlayerRow]:
        """Return the accounts with these ids, as far as they exist, by one query."""
        return await self._store.by_ids(players)

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        """Return accounts by their ids, those that follow `after`; `scope` picks the ones that have it."""
        return await self._store.players(scope, after, limit)

    async def grant(self, player: PlayerId, scopes: Collection[Scope]) -> None:
        """Say what the tokens of an account may be used for at most; holds for those that it has, too."""
        await self._store.grant(player, ordered(tuple(scopes)))
        self.forget_player(player)

    async def close(self, player: PlayerId) -> None:
        """Close an account, for ever: whatever signs in to it ends, and its name gives way to a pseudonym."""
        await self._store.close(player, stamp(self._clock), pseudonym(player))
        self._forget(lambda caller: caller.player == player)

    # --- other issuers ---

    async def by_identity(self, who: Identity) -> PlayerRow | None:
        """Return the account that belongs to an identity at another issuer; None when there is none."""
        return await self._store.by_identity(who.issuer, who.subject)

    async def opened_for(self, who: Identity) -> PlayerRow:
        """Return the account that belongs to an identity at another issuer. The first time, open one."""
        known = await self.by_identity(who)
        if known is not None:
            return known
        row = PlayerRow(self._new_player(), _name(who.name) or "player", stamp(self._clock))
        player = await self._store.add_known(row, who.issuer, who.subject)
        if player == row:
            log.info("account opened", account=row.player, issuer=who.issuer)
        return player

    async def link(self, player: PlayerId, who: Identity) -> PlayerRow | None:
        """Let another issuer sign somebody in to an account; return whose account the person has from now on.

        That is another one when they had one already. None: the issuer signs another person in to this account.
        """
        return await self._store.link(player, who.issuer, who.subject)

    async def unlink(self, player: PlayerId, issuer: str) -> None:
        """Let another issuer no longer sign anybody in to an account."""
        await self._store.unlink(player, issuer)

    async def unlink_all(self, player: PlayerId) -> None:
        """Let no other issuer sign anybody in to an account: the person gets a new one there."""
        for issuer in await self._store.issuers(player):
            await self._store.unlink(player, issuer)

    async def is_linked(self, player: PlayerId, issuer: str) -> bool:
        """Tell whether another issuer signs somebody in to an account."""
        return issuer in await self._store.issuers(player)

    async def open_session_for(self, player: PlayerRow, who: Identity) -> tuple[TokenRow, str]:
        """Sign a browser in as another issuer says, for what it says that the person may do. Raises `TokenEnded`.

        The session ends within the days after which a token does that was made with a JWT.
        """
        granted = _open(player)
        scopes = ordered(_reduced_scopes(who.scopes, granted) & granted)
        return await self.open_session(player.player, scopes, later(stamp(self._clock), JWT_TOKENS_LAST))

    # --- tokens ---

    async def issue(
        self,
        player: PlayerId,
        name: str,
        scopes: Collection[Scope],
        expires: str | None = None,
        once: Once | None = None,
    ) -> tuple[TokenRow, str]:
        """Make a token; return it and its value, which nobody can find out again.

        Under an idempotency key, a repetition gets the first token. Raises `TooManyTokens` or `KeyReused`.
        """
        row = self._new_token(player, name, scopes, expires)
        made, value = once.make(row) if once is not None else (None, random_value())
        try:
            before = await self._store.add_token(row, hashed(value), made, MOST_TOKENS)
        except LimitReached:
            raise _too_many_tokens() from None
        return (row, value) if before is None or once is None else await self._again(before, once)

    async def open_session(
        self, player: PlayerId, scopes: Collection[Scope], expires: str | None = None
    ) -> tuple[TokenRow, str]:
        """Sign a browser in; return its session and the value of that, which nobody can find out again."""
        row = self._new_token(player, BROWSER, scopes, expires, session=True)
        value = random_value(SESSION_PREFIX)
        await self._store.add_token(row, hashed(value))
        # Afterwards, so that of sessions which are opened at once the last one sees all.
        open_now = [each for each in await self.tokens(player) if each.is_session]
        for old in open_now[MOST_SESSIONS:]:
            await self.revoke(old.token)
        return row, value

    async def made_before(self, once: Once | None) -> tuple[TokenRow, str] | None:
        """Return the token, and its value, that an idempotency key made before, if it did. Raises `KeyReused`."""
        before = await self._store.made_by_key(once.hashed) if once is not None else None
        return await self._again(before, once) if once is not None and before is not None else None

    async def _again(self, before: Made, once: Once) -> tuple[TokenRow, str]:
        """Return a token as it was when it was made, and its value. Raises `KeyReused`."""
        if before.fingerprint != once.fingerprint:
            raise KeyReused
        row = await self._store.token(before.token)
        assert row is not None, "a token stays, ended or not"
        return replace(row, retires=None, revoked=None, used=None), once.value(before.nonce)

    async def rotate(
        self, old: TokenRow, overlap: float, by: Caller, once: Once | None = None
    ) -> tuple[TokenRow, str] | None:
        """Make a token in place of another, which ends `overlap` seconds from now; None when it has one or has ended.

        The new one has the name and the scopes of the old one. By a token for `account` it lasts as long as the old
        one was made to last; otherwise it ends when that would have. Under an idempotency key, a repetition gets the
        first token. Raises `TooManyTokens` when both were too many, or `KeyReused`.
        """
        now = stamp(self._clock)
        expires = old.expires
        if expires is not None and "account" in by.scopes:
            expires = later(now, stamped(expires) - stamped(old.created))
        latest = self.latest_end(by)
        if latest is not None:
            expires = min(expires or latest, latest)
        row = self._new_token(old.player, old.name, old.scopes, expires)
        made, value = once.make(row) if once is not None else (None, random_value())
        retires = later(now, timedelta(seconds=overlap))
        try:
            most = MOST_TOKENS if overlap else None
            replaced = await self._store.replace_token(old.token, retires, row, hashed(value), made, most)
        except LimitReached:
            raise _too_many_tokens() from None
        if not replaced:
            return await self.made_before(once)  # two with one key came at once
        if not overlap:
            await self._store.revoke(old.token, now)
        self._forget(lambda caller: caller.token == old.token)
        return row, value

    def latest_end(self, caller: Caller) -> str | None:
        """Return when a token ends at the latest that a caller makes; None for never."""
        return later(stamp(self._clock), JWT_TOKENS_LAST) if caller.token is None else None

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

    def _new_token(
        self, player: PlayerId, name: str, scopes: Collection[Scope], expires: str | None, *, session: bool = False
    ) -> TokenRow:
        token = TokenId(new_id("s" if session else "t", self._randomness(ID_BYTES)))
        return TokenRow(token, player, name, ordered(tuple(scopes)), stamp(self._clock), expires)

    # --- who is it? ---

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
        known = self._callers.get(caller.digest)
        left = known[1] - time.monotonic() if known is not None else 0.0
        return left if left > 0 else RECHECK

    async def _remembered(self, digest: bytes, look_up: Callable[[bytes], Awaitable[Caller]]) -> Caller:
        known = self._callers.get(digest)
        if known is None or known[1] <= time.monotonic():
            self._callers.pop(digest, None)
            until = time.monotonic() + self._remember
            forgotten = self._forgotten
            known = await look_up(digest), until
            if len(self._callers) >= REMEMBERED:
                self._callers.clear()
            if forgotten == self._forgotten:  # or what was read may be what was revoked meanwhile
                self._callers[digest] = known
        caller = known[0]
        if caller.ends is not None and caller.ends <= stamp(self._clock):
            raise TokenEnded(f"The token ended at {caller.ends}.")
        return caller

    async def _look_up(self, digest: bytes) -> Caller:
        found = await self._store.by_digest(digest)
        if found is None or found[0].is_app:  # whose hash is that of a part of a refresh token
            raise UnknownToken("No account has this token.")
        token, player = found
        granted = _open(player)
        if token.revoked is not None:
            raise TokenEnded(f"The token was revoked at {token.revoked}.")
        self._used.add(token.token)
        return Caller(player.player, granted & frozenset(token.scopes), granted, token.token, digest, token.ends)

    async def _look_up_access(self, digest: bytes) -> Caller:
        found = await self._apps.by_access(digest) if self._apps is not None else None
        if found is None:
            raise UnknownToken("No account has this token.")
        access, token, player = found
        granted = _open(player)
        if token.revoked is not None:
            raise TokenEnded(f"The token was revoked at {token.revoked}.")
        self._used.add(token.token)
        return Caller(player.player, granted & frozenset(access.scopes), granted, token.token, digest, access.ends)

    async def _look_up_known(self, identify: Identify, token: str, digest: bytes) -> Caller:
        """Return whom another issuer knows; at first sight an account is opened."""
        who = await identify(token)
        player = await self.opened_for(who)
        granted = _open(player)
        return Caller(player.player, _reduced_scopes(who.scopes, granted), granted, None, digest, who.ends)

    async def _look_up_again(self, caller: Caller) -> Caller:
        player = await self._store.player(caller.player)
        if player is None:
            raise UnknownToken("There is no account for this token.")
        granted = _open(player)
        return replace(caller, scopes=_reduced_scopes(caller.scopes, granted), granted=granted)

    def forget(self, tokens: Collection[TokenId]) -> None:
        """Ask the store about these tokens again: somebody else has ended them."""
        self._forget(lambda caller: caller.token in tokens)

    def forget_player(self, player: PlayerId) -> None:
        """Ask the store about an account's tokens again: somebody else has ended them, or what they may do."""
        self._forget(lambda caller: caller.player == player)

    def _forget(self, which: Callable[[Caller], bool]) -> None:
        self._forgotten += 1
        self._callers = {digest: known for digest, known in self._callers.items() if not which(known[0])}
        for tell in [tell for tell, caller in self._watched.items() if which(caller)]:
            tell()

    # --- when were they used? ---

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


def _too_many_tokens() -> TooManyTokens:
    return TooManyTokens(f"The account has {MOST_TOKENS} tokens and cannot have more.")


def _name(given: str) -> str | None:
    """Return a name in the form that accounts store; None for a text that cannot be a name."""
    name = given.strip()
    is_good = not _is_a_bots(name) and len(name) <= LONGEST_NAME and name.isprintable() and shows(name)
    return name if is_good else None


def _is_a_bots(name: str) -> bool:
    return BOTS_OWN.search(folded(name)) is not None


def _good(given: str) -> str:
    """Return a name in the form that accounts store. Raises `BadName`."""
    name = _name(given)
    if name is None and _is_a_bots(given.strip()):
        raise BadName("This is how the service's own bots are called.", "Choose another name.")
    if name is None:
        allowed = f"Use 1 to {LONGEST_NAME} printable characters, not all of them invisible."
        raise BadName("The name cannot be printed.", allowed)
    return name


def _open(player: PlayerRow) -> frozenset[Scope]:
    """Return what an account may do. Raises `TokenEnded` when it was closed."""
    if player.joined is not None:
        raise TokenEnded(f"Its account was joined with {player.joined} at {player.closed}: sign in to that one.")
    if player.closed is not None:
        raise TokenEnded(f"Its account was closed at {player.closed}.")
    return frozenset(player.scopes)


def _reduced_scopes(scopes: frozenset[Scope], granted: frozenset[Scope]) -> frozenset[Scope]:
    """Return what is left of another issuer's scopes: an administrator may take away only what everybody has."""
    return scopes - (frozenset(EVERYBODYS) - granted)
