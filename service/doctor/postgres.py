"""The checks of a PostgreSQL database: whether it can be reached, is migrated, and grants the service its rights."""

import itertools
import secrets
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import asyncpg

from domain.kernel.chance.secret import Secret
from domain.kernel.ids import GameId, PlayerId, Seat, book_of
from domain.kernel.log.record import genesis, inscribe
from service.base.clock import Clock, stamp
from service.base.settings import DATABASE_URL, Settings
from service.doctor.finding import Finding, fail, ok, one_line, warn
from service.doctor.grants import ROLE, granted, missing
from service.store.postgres import migrations
from service.store.postgres.books import ALL, misfit, spans
from service.store.postgres.connections import SHOW_SHARDS
from service.store.postgres.distributed import EACH, append_to, settle
from service.store.postgres.hosts import Hosts, difference, each_host, lineage_of
from service.store.postgres.writer import LANES, append_with
from service.store.protocol import Append, KeyUse, Opening

OLDEST: Final = 15
"""The oldest major version of PostgreSQL that the service works with."""

TIMEOUT: Final = 5
"""Seconds to wait for a connection, and for each answer."""

BEHIND: Final = 10_000
"""How many events a standby may be behind the primary before that is a warning."""

KEPT: Final = {
    "log": "game",
    "secrets": "game",
    "chances": "game",
    "seeds": "stream",
    "entries": "entry",
    "hashes": "hash",
    "trees": "root",
    "checkpoints": "note",
    "cosignatures": "line",
    "segments": "content",
    "dictionaries": "file",
}
"""The tables whose rows the service may not change or delete, each with one of its columns."""

_FORBIDDEN: Final = (
    "UPDATE tabularium.{0} SET {1} = {1} WHERE FALSE",
    "DELETE FROM tabularium.{0} WHERE FALSE",
    "TRUNCATE tabularium.{0}",
)
# Bits of tgtype: DELETE 8, UPDATE 16, TRUNCATE 32.
_UNGUARDED: Final = """
SELECT kept.relid::regclass::text
FROM (
    SELECT ('tabularium.' || name)::regclass AS relid
    FROM unnest(ARRAY[
        'log', 'secrets', 'chances', 'seeds', 'entries', 'hashes', 'trees', 'checkpoints', 'cosignatures',
        'segments', 'dictionaries'
    ]) AS name
) AS kept
LEFT JOIN pg_trigger AS t
    ON t.tgrelid = kept.relid AND t.tgenabled IN ('O', 'A')
    AND t.tgfoid IN (
        'tabularium.refuse_change'::regproc, 'tabularium.refuse_loss'::regproc,
        'tabularium.refuse_other_content'::regproc
    )
GROUP BY kept.relid
HAVING coalesce(bit_or(t.tgtype), 0) & 56 <> 56
ORDER BY 1
"""
# The shards of a table are tables, too: their names are its name and a number.
_NOT_DISTRIBUTED: Final = """
SELECT c.oid::regclass::text
FROM pg_class AS c
WHERE c.relnamespace = 'tabularium'::regnamespace AND c.relkind = 'r' AND c.relname !~ '_[0-9]+$'
    AND EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'book' AND NOT a.attisdropped)
    AND NOT EXISTS (SELECT FROM pg_dist_partition AS p WHERE p.logicalrelid = c.oid)
ORDER BY 1
"""
_BLOCKER: Final = """
SELECT a.pid, a.application_name, a.state, extract(epoch FROM clock_timestamp() - a.xact_start)::int AS seconds
FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.relation = 'tabularium.books'::regclass AND l.mode = 'RowShareLock' AND l.granted AND a.pid <> pg_backend_pid()
ORDER BY a.xact_start
"""


async def connect(url: str) -> tuple[Any, Finding]:
    """Return a connection, or None if the database cannot be reached, and the finding."""
    where = migrations.place_of(url)
    try:
        connection, _ = await Hosts(url, TIMEOUT).connect(command_timeout=TIMEOUT)
        try:
            await connection.execute(SHOW_SHARDS)
        except BaseException:
            connection.terminate()
            raise
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, ValueError) as error:
        return None, fail("database", f"{where} cannot be reached: {one_line(error)}", _remedy_for(error))
    version = connection.get_server_version()
    message = f"{where} answers; PostgreSQL {version.major}.{version.micro}"
    if version.major < OLDEST:
        return connection, fail(
            "database", message, f"Move to PostgreSQL {OLDEST} or newer with pg_dump and pg_restore."
        )
    return connection, ok("database", message)


