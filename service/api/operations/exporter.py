"""Metrics for Prometheus: collecting those that need the stores, and an ASGI app that serves them."""

import asyncio
import math
from datetime import datetime
from typing import Any, Final

from projections.library import PROJECTIONS
from projections.ratings import RATINGS
from projections.store import Generation, Rows, Unavailable
from service import ratings
from service.api.headers import shielded
from service.base.clock import utc_now
from service.observe.metrics import Metrics
from service.store.protocol import EventStore, StoreError

PATIENCE: Final = 1.0
"""How many seconds to wait for the stores. Without their answer, the other metrics are sent."""


class Exporter:
    """The metrics of a process as Prometheus reads them. An ASGI app: every path has the metrics."""

    def __init__(self, metrics: Metrics, store: EventStore, rows: Rows) -> None:
        self._metrics = metrics
        self._store = store
        self._rows = rows

    async def exposition(self, accept: str) -> tuple[bytes, str]:
        """Return the metrics as they are now in the format that an ``Accept`` header asks for, and its media type."""
        await self._look_at_projections()
        await self._look_at_webhooks()
        return self._metrics.exposition(accept)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise TypeError(f"metrics are not sent over {scope['type']}")
        accept = dict(scope["headers"]).get(b"accept", b"")
        content, media = await self.exposition(accept.decode("latin-1"))
        headers = [(b"content-type", media.encode()), (b"content-length", b"%d" % len(content))]
        await send({"type": "http.response.start", "status": 200, "headers": shielded(headers)})
        await send({"type": "http.response.body", "body": content})

    async def _look_at_webhooks(self) -> None:
        """Update the metric of waiting deliveries; NaN when the store does not answer."""
        try:
            async with asyncio.timeout(PATIENCE):
                waiting, _ = await self._store.webhooks.waiting()
        except (StoreError, TimeoutError):
            waiting = math.nan
        self._metrics.webhooks_waiting.set(waiting)

    async def _look_at_projections(self) -> None:
        """Update the metrics of the projections; NaN when the store does not answer."""
        behind, seconds = self._metrics.projection_behind, self._metrics.projection_behind_seconds
        try:
            async with asyncio.timeout(PATIENCE):
                names = {projection.name for projection in PROJECTIONS}
                all_generations = await self._rows.generations()
                generations = [each for each in all_generations if each.projection in names]
                progress = await ratings.behind(self._rows, all_generations)
                total = await self._store.events()
                ages = {cursor: await self._age(cursor) for cursor in {each.cursor for each in generations}}
        except (StoreError, Unavailable, TimeoutError):
            behind.labels(RATINGS.name).set(math.nan)
            for projection in PROJECTIONS:
                behind.labels(projection.name).set(math.nan)
                seconds.labels(projection.name).set(math.nan)
            return
        rated = _shown_generation(RATINGS.name, all_generations)
        behind.labels(RATINGS.name).set(progress[rated.number if rated else 0][1])
        for projection in PROJECTIONS:
            at = _shown_generation(projection.name, generations)
            behind.labels(projection.name).set(max(0, total - (at.events if at else 0)))
            seconds.labels(projection.name).set(ages[at.cursor] if at else math.nan)
            self._metrics.projection_stopped.labels(projection.name).set(at is not None and at.trouble is not None)

    async def _age(self, cursor: str | None) -> float:
        """Return the age, in seconds, of the first event after `cursor`; 0 if no event follows."""
        events, _ = await self._store.read_all(cursor, 1)
        return max(0.0, (utc_now() - datetime.fromisoformat(events[0][1].at)).total_seconds()) if events else 0.0


def _shown_generation(projection: str, generations: list[Generation]) -> Generation | None:
    """Return the live generation of a projection, or the last one that is being built; None without any."""
    mine = [each for each in generations if each.projection == projection]
    return next((each for each in mine if each.live), mine[-1] if mine else None)
