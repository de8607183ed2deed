"""The composition root: the parts of the service, put together."""

import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from copy import copy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from litestar import Litestar, Router
from litestar.datastructures import State
from litestar.types import ASGIApp

from domain.boards import builtin, drawing_of
from domain.kernel.rules.ruleset import Library
from domain.library import LIBRARY
from domain.transparency.policy import Party, PolicyError, read_policy
from service.accounts.accounts import Accounts
from service.accounts.apps.apps import Apps
from service.accounts.limits import DEVICE_CODES, IMPORTS, Limits, limits_of
from service.api.apps import protocol as oauth
from service.api.controls import Controls
from service.api.dispatch import Dispatch
from service.api.journal import Journal
from service.api.limiting import Limiting
from service.api.operations import metrics
from service.api.origins import CrossOrigin
from service.api.pages import built, embeds, mail, viewer
from service.api.pages import docs as pages
from service.api.request import Call
from service.api.response import on_exception
from service.api.routes import API, EXPORTS, LARGE, routes_of
from service.api.services import Boards, Services
from service.base.clock import Clock, utc_now
from service.base.extras import needs_extra
from service.base.settings import Settings
from service.bots.playing import playing
from service.closing import Closing
from service.cluster.common_time import common_time
from service.cluster.shared_wake import open_shared_wake
from service.cluster.tail import Tail
from service.cluster.wake import LocalWake, Wake
from service.dumps.index import added
from service.games.games import Games
from service.games.snapshots import Snapshots, Tier
from service.games.timekeeper import keeping_time
from service.games.watch import Watch
from service.imports.imports import LARGEST, Imports
from service.joining import Joining
from service.judging.desk import Desk
from service.leagues.leagues import Leagues
from service.observe.background import background
from service.observe.logging import log
from service.observe.metrics import Metrics
from service.observe.tracing import Traced, is_tracing
from service.organizing.running import organizing
from service.pictures.scenes import Drawings
from service.ratings import counting
from service.readmodels import Refusals, keeping
from service.store.backend import backend_of
from service.store.expiry import forgetting
from service.store.protocol import EventStore
from service.tournaments.committee import Committee
from service.tournaments.drafts import drafting
from service.tournaments.drawing import by_solver
from service.tournaments.secretary import serving
from service.tournaments.solving import Solver
from service.transparency import keys
from service.transparency.keys import LogKey
from service.transparency.log import TransparencyLog
from service.transparency.sequencer import sequencing
from service.webhooks.telling import telling

if TYPE_CHECKING:
    from service.accounts.code_flow import Provider
    from service.accounts.oidc import Issuer
    from service.cluster.redis import Redis


