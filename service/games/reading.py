"""Reading games: the present state, earlier versions, and what viewers may see."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log.game import Game
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.request import read_commands, sent_commands
from domain.kernel.proof.export import Past
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library
from projections.lobby import GameRow
from service.accounts.caller import Caller
from service.base.clock import Clock, stamp
from service.games.cache import GameCache, Sized
from service.games.requests import Done
from service.games.views import EventView, F, Passage, Viewer, event_view, viewer_of, withholds_forks
from service.store.protocol import Added, EventStore, KeyReused, KeyUse

WAITED: Final = 20_000
"""How many games' active players stay in memory, so that a list need not load the games again."""

M = TypeVar("M", bound=Sized)


class GameReader:
    """Reads the games of a store. Every method may raise `StoreError`."""

    def __init__(self, store: EventStore, library: Library, clock: Clock, cache: GameCache) -> None:
        self.store = store
        self.library = library
        self._clock = clock
        self._cache = cache
        self._waiting_players: dict[GameId, tuple[Version, frozenset[PlayerId]]] = {}

    def time(self) -> str:
        """Return the time, as the log writes it."""
        return stamp(self._clock)

    async def game(self, game_id: GameId, at_least: Version | None = None) -> Game:
        """Return the present game, with everything that any process has acknowledged. Raises `UnknownGame`.

        If the cached game has reached `at_least`, return it without asking the store.
        """
        return (await self._cache.current(game_id, at_least)).now

    async def at(self, game_id: GameId, version: Version) -> Game:
        """Return a game at `version`. Raises `UnknownGame` or `UnknownVersion`."""
        return await self._cache.at(game_id, version)

    async def arrive(self, game_id: GameId, version: Version) -> None:
        """Wait until a game has reached a version that the caller has seen in the log, if this process stores it."""
        await self._cache.arrive(game_id, version)

    async def vault(self, game_id: GameId) -> Vault:
        """Return all secrets of a game, at least to the version of the cached game. Raises `UnknownGame`."""
        return (await self._cache.of(game_id)).vault

    async def records(self, game_id: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return at most `limit` records after version `after`, up to the cached game at least.

        Raises `UnknownGame`.
        """
        return await self._cache.records(game_id, after, limit)

    async def history(self, game_id: GameId) -> list[Record]:
        """Return the whole log of a game. Raises `UnknownGame`."""
        return await self._cache.history(await self._cache.of(game_id))

    async def pasts(self, game: Game, caller: Caller | None) -> list[Past]:
        """Return the ancestors of a fork, the oldest first, as a caller may export them."""
        pasts: list[Past] = []
        while (event := game.forked) is not None:
            now, game = await self.game(event.parent), await self.at(event.parent, event.version)
            cached, viewer = await self._cache.of(event.parent), viewer_of(now, caller)
            vault = cached.vault if viewer.everything else cached.vault.read_by(viewer.seat)
            records = (await self.records(event.parent, limit=event.version))[: event.version]
            pasts.insert(0, Past(game, records, vault, cached.secret if now.status == "over" else None))
        return pasts

    async def refusal(self, game_id: GameId, version: Version, seat: Seat, command: bytes) -> Refusal | None:
        """Decide a command of a seat at an earlier version, and return the refusal; None when it would be accepted.

        Whatever it would roll or reveal stays unknown. Raises `UnknownVersion`, or `Refusal` when it cannot be read.
        """
        game, cached = await self.at(game_id, version), await self._cache.of(game_id)
        read_commands(game.ruleset, [command])
        chance, cause = game.chance(cached.secret), Cause(game.players.get(seat))
        try:
            commands = sent_commands(game.ruleset, [command])
            game.command(seat, commands, chance, cached.vault, cause, stamp(self._clock), tentative=True)
        except Refusal as refusal:
            return refusal
        return None

    # --- what a request did ---

    async def first_answer(self, game: GameId, use: KeyUse | None) -> Done | None:
        """Return the outcome of an earlier request with this key; None when there was none.

        Raises `KeyReused` when the key was used for another request.
        """
        first_use = await self.store.use_of_key(game, use.account, use.key) if use is not None else None
        if use is None or first_use is None:
            return None
        if first_use.fingerprint != use.fingerprint:
            raise KeyReused
        return await self.done_before(game, first_use.added)

    async def done_before(self, game_id: GameId, added: Added) -> Done:
        """Return the outcome of an earlier request from the log; `added` says where its events are."""
        state = await self.at(game_id, added.version)
        records = await self.records(game_id, added.after, added.version - added.after)
        vault, present = await self.vault(game_id), await self.game(game_id, added.version)
        return Done(state, added.after, records, vault, repeated=True, present=present)

    # --- who is shown what ---

    async def withheld(self, game_id: GameId, caller: Caller | None) -> Game | None:
        """Return the game because of which a fork is hidden from a caller (TAB-FORK-02); None when nothing is hidden.

        Until that game is over, only its officials are shown the fork, with a token that has the scope `judge`.
        """
        until = await self._cache.withheld(game_id)
        game = await self.game(until) if until is not None else None
        return game if game is not None and withholds_forks(game, caller) else None

    async def is_private(self, game_id: GameId) -> bool:
        """Tell whether only accounts that take part in a game may read it (TAB-READ-01)."""
        return await self._cache.is_private(game_id)

    async def lets_in(self, game_id: GameId, caller: Caller | None) -> bool:
        """Tell whether a caller may read a game: everybody, unless it is private (TAB-READ-01)."""
        if not await self._cache.is_private(game_id):
            return True
        if caller is None:
            return False
        joined = self.store.joinings.joined_with  # an account reads what those joined with it could (TAB-JOIN-05)
        return await self._lets_in(game_id, [caller.player]) or await self._lets_in(
            game_id, await joined(caller.player)
        )

    async def _lets_in(self, game_id: GameId, players: Sequence[PlayerId]) -> bool:
        while players:
            game = await self.game(game_id)
            if any(map(game.lets_in, players)):
                return True
            if game.forked is None:
                break
            game_id = game.forked.parent
        return False

    async def is_shown(self, game_id: GameId, caller: Caller | None) -> bool:
        """Tell whether a caller may see a game: it is neither private nor withheld from them."""
        return await self.lets_in(game_id, caller) and await self.withheld(game_id, caller) is None

    async def events(self, game: Game, viewer: Viewer, after: Version = 0, limit: int | None = None) -> list[EventView]:
        """Return the events of a game after version `after`, as `viewer` may see them. Raises `UnknownGame`.

        They end with the version of `game`. The viewer may not see later events, even if the store returns them: a seat
        may have changed hands.
        """
        records = await self.records(game.id, after, limit)
        vault = await self.vault(game.id)
        return [event_view(game.ruleset.id, each, vault, viewer) for each in records if each.version <= game.version]

    async def cached_view(self, game: Game, viewer: Viewer, show: Callable[[Vault], M]) -> M:
        """Return the result of `show` for a game, its vault and `viewer`. It is cached until the game moves on."""
        cached = await self._cache.of(game.id)
        if cached.game is not game:
            return show(cached.vault)
        key = (viewer.seat, viewer.everything)
        view = cached.current_views().get(key)
        if view is None:
            view = show(cached.vault)
            self._cache.show(cached, key, view)
        return view

    async def passage(
        self, game: Game, viewer: Viewer, after: Version, limit: int, frame: Callable[[list[EventView]], F]
    ) -> Passage[F]:
        """Return the events after version `after` as frames; there must be some.

        The frames are cached until the game moves on, for all viewers who may see the same. Clients that wait for
        events have all seen the same version.
        """
        cached = await self._cache.of(game.id)
        key = (frame, viewer.seat, viewer.everything)
        passage = cached.current_views().get(key) if cached.game is game else None
        if passage is None or passage.after != after:
            events = await self.events(game, viewer, after, limit)
            passage = Passage(after, events[-1].version, tuple(event.at for event in events), frame(events))
            if cached.game is game:
                self._cache.show(cached, key, passage)
        return passage

    async def waits_for(self, row: GameRow) -> frozenset[PlayerId]:
        """Return the active players of a game, given its row in the lobby. Raises `StoreError`."""
        if row.status != "running" or (row.fork is not None and row.fork.purpose == "analysis"):
            return frozenset()
        version, players = self._waiting_players.get(row.game, (0, frozenset[PlayerId]()))
        if version < row.version:
            game = await self.game(row.game, row.version)
            seats = {seat for decision in game.decisions for seat in decision.seats}
            players = frozenset(holder for seat in seats if (holder := game.players[seat]) is not None)
            if len(self._waiting_players) >= WAITED:
                self._waiting_players.clear()
            self._waiting_players[row.game] = game.version, players
        return players
