"""A WebSocket, and the limit on what its client may send."""

import asyncio
from typing import Any, Final

from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from service.connections.counting import Connection

HEARD: Final = 64 * 1024
"""Bytes that a client may send at once. The service has no use for them, and many small frames take long to read."""
HEARD_A_SECOND: Final = 4 * 1024
"""Bytes that it may send again after every second."""


class SocketConnection(Connection, WebSocketsSansIOProtocol):
    """A WebSocket, in the place of the HTTP connection that asked for it."""

    def __init__(self, before: Connection, config: Config, server_state: ServerState, app_state: Any) -> None:
        WebSocketsSansIOProtocol.__init__(self, config, server_state, app_state)
        self._before = before
        self.connections_of_server = before.connections_of_server
        self._may_send = float(HEARD)
        self._at = self.loop.time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.connections_of_server.hand_over(self._before, self)

    def data_received(self, data: bytes) -> None:
        now = self.loop.time()
        self._may_send = min(HEARD, self._may_send + (now - self._at) * HEARD_A_SECOND) - len(data)
        self._at = now
        if self._may_send < 0 and self.handshake_initiated:
            self._silence()
            return
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.transport.is_closing():
            # The library's limits for headers may be stricter than ours. uvicorn would wait for ever.
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def _silence(self) -> None:
        """End a WebSocket whose client sends too much."""
        if self.transport.is_closing():
            return
        self.connections_of_server.note("talkative")
        if self.handshake_complete:
            self.conn.fail(1008, "too much was sent")
            self.handle_parser_exception()
        else:
            self.transport.close()

    def handle_ping(self) -> None:
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()  # A client that does not read gets no pongs: they would only pile up.
