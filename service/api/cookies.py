"""The cookie that signs a browser in, and why no other site can act with it (CSRF).

Three things each keep other sites out: `SameSite=Lax`, the `Origin` that a browser names, and a header that a form
cannot send and that `origins.CORS` allows no other site.
"""

from typing import Final
from urllib.parse import urlsplit

from litestar.types import Scope

from service.api.bearer import COOKIE
from service.api.headers import header_of
from service.api.problems.access import CROSS_SITE
from service.api.problems.problem import Problem

LASTS: Final = 400 * 24 * 3600
"""Seconds for which a browser keeps the cookie: the most that browsers allow. Each visit renews it."""

FLOW: Final = "tabularium_sign_in"
"""The cookie of a browser that was sent to the provider to sign in."""

FLOW_PATH: Final = "/v1/session/provider"


def session_cookie(scope: Scope, session: str) -> dict[str, str]:
    """Return the headers that give a browser its session."""
    return {"Set-Cookie": _cookie(scope, session), "Cache-Control": "no-store"}


def cleared(scope: Scope) -> dict[str, str]:
    """Return the headers that make a browser forget its session."""
    return {"Set-Cookie": _cookie(scope, "", 0), "Cache-Control": "no-store"}


def sent_away(scope: Scope, flow: str, seconds: int) -> dict[str, str]:
    """Return the headers that store `flow` in a browser that is sent to the provider, as proof that it was sent there.

    The cookie is `Strict`: no page of another site can make the browser send it. After the return, a page of ours sends
    it.
    """
    value = f"{FLOW}={flow}; Path={FLOW_PATH}; Max-Age={seconds}; HttpOnly; SameSite=Strict{_secure(scope)}"
    return {"Set-Cookie": value, "Cache-Control": "no-store"}


def _cookie(scope: Scope, value: str, seconds: int = LASTS) -> str:
    return f"{COOKIE}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{_secure(scope)}"


def _secure(scope: Scope) -> str:
    return "; Secure" if scope.get("scheme") in ("https", "wss") else ""


def require_own_page(scope: Scope) -> None:
    """Accept a request that only reads, or that comes from a page of this service; else raise `Problem`."""
    reads = scope["type"] == "http" and scope.get("method") == "GET"
    if not reads:
        require_page(scope)


def require_no_other_site(scope: Scope) -> None:
    """Raise `Problem` if a page of another site makes a browser with a session read something.

    This serves downloads: a browser that follows a link cannot add the header `Tabularium-Page`. When somebody enters
    the address, `Sec-Fetch-Site` is `none`.
    """
    site = header_of(scope, b"sec-fetch-site")
    if site not in (None, "same-origin", "none"):
        raise _refused(f"A page of another site leads here (Sec-Fetch-Site is {site!r})")


def require_page(scope: Scope) -> None:
    """Raise `Problem` unless a request or a WebSocket comes from a page of this service."""
    origin, site = header_of(scope, b"origin"), header_of(scope, b"sec-fetch-site")
    if site not in (None, "same-origin"):
        raise _refused(f"The request comes from {origin or 'elsewhere'} (Sec-Fetch-Site is {site!r})")
    if origin is not None and urlsplit(origin).netloc.lower() != (header_of(scope, b"host") or "").lower():
        raise _refused(f"The request comes from {origin}")
    if scope["type"] == "websocket":
        if origin is None:
            raise _refused("The WebSocket has no Origin header")
    elif not header_of(scope, b"tabularium-page"):
        raise _refused("The request has no header `Tabularium-Page`")


def _refused(why: str) -> Problem:
    kind = CROSS_SITE
    return Problem(kind, f"{why}, so it is not known to come from a page of this service.", kind.remedy)
