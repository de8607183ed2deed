"""Headers that keep a browser from making more of an answer than it is: they go with every answer."""

from typing import Final

NOTHING: Final = "default-src 'none'; frame-ancestors 'none'"
"""The policy of an answer that is data: a browser that shows it as a document runs, loads and frames nothing."""

Header = tuple[bytes, bytes]

_POLICY: Final = b"content-security-policy"
_LENGTH: Final = len(_POLICY)
_NO_SNIFFING: Final[Header] = (b"x-content-type-options", b"nosniff")
_BOTH: Final[tuple[Header, Header]] = ((_POLICY, NOTHING.encode()), _NO_SNIFFING)


def shielded(headers: list[Header]) -> list[Header]:
    """Add to headers those that every answer has, and return them; pages and pictures have a policy of their own."""
    for name, _ in headers:
        if len(name) == _LENGTH and name.lower() == _POLICY:
            headers.append(_NO_SNIFFING)
            return headers
    headers += _BOTH
    return headers
