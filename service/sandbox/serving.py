"""Running a sandbox under uvicorn until it is stopped."""

import socket
from collections.abc import Callable

from service.base.sockets import address_of, listen, make_room
from service.observe.logging import configure
from service.sandbox.sandbox import Sandbox, open_sandbox
from service.sandbox.settings import SandboxSettings
from service.server import Server


class SandboxServer(Server):
    """A server for a sandbox. A reset replaces the service behind it."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox.services, sandbox)
        self._sandbox = sandbox

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._sandbox.end_streams()
        await super().shutdown(sockets)


async def serve(settings: SandboxSettings, announce: Callable[[str, Sandbox], None]) -> None:
    """Serve until SIGINT or SIGTERM. `announce` is called with the address when requests are accepted.

    Raises what `open_sandbox` raises, and `OSError` when it cannot listen on the address.
    """
    configure(settings.log_level)
    make_room(settings.connections)
    with listen(settings.host, settings.port) as listening:
        async with open_sandbox(settings) as sandbox:
            server = SandboxServer(sandbox)
            announce(address_of(listening), sandbox)
            await server.serve(sockets=[listening])
