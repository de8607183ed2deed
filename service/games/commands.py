"""The games that are being played: looking at them, and what accounts do to them, one act to each at a time."""

import asyncio
import hashlib
import itertools
import secrets
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any, Final, TypeVar

from domain.boards import builtin, parse_board, validate
from domain.kernel.canonical import canonical
from domain.kernel.chance.draws import SECRET_BYTES, CommittedChance, commitment_to
from domain.kernel.chance.secret import Vault
from domain.kernel.ids import GameId, PlayerId, Seat, Version
from domain.kernel.log import answering, forking
from domain.kernel.log.game import Decided, Game
from domain.kernel.log.lifecycle import Forking, Purpose, Readers, Sight
from domain.kernel.log.record import Cause, Record
from domain.kernel.log.request import read_commands, sent_commands
from domain.kernel.proof.export import Past
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import key_of, packed
from domain.kernel.rules.refusal import Refusal
from domain.kernel.rules.ruleset import Library, Ruleset
from projections.lobby import ForkOf, GameRow
from service.accounts.caller import Caller
from service.base.clock import Clock, stamp
from service.base.ids import ID_BYTES, new_id
from service.base.settings import Settings
from service.cluster.wake import Wake
from service.games.acts import Act, Case, NotOrganizer, NotSeated, TooManyBots, require_organizer
from service.games.cache import CachedGame, GameCache, Made, UnknownGame
from service.games.requests import Asked, Done, StaleVersion, UnknownPlayer, UnknownRuleset
from service.games.snapshots import Snapshots
from service.games.views import EventView, F, Passage, Viewer, event_view, viewer_of, withholds_forks
from service.observe.logging import log
from service.observe.metrics import Metrics, Outcome
from service.observe.tracing import span
from service.store.accounts import LimitReached
from service.store.protocol import (
    Added,
    Append,
    Appended,
    Conflict,
    EventStore,
    KeyReused,
    KeyUse,
    Opening,
    StoreUnavailable,
    Within,
)

ATTEMPTS: Final = 5
"""How often a request is decided again after another process was quicker."""


MOST_ANALYSES: Final = 50
"""How many open forks for analysis an account may have."""

MOST_CONTINUATIONS: Final = 10
"""How many forks may be there to continue a game."""

WAITED: Final = 20_000
"""Of how many games it is remembered whom they wait for, so that a list of them need not load them again."""


T = TypeVar("T")
M = TypeVar("M", bound=Made)
R = TypeVar("R", Done, Appended)


