"""PostgreSQL on several machines by Citus, to test the distributed store on.

``TABULARIUM_TEST_CITUS`` names a coordinator: ``postgresql://superuser@host:port/name``, a database in which its
workers are registered, and whose machines trust each other. Without it, a coordinator and two workers are started here,
where PostgreSQL has the extension. Where it has not, tests of the distributed store are skipped, and the run says so.
"""

import contextlib
import os
from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import pytest
from msgspec import Struct

from service.store.postgres import migrations
from tests.helpers.postgres import OWNER, TOLD_TO_TESTS, Cluster, connected, shared_cluster

SETTING: Final = f"{TOLD_TO_TESTS}CITUS"
_NAMED: Final = os.environ.get(SETTING, "")

NOT_TESTED: Final = (
    f"the distributed store was not tested: PostgreSQL here has no Citus, and {SETTING} names no cluster"
)

_EMPTIER: Final = "tabularium_emptier"
"""A superuser for whom triggers do not fire on any machine."""

# A table of which a machine has only a part, or none, is empty there: nothing is asked of two machines at once.
_EMPTY: Final = """
SET citus.override_table_visibility = off;
SET citus.enable_manual_changes_to_shards = on;
DO $$
DECLARE
    full_one regclass;
    statement text;
BEGIN
    FOR full_one, statement IN
        SELECT c.oid, CASE
            WHEN relname ~ '^books_[0-9]+$' THEN 'UPDATE %s SET position = 0 WHERE position > 0'
            WHEN relnamespace = 'tabularium_rows'::regnamespace AND relname ~ '_[0-9]+_' THEN 'DROP TABLE %s'
            ELSE 'DELETE FROM %s'
        END
        FROM pg_class AS c
        WHERE relnamespace IN ('tabularium'::regnamespace, 'tabularium_rows'::regnamespace)
            AND relkind = 'r' AND relname <> 'migrations'
            AND (pg_relation_size(c.oid) > 0 OR relnamespace = 'tabularium_rows'::regnamespace)
    LOOP
        EXECUTE format(statement, full_one);
    END LOOP;
END
$$;
"""

_NODE: Final = {
    "shared_preload_libraries": "citus",
    "wal_level": "logical",
    "max_prepared_transactions": "100",
    "citus.node_conninfo": "sslmode=disable",
    # Processes are killed here, machines are not.
    "fsync": "off",
}


class Node(Cluster):
    """One of the machines, on which all databases are made together with those of the others."""

    def __init__(self, **options: str) -> None:
        super().__init__(None, **{**_NODE, **options})

    def _make_owner(self) -> None:
        self.sql("CREATE EXTENSION citus")


class Machines:
    """A coordinator and two workers, of which tests can take any away."""

    def __init__(self, **options: str) -> None:
        """`options` go into the configuration of each."""
        self.coordinator, *self.workers = self.nodes = [Node(**options) for _ in range(3)]
        self.coordinator.sql(
            f"SELECT citus_set_coordinator_host('127.0.0.1', {self.coordinator.port})",
            *(f"SELECT citus_add_node('127.0.0.1', {worker.port})" for worker in self.workers),
            f"CREATE ROLE {OWNER} LOGIN CREATEDB CREATEROLE",
        )
        self.url = self.coordinator.url(user="superuser")

    def add(self) -> Node:
        """Start one more machine, which no database knows of yet."""
        self.nodes.append(added := Node())
        return added

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()


def has_citus() -> bool:
    """Tell whether there is a cluster to test on, or PostgreSQL has what it takes to start one."""
    return bool(_NAMED) or is_installed()


def is_installed() -> bool:
    """Tell whether PostgreSQL here has the extension."""
    return shared_cluster().sql("SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'") == "1\n"


_started: list[Machines] = []
_prepared: dict[str, str] = {}


def shared_machines() -> str:
    """Return the address of a coordinator as a superuser. Skips the test where there is none."""
    if _NAMED:
        return _NAMED
    if not has_citus():
        pytest.skip(NOT_TESTED)
    if not _started:
        _started.append(Machines())
    return _started[0].url


def stop_shared_machines() -> None:
    _prepared.clear()
    while _started:
        _started.pop().stop()


def at(url: str, *, user: str = "", database: str = "", place: tuple[str, int] | None = None) -> str:
    """Return an address with another user, database or machine."""
    parts = urlsplit(url)
    login, _, host = parts.netloc.rpartition("@")
    if place is not None:
        host = f"{place[0]}:{place[1]}"
    return urlunsplit(parts._replace(netloc=f"{user or login}@{host}", path=f"/{database}" if database else parts.path))


