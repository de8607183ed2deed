"""What a store of games does. It keeps bytes and versions and knows nothing of their meaning.

One game is one stream of records, numbered 1, 2, 3 …; all streams together have one order, in which they became
readable, and nobody who follows it ever misses a record. What an append brings (records, secrets, its idempotency
key, the row of the index) is stored together or not at all, and is on the disk when `append` returns.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from domain.kernel.chance.secret import Secret
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.record import Record
from projections.lobby import GameRow
from service.store.accounts import AccountStore


class StoreError(Exception):
    """Something is wrong with the store itself; the message is one line."""


class StoreDamaged(StoreError):
    """What lies where the store should be is damaged, or is something else. Nothing was overwritten."""


class StoreUnavailable(StoreError):
    """The store cannot answer now (disk full, locked by another process, closed). Nothing was acknowledged."""


class Conflict(Exception):
    """The game did not stand at the expected version but at `head`. Nothing was stored."""

    def __init__(self, head: Version) -> None:
        super().__init__(f"the game is at version {head}")
        self.head = head


class KeyReused(Exception):
    """The idempotency key came before, with another request. Nothing was stored."""


class UnknownCursor(ValueError):
    """A cursor that this store did not give out."""


class KeyUse(Struct, frozen=True):
    """The use of an idempotency key: of which account, and for what. `fingerprint` tells requests apart."""

    account: PlayerId
    key: str
    fingerprint: bytes


class Added(Struct, frozen=True):
    """What a request added to a game: the records from `after` + 1 to `version`. Its answer is made again of these."""

    after: Version
    version: Version


class KeptUse(Struct, frozen=True):
    """What is kept of the use of an idempotency key: what tells its request from others, and what that added."""

    fingerprint: bytes
    added: Added


class Opening(Struct, frozen=True):
    """What is kept of a new game beside its records.

    `chance` is the secret of its chance; `board` the key of its board and `board_file` the board itself, with the
    documents that go with it, which is kept once for all games on it.
    """

    ruleset: str
    ruleset_version: int
    title: str
    organizer: PlayerId
    chance: bytes
    board: str
    board_file: bytes


class Append(Struct, frozen=True):
    """Records to be added to a game that stands at version `expected`.

    `status` is that of the game after them; `seats` say who sits where, when that changed or the game is new;
    `opening` is there exactly when the game is new, and `expected` is then 0.
    """

    game: GameId
    expected: Version
    records: Sequence[Record]
    status: str
    secrets: Sequence[Secret] = ()
    key: KeyUse | None = None
    seats: Mapping[Seat, PlayerId | None] | None = None
    opening: Opening | None = None


class Appended(Struct, frozen=True):
    """The game now stands at `version`. `repeated` is what its key added when it was used before."""

    version: Version
    repeated: Added | None = None


class Stored(Struct, frozen=True):
    """What is kept of a game: the version at which the index has it, its records, its secrets, its chance."""

    head: Version
    records: list[Record]
    secrets: list[Secret]
    chance: bytes


class EventStore(Protocol):
    """A store of games and accounts. Every method may raise `StoreError`."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes append to the same log."""
        ...

    @property
    def accounts(self) -> AccountStore:
        """The accounts."""
        ...

    async def append(self, batch: Append) -> Appended:
        """Store `batch` whole, durably, or not at all.

        The idempotency key is looked up before anything else: a repetition is told what the first request added,
        whatever the version is by now.

        Raises:
            Conflict: the game is not at the expected version.
            KeyReused: the key came with another request before.
        """
        ...

    async def seen(self, game: GameId, account: PlayerId, key: str) -> KeptUse | None:
        """Return what is kept of the use of a key in a game, or None."""
        ...

    async def forget_keys(self, before: str, limit: int) -> int:
        """Delete at most `limit` keys that were used before that time, the oldest first; return how many."""
        ...

    async def read(self, game: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return the records of a game that follow version `after`; none of an unknown game."""
        ...

    async def read_all(self, cursor: str | None = None, limit: int = 1000) -> tuple[list[tuple[GameId, Record]], str]:
        """Return the records of all games that follow `cursor`, in the order in which they became readable.

        The second value is the cursor after the last of them. None is the beginning. Raises `UnknownCursor`.
        """
        ...

    async def read_on(
        self, after: int, limit: int, games: Collection[GameId] | None = None
    ) -> list[tuple[int, GameId, Record]]:
        """Return the records that follow position `after` in the order of all, with their positions.

        Only those of `games`, if any are named.
        """
        ...

    async def end(self) -> int:
        """Return the position of the last record of the log; 0 before the first."""
        ...

    async def head(self, game: GameId) -> Version:
        """Return the version at which a game stands; 0 for an unknown one."""
        ...

    async def events(self) -> int:
        """Return how many events the log has. Takes time in proportion to the number of games."""
        ...

    async def heads(self, games: Collection[GameId]) -> dict[GameId, Version]:
        """Return the versions at which games stand, read at one moment; unknown ones are not in it."""
        ...

    async def rulesets(self, games: Collection[GameId]) -> dict[GameId, str]:
        """Return by which rulesets games are played; unknown ones are not in it."""
        ...

    async def secrets(self, game: GameId, known: int = 0) -> list[Secret]:
        """Return the secrets of a game in the order of their sealing, without the first `known` of them."""
        ...

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        """Return what is kept of a game, of its records those after version `after`, read at one moment.

        None for an unknown game.
        """
        ...

    async def board(self, digest: str) -> bytes | None:
        """Return the board file with this key, or None."""
        ...

    async def game(self, game: GameId) -> GameRow | None:
        """Return the index row of a game, or None."""
        ...

    async def games(
        self,
        *,
        status: str | None = None,
        ruleset: str | None = None,
        player: PlayerId | None = None,
        mine: PlayerId | None = None,
        after: GameId | None = None,
        limit: int = 50,
    ) -> list[GameRow]:
        """Return games, the newest first: those that follow `after`.

        `player` picks the games in which that account holds a seat, `mine` also those that it organizes.
        """
        ...

    async def retitle(self, game: GameId, title: str) -> None:
        """Give a game another title."""
        ...

    async def ready(self) -> None:
        """Return when the store answers. Raises `StoreUnavailable`."""
        ...

    async def close(self) -> None:
        """Finish what was handed in, then close."""
        ...
