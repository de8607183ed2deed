"""Serving: uvicorn around the app, so that open streams end when the service stops."""

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from functools import partial
from typing import Final

import uvicorn
from litestar.types import ASGIApp

from service.api.operations.exporter import Exporter
from service.api.services import Services
from service.app import create_app, open_services
from service.base.settings import Settings
from service.base.sockets import address_of, listen, make_room
from service.connections.counting import Connections
from service.connections.http import HttpConnection
from service.connections.websocket import SocketConnection
from service.observe import garbage
from service.observe.background import background
from service.observe.logging import configure, log
from service.observe.metrics import Metrics, feel_the_loop
from service.observe.tracing import tracing

SWEEP: Final = 100
"""Ticks between two searches for connections that do not end; there are ten ticks a second."""


class Server(uvicorn.Server):
    """A server that, when it stops, first tells its streams to end. Otherwise it would wait for them in vain."""

    def __init__(self, services: Services, app: ASGIApp | None = None) -> None:
        """`app` answers in place of the app that `create_app` makes."""
        settings = services.settings
        self._services = services
        self.connections = connections = Connections(settings, services.metrics)
        services.metrics.connections.set_function(lambda: len(connections))
        super().__init__(
            uvicorn.Config(
                app or create_app(services),
                host=settings.host,
                port=settings.port,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                forwarded_allow_ips=settings.proxies,
                http=partial(HttpConnection, connections),  # type: ignore[reportArgumentType]: uvicorn expects a class, and calls it as one calls this
                ws=SocketConnection,
                ws_max_size=settings.body_limit,
                timeout_graceful_shutdown=max(1, round(settings.grace)),
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal. Do not raise it again afterwards, as uvicorn does: the store must still be closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def on_tick(self, counter: int) -> bool:
        if counter % SWEEP == 0:
            self.connections.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._services.wake.close()
        await super().shutdown(sockets)


class _MetricsServer(uvicorn.Server):
    """A server that leaves signals to the one beside it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving_metrics(exporter: Exporter, settings: Settings, metrics: Metrics) -> AsyncIterator[str | None]:
    """Serve the metrics of a process on a port of their own. Yield the address, or None when no port is set.

    Raises `OSError` when it cannot listen on the port.
    """
    if settings.metrics_port is None:
        yield None
        return
    connections = Connections(settings, metrics)
    with listen(settings.host, settings.metrics_port) as listening:
        server = _MetricsServer(
            uvicorn.Config(
                exporter,
                http=partial(HttpConnection, connections),  # type: ignore[reportArgumentType]
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,
            )
        )
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield address_of(listening)
        finally:
            server.should_exit = server.force_exit = True
            await running


Exhibit = Callable[[Services, str], AbstractContextManager[None]]
"""Makes a context in which somebody uses the service at an address, such as the bots that play exhibition games."""


async def serve(
    settings: Settings,
    announce: Callable[[str], None] = lambda address: None,
    exhibit: Exhibit = lambda services, address: nullcontext(),
) -> None:
    """Serve until SIGINT or SIGTERM comes; `announce` gets the address as soon as connections are accepted.

    Raises:
        StoreError: the database is damaged or cannot be used, or another service holds the data directory.
        MissingExtra: packages that a setting needs are missing.
        OSError: the service cannot listen on the address.
    """
    configure(settings.log_level)
    with tracing(settings.traces_url):
        await _serve(settings, announce, exhibit)


async def _serve(settings: Settings, announce: Callable[[str], None], exhibit: Exhibit) -> None:
    open_files = make_room(settings.connections)
    async with open_services(settings) as services:
        exporter = Exporter(services.metrics, services.store, services.rows)
        server = Server(services)
        with listen(settings.host, settings.port) as listening, garbage.set_aside():
            async with (
                background("measuring the event loop", feel_the_loop(services.metrics)),
                background("searching for garbage", garbage.search(lambda: server.server_state.total_requests)),
                serving_metrics(exporter, settings, services.metrics) as metrics,
            ):
                log.info(
                    "serving",
                    address=address_of(listening),
                    metrics=metrics,
                    limits=settings.limits,
                    settings=settings.visible_values(),
                )
                if open_files < settings.connections:
                    log.warning("the system allows too few open files for all connections", connections=open_files)
                if settings.unlimited:
                    log.warning("limits are off on a public address", host=settings.host, off=settings.unlimited)
                announce(address_of(listening))
                with exhibit(services, address_of(listening)):
                    await server.serve(sockets=[listening])
