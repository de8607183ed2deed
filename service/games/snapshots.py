"""Snapshots: stored positions of games, so that a long log need not be folded from its start.

A snapshot only saves time, and is used only if it belongs to the log. It is sealed with the secret of its game's
chance: somebody who can only write to its store cannot forge one. At its version, the log must have the hash that it
names. A snapshot that does not fit is deleted, and the log is folded. Later events always come from the log, so no
reader is shown an old game. A game that is over has no snapshot, because its last event publishes the secret.

No table holds a secret, so no snapshot does.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId, Version
from domain.kernel.log import snapshot as kernel
from domain.kernel.log.fold import resume
from domain.kernel.log.game import Game
from domain.kernel.log.lifecycle import GameEnded
from domain.kernel.log.record import first_broken
from domain.kernel.log.snapshot import SnapshotError
from domain.kernel.rules.board import Board
from domain.kernel.rules.ruleset import Library
from service.observe.logging import log
from service.observe.metrics import Metrics
from service.store.protocol import Stored, StoreError
from service.store.snapshots import Snapshot, SnapshotStore

T = TypeVar("T")

_KEY: Final = b"tabularium/snapshot/1"
_LAST: Final = GameEnded.__struct_config__.tag


class Tier(Struct, frozen=True):
    """A store of snapshots. A game gets a new one there after `every` events. Metrics call the tier by its `name`."""

    name: str
    store: SnapshotStore
    every: int


class Snapshots:
    """Takes snapshots of games in the background while they are played, and finds them again."""

    def __init__(self, tiers: Sequence[Tier], metrics: Metrics) -> None:
        """`tiers` are searched in order, so the quickest, which is most up to date, comes first."""
        self._tiers = tiers
        self._caches = {tier.name: metrics.cache(tier.name) for tier in tiers}
        self._pending: dict[GameId, tuple[Game, bytes, list[Tier]]] = {}
        self._writing: asyncio.Task[None] | None = None

    async def find(self, game: GameId, use: Callable[[Snapshot], Awaitable[T]]) -> T | None:
        """Return what `use` makes of the first snapshot of a game that it does not refuse with a `SnapshotError`.

        A refused one is deleted. None when there is no other.
        """
        for tier in self._tiers:
            try:
                snapshot = await tier.store.newest(game)
            except StoreError as error:
                log.debug("snapshot not read", tier=tier.name, game=game, why=str(error))
                snapshot = None
            try:
                if snapshot is not None:
                    if snapshot.game != game:
                        raise SnapshotError("it is of another game")
                    used = await use(snapshot)
                    self._caches[tier.name].hit()
                    return used
            except SnapshotError as error:
                log.info("snapshot thrown away", tier=tier.name, game=game, why=str(error))
                with suppress(StoreError):
                    await tier.store.drop(game)
            self._caches[tier.name].miss()
        return None

    def take_if_due(self, before: Version, game: Game, chance: bytes) -> None:
        """Take a snapshot of a game soon, in each tier where one is due after `before`."""
        if game.status in ("over", "cancelled"):
            self._pending.pop(game.id, None)
            return
        tiers = [tier for tier in self._tiers if before // tier.every < game.version // tier.every]
        if not tiers:
            return
        # If a game moves faster than we can write, only its newest position is written.
        waiting = self._pending[game.id][2] if game.id in self._pending else []
        self._pending[game.id] = game, chance, [*waiting, *(tier for tier in tiers if tier not in waiting)]
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Finish writing."""
        if self._writing is not None:
            await self._writing
        for tier in self._tiers:
            await tier.store.close()

    async def _write(self) -> None:
        try:
            while self._pending:
                game, chance, tiers = self._pending.pop(next(iter(self._pending)))
                snapshot = take(game, chance)
                for tier in tiers:
                    try:
                        await tier.store.keep(snapshot)
                    except StoreError as error:
                        log.debug("snapshot not kept", tier=tier.name, game=game.id, why=str(error))
        finally:
            self._writing = None


def take(game: Game, chance: bytes) -> Snapshot:
    """Return a snapshot of a game; `chance` is the secret of its chance."""
    body = kernel.take(game)
    return Snapshot(game.id, game.version, game.ruleset.id, game.ruleset.version, body, _seal(chance, body))


def resumed(snapshot: Snapshot, stored: Stored, library: Library, board: Callable[[str], Board]) -> Game:
    """Return the game of a snapshot after all stored records that follow it.

    Args:
        stored: the stored records from the version of the snapshot on.
        board: returns the board with a key.

    Raises:
        SnapshotError: the snapshot is not one of this log, or the log goes back to before it, or the game is over.
        LookupError: the board or a document is missing.
    """
    if stored.records and stored.records[-1].type == _LAST:
        raise SnapshotError("the game is over, and the secret of its seal public")
    if not hmac.compare_digest(snapshot.seal, _seal(stored.chance, snapshot.body)):
        raise SnapshotError("its seal is broken")
    game = kernel.restore(snapshot.body, library, board)
    first, *rest = stored.records or (None,)
    if first is None or (snapshot.game, snapshot.version) != (game.id, game.version):
        raise SnapshotError("it is of another game, or the log ends before it")
    if (first.version, first.hash) != (game.version, game.head):
        raise SnapshotError("the log has another hash at its version")
    last = rest[-1].version if rest else game.version
    if first_broken(game.id, rest, game.version, game.head) is not None or last < stored.head:
        raise SnapshotError("the log does not go on from it unbroken")
    try:
        return resume(game, rest)
    except (ValueError, msgspec.MsgspecError) as error:
        raise SnapshotError(str(error)) from error


def board_of(snapshot: Snapshot) -> str:
    """Return the key of the board that a snapshot is played on. Raises `SnapshotError`."""
    try:
        return msgspec.json.decode(snapshot.body, type=_Played).board
    except (ValueError, msgspec.MsgspecError) as error:
        raise SnapshotError(f"it cannot be read: {error}") from error


class _Played(Struct):
    board: str


def _seal(chance: bytes, body: bytes) -> bytes:
    key = hmac.digest(chance, _KEY, hashlib.sha256)
    return hmac.digest(key, body, hashlib.sha256)