@asynccontextmanager
async def open_services(
    settings: Settings,
    library: Library = LIBRARY,
    boards: Boards = builtin,
    clock: Clock = utc_now,
    randomness: Callable[[int], bytes] = secrets.token_bytes,
    drawings: Drawings = drawing_of,
    sandbox: Controls | None = None,
) -> AsyncIterator[Services]:
    """Open the store and all parts that use it; close them at the end. An embedded store is for this process alone.

    Raises `MissingExtra`, `StoreDamaged`, or `StoreUnavailable`, also when another service holds the data directory.
    """
    backend = backend_of(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(backend.reserved())
        counters = Metrics()
        redis = await stack.enter_async_context(open_redis(settings, counters)) if settings.redis_url else None
        store = await backend.open_store(counters)
        counters.store_full.set_function(lambda: float(store.is_full))
        counters.store_damaged.set_function(lambda: float(store.damage is not None))
        counters.dumps_added.set_function(lambda: added(settings.dumps))
        stack.push_async_callback(store.close)
        store.begin_checking()
        past = await backend.open_past(store, counters)
        stack.push_async_callback(past.close)
        rows = await backend.open_projections()
        stack.push_async_callback(rows.close)
        if store.is_shared and clock is utc_now:
            clock = await stack.enter_async_context(common_time(rows))
        wake = await stack.enter_async_context(open_wake(store, redis))
        refusals = Refusals(rows)

        def count_refusal(ruleset: str, rule: str) -> None:
            refusals.note(ruleset, rule)
            counters.refusals.labels(ruleset, rule).inc()

        issuer = await stack.enter_async_context(trusting(settings)) if settings.oidc_issuer else None
        identify = issuer.identify if issuer is not None else None
        accounts = Accounts(store.accounts, clock, randomness, settings.token_cache, identify, store.apps)
        snapshots = Snapshots(await open_snapshots(settings, redis), counters)
        stack.push_async_callback(snapshots.close)
        watch = Watch(store, rows)
        games = Games(
            store, library, wake, clock, settings, randomness, boards, count_refusal, counters, snapshots, past, watch
        )
        stack.push_async_callback(games.close)
        log_key = signing_key(settings, randomness)
        webhooks, devices, mailboxes = await stack.enter_async_context(
            telling(settings, store, games, rows, wake, clock, randomness, counters)
        )
        desk = Desk(store, games, wake, clock, randomness)
        committee = Committee(store, games, wake, clock, randomness)
        committee.draw = by_solver(Solver())
        drafts = await stack.enter_async_context(drafting(committee, rows))
        organizers = await stack.enter_async_context(
            organizing(store, games, accounts, rows, settings, clock, randomness)
        )
        closing = Closing(store, rows, accounts, games, committee)
        leagues = Leagues(store, committee, wake, clock, randomness)
        services = Services(
            settings=settings,
            library=library,
            boards=boards,
            store=store,
            past=past,
            accounts=accounts,
            apps=Apps(store.apps, accounts, clock, Limits([DEVICE_CODES], redis, counters)),
            wake=wake,
            tail=Tail(store, wake),
            games=games,
            desk=desk,
            committee=committee,
            closing=closing,
            leagues=leagues,
            joining=Joining(store, rows, accounts, games, committee, leagues, closing),
            imports=Imports(store, library, clock, Limits([IMPORTS], redis, counters)),
            drafts=drafts,
            rows=rows,
            transparency=TransparencyLog(store.tree),
            log_key=log_key,
            metrics=counters,
            provider=provider_of(settings, issuer, store, clock),
            redis=redis,
            limits=limits_of(settings, redis, counters),
            drawings=drawings,
            webhooks=webhooks,
            devices=devices,
            mailboxes=mailboxes,
            organizing=organizers,
            sandbox=sandbox,
        )
        await stack.enter_async_context(keeping(settings, library, store, rows, wake))
        if settings.projections:
            await stack.enter_async_context(counting(store, rows, wake))
        await stack.enter_async_context(
            sequencing(store, log_key, settings.data, rows, wake, witnesses_of(settings), counters.signing.set)
        )
        await stack.enter_async_context(keeping_time(settings, games, store, rows, watch, counters))
        await stack.enter_async_context(playing(settings, games, store, wake, accounts, rows))
        await stack.enter_async_context(serving(settings, committee, games, store, desk, wake, clock, rows))
        await stack.enter_async_context(refusals.writing())
        await stack.enter_async_context(accounts.callers.writing())
        await stack.enter_async_context(forgetting(store, clock, settings.key_hours))
        yield services


def signing_key(settings: Settings, randomness: Callable[[int], bytes]) -> LogKey | None:
    """Return the key that signs the transparency log. If it cannot be used, log why and return None: games go on."""
    try:
        return keys.log_key(settings, randomness)
    except keys.KeyUnusable as error:
        log.error("nothing is signed", why=str(error))
        return None


def witnesses_of(settings: Settings) -> Mapping[str, Party]:
    """Return the witnesses of the transparency log. If their policy cannot be read, log why and return none."""
    try:
        return read_policy(Path(settings.log_policy).read_bytes()).witnesses if settings.log_policy else {}
    except (PolicyError, OSError) as error:
        log.error("no witness is asked", policy=settings.log_policy, why=str(error))
        return {}


@asynccontextmanager
async def trusting(settings: Settings) -> AsyncIterator["Issuer"]:
    """Provide the issuer that the settings name, and keep its keys up to date. Raises `MissingExtra`."""
    with needs_extra("production", "OpenID Connect"):
        from service.accounts.oidc import Issuer
    issuer = Issuer(settings)
    try:
        async with background("reading the issuer's keys", issuer.keep()):
            yield issuer
    finally:
        await issuer.close()


def provider_of(settings: Settings, issuer: "Issuer | None", store: EventStore, clock: Clock) -> "Provider | None":
    """Return the provider through which people sign in to the pages; None if the settings name none.

    Raises `MissingExtra`.
    """
    if issuer is None or not settings.oidc_client_id:
        return None
    with needs_extra("production", "OpenID Connect"):
        from service.accounts.code_flow import Provider
    return Provider(issuer, settings, store.accounts, clock)


async def open_snapshots(settings: Settings, redis: "Redis | None" = None) -> list[Tier]:
    """Open the stores of snapshots that the settings choose, the fastest first. Raises `StoreUnavailable`."""
    if not settings.snapshot_every:
        return []
    places = [Tier("snapshots", await backend_of(settings).open_snapshots(), settings.snapshot_every)]
    if redis is not None:
        from service.cluster.redis_snapshots import EVERY, RedisSnapshots

        places.insert(0, Tier("hot-snapshots", RedisSnapshots(redis), EVERY))
    return places


def open_redis(settings: Settings, metrics: Metrics) -> "AbstractAsyncContextManager[Redis]":
    """Return a context that provides the Redis that the settings name. Raises `MissingExtra`."""
    with needs_extra("production", "Redis"):
        from service.cluster import redis
    return redis.open_redis(settings.redis_url, metrics)


@asynccontextmanager
async def open_wake(store: EventStore, redis: "Redis | None") -> AsyncIterator[Wake]:
    """Provide what wakes the readers of this process, or of all processes that share its store."""
    if store.is_shared:
        async with open_shared_wake(store, redis) as wake:
            yield wake
    else:
        wake = LocalWake()
        try:
            yield wake
        finally:
            wake.close()


def create_app(services: Services) -> ASGIApp:
    """Return the ASGI app of the service, over its open parts."""
    settings = services.settings
    has_metrics = settings.metrics_port is None  # otherwise they are on a port of their own
    limiting = Limiting(services.limits) if services.limits is not None else None
    # Registering the routes takes 0.15 s, and tests open a thousand services, so they share the routes. Litestar takes
    # the app and its state from the scope of a connection, so a shallow copy serves as an app. The limits are a
    # middleware that belongs to one service: with them the routes are registered anew.
    register = _registered if limiting is not None else _shared_routes
    litestar = copy(register(settings.body_limit, settings.board_limit, has_metrics, limiting))
    litestar.state = State({"services": services})
    app = CrossOrigin(Dispatch(litestar, limiting))
    return Journal(Traced(app) if is_tracing() else app, services.metrics, services.quiet)


def _registered(body_limit: int, board_limit: int, has_metrics: bool, limiting: Limiting | None) -> Litestar:
    """Return an app with the routes, behind the limits if there are any. It has no services yet."""
    others = (pages, built, viewer, embeds, mail, oauth, *([metrics] if has_metrics else ()))
    large = Router("/", route_handlers=[*LARGE], request_max_body_size=board_limit)
    exports = Router("/", route_handlers=[*EXPORTS], request_max_body_size=LARGEST)
    return Litestar(
        route_handlers=[*API, large, exports, *(each for module in others for each in routes_of(module))],
        request_class=Call,
        request_max_body_size=body_limit,
        exception_handlers={Exception: on_exception},
        middleware=[limiting] if limiting is not None else [],
        openapi_config=None,  # ours is made by `service.api.contract.document`
        logging_config=None,
    )


_shared_routes = cache(_registered)
