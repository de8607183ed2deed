"""The newest records of all games, read once for everybody who follows more than one game."""

import asyncio
import contextlib
from bisect import bisect_right
from collections.abc import AsyncIterator
from typing import Final

from domain.kernel.ids import CaseId, GameId, StreamId, is_case
from domain.kernel.log.record import Record
from service.cluster.wake import Signal, Wake
from service.observe.background import background
from service.observe.logging import log
from service.store.protocol import EventStore, StoreError

KEPT: Final = 2000
"""So many records are kept at hand; readers that are further behind read the store."""

BATCH: Final = 500

GATHER: Final = 0.02
"""Seconds between two looks at a log that goes on, so that the records of a busy moment are read at once."""

POLL: Final = 0.5
"""Seconds between two looks at the log without a word: another process may have added to it."""

Placed = tuple[int, StreamId, Record]
"""A record, its game, and its position in the order of all."""


class Tail:
    """Reads on in the log of all games while somebody follows it."""

    def __init__(self, store: EventStore, wake: Wake) -> None:
        self._store = store
        self._wake = wake
        self._signals: set[Signal] = set()
        self._begun = asyncio.Lock()
        self._opened: contextlib.AsyncExitStack | None = None
        self._rows: list[Placed] = []
        self._games: dict[CaseId, GameId] = {}
        self._start = 0
        self.end = 0
        """The position up to which it was read."""

    @contextlib.asynccontextmanager
    async def followed(self) -> AsyncIterator[Signal]:
        """A context in which the log is read, and the lent signal hears whenever it went on."""
        signal = Signal()
        async with self._begun:
            if not self._signals:
                await self._begin()
            self._signals.add(signal)
        try:
            yield signal
        finally:
            self._signals.discard(signal)
            async with self._begun:
                if not self._signals and self._opened is not None:
                    opened, self._opened = self._opened, None
                    await opened.aclose()

    def after(self, position: int) -> list[Placed] | None:
        """Return the records at hand that follow a position; None when those do not reach back to it."""
        if position < self._start:
            return None
        return self._rows[bisect_right(self._rows, position, key=lambda row: row[0]) :]

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
        self._rows, self._start = [], await self._store.end()
        self.end = self._start
        async with contextlib.AsyncExitStack() as opening:
            bell = await opening.enter_async_context(self._wake.subscribe(None))
            await opening.enter_async_context(background("the log is followed", self._read(bell)))
            self._opened = opening.pop_all()

    async def _read(self, bell: Signal) -> None:
        while not bell.closed:
            try:
                rows = await self._store.read_on(self.end, BATCH)
                for _, stream, _ in rows:
                    if is_case(stream):
                        await self.game_of(stream)  # before all followers ask
            except StoreError as error:
                log.warning("the log is not followed just now", why=str(error))
                rows = []
            except Exception:  # whatever it is: if this task ended, all followers would wait for ever
                log.exception("the log is not followed just now")
                rows = []
            if not rows:
                await bell.wait(POLL)
                continue
            self._rows = [*self._rows, *rows]
            if len(self._rows) > KEPT:
                self._start = self._rows[-KEPT - 1][0]
                self._rows = self._rows[-KEPT:]
            self.end = rows[-1][0]
            for signal in self._signals:
                signal.notify(None)
            if len(rows) < BATCH:
                await asyncio.sleep(GATHER)
        for signal in self._signals:
            signal.close()
