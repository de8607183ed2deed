"""The games of a store: acting in them and opening new ones. Reading them is in `reading.py`."""

import contextlib
import hashlib
import itertools
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct

from domain.boards import builtin
from domain.kernel.chance.draws import SECRET_BYTES, CommittedChance
from domain.kernel.ids import GameId, PlayerId, Version, book_of
from domain.kernel.log.game import Decided, Game
from domain.kernel.rules.board import Board
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from service.base.clock import Clock
from service.base.ids import ID_BYTES, new_id
from service.base.settings import Settings
from service.cluster.wake import Wake
from service.games.acts import Act, Case
from service.games.appending import Appender
from service.games.cache import CachedGame, GameCache
from service.games.commands import CommandHandler, followed
from service.games.in_flight import InFlight
from service.games.reading import GameReader
from service.games.requests import Done, Request, hashed_key, request_of
from service.games.snapshots import Snapshots
from service.games.watch import Watch
from service.observe.metrics import Metrics
from service.store.accounts import LimitReached
from service.store.past import Past
from service.store.protocol import Append, Appended, Conflict, EventStore, Opening, StoreUnavailable, Within


class Room(Struct, frozen=True):
    """How many games of a kind there may be, and the refusal of one more."""

    within: Within
    full: Refusal


class Games(GameReader):
    """All games of a store, as they are played.

    Requests to one game queue; different games run side by side. A request that was accepted is stored before it is
    answered. When it is repeated with its idempotency key, it gets the first answer, made again from the log, whatever
    has happened since. Every method may raise `StoreError`.
    """

    def __init__(
        self,
        store: EventStore,
        library: Library,
        wake: Wake,
        clock: Clock,
        settings: Settings,
        randomness: Callable[[int], bytes] = secrets.token_bytes,
        boards: Callable[[str], Board] = builtin,
        refused: Callable[[str, str], None] = lambda ruleset, rule: None,
        metrics: Metrics | None = None,
        snapshots: Snapshots | None = None,
        past: Past | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`randomness` returns random bytes, for new ids and the secrets of chance; `boards` finds built-in boards.

        `refused` gets the ruleset and the rule of every refusal; it has to be quick. `watch` knows when no process
        watched the clocks of games; without it, no act credits an outage.
        """
        metrics = metrics or Metrics()
        cache = GameCache(store, library, settings, metrics, snapshots or Snapshots([], metrics), past)
        super().__init__(store, library, clock, cache)
        wake.tell(cache.hear)
        self.boards = boards
        self._randomness = randomness
        self.refused = refused
        self._appender = Appender(store, self, cache, wake, metrics)
        self._handler = CommandHandler(library, self, cache, self._appender, refused, watch)
        self._in_flight = InFlight(metrics)

    # --- acting ---

    async def act(
        self,
        game_id: GameId,
        player: PlayerId,
        act: Act,
        *,
        expected: Collection[Version] | None = None,
        key: str | None = None,
        within: Within | None = None,
    ) -> Done:
        """Let an account do something to a game.

        Raises:
            LimitReached: there would be more of something than `within` allows.
            UnknownGame: there is no such game.
            NotSeated, NotOrganizer, TooManyBots: the account may not do this.
            StaleVersion: the game stands at none of the versions `expected`.
            Refusal: the act breaks a rule.
            KeyReused: the key came with another request before.
        """
        request = request_of(player, self._clock, key, act.content if key else [])
        return await self._in_flight.finish(act.kind, self._handler.handle(game_id, request, act, expected, within))

    async def by_clock(self, game_id: GameId, act: Act) -> Done:
        """Let the clock do something in a game. Raises what `act` raises."""
        work = self._handler.handle(game_id, Request(None, self.time()), act, None, None)
        # The service does only what was due when it looked. If that is refused, somebody was quicker.
        return await self._in_flight.finish(act.kind, work, refused="conflict")

    async def try_out(
        self, game_id: GameId, player: PlayerId, act: Act, *, expected: Collection[Version] | None = None
    ) -> tuple[Game, Decided]:
        """Return a game, and the outcome of an act without storing it. Raises what `act` raises."""
        cached = await self._cache.current(game_id)
        return cached.now, await self._handler.decide(cached, request_of(player, self._clock), act, expected)

    async def together(
        self,
        game_id: GameId,
        player: PlayerId,
        decide: Callable[[Case], Awaitable[tuple[Append, Decided | None]]],
    ) -> Appended:
        """Append to another stream and, in the same transaction, what that changes in a game.

        `decide` gets the game as it stands. It returns what to append to the other stream, and what that changes in
        the game, if anything. Both are stored or neither. Returns the outcome for the other stream.

        Raises:
            UnknownGame: there is no such game.
            Conflict: the game or the other stream has gone on.
            KeyReused, and what `decide` raises.
        """
        request = request_of(player, self._clock)

        async def work() -> Appended:
            async with self._cache.locked(game_id) as cached:
                if await self._cache.head(cached) > cached.now.version:
                    await self._cache.catch_up(cached)
                with contextlib.suppress(Conflict):  # in this game: then storing what follows fails as well
                    await self._handler.credit(cached, request)
                first, decided = await decide(self._handler.case(cached, request))
                if decided is not None:
                    decided = followed(cached, decided)
                return await self._appender.append_with(first, cached, decided)

        return await self._in_flight.finish("rule", work())

    # --- opening new games ---

    async def open(
        self,
        kind: str,
        player: PlayerId,
        content: Sequence[Any],
        opening: Opening,
        begin: Callable[[GameId, Request], Awaitable[Decided]],
        *,
        key: str | None = None,
        room: Room | None = None,
        beside: GameId | None = None,
        as_: GameId | None = None,
    ) -> Done:
        """Open a new game: with the id `as_`, or a new one, in the book of the game `beside` if that is given.

        `begin` decides its first events. The key belongs to `content`. Raises `KeyReused`, the refusal of a `room` that
        is full, and what `begin` raises; and `Conflict` when there is a game with the id `as_`.
        """
        within = room.within if room is not None else None

        async def work() -> Done:
            # Releases before books gave a fork the first id that follows from its key, in any book.
            if key is not None and beside is not None and (first := await self.opened_before(player, content, key)):
                return first
            for game_id in (as_,) if as_ is not None else self._new_ids(player, key, beside):
                request = request_of(player, self._clock, key, content)
                decided = await begin(game_id, request)
                new = CachedGame(game_id, secret=opening.chance)
                try:
                    return await self._appender.append(new, request, decided, opening, within)
                except Conflict:
                    if as_ is not None:
                        raise
                    continue  # a game opened with this key before, which has expired since
                except LimitReached:
                    if room is None:
                        raise
                    self.refused(opening.ruleset, room.full.rule)
                    raise room.full from None
            raise StoreUnavailable("no id for a new game was found; try again")

        return await self._in_flight.finish(kind, work())

    async def opened_before(
        self, player: PlayerId, content: Sequence[Any], key: str | None, beside: GameId | None = None
    ) -> Done | None:
        """Return the outcome of an earlier request to open a game with this key; None when there was none."""
        use = request_of(player, self._clock, key, content).use
        return await self.first_answer(next(self._new_ids(player, key, beside)), use)

    def first_id(self, player: PlayerId, key: str) -> GameId:
        """Return the id of the game that a key opens, unless the key was used before and has expired."""
        return next(self._new_ids(player, key))

    def _new_ids(self, player: PlayerId, key: str | None, beside: GameId | None = None) -> Iterator[GameId]:
        """Yield ids for a new game, to be tried in turn: only ids in the book of the game `beside`, if that is given.

        They follow from the key. So a repeated request finds the first game, and no other table of keys is needed. When
        a key that has expired is used again, its first id is taken, and the next one is tried.
        """
        hashed = hashed_key(player, key) if key is not None else None
        for number in itertools.count():
            if hashed is None:
                seed = self._randomness(ID_BYTES)
            else:
                seed = hashlib.sha256((f"{hashed}/{number}" if number else hashed).encode()).digest()[:ID_BYTES]
            game = GameId(new_id("g", seed))
            if beside is None or book_of(game) == book_of(beside):
                yield game

    def new_secret(self) -> bytes:
        """Return a secret for the chance of a new game."""
        return self._randomness(SECRET_BYTES)

    def fresh_chance(self, game: Game) -> CommittedChance:
        """Return chance for trials. It reveals nothing of the game's own chance."""
        return CommittedChance(self.new_secret(), game.id, {})

    def keep_board(self, key: str, board: Board) -> None:
        """Keep a board in memory, for the next games on it."""
        self._cache.know(key, board)

    async def close(self) -> None:
        """Wait for the requests in flight."""
        await self._in_flight.close()
