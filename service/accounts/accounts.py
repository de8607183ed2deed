"""Accounts: a name, an opaque id that events contain, and tokens whose values only the owner has."""

import itertools
import secrets
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final

from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from service.accounts.caller import Caller, Identify, Identity
from service.accounts.callers import Callers, granted_to, reduced_scopes
from service.accounts.invitations import Invitations
from service.accounts.names import pseudonym, require_name, valid_name
from service.accounts.passkeys import Passkeys
from service.accounts.values import SESSION_PREFIX, TOKEN_PREFIX, Once, hashed, random_value
from service.base.clock import Clock, later, stamp, stamped
from service.base.ids import ID_BYTES, new_id
from service.base.scopes import EVERYBODYS, Scope, ordered
from service.observe.logging import log
from service.store.accounts import AccountStore, LimitReached, Made, PlayerRow, TokenId, TokenRow
from service.store.apps import AppStore
from service.store.protocol import KeyReused

FIRST_TOKEN: Final = "registration"
BROWSER: Final = "browser"
"""The name of a session."""

MOST_TOKENS: Final = 100
"""The most tokens of an account. Ended tokens, sessions and the sign-ins of apps do not count."""

MOST_SESSIONS: Final = 50
"""How many browsers can be signed in to an account at once. Then the oldest session ends."""

JWT_TOKENS_LAST: Final = timedelta(days=30)
"""The longest life of a token or session that was made with a token of another issuer."""

BOTS: Final = "bots"
"""The issuer of the bots' identities. An identity has one account, so each bot is opened once."""

