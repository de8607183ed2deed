"""The stored data of joined accounts: the joinings, which never change, and the codes that ask for one."""

from typing import Protocol

from msgspec import Struct

from domain.kernel.ids import PlayerId
from service.store.accounts import TokenId


class JoiningRow(Struct, frozen=True):
    """A joining of two accounts of one person.

    Attributes:
        account: the account that joining closed.
        kept: the account that stays.
        at: when they were joined.
        asked_by: the session of `kept` that asked for it.
        confirmed_by: the session of `account` that confirmed it.
    """

    account: PlayerId
    kept: PlayerId
    at: str
    asked_by: TokenId
    confirmed_by: TokenId


class JoiningStore(Protocol):
    """Keeps joinings. Every method may raise `StoreError`."""

    async def ask(self, player: PlayerId, digest: bytes, asked_by: TokenId, ends: str, now: str) -> bool:
        """Store the SHA-256 of a code of `player` in place of its earlier one; False while that one is being used."""
        ...

    async def asker_of(self, digest: bytes, now: str) -> PlayerId | None:
        """Return the account that asked by a code, or None when the code has ended."""
        ...

    async def claim(self, digest: bytes, account: PlayerId, now: str) -> bool:
        """Claim a code, until it ends, for the account that entered it. It may claim the code again.

        Return False when the code has ended, when another account has claimed it, or when another code is joining one
        of the two accounts just now.
        """
        ...

    async def join(
        self, digest: bytes, account: PlayerId, confirmed_by: TokenId, now: str, most: int
    ) -> JoiningRow | None:
        """Join the account that claimed a code with the one that asked, and close it. Return the joining, also the
        second time.

        The tokens, passkeys, recovery codes, webhooks, consents and apps' sign-ins of `account` end. Its links with
        providers, its imports and the apps that it registered belong to the account that stays. If `account` had lost
        scopes that everybody has, the account that stays loses them, too. None when the code has ended or was not
        claimed by `account`, when one of the two cannot be joined, or when `most` were joined with the one that stays.
        """
        ...

    async def of(self, player: PlayerId) -> list[JoiningRow]:
        """Return the joinings of an account, whether it stayed or not, the oldest first."""
        ...

    async def joined_with(self, player: PlayerId) -> list[PlayerId]:
        """Return the accounts that were joined with one, by their ids."""
        ...
