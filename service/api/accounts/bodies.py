"""Accounts as administrators and auditors see them, and tokens as their owners do."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from domain.kernel.ids import GameId, PlayerId
from service.api.bodies import Listed, Page, Text
from service.base.scopes import Scope
from service.games.views import EventView
from service.store.accounts import PlayerRow, TokenId, TokenRow


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    """A token to be made.

    Attributes:
        name: tells it from the others: where it is used, or by whom.
        scopes: what it may be used for; no more than the account has been granted.
        expires: when it ends by itself, with the offset from UTC; never, if absent.
    """

    name: Text
    scopes: Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=8)]
    expires: Annotated[datetime, Meta(tz=True)] | None = None


class Rotation(Struct, frozen=True, forbid_unknown_fields=True):
    """How a token is replaced.

    Attributes:
        overlap: the seconds for which the old one holds on, until the new one is where it is needed.
    """

    overlap: Annotated[int, Meta(ge=0, le=86_400)] = 60


class Grant(Struct, frozen=True, forbid_unknown_fields=True):
    """What an account may do.

    Attributes:
        scopes: what its tokens may be used for at most: those to come, and those that it has.
    """

    scopes: Annotated[tuple[Scope, ...], Meta(max_length=8)]


class Token(Struct, frozen=True):
    """A token, without its value, which only its owner has.

    Attributes:
        id: names it where it is to be revoked or replaced.
        name: tells it from the others.
        scopes: what it may be used for, as far as the account still may.
        created: when it was made.
        expires: when it ends by itself; null for never.
        retires: when it ends because it was replaced; null if it was not.
        revoked: when it was revoked; null if it was not.
        used: when it was last used, to a minute or so; null if it was not.
    """

    id: TokenId
    name: str
    scopes: tuple[Scope, ...]
    created: str
    expires: str | None
    retires: str | None
    revoked: str | None
    used: str | None


class Issued(Struct, frozen=True):
    """A new token.

    Attributes:
        token: its value, to be sent as ``Authorization: Bearer <token>``. It is shown this once and kept nowhere.
        details: what it is.
    """

    token: str
    details: Token


class TokenPage(Struct, frozen=True):
    """Tokens, the newest first.

    Attributes:
        items: those that have not ended.
        next: always null: they are few.
    """

    items: tuple[Token, ...]
    next: None = None


class Account(Struct, frozen=True):
    """An account, and what it may do.

    Attributes:
        id: its id, by which games know it.
        name: the name that others see.
        created: when it was opened.
        scopes: what its tokens may be used for at most.
        closed: when it was closed; null if it was not.
    """

    id: PlayerId
    name: str
    created: str
    scopes: tuple[Scope, ...]
    closed: str | None


class AccountsPage(Page, frozen=True, forbid_unknown_fields=True):
    """Which accounts.

    Attributes:
        scope: only those that may do this.
    """

    scope: Scope | None = None


class AccountPage(Listed[Account], frozen=True):
    """Accounts, by their ids."""


class LoggedEvent(Struct, frozen=True):
    """An event of the one log.

    Attributes:
        game: the game in which it happened.
        event: the event, as a spectator sees it.
    """

    game: GameId
    event: EventView


class LogPage(Struct, frozen=True):
    """A part of the log of all games.

    Attributes:
        items: the events, in the order in which they were stored.
        next: the cursor for what follows. The log goes on, so there is always one: after an empty page ask later.
    """

    items: tuple[LoggedEvent, ...]
    next: str


def token_view(row: TokenRow) -> Token:
    """Return a token as it is sent."""
    return Token(row.token, row.name, row.scopes, row.created, row.expires, row.retires, row.revoked, row.used)


def account_view(row: PlayerRow) -> Account:
    """Return an account as administrators and auditors see it."""
    return Account(row.player, row.name, row.created, row.scopes, row.closed)
