"""The addresses of the public internet. An address that a user chose must be one of them.

`ipaddress.is_global` is not enough: it is true for multicast, and for IPv6 addresses that lead to an IPv4 address of
any kind. The lists here follow IANA's registries of special-purpose addresses.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

IPAddress = IPv4Address | IPv6Address

LONGEST_URL: Final = 2048

_NAME: Final = re.compile(
    r"(?=.{1,253}\Z)([a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?)*"
)
_IPV4_NUMBER: Final = re.compile(r"(.*\.)?(0x[0-9a-f]*|[0-9]+)")
"""A host that the system takes for an IPv4 address, because its last part is a number: `127.1`, `0x7f000001`."""

_CLOSED_IPV4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by the customers of a provider; some clouds' metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # the host of a virtual machine at Azure: public by its number only
            "169.254.0.0/16",  # link-local; most clouds' metadata
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # multicast tunnels
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_OPEN_IPV6: Final = IPv6Network("2000::/3")
"""The IPv6 addresses for the public internet. All others are private, local, multicast or translated from IPv4."""

_CLOSED_IPV6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: leads to any IPv4 address
            "2620:4f:8000::/48",  # AS112
            "3ffe::/16",  # the old 6bone
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
"""Its addresses lead to the IPv4 address in their last 32 bits. On a network without IPv4, names may have no others."""


class BadTarget(ValueError):
    """An address to which the service sends nothing.

    Attributes:
        allowed: what would be right.
    """

    def __init__(self, detail: str, allowed: str) -> None:
        super().__init__(detail)
        self.allowed = allowed


class Target(Struct, frozen=True):
    """The target of a request.

    Attributes:
        scheme: `https` or `http`.
        host: a name or an address, without brackets.
        port: the port.
        path: the path and the query.
    """

    scheme: str
    host: str
    port: int
    path: str


def is_public(address: IPAddress) -> bool:
    """Tell whether an address belongs to the public internet."""
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in _CLOSED_IPV4)
    if address.scope_id is not None:
        return False
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _OPEN_IPV6 and address.is_global and not any(address in network for network in _CLOSED_IPV6)


def read_target(url: str, *, anywhere: bool = False) -> Target:
    """Return the target of an address that a user chose. `anywhere` allows plain HTTP, every port and every host.

    A host name is not resolved here: `post.Guard` checks its addresses when it connects. Raises `BadTarget`.
    """
    example = "Send an address such as https://example.org/hooks/7."
    if not url.isascii() or not url.isprintable() or any(each in url for each in ' "<>\\^`{|}'):
        raise BadTarget("The address has characters that an address cannot have.", f"Percent-encode them. {example}")
    if len(url) > LONGEST_URL:
        raise BadTarget(f"The address has {len(url)} characters.", f"It may have {LONGEST_URL}.")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise BadTarget(f"{url!r} is no address.", example) from None
    if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not anywhere):
        raise BadTarget(f"The address begins with {parts.scheme + ':' if parts.scheme else 'no scheme'}.", example)
    if "@" in parts.netloc:
        raise BadTarget("The address contains a user name.", "Leave out what stands before the @.")
    if "#" in url:
        raise BadTarget("The address has a fragment, which no server receives.", "Leave out the # and what follows.")
    standard = 443 if parts.scheme == "https" else 80
    if port == 0 or (port not in (None, 443) and not anywhere):
        raise BadTarget(f"The address names port {port}.", "Requests go to port 443: leave the port out.")
    literal = _literal(host)
    if literal is None and not _NAME.fullmatch(host):
        raise BadTarget(f"The address names the host {host!r}.", f"Send a host name in ASCII. {example}")
    if not anywhere and ((literal is not None and not is_public(literal)) or _is_odd_number(host, literal)):
        raise BadTarget(f"{host} is no address of the public internet.", example)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port or standard, path)


def _literal(host: str) -> IPAddress | None:
    try:
        return IPv6Address(host) if ":" in host else IPv4Address(host)
    except ValueError:
        return None


def _is_odd_number(host: str, literal: IPAddress | None) -> bool:
    return literal is None and _IPV4_NUMBER.fullmatch(host) is not None
