"""How tests ask a service in their own process: httpx over plain sockets, with a parser in C.

The transport that comes with httpx can also do TLS, proxies, pools with limits and other event loops, and parses in
Python. For a test it took more processor time than the service that it asked.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import httptools
import httpx

CHUNK = 65_536


class Wire(httpx.AsyncBaseTransport):
    """HTTP/1.1 without TLS: a connection for each request that is under way, and used again when it is answered."""

    def __init__(self) -> None:
        self._idle: list[_Connection] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        connection = await self._connection(request.url)
        try:
            await connection.send(request)
            while not connection.begun:
                await connection.receive()
        except BaseException:
            connection.close()
            raise
        status = connection.parser.get_status_code()
        return httpx.Response(status, headers=connection.headers, stream=_Body(connection, self._idle))

    async def _connection(self, url: httpx.URL) -> "_Connection":
        while self._idle:
            connection = self._idle.pop()
            if connection.place == (url.host, url.port) and connection.is_open:
                return connection
            connection.close()
        connection = _Connection(url.host, url.port)
        await connection.open()
        return connection

    async def aclose(self) -> None:
        while self._idle:
            self._idle.pop().close()


class _Body(httpx.AsyncByteStream):
    """The rest of an answer, read when it is asked for: a service notices that its client is slow."""

    def __init__(self, connection: "_Connection", idle: "list[_Connection]") -> None:
        self._connection = connection
        self._idle = idle

    async def __aiter__(self) -> AsyncIterator[bytes]:
        connection = self._connection
        while connection.parts or not connection.complete:
            if not connection.parts:
                await connection.receive()
            yield b"".join(connection.parts)
            connection.parts.clear()

    async def aclose(self) -> None:
        connection = self._connection
        if connection.complete and connection.stays:
            self._idle.append(connection)
        else:
            connection.close()


class _Connection:
    """A connection, and how far the answer on it has come. The parser calls the methods ``on_…``."""

    def __init__(self, host: str, port: int | None) -> None:
        self.place = host, port

    async def open(self) -> None:
        try:
            self._reader, self._writer = await asyncio.open_connection(*self.place, limit=CHUNK)
        except OSError as fault:
            raise httpx.ConnectError(str(fault)) from fault

    @property
    def is_open(self) -> bool:
        return not self._writer.is_closing() and not self._reader.at_eof()

    def close(self) -> None:
        self._writer.close()

    async def send(self, request: httpx.Request) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.headers: list[tuple[bytes, bytes]] = []
        self.parts: list[bytes] = []
        self.begun = self.complete = self.stays = False
        self._has_no_body = request.method == "HEAD"
        self._patience = request.extensions["timeout"]["read"]
        lines = [b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
        lines += (b"%b: %b" % header for header in request.headers.raw)
        self._writer.write(b"\r\n".join([*lines, b"", b""]))
        chunked = "transfer-encoding" in request.headers
        assert isinstance(request.stream, httpx.AsyncByteStream)
        # A server that closes before it has read everything may have answered already.
        with contextlib.suppress(ConnectionError):
            async for part in request.stream:
                self._writer.write(b"%x\r\n%b\r\n" % (len(part), part) if chunked else part)
                await self._writer.drain()
            if chunked:
                self._writer.write(b"0\r\n\r\n")

    async def receive(self) -> None:
        """Read on. Raises `httpx.TransportError` when no more comes of an answer that is not complete."""
        try:
            async with asyncio.timeout(self._patience):
                data = await self._reader.read(CHUNK)
            if not data:
                raise httpx.RemoteProtocolError("The service closed the connection before its answer was complete.")
            self.parser.feed_data(data)
        except TimeoutError as late:
            raise httpx.ReadTimeout("") from late
        except ConnectionError as fault:
            raise httpx.ReadError(str(fault)) from fault
        except httptools.HttpParserError as fault:
            raise httpx.RemoteProtocolError(str(fault)) from fault

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self.begun = True
        # The parser expects the body that the headers announce, and so needs another for the next answer.
        self.complete = self._has_no_body

    def on_body(self, body: bytes) -> None:
        self.parts.append(body)

    def on_message_complete(self) -> None:
        self.complete, self.stays = True, self.parser.should_keep_alive()