def _remedy_for(error: BaseException) -> str:
    """Return what an operator should do after `connect` failed with an error."""
    match error:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return f"Correct user and password in {DATABASE_URL}; if they are right, see the server's pg_hba.conf."
        case asyncpg.InvalidCatalogNameError():
            return f"Create it (createdb, then `tabularium migrate`), or correct its name in {DATABASE_URL}."
        case asyncpg.TooManyConnectionsError():
            return "Raise max_connections, or run fewer processes with smaller TABULARIUM_DATABASE_CONNECTIONS."
        case asyncpg.CannotConnectNowError():
            return "The server is starting, stopping or recovering: wait, and see its log when that does not end."
        case asyncpg.InsufficientPrivilegeError():
            return "GRANT CONNECT ON DATABASE … to the login."
        case socket.gaierror():
            return f"Correct the host in {DATABASE_URL}, or the name service."
        case TimeoutError():
            return "Nothing answers there: look at the network, at firewalls and at network policies."
        case ssl.SSLError():
            return f"Make the server's certificate and sslmode in {DATABASE_URL} fit each other."
        case asyncpg.TargetServerAttributeNotMatched():
            return f"Let {DATABASE_URL} name the primary server, or all servers, separated by commas."
        case ConnectionRefusedError():
            return f"Start PostgreSQL there, or correct host and port in {DATABASE_URL}."
        case _:
            return f"See the server's log, and whether {DATABASE_URL} is postgresql://user:password@host:port/name."


async def examine(connection: Any, url: str, settings: Settings, clock: Clock) -> AsyncIterator[Finding]:
    """Yield the findings about a connected database. All changes that it tries are rolled back."""
    for finding in await _server(connection, url, settings):
        yield finding
    yield await _clock(connection, clock)
    finding, migrated = await _migrations(connection)
    yield finding
    role = await _role(connection)
    yield role
    if not migrated or role.level == "fail":
        return
    books = settings.servers[url]
    if wrong := await misfit(connection, books):
        yield fail("books", f"the database {wrong}", "Games of other books may be on another server: start no service.")
        return
    if books != ALL:
        yield ok("books", f"the database keeps the books {spans(books)} of the log, as TABULARIUM_BOOK_SERVERS says")
    packaged = migrations.packaged()
    lacking = await missing(connection, granted(packaged))
    if lacking:
        remedy = "As the owner of the database: " + " ".join(grant.statement for grant in lacking)
        yield fail("grants", f"the role {ROLE} lacks {len(lacking)} of its rights", remedy)
    else:
        yield ok("grants", f"the role {ROLE} has all {len(granted(packaged))} rights that the migrations grant")
    distributed = await connection.fetchval("SELECT tabularium.is_distributed()")
    if distributed:
        yield await _machines(connection)
    if books:
        yield await _trial(connection, clock, books, distributed)
    yield await _protection(connection)
    yield await _guards(connection)


