"""The site of an app: the host or scheme of its redirect address, the only thing that is certain about an app.

Apps choose everything else themselves, even their names. So the question to a person shows the site first.
"""

import re
from typing import Final, Literal

from msgspec import Struct

LONGEST: Final = 1_000
"""The most characters of a redirect address."""

DEVICE: Final = "device"
LOOPBACK: Final = "http://localhost"

# Accept nothing that a browser could read differently: no user, no backslash, no fragment.
_PORT: Final = r"(?::(\d{1,5}))?"
_REST: Final = r"(?:[/?][A-Za-z0-9._~:/?\[\]@!$&'()*+,;=%-]*)?"
_HOST: Final = r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_WEB: Final = re.compile(rf"https://({_HOST}){_PORT}{_REST}")
_LOOPBACK: Final = re.compile(rf"http://(127\.0\.0\.1|\[::1\]|localhost){_PORT}{_REST}")
_PRIVATE: Final = re.compile(r"([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+):/{0,3}[A-Za-z0-9._~:/?@!$&'()*+,;=%-]*")
_ADDRESS: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")

Kind = Literal["web", "program", "app", "device"]


class BadRedirect(ValueError):
    """An unacceptable redirect address; `allowed` says which addresses are accepted."""

    def __init__(self, why: str, allowed: str) -> None:
        super().__init__(why)
        self.allowed = allowed


class Site(Struct, frozen=True):
    """The site of an app.

    Attributes:
        kind: a web page; a program on the person's computer; an app with a scheme of its own; a device without a
            browser.
        name: the same for all addresses of an app: the origin, `http://localhost`, the scheme, or `device`.
        shown: the text for people: the host with its port, the scheme, or nothing.
    """

    kind: Kind
    name: str
    shown: str

    @property
    def is_sure(self) -> bool:
        """Whether no other app can be at the site. True for host names with a dot: any program can take a scheme."""
        host = self.shown.partition(":")[0]
        last = host.rpartition(".")[2]
        return self.kind == "web" and "." in host and last != "localhost" and not last.isdigit()


def site_of(redirect: str) -> Site:
    """Return the site of a redirect address. Raises `BadRedirect`."""
    if len(redirect) > LONGEST:
        raise BadRedirect(f"Its redirect_uri has {len(redirect)} characters.", f"It may have {LONGEST}.")
    scheme, _, rest = redirect.partition(":")
    lowered = f"{scheme.lower()}:{_lower_host(rest)}"
    if match := _LOOPBACK.fullmatch(lowered):
        return Site("program", LOOPBACK, "")
    if match := _WEB.fullmatch(lowered):
        host = match[1]
        # If the last part of a host is a number, a browser reads the host as an IP address, in several notations.
        if re.fullmatch(r"\d+|0x[0-9a-f]*", host.rpartition(".")[2]) and not _is_plain_address(host):
            raise BadRedirect(f"Its redirect_uri has the host {host!r}.", "Write an IP address as four numbers.")
        port = match[2] or "443"
        if not 0 < int(port) < 65_536:
            raise BadRedirect(f"Its redirect_uri has the port {port}.", "A port is a number from 1 to 65535.")
        name = host if int(port) == 443 else f"{host}:{int(port)}"
        return Site("web", f"https://{name}", name)
    if match := _PRIVATE.fullmatch(lowered):
        return Site("app", f"{match[1]}:", match[1])
    raise BadRedirect(
        f"Its redirect_uri is {redirect!r}." if redirect else "It has no redirect_uri.",
        "It is an https address, an http address of the loopback interface (http://127.0.0.1:PORT/…), or has a scheme "
        "of the app's own with a dot in it (com.example.app:/…). It has no user, no fragment and no other characters "
        "than RFC 3986 allows.",
    )


def is_same(registered: str, redirect: str) -> bool:
    """Tell whether an address is the registered one. On the loopback interface, any port is accepted (RFC 8252)."""
    if registered == redirect:
        return True
    first, second = (_LOOPBACK.fullmatch(each) is not None for each in (registered, redirect))
    return first and second and _without_port(registered) == _without_port(redirect)


def shown_of(site: str) -> Site:
    """Return the site with this name."""
    if site == DEVICE:
        return Site("device", DEVICE, "")
    if site == LOOPBACK:
        return Site("program", LOOPBACK, "")
    if site.startswith("https://"):
        return Site("web", site, site.removeprefix("https://"))
    return Site("app", site, site.removesuffix(":"))


def _lower_host(rest: str) -> str:
    """Return an address without its scheme, with the host in small letters: hosts do not depend on case."""
    match = re.match(r"//[^/?#]*", rest)
    return rest if match is None else match[0].lower() + rest[match.end() :]


def _is_plain_address(host: str) -> bool:
    parts = host.split(".")
    return _ADDRESS.fullmatch(host) is not None and all(str(int(part)) == part and int(part) < 256 for part in parts)


def _without_port(address: str) -> str:
    return re.sub(r"^(http://(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d+)?", r"\1", address)
