"""One header of a request; and those of every answer that keep a browser from making more of it than it is."""

from typing import Final

from litestar.types import Scope

NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
"""The policy of an answer that is data: a browser that shows it as a document runs, loads and frames nothing."""

Header = tuple[bytes, bytes]

REQUEST_ID: Final = b"request-id"

_POLICY: Final = b"content-security-policy"
_LENGTH: Final = len(_POLICY)
_NO_SNIFFING: Final[Header] = (b"x-content-type-options", b"nosniff")
_BOTH: Final[tuple[Header, Header]] = ((_POLICY, NOTHING.encode()), _NO_SNIFFING)


def header_of(scope: Scope, name: bytes) -> str | None:
    """Return a header of a request; None when it is not there. Without reading all to find one, as Litestar does."""
    for given, value in scope["headers"]:
        if given == name:
            return value.decode("latin-1")
    return None


def list_header_of(scope: Scope, name: bytes) -> str | None:
    """Return a header that is a list, which may come in several lines (RFC 9110); None when it is not there."""
    lines = [value.decode("latin-1") for given, value in scope["headers"] if given == name]
    return ", ".join(lines) if lines else None


def shielded(headers: list[Header]) -> list[Header]:
    """Add to headers those that every answer has, and return them; pages and pictures have a policy of their own."""
    for name, _ in headers:
        if len(name) == _LENGTH and name.lower() == _POLICY:
            headers.append(_NO_SNIFFING)
            return headers
    headers += _BOTH
    return headers
