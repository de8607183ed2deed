"""The schema of the PostgreSQL store: numbered SQL files, applied forward only, each exactly once.

Each file runs in a transaction of its own, together with the note that it was applied. A file that begins with ``--
repeat`` is a single statement. It runs again and again, each time in a transaction of its own, until it returns false.
So large tables can be moved while others read and write. If a file begins with ``-- apart``, each of its statements
runs in a transaction of its own. If one fails, all of them run again. The process that applies a file holds an advisory
lock, so any number of processes may try at once. A file that was applied must not change any more: its checksum is
kept, and the next change is the next file.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import asyncpg
from msgspec import Struct

from service.store.postgres.hosts import Hosts

_PLACES: Final = (Path(__file__).parent / "sql", Path(__file__).parents[3] / "deploy" / "migrations")
"""Where the files are: in an installed package beside this module, in a checkout where operators look for them."""

_LOCK: Final = "hashtextextended('tabularium.migrations', 0)"

_TABLE: Final = """
CREATE SCHEMA IF NOT EXISTS tabularium;
CREATE TABLE IF NOT EXISTS tabularium.migrations (
    number   integer     PRIMARY KEY,
    name     text        NOT NULL,
    checksum text        NOT NULL,
    applied  timestamptz NOT NULL DEFAULT now()
);
"""


class MigrationError(Exception):
    """The schema cannot be brought up to date; the message is one line."""


class Migration(Struct, frozen=True):
    """One numbered file."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the file, in hex."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def repeats(self) -> bool:
        """Whether it is a statement that runs until it returns false."""
        return self.sql.startswith("-- repeat")

    @property
    def apart(self) -> list[str]:
        """Its statements, when each runs in a transaction of its own."""
        if not self.sql.startswith("-- apart"):
            return []
        return [each for each in re.split(r";\s*\n", self.sql) if each.strip()]


def packaged() -> list[Migration]:
    """Return the migrations of this package, in their order. Raises `MigrationError`."""
    place = next((place for place in _PLACES if place.is_dir()), None)
    if place is None:
        raise MigrationError("the migrations are missing from this installation")
    return read(place)


def read(place: Path) -> list[Migration]:
    """Return the migrations in a directory, in their order. Raises `MigrationError` when two have the same number.

    Numbers may be left out: work that goes on at the same time takes numbers of its own.
    """
    migrations: dict[int, Migration] = {}
    for file in sorted(place.glob("*.sql")):
        match = re.fullmatch(r"(\d{4})_([a-z0-9_]+)", file.stem)
        if match is None or int(match[1]) in (0, *migrations):
            raise MigrationError(f"{file.name} should be NNNN_name.sql, with a number of its own")
        migrations[int(match[1])] = Migration(int(match[1]), match[2], file.read_text(encoding="utf-8"))
    return list(migrations.values())


async def migrate(url: str, migrations: Sequence[Migration]) -> list[Migration]:
    """Apply the missing migrations, as the database's owner, and return them. If another process applies them just now,
    wait for it.

    Raises:
        MigrationError: the database cannot be reached or refuses, or a migration changed after it was applied.
    """
    async with as_owner(url) as connection:
        # Not by one statement that waits: it would keep an old snapshot, and CREATE INDEX CONCURRENTLY waits until all
        # older snapshots have ended.
        while not await connection.fetchval(f"SELECT pg_try_advisory_lock({_LOCK})"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        await connection.execute(_TABLE)
        missing = pending(await applied(connection), migrations)
        for migration in missing:
            await _apply(connection, migration)
        return missing


async def open_books(url: str) -> None:
    """Let each book of the log count its own positions, as the database's owner (`0029_books.sql` says when).

    Raises `MigrationError` when the database cannot be reached or refuses.
    """
    async with as_owner(url) as connection:
        await connection.execute("SELECT tabularium.open_books()")


async def distribute(url: str) -> bool:
    """Distribute the log, in a database that has the extension Citus, and return whether it is distributed.

    `0050_distribution.sql` says how. Nobody may append meanwhile. Raises `MigrationError` when the database cannot be
    reached or refuses.
    """
    async with as_owner(url) as connection:
        if not await connection.fetchval("SELECT count(*) FROM pg_extension WHERE extname = 'citus'"):
            return False
        await connection.execute("SET client_min_messages = warning")
        await connection.execute("SELECT tabularium.distribute()")
        return True


@asynccontextmanager
async def as_owner(url: str) -> AsyncIterator[Any]:
    """Provide a connection to a database as its owner. Raises `MigrationError` when it cannot be reached or refuses."""
    try:
        connection, _ = await Hosts(url, patience=10).connect()
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise MigrationError(f"{place_of(url)} cannot be reached: {_line(error)}") from error
    try:
        with naming(url):
            yield connection
    finally:
        await connection.close(timeout=10)


@contextmanager
def naming(url: str) -> Iterator[None]:
    """A context in which errors of a database become a `MigrationError` that names it."""
    try:
        yield
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise MigrationError(f"{place_of(url)} refuses: {_line(error)}") from error


async def _apply(connection: Any, migration: Migration) -> None:
    try:
        while migration.repeats and await connection.fetchval(migration.sql):
            pass
        for statement in migration.apart:
            await connection.execute(statement)
        async with connection.transaction():
            if not migration.repeats and not migration.apart:
                await connection.execute(migration.sql)
            await connection.execute(
                "INSERT INTO tabularium.migrations (number, name, checksum) VALUES ($1, $2, $3)",
                migration.number,
                migration.name,
                migration.checksum,
            )
    except asyncpg.PostgresError as error:
        name = f"{migration.number:04}_{migration.name}"
        raise MigrationError(f"migration {name} failed and was rolled back: {_line(error)}") from error


async def applied(connection: Any) -> dict[int, str]:
    """Return the checksums of the applied migrations by their numbers."""
    rows: Iterable[Any] = await connection.fetch("SELECT number, checksum FROM tabularium.migrations")
    return {row["number"]: row["checksum"] for row in rows}


def pending(checksums: dict[int, str], migrations: Sequence[Migration]) -> list[Migration]:
    """Return the migrations that are not among the applied ones.

    A database may have newer migrations than this package: they only add, so an older process still works.

    Raises:
        MigrationError: one was changed after it was applied.
    """
    for migration in migrations:
        if checksums.get(migration.number, migration.checksum) != migration.checksum:
            raise MigrationError(
                f"migration {migration.number:04}_{migration.name} is not the one that was applied to this database:"
                " restore the file, and put the change into a new one"
            )
    return [migration for migration in migrations if migration.number not in checksums]


def place_of(url: str) -> str:
    """Return where a database is, without a user or password."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2] or "the local socket"
    return f"database {parts.path.removeprefix('/') or 'of the user'} at {host}"


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
