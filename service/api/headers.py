"""Reading a header of a request, and the security headers of every answer."""

from typing import Final

from litestar.types import Scope

NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
"""The content security policy of data: a browser that shows it as a document must run, load and frame nothing."""

Header = tuple[bytes, bytes]

REQUEST_ID: Final = b"request-id"

_POLICY: Final = b"content-security-policy"
_LENGTH: Final = len(_POLICY)
_NO_SNIFFING: Final[Header] = (b"x-content-type-options", b"nosniff")
_BOTH: Final[tuple[Header, Header]] = ((_POLICY, NOTHING.encode()), _NO_SNIFFING)


def header_of(scope: Scope, name: bytes) -> str | None:
    """Return a header of a request, or None. Unlike Litestar's way, this does not decode all headers."""
    for key, value in scope["headers"]:
        if key == name:
            return value.decode("latin-1")
    return None


def list_header_of(scope: Scope, name: bytes) -> str | None:
    """Return a header that is a list and may come in several lines (RFC 9110), or None."""
    lines = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return ", ".join(lines) if lines else None


def shielded(headers: list[Header]) -> list[Header]:
    """Add security headers to those of an answer, and return all. An answer that has its own policy keeps it."""
    for name, _ in headers:
        if len(name) == _LENGTH and name.lower() == _POLICY:
            headers.append(_NO_SNIFFING)
            return headers
    headers += _BOTH
    return headers