async def _server(connection: Any, url: str, settings: Settings) -> list[Finding]:
    """Return findings about the server's own settings."""
    findings: list[Finding] = []
    if (encoding := await connection.fetchval("SHOW server_encoding")) != "UTF8":
        remedy = "Create the database with ENCODING 'UTF8', and restore a dump into it."
        findings.append(fail("encoding", f"the database's encoding is {encoding}", remedy))
    unsafe = [name for name in ("fsync", "full_page_writes") if await connection.fetchval(f"SHOW {name}") != "on"]
    if unsafe:
        message = f"{' and '.join(unsafe)} is off: when the machine fails, acknowledged commands can be lost"
        findings.append(warn("durability", message, f"ALTER SYSTEM SET {unsafe[0]} = on; then reload the server."))
    elif not settings.durable:
        message = "TABULARIUM_DURABLE is false: when the database crashes, the last commands can be lost"
        findings.append(warn("durability", message, "Remove it where games are not throw-away."))
    else:
        findings.append(ok("durability", "what is acknowledged is on the database's disk"))
    if len(each_host(url)) > 1:
        findings.append(await _standbys(connection))
    findings.append(await _backup(connection))
    used, limit = await connection.fetchrow(
        "SELECT (SELECT sum(numbackends) FROM pg_stat_database),"  # pg_stat_activity hides what others do
        " current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    )
    message = f"{used} of {limit} connections are in use; a process of the service takes up to"
    most = settings.database_connections + LANES
    message = f"{message} {most}"
    if used + most > limit:
        remedy = "Raise max_connections, or lower TABULARIUM_DATABASE_CONNECTIONS."
        findings.append(warn("connections", message, remedy))
    else:
        findings.append(ok("connections", message))
    return findings


async def _standbys(connection: Any) -> Finding:
    """Return whether commits wait for a standby, so that it has all acknowledged commands."""
    if not await connection.fetchval("SHOW synchronous_standby_names"):
        message = "commits wait for no standby: when another server takes over, acknowledged commands can be lost"
        return warn("standbys", message, "Set synchronous_standby_names; with Patroni, synchronous_mode: true.")
    return ok("standbys", "what is acknowledged is on a synchronous standby, too")


async def examine_standby(primary: Any, url: str) -> Finding:
    """Return whether a standby can answer about the past, and how far it is behind the primary."""
    where = migrations.place_of(url)
    remedy = "Correct TABULARIUM_STANDBY_URL, or the way to it. Meanwhile the primary answers everything."
    try:
        standby, _ = await Hosts(url, TIMEOUT, "standby").connect(command_timeout=TIMEOUT)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, ValueError) as error:
        is_primary = isinstance(error, asyncpg.TargetServerAttributeNotMatched)
        trouble = "is no standby" if is_primary else f"cannot be reached: {one_line(error)}"
        return warn("standby", f"{where} {trouble}", remedy)
    try:
        if why := difference(await lineage_of(primary), await lineage_of(standby)):
            remedy = "After the primary has changed, run CHECKPOINT on both; or correct TABULARIUM_STANDBY_URL."
            return warn("standby", f"{where} {why}, and is not asked", remedy)
        behind, age = await standby.fetchrow(
            "SELECT sum(position)::bigint,"
            " extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 FROM tabularium.books"
        )
        behind = await primary.fetchval("SELECT sum(position)::bigint FROM tabularium.books") - behind
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        return warn("standby", f"{where} cannot be asked: {one_line(error)}", remedy)
    finally:
        standby.terminate()
    if behind > BEHIND:
        message = f"{where} is {behind} events behind; it has what happened up to {age or 0:.0f} s ago"
        return warn("standby", message, "See pg_stat_replication on the primary. Ask again: it must shrink.")
    return ok("standby", f"{where} is {behind} events behind, and is asked for the past")


async def _backup(connection: Any) -> Finding:
    """Return how old the newest state is that can be restored from the server's WAL archive."""
    mode, age, failing = await connection.fetchrow(
        "SELECT current_setting('archive_mode'), extract(epoch FROM clock_timestamp() - last_archived_time)::float8,"
        " last_failed_time > coalesce(last_archived_time, '-infinity') FROM pg_stat_archiver"
    )
    if mode == "off":
        return ok("backup", "the server archives nothing: only dumps and standbys can take its place")
    if failing or age is None:
        message = "the server's archive_command fails" if failing else "the server has archived nothing yet"
        return warn("backup", message, "See the server's log, and `pgbackrest --stanza=tabularium check`.")
    return ok("backup", f"the newest moment that can be restored is {age:.0f} s old, if there is a base backup")


async def _clock(connection: Any, clock: Clock) -> Finding:
    before = clock()
    theirs = await connection.fetchval("SELECT clock_timestamp()")
    after = clock()
    ours = before + (after - before) / 2
    off = (ours - theirs).total_seconds()
    message = f"this machine's clock is {abs(off):.3f} s {'ahead of' if off >= 0 else 'behind'} the database's"
    # The query took time, which may be a part of the difference.
    certain = max(0.0, abs(off) - (after - before).total_seconds() / 2)
    remedy = "Let both machines keep their time by NTP (timedatectl set-ntp true). Events carry the service's time."
    if certain > 30:
        return fail("clock", message, remedy)
    return warn("clock", message, remedy) if certain > 1 else ok("clock", message)


