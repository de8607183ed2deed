"""Waking readers that wait for a game's next event. A wake-up is only a hint: the truth is in the store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from domain.kernel.ids import StreamId, Version


class Signal:
    """The wake-ups of one subscriber. Read the store after subscribing and after every wait, and you miss nothing.

    `heard` is the version that the game has reached, by the last wait; None when that is not known. `only` picks the
    games of which it gets wake-ups; see `Wake.subscribe`.
    """

    def __init__(self, only: Callable[[StreamId, bool], bool] | None = None) -> None:
        self.only = only
        self._is_notified = False
        self._waiting: asyncio.Future[None] | None = None
        self._newest: Version | None = 0
        self.heard: Version | None = None
        self.closed = False

    async def wait(self, seconds: float | None = None) -> bool:
        """Return True when something happened since the last wait, False after `seconds` without.

        When `closed` is True the service is stopping: nothing more will come.
        """
        self.heard = None
        if not self._is_notified:
            await self._wait_for_notice(seconds)
        if not self._is_notified:
            return False
        if not self.closed:
            self._is_notified = False
            self.heard, self._newest = self._newest, 0
        return True

    async def _wait_for_notice(self, seconds: float | None) -> None:
        """Wait until something happens. This uses a future: `asyncio.timeout` around an event takes twice as long."""
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        timer = loop.call_later(seconds, self._end_wait) if seconds is not None else None
        try:
            await self._waiting
        finally:
            self._waiting = None
            if timer is not None:
                timer.cancel()

    def _end_wait(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def notify(self, version: Version | None) -> None:
        """End the wait: the game has reached `version`. None means that nobody knows what happened."""
        self._newest = None if version is None or self._newest is None else max(version, self._newest)
        self._is_notified = True
        self._end_wait()

    def close(self) -> None:
        self.closed = self._is_notified = True
        self._end_wait()


class Wake(Protocol):
    """How writers wake readers."""

    def subscribe(
        self, game: StreamId | None, only: Callable[[StreamId, bool], bool] | None = None
    ) -> AbstractAsyncContextManager[Signal]:
        """Return a context with a `Signal` that is notified of every event of `game`; for None, of all games.

        `only` picks from all games. It gets each game that went on, and whether the game may be new, or may have
        another status or other players. When nobody knows which games went on, it is not called.
        """
        ...

    def notify(self, game: StreamId, version: Version, *, turned: bool = True) -> None:
        """Say that `game` now stands at `version`. `turned` is False if its status and players are as before."""
        ...

    def tell(self, listener: Callable[[StreamId, Version], None]) -> None:
        """Call `listener`, as a hint, with the version to which another process brought a game."""
        ...

    def close(self) -> None:
        """Wake all subscribers for the last time: streams end."""
        ...


class LocalWake:
    """A `Wake` within one process and event loop."""

    def __init__(self) -> None:
        self._signals: dict[StreamId | None, set[Signal]] = {}
        self._closed = False

    @contextlib.asynccontextmanager
    async def subscribe(
        self, game: StreamId | None, only: Callable[[StreamId, bool], bool] | None = None
    ) -> AsyncIterator[Signal]:
        signal = Signal(only)
        if self._closed:
            signal.close()
        self._signals.setdefault(game, set()).add(signal)
        try:
            yield signal
        finally:
            signals = self._signals[game]
            signals.discard(signal)
            if not signals:
                del self._signals[game]

    def notify(self, game: StreamId, version: Version, *, turned: bool = True) -> None:
        for followed in (game, None):
            for signal in self._signals.get(followed, ()):
                if signal.only is None or signal.only(game, turned):
                    signal.notify(version)

    def tell(self, listener: Callable[[StreamId, Version], None]) -> None:
        """Do nothing: there is no other process."""

    def notify_all(self) -> None:
        """Wake all subscribers, because nobody knows what happened."""
        for signals in self._signals.values():
            for signal in signals:
                signal.notify(None)

    def followed(self) -> list[StreamId]:
        """Return the games that somebody follows."""
        return [game for game in self._signals if game is not None]

    def close(self) -> None:
        self._closed = True
        for signals in self._signals.values():
            for signal in signals:
                signal.close()
