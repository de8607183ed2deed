"""The projections of a running service: how they read the log and are kept up to date; counting refusals."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Final

from domain.kernel.ids import GameId, StreamId
from domain.kernel.log.record import Record
from domain.kernel.rules.ruleset import Library
from projections.cursor import Cursor, Stretch
from projections.lanes import LANES
from projections.library import PROJECTIONS
from projections.projection import Projection
from projections.runner import REST, Runner, Stopped
from projections.store import ProjectionStore, Unavailable
from service.base.settings import Settings
from service.cluster.wake import Wake
from service.observe.background import flushed
from service.observe.logging import log
from service.store.protocol import EventStore, StoreError

FLUSH: Final = 2.0
"""Seconds between two writings of the refusals. A process that is killed loses those since the last one."""


class StoreLog:
    """An event store as projections see it: records, boards, titles; no secrets and no accounts."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    async def read_on(self, cursor: str | None, limit: int, books: Collection[int] | None = None) -> Stretch:
        try:
            start = Cursor.parse(cursor, self._store.books)
            until = None
            if books is not None:
                last = (await self._store.reach(start)).positions
                until = start.plus({book: last[book] - start.positions[book] for book in books})
            placed, end = await self._store.read_on(start, limit, until=until)
        except StoreError as error:
            raise Unavailable(str(error)) from error
        return Stretch(start, [(stream, record) for _, stream, record in placed], [place for place, *_ in placed], end)

    async def lanes(self) -> int:
        try:
            return LANES if await self._store.divided() else 1
        except StoreError as error:
            raise Unavailable(str(error)) from error

    async def end(self) -> Cursor:
        try:
            return await self._store.end()
        except StoreError as error:
            raise Unavailable(str(error)) from error

    async def read(self, stream: StreamId, limit: int) -> list[Record]:
        try:
            return await self._store.read(stream, 0, limit)
        except StoreError as error:
            raise Unavailable(str(error)) from error

    async def board(self, digest: str) -> bytes | None:
        try:
            return await self._store.board(digest)
        except StoreError as error:
            raise Unavailable(str(error)) from error

    async def title(self, game: GameId) -> str:
        try:
            row = await self._store.game(game)
        except StoreError as error:
            raise Unavailable(str(error)) from error
        return row.title if row is not None else ""


def runner(
    store: EventStore,
    rows: ProjectionStore,
    library: Library,
    projections: Sequence[Projection] = PROJECTIONS,
    *,
    rest: float = 0.0,
) -> Runner:
    """Return the runner that keeps `rows` up with the log of `store`; `rest` says how it shares its event loop."""
    return Runner(projections, StoreLog(store), rows, library, rest=rest, tell=_tell)


@asynccontextmanager
async def keeping(
    settings: Settings, library: Library, store: EventStore, rows: ProjectionStore, wake: Wake
) -> AsyncIterator[None]:
    """Keep the projections up with the log, in this event loop, unless the settings leave it to another process."""
    if not settings.projections:
        yield
        return
    async with wake.subscribe(None) as bell:
        keeper = runner(store, rows, library, rest=REST)
        # Do a first turn now: over a short log, the first request can then read the projections.
        with suppress(Unavailable):
            await keeper.turn()
        running = asyncio.create_task(keeper.run(bell))
        running.add_done_callback(_tell_end)
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await running


async def follow(store: EventStore, rows: ProjectionStore, library: Library, wake: Wake) -> None:
    """Keep the projections up with the log until `wake` is closed, in a process that does nothing else."""
    async with wake.subscribe(None) as bell:
        await runner(store, rows, library).run(bell)


class Refusals:
    """Counts refusals in memory, and adds them to the stored counts every few seconds, so that no request waits."""

    def __init__(self, rows: ProjectionStore) -> None:
        self._rows = rows
        self._counts: Counter[tuple[str, str]] = Counter()

    def note(self, ruleset: str, rule: str) -> None:
        """Count a refusal."""
        self._counts[ruleset, rule] += 1

    async def flush(self) -> None:
        """Add the counts to the stored ones. If that is not possible now, they stay counted."""
        if not self._counts:
            return
        counts, self._counts = self._counts, Counter()
        try:
            await self._rows.note_refusals(counts)
        except Unavailable as error:
            self._counts += counts
            _tell(error)

    def writing(self) -> AbstractAsyncContextManager[None]:
        """Return a context in which the counts are stored every few seconds, and at its end."""
        return flushed("refusals are counted", self.flush, FLUSH)


def _tell(failure: Exception) -> None:
    match failure:
        case Stopped(trouble=trouble):
            log.error(
                "projection stopped",
                projection=failure.projection,
                game=trouble.game,
                version=trouble.version,
                why=trouble.why,
            )
        case _:
            log.warning("projections wait", why=str(failure))


def _tell_end(running: asyncio.Task[None]) -> None:
    if not running.cancelled() and (error := running.exception()) is not None:
        log.error("projections are no longer kept", exc_info=error)
