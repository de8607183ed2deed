"""The caller of a request: the account of a token, and the scopes of the token."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.base.scopes import Scope
from service.store.accounts import TokenId


class UnknownToken(Exception):
    """Nobody has this token."""


class TokenEnded(Exception):
    """The token has expired or was revoked, or its account was closed; the message says which and when."""


class IssuerAway(Exception):
    """Another issuer's keys are not known, and it does not answer."""


class SignInRefused(Exception):
    """The provider did not sign somebody in, or its answer is not accepted; the message says why."""


class Caller(Struct, frozen=True):
    """Who sent a request, and what the token that came with it may be used for.

    Attributes:
        player: the account.
        scopes: what the token may be used for: its own scopes, as far as the account has them.
        granted: the most that the account's tokens may be used for.
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

    @property
    def is_app(self) -> bool:
        """Whether an app of somebody else's sent the request."""
        return self.token is not None and self.token.startswith("a")

    @property
    def may_issue(self) -> frozenset[Scope]:
        """The most scopes of a token that this caller creates.

        With an external JWT, these are at most the JWT's own scopes, and never `account`: a token with that scope could
        create others, with more scopes and without an end.
        """
        return self.granted if self.token is not None else (self.scopes & self.granted) - {"account"}


class Identity(Struct, frozen=True):
    """The person that another issuer's token names.

    Attributes:
        issuer: the issuer.
        subject: the issuer's id for the person; it never changes, and nobody else gets it.
        name: a name for the account; may be empty, or not allowed for accounts.
        scopes: the scopes that the issuer gave the token.
        ends: when the token ends.
    """

    issuer: str
    subject: str
    name: str
    scopes: frozenset[Scope]
    ends: str


Identify = Callable[[str], Awaitable[Identity]]
"""Finds the identity that another issuer's token names. Raises `UnknownToken`, `TokenEnded` or `IssuerAway`."""