BOT_NAMES: Final = ("Livia", "Marcus", "Claudia", "Titus", "Octavia", "Quintus", "Valeria", "Lucius")


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
        """`remember` is for how many seconds a token is accepted without asking the store again.

        `identify` reads the tokens of another issuer, if one is trusted. `apps` has the tokens of apps.
        """
        self.passkeys = Passkeys(store, clock)
        self.invitations = Invitations(store, clock, randomness)
        self.callers = Callers(store, clock, remember, identify, self.opened_for, apps)
        self._store = store
        self._clock = clock
        self._randomness = randomness

    def now(self) -> str:
        """Return the current time, in the form in which tokens and games store it."""
        return stamp(self._clock)

    # --- accounts ---

    async def register(
        self, name: str, scopes: Collection[Scope] = EVERYBODYS, once: Once | None = None, *, session: bool = False
    ) -> tuple[PlayerRow, str]:
        """Open an account; return it and the value of a token with all its scopes. The value is not stored.

        With `session`, the token is a browser's session. Under an idempotency key, a repetition gets the same account,
        with its first name, and the same value. Raises `BadName` or `KeyReused`.
        """
        good = require_name(name)
        row = PlayerRow(self._new_player(), good, stamp(self._clock), ordered(tuple(scopes)))
        token = self._new_token(row.player, BROWSER if session else FIRST_TOKEN, row.scopes, None, session=session)
        if once is None:
            value = random_value(SESSION_PREFIX if session else TOKEN_PREFIX)
            await self._store.add(row)
            await self._store.add_token(token, hashed(value))
            return row, value
        creation, value = once.make(token)
        before = await self._store.open_account(row, token, hashed(value), creation)
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
        bots = list[PlayerRow]()
        for number in itertools.count():
            if len(bots) == count:
                break
            row = await self._bot(level, number)
            if row.closed is None:
                bots.append(row)
        return bots

    async def _bot(self, level: str, number: int) -> PlayerRow:
        bot = await self._store.by_identity(BOTS, f"{level}/{number}")
        if bot is not None:
            return bot
        times_used, index = divmod(number, len(BOT_NAMES))
        name = f"{BOT_NAMES[index]}{f' {times_used + 1}' if times_used else ''}, {level} bot"
        row = PlayerRow(self._new_player(), name, stamp(self._clock), ("play",), bot=level)
        return await self._store.add_known(row, BOTS, f"{level}/{number}")

    async def describe(self, player: PlayerId, name: str | None = None, findable: bool | None = None) -> None:
        """Change an account's name, or whether others find it by its name; None changes nothing. Raises `BadName`."""
        await self._store.describe(player, require_name(name) if name is not None else None, findable)

    async def automate(self, player: PlayerId) -> None:
        """Note for good that a program plays an account. Others have played against a bot, so this cannot be undone."""
        await self._store.automate(player)

    async def find(self, name: str, whole: bool, after: tuple[str, PlayerId] | None, limit: int) -> list[PlayerRow]:
        """Return open accounts that others may find by `name`, or, unless `whole`, by its beginning; see the store."""
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
        """Set the most scopes that tokens of an account can have. This limits its existing tokens, too."""
        await self._store.grant(player, ordered(tuple(scopes)))
        self.callers.forget_player(player)

    async def close(self, player: PlayerId) -> None:
        """Close an account for good and end its tokens. A pseudonym replaces its name, unless the service plays it."""
        await self._store.close(player, stamp(self._clock), pseudonym(player))
        self.callers.forget_player(player)

    # --- other issuers ---

    async def by_identity(self, who: Identity) -> PlayerRow | None:
        """Return the account that belongs to an identity at another issuer; None when there is none."""
        return await self._store.by_identity(who.issuer, who.subject)

    async def opened_for(self, who: Identity) -> PlayerRow:
        """Return the account that belongs to an identity at another issuer. The first time, open one."""
        account = await self.by_identity(who)
        if account is not None:
            return account
        row = PlayerRow(self._new_player(), valid_name(who.name) or "player", stamp(self._clock))
        player = await self._store.add_known(row, who.issuer, who.subject)
        if player == row:
            log.info("account opened", account=row.player, issuer=who.issuer)
        return player

    async def link(self, player: PlayerId, who: Identity) -> PlayerRow | None:
        """Link an account with an identity at another issuer; return the account that has this identity then.

        That is another account if the identity was linked before. None if this account is linked with another identity
        of the issuer.
        """
        return await self._store.link(player, who.issuer, who.subject)

    async def unlink(self, player: PlayerId, issuer: str) -> None:
        """Remove the link of an account with another issuer, which then signs nobody in to it any more."""
        await self._store.unlink(player, issuer)

    async def unlink_all(self, player: PlayerId) -> None:
        """Remove all links of an account with other issuers. A person who signs in there later gets a new account."""
        for issuer in await self._store.issuers(player):
            await self._store.unlink(player, issuer)

    async def is_linked(self, player: PlayerId, issuer: str) -> bool:
        """Tell whether another issuer signs somebody in to an account."""
        return issuer in await self._store.issuers(player)

    async def open_session_for(self, player: PlayerRow, who: Identity) -> tuple[TokenRow, str]:
        """Sign a browser in with an identity of another issuer. Raises `TokenEnded` when the account is closed.

        The session has the scopes of the identity that the account has, too. It lasts for `JWT_TOKENS_LAST`.
        """
        granted = granted_to(player)
        scopes = ordered(reduced_scopes(who.scopes, granted) & granted)
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
        """Make a token; return it and its value, which is not stored.

        Under an idempotency key, a repetition gets the first token. Raises `TooManyTokens` or `KeyReused`.
        """
        row = self._new_token(player, name, scopes, expires)
        creation, value = once.make(row) if once is not None else (None, random_value())
        try:
            before = await self._store.add_token(row, hashed(value), creation, MOST_TOKENS)
        except LimitReached:
            raise _too_many_tokens() from None
        return (row, value) if before is None or once is None else await self._again(before, once)

    async def open_session(
        self, player: PlayerId, scopes: Collection[Scope], expires: str | None = None
    ) -> tuple[TokenRow, str]:
        """Sign a browser in; return its session and the value of the session, which is not stored."""
        row = self._new_token(player, BROWSER, scopes, expires, session=True)
        value = random_value(SESSION_PREFIX)
        await self._store.add_token(row, hashed(value))
        # Counted after storing: of sessions that are opened at the same time, the last one then sees all.
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
        """Make a token in place of `old`, which ends in `overlap` seconds; None if `old` was replaced or has ended.

        The new token has the name and the scopes of `old`. If `by` has the scope `account`, it lasts as long as `old`
        was made to last; otherwise it ends when `old` would have ended. Under an idempotency key, a repetition gets the
        first token. Raises `TooManyTokens` if the account cannot have both at once, or `KeyReused`.
        """
        now = stamp(self._clock)
        expires = old.expires
        if expires is not None and "account" in by.scopes:
            expires = later(now, stamped(expires) - stamped(old.created))
        latest = self.latest_end(by)
        if latest is not None:
            expires = min(expires or latest, latest)
        row = self._new_token(old.player, old.name, old.scopes, expires)
        creation, value = once.make(row) if once is not None else (None, random_value())
        retires = later(now, timedelta(seconds=overlap))
        try:
            most = MOST_TOKENS if overlap else None
            replaced = await self._store.replace_token(old.token, retires, row, hashed(value), creation, most)
        except LimitReached:
            raise _too_many_tokens() from None
        if not replaced:
            return await self.made_before(once)  # perhaps another request with the key was quicker
        if not overlap:
            await self._store.revoke(old.token, now)
        self.callers.forget([old.token])
        return row, value

    def latest_end(self, caller: Caller) -> str | None:
        """Return the latest end of a token that a caller makes; None if it may last for ever."""
        return later(stamp(self._clock), JWT_TOKENS_LAST) if caller.token is None else None

    async def revoke(self, token: TokenId) -> None:
        """End a token: at once in this process, in others as soon as they ask the store again."""
        await self._store.revoke(token, stamp(self._clock))
        self.callers.forget([token])

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


def _too_many_tokens() -> TooManyTokens:
    return TooManyTokens(f"The account has {MOST_TOKENS} tokens and cannot have more.")
