"""Reads of the past from a standby of the database (``TABULARIUM_STANDBY_URL``), which spare the primary.

A standby has the primary's log up to some moment. The caller says up to which version or place in the log they read. If
the standby has come so far, its answer is the same as the primary's. If not, or if it does not answer soon, the primary
is asked. So nobody sees less than before, and only a metric shows which of them answered.

A standby may also have what the primary lacks: another server took the primary's place that had received less, or an
older copy was restored. Each of these begins a new timeline, so a standby is asked only when it is on the primary's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Final, Literal, TypeVar

from domain.kernel.ids import StreamId, Version
from domain.kernel.log.record import Record
from projections.cursor import Cursor
from service.observe.metrics import Metrics
from service.store.past import Past
from service.store.postgres.connections import Connection, Connections
from service.store.postgres.hosts import Hosts, Lineage, difference, lineage_of
from service.store.postgres.store import PostgresStore
from service.store.protocol import ArchiveAway, Placed, StoreError, StoreUnavailable

T = TypeVar("T")

TIMEOUT: Final = 1
"""Seconds that a standby has to answer. After that the primary is asked."""

PAUSE: Final = 5.0
"""Seconds for which a standby that did not answer is left alone."""


class _Connections(Connections):
    """Connections to a standby. A new one is refused unless it leads to a copy of the primary."""

    def __init__(self, url: str, most: int) -> None:
        super().__init__(url, most, hosts=Hosts(url, TIMEOUT, "standby"), patience=0)
        self.lineage: Lineage | None = None
        """The primary's lineage."""

    async def _prepare(self, connection: Connection) -> None:
        await super()._prepare(connection)
        if self.lineage is None or difference(self.lineage, await lineage_of(connection)):
            raise StoreUnavailable(f"{self.where} is no copy of the primary")


class StandbyPast(Past):
    """Asks a standby first, then the primary. To be opened by `open`."""

    def __init__(self, store: PostgresStore, url: str, connections: int, metrics: Metrics) -> None:
        """Read the past of `store` from the standby at `url`, over at most so many connections."""
        super().__init__(store)
        self._primary = store
        self._connections = _Connections(url, connections)
        self._copy = PostgresStore(self._connections)
        self._copy.outside = store.outside
        self._reads = {outcome: metrics.standby_reads.labels(outcome) for outcome in ("answered", "behind", "away")}
        self._connections_at_lineage = -1
        """How many connections to the primary there had been when its lineage was asked."""
        self._recovering: asyncio.Task[None] | None = None
        self._closed = False

    async def open(self) -> "StandbyPast":
        """Return this, ready for use. The standby may be away."""
        await self._connections.open()
        return self

    async def read(self, stream: StreamId, after: Version, through: Version) -> list[Record]:
        async def ask() -> list[Record] | None:
            records = await self._copy.read(stream, after, through - after)
            return records if len(records) == through - after else None

        records = await self._ask_standby(ask) if after < through else []
        return await super().read(stream, after, through) if records is None else records

    async def read_on(
        self, after: Cursor, limit: int, until: Cursor, games: Collection[StreamId] | None = None
    ) -> tuple[list[Placed], Cursor]:
        """Read on in the log. A page of a standby is the page that the primary would give: none has gaps.

        Positions of a book follow the order of its commits, here as there. So all that a page says is right when the
        standby had, before it was read, every position up to the page's end.
        """

        async def ask() -> tuple[list[Placed], Cursor] | None:
            if not (await self._primary.divided() and await self._copy.divided()):
                return None
            end = await self._copy.end()
            if not end.reaches(after.towards(until, limit)):
                return None
            rows, reached = await self._copy.read_on(after, limit, games, until)
            return (rows, reached) if end.reaches(reached) else None

        page = await self._ask_standby(ask) if not after.reaches(until) else ([], after)
        return await super().read_on(after, limit, until, games) if page is None else page

    async def _ask_standby(self, ask: Callable[[], Awaitable[T | None]]) -> T | None:
        """Return the standby's answer; None when it has not come so far yet, or does not answer."""
        outcome: Literal["answered", "behind", "away"] = "away"
        answer = None
        if self._recovering is None:
            try:
                # Before the time begins, because the time that the primary takes says nothing about the standby.
                await self._look()
                async with asyncio.timeout(TIMEOUT):
                    answer = await ask()
                outcome = "behind" if answer is None else "answered"
            except ArchiveAway:  # the primary would ask the same archive
                raise
            except (StoreError, TimeoutError):
                self._leave_alone()
        self._reads[outcome].inc()
        return answer

    async def _look(self) -> None:
        """Ask the primary for its lineage when another server may have become the primary since."""
        connections = self._primary.connections_made
        if connections == self._connections_at_lineage:
            return
        lineage = await self._primary.lineage()
        if lineage != self._connections.lineage:
            self._connections.lineage = lineage
            self._connections.distrust()
        self._connections_at_lineage = connections

    def _leave_alone(self) -> None:
        self._connections.distrust()
        if self._recovering is None and not self._closed:
            self._recovering = asyncio.create_task(self._recover())
            self._recovering.add_done_callback(self._recovered)

    def _recovered(self, _: object) -> None:
        self._recovering = None

    async def _recover(self) -> None:
        """Wait until the standby answers again, so that no request has to."""
        while True:
            await asyncio.sleep(PAUSE)
            with suppress(StoreError, TimeoutError):
                await self._look()
                async with asyncio.timeout(TIMEOUT):
                    return await self._copy.check_schema()

    async def close(self) -> None:
        self._closed = True
        if self._recovering is not None:
            self._recovering.cancel()
            await asyncio.wait((self._recovering,))
        await self._copy.close()
