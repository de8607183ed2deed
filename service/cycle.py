"""A request and its answer on a connection, in fewer steps than uvicorn takes.

It copies internals of uvicorn's own cycle: when uvicorn is upgraded, compare the two. The limits of connections are in
`service.connections`.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.httptools_impl import HEADER_RE, HEADER_VALUE_RE, STATUS_LINE, RequestResponseCycle

from service.api.headers import REQUEST_ID


class Cycle(RequestResponseCycle):
    """Uvicorn's cycle, except that a header that was sent before is not checked again."""

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
            # The whole body at once, as most answers have it.
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
            if name == REQUEST_ID:  # not cached, as each is new; not checked, as the service made it
                lines += (name, b": ", value, b"\r\n")
                continue
            # The cookie of a browser's session must not stay in the cache.
            line, framing = _line(name, value) if name != b"set-cookie" else _line.__wrapped__(name, value)
            lines.append(line)
            if framing is None:
                continue
            if framing == "close":
                self.keep_alive, closes = False, True
            elif framing == "chunked":
                self.chunked_encoding, self.expected_content_length = True, 0
            elif self.chunked_encoding is None:
                self.chunked_encoding, self.expected_content_length = False, framing
        if not self.keep_alive and not closes:
            lines.append(b"connection: close\r\n")
        if self.chunked_encoding is None and self.scope["method"] != "HEAD" and status not in (204, 304):
            self.chunked_encoding = True
            lines.append(b"transfer-encoding: chunked\r\n")
        lines.append(b"\r\n")
        self.transport.write(b"".join(lines))


@lru_cache(1024)
def _line(name: bytes, value: bytes) -> tuple[bytes, int | Literal["chunked", "close"] | None]:
    """Return a header as it is sent, and what it says about framing: the length of the body, "chunked" or "close"."""
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        raise RuntimeError(f"the header {name!r} has characters that end a header")
    name = name.lower()
    framing = None
    if name == b"content-length":
        framing = int(value)
    elif name == b"transfer-encoding" and value.lower() == b"chunked":
        framing = "chunked"
    elif name == b"connection" and b"close" in [token.lower().strip() for token in value.split(b",")]:
        framing = "close"
    return b"%b: %b\r\n" % (name, value), framing


@lru_cache(1024)
def parsed(url: bytes) -> tuple[str, bytes, bytes]:
    """Return the path of a URL, decoded and raw, and its query."""
    parts = httptools.parse_url(url)
    path = parts.path.decode("ascii")
    return unquote(path) if "%" in path else path, parts.path, parts.query or b""
