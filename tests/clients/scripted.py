"""A service that answers what a test says, request by request: it breaks off, is silent, or comes back as another."""

import contextlib
import json
import socketserver
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

Part = bytes | float
"""What is sent, or for how many seconds nothing is. After the last part the connection is closed."""

CLOSED: Final[tuple[Part, ...]] = ()
"""No answer."""


class Received(Struct, frozen=True):
    """A request that arrived. Names of headers are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Script(socketserver.ThreadingTCPServer):
    """The answers that are still to be given, and the requests that came so far."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, replies: list[tuple[Part, ...]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = replies
        self.received: list[Received] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(socketserver.StreamRequestHandler):
    server: Script  # type: ignore[assignment]

    def handle(self) -> None:
        method, path, _ = self.rfile.readline().decode().split(" ")
        headers: dict[str, str] = {}
        while line := self.rfile.readline().strip():
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        body = self.rfile.read(int(headers.get("content-length", 0)))
        self.server.received.append(Received(method, path, headers, body))
        reply = self.server.replies.pop(0) if self.server.replies else problem(500, detail="The script is at its end.")
        with contextlib.suppress(OSError):  # The client had enough.
            for part in reply:
                if isinstance(part, bytes):
                    self.wfile.write(part)
                else:
                    time.sleep(part)


def answer(document: Any, status: int = 200, cut: float = 1, **headers: str) -> tuple[Part, ...]:
    """Return an answer with JSON, of which only a part arrives when `cut` is less than 1."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    lines = {"Content-Length": str(len(body)), "Connection": "close", **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode(), body[: int(cut * len(body))]


def problem(status: int, **document: Any) -> tuple[Part, ...]:
    """Return a problem."""
    return answer({"type": "/problems/some", "title": "Some problem", "status": status, **document}, status)


def stream(*parts: Part) -> tuple[Part, ...]:
    """Return a stream, which breaks off after its last part."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n", *parts


def row(version: int, kind: str = "seat-taken", ruleset: str = "mare-nostrum", **more: Any) -> dict[str, Any]:
    """Return an event of a game as the service shows it."""
    at, event = "2026-11-21T18:00:00.000000Z", {"type": kind, "seat": "rome", "text": "Ἰουδαία"}
    shown = {"version": version, "ruleset": ruleset, "type": kind, "at": at, "schema": 1, "draws": 0, "event": event}
    return shown | {"hash": f"{version:064x}"} | more


def frame(version: int, kind: str = "seat-taken", **more: Any) -> bytes:
    """Return the frame of an event."""
    data = json.dumps(row(version, kind, **more), ensure_ascii=False)
    return f"id: {version}\nevent: {kind}\ndata: {data}\n\n".encode()


OVER: Final = answer(b"", 204)
"""No more will come."""


@contextlib.contextmanager
def scripted(*replies: tuple[Part, ...]) -> Iterator[Script]:
    """Run a service that gives these answers, one for each request."""
    with Script(list(replies)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
