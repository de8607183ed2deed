"""Invitations to games: the value of one is enough to take a seat."""

import secrets
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId
from service.accounts.values import INVITATION_PREFIX, Once, hashed, random_value
from service.base.clock import Clock, stamp
from service.base.ids import ID_BYTES, new_id
from service.store.accounts import AccountStore, InvitationId, InvitationRow, LimitReached

MOST_INVITATIONS: Final = 20
"""The most invitations of a game that are not revoked."""


MOST_MADE: Final = 200
"""The most invitations of a game, revoked ones included: one answer lists them all."""


class TooManyInvitations(Exception):
    """The game has as many invitations as it can have."""


class Invitations:
    """The invitations of all games. Every method may raise `StoreError`."""

    def __init__(self, store: AccountStore, clock: Clock, randomness: Callable[[int], bytes]) -> None:
        self._store = store
        self._clock = clock
        self._randomness = randomness

    async def make(self, player: PlayerId, game: GameId, key: str | None = None) -> tuple[InvitationRow, str]:
        """Make an invitation to a game; return it and its value, which is not stored.

        Under an idempotency key, a repetition gets the first invitation. Raises `TooManyInvitations`.
        """
        once = _once(player, game, key)
        name = InvitationId(new_id("i", self._randomness(ID_BYTES)))
        row, nonce = InvitationRow(name, game, stamp(self._clock)), secrets.token_bytes(32)
        value = random_value(INVITATION_PREFIX) if once is None else once.value(nonce)
        if once is not None:
            row = replace(row, key=once.hashed, nonce=nonce)
        try:
            row = await self._store.add_invitation(row, hashed(value), MOST_INVITATIONS, MOST_MADE)
        except LimitReached:
            some = f"The game has {MOST_INVITATIONS} invitations, or {MOST_MADE} with those that were revoked"
            raise TooManyInvitations(f"{some}, and cannot have more.") from None
        return row, value if once is None else once.value(row.nonce or nonce)

    async def made_before(self, player: PlayerId, game: GameId, key: str | None) -> tuple[InvitationRow, str] | None:
        """Return the invitation, and its value, that an idempotency key made before, if it did."""
        once = _once(player, game, key)
        for row in await self._store.invitations(game) if once is not None else ():
            if once is not None and row.key == once.hashed and row.nonce is not None:
                return row, once.value(row.nonce)
        return None

    async def find(self, value: str) -> InvitationRow | None:
        """Return the invitation that has this value; None when there is none, or it was revoked."""
        row = await self._store.invitation(hashed(value))
        return row if row is not None and row.revoked is None else None

    async def of_game(self, game: GameId) -> list[InvitationRow]:
        """Return the invitations to a game, revoked ones as well, the newest first."""
        return await self._store.invitations(game)

    async def revoke(self, invitation: InvitationId) -> None:
        """End an invitation, at once."""
        await self._store.revoke_invitation(invitation, stamp(self._clock))


def _once(player: PlayerId, game: GameId, key: str | None) -> Once | None:
    return Once(f"{game} {key}", player, b"", INVITATION_PREFIX) if key is not None else None
