"""The metrics, for Prometheus. For those who run the service, so not in the published contract."""

import asyncio
import math
from datetime import datetime
from typing import Final

from litestar.handlers import get
from litestar.response import Response

from projections.library import PROJECTIONS
from projections.store import Generation, Unavailable
from service.calls import Call
from service.clock import utc_now
from service.house import House
from service.store.protocol import StoreError

PATIENCE: Final = 2.0
"""Seconds for which the stores are waited for; without their answer the rest is told all the same."""


@get("/metrics")
async def show_metrics(request: Call) -> Response[bytes]:
    """Show the metrics of this process."""
    house = request.house
    await look_at_projections(house)
    content, media = house.metrics.told(request.headers.get("accept", ""))
    return Response(content, headers={"Content-Type": media})


async def look_at_projections(house: House) -> None:
    """Bring the metrics of the projections up to date; what cannot be known now is not a number."""
    metrics = house.metrics
    try:
        async with asyncio.timeout(PATIENCE):
            generations = await house.rows.generations()
            total = await house.store.events()
            ages = {cursor: await _age(house, cursor) for cursor in {each.cursor for each in generations}}
    except (StoreError, Unavailable, TimeoutError):
        for projection in PROJECTIONS:
            metrics.projection_behind.labels(projection.name).set(math.nan)
            metrics.projection_behind_seconds.labels(projection.name).set(math.nan)
        return
    for projection in PROJECTIONS:
        at = _read(projection.name, generations)
        metrics.projection_behind.labels(projection.name).set(max(0, total - (at.events if at else 0)))
        metrics.projection_behind_seconds.labels(projection.name).set(ages[at.cursor] if at else math.nan)
        metrics.projection_stopped.labels(projection.name).set(at is not None and at.trouble is not None)


def _read(projection: str, generations: list[Generation]) -> Generation | None:
    """Return the rows that are read; those that are being built while there are none."""
    mine = [each for each in generations if each.projection == projection]
    return next((each for each in mine if each.live), mine[-1] if mine else None)


async def _age(house: House, cursor: str | None) -> float:
    """Return the age, in seconds, of the first event after `cursor`; 0 when there is none."""
    events, _ = await house.store.read_all(cursor, 1)
    return max(0.0, (utc_now() - datetime.fromisoformat(events[0][1].at)).total_seconds()) if events else 0.0


ROUTES = (show_metrics,)