class Games:
    """All games of a store, as they are played.

    Requests to one game queue; different games run side by side. A request that was accepted is stored before it is
    answered. With an idempotency key, a repetition of an accepted request gets the first answer, whatever has
    happened since: it is made again of the log. Every method may raise `StoreError`.
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
    ) -> None:
        """`randomness` returns random bytes, for new ids and the secrets of chance; `boards` finds a ruleset's own.

        `refused` is told the ruleset and the rule whenever a request to a game is refused; it has to be quick.
        """
        self._metrics = metrics or Metrics()
        self._store = store
        self._library = library
        self._wake = wake
        self._clock = clock
        self._randomness = randomness
        self._own_board = boards
        self._refused = refused
        self._cache = GameCache(store, library, settings, self._metrics, snapshots or Snapshots([], self._metrics))
        self._wake.tell(self._cache.hear)
        self._waited: dict[GameId, tuple[Version, frozenset[PlayerId]]] = {}
        self._running: set[asyncio.Task[Any]] = set()

    # --- looking ---

    async def game(self, game_id: GameId, at_least: Version | None = None) -> Game:
        """Return a game as it stands: with all that any process acknowledged before. Raises `UnknownGame`.

        If the cached game has reached `at_least`, return it without asking the store.
        """
        return (await self._cache.current(game_id, at_least)).now

    async def withheld(self, game_id: GameId, caller: Caller | None) -> Game | None:
        """Return the game for whose sake a fork is not shown to a caller (TAB-FORK-02); None when a game is shown.

        Until that game is over, only its officials are shown the fork, with a token that is good for judging.
        """
        until = await self._cache.withheld(game_id)
        game = await self.game(until) if until is not None else None
        return game if game is not None and withholds_forks(game, caller) else None

    async def is_private(self, game_id: GameId) -> bool:
        """Tell whether only those read a game who take part in it (TAB-READ-01)."""
        return await self._cache.is_private(game_id)

    async def lets_in(self, game_id: GameId, caller: Caller | None) -> bool:
        """Tell whether a caller may read a game: everybody, unless it is private (TAB-READ-01)."""
        if not await self._cache.is_private(game_id):
            return True
        while caller is not None:
            game = await self.game(game_id)
            if game.lets_in(caller.player):
                return True
            if game.forked is None:
                break
            game_id = game.forked.parent
        return False

    async def is_shown(self, game_id: GameId, caller: Caller | None) -> bool:
        """Tell whether a game is shown to a caller, neither private nor withheld from them."""
        return await self.lets_in(game_id, caller) and await self.withheld(game_id, caller) is None

    async def at(self, game_id: GameId, version: Version) -> Game:
        """Return a game as it stood at `version`. Raises `UnknownGame` or `UnknownVersion`."""
        return await self._cache.at(game_id, version)

    async def vault(self, game_id: GameId) -> Vault:
        """Return all secrets of a game, up to the last look at it at least. Raises `UnknownGame`."""
        return (await self._cache.of(game_id)).vault

    async def records(self, game_id: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        """Return the records that follow version `after`, up to the last look at it at least. Raises `UnknownGame`."""
        return await self._cache.records(game_id, after, limit)

    async def events(self, game: Game, viewer: Viewer, after: Version = 0, limit: int | None = None) -> list[EventView]:
        """Return the events of a game that follow version `after`, as `viewer` may see them. Raises `UnknownGame`.

        They go as far as `game`. Whoever sees it so may not see what was added since, which the store may give along: a
        seat may have changed hands.
        """
        records = await self.records(game.id, after, limit)
        vault = await self.vault(game.id)
        return [event_view(game.ruleset.id, each, vault, viewer) for each in records if each.version <= game.version]

    async def shown(self, game: Game, viewer: Viewer, show: Callable[[Vault], M]) -> M:
        """Return what `show` makes of a game and its vault for `viewer`: made once as long as the game stands there."""
        cached = await self._cache.of(game.id)
        if cached.game is not game:
            return show(cached.vault)
        eyes = (viewer.seat, viewer.everything)
        made = cached.shown_now().get(eyes)
        if made is None:
            made = show(cached.vault)
            self._cache.show(cached, eyes, made)
        return made

    async def passage(
        self, game: Game, viewer: Viewer, after: Version, limit: int, frame: Callable[[list[EventView]], F]
    ) -> Passage[F]:
        """Return the events that follow version `after`, of which there must be some, as `frame` makes them.

        They are made once for all who are shown the same of them, as long as the game stands there: everybody who waits
        for the next events has seen those up to the same version.
        """
        cached = await self._cache.of(game.id)
        key = (frame, viewer.seat, viewer.everything)
        made = cached.shown_now().get(key) if cached.game is game else None
        if made is None or made.after != after:
            events = await self.events(game, viewer, after, limit)
            made = Passage(after, events[-1].version, tuple(event.at for event in events), frame(events))
            if cached.game is game:
                self._cache.show(cached, key, made)
        return made

    async def waits_for(self, row: GameRow) -> frozenset[PlayerId]:
        """Return the players whom a game of the index waits for. Raises `StoreError`."""
        if row.status != "running" or (row.fork is not None and row.fork.purpose == "analysis"):
            return frozenset()
        version, known = self._waited.get(row.game, (0, frozenset[PlayerId]()))
        if version < row.version:
            game = await self.game(row.game, row.version)
            seats = {seat for decision in game.decisions for seat in decision.seats}
            known = frozenset(holder for seat in seats if (holder := game.players[seat]) is not None)
            if len(self._waited) >= WAITED:
                self._waited.clear()
            self._waited[row.game] = game.version, known
        return known

    # --- creating ---

    async def create(
        self,
        player: PlayerId,
        ruleset_id: str,
        players: int,
        setup: Mapping[str, Any] | None = None,
        *,
        board: bytes | None = None,
        documents: Mapping[str, bytes] | None = None,
        organizer: PlayerId | None = None,
        organizer_sees: Sight = "spectator",
        forks: Forking = "players",
        readers: Readers = "everybody",
        title: str = "",
        listed: bool = True,
        key: str | None = None,
    ) -> Done:
        """Open a new game; its summary at the time is that of ``at(accepted.game, accepted.version)``.

        Args:
            board: a board file to play on, instead of the ruleset's own.
            documents: documents to play with, by name, instead of the ruleset's own.
            organizer: who organizes the game, when that is not `player`.
            organizer_sees: what they see of it while it runs and they hold no seat.
            forks: who may fork it while it runs.
            readers: who may read it. No list shows others a game that not everybody may read.
            listed: whether lists show the game to everybody.

        Raises:
            UnknownRuleset, UnknownPlayer: there is none.
            BoardError: the board is not valid.
            DocumentError: a document is not valid, or the board lacks what it needs.
            msgspec.ValidationError: the ruleset does not know this setup.
            ValueError: the ruleset cannot be played on this board.
            Refusal: not for so many players.
            KeyReused: the key came with another request before.
        """
        ruleset = self._ruleset(ruleset_id)
        if organizer is not None and await self._store.accounts.player(organizer) is None:
            raise UnknownPlayer(f"There is no account {organizer!r}.")
        plain = self._own_board(ruleset.board) if board is None else _read_board(board)
        own = ruleset.equip(plain, documents)
        digest = key_of(own)
        content = ["create", ruleset_id, players, dict(setup or {}), digest, organizer, title]
        if organizer_sees != "spectator":
            content.append(organizer_sees)  # else it is the content of a key of before there was a choice
        if forks != "players":
            content.append({"forks": forks})
        if readers != "everybody":
            content.append({"readers": readers})
        if not listed:
            content.append("unlisted")
        secret = self._randomness(SECRET_BYTES)
        opening = Opening(
            ruleset=ruleset.id,
            ruleset_version=ruleset.version,
            title=title,
            organizer=organizer or player,
            chance=secret,
            board=digest,
            board_file=packed(own),
            private=readers == "invited",
        )

        async def work() -> Done:
            for game in self._new_ids(player, key):
                asked = self._asked(player, key, content)
                decided = Game.create(
                    ruleset,
                    game,
                    players,
                    setup=setup or {},
                    board=own,
                    organizer=organizer or player,
                    organizer_sees=organizer_sees,
                    forks=forks,
                    readers=readers,
                    commitment=commitment_to(secret),
                    cause=asked.cause,
                    at=asked.at,
                )
                if not listed and not opening.private:
                    await self._store.list_game(game, False)
                try:
                    return await self._append(CachedGame(game, secret=secret), asked, decided, opening)
                except Conflict:
                    continue  # made under this key before, which has ended since
            raise StoreUnavailable("no id for a new game was found; try again")

        done = await self._finish("create", work())
        self._cache.know(digest, own)
        return done

    async def fork(
        self,
        player: PlayerId,
        parent: GameId,
        version: Version,
        purpose: Purpose,
        title: str = "",
        *,
        judges: bool = True,
        key: str | None = None,
    ) -> Done:
        """Begin a fork of a game at an earlier version.

        `judges` tells whether the account asks with a token that is good for judging.

        Raises:
            UnknownGame, UnknownVersion: there is none.
            Refusal: the account may not fork this now, or no fork begins there.
            KeyReused: the key came with another request before.
        """
        now, earlier = await self.game(parent), await self.at(parent, version)
        cached = await self._cache.of(parent)
        history, vault = await self._cache.history(cached), cached.vault
        content = ["fork", parent, version, purpose, title]
        try:
            forking.require_forkable(now, earlier, purpose, player, history, vault, judges=judges)
            hidden = forking.hidden(earlier, vault)
            withheld = forking.withheld(now, earlier, hidden)
        except Refusal as refusal:  # of a repetition more often than not: the game has moved on
            use = self._asked(player, key, content).use
            if first := await self._first_answer(next(self._new_ids(player, key)), use):
                return first
            self._refused(now.ruleset.id, refusal.rule)
            raise
        secret = self._randomness(SECRET_BYTES)
        opening = Opening(
            ruleset=earlier.ruleset.id,
            ruleset_version=earlier.ruleset.version,
            title=title,
            organizer=player if purpose == "analysis" else earlier.organizer,
            chance=secret,
            board=key_of(earlier.board),
            board_file=packed(earlier.board),
            fork=ForkOf(parent, version, purpose, withheld),
            private=earlier.is_private,
        )
        within, full = _room_for(purpose, player, parent)

        async def work() -> Done:
            for game in self._new_ids(player, key):
                asked = self._asked(player, key, content)
                at = max(asked.at, history[-1].at)
                commitment = commitment_to(secret)
                decided = forking.fork(earlier, game, purpose, commitment, asked.cause, at, hidden, withheld=withheld)
                try:
                    return await self._append(CachedGame(game, secret=secret), asked, decided, opening, within)
                except Conflict:
                    continue  # made under this key before, which has ended since
                except LimitReached:
                    self._refused(now.ruleset.id, full.rule)
                    raise full from None
            raise StoreUnavailable("no id for a new game was found; try again")

        return await self._finish("fork", work())

    async def pasts(self, game: Game, caller: Caller | None) -> list[Past]:
        """Return the games that a fork goes back to, the oldest first, as its export has them for a caller."""
        pasts: list[Past] = []
        while (event := game.forked) is not None:
            now, game = await self.game(event.parent), await self.at(event.parent, event.version)
            cached, viewer = await self._cache.of(event.parent), viewer_of(now, caller)
            vault = cached.vault if viewer.everything else cached.vault.read_by(viewer.seat)
            records = (await self.records(event.parent, limit=event.version))[: event.version]
            pasts.insert(0, Past(game, records, vault, cached.secret if now.status == "over" else None))
        return pasts

    def _new_ids(self, player: PlayerId, key: str | None) -> Iterator[GameId]:
        """Yield ids for a new game, to be tried in turn.

        They follow from the key: so a repetition meets the first game, and no other table of keys is needed. Whoever
        uses a key again after its end gets the next of them.
        """
        if key is None:
            yield GameId(new_id("g", self._randomness(ID_BYTES)))
            return
        hashed = hashed_key(player, key)
        for number in itertools.count():
            seed = hashlib.sha256((f"{hashed}/{number}" if number else hashed).encode()).digest()
            yield GameId(new_id("g", seed[:ID_BYTES]))

    def _ruleset(self, ruleset_id: str) -> Ruleset[Any]:
        try:
            return self._library.current(ruleset_id)
        except LookupError as error:
            raise UnknownRuleset(str(error)) from None

    async def retitle(self, game_id: GameId, player: PlayerId, title: str) -> None:
        """Give a game another title, as its organizer. Raises `UnknownGame` or `NotOrganizer`."""
        require_organizer(await self.game(game_id), player)
        await self._store.retitle(game_id, title)

    async def list_game(self, game_id: GameId, player: PlayerId, listed: bool) -> None:
        """List a game for everybody or not, as its organizer. Raises `UnknownGame`, `NotOrganizer` or `Refusal`."""
        game = await self.game(game_id)
        require_organizer(game, player)
        if game.is_private and listed:
            asked = f"You asked to list {game_id}, which is private."
            raise Refusal("TAB-READ-01", asked, "A private game stays private.")
        await self._store.list_game(game_id, listed)

    # --- acting: load, decide, append, answer ---

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
            LimitReached: there would be more of something than `within` says.
            UnknownGame: there is none.
            NotSeated, NotOrganizer, TooManyBots: the account may not do this.
            StaleVersion: the game stands at none of the versions `expected`.
            Refusal: it breaks a rule.
            KeyReused: the key came with another request before.
        """
        asked = self._asked(player, key, act.content if key else [])
        return await self._finish(act.kind, self._act(game_id, asked, act, expected, within))

    async def _act(
        self, game_id: GameId, asked: Asked, act: Act, expected: Collection[Version] | None, within: Within | None
    ) -> Done:
        async with self._cache.held(game_id) as cached:
            if cached.heard > cached.now.version:  # or it would be decided twice, and appended in vain
                await self._cache.catch_up(cached)
            for _ in range(ATTEMPTS):
                try:
                    with span("decide"):
                        decided = _answered(cached, await self._decide(cached, asked, act, expected))
                    return await self._append(cached, asked, decided, within=within)
                except Conflict:
                    await self._cache.catch_up(cached)
                except (Refusal, NotSeated, NotOrganizer, TooManyBots, StaleVersion) as error:
                    if await self._cache.head(cached) > cached.now.version:
                        await self._cache.catch_up(cached)
                        continue
                    # A repetition of what was accepted is refused more often than not: the game has moved on.
                    if first := await self._first_answer(game_id, asked.use):
                        return first
                    if isinstance(error, Refusal):
                        self._refused(cached.now.ruleset.id, error.rule)
                    raise
        raise StoreUnavailable(f"{game_id} changed {ATTEMPTS} times while the service decided this; try again")

    async def _decide(
        self, cached: CachedGame, asked: Asked, act: Act, expected: Collection[Version] | None
    ) -> Decided:
        """Return what an act comes to. Raises as `act` does."""
        game = cached.now
        if expected is not None and game.version not in expected:
            raise StaleVersion(expected, game.version)
        return await act.decide(self._case(cached, asked))

    def _case(self, cached: CachedGame, asked: Asked) -> Case:
        """Return what an act is decided on."""
        # Clocks of several processes differ, and any may be set back: a log's times never run backwards.
        at = max(asked.at, cached.recent[-1].at)
        log = partial(self._cache.history, cached)
        return Case(cached.now, cached.secret, cached.vault, asked.cause, at, self._library, log)

    async def together(
        self,
        game_id: GameId,
        player: PlayerId,
        decide: Callable[[Case], Awaitable[tuple[Append, Decided | None]]],
    ) -> Appended:
        """Append to another stream and, in the same transaction, what that changes in a game.

        `decide` is told the game as it stands. It returns what to append to the other stream, and what that changes in
        the game, if anything. Both are stored or neither. Returns what became of the other stream.

        Raises:
            UnknownGame: there is none.
            Conflict: the other stream has gone on.
            KeyReused, and what `decide` raises.
        """
        return await self._finish("rule", self._together(game_id, self._asked(player), decide))

    async def _together(
        self, game_id: GameId, asked: Asked, decide: Callable[[Case], Awaitable[tuple[Append, Decided | None]]]
    ) -> Appended:
        async with self._cache.held(game_id) as cached:
            if await self._cache.head(cached) > cached.now.version:
                await self._cache.catch_up(cached)
            first, decided = await decide(self._case(cached, asked))
            if decided is None:
                return await self._store_append(first)
            before, vault = cached.game, cached.vault.joined_by(decided.secrets)
            appended = await self._store_append(first, _batch(cached, decided))
            if appended.repeated is None:
                self._cache.keep(cached, decided, vault)
                self._wake.notify(game_id, decided.game.version, turned=_is_turned(before, decided.game))
            return appended

    async def refusal(self, game_id: GameId, version: Version, seat: Seat, command: bytes) -> Refusal | None:
        """Decide a command of a seat again, as at a version of the past; None when it would be accepted.

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

    def fresh_chance(self, game: Game) -> CommittedChance:
        """Return chance that says nothing of that of a game, to try things out with."""
        return CommittedChance(self._randomness(SECRET_BYTES), game.id, {})

    async def _append(
        self,
        cached: CachedGame,
        asked: Asked,
        decided: Decided,
        opening: Opening | None = None,
        within: Within | None = None,
    ) -> Done:
        """Bring what was decided to the log, and the game in memory on."""
        before, game = cached.game, decided.game
        vault = cached.vault.joined_by(decided.secrets)
        after = before.version if before else 0
        appended = await self._store_append(_batch(cached, decided, asked.use, opening, within))
        if appended.repeated is not None:
            if before is not None and before.version < appended.repeated.version:
                await self._cache.catch_up(cached)  # under its lock, which a look at the game would wait for
            return await self.done_before(game.id, appended.repeated)
        self._cache.keep(cached, decided, vault)
        self._wake.notify(game.id, game.version, turned=_is_turned(before, game))
        return Done(game, after, decided.records, vault)

    async def _first_answer(self, game: GameId, use: KeyUse | None) -> Done | None:
        """Return what this request was answered before, if it was. Raises `KeyReused`."""
        kept = await self._store.seen(game, use.account, use.key) if use is not None else None
        if use is None or kept is None:
            return None
        if kept.fingerprint != use.fingerprint:
            raise KeyReused
        return await self.done_before(game, kept.added)

    async def done_before(self, game_id: GameId, added: Added) -> Done:
        """Return what a request did that once `added` something to a game: from the log."""
        then = await self.at(game_id, added.version)
        records = await self.records(game_id, added.after, added.version - added.after)
        return Done(then, added.after, records, await self.vault(game_id), repeated=True)

    async def try_out(
        self, game_id: GameId, player: PlayerId, act: Act, *, expected: Collection[Version] | None = None
    ) -> tuple[Game, Decided]:
        """Return a game, and what an act would come to; store nothing. Raises as `act` does."""
        cached = await self._cache.current(game_id)
        return cached.now, await self._decide(cached, self._asked(player), act, expected)

    def _asked(self, player: PlayerId, key: str | None = None, content: Sequence[Any] = ()) -> Asked:
        """Return who asks now; `content` says what the key stands for."""
        if not key:
            return Asked(player, stamp(self._clock))
        fingerprint = hashlib.sha256(canonical(content)).digest()
        return Asked(player, stamp(self._clock), KeyUse(player, hashed_key(player, key), fingerprint))

    async def _store_append(self, batch: Append, *others: Append) -> Appended:
        began, outcome = perf_counter(), "failed"
        try:
            with span("append", events=len(batch.records)):
                if others:
                    appended = await self._store.append_together(batch, *others)
                else:
                    appended = await self._store.append(batch)
            outcome = "accepted" if appended.repeated is None else "repeated"
        except (Conflict, KeyReused, LimitReached) as error:
            outcome = "conflict" if isinstance(error, Conflict) else "turned-away"
            raise
        finally:
            self._metrics.appended(outcome, perf_counter() - began, len(batch.records))
        return appended

    async def _finish(self, kind: str, work: Coroutine[Any, Any, R]) -> R:
        """Await `work`, which goes on to its end even when the client who asked for it has gone."""
        task = asyncio.create_task(work)
        self._running.add(task)
        told: asyncio.Future[R] = asyncio.get_running_loop().create_future()

        # One callback for all that `asyncio.shield` and two others would do.
        def finished(_: object) -> None:
            self._running.discard(task)
            self._metrics.commanded(kind, _outcome(task))
            error = None if task.cancelled() else task.exception()
            if told.done():  # nobody waits any more
                return
            if task.cancelled():
                told.cancel()
            elif error is not None:
                told.set_exception(error)
            else:
                told.set_result(task.result())

        task.add_done_callback(finished)
        return await told

    async def close(self) -> None:
        """Wait for the requests that are under way."""
        await asyncio.gather(*self._running, return_exceptions=True)


def _is_turned(before: Game | None, after: Game) -> bool:
    """Tell whether a game is new, or has another status or other players than before."""
    return before is None or (before.status, before.players) != (after.status, after.players)


def _room_for(purpose: Purpose, player: PlayerId, parent: GameId) -> tuple[Within, Refusal]:
    """Return the limit on forks of a purpose, and the refusal of one beyond it."""
    if purpose == "analysis":
        asked, allowed = f"You have {MOST_ANALYSES} open analyses.", "Close one: cancel the fork."
        within = Within("analyses", (player,), MOST_ANALYSES)
        return within, Refusal("TAB-FORK-06", asked, allowed, untimely=True)
    asked, allowed = f"This game has {MOST_CONTINUATIONS} continuations.", "Its organizer can cancel one."
    within = Within("continuations", (parent,), MOST_CONTINUATIONS)
    return within, Refusal("TAB-LIM-04", asked, allowed, untimely=True)


def _batch(
    cached: CachedGame,
    decided: Decided,
    key: KeyUse | None = None,
    opening: Opening | None = None,
    within: Within | None = None,
) -> Append:
    """Return what was decided as it is appended."""
    before, game = cached.game, decided.game
    seats = dict.fromkeys(game.players) if game.is_analysis else game.players  # nobody sits in an analysis
    return Append(
        game=game.id,
        expected=before.version if before is not None else 0,
        records=decided.records,
        status=game.status,
        secrets=decided.secrets,
        key=key,
        seats=seats if before is None or before.players != game.players else None,
        opening=opening,
        within=within,
    )


def _answered(cached: CachedGame, decided: Decided) -> Decided:
    """Return what was decided with the answers left in advance that it calls for."""
    if not decided.game.answers:
        return decided
    chance, at = decided.game.chance(cached.secret), decided.records[-1].at
    try:
        for due in answering.given_in_advance(decided, chance, cached.vault, at):
            decided = decided.then(due)
    except Exception:  # what somebody else has left must not stop the request that called for it
        log.exception("answer in advance failed", game=decided.game.id, version=decided.game.version)
    return decided


def _outcome(done: asyncio.Task[Any]) -> Outcome:
    """Return what became of a command."""
    if done.cancelled():
        return "failed"
    match done.exception():
        case None:
            return "repeated" if done.result().repeated else "accepted"
        case Refusal():
            return "refused"
        case StaleVersion() | Conflict():
            return "conflict"
        case NotSeated() | NotOrganizer() | KeyReused() | UnknownGame() | ValueError():
            return "turned-away"
        case _:
            return "failed"


def _read_board(file: bytes) -> Board:
    board = parse_board(file)
    validate(board)
    return board


def hashed_key(player: PlayerId, key: str) -> str:
    """Return an idempotency key as log and store have it. The log is public, and a client's key may say something."""
    return hashlib.sha256(player.encode() + b"\0" + key.encode()).hexdigest()[:32]
