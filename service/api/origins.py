"""Cross-origin requests: which pages of other sites may read answers (the CORS protocol of the Fetch standard)."""

from collections.abc import Awaitable
from typing import Final

from litestar import Request, Response
from litestar.config.cors import CORSConfig
from litestar.constants import DEFAULT_ALLOWED_CORS_HEADERS
from litestar.datastructures import MutableScopeHeaders, State
from litestar.enums import MediaType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from service.api.headers import header_of

# No browser adds the header of a token by itself, so any site can be a frontend.
CORS: Final = CORSConfig(
    allow_origins=["*"],
    allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
    allow_headers=[
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "Prefer",
        "If-Match",
        "If-None-Match",
        "If-Range",
        "Last-Event-ID",
        "Range",
    ],
    expose_headers=[
        "Accept-Ranges",
        "Content-Range",
        "Deprecation",
        "ETag",
        "Link",
        "Location",
        "RateLimit",
        "RateLimit-Policy",
        "Request-Id",
        "Retry-After",
        "Sunset",
    ],
    max_age=3600,
)

_ACCEPTED: Final = {name.lower() for name in (*CORS.allow_headers, *DEFAULT_ALLOWED_CORS_HEADERS)}
_ADDED: Final = {
    **CORS.simple_headers,
    "Access-Control-Allow-Headers": ", ".join(sorted(CORS.allow_headers)),
    "Access-Control-Allow-Methods": ", ".join(sorted(CORS.allow_methods)),
}


class CrossOrigin:
    """ASGI middleware that adds what `CORS` says to answers. It takes no time for requests without an ``Origin``.

    Litestar's own middleware makes a dictionary of all headers for every request: a sixth of the time of a read from
    memory.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] != "http" or not (origin := header_of(scope, b"origin")):
            return self.app(scope, receive, send)
        return self._answer(origin, scope, receive, send)  # pyrefly: ignore[bad-argument-type]  # it is HTTP

    async def _answer(self, origin: str, scope: HTTPScope, receive: Receive, send: Send) -> None:
        if scope["method"] == "OPTIONS":
            request = Request[object, object, State](scope, receive, send)
            await _preflight(request).to_asgi_response(None, request)(scope, receive, send)
            return
        added = dict(_ADDED)
        if header_of(scope, b"cookie") is not None:  # to a request with cookies, a browser accepts no `*`
            added |= {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableScopeHeaders.from_message(message).update(added)
            await send(message)

        await self.app(scope, receive, send_on)


def _preflight(request: Request[object, object, State]) -> Response[str | None]:
    """Answer a preflight, which a browser sends before any request that a form could not send."""
    method = request.headers.get("access-control-request-method")
    names = request.headers.get("access-control-request-headers", "").split(",")
    failures = ["method"] if method and method not in CORS.allow_methods else []
    if any(name.strip() and name.strip().lower() not in _ACCEPTED for name in names):
        failures.append("headers")
    if failures:
        return Response(f"Disallowed CORS {', '.join(failures)}", status_code=400, media_type=MediaType.TEXT)
    return Response(None, status_code=204, media_type=MediaType.TEXT, headers=CORS.preflight_headers)
