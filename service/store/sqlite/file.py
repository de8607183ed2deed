"""The file of the embedded store: making it, and finding out what may be wrong with it without changing a byte.

SQLite itself repairs silently: it takes an empty file for a new database and drops whatever follows a bad place in
its write-ahead log. For a log of games both would be a loss that nobody notices, so we look first.
"""

import os
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Final

from service.base.private import make_file, make_folder
from service.store.protocol import StoreDamaged
from service.store.sqlite.schema import APPLICATION, SANDBOX, SCHEMA_VERSION, script, version_of
from service.store.sqlite.wal import PAGE, check_wal

AT_ONCE: Final = 16 * 1024 * 1024
"""Up to this size (0.1 s) a file is read whole before it is served, a larger one while it is served (`checking.py`)."""

THOROUGH: Final = 256 * 1024 * 1024
"""Up to this size the indexes are compared with their tables as well."""

_MAGIC: Final = b"SQLite format 3\0"


def check_file(path: Path, *, durable: bool = True, whole: bool = False, sandbox: bool = False) -> bool:
    """Tell whether there is a store at `path`, of this schema or an older one. Nothing is changed.

    The file is read whole when `whole` or `is_read_first` says so. Without `durable`, the write-ahead log is not
    checked: a power failure may have left it incomplete. With `sandbox`, the file must be of a sandbox; otherwise not.

    Raises:
        StoreDamaged: what is there is damaged, or is something else.
        OSError, sqlite3.Error: it cannot be read.
    """
    wal, shared = _beside(path, "-wal"), _beside(path, "-shm")
    if not path.exists():
        if wal.exists():
            raise StoreDamaged(f"{path} is missing, but its {wal.name} is there: put the file back, or move that away")
        return False
    _check_header(path, sandbox=sandbox)
    if durable:
        if shared.exists() and not wal.exists():
            raise StoreDamaged(f"{path} was in use, and its {wal.name} is missing: put that back")
        if wal.exists():
            check_wal(wal, shared)
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        wrong, version, schema = None, 0, []
        try:
            if whole or is_read_first(path):
                wrong = what_is_wrong(path, connection)
            if wrong is None:
                version, schema = version_of(connection), _schema_of(connection)
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            wrong = str(error)
    if wrong is not None:
        raise StoreDamaged(damaged(path, wrong))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script(0, version))
        if schema != _schema_of(connection):
            raise StoreDamaged(f"{path} is damaged: its tables are not those of a Tabularium store")
    return True


def is_read_first(path: Path) -> bool:
    """Tell whether a file is read whole before it is served.

    A small one is, one that an earlier service found damaged, and one of an older schema, because bringing that up to
    date writes to all of it.
    """
    with path.open("rb") as file:
        (version,) = struct.unpack(">60xI", file.read(64))
    return path.stat().st_size <= AT_ONCE or version != SCHEMA_VERSION or mark_of(path).exists()


def what_is_wrong(path: Path, connection: sqlite3.Connection) -> str | None:
    """Read a file whole, and return the first thing that is wrong with it. Raises `sqlite3.OperationalError`."""
    pragma = "PRAGMA integrity_check(1)" if path.stat().st_size < THOROUGH else "PRAGMA quick_check(1)"
    try:
        report = [row[0] for row in connection.execute(pragma)]
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the check may quote damaged text
        return str(error)
    return None if report == ["ok"] else str(report[0])


def damaged(path: Path, wrong: str) -> str:
    """Return a line that says what is wrong with a file."""
    return f"{path} is damaged: {' '.join(wrong.split())}; restore it from a copy"


def mark_of(path: Path) -> Path:
    """Return the path of the mark that a service leaves when it finds the file at `path` damaged."""
    return _beside(path, ".found-damaged")


def create_file(path: Path, *, sandbox: bool = False) -> None:
    """Make an empty store: whole under another name, then in its place, so that there is never half of one.

    With `sandbox`, the store is marked as one whose secrets are known.
    """
    make_folder(path.parent)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    new.unlink(missing_ok=True)
    make_file(new)
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {script(0)} COMMIT;")
        if sandbox:
            connection.execute(f"PRAGMA application_id = {SANDBOX}")
    try:
        os.link(new, path)
        new.unlink()
    except FileExistsError:  # another process was quicker
        new.unlink()
    except OSError:  # a file system without links
        new.rename(path)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _schema_of(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()


def _check_header(path: Path, *, sandbox: bool) -> None:
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        raise StoreDamaged(f"{path} is empty: restore it from a copy, or move it away to start with a new one")
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise StoreDamaged(
            f"{path} is not an SQLite database: restore it from a copy, or move it away to start with an empty one"
        )
    version, application = struct.unpack(">I4xI", header[60:72])
    if sandbox != (application == SANDBOX):
        raise StoreDamaged(
            f"{path} was not made by a sandbox, and a sandbox opens nothing else"
            if sandbox
            else f"{path} was made by a sandbox, whose tokens and secrets everybody knows: start with another folder"
        )
    if application not in (APPLICATION, SANDBOX):
        raise StoreDamaged(f"{path} is a database of another program, or its header is damaged")
    if not 1 <= version <= SCHEMA_VERSION:
        raise StoreDamaged(
            f"{path} has schema version {version}, and this is Tabularium with version {SCHEMA_VERSION}:"
            " it is from a newer one, or its header is damaged"
        )
