"""Calling endpoints straight from a request, without the parts of Litestar that they do not need."""

import re
from collections.abc import Awaitable
from functools import lru_cache
from typing import Any, Final, cast

from litestar import Litestar
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import HTTPScope, Receive, Scope, Send
from litestar.utils.path import normalize_path
from msgspec import Struct

from service.api.endpoint import Endpoint
from service.api.headers import header_of
from service.api.limiting import Limiting
from service.api.request import Call
from service.api.response import on_exception

_PLAIN_HOST: Final = re.compile(r"[A-Za-z0-9.:-]+")


@lru_cache(64)
def _is_plain(host: str | None) -> bool:
    return _PLAIN_HOST.fullmatch(host or "none") is not None


CACHED: Final = 1024
"""How many addresses the cache of endpoints holds: the most recently used."""


class _Found(Struct, frozen=True):
    """The endpoint of an address: Litestar's handler, and the parameters in the path."""

    handler: HTTPRouteHandler
    path: str
    parameters: dict[str, Any]
    template: str


class Dispatch:
    """ASGI middleware that calls the endpoints whose answers are ready bytes; all else is left to Litestar.

    Litestar finds the endpoint. Between finding and calling, it does more: a second handler of exceptions, a stack of
    contexts, dependencies, conversion of parameters, cookies. None of these endpoints needs that, and it would take a
    third of the time of a read from memory.
    """

    def __init__(self, app: Litestar, limiting: Limiting | None) -> None:
        self.app = app
        self._find = lru_cache(CACHED)(self._look_up)
        self._answer = limiting(_answer) if limiting is not None else _answer

    def _look_up(self, path: str, method: Any) -> _Found | None:
        """Return the endpoint of an address; None if Litestar should answer or refuse it."""
        try:
            _, handler, path, parameters, template = self.app.asgi_router.handle_routing(normalize_path(path), method)
        except HTTPException:
            return None
        endpoint: Endpoint | None = handler.opt.get("endpoint")
        if endpoint is None or endpoint.streams:
            return None
        return _Found(cast(HTTPRouteHandler, handler), path, parameters, template)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        match = None
        if scope["type"] == "http":
            match = self._find(scope["path"], scope["method"])  # pyrefly: ignore[bad-typed-dict-key]  # it is HTTP
        # Litestar refuses some hosts and strips root paths.
        if match is None or scope.get("root_path") or not _is_plain(header_of(scope, b"host")):
            return self.app(scope, receive, send)
        scope["path"], scope["path_params"], scope["path_template"] = match.path, match.parameters, match.template
        scope["route_handler"] = match.handler
        scope["app"] = scope["litestar_app"] = self.app
        cast(dict[str, Any], scope)["services"] = self.app.state["services"]
        scope.setdefault("state", {})
        return self._answer(scope, receive, send)


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    request = Call(cast(HTTPScope, scope), receive, send)
    try:
        response = await cast(Any, request.route_handler).opt["endpoint"].respond(request)
    except Exception as error:  # answer every error
        response = on_exception(request, error)
    await response.to_asgi_response(None, request)(scope, receive, send)
