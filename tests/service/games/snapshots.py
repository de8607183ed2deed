"""Games whose snapshots are stored in a database or in Redis, and stores of snapshots that are faulty."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log import snapshot as kernel
from domain.kernel.log.game import Game
from domain.kernel.log.record import Record
from service.base.settings import Settings
from service.cluster.wake import LocalWake
from service.games.games import Games
from service.games.snapshots import Snapshots, Tier
from service.observe.metrics import Metrics
from service.store.protocol import EventStore, Stored
from service.store.snapshots import Snapshot, SnapshotStore
from tests.service.rig import LIBRARY, Rig, fixed_randomness, own_board, ticking

EVERY = 7


class Watched:
    """A store that notes after which version games are loaded. The record of the version `spoils` is damaged."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self.loaded: list[Version] = []
        self.spoils: Version | None = None

    async def read(self, game: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        records = await self._store.read(game, after, limit)
        return [replace(each, draws=99) if each.version == self.spoils else each for each in records]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        self.loaded.append(after)
        return await self._store.load(game, after)


class Data:
    """A store and its snapshots, and games over them."""

    def __init__(self, settings: Settings, store: EventStore, kept: SnapshotStore) -> None:
        self.settings = settings
        self.store: Any = Watched(store)
        self.kept: Any = kept
        self.metrics = Metrics()
        self.randomness = fixed_randomness()
        self.several_games: list[tuple[Games, Snapshots]] = []

    def games(self, *, snapshots: bool = True) -> Games:
        """Return a new `Games`, as of a new process: no game is in its memory."""
        places = [Tier("snapshots", _Lent(self.kept), EVERY)] if snapshots else []
        taken = Snapshots(places, self.metrics)
        games = Games(
            self.store,
            LIBRARY,
            LocalWake(),
            ticking(),
            self.settings,
            self.randomness,
            boards=own_board,
            metrics=self.metrics,
            snapshots=taken,
        )
        self.several_games.append((games, taken))
        return games

    async def written(self) -> None:
        """Close all games, and wait until their snapshots are stored."""
        for games, taken in self.several_games:
            await games.close()
            await taken.close()

    async def loaded(self, game: GameId, *, snapshots: bool = True) -> tuple[Game, Version]:
        """Return a game as a new process loads it, and the version after which it read its log."""
        del self.store.loaded[:]
        found = await self.games(snapshots=snapshots).game(game)
        return found, self.store.loaded[-1]

    async def plain(self, game: GameId) -> bytes:
        """Return the snapshot of a game that was folded from its whole log, without the help of stored snapshots."""
        found, after = await self.loaded(game, snapshots=False)
        assert after == 0
        return kernel.take(found)


class Spoilt:
    """A store of snapshots whose every method fails."""

    def __init__(self, fails: Callable[..., Awaitable[Any]]) -> None:
        self.newest = self.keep = self.drop = fails

    async def close(self) -> None:
        pass


class Misplaced:
    """A store of snapshots that returns the snapshot of another game, whichever game is asked for."""

    def __init__(self, kept: SnapshotStore, copied: Snapshot) -> None:
        self.keep = kept.keep
        self.copied = copied
        self.dropped: list[GameId] = []

    async def newest(self, game: GameId) -> Snapshot | None:
        return None if game in self.dropped else self.copied

    async def drop(self, game: GameId) -> None:
        self.dropped.append(game)

    async def close(self) -> None:
        pass


class _Lent:
    """A store of snapshots that stays open when its borrower closes it: its owner closes it."""

    def __init__(self, kept: SnapshotStore) -> None:
        self.newest, self.keep, self.drop = kept.newest, kept.keep, kept.drop

    async def close(self) -> None:
        pass


def rig(data: Data, games: Games) -> Rig:
    return Rig(games, data.store, LocalWake(), None, data.settings)  # pyrefly: ignore[bad-argument-type]


async def played(data: Data, rounds: int = 2, *, undo: bool = False) -> GameId:
    """Return a game of some rounds, all of it stored, with its snapshots."""
    games = data.games()
    table = rig(data, games)
    game = await table.begun(rounds=3)
    for _ in range(rounds):
        await table.play_round(game)
        if undo:
            await undone(table, game)
    await data.written()
    return game


async def put_up(table: Rig, game: GameId) -> PlayerId:
    """Put something up. Return the player whose turn it is."""
    now = await table.games.game(game)
    player = now.players[now.decisions[0].seats[0]]
    assert player is not None
    await table.give(game, player, "put-up", coins=1)
    return player


async def undone(table: Rig, game: GameId) -> None:
    """Put something up, and take that back."""
    player = await put_up(table, game)
    now = await table.games.game(game)
    await table.give(game, player, "undo", to=now.undo_to[-1])
