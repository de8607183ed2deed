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
    """A token to create.

    Attributes:
        name: a name to recognize it by: where it is used, or who uses it.
        scopes: what it may be used for; no more than the account has been granted.
        expires: when it ends by itself, with the offset from UTC; never, if absent.
    """

    name: Text
    scopes: Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=8)]
    expires: Annotated[datetime, Meta(tz=True)] | None = None


class Rotation(Struct, frozen=True, forbid_unknown_fields=True):
    """How a token is replaced.

    Attributes:
        overlap: the seconds for which the old token stays valid, so that you can put the new one in place.
    """

    overlap: Annotated[int, Meta(ge=0, le=86_400)] = 60


class Grant(Struct, frozen=True, forbid_unknown_fields=True):
    """What an account may do.

    Attributes:
        scopes: the most that its tokens may be used for, both existing tokens and new ones.
    """

    scopes: Annotated[tuple[Scope, ...], Meta(max_length=8)]


class Token(Struct, frozen=True):
    """A token without its value, which only the account's owner has.

    Attributes:
        id: its id, with which you revoke or replace it.
        name: a name to recognize it by.
        scopes: what it may be used for, as far as the account still allows.
        created: when it was made.
        expires: when it ends by itself; null for never.
        retires: when it ends because it was replaced; null if it was not replaced.
        revoked: when it was revoked; null if never.
        used: when it was last used, to about a minute; null if never.
        session: whether it is the session of a browser, which keeps it as a cookie.
        app: whether an app that you let in is signed in by it; `GET /v1/apps` lists those.
    """

    id: TokenId
    name: str
    scopes: tuple[Scope, ...]
    created: str
    expires: str | None
    retires: str | None
    revoked: str | None
    used: str | None
    session: bool
    app: bool


class Issued(Struct, frozen=True):
    """A new token.

    Attributes:
        token: its value, to be sent as ``Authorization: Bearer <token>``. It is shown only once and is not stored.
        details: the token without its value.
    """

    token: str
    details: Token


class TokenPage(Struct, frozen=True):
    """Tokens, the newest first.

    Attributes:
        items: the tokens that have not ended.
        next: always null: one page holds them all.
    """

    items: tuple[Token, ...]
    next: str | None = None


class Account(Struct, frozen=True):
    """An account, and what it may do.

    Attributes:
        id: its id, by which games know it.
        name: the name that others see.
        created: when it was opened.
        scopes: the most that its tokens may be used for.
        closed: when it was closed; null while it is open.
        joined: the account that stayed when it was joined with another; otherwise null.
    """

    id: PlayerId
    name: str
    created: str
    scopes: tuple[Scope, ...]
    closed: str | None
    joined: PlayerId | None


class AccountsPage(Page, frozen=True, forbid_unknown_fields=True):
    """Which accounts.

    Attributes:
        scope: only accounts that have this scope.
    """

    scope: Scope | None = None


class AccountPage(Listed[Account], frozen=True):
    """Accounts, sorted by their ids."""


class LoggedEvent(Struct, frozen=True):
    """An event of the log of all games.

    Attributes:
        game: the game in which it happened.
        event: the event, as a spectator sees it.
    """

    game: GameId
    event: EventView


class LogPage(Struct, frozen=True):
    """A part of the log of all games.

    Attributes:
        items: the events; those of one game are in their order.
        next: the cursor for what follows. There is always one, because the log goes on: after the last page, ask again
            later.
        last: whether the log ended here when it was read.
    """

    items: tuple[LoggedEvent, ...]
    next: str
    last: bool


def token_view(row: TokenRow) -> Token:
    """Return a token as it is sent."""
    times = (row.created, row.expires, row.retires, row.revoked, row.used)
    return Token(row.token, row.name, row.scopes, *times, row.is_session, row.is_app)


def account_view(row: PlayerRow) -> Account:
    """Return an account as administrators and auditors see it."""
    return Account(row.player, row.name, row.created, row.scopes, row.closed, row.joined)