def past_triggers(url: str, is_distributed: bool | None = None) -> str:
    """Return the address of a database as a superuser whom triggers do not stop, on any machine.

    Where there is one machine, the session has to set `session_replication_role` itself. Without `is_distributed`, it
    is a database of the run.
    """
    on_machines = RUN.on_citus if is_distributed is None else is_distributed
    return at(as_superuser(url), user=_EMPTIER) if on_machines else at(url, user="superuser")


def as_superuser(url: str) -> str:
    """Return the address of a distributed database as the superuser of its machines."""
    return at(shared_machines(), database=urlsplit(url).path.removeprefix("/"))


async def make_database(url: str, name: str) -> str:
    """Make a database on all machines of a coordinator, with the extension, and return its address as its owner."""
    async with connected(url) as coordinator:
        places = [tuple(row) for row in await coordinator.fetch("SELECT nodename, nodeport FROM pg_dist_node")]
        me = await coordinator.fetchval("SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE groupid = 0")
        owner = await coordinator.fetchval(
            "SELECT coalesce((SELECT rolname FROM pg_roles WHERE rolname = $1), current_user)", OWNER
        )
    for place in places:
        async with connected(at(url, place=place)) as node:
            await node.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            await node.execute(f"CREATE DATABASE {name} OWNER {owner}")
        async with connected(at(url, place=place, database=name)) as node:
            await node.execute("CREATE EXTENSION citus")
    host, _, port = me.rpartition(":")
    async with connected(at(url, database=name)) as coordinator:
        await coordinator.execute("SELECT citus_set_coordinator_host($1, $2)", host, int(port))
        for place in places:
            if f"{place[0]}:{place[1]}" != me:
                await coordinator.execute("SELECT citus_add_node($1, $2)", *place)
    return at(url, user=owner, database=name)


async def machines_of(url: str) -> list[str]:
    """Return the addresses of a database on the workers, as their superuser."""
    async with connected(as_superuser(url)) as coordinator:
        places = await coordinator.fetch("SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY 2")
    return [at(as_superuser(url), place=tuple(place)) for place in places]


@contextlib.asynccontextmanager
async def lent_database() -> AsyncIterator[str]:
    """Lend the address of a database with the extension on all machines, and nothing else in it, as its owner."""
    name = f"tabularium_lent_{os.getpid()}"
    url = await make_database(shared_machines(), name)
    machines = [
        at(each, database=urlsplit(shared_machines()).path.removeprefix("/")) for each in await machines_of(url)
    ]
    yield url
    for machine in (shared_machines(), *machines):
        async with connected(machine) as connection:
            await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.asynccontextmanager
async def distributed_database() -> AsyncIterator[str]:
    """Lend the address of a distributed database with nothing in it, as its owner."""
    machines = shared_machines()
    if machines not in _prepared:
        made = await make_database(machines, f"tabularium_test_{os.getpid()}")
        await migrations.migrate(made, migrations.packaged())
        await migrations.distribute(made)
        _prepared[machines] = made
    url = _prepared[machines]
    await _empty(machines, url)
    yield url


class Run(Struct):
    """Whether tests over PostgreSQL take a distributed database (`--on-citus`)."""

    on_citus: bool = False


RUN: Final = Run()


def name_of(store: str) -> str:
    """Return the name in this run of a store, where `database_of_the_run` lends PostgreSQL: `-k citus` finds it."""
    return "citus" if RUN.on_citus and store == "postgres" else store


@contextlib.asynccontextmanager
async def database_of_the_run() -> AsyncIterator[str]:
    """Lend the address of a database with the schema and no rows in it, as `RUN` says."""
    async with distributed_database() if RUN.on_citus else shared_cluster().database() as url:
        yield url


async def _empty(machines: str, url: str) -> None:
    database = urlsplit(url).path.removeprefix("/")
    async with connected(as_superuser(url)) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND application_name NOT LIKE 'citus%'"
        )
        if not await connection.fetchval("SELECT count(*) FROM pg_roles WHERE rolname = $1", _EMPTIER):
            await connection.execute(f"CREATE ROLE {_EMPTIER} LOGIN SUPERUSER")
            await connection.execute(f"ALTER ROLE {_EMPTIER} SET session_replication_role = replica")
    for machine in (machines, *await machines_of(url)):
        async with connected(at(machine, user=_EMPTIER, database=database)) as connection:
            await connection.execute(_EMPTY)
