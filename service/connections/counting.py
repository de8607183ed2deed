"""The open connections of a server, counted by address, and how each ends when its client stops reading."""

import asyncio
import ipaddress
from collections import Counter

from service.accounts.limits import network_of
from service.api.problems.problem import Problem
from service.api.problems.request import TOO_MANY_CONNECTIONS, UNAVAILABLE
from service.base.settings import Settings
from service.observe.metrics import Metrics


class Connections:
    """The open connections of a server: all of them, and how many each address has."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self.settings = settings
        self._metrics = metrics
        self._open: set[Connection] = set()
        self._closing: set[Connection] = set()
        self._by_address: Counter[str] = Counter()
        self._proxies = _networks(settings.proxies)
        self.bodies = 0
        """Bytes of bodies that are kept for requests without an answer."""

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, connection: "Connection", host: str) -> Problem | None:
        """Count a connection from `host`; return None, or the problem if there may be no more connections."""
        most, each = self.settings.connections, self.settings.connections_per_address
        if len(self._open) >= most:
            kind, detail = UNAVAILABLE, f"The service has {most} connections open and takes no more."
            return Problem(kind, detail, kind.remedy, {"Retry-After": "5"})
        address = None if self._is_proxy(host) else network_of(host)
        if address is not None and each != "off" and self._by_address[address] >= each:
            kind = TOO_MANY_CONNECTIONS
            detail = f"Your address has {each} connections open and may have no more."
            return Problem(kind, detail, kind.remedy, {"Retry-After": "5"})
        connection.address = address
        self._open.add(connection)
        if address is not None:
            self._by_address[address] += 1
        return None

    def hand_over(self, connection: "Connection", successor: "Connection") -> None:
        """Give the place of a connection to the WebSocket that it becomes."""
        self._open.discard(connection)
        self._open.add(successor)
        successor.address = connection.address

    def leave(self, connection: "Connection") -> None:
        """Forget a connection that is closed. Do nothing when it was not counted, or was handed over."""
        if connection not in self._open:
            return
        self._open.remove(connection)
        address = connection.address
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    def sweep(self) -> None:
        """Cut off connections that were closing at the last sweep already: their clients do not read what is left."""
        closing = {each for each in self._open if each.transport.is_closing()}
        for connection in closing & self._closing:
            connection.cut_off()
        self._closing = closing

    def note(self, why: str) -> None:
        """Count a connection that the service ends, by the reason."""
        self._metrics.connections_ended.labels(why).inc()

    def _is_proxy(self, host: str) -> bool:
        if self._proxies is None:
            return True
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._proxies)


class Connection(asyncio.Protocol):
    """The common part of HTTP connections and WebSockets: they are counted, and end when the client stops reading."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    connections_of_server: Connections
    address: str | None = None
    """The address by which the connection is counted; None when it is not counted by address."""
    _stalled: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        self.connections_of_server.leave(self)
        self._clear_stall()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(self.connections_of_server.settings.write_timeout, self.cut_off)

    def resume_writing(self) -> None:
        self._clear_stall()
        super().resume_writing()

    def cut_off(self) -> None:
        """End a connection whose client does not read. What was still to be sent is thrown away."""
        self.connections_of_server.note("unread")
        self.transport.abort()

    def _clear_stall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None


def _networks(proxies: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network] | None:
    """Return the networks of the proxies; None when every address is one."""
    if proxies == "*":
        return None
    return [ipaddress.ip_network(part) for part in proxies.split(",") if part]
