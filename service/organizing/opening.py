"""Opening the games of bulks, starting them when their time has come, and cancelling them.

One process at a time does this, from the stored rows. The id of a game follows from its bulk and its number there. So
if a process is killed, the next one opens no game twice and leaves none out.
"""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final

import msgspec
from msgspec.structs import replace

from domain.kernel.rules.documents import DocumentError
from domain.kernel.rules.refusal import Refusal
from projections.store import Unavailable
from service.base.clock import Clock, later, stamp, stamped
from service.cluster.lease import Lease
from service.games.acts import Cancel, NotOrganizer, NotSeated, Start
from service.games.creating import TableWish, open_table
from service.games.games import Games
from service.games.requests import UnknownRuleset
from service.observe.logging import log
from service.organizing.bulks import LONGEST_PROBLEM
from service.organizing.consents import Consents
from service.store.organizing import NEVER, BulkGameRow, BulkRow, BulkStatus, OrganizingStore
from service.store.protocol import KeyReused, StoreError

PATIENCE: Final = timedelta(days=14)
"""How long a game waits for players after its start time."""

KEPT: Final = timedelta(days=60)
"""How long the result of a bulk is stored. It must be longer than its games may wait."""

SOON, LATER = timedelta(seconds=5), timedelta(seconds=60)
"""The time between two looks at a game that waits for players: in its first ten minutes, and after that."""

RARER: Final = 10
"""A game that others start is looked at again after a tenth of the time since it was asked for, so about 120 times in
all while the bulk is stored."""

TICK: Final = 1.0
"""Seconds between two searches for games that are due."""

PAGE: Final = 20
"""The most games in one turn."""

FORGET: Final = 3600.0
"""Seconds between two searches for old bulks."""

TROUBLE: Final = timedelta(minutes=1)
"""The pause before another try after an unexpected error."""


_FINAL: Final = (
    *(Refusal, NotOrganizer, NotSeated, DocumentError, UnknownRuleset, KeyReused),
    *(msgspec.MsgspecError, ValueError),
)
"""Errors that would come again at a second try."""


class Opener:
    """Opens the games of bulks, starts them when their time has come, and cancels them, in one process at a time."""

    def __init__(self, store: OrganizingStore, games: Games, consents: Consents, clock: Clock, lease: Lease) -> None:
        self._store = store
        self._games = games
        self._consents = consents
        self._clock = clock
        self._lease = lease
        self._rung = asyncio.Event()
        self._forgot = -FORGET

    def ring(self) -> None:
        """Wake the opener: something is due."""
        self._rung.set()

    async def run(self) -> None:
        """Do what is due until cancelled. Other processes may do the same; one works at a time."""
        last_trouble = ""
        try:
            while True:
                self._rung.clear()
                number = 0
                try:
                    number, last_trouble = await self.turn(), ""
                except (StoreError, Unavailable) as error:
                    if str(error) != last_trouble:
                        last_trouble = str(error)
                        log.warning("bulks wait", why=last_trouble)
                except Exception:  # unexpected: try again
                    log.exception("bulks wait")
                if number < PAGE:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._rung.wait(), TICK)
        finally:
            with suppress(Unavailable):
                await self._lease.give_back()

    async def turn(self) -> int:
        """Do what is due, unless another process does. Return the number of games. Raises `StoreError` or
        `Unavailable`."""
        if not await self._lease.is_held():
            return 0
        await self._forget()
        due_games = await self._store.due_games(stamp(self._clock), PAGE)
        for row, bulk in due_games:
            if not await self._lease.is_held():
                break
            try:
                await self._do(row, bulk)
            except (StoreError, Unavailable):
                raise
            except Exception:  # one game must not stop the others
                log.exception("bulk game waits", bulk=row.bulk, number=row.number)
                await self._store.postpone(row, later(stamp(self._clock), TROUBLE))
        return len(due_games)

    async def _do(self, row: BulkGameRow, bulk: BulkRow) -> None:
        """Do the next step for one game."""
        organizer = await self._games.store.accounts.player(bulk.organizer)
        try:
            closed = organizer is None or organizer.closed is not None
            if row.status == "queued" and not await self._opened(row, bulk, closed=closed):
                return
            row = replace(row, game=row.game or self._games.first_id(bulk.organizer, _key(row)))
            await self._start_or_cancel(row, bulk)
        except _FINAL as error:
            why = f"{error.wrong} {error.allowed}" if isinstance(error, Refusal) else f"{error}"
            await self._became(row, "failed", why[:LONGEST_PROBLEM])

    async def _opened(self, row: BulkGameRow, bulk: BulkRow, *, closed: bool) -> bool:
        """Open a game; tell whether its next step is due at once."""
        game = self._games.first_id(bulk.organizer, _key(row))
        if await self._games.store.game(game) is None:  # else a process that was killed has opened it
            if bulk.cancelled:
                await self._became(row, "cancelled")
                return False
            wish = msgspec.json.decode(row.wish, type=TableWish)
            objections = await self._consents.objections(bulk.organizer, wish.seats.values())
            if closed or objections:
                await self._became(
                    row, "failed", next(iter(objections.values()), "The organizer's account was closed.")
                )
                return False
            game = (await open_table(self._games, bulk.organizer, wish, key=_key(row))).game
        await self._became(replace(row, game=game), "open", due=row.starts_at or self._next_look(bulk))
        return bool(bulk.cancelled)

    async def _start_or_cancel(self, row: BulkGameRow, bulk: BulkRow) -> None:
        assert row.game, "it was opened"
        game = await self._games.game(row.game)
        if game.status == "cancelled":
            await self._became(row, "cancelled")
        elif game.status != "gathering":
            await self._became(row, "started")
        elif bulk.cancelled:
            await self._games.act(row.game, bulk.organizer, Cancel(), key=f"{_key(row)}/cancel")
            await self._became(row, "cancelled")
        elif not row.starts_at:
            await self._store.postpone(row, self._next_look(bulk))
        elif None not in game.players.values():
            await self._games.act(row.game, bulk.organizer, Start(), key=f"{_key(row)}/start")
            await self._became(row, "started")
        else:
            await self._wait(row)

    def _next_look(self, bulk: BulkRow) -> str:
        """Return when to look again at a game that its players or its organizer start."""
        now = stamp(self._clock)
        return later(now, max(SOON, (stamped(now) - stamped(bulk.created)) / RARER))

    async def _wait(self, row: BulkGameRow) -> None:
        """Try again later to start a game whose time has come while some of its seats are free."""
        now = stamp(self._clock)
        delay = stamped(now) - stamped(row.starts_at)
        if delay > PATIENCE:
            why = f"Its seats were not full within {PATIENCE.days} days. Start or cancel it yourself."
            await self._became(row, "failed", why)
            return
        next_try = later(now, SOON if delay < timedelta(minutes=10) else LATER)
        if row.status == "waiting":
            await self._store.postpone(row, next_try)
        else:
            await self._became(row, "waiting", due=next_try)

    async def _became(self, row: BulkGameRow, status: BulkStatus, why: str = "", due: str = NEVER) -> None:
        await self._store.record(replace(row, status=status, why=why, due=due))
        log.info("bulk game", bulk=row.bulk, number=row.number, status=status, game=row.game, why=why)

    async def _forget(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._forgot >= FORGET:
            self._forgot = now
            while await self._store.forget(later(stamp(self._clock), -KEPT), PAGE) == PAGE:
                pass


def _key(row: BulkGameRow) -> str:
    """Return the idempotency key for opening a game. The id of the game follows from it."""
    return f"{row.bulk}/{row.number}"
