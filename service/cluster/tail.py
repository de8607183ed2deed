"""The newest records of all games, read once for all followers of more than one game."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from domain.kernel.ids import CaseId, GameId, is_case
from projections.cursor import Cursor
from service.cluster.wake import Signal, Wake
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, Placed, StoreError

KEPT: Final = 2000
"""How many of the newest records are kept at hand; readers further behind read the store."""

BATCH: Final = 500

GATHER: Final = 0.02
"""Seconds to wait after a read that found records, so that those of a busy moment are read together."""

POLL: Final = 0.5
"""Seconds after which the log is read without a wake-up: another process may have added to it."""


class Tail:
    """Reads on in the log of all games while somebody follows it."""

    def __init__(self, store: EventStore, wake: Wake) -> None:
        self._store = store
        self._wake = wake
        self._signals: set[Signal] = set()
        self._opening = asyncio.Lock()
        self._opened: contextlib.AsyncExitStack | None = None
        self._rows: list[Placed] = []
        self._games: dict[CaseId, GameId] = {}
        self._start = self.end = Cursor.start(store.books)
        """The place after which the records at hand begin, and that up to which the log was read."""
        self._read_before = 0
        """How many records were read before those at hand."""

    @contextlib.asynccontextmanager
    async def followed(self) -> AsyncIterator[Signal]:
        """A context in which the log is followed. It yields a signal that is notified whenever records were read."""
        signal = Signal()
        async with self._opening:
            if not self._signals:
                await self._begin()
            self._signals.add(signal)
        try:
            yield signal
        finally:
            self._signals.discard(signal)
            async with self._opening:
                if not self._signals and self._opened is not None:
                    opened, self._opened = self._opened, None
                    await opened.aclose()

    def join(self, cursor: Cursor) -> tuple[list[Placed], int] | None:
        """Return the records at hand that follow a cursor, and a number with which `after` goes on.

        None when those at hand do not reach back to it.
        """
        if not cursor.reaches(self._start):
            return None
        return [row for row in self._rows if not cursor.has(row[0])], self._read_before + len(self._rows)

    def after(self, number: int) -> tuple[list[Placed], int] | None:
        """Return the records that were read since, and the next number; None when they are no longer at hand."""
        if number < self._read_before:
            return None
        return self._rows[number - self._read_before :], self._read_before + len(self._rows)

    async def game_of(self, case: CaseId) -> GameId | None:
        """Return the game of a case, None when there is no such case. The store is asked once for all followers."""
        if case not in self._games:
            row = await self._store.case(case)
            if row is None:
                return None
            if len(self._games) >= KEPT:
                del self._games[next(iter(self._games))]
            self._games[case] = row.game
        return self._games[case]

    async def _begin(self) -> None:
        self._read_before += len(self._rows)
        self._rows, self._start = [], await self._store.end()
        self.end = self._start
        async with contextlib.AsyncExitStack() as opening:
            wake_up = await opening.enter_async_context(self._wake.subscribe(None))
            await opening.enter_async_context(background("the log is followed", self._read(wake_up)))
            self._opened = opening.pop_all()

    async def _read(self, wake_up: Signal) -> None:
        while not wake_up.closed:
            try:
                rows, end = await self._store.read_on(self.end, BATCH)
                for _, stream, _ in rows:
                    if is_case(stream):
                        await self.game_of(stream)  # before all followers ask
            except StoreError as error:
                log.warning("the log is not followed just now", why=str(error))
                rows, end = [], self.end
            except Exception:  # of any kind: if this task ended, all followers would wait for ever
                log.exception("the log is not followed just now")
                rows, end = [], self.end
            self.end = end
            if not rows:
                await wake_up.wait(POLL)
                continue
            self._rows = [*self._rows, *rows]
            if (dropped := len(self._rows) - KEPT) > 0:
                self._start = self._start.after(place for place, *_ in self._rows[:dropped])
                self._rows = self._rows[dropped:]
                self._read_before += dropped
            for signal in self._signals:
                signal.notify(None)
            if len(rows) < BATCH:
                await asyncio.sleep(GATHER)
        for signal in self._signals:
            signal.close()
