"""The cache of games: loading them from the store, keeping them up to date, and their earlier positions."""

import asyncio
import bisect
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

from msgspec import UNSET, Struct, field

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, StreamId, Version, as_game
from domain.kernel.log.fold import fold, later, resume
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.history import read_created, retraction
from domain.kernel.log.lifecycle import GameForked
from domain.kernel.log.record import Record, first_broken
from domain.kernel.log.snapshot import SnapshotError, take
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import DocumentError, key_of, packed, unpacked
from domain.kernel.rules.ruleset import Library
from service.base.settings import Settings
from service.cluster.heads import Heads
from service.games.snapshots import Snapshots, board_of, resumed
from service.observe.metrics import Metrics
from service.observe.tracing import span
from service.store.past import Past
from service.store.protocol import EventStore, Stored, StreamDamaged
from service.store.snapshots import Snapshot

RECENT: Final = 128
"""How many of a game's last records stay in memory, for clients that follow it."""

POSITION: Final = 24_000
"""The memory of a position in bytes, in addition to the size of its snapshot. With snapshots of 5 to 11 kB, positions
of every ruleset take 29 to 32 kB."""

RECORD: Final = 325
"""The memory of a record in bytes, in addition to its event and its cause."""

BOARD: Final = 4
"""The memory of a board, as a multiple of its file. Games on the same board share it."""

WEIGHED: Final = 100
"""After how many events a game's size is measured again, which takes 20 µs. A young game is measured earlier."""

BOARDS: Final = 64
"""How many boards stay in memory beside those of cached games."""


class UnknownGame(LookupError):
    """There is no such game."""


class UnknownVersion(LookupError):
    """The game does not have this version; `head` is its last."""

    def __init__(self, version: Version, head: Version) -> None:
        super().__init__(f"There is no version {version} of this game; its versions are 1 to {head}.")
        self.version = version
        self.head = head


class GameDamaged(StreamDamaged):
    """The stored records of a game were altered, or this package cannot read them."""


class Sized(Protocol):
    """An answer for viewers of a game, which knows its size in bytes."""

    @property
    def size(self) -> int: ...


class CachedGame(Struct, eq=False):
    """A game in memory. `game` is None until it is loaded; `past` are positions of earlier versions.

    `announced` is the newest version of it that another process has announced. `users` is how many tasks hold its lock
    or wait for it.

    `views` are answers for viewers of the game `views_of`. Their keys say what each answer is, and which viewers see
    the same. They take `views_size` bytes.

    `position` and `record` are the bytes that a position and a record of it take, as they were estimated at version
    `weighed`. `weight` is what the cache counts for all of it, without the board with the key `board`.
    """

    id: GameId
    game: Game | None = None
    vault: Vault = field(default_factory=Vault)
    secret: bytes = b""
    past: dict[Version, Game] = field(default_factory=dict[Version, Game])
    recent: list[Record] = field(default_factory=list[Record])
    announced: Version = 0
    views_of: Game | None = None
    views: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any])
    views_size: int = 0
    weighed: Version = 0
    position: int = 0
    record: int = 0
    weight: int = 0
    board: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0

    @property
    def now(self) -> Game:
        """The present game. The game must be loaded."""
        assert self.game is not None
        return self.game

    def current_views(self) -> dict[Hashable, Any]:
        """Return the answers for viewers of the present game."""
        if self.views_of is not self.game:
            self.views_of, self.views, self.views_size = self.game, {}, 0
        return self.views

    def weigh(self) -> int:
        """Return the estimated bytes of memory that the game takes."""
        game, recent = self.now, self.recent
        if game.version - self.weighed >= min(self.weighed, WEIGHED):
            self.weighed, self.position = game.version, POSITION + len(take(game))
            self.record = RECORD + sum(len(each.event) + len(each.cause or b"") for each in recent) // len(recent)
        return self.position * (1 + len(self.past)) + self.record * len(recent) + self.views_size


