"""Counts each request against the limits of its address and its token."""

import hashlib
from typing import cast

from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from service.accounts.caller import UnknownToken
from service.accounts.limits import Limits, TooMany, headers_of, network_of
from service.api.bearer import bearer_of, session_of
from service.api.request import Call
from service.api.response import on_exception


class Limiting(ASGIMiddleware):
    """Counts requests against limits, and adds to every answer the headers that say what remains of them."""

    scopes = (ScopeType.HTTP,)
    exclude_path_pattern = ("^/health$", "^/ready$", "^/metrics$")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        try:
            standings = await self._limits.admit(address_of(scope), token_of(scope))
        except TooMany as error:
            request = Call(cast(HTTPScope, scope), receive, send)
            await on_exception(request, error).to_asgi_response(None, request)(scope, receive, send)
            return
        headers = headers_of(standings)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start" and standings:
                answer_headers = MutableScopeHeaders.from_message(message)
                for name, value in headers.items():  # the limit of an endpoint may have set the header already
                    answer_headers.setdefault(name, value)
            await send(message)

        await next_app(scope, receive, send_on)


def address_of(scope: Scope) -> str:
    """Return the client's address; for IPv6 its network, because there a customer has a whole network."""
    client = scope.get("client")
    return network_of(client[0]) if client is not None else ""


def token_of(scope: Scope) -> str | None:
    """Return a digest of the token or session that a request comes with; None when there is none."""
    try:
        token = bearer_of(scope) or session_of(scope)
    except UnknownToken:
        return None
    return hashlib.sha256(token.encode()).hexdigest()[:32] if token is not None else None
