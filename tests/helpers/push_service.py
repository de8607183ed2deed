"""A push service of this machine, which Firefox takes for Mozilla's: it brings to browsers what is sent for them.

To services it speaks RFC 8030 and checks their signature (RFC 8292), to Firefox the protocol of autopush.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from tests.helpers.browsers import signed


class PushService(Struct, eq=False):
    """A push service: its browsers by channel, with the key that each accepts, and what was sent for them."""

    http: int = 0
    socket: int = 0
    browsers: dict[str, tuple[ServerConnection, str]] = field(default_factory=dict[str, tuple[ServerConnection, str]])
    sent: list[tuple[dict[str, str], bytes]] = field(default_factory=list[tuple[dict[str, str], bytes]])
    shown: int = 0

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.socket}/"

    async def talk(self, connection: ServerConnection) -> None:
        """Answer a browser as long as it is there."""
        with suppress(ConnectionClosed):
            async for message in connection:
                answer = self._answer(connection, json.loads(message))
                if answer is not None:
                    await connection.send(json.dumps(answer))

    def _answer(self, connection: ServerConnection, asked: Any) -> Any:
        match asked.get("messageType"):
            case "hello":
                return {"messageType": "hello", "status": 200, "uaid": "1", "use_webpush": True, "broadcasts": {}}
            case "register":
                channel = asked["channelID"]
                self.browsers[channel] = connection, asked["key"].rstrip("=")
                endpoint = f"http://127.0.0.1:{self.http}/send/{channel}"
                return {"messageType": "register", "status": 200, "channelID": channel, "pushEndpoint": endpoint}
            case "unregister":
                self.browsers.pop(asked["channelID"], None)
                return {"messageType": "unregister", "status": 200, "channelID": asked["channelID"]}
            case "ack":
                self.shown += len(asked["updates"])
                return None
            case _:
                return None

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take what a service sends for a browser."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        request, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(headers["content-length"]))
        status = await self._relay(request.split()[1].rpartition("/")[2], headers, body)
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        writer.close()

    async def _relay(self, channel: str, headers: dict[str, str], body: bytes) -> str:
        if channel not in self.browsers:
            return "410 Gone"
        connection, key = self.browsers[channel]
        claims, known = signed(headers["authorization"])
        if known != key or urlsplit(claims["aud"]).port != self.http or "ttl" not in headers:
            return "403 Forbidden"
        self.sent.append((headers, body))
        notification = {
            "messageType": "notification",
            "channelID": channel,
            "version": f"{len(self.sent)}",
            "data": base64.urlsafe_b64encode(body).decode().rstrip("="),
            "headers": {"encoding": headers["content-encoding"]},
        }
        await connection.send(json.dumps(notification))
        return "201 Created"


@asynccontextmanager
async def push_service() -> AsyncIterator[PushService]:
    service = PushService()
    server = await asyncio.start_server(service.take, "127.0.0.1", 0)
    service.http = server.sockets[0].getsockname()[1]
    async with serve(service.talk, "127.0.0.1", 0) as socket:
        service.socket = next(iter(socket.sockets)).getsockname()[1]
        try:
            yield service
        finally:
            server.close()