async def _migrations(connection: Any) -> tuple[Finding, bool]:
    """Return the finding, and whether all migrations of this package are applied."""
    packaged = migrations.packaged()
    remedy = "Run `tabularium migrate --url …` as the database's owner."
    try:
        applied = await migrations.applied(connection)
        pending = migrations.pending(applied, packaged)
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        return fail("migrations", "the database has none of the service's tables", remedy), False
    except asyncpg.InsufficientPrivilegeError as error:
        login = await connection.fetchval("SELECT session_user")
        remedy = f"As the owner of the database: GRANT {ROLE} TO {login}; if that is done, `tabularium migrate`."
        return fail("migrations", f"the list of migrations cannot be read: {one_line(error)}", remedy), False
    except migrations.MigrationError as error:
        return fail("migrations", one_line(error), "Install the package that the database was migrated with."), False
    if pending:
        names = ", ".join(f"{each.number:04}_{each.name}" for each in pending)
        return fail("migrations", f"not applied: {names}", remedy), False
    ahead = max(applied, default=0) - max(each.number for each in packaged)
    more = f"; the database is {ahead} further, which an older process can live with" if ahead > 0 else ""
    return ok("migrations", f"all {len(packaged)} are applied{more}"), True


async def _role(connection: Any) -> Finding:
    """Return whether the login may work as the service's role."""
    login, superuser = await connection.fetchrow(
        "SELECT session_user::text, rolsuper FROM pg_roles WHERE rolname = session_user"
    )
    try:
        async with connection.transaction():
            await connection.execute(f"SET LOCAL ROLE {ROLE}")
    except asyncpg.InsufficientPrivilegeError:
        remedy = f"As the owner of the database: GRANT {ROLE} TO {login};"
        return fail("role", f"the login {login} may not work as {ROLE}", remedy)
    except asyncpg.PostgresError as error:  # it does not exist
        return fail("role", one_line(error), "Run `tabularium migrate --url …` as the database's owner.")
    if superuser:
        message = f"the login {login} is a superuser, which can switch everything off that protects the log"
        return warn("role", message, f"CREATE ROLE tabularium LOGIN PASSWORD '…' IN ROLE {ROLE}; and log in as that.")
    return ok("role", f"{login} works as {ROLE}")


async def _rolled_back(connection: Any, work: Callable[[], Awaitable[None]]) -> None:
    """Do some work as the service's role in a transaction, and roll it back."""
    transaction = connection.transaction(isolation="read_committed")
    await transaction.start()
    try:
        await connection.execute(f"SET LOCAL ROLE {ROLE}; SET LOCAL lock_timeout = '2s'")
        await work()
    finally:
        await transaction.rollback()


class _TrialError(Exception):
    """The trial game was not accepted, or a table does not have exactly one row of it."""


async def _machines(connection: Any) -> Finding:
    """Return whether Citus distributes every table with a column `book`, and whether all machines with books answer."""
    if undistributed := ", ".join(row[0] for row in await connection.fetch(_NOT_DISTRIBUTED)):
        remedy = "Run `tabularium migrate` as the owner of the database: it distributes what a migration has added."
        return fail("machines", f"the log is distributed by Citus, but for {undistributed}", remedy)
    try:
        machines = 0

        async def work() -> None:
            nonlocal machines
            machines = await settle(connection)

        await _rolled_back(connection, work)
    except (asyncpg.PostgresError, TimeoutError) as error:
        remedy = "See `SELECT * FROM pg_dist_node`, the logs of the workers, and whether they let the coordinator in."
        return fail("machines", f"a machine with books of the log does not answer: {one_line(error)}", remedy)
    message = f"the log is distributed by Citus, and all {machines} machines with its books answer"
    return ok("machines", f"{message}; a process takes up to {machines * EACH} connections for its appends")


