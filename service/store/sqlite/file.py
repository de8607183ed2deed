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
from service.store.sqlite.schema import APPLICATION, SCHEMA_VERSION, script, version_of
from service.store.sqlite.wal import PAGE, check_wal

THOROUGH: Final = 256 * 1024 * 1024
"""Up to this size (a second or two) the indexes are compared with their tables as well."""

_MAGIC: Final = b"SQLite format 3\0"


def check_file(path: Path, *, durable: bool = True) -> bool:
    """Tell whether there is a store at `path`, of this schema or an older one. Nothing is changed.

    Without `durable` the write-ahead log is not looked at: a power failure may have left it incomplete, as agreed.

    Raises:
        StoreDamaged: what is there is damaged, or is something else.
        OSError, sqlite3.Error: it cannot be read.
    """
    wal, shared = _beside(path, "-wal"), _beside(path, "-shm")
    if not path.exists():
        if wal.exists():
            raise StoreDamaged(f"{path} is missing, but its {wal.name} is there: put the file back, or move that away")
        return False
    _check_header(path)
    if durable:
        if shared.exists() and not wal.exists():
            raise StoreDamaged(f"{path} was in use, and its {wal.name} is missing: put that back")
        if wal.exists():
            check_wal(wal, shared)
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            thorough = path.stat().st_size < THOROUGH
            pragma = "PRAGMA integrity_check(1)" if thorough else "PRAGMA quick_check(1)"
            report = [row[0] for row in connection.execute(pragma)]
            version, schema = (version_of(connection), _schema_of(connection)) if report == ["ok"] else (0, [])
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # what the check quotes may be damaged text
            if isinstance(error, sqlite3.OperationalError):
                raise
            report = [str(error)]
            version, schema = 0, []
    if report != ["ok"]:
        raise StoreDamaged(f"{path} is damaged: {' '.join(report[0].split())}; restore it from a copy")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script(0, version))
        if schema != _schema_of(connection):
            raise StoreDamaged(f"{path} is damaged: its tables are not those of a Tabularium store")
    return True


def create_file(path: Path) -> None:
    """Make an empty store: whole under another name, then in its place, so that there is never half of one."""
    make_folder(path.parent)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    new.unlink(missing_ok=True)
    make_file(new)
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {script(0)} COMMIT;")
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


def _check_header(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(100)
    if not header:
        raise StoreDamaged(f"{path} is empty: restore it from a copy, or move it away to start with a new one")
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise StoreDamaged(
            f"{path} is not an SQLite database: restore it from a copy, or move it away to start with an empty one"
        )
    version, application = struct.unpack(">I4xI", header[60:72])
    if application != APPLICATION:
        raise StoreDamaged(f"{path} is a database of another program, or its header is damaged")
    if not 1 <= version <= SCHEMA_VERSION:
        raise StoreDamaged(
            f"{path} has schema version {version}, and this is Tabularium with version {SCHEMA_VERSION}:"
            " it is from a newer one, or its header is damaged"
        )
