"""Consents: an organizer can assign a seat only to an account that has agreed to it (TAB-SEAT-08)."""

from collections.abc import Iterable, Mapping
from typing import Final

from domain.kernel.ids import PlayerId
from service.base.clock import Clock, stamp
from service.games.requests import UnknownPlayer
from service.store.accounts import AccountStore, LimitReached
from service.store.organizing import ConsentRow, OrganizingStore

MOST_CONSENTS: Final = 100
"""The most organizers that an account can allow to seat it."""


class TooManyConsents(Exception):
    """The account has given as many consents as it may."""

    def __init__(self) -> None:
        super().__init__(f"The account lets {MOST_CONSENTS} organizers seat it, and cannot name more.")


class Consents:
    """The consents of all accounts. Every method may raise `StoreError`."""

    def __init__(self, store: OrganizingStore, accounts: AccountStore, clock: Clock) -> None:
        self._store = store
        self._accounts = accounts
        self._clock = clock

    async def give(self, player: PlayerId, organizer: PlayerId) -> ConsentRow:
        """Allow an organizer to seat an account. Raises `UnknownPlayer` or `TooManyConsents`."""
        row = await self._accounts.player(organizer)
        if row is None or row.closed is not None or row.is_bot or organizer == player:
            raise UnknownPlayer(f"There is no other account {organizer!r} that organizes games.")
        try:
            return await self._store.consent(player, organizer, stamp(self._clock), MOST_CONSENTS)
        except LimitReached:
            raise TooManyConsents from None

    async def withdraw(self, player: PlayerId, organizer: PlayerId) -> None:
        """Stop allowing an organizer to seat an account. The account keeps the seats that it has."""
        await self._store.withdraw(player, organizer)

    async def of(self, player: PlayerId) -> list[ConsentRow]:
        """Return the consents of an account, the newest first."""
        return await self._store.consents(player)

    async def objections(self, organizer: PlayerId, players: Iterable[PlayerId]) -> Mapping[PlayerId, str]:
        """Return why the organizer may not seat an account, for each of the accounts where this is so."""
        others = {player for player in players if player != organizer}
        accounts = {row.player: row for row in await self._accounts.by_ids(others)} if others else {}
        consenting = await self._store.consenting(organizer, others)
        reasons = dict[PlayerId, str]()
        for player in sorted(others):
            row = accounts.get(player)
            if row is None:
                reasons[player] = f"There is no account {player!r}."
            elif row.closed is not None:
                reasons[player] = f"The account {player!r} is closed."
            elif row.is_bot:
                reasons[player] = f"{player!r} is a bot: seat one when the game is open, by its level."
            elif player not in consenting:
                reasons[player] = f"{player!r} does not let you seat them."
        return reasons