class GameCache:
    """The games that this process has in memory: the most recently used, as many as fit.

    Every method may raise `StoreError`; those that return a game or its records, also `UnknownGame`.
    """

    def __init__(
        self,
        store: EventStore,
        library: Library,
        settings: Settings,
        metrics: Metrics,
        snapshots: Snapshots,
        past: Past | None = None,
    ) -> None:
        """`past` reads older records; without it, the store does."""
        self._store = store
        self._past = past or Past(store)
        self._library = library
        self._settings = settings
        self._snapshots = snapshots
        self._lookups = metrics.cache("games")
        # If no other process uses the store, the games in memory are always up to date.
        self._heads = Heads(store) if store.is_shared else None
        self._cached: OrderedDict[GameId, CachedGame] = OrderedDict()
        self._bytes_held = 0
        """The bytes of the games in memory and of their boards."""
        self._played_on: dict[str, tuple[int, int]] = {}
        """For each board, how many games in memory use it, and its bytes."""
        self._boards: OrderedDict[str, Board] = OrderedDict()
        metrics.games_in_memory.set_function(lambda: len(self._cached))

    def know(self, key: str, board: Board) -> None:
        """Keep a board in memory."""
        self._boards[key] = board
        self._boards.move_to_end(key)
        if len(self._boards) > BOARDS:
            self._boards.popitem(last=False)

    async def of(self, game_id: GameId) -> CachedGame:
        """Return a cached game, loading it if necessary. Raises `UnknownGame`."""
        cached = self._cached.get(game_id)
        if cached is None or cached.game is None:
            async with self.locked(game_id) as cached:
                return cached
        self._cached.move_to_end(game_id)
        self._lookups.hit()
        return cached

    @asynccontextmanager
    async def locked(self, game_id: GameId) -> AsyncIterator[CachedGame]:
        """Provide a cached game under its lock, loading it if necessary. Raises `UnknownGame`."""
        while True:
            cached = self._entry(game_id)
            cached.users += 1
            try:
                async with cached.lock:
                    # If its load failed while this task waited, the cache has dropped it: try again with a new entry.
                    if self._cached.get(game_id) is cached:
                        if cached.game is None:
                            await self._load(cached)
                        yield cached
                        return
            finally:
                cached.users -= 1

    def _entry(self, game_id: GameId) -> CachedGame:
        """Return the entry of a game, which may have to be loaded."""
        cached = self._cached.get(game_id)
        if cached is None:
            cached = self._cached[game_id] = CachedGame(game_id)
            self._evict()
        else:
            self._cached.move_to_end(game_id)
        if cached.game is None:
            self._lookups.miss()
        else:
            self._lookups.hit()
        return cached

    async def current(self, game_id: GameId, at_least: Version | None = None) -> CachedGame:
        """Return a game that is as new as the store at the call, or has reached `at_least`. Raises `UnknownGame`."""
        before = self._cached.get(game_id)
        cached = await self.of(game_id)
        if before is cached:
            needed = await self.head(cached) if at_least is None else at_least
            if cached.now.version < needed:
                async with self.locked(game_id) as cached:
                    if cached.now.version < needed:
                        await self.catch_up(cached)
        return cached

    async def withheld(self, game_id: GameId) -> GameId | None:
        """Return the game until whose end a fork is withheld (TAB-FORK-02), even if it has ended; else None."""
        cached = self._cached.get(game_id)
        if cached is None or cached.game is None:
            return (await self._store.withheld((game_id,))).get(game_id)
        event = cached.game.forked
        return event.withheld if event is not None and event.withheld is not UNSET else None

    async def is_private(self, game_id: GameId) -> bool:
        """Tell whether a game is private (TAB-READ-01). False for an unknown game."""
        cached = self._cached.get(game_id)
        if cached is None or cached.game is None:
            return game_id in await self._store.private((game_id,))
        return cached.game.is_private

    def hear(self, stream: StreamId, version: Version) -> None:
        """Note that another process has announced `version` of a game."""
        game_id = as_game(stream)
        cached = self._cached.get(game_id) if game_id is not None else None
        if cached is not None:
            cached.announced = max(version, cached.announced)

    async def head(self, cached: CachedGame) -> Version:
        """Return the newest version of a game in the store, whichever process stored it."""
        return await self._heads.of(cached.id) if self._heads is not None else cached.now.version

    async def at(self, game_id: GameId, version: Version) -> Game:
        """Return a game at `version`. Raises `UnknownVersion`."""
        cached = await self.of(game_id)
        if version > cached.now.version:
            await self.arrive(game_id, version)
            cached = await self.current(game_id)
        if not 1 <= version <= cached.now.version:
            raise UnknownVersion(version, cached.now.version)
        return cached.now if version == cached.now.version else await self._earlier(cached, version)

    async def arrive(self, game_id: GameId, version: Version) -> None:
        """Wait until a game that is in memory has reached a version that was stored.

        A task that follows the log may see an event before the task that stored it has moved the game on. The second
        one holds the game's lock.
        """
        if self._heads is not None:
            return  # `current` asks a store that is shared
        cached = self._cached.get(game_id)
        if cached is not None and cached.game is not None and cached.game.version < version and cached.lock.locked():
            async with self.locked(game_id):
                pass

    async def records(self, game_id: GameId, after: Version, limit: int | None) -> list[Record]:
        """Return the records after version `after`, at least to the version of the cached game."""
        cached = await self.of(game_id)
        if cached.recent and cached.recent[0].version <= after + 1:
            first = after + 1 - cached.recent[0].version
            return cached.recent[first:][:limit]
        newest = cached.now.version
        return await self._past.read(game_id, after, newest if limit is None else min(newest, after + limit))

    def keep(self, cached: CachedGame, step: Decided, vault: Vault) -> None:
        """Move a cached or new game on by a stored step."""
        every = self._settings.checkpoint_every
        if cached.game is None:
            # Another caller may be loading the new game just now. Then their entry stays, and not this one.
            self._cached.setdefault(cached.id, cached)
        elif cached.game.version // every < step.game.version // every:
            cached.past[step.game.version] = step.game
        cached.game, cached.vault = step.game, vault
        cached.recent = [*cached.recent, *step.records][-RECENT:]
        self._count(cached)
        self._snapshots.take_if_due(step.records[0].version - 1, step.game, cached.secret)

    async def catch_up(self, cached: CachedGame) -> None:
        """Bring a cached game up to date with the store. The caller holds its lock."""
        game = cached.now
        records = await self._store.read(cached.id, game.version)
        if not records:
            if await self._store.head(cached.id) < game.version:
                # The database was replaced by another server or an older copy, which lacks events that were read here.
                await self._load(cached)
            return
        # In this order, so that all secrets that the records name are there.
        secrets = await self._store.secrets(cached.id, len(cached.vault.all()))
        try:
            if first_broken(cached.id, records, game.version, game.head) is not None:
                raise ValueError("it does not go on where this game stands")
            game = resume(game, records)
        except ValueError:
            # Moves before this version were retracted. Or the game is damaged: then loading it says how.
            await self._load(cached)
            return
        cached.game, cached.vault = game, cached.vault.joined_by(secrets)
        cached.recent = [*cached.recent, *records][-RECENT:]
        self._count(cached)

    def show(self, cached: CachedGame, key: Hashable, answer: Sized) -> None:
        """Store an answer for viewers of the present game, replacing the one with this key."""
        views = cached.current_views()
        before: Sized | None = views.get(key)
        views[key] = answer
        cached.views_size += answer.size - (before.size if before is not None else 0)
        self._count(cached)

    async def history(self, cached: CachedGame) -> list[Record]:
        """Return the whole log of a game."""
        records = await self._store.read(cached.id)
        _require_whole(cached.id, records)
        return records

    # --- loading ---

    def _count(self, cached: CachedGame) -> None:
        """Count the present size of a game, and make room for it."""
        if self._cached.get(cached.id) is cached:
            weight = cached.weigh()
            self._bytes_held += weight - cached.weight
            cached.weight = weight
            if not cached.board:
                self._count_board(cached, cached.now.board)
            self._evict()

    def _count_board(self, cached: CachedGame, board: Board) -> None:
        """Count the board of a game, once for all games on it."""
        key = cached.board = key_of(board)
        games, size = self._played_on.get(key) or (0, BOARD * len(packed(board)))
        self._played_on[key] = games + 1, size
        if not games:
            self._bytes_held += size

    def _evict(self) -> None:
        """Drop unused games, the least recently used first, until there is room."""
        while self._is_full():
            idle = next((each for each in self._cached.values() if not each.users), None)
            if idle is None or idle is next(reversed(self._cached.values())):  # the newest is about to be used
                return
            self._drop(idle)

    def _is_full(self) -> bool:
        most = self._settings.cache_games
        return self._bytes_held > self._settings.cache_memory or (most != "off" and len(self._cached) > most)

    def _drop(self, cached: CachedGame) -> None:
        del self._cached[cached.id]
        self._bytes_held -= cached.weight
        cached.weight = 0
        if cached.board:
            games, size = self._played_on.pop(cached.board)
            if games > 1:
                self._played_on[cached.board] = games - 1, size
            else:
                self._bytes_held -= size
            cached.board = ""

    async def _load(self, cached: CachedGame) -> None:
        try:
            with span("load"):
                loaded = await self._snapshots.find(cached.id, self._resumed)
                game, stored = loaded or await self._folded(cached.id)
        except BaseException:
            if self._cached.get(cached.id) is cached:
                self._drop(cached)
            raise
        cached.game, cached.vault, cached.secret = game, Vault(stored.secrets), stored.chance
        cached.past, cached.recent, cached.weighed = {}, stored.records[-RECENT:], 0
        self._count(cached)
        if loaded is None:
            self._snapshots.take_if_due(0, game, stored.chance)

    async def _folded(self, game_id: GameId) -> tuple[Game, Stored]:
        """Return a game folded from its whole log, and the log."""
        stored = await self._store.load(game_id)
        if stored is None:
            raise UnknownGame(f"There is no game {game_id!r}.")
        records = stored.records
        _require_whole(game_id, records)
        if len(records) < max(stored.head, 1):
            raise GameDamaged(f"game {game_id} is damaged in the store from version {len(records) + 1} on")
        try:
            created = read_created(records[0])
            past = await self._parent(created) if isinstance(created, GameForked) else None
            board = await self._board(created.board_key, created.ruleset, created.ruleset_version)
            game = fold(records, game_id, self._library, lambda _: board, past)
            game.chance(stored.chance)
        except (DocumentError, LookupError, ValueError) as error:
            raise GameDamaged(f"game {game_id} cannot be read from the store: {error}") from error
        return game, stored

    async def _parent(self, event: GameForked) -> Game:
        """Return the parent of a fork at the version at which it began. Raises `LookupError`."""
        first = await self._store.read(event.parent, 0, 1)
        parent = read_created(first[0]) if first else None
        depth = parent.depth if isinstance(parent, GameForked) else 0
        if parent is None or depth != event.depth - 1:  # loading forged forks that form a circle would deadlock
            raise LookupError(f"its parent {event.parent} is missing or damaged")
        return await self.at(event.parent, event.version)

    async def _resumed(self, snapshot: Snapshot) -> tuple[Game, Stored]:
        """Return a game from a snapshot, and the stored records after it. Raises `SnapshotError`."""
        stored = await self._store.load(snapshot.game, snapshot.version - 1)
        if stored is None:
            raise SnapshotError("there is no such game")
        try:
            board = await self._board(board_of(snapshot), snapshot.ruleset, snapshot.ruleset_version)
            return resumed(snapshot, stored, self._library, lambda _: board), stored
        except (DocumentError, LookupError) as error:
            raise SnapshotError(str(error)) from error

    async def _board(self, key: str, ruleset: str, version: int) -> Board:
        board = self._boards.get(key)
        if board is None:
            file = await self._store.board(key)
            if file is None:
                raise LookupError(f"its board {key} is missing")
            board = unpacked(file, self._library.at(ruleset, version).documents)
            if key_of(board) != key:
                raise LookupError(f"its board {key} is damaged")
        self.know(key, board)
        return board

    # --- the past ---

    async def _earlier(self, cached: CachedGame, version: Version) -> Game:
        """Return the game at an earlier version: the nearest position kept before it, with the events since.

        Positions are kept every `checkpoint_every` events as they are passed, so that only the first look at a long
        game takes longer.
        """
        if version in cached.past:
            return cached.past[version]
        every = self._settings.checkpoint_every
        versions = sorted(cached.past)
        nearest = bisect.bisect(versions, version)
        start = versions[nearest - 1] if nearest else 0
        game = cached.past[start] if nearest else None
        while start < version:
            stop = min((start // every + 1) * every, version)
            game = await self._onward(cached, game, start, stop)
            if stop % every == 0:
                cached.past[stop] = game
            start = stop
        self._count(cached)
        assert game is not None
        return game

    async def _onward(self, cached: CachedGame, base: Game | None, start: Version, stop: Version) -> Game:
        """Return the game at version `stop`, from the position `base` at version `start`; None for the beginning."""
        previous = base.head if base is not None else None
        records = await self._past.read(cached.id, start, stop)
        if first_broken(cached.id, records, start, previous) is not None:
            # Perhaps only the copy that `past` reads is damaged.
            records = await self._store.read(cached.id, start, stop - start)
            _require_whole(cached.id, records, start, previous)
        if base is None:
            return fold(records, cached.id, self._library, lambda _: cached.now.board, cached.now.past)
        for index in reversed(range(len(records))):
            to = retraction(records[index])
            if to is not None and to < start:
                before = await self._onward(cached, base, start, start + index) if index else base
                return later(await self._earlier(cached, to), records[index:], before)
        return later(base, records)


def _require_whole(game: GameId, records: Sequence[Record], after: Version = 0, previous: bytes | None = None) -> None:
    """Raise `GameDamaged` unless records continue the chain of a game: from its beginning, or after a version on."""
    broken = first_broken(game, records, after, previous)
    if broken is not None:
        raise GameDamaged(f"game {game} is damaged in the store from version {broken} on")
