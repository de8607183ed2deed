"""The bots that the service plays: in one process at a time, each with what a player of its seat may see.

A bot acts as every account does: on the view and the options of its seat, at the version that it has seen. So a
decision is answered once, even if processes are killed, or two of them play.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Final, cast
from uuid import uuid4

import msgspec
from msgspec import Raw

from domain.kernel.ids import GameId, PlayerId, Seat, StreamId, as_game
from domain.kernel.log.ending import open_ends
from domain.kernel.log.game import Game
from domain.kernel.log.lifecycle import GameForked, GameStarted, SeatTakenOver
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import packed
from domain.kernel.rules.message import type_name
from domain.kernel.rules.refusal import Refusal
from projections.cursor import Cursor
from projections.store import Unavailable
from service.accounts.accounts import Accounts
from service.accounts.caller import Caller
from service.base.scopes import Scope
from service.base.settings import Settings
from service.bots.bot import RANDOM
from service.bots.seated import seats_held
from service.bots.thinking import NoThought, Thinkers
from service.bots.worker import Question
from service.cluster.lease import Lessor
from service.cluster.wake import Wake
from service.games.acts import AnswerTakeBack, Commands, TakeSeat
from service.games.ends import AnswerEnd
from service.games.games import Games
from service.games.requests import StaleVersion
from service.games.views import viewer_of
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, KeyReused, StoreError, StreamDamaged

LEASE: Final = 5.0
"""Seconds that the lease lasts, with which one process alone plays. When it dies, another takes over after that."""

POLL: Final = 0.5
"""Seconds after which a process looks at the lease and the log again, if nothing wakes it before."""

GATHER: Final = 0.02
"""Seconds to wait after a read that found records, so that those of a busy moment are read together."""

BATCH: Final = 500
"""Events of the log that are read at once."""

LOOKS: Final = 4
"""The games that are looked at in parallel: after a start each has to be loaded."""

TROUBLE: Final = 5.0
"""Seconds after a failure in a game until it is looked at again. They double with each failure in a row."""

LONGEST: Final = 60.0
"""The most seconds until a game is looked at again."""

_FORKED: Final = type_name(GameForked)
_BEGINS: Final = tuple(map(type_name, (GameStarted, SeatTakenOver)))
"""Events with which a bot may have to decide."""


class _Table:
    """A game whose bots are played.

    Attributes:
        moved: set when the game went on.
        is_followed: whether bots give people time to follow. Until a person is asked for the first time there is
            nothing to do but to wait for the bots, so they do not pause.
    """

    def __init__(self, game: GameId) -> None:
        self.game = game
        self.moved = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.is_followed = False


class Playing:
    """Plays the bots of all running games."""

    def __init__(
        self,
        games: Games,
        store: EventStore,
        wake: Wake,
        accounts: Accounts,
        lessor: Lessor,
        thinkers: Thinkers,
        settings: Settings,
    ) -> None:
        self._games = games
        self._store = store
        self._wake = wake
        self._accounts = accounts
        self._lessor = lessor
        self._thinkers = thinkers
        self._pause = settings.bot_pause
        self._most = settings.bots_per_account
        self._name = uuid4().hex
        self._leased_until = 0.0
        self._last_logged = ""
        self._position: Cursor | None = None
        self._bots: dict[PlayerId, str] = {}
        self._tables: dict[GameId, _Table] = {}
        self._looks = asyncio.Semaphore(LOOKS)

    async def run(self) -> None:
        """Play until the service stops. Of several processes, only the one with the lease plays."""
        stops = False
        try:
            while not stops:
                try:
                    if await self._has_lease():
                        stops = await self._play_with_lease()
                    await self._rise()
                except (StoreError, Unavailable) as error:
                    if str(error) != self._last_logged:
                        self._last_logged = str(error)
                        log.warning("bots wait", why=self._last_logged)
                except Exception:  # unexpected: look at all tables again
                    log.exception("bots begin again")
                    await self._rise()
                await asyncio.sleep(POLL)
        finally:
            await self._rise()
            with contextlib.suppress(Unavailable):
                await self._lessor.lease(self._name, 0, "bots")

    async def _play_with_lease(self) -> bool:
        """Play as long as this process has the lease; tell whether the service stops."""
        async with self._wake.subscribe(None, self._concerns) as signal:
            while not signal.closed and await self._has_lease():
                moved, self._last_logged = await self._follow(), ""
                if moved:
                    await asyncio.sleep(GATHER)
                else:
                    await signal.wait(POLL)
            return signal.closed

    def _concerns(self, game: StreamId, turned: bool) -> bool:
        """Tell whether a game that moved on has to be looked at now: bots have seats there, or may have taken some."""
        return turned or game in self._tables

    async def _has_lease(self) -> bool:
        """Tell whether this process has the lease; renew it in time, or ask for it."""
        now = time.monotonic()
        if now > self._leased_until - LEASE / 2:
            if not await self._lessor.lease(self._name, LEASE, "bots"):
                return False
            self._leased_until = now + LEASE
            await self._learn_bots()  # an account may have been closed
        return True

    async def _follow(self) -> bool:
        """Look at the games with bots that moved, the first time at all of them; tell whether anything was logged."""
        if self._position is None:
            end = await self._store.end()
            await self._learn_bots()
            for bot in self._bots:
                rows = await self._store.games(status="running", player=bot, limit=BATCH)
                while rows:
                    for row in rows:
                        self._sit_down(row.game)
                    rows = await self._store.games(status="running", player=bot, after=rows[-1].game, limit=BATCH)
            self._position = end
        rows, end = await self._store.read_on(self._position, BATCH)
        for place, stream, record in rows:
            begins = record.type in _BEGINS
            if begins:
                await self._learn_bots()  # a bot may be new
            table = self._tables.get(cast(GameId, stream))
            if table is not None:
                await self._games.arrive(table.game, record.version)
                table.moved.set()
            elif begins or record.version == 1:
                game = as_game(stream)
                if game is not None and begins and await self._has_bots(game):
                    self._sit_down(game)
                elif game is not None and record.type == _FORKED:
                    await self._confirm(game)
            self._position = self._position.after((place,))
        self._position = end
        return bool(rows)

    async def _learn_bots(self) -> None:
        """Read which accounts are bots. If they changed, look at all games again: one may wait for a new bot."""
        rows = await self._accounts.bots()
        bots = {row.player: row.bot for row in rows if row.bot is not None and row.closed is None}
        if bots != self._bots:
            self._bots = bots
            for table in self._tables.values():
                table.moved.set()

    async def _has_bots(self, game: GameId) -> bool:
        row = await self._store.game(game)
        return row is not None and any(holder in self._bots for holder in row.seats.values())

    async def _confirm(self, fork: GameId) -> None:
        """Take the seats of a fork that are reserved for bots: they take part in every continuation."""
        try:
            game = await self._games.game(fork)
        except StreamDamaged as error:
            log.warning("bots confirm no fork", game=fork, why=str(error))
            return
        await self._learn_bots()
        reserved = {seat: holder for seat, holder in game.kept_seats.items() if holder in self._bots}
        if game.status != "gathering" or not reserved:
            return
        seats = await self._store.count(seats_held(game.organizer, self._accounts.now()))
        if isinstance(self._most, int) and seats + len(reserved) > self._most:
            return  # the organizer seats them when there is room again
        for seat, holder in reserved.items():
            with contextlib.suppress(Refusal):  # another process may have been quicker
                await self._games.act(fork, holder, TakeSeat(seat))

    # --- at the tables ---

    def _sit_down(self, game: GameId) -> None:
        if game not in self._tables:
            table = self._tables[game] = _Table(game)
            table.task = asyncio.create_task(self._sit(table))

    async def _rise(self) -> None:
        """Leave all tables: another process plays, or the service stops."""
        self._leased_until, self._position = 0.0, None
        tasks = [table.task for table in self._tables.values() if table.task]
        self._tables.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _sit(self, table: _Table) -> None:
        """Play the bots of a game until it is over."""
        game, wait, level = table.game, TROUBLE, None
        while True:
            table.moved.clear()
            try:
                goes_on = await self._step(table, level)
            except (NoThought, Refusal, msgspec.MsgspecError) as error:
                log.error("a bot failed", game=game, level=level, why=str(error))
                if level is None:
                    level = RANDOM  # this once, so that nobody waits for a bot's mistake
                    continue
                goes_on = False
            except Exception as error:  # of one game, which must not stop the others
                log.warning("bots wait", game=game, why=f"{type(error).__name__}: {error}")
                goes_on = False
            else:
                wait, level = TROUBLE, None
                if goes_on is None:
                    del self._tables[game]
                    return
                if not goes_on:
                    await table.moved.wait()
                continue
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST)

    async def _step(self, table: _Table, level: str | None) -> bool | None:
        """Let one bot act; tell whether another may have to, None when the game is over.

        With a `level` it plays at that, and not at its own.
        """
        began = asyncio.get_running_loop().time()
        async with self._looks:
            game = await self._games.game(table.game)
        if game.status != "running":
            return None
        table.is_followed |= self._is_followed(game)
        act: AnswerTakeBack | AnswerEnd | Commands
        if (request := self._request(game)) is not None:
            bot, act = request
        elif (bot := self._next_to_decide(game)) is None:
            return False
        else:
            async with self._thinkers.turn() as thinker:
                game = await self._games.game(table.game)  # it may have gone on while others had their turn
                if self._next_to_decide(game) != bot:
                    return True
                question = await question_for(self._games, game, bot, level or self._bots[bot])
                act = Commands([await thinker.choose(question)])
        if table.is_followed:
            await asyncio.sleep(began + self._pause - asyncio.get_running_loop().time())
        # If it comes too late, or another process was quicker, the next step asks again, if it still has to decide.
        with contextlib.suppress(StaleVersion, KeyReused):
            await self._games.act(table.game, bot, act, expected=(game.version,), key=f"bot-{game.version}")
        return True

    def _is_followed(self, game: Game) -> bool:
        """Whether people have begun to follow the game: a person must decide, or only bots play."""
        people = {seat for seat, holder in game.players.items() if holder is not None and holder not in self._bots}
        return not people or any(seat in people for decision in game.decisions for seat in decision.seats)

    def _request(self, game: Game) -> tuple[PlayerId, AnswerTakeBack | AnswerEnd] | None:
        """Return a bot that is asked to take moves back or to end the game, and its answer: bots always agree."""
        for version, request in game.around.asked.items():
            if not request.is_closed:
                for bot in self._bots_on(game, game.asked_by(request)):
                    return bot, AnswerTakeBack(version, True)
        for proposed, proposal in open_ends(game).items():
            for bot in self._bots_on(game, proposal.waits_for):
                return bot, AnswerEnd(proposed, True)
        return None

    def _next_to_decide(self, game: Game) -> PlayerId | None:
        """Return the bot that is to decide, or None: bots wait while others answer a request to take moves back."""
        if game.around.paused is not None or any(not each.is_closed for each in game.around.asked.values()):
            return None
        return next(self._bots_on(game, (seat for decision in game.decisions for seat in decision.seats)), None)

    def _bots_on(self, game: Game, seats: Iterable[Seat]) -> Iterator[PlayerId]:
        holders = (game.players[seat] for seat in seats)
        return (holder for holder in holders if holder is not None and holder in self._bots)


_PLAYS: Final[frozenset[Scope]] = frozenset(("play",))


async def question_for(games: Games, game: Game, bot: PlayerId, level: str) -> Question:
    """Return the question for a bot. It has exactly what the player of its seat may see of the position."""
    viewer = viewer_of(game, Caller(bot, _PLAYS, _PLAYS, None, b""))
    seat = viewer.seat
    assert seat is not None, "a bot is asked for its seat"
    vault = await games.vault(game.id)
    encode = msgspec.json.encode
    return Question(
        ruleset=game.ruleset.id,
        level=level,
        game=game.id,
        seat=seat,
        board=_board(game.board),
        about={"ruleset_version": game.ruleset.version, "setup": msgspec.to_builtins(game.setup)},
        view=Raw(encode(game.view(seat, vault))),
        options=Raw(encode(game.options(seat, vault))),
    )


@lru_cache(16)
def _board(board: Board) -> Raw:
    return Raw(packed(board))


@asynccontextmanager
async def playing(
    settings: Settings, games: Games, store: EventStore, wake: Wake, accounts: Accounts, lessor: Lessor
) -> AsyncIterator[None]:
    """A context in which this event loop plays the bots, unless the settings leave them to other processes."""
    if not settings.bots:
        yield
        return
    thinkers = Thinkers(settings.bots)
    try:
        bots = Playing(games, store, wake, accounts, lessor, thinkers, settings)
        async with background("bots play", bots.run()):
            yield
    finally:
        await thinkers.close()
