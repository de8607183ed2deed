"""One line of the log and one count for every request, and an id by which its answer and its log lines are found."""

import time
from collections.abc import Container, Mapping, MutableMapping
from typing import Any, Final, cast
from uuid import uuid4

from litestar.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, reset_contextvars

from domain.kernel.words import PlayerId
from service.api.headers import shielded
from service.observe.logging import log
from service.observe.metrics import Metrics

_QUIET: Final = ("/health", "/ready", "/metrics")


class Journal:
    """ASGI middleware around the whole app, so that what never reaches a route is logged as well.

    Also answers HEAD wherever GET is answered (streams excepted), which Litestar does not.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, quiet: Container[PlayerId] = ()) -> None:
        """Requests of the accounts in `quiet` are logged at the level debug, unless they fail."""
        self.app = app
        self._metrics = metrics
        self._quiet = quiet
        self._log = log.bind()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = cast(MutableMapping[str, Any], dict(scope))
        request["request_id"] = str(uuid4())
        method = request.get("method", "WEBSOCKET")
        has_body = method != "HEAD" or _streams(request)
        if not has_body:
            request["method"] = "GET"
        seen: dict[str, Any] = {"status": 0}

        async def send_on(message: Message) -> None:
            _note(message, seen, request)
            if message["type"] == "http.response.body" and not has_body:
                message["body"] = b""
            await send(message)

        began = time.perf_counter()
        bound = bind_contextvars(request=request["request_id"])
        try:
            await self.app(cast(Scope, request), receive, send_on)
        finally:
            self._write(request, method, seen, time.perf_counter() - began)
            reset_contextvars(**bound)

    def _write(
        self, request: MutableMapping[str, Any], method: str, seen: MutableMapping[str, Any], took: float
    ) -> None:
        # What never reached a route has no template, and its path may be anything.
        route = request.get("path_template") or "unmatched"
        stream = method == "WEBSOCKET" or route.endswith("/stream")
        self._metrics.answered(method, route, seen["status"], took, stream=stream)
        caller = request.get("caller")
        expected = caller is not None and caller.player in self._quiet and seen["status"] < 400
        write = self._log.debug if expected or request["path"] in _QUIET else self._log.info
        game = request.get("path_params", {}).get("game")
        write(
            "request",
            method=method,
            path=request["path"],
            status=seen["status"],
            ms=round(took * 1000, 2),
            **({"game": game} if game else {}),
            **({"trace": request["trace"]} if "trace" in request else {}),
        )


def _note(message: Any, seen: MutableMapping[str, Any], request: Mapping[str, Any]) -> None:
    match message["type"]:
        case "http.response.start":
            seen["status"] = message["status"]
            headers = shielded([*message.get("headers", ()), (b"request-id", request["request_id"].encode())])
            message["headers"] = headers if _streams(request) else [_with_head(*each) for each in headers]
        case "websocket.accept":
            seen["status"] = 101
        case "websocket.close":
            seen["status"] = message.get("code", 1000)
        case _:
            pass


def _with_head(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Name HEAD among the methods of an address that Litestar allows GET."""
    return name, value.replace(b"GET", b"GET, HEAD") if name.lower() == b"allow" else value


def _streams(request: Mapping[str, Any]) -> bool:
    return request["path"].endswith("/stream")
