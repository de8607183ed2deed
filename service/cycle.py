"""A request and its answer on a connection, in fewer steps than uvicorn takes; `connections` has the limits.

It follows the inside of uvicorn's own cycle: when uvicorn is upgraded, compare the two.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.httptools_impl import HEADER_RE, HEADER_VALUE_RE, STATUS_LINE, RequestResponseCycle

from service.api.headers import REQUEST_ID


class Cycle(RequestResponseCycle):
    """A request and its answer: uvicorn's, which looks through each header of each answer, and here at each once."""

    async def send(self, message: Any) -> None:
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        kind = message["type"]
        if self.disconnected:
            return
        if kind == "http.response.start" and not self.response_started:
            self._write_head(message["status"], (*self.default_headers, *message.get("headers", ())))
        elif (
            kind == "http.response.body"
            and self.chunked_encoding is False
            and not self.response_complete
            and not message.get("more_body")
            and len(body := message.get("body", b"")) == self.expected_content_length
            and self.scope["method"] != "HEAD"
        ):
            # The whole of an answer, as most are.
            self.transport.write(body)
            self.response_complete = True
            self.message_event.set()
            if not self.keep_alive:
                self.transport.close()
            self.on_response()
        else:
            await super().send(message)

    def _write_head(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.response_started, self.waiting_for_100_continue = True, False
        lines = [STATUS_LINE[status]]
        closes = False
        for name, value in headers:
            if name == REQUEST_ID:  # never the same twice, and ours
                lines += (name, b": ", value, b"\r\n")
                continue
            # The session of a browser is not to be kept.
            line, says = _line(name, value) if name != b"set-cookie" else _line.__wrapped__(name, value)
            lines.append(line)
            if says is None:
                continue
            if says == "close":
                self.keep_alive, closes = False, True
            elif says == "chunked":
                self.chunked_encoding, self.expected_content_length = True, 0
            elif self.chunked_encoding is None:
                self.chunked_encoding, self.expected_content_length = False, says
        if not self.keep_alive and not closes:
            lines.append(b"connection: close\r\n")
        if self.chunked_encoding is None and self.scope["method"] != "HEAD" and status not in (204, 304):
            self.chunked_encoding = True
            lines.append(b"transfer-encoding: chunked\r\n")
        lines.append(b"\r\n")
        self.transport.write(b"".join(lines))


@lru_cache(1024)
def _line(name: bytes, value: bytes) -> tuple[bytes, int | Literal["chunked", "close"] | None]:
    """Return a header as it is sent, and what it says of the answer: its length, or how it or the connection ends."""
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        raise RuntimeError(f"the header {name!r} has characters that end a header")
    name = name.lower()
    says = None
    if name == b"content-length":
        says = int(value)
    elif name == b"transfer-encoding" and value.lower() == b"chunked":
        says = "chunked"
    elif name == b"connection" and b"close" in [token.lower().strip() for token in value.split(b",")]:
        says = "close"
    return b"%b: %b\r\n" % (name, value), says


@lru_cache(1024)
def parsed(url: bytes) -> tuple[str, bytes, bytes]:
    """Return the path of an address, as text and as it came, and its query."""
    found = httptools.parse_url(url)
    path = found.path.decode("ascii")
    return unquote(path) if "%" in path else path, found.path, found.query or b""
