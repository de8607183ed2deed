"""What a store keeps of accounts: who they are, what they may do, and their tokens, of which it knows only hashes.

Times are stamps of `service.clock`, which sort as text.
"""

from collections.abc import Collection, Sequence
from typing import NewType, Protocol

from msgspec import Struct

from domain.kernel.words import PlayerId
from service.access.scopes import EVERYBODYS, Scope

TokenId = NewType("TokenId", str)
"""A token of an account, without the token itself."""


class PlayerRow(Struct, frozen=True):
    """An account. The name is here and nowhere else. `closed` is when it was closed; a closed one does nothing more."""

    player: PlayerId
    name: str
    created: str
    scopes: tuple[Scope, ...] = EVERYBODYS
    closed: str | None = None


class TokenRow(Struct, frozen=True):
    """A token, without its value.

    `expires` is when it ends by itself, `retires` when it ends because it was replaced, `used` when it was last used,
    to the minute. `revoked` is when it was ended: whatever a process's clock says, it has.
    """

    token: TokenId
    player: PlayerId
    name: str
    scopes: tuple[Scope, ...]
    created: str
    expires: str | None = None
    retires: str | None = None
    revoked: str | None = None
    used: str | None = None

    @property
    def ends(self) -> str | None:
        """When it ends, unless it is revoked; None for never."""
        return min((end for end in (self.expires, self.retires) if end is not None), default=None)


class AccountStore(Protocol):
    """The accounts of a store. Every method may raise `StoreError`."""

    async def add(self, row: PlayerRow) -> None:
        """Store an account."""
        ...

    async def add_known(self, row: PlayerRow, issuer: str, subject: str) -> PlayerRow:
        """Return the account of whom another issuer knows as `subject`; `row` becomes it when there is none."""
        ...

    async def player(self, player: PlayerId) -> PlayerRow | None:
        """Return an account, or None."""
        ...

    async def known(self, issuer: str, subject: str) -> PlayerRow | None:
        """Return the account of whom another issuer knows as `subject`, or None."""
        ...

    async def players(self, scope: Scope | None, after: PlayerId, limit: int) -> list[PlayerRow]:
        """Return accounts by their ids, those that follow `after`; `scope` picks the ones that have it."""
        ...

    async def grant(self, player: PlayerId, scopes: Sequence[Scope]) -> None:
        """Say what the tokens of an account may do at most."""
        ...

    async def close(self, player: PlayerId, now: str) -> None:
        """Close an account, and end its tokens."""
        ...

    async def add_token(self, row: TokenRow, digest: bytes) -> None:
        """Store a token with the SHA-256 of its value."""
        ...

    async def replace_token(self, old: TokenId, retires: str, row: TokenRow, digest: bytes) -> bool:
        """Let token `old` end at `retires` and store another in its place; False when it had ended or was replaced."""
        ...

    async def revoke(self, token: TokenId, now: str) -> None:
        """End a token, unless it was ended before."""
        ...

    async def token(self, token: TokenId) -> TokenRow | None:
        """Return a token, or None."""
        ...

    async def by_digest(self, digest: bytes) -> tuple[TokenRow, PlayerRow] | None:
        """Return the token whose value hashes to this, ended or not, and its account; None when there is none."""
        ...

    async def tokens(self, player: PlayerId, now: str) -> list[TokenRow]:
        """Return the tokens of an account that have not ended by `now`, the newest first."""
        ...

    async def used(self, tokens: Collection[TokenId], now: str) -> None:
        """Note that tokens were used."""
        ...