async def _trial(connection: Any, clock: Clock, books: frozenset[int], distributed: bool) -> Finding:
    """Append a trial game, check that its rows are there, and roll it back."""
    game = _game(clock, books)

    async def work() -> None:
        if distributed:
            rows = await append_to(connection, [game])
        else:
            # Lock all books: a transaction that holds up appends may have locked a book that is not the trial game's.
            await connection.execute("SELECT FROM tabularium.books ORDER BY book FOR UPDATE")
            rows = await append_with(connection, [game])
        if (outcome := rows[0]["outcome"]) != "accepted":
            raise _TrialError(f"append() answered {outcome!r}")
        for table in ("log", "games"):
            stored = await connection.fetchval(f"SELECT count(*) FROM tabularium.{table} WHERE game = $1", game.game)
            if stored != 1:
                raise _TrialError(f"{table} has {stored} rows of it")

    try:
        await _rolled_back(connection, work)
    except asyncpg.LockNotAvailableError:
        holder = await connection.fetchrow(_BLOCKER)
        who = f"process {holder['pid']} ({holder['state']}) for {holder['seconds']} s" if holder else "nobody now"
        remedy = f"End it: SELECT pg_terminate_backend({holder['pid']});" if holder else "Try again."
        return fail("append", f"an append is held up by {who}", remedy)
    except asyncpg.InsufficientPrivilegeError as error:
        return fail("append", f"a trial game was refused: {one_line(error)}", "Give the grants back; see `grants`.")
    except _TrialError as error:
        return fail("append", f"a trial game was not stored as it should be: {error}", "Run `tabularium migrate`.")
    except (asyncpg.PostgresError, TimeoutError) as error:
        remedy = "See the server's log, its disk, and whether the database is read-only."
        return fail("append", f"a trial game could not be stored: {one_line(error)}", remedy)
    return ok("append", "a trial game was stored, read and taken back")


def _game(clock: Clock, books: frozenset[int]) -> Append:
    """Return a trial game that is in one of `books`."""
    names = (GameId(f"doctor-{secrets.token_hex(8)}") for _ in itertools.count())
    name, at = next(each for each in names if book_of(each) in books), stamp(clock)
    account = PlayerId("doctor")
    return Append(
        game=name,
        expected=0,
        records=[inscribe(name, genesis(name), 1, {"type": "trial"}, schema=1, draws=0, at=at, cause=None)],
        status="gathering",
        secrets=[Secret(secrets.token_hex(32), (), secrets.token_hex(16), None)],
        key=KeyUse(account, "trial", b""),
        seats={Seat("trial"): account},
        opening=Opening("trial", 1, "", account, secrets.token_bytes(32), f"trial:{name}", b"{}"),
    )


async def _protection(connection: Any) -> Finding:
    """Return whether the service's role lacks the rights to update, delete and truncate the tables in `KEPT`."""
    allowed: list[str] = []

    async def work() -> None:
        for table, column in KEPT.items():
            for statement in _FORBIDDEN:
                sql = statement.format(table, column)
                try:
                    async with connection.transaction():
                        await connection.execute(sql)
                    allowed.append(f"{sql.split()[0]} on {table}")
                except asyncpg.InsufficientPrivilegeError:
                    pass

    try:
        await _rolled_back(connection, work)
    except (asyncpg.PostgresError, TimeoutError) as error:
        return fail(
            "protection", f"whether it can be changed could not be tried: {one_line(error)}", "See the server's log."
        )
    if allowed:
        tables = ", ".join(f"tabularium.{table}" for table in KEPT)
        remedy = f"As the owner of the database: REVOKE UPDATE, DELETE, TRUNCATE ON {tables} FROM {ROLE}, PUBLIC;"
        return fail("protection", f"the service is allowed to {', '.join(allowed)}", remedy)
    return ok(
        "protection", "the database refuses to change or delete what is kept of games, and of the transparency log"
    )


async def _guards(connection: Any) -> Finding:
    """Return whether the triggers are active that refuse changes to the tables in `KEPT`, even by their owner."""
    try:
        unguarded = [row[0] for row in await connection.fetch(_UNGUARDED)]
    except asyncpg.UndefinedFunctionError:
        unguarded = ["every table"]
    if unguarded:
        remedy = (
            "As the owner of the database: ALTER TABLE … ENABLE TRIGGER ALL; a dropped one is in 0004_grants.sql,"
            " 0016_transparency.sql or 0033_archive.sql."
        )
        return fail("triggers", f"missing or switched off on {', '.join(unguarded)}", remedy)
    if (how := await connection.fetchval("SHOW session_replication_role")) != "origin":
        message = f"session_replication_role is {how}, so triggers do not fire"
        return fail("triggers", message, "ALTER ROLE … RESET session_replication_role; for the login and its database.")
    return ok("triggers", "they refuse changes of the log to everybody, its owner included")
