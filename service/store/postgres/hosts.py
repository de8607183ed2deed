"""Finding the server that takes writes among the hosts that an address names: ``postgresql://user@a:5432,b:5432/name``.

asyncpg tries several hosts, too, but with one timeout for all: a first host that is frozen uses it up, and the others
are never asked. Here each has its own.
"""

from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import asyncpg

Connection = Any
"""asyncpg's connection, pooled or not."""

PATIENCE: Final = 3
"""Seconds that one host has to accept a connection."""


class Hosts:
    """The hosts of an address, that which is likely to take writes first."""

    def __init__(self, url: str, patience: int = PATIENCE) -> None:
        """`patience`: seconds that each host has."""
        self.urls = each_host(url)
        self._patience = patience

    async def connect(self, **options: Any) -> tuple[Connection, str]:
        """Return a connection to the first host that is a primary, and the host's own address.

        A host that did not answer in time comes last from now on, so that it keeps nobody waiting twice.

        `options` are what `asyncpg.connect` takes.

        Raises:
            OSError, asyncpg.PostgresError, asyncpg.InternalClientError: no host is a primary. Of several hosts, it
                says what is the matter with each.
        """
        troubles: list[str] = []
        for url in tuple(self.urls):
            try:
                found = await asyncpg.connect(url, timeout=self._patience, target_session_attrs="primary", **options)
            except (OSError, asyncpg.PostgresError, asyncpg.InternalClientError) as error:
                if len(self.urls) == 1:
                    raise
                troubles.append(f"{urlsplit(url).netloc.rpartition('@')[2]} {_trouble(error)}")
                if isinstance(error, TimeoutError):
                    self.urls.remove(url)
                    self.urls.append(url)
            else:
                return found, url
        raise ConnectionError("no host takes writes: " + ", ".join(troubles))


def each_host(url: str) -> list[str]:
    """Return an address for each host that `url` names, in the order there, with all that else stands in it."""
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    if "," not in hosts:
        return [url]
    return [urlunsplit(parts._replace(netloc=f"{login}{at}{host}")) for host in hosts.split(",")]


def _trouble(error: BaseException) -> str:
    match error:
        case TimeoutError():
            return "does not answer"
        case asyncpg.TargetServerAttributeNotMatched():
            return "is a standby"
        case _:
            return f"refuses ({' '.join(str(error).split()) or type(error).__name__})"
