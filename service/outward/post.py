"""Sending a request to an address that a user chose, without reaching anything that only this service can reach.

`Guard` checks addresses where the socket is opened. It resolves a name once, all its addresses must be public, and it
connects to one of these very addresses: so a resolver that changes its answer gains nothing. There are no proxies, no
redirects, no cookies, and a connection is used once.

The users who chose the address learn only whether there was an answer. The reason would let them find out which ports
are open, so only operators see it (`Unanswered.why`).
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from ipaddress import ip_address
from socket import SOCK_STREAM, getaddrinfo
from typing import Any, Final, cast

import httpcore
from msgspec import Struct

from service.outward.addresses import IPAddress, Target, is_public

SECONDS: Final = 15.0
"""The most seconds for a whole request, from resolving the name to the end of the answer."""

CONNECT: Final = 5.0
"""The most seconds for connecting to one address; they count towards `SECONDS`."""

MOST_BYTES: Final = 64 * 1024
"""The most bytes of an answer's body. A longer answer counts as none."""

KEPT_BYTES: Final = 1024
"""The most bytes of the body that `Answer` has."""

MOST_ADDRESSES: Final = 16
"""A name with more addresses is refused: it was probably made to direct our requests against somebody."""

TRIED_ADDRESSES: Final = 3
"""The most addresses of a name that are tried."""

RESOLVER_THREADS: Final = 16
"""The most names that are resolved at a time, in threads of their own, because a resolver may hang for long."""

Resolve = Callable[[str, int], Awaitable[Iterable[str]]]
"""Returns the addresses of a name. Raises `OSError`."""


class Unanswered(Exception):
    """There was no answer, or none in time, or the answer was too long. Only operators see `why`."""

    def __init__(self, why: str) -> None:
        super().__init__("no answer")
        self.why = why


class Answer(Struct, frozen=True):
    """The answer to a request.

    Attributes:
        status: the HTTP status.
        body: its first bytes.
        retry_after: the header `Retry-After`, if there is one.
    """

    status: int
    body: bytes = b""
    retry_after: str | None = None


class Guard(httpcore.AsyncNetworkBackend):
    """Opens connections to public addresses only. With `anywhere`, to all: for tests and closed networks."""

    def __init__(self, resolve: Resolve, *, anywhere: bool = False) -> None:
        self._resolve = resolve
        self._anywhere = anywhere
        self._network = cast(httpcore.AsyncNetworkBackend, httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - as httpcore calls it
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host. Raises `Unanswered`."""
        addresses = await self._addresses(host, port)
        why = ""
        for address in addresses[:TRIED_ADDRESSES]:
            try:
                return await self._network.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout, OSError) as error:
                why = f"{address}: {type(error).__name__} {error}"
        raise Unanswered(why)

    async def connect_unix_socket(self, *args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:
        """Refuse: users have no Unix sockets on this machine."""
        raise Unanswered("a socket of this machine was asked for")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _addresses(self, host: str, port: int) -> list[IPAddress]:
        """Return the addresses of a host. Raises `Unanswered` unless all of them are allowed."""
        try:
            addresses = [*dict.fromkeys(ip_address(each) for each in await self._resolve(host, port))]
        # `ValueError`: an impossible name, such as one with a label that is too long.
        except (OSError, ValueError) as error:
            raise Unanswered(f"{host} cannot be resolved: {error}") from None
        if not addresses or len(addresses) > MOST_ADDRESSES:
            raise Unanswered(f"{host} has {len(addresses)} addresses")
        closed = [each for each in addresses if not self._anywhere and not is_public(each)]
        if closed:
            raise Unanswered(f"{host} leads to {closed[0]}, which is not public")
        return addresses


class Outward:
    """Sends requests to addresses that users chose."""

    def __init__(
        self,
        *,
        anywhere: bool = False,
        resolve: Resolve | None = None,
        trust: ssl.SSLContext | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """By default, `resolve` is the system's resolver, and `trust` has the certificates that the system trusts."""
        self.anywhere = anywhere
        self.seconds = seconds
        self._threads = ThreadPoolExecutor(RESOLVER_THREADS, "resolving")
        self._trust = trust
        self._guard = Guard(resolve or self._resolved, anywhere=anywhere)

    async def post(self, target: Target, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send a body by POST, and return the answer. Raises `Unanswered`."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self._post(target, headers, body)
        except TimeoutError:
            raise Unanswered(f"no answer within {self.seconds} seconds") from None
        except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError) as error:
            raise Unanswered(f"{type(error).__name__} {error}"[:500]) from None

    async def _post(self, target: Target, headers: Mapping[str, str], body: bytes) -> Answer:
        origin = httpcore.Origin(target.scheme.encode(), target.host.encode(), target.port)
        host = f"[{target.host}]" if ":" in target.host else target.host
        standard = 443 if target.scheme == "https" else 80
        all_headers = {
            "Host": host if target.port == standard else f"{host}:{target.port}",
            "User-Agent": "Tabularium",
            "Accept-Encoding": "identity",
            "Connection": "close",
            "Content-Length": str(len(body)),
            **headers,
        }
        url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
        trust = self._trust or _trusted()
        connection = httpcore.AsyncHTTPConnection(origin, trust, network_backend=self._guard)
        try:
            async with connection.stream(
                "POST", url, headers=[*all_headers.items()], content=body, extensions={"timeout": {"connect": CONNECT}}
            ) as response:
                beginning = await _first_of(response.aiter_stream())
                # Names are bytes, in the case in which the server wrote them.
                after = next((value for name, value in response.headers if name.lower() == b"retry-after"), None)
                return Answer(response.status, beginning, after.decode("latin-1") if after is not None else None)
        finally:
            with suppress(Exception):
                await connection.aclose()

    async def _resolved(self, host: str, port: int) -> list[str]:
        loop = asyncio.get_running_loop()
        addresses = await loop.run_in_executor(self._threads, lambda: getaddrinfo(host, port, type=SOCK_STREAM))
        return [str(address[0]) for *_, address in addresses]

    def close(self) -> None:
        """Stop the threads that resolve names."""
        self._threads.shutdown(wait=False, cancel_futures=True)


@cache
def _trusted() -> ssl.SSLContext:
    """Return a context that trusts the system's certificates. Loading them is slow, so this is done on first use."""
    return ssl.create_default_context()


async def _first_of(body: AsyncIterator[bytes]) -> bytes:
    """Read a body to its end, and return its first bytes. Raises `Unanswered` for one that is too long."""
    beginning, length = b"", 0
    async for piece in body:
        length += len(piece)
        if length > MOST_BYTES:
            raise Unanswered(f"the answer has more than {MOST_BYTES} bytes")
        if len(beginning) < KEPT_BYTES:
            beginning += piece[: KEPT_BYTES - len(beginning)]
    return beginning
