"""The stored data of organizers: consents to be seated, and bulks of games.

A bulk is written whole before its first game is opened. The state of each game is a row of its own, so that another
process can go on after one that died. Times are stamps of `service.base.clock`, which sort as text; an empty text
stands for no time.
"""

from collections.abc import Collection, Sequence
from typing import Final, Literal, NewType, Protocol

from msgspec import Struct

from domain.kernel.ids import GameId, PlayerId

BulkId = NewType("BulkId", str)
"""The id of a bulk: games that were requested together."""

BulkStatus = Literal["queued", "open", "waiting", "started", "cancelled", "failed"]

NEVER: Final = "9999-12-31T23:59:59.000000Z"
"""The due time of a game that is done."""


class ConsentRow(Struct, frozen=True):
    """An account lets an organizer seat it.

    Attributes:
        organizer: the account of the organizer.
        given: when the account said so.
    """

    organizer: PlayerId
    given: str


class BulkRow(Struct, frozen=True):
    """Games that were requested together.

    Attributes:
        bulk: the id of the bulk.
        organizer: the account that requested the games, and organizes them.
        created: when it requested them.
        games: how many games there are.
        cancelled: when the organizer cancelled the games that had not started.
        changes: how often the bulk or the state of one of its games changed.
    """

    bulk: BulkId
    organizer: PlayerId
    created: str
    games: int
    cancelled: str = ""
    changes: int = 0


class BulkGameRow(Struct, frozen=True):
    """A game of a bulk.

    Attributes:
        bulk: the bulk.
        number: its number there, from 1 on.
        wish: the requested game, in JSON.
        title: its title.
        starts_at: when it is to start; empty when its players or its organizer start it.
        status: `queued` until it is opened; `waiting` when the time of its start has come and seats are free.
        game: the game, as soon as it is opened.
        why: why it failed.
        due: when its next step is due.
        changed: the number of the last change, among those of the bulk.
    """

    bulk: BulkId
    number: int
    wish: str
    title: str
    starts_at: str
    status: BulkStatus = "queued"
    game: GameId | Literal[""] = ""
    why: str = ""
    due: str = ""
    changed: int = 0


class OrganizingStore(Protocol):
    """Keeps consents and bulks. Every method may raise `StoreError`."""

    async def consent(self, player: PlayerId, organizer: PlayerId, now: str, most: int) -> ConsentRow:
        """Let an organizer seat an account. Return the row, or the earlier one if there is one.

        Raises `LimitReached` when the account lets `most` others seat it.
        """
        ...

    async def withdraw(self, player: PlayerId, organizer: PlayerId) -> None:
        """Withdraw a consent."""
        ...

    async def consents(self, player: PlayerId) -> list[ConsentRow]:
        """Return the consents of an account, the newest first."""
        ...

    async def consenting(self, organizer: PlayerId, players: Collection[PlayerId]) -> set[PlayerId]:
        """Return the accounts, out of `players`, that let an organizer seat them."""
        ...

    async def add(
        self, row: BulkRow, games: Sequence[BulkGameRow], key: str, fingerprint: bytes, since: str, most: int
    ) -> BulkRow:
        """Store a bulk with its games, and return it. If the key made a bulk before, return that one.

        Raises:
            LimitReached: with it the organizer would have asked for more than `most` games after `since`.
            KeyReused: the key came with another fingerprint.
        """
        ...

    async def bulk_of_key(self, key: str, fingerprint: bytes) -> BulkRow | None:
        """Return the bulk that a key made before, or None. Raises `KeyReused` as `add` does."""
        ...

    async def bulk(self, bulk: BulkId) -> BulkRow | None:
        """Return a bulk, or None."""
        ...

    async def games(self, bulk: BulkId, after: int = 0) -> list[BulkGameRow]:
        """Return the games of a bulk that changed after the change `after`, in the order of their last changes.

        The rows come without the requested games.
        """
        ...

    async def due_games(self, now: str, limit: int) -> list[tuple[BulkGameRow, BulkRow]]:
        """Return the games that are due by now, the longest due first."""
        ...

    async def any(self) -> bool:
        """Tell whether any game has a step that is due now or later."""
        ...

    async def record(self, row: BulkGameRow) -> None:
        """Store the state of a game, unless it was final. If its bulk is cancelled, the game is due at once."""
        ...

    async def postpone(self, row: BulkGameRow, due: str) -> None:
        """Put off a game. If its bulk is cancelled, the game is due at once."""
        ...

    async def cancel(self, bulk: BulkId, now: str) -> None:
        """Mark a bulk as cancelled, so that games that have not started are cancelled."""
        ...

    async def is_busy(self, organizer: PlayerId) -> bool:
        """Tell whether a game in the bulks of an account is still to be opened or started."""
        ...

    async def forget(self, before: str, limit: int) -> int:
        """Delete at most `limit` bulks that were made before a time, the oldest first; return how many."""
        ...
