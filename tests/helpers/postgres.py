"""A throwaway PostgreSQL to test with: a cluster of its own on a free loopback port, gone at the end.

``TABULARIUM_TEST_FSYNC=off`` makes it quicker, and worthless as a proof of durability.
"""

import asyncio
import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import asyncpg

from service.store.postgres import migrations
from tests.helpers import ports

OWNER: Final = "tabularium_owner"
"""Who owns the databases; may make databases and roles, and is no superuser."""

TOLD_TO_TESTS: Final = "TABULARIUM_TEST_"
"""How the environment's words to the tests begin. The service takes them for settings, and knows no such setting."""

_FSYNC: Final = os.environ.get(f"{TOLD_TO_TESTS}FSYNC", "on")

_TEMPLATE: Final = "migrated"
_BEGUN: Final = "begun"
_PDEATHSIG: Final = 1

_ALONE: Final = (
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
"""Ends what is left of clients: of one that was killed the server goes on with what it was asked."""

_EMPTY: Final = """
DO $$
DECLARE
    full_one regclass;
BEGIN
    FOR full_one IN
        SELECT oid FROM pg_class
        WHERE relnamespace = 'tabularium_rows'::regnamespace AND relkind = 'r' AND relname ~ '_[0-9]+_'
            AND relname NOT IN {but}
    LOOP
        EXECUTE format('DROP TABLE %s', full_one);
    END LOOP;
    SET LOCAL session_replication_role = replica;  -- without triggers
    FOR full_one IN
        SELECT oid FROM pg_class
        WHERE relnamespace IN ('tabularium'::regnamespace, 'tabularium_rows'::regnamespace)
            AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT IN ('migrations', 'books')
    LOOP
        EXECUTE format('DELETE FROM %s', full_one);
    END LOOP;
    UPDATE tabularium.books SET position = 0, open = TRUE WHERE position > 0 OR NOT open;
    INSERT INTO tabularium.books (book, position, open)
    SELECT book, 0, TRUE FROM generate_series(0, 63) AS book ON CONFLICT DO NOTHING;
    FOR full_one IN SELECT oid FROM pg_class WHERE relnamespace = 'tabularium'::regnamespace AND relkind = 'S'
    LOOP
        EXECUTE format('ALTER SEQUENCE %s RESTART', full_one);
    END LOOP;
    {then}
END
$$;
"""
_NEW: Final = _EMPTY.format(but="('')", then="")
_AS_BEGUN: Final = _EMPTY.format(
    but="(SELECT name FROM kept.tables)",
    then="INSERT INTO tabularium_rows.projections TABLE kept.projections;"
    "INSERT INTO tabularium_rows.checkpoints TABLE kept.checkpoints;",
)

_KEEP: Final = """
CREATE SCHEMA kept;
CREATE TABLE kept.projections AS TABLE tabularium_rows.projections;
CREATE TABLE kept.checkpoints AS TABLE tabularium_rows.checkpoints;
CREATE TABLE kept.tables AS
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'tabularium_rows'::regnamespace AND relkind = 'r' AND relname ~ '_[0-9]+_';
REVOKE ALL ON SCHEMA kept FROM PUBLIC;
"""
"""Notes which tables projections have that follow an empty log, and where they stand."""

_WHOLE: Final = "SELECT count(*) = count(to_regclass(format('tabularium_rows.%I', name))) FROM kept.tables"
"""Whether they still have those tables. A rebuild drops them."""


def binaries() -> Path:
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    # Debian and Ubuntu keep the server's programs off the path.
    places = [place.parent for place in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not places:
        raise RuntimeError(
            "the tests need the server programs of PostgreSQL 15 or newer (Debian: apt-get install postgresql)"
        )
    return max(places, key=lambda place: float(place.parent.name))


def account() -> dict[str, Any]:
    """Return as whom to run: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise RuntimeError("PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it as")


def die_with_parent() -> None:
    """Have the kernel stop the server when the thread that started it ends, as when pytest is killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGQUIT)


class Cluster:
    """A running cluster. `url` is that of a database in it, as its owner."""

    def __init__(self, primary: "Cluster | None" = None, **options: str) -> None:
        """Make a cluster and start it: a new one, or a standby of `primary`. `options` go into its configuration."""
        self.binaries = binaries()
        self._account = account()
        self._root = Path(tempfile.mkdtemp(prefix="tabularium-postgres-"))
        self.data = self._root / "data"
        if self._account:
            os.chown(self._root, self._account["user"], self._account["group"])
        if primary is None:
            self._make_data("initdb", "-U", "superuser", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        self._reserved = ports.reserved()
        self.port: int = self._reserved.getsockname()[1]
        self._options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "fsync": _FSYNC,
            "shared_buffers": "32MB",
            "max_connections": "100",
            **options,
        }
        self._made = 0
        self._begun = False
        self._free: dict[str, list[str]] = {_TEMPLATE: [], _BEGUN: []}
        if primary is None:
            self.start()
            self._make_owner()
        else:
            self.follow(primary)

    def _make_data(self, program: str, *arguments: str) -> None:
        command = [self.binaries / program, "-D", self.data, "--no-sync", *arguments]
        made = subprocess.run(command, capture_output=True, text=True, cwd=self._root, check=False, **self._account)
        if made.returncode:
            self._remove()
            raise RuntimeError(f"{program} failed: {made.stderr}")

    def url(self, database: str = "postgres", user: str = OWNER) -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = [f"--{name}={value}" for name, value in self._options.items()]
        with (self._root / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.data, *settings],
                stdout=log,
                stderr=log,
                cwd=self._root,
                # Ctrl-C is for pytest, which then stops the server.
                process_group=0,
                preexec_fn=die_with_parent,  # noqa: PLW1509  # in a test, before there are threads
                **self._account,
            )
        ready = [self.binaries / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        until = time.monotonic() + 60
        while subprocess.run(ready, check=False).returncode:
            if self._server.poll() is not None or time.monotonic() > until:
                said = (self._root / "log").read_text()[-2000:]
                self.stop()
                raise RuntimeError(f"PostgreSQL does not start: {said}")
            time.sleep(0.05)

    def halt(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT in order (fast), SIGQUIT as if the power had failed (immediate)."""
        if self._server.poll() is None:
            self._server.send_signal(how)
            try:
                self._server.wait(30)
            except subprocess.TimeoutExpired:
                self._server.send_signal(signal.SIGQUIT)
                self._server.wait(30)

    def kill(self) -> None:
        """Kill all of its processes at once, as when its machine dies."""
        self._signal(signal.SIGKILL)
        self._server.wait(30)

    def freeze(self) -> None:
        """Stop all of its processes where they are, as when its machine hangs: what is sent to it gets no answer."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let its processes run on."""
        self._signal(signal.SIGCONT)

    def _signal(self, how: signal.Signals) -> None:
        if self._server.poll() is not None:
            return
        # The server first, so that it starts no more processes.
        self._server.send_signal(signal.SIGSTOP)
        for process in reversed(self.processes()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, how)

    def processes(self) -> list[int]:
        """Return the server and its children."""
        children = Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children").read_text().split()
        return [self._server.pid, *map(int, children)]

    def follow(self, primary: "Cluster") -> None:
        """Begin anew as a copy of a primary, whose commits wait for this standby from now on."""
        shutil.rmtree(self.data, ignore_errors=True)
        self._make_data("pg_basebackup", "-d", primary.url(user="superuser"), "-R", "-c", "fast")
        self.start()
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        until = time.monotonic() + 60
        while primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1\n":
            assert time.monotonic() < until, "the standby does not become synchronous"
            time.sleep(0.05)

    def promote(self) -> None:
        """Make a standby a primary that waits for nobody."""
        self.sql("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()", "SELECT pg_promote()")

    def restart(self, how: signal.Signals = signal.SIGQUIT) -> None:
        self.halt(how)
        self.start()

    def stop(self) -> None:
        """Stop the server, were it frozen, and remove all that it kept."""
        self.thaw()
        self.halt(signal.SIGQUIT)
        self._reserved.close()
        self._remove()

    def _remove(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    def _make_owner(self) -> None:
        self.sql(f"CREATE ROLE {OWNER} LOGIN CREATEDB CREATEROLE", f"CREATE DATABASE {_TEMPLATE} OWNER {OWNER}")
        # The caller may be inside an event loop, so this one runs in a thread.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(migrations.migrate(self.url(_TEMPLATE), migrations.packaged()))).result()

    def sql(self, *statements: str, database: str = "postgres") -> str:
        """Execute statements as the superuser, and return what they print."""
        commands = [part for statement in statements for part in ("-c", statement)]
        return self.run("psql", "-qtAX", "-v", "ON_ERROR_STOP=1", *commands, self.url(database, "superuser")).decode()

    @contextlib.asynccontextmanager
    async def empty_database(self) -> AsyncIterator[str]:
        """Lend the URL of a new database with nothing in it."""
        url = await self._create("")
        yield url
        # As the superuser: PostgreSQL 15 lets nobody else end an autovacuum worker that is in it just now.
        async with connected(self.url(user="superuser")) as connection:
            await connection.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")

    @contextlib.asynccontextmanager
    async def database(self) -> AsyncIterator[str]:
        """Lend the URL of a database with the schema and no rows in it."""
        async with self._lent(_TEMPLATE, _NEW, "SELECT TRUE") as url:
            yield url

    @contextlib.asynccontextmanager
    async def begun_database(self) -> AsyncIterator[str]:
        """Lend the URL of such a database after a service has run on it: the projections follow the empty log.

        A service makes their tables and indexes when it starts for the first time. That took a third of a second of the
        processor in each test.
        """
        if not self._begun:
            self._begun = True
            url = await self._create(f"TEMPLATE {_TEMPLATE}", _BEGUN)
            await _begin(url)
            async with connected(self.url(_BEGUN, "superuser")) as connection:
                await connection.execute(_KEEP)
        async with self._lent(_BEGUN, _AS_BEGUN, _WHOLE) as url:
            yield url

    @contextlib.asynccontextmanager
    async def _lent(self, template: str, empty: str, usable: str) -> AsyncIterator[str]:
        free = self._free[template]
        url = free.pop() if free else await self._create(f"TEMPLATE {template}")
        yield url
        # Quicker by far than to make a database for each test.
        async with connected(self.url(url.rpartition("/")[2], "superuser")) as connection:
            await connection.execute(_ALONE)
            if await connection.fetchval(usable):
                await connection.execute(empty)
                free.append(url)

    async def _create(self, how: str, name: str = "") -> str:
        if not name:
            self._made += 1
            name = f"test_{self._made}"
        async with connected(self.url()) as connection:
            await connection.execute(f"CREATE DATABASE {name} {how}")
        return self.url(name)

    def run(self, program: str, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run a program of PostgreSQL, such as ``pg_dump``, and return what it printed."""
        done = subprocess.run([self.binaries / program, *arguments], input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


@contextlib.contextmanager
def kept_from_programs() -> Iterator[None]:
    """Take what is told to the tests out of the environment, which programs inherit that they start."""
    told = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith(TOLD_TO_TESTS)}
    try:
        yield
    finally:
        os.environ.update(told)


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def _begin(url: str) -> None:
    """Have the projections follow the log of a database, which is empty.

    By the command, because every test reads this module, and no rules and no projections by that.
    """
    begun = await asyncio.create_subprocess_exec(
        *(Path(sys.prefix) / "bin" / "tabularium", "projections", "rebuild", "all"),
        env={**os.environ, "TABULARIUM_DATABASE_URL": url},
        stdout=subprocess.DEVNULL,
    )
    assert await begun.wait() == 0


_shared: list[Cluster] = []


def shared_cluster() -> Cluster:
    """Return the cluster of this process, started when it is first asked for."""
    if not _shared:
        _shared.append(Cluster())
    return _shared[0]


def stop_shared_cluster() -> None:
    while _shared:
        _shared.pop().stop()


@contextlib.contextmanager
def cluster(primary: Cluster | None = None, **options: str) -> Iterator[Cluster]:
    """Start a cluster for one test, which may be stopped and restarted; with `primary`, a standby of that."""
    made = Cluster(primary, **options)
    try:
        yield made
    finally:
        made.stop()


def partitioned(parts: int) -> str:
    """Return what cuts the tables about streams, which are empty yet, into so many parts, by their books."""
    return f"""
DO $$
DECLARE
    whole text;
BEGIN
    FOR whole IN
        SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'book'
        WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind = 'r' AND c.relname <> 'books'
    LOOP
        EXECUTE format('ALTER TABLE tabularium.%I RENAME TO whole', whole);
        EXECUTE format(
            'CREATE TABLE tabularium.%I (LIKE tabularium.whole INCLUDING ALL) PARTITION BY LIST (book)', whole
        );
        FOR part IN 0..{parts - 1} LOOP
            EXECUTE format(
                'CREATE TABLE tabularium.%I PARTITION OF tabularium.%I FOR VALUES IN (%s)',
                whole || '_part_' || part, whole,
                (SELECT string_agg(book::text, ', ') FROM generate_series(part, 63, {parts}) AS book)
            );
        END LOOP;
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON tabularium.%I TO tabularium_service', whole);
        DROP TABLE tabularium.whole CASCADE;
    END LOOP;
END
$$;
"""
