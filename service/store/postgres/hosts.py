"""Finding the primary, or a standby, among the hosts that an address names: ``postgresql://user@a:5432,b:5432/name``.

asyncpg tries several hosts, too, but with one timeout for all: a frozen first host uses it up, and asyncpg never tries
the others. Here each host has its own timeout.
"""

from typing import Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import asyncpg

Connection = Any
"""asyncpg's connection, pooled or not."""

PATIENCE: Final = 3
"""Seconds that one host has to accept a connection."""

Role = Literal["primary", "standby"]


class Hosts:
    """The hosts of an address, in its order, except that a host that did not answer in time moves to the end."""

    def __init__(self, url: str, patience: int = PATIENCE, role: Role = "primary") -> None:
        """`patience` is how many seconds each host has to accept a connection; `role` is the role to look for."""
        self.urls = each_host(url)
        self._patience = patience
        self._role: Role = role

    async def connect(self, **options: Any) -> tuple[Connection, str]:
        """Return a connection to the first host that has the role, and the address of that host alone.

        A host that does not answer in time moves to the end, so that later calls try the other hosts first.

        `options` are further arguments of `asyncpg.connect`.

        Raises:
            OSError, asyncpg.PostgresError, asyncpg.InternalClientError: no host has the role. For several hosts, the
            message says what is wrong with each.
        """
        troubles: list[str] = []
        for url in tuple(self.urls):
            try:
                connection = await asyncpg.connect(
                    url, timeout=self._patience, target_session_attrs=self._role, **options
                )
            except (OSError, asyncpg.PostgresError, asyncpg.InternalClientError) as error:
                if len(self.urls) == 1:
                    raise
                troubles.append(f"{urlsplit(url).netloc.rpartition('@')[2]} {_trouble(error, self._role)}")
                if isinstance(error, TimeoutError):
                    self.urls.remove(url)
                    self.urls.append(url)
            else:
                return connection, url
        trouble = "no host takes writes: " if self._role == "primary" else "no host is a standby: "
        raise ConnectionError(trouble + ", ".join(troubles))


# For a standby, this is the timeline of its last restart point. It changes only after the standby has followed a new
# primary, never before.
_LINEAGE: Final = (
    "SELECT (SELECT system_identifier FROM pg_control_system()),"
    " (SELECT oid::bigint FROM pg_database WHERE datname = current_database()),"
    " CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())"
    " ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer END"
)


class Lineage(NamedTuple):
    """The values that a database has in common with its standbys: the ids of its cluster, database and timeline."""

    cluster: int
    database: int
    timeline: int


async def lineage_of(connection: Connection) -> Lineage:
    """Return the lineage of the database to which a connection leads. Raises what asyncpg raises."""
    return Lineage(*await connection.fetchrow(_LINEAGE))


def difference(primary: Lineage, standby: Lineage) -> str:
    """Return in words why `standby` is not the lineage of a standby of `primary`; empty when it is."""
    if primary[:2] != standby[:2]:
        return "belongs to another database"
    if primary.timeline != standby.timeline:
        return f"is on timeline {standby.timeline}, and the primary on {primary.timeline}"
    return ""


def each_host(url: str) -> list[str]:
    """Return an address for each host that `url` names, in the same order. The rest of `url` is in each of them."""
    parts = urlsplit(url)
    login, at, hosts = parts.netloc.rpartition("@")
    if "," not in hosts:
        return [url]
    return [urlunsplit(parts._replace(netloc=f"{login}{at}{host}")) for host in hosts.split(",")]


def _trouble(error: BaseException, role: Role) -> str:
    match error:
        case TimeoutError():
            return "does not answer"
        case asyncpg.TargetServerAttributeNotMatched():
            return "is a standby" if role == "primary" else "is none"
        case _:
            return f"refuses ({' '.join(str(error).split()) or type(error).__name__})"
