"""The composition root: the parts of the service, put together."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import Final

from litestar import Litestar, Router
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.types import ASGIApp

from domain.boards import builtin
from domain.kernel.ruleset import Library
from domain.library import LIBRARY
from service.accounts import Accounts
from service.answers import on_exception
from service.calls import Call
from service.clock import Clock, utc_now
from service.hall import Hall
from service.house import Boards, House
from service.journal import Journal
from service.metrics import Metrics
from service.readmodels import Refusals, keeping, open_rows
from service.routes import API, LARGE, metrics, pages
from service.settings import Settings
from service.store.lock import only_service
from service.store.protocol import EventStore, StoreUnavailable
from service.store.sqlite import SqliteStore
from service.wake import LocalWake

# A token is sent by a header that no browser adds by itself, so any site may be a frontend.
CORS: Final = CORSConfig(
    allow_origins=["*"],
    allow_methods=["GET", "POST", "DELETE"],
    allow_headers=[
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-Match",
        "If-None-Match",
        "Last-Event-ID",
    ],
    expose_headers=["ETag", "Location", "Request-Id", "Retry-After"],
    max_age=3600,
)


@asynccontextmanager
async def open_house(
    settings: Settings,
    library: Library = LIBRARY,
    boards: Boards = builtin,
    clock: Clock = utc_now,
    randomness: Callable[[int], bytes] = secrets.token_bytes,
) -> AsyncIterator[House]:
    """Open the store and what works on it; close it all at the end. An embedded store is for this process alone.

    Raises `StoreDamaged`, or `StoreUnavailable` when another service holds the data directory.
    """
    with nullcontext() if settings.database_url else only_service(settings.data):
        watched = Metrics()
        store = await open_store(settings, watched)
        wake = LocalWake()
        rows = await open_rows(settings)
        refusals = Refusals(rows)

        def refused(ruleset: str, rule: str) -> None:
            refusals.note(ruleset, rule)
            watched.refusals.labels(ruleset, rule).inc()

        hall = Hall(store, library, wake, clock, settings, randomness, boards, refused, watched)
        house = House(
            settings=settings,
            library=library,
            boards=boards,
            store=store,
            accounts=Accounts(store, clock, randomness),
            wake=wake,
            hall=hall,
            rows=rows,
            metrics=watched,
        )
        try:
            async with keeping(settings, library, store, rows, wake), refusals.kept():
                yield house
        finally:
            wake.close()
            await hall.close()
            await rows.close()
            await store.close()


async def open_store(settings: Settings, metrics: Metrics | None = None) -> EventStore:
    """Open the store that the settings choose; `metrics` watch its connections.

    Raises `StoreDamaged` or `StoreUnavailable`.
    """
    if not settings.database_url:
        return await SqliteStore.open(settings.database, durable=settings.durable)
    try:
        from service.store.postgres import PostgresStore
    except ModuleNotFoundError as error:
        raise StoreUnavailable("PostgreSQL needs the extra packages of tabularium[production]") from error
    store = await PostgresStore.open(
        settings.database_url, durable=settings.durable, connections=settings.database_connections
    )
    if metrics is not None:
        metrics.watch_pool(store.connections)
    return store


def create_app(house: House) -> ASGIApp:
    """Return the service over the parts of an open house."""
    large = Router("/", route_handlers=[*LARGE], request_max_body_size=house.settings.board_limit)
    # Told on the same port unless they have one of their own.
    watched = metrics.ROUTES if house.settings.metrics_port is None else ()
    app = Litestar(
        route_handlers=[*API, large, *pages.ROUTES, *watched],
        request_class=Call,
        request_max_body_size=house.settings.body_limit,
        exception_handlers={Exception: on_exception},
        cors_config=CORS,
        openapi_config=None,  # ours is made by `service.contract`
        logging_config=None,
        state=State({"house": house}),
    )
    return Journal(app, house.metrics)
