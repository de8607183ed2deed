"""Serving: uvicorn around the app, so that open streams end when the service stops."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import uvicorn

from service.app import create_app, open_house
from service.background import background
from service.house import House
from service.settings import Settings
from service.sockets import address_of, listen
from service.watching.exporter import Exporter, feel_the_loop
from service.watching.logging import configure, log
from service.watching.tracing import tracing


class Server(uvicorn.Server):
    """A server that tells its streams to end before it waits for them; without that they would hold it up."""

    def __init__(self, house: House) -> None:
        settings = house.settings
        self._house = house
        super().__init__(
            uvicorn.Config(
                create_app(house),
                host=settings.host,
                port=settings.port,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                forwarded_allow_ips=settings.proxies,
                ws="websockets-sansio",
                ws_max_size=settings.body_limit,
                timeout_graceful_shutdown=max(1, round(settings.grace)),
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal, and do not raise it again afterwards as uvicorn does: the store is still to be closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._house.wake.close()
        await super().shutdown(sockets)


Exhibit = Callable[[House, str], AbstractContextManager[None]]
"""Shows something at a service whose address is given, for as long as the context lasts."""


async def serve(
    settings: Settings,
    announce: Callable[[str], None] = lambda address: None,
    exhibit: Exhibit = lambda house, address: nullcontext(),
) -> None:
    """Serve until SIGINT or SIGTERM comes; `announce` is told the address once requests are taken.

    Raises:
        StoreError: the database is damaged, another service holds the data directory, or packages are missing.
            Nothing was changed.
        OSError: the address cannot be listened on.
    """
    configure(settings.log_level)
    with tracing(settings.traces_url):
        await _serve(settings, announce, exhibit)


async def _serve(settings: Settings, announce: Callable[[str], None], exhibit: Exhibit) -> None:
    async with open_house(settings) as house:
        exporter = Exporter(house.metrics, house.store, house.rows)
        with listen(settings.host, settings.port) as listening:
            async with (
                background("measuring the event loop", feel_the_loop(house.metrics)),
                exporter.serving(settings.host, settings.metrics_port) as metrics,
            ):
                log.info("serving", address=address_of(listening), metrics=metrics, settings=settings.shown())
                announce(address_of(listening))
                with exhibit(house, address_of(listening)):
                    await Server(house).serve(sockets=[listening])
