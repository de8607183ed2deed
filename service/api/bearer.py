"""Reading the token or session of a request, in the same way for authentication and for limits."""

from typing import Final

from litestar.types import Scope

from service.accounts.caller import UnknownToken

COOKIE: Final = "tabularium_session"
"""The cookie that signs a browser in."""

_SUBPROTOCOL_PREFIX: Final = "bearer."


def bearer_of(scope: Scope) -> str | None:
    """Return the token of a request or a WebSocket; None when there is none.

    The token is read from the ``Authorization`` header. A WebSocket without this header may send it as a subprotocol,
    ``bearer.<token>``. Raises `UnknownToken` if the header is not of the form ``Bearer <token>``.
    """
    values = _values(scope, b"authorization")
    if values:
        scheme, _, token = values[0].partition(" ")
        if scheme.lower() != "bearer":
            raise UnknownToken("The Authorization header is not of the form `Bearer <token>`.")
        # Strip only spaces: other blanks are part of the token, else one token could be written in many ways.
        return token.strip(" ")
    if scope["type"] != "websocket":
        return None
    tokens = (name for name in subprotocols_of(scope) if name.startswith(_SUBPROTOCOL_PREFIX))
    return next((name.removeprefix(_SUBPROTOCOL_PREFIX) for name in tokens), None)


def session_of(scope: Scope) -> str | None:
    """Return the session of a request's or a WebSocket's browser; None when its cookies have none."""
    return cookie_of(scope, COOKIE)


def cookie_of(scope: Scope, cookie_name: str) -> str | None:
    """Return a cookie of a request or a WebSocket; None when it is not there."""
    for header in _values(scope, b"cookie"):
        for cookie in header.split(";"):
            name, _, value = cookie.strip(" ").partition("=")
            if name == cookie_name:
                return value
    return None


def subprotocols_of(scope: Scope) -> list[str]:
    """Return the subprotocols that a WebSocket offers."""
    return [name.strip(" ") for value in _values(scope, b"sec-websocket-protocol") for name in value.split(",")]


def _values(scope: Scope, header: bytes) -> list[str]:
    return [value.decode("latin-1") for name, value in scope["headers"] if name == header]
