"""The journal: one log line and one count for each request, and its id in the answer and in log lines."""

import time
from collections.abc import Awaitable, Container, Mapping, MutableMapping
from typing import Any, Final, cast

from litestar.types import ASGIApp, Receive, Scope, Send

from domain.kernel.ids import PlayerId
from service.api.headers import REQUEST_ID, shielded
from service.base.ids import new_uuid
from service.observe.logging import log, request_id
from service.observe.metrics import Metrics

_QUIET: Final = ("/health", "/ready", "/metrics")


class Journal:
    """ASGI middleware around the whole app, so that requests without a route are logged, too.

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
        request = cast(MutableMapping[str, Any], scope)
        method = request.get("method", "WEBSOCKET")
        streams = request["path"].endswith("/stream")
        has_body = method != "HEAD" or streams
        if not has_body:
            # Tell the server that this was HEAD. Ranges are only for GET (RFC 9110, 14.2).
            other_headers = [each for each in request["headers"] if each[0] != b"range"]
            request = {**request, "method": "GET", "headers": other_headers}
        request["request_id"] = own_id = new_uuid()
        status = 0

        # No coroutine of its own: that would take longer than the work.
        def send_on(message: Any) -> Awaitable[None]:
            nonlocal status
            kind = message["type"]
            if kind == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), (REQUEST_ID, own_id.encode())]
                headers += request.get("announced", ())
                if "shielded" not in message:
                    shielded(headers)
                # Only these answers name the methods of an address.
                names_methods = status in (204, 405) and not streams
                message["headers"] = [_with_head(*each) for each in headers] if names_methods else headers
            elif kind == "http.response.body":
                if not has_body:
                    message["body"] = b""
            elif kind == "websocket.accept":
                status = 101
            elif kind == "websocket.close":
                status = message.get("code", 1000)
            return send(message)

        began = time.perf_counter()
        bound = request_id.set(own_id)
        try:
            await self.app(cast(Scope, request), receive, send_on)
        finally:
            self._write(request, method, status, time.perf_counter() - began)
            request_id.reset(bound)

    def _write(self, request: Mapping[str, Any], method: str, status: int, took: float) -> None:
        # A request without a route has no template, and its path can be any text.
        route = request.get("path_template") or "unmatched"
        stream = method == "WEBSOCKET" or route.endswith("/stream")
        self._metrics.count_request(method, route, status, took, stream=stream)
        caller = request.get("caller")
        expected = caller is not None and caller.player in self._quiet and status < 400
        write = self._log.debug if expected or request["path"] in _QUIET else self._log.info
        # Do not log the value of an invitation, which is secret.
        path = route if "{secret" in route else request["path"]
        fields = {"method": method, "path": path, "status": status, "ms": round(took * 1000, 2)}
        if game := request.get("path_params", {}).get("game"):
            fields["game"] = game
        if "trace" in request:
            fields["trace"] = request["trace"]
        write("request", **fields)


def _with_head(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Add HEAD to the `Allow` header wherever it lists GET."""
    return name, value.replace(b"GET", b"GET, HEAD") if name.lower() == b"allow" else value
