"""Copies of the embedded store in a folder: making them beside a running service, keeping some, putting one back."""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final

from service.base.private import make_file, make_folder
from service.base.settings import Settings
from service.store.sqlite.file import check_file, mark_of
from service.store.sqlite.lock import only_service

_PREFIX: Final = "tabularium-"
_STAMP: Final = "%Y%m%dT%H%M%SZ"

KEPT: Final = {"%Y%m%dT%H%M%SZ": 10, "%Y%m%dT%H": 24, "%Y%m%d": 7}
"""How many copies stay: the newest ones, the last one of each of the newest hours, and of each of the newest days."""


class Copying:
    """Copies one file into a folder again and again. Every method may raise `sqlite3.Error` or `OSError`."""

    def __init__(self, database: Path, folder: Path) -> None:
        self._folder = folder
        self._source = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
        self._copied_version: int | None = None

    def copy(self, now: datetime) -> Path | None:
        """Copy the file as it is at one moment, and return the copy; None when nothing was written since the last.

        The file is copied in one step: in several, every write would make SQLite begin again. A copy gets its name when
        it is whole and on the disk.
        """
        data_version = self._source.execute("PRAGMA data_version").fetchone()[0]
        if data_version == self._copied_version:
            return None
        make_folder(self._folder)
        goal = self._folder / f"{_PREFIX}{now.strftime(_STAMP)}.db"
        part = goal.with_suffix(".part")
        part.unlink(missing_ok=True)
        make_file(part)
        with closing(sqlite3.connect(part)) as target:
            self._source.backup(target)
            # In one file, without a write-ahead log beside it.
            target.execute("PRAGMA journal_mode = DELETE")
        _to_disk(part)
        part.replace(goal)
        _to_disk(self._folder)
        self._copied_version = data_version
        for old in set(copies(self._folder)) - set(copies_to_keep(copies(self._folder))):
            old.unlink()
        return goal

    def close(self) -> None:
        self._source.close()


def copies(folder: Path) -> list[Path]:
    """Return the copies in a folder, the newest last. Raises `OSError`."""
    return sorted(folder.glob(f"{_PREFIX}*Z.db"))


def copies_to_keep(paths: Iterable[Path]) -> list[Path]:
    """Return the copies that stay, the newest last."""
    stay: set[Path] = set()
    for form, count in KEPT.items():
        last = {moment_of(copy).strftime(form): copy for copy in sorted(paths)}
        stay |= set(list(last.values())[-count:])
    return sorted(stay)


def moment_of(copy: Path) -> datetime:
    """Return when a copy was made."""
    return datetime.strptime(f"{copy.stem.removeprefix(_PREFIX)}+0000", f"{_STAMP}%z")


def put_back(checked: Path, settings: Settings, now: datetime) -> Path:
    """Put a checked file in the place of the store, and return the folder that has the old files.

    The projections and the snapshots are moved there, too: they may be ahead of the copy, and are made again.

    Raises:
        StoreUnavailable: a service is running.
        StoreDamaged, sqlite3.Error, OSError: the file cannot be used after all.
    """
    with only_service(settings.data):
        check_file(checked, whole=True)
        aside = settings.data / f"before-{now.strftime(_STAMP)}"
        make_folder(aside)
        # The store itself is moved first: without it, the service ignores the other files.
        for database in (settings.database, settings.projection_database, settings.snapshot_database):
            beside = (database.with_name(database.name + suffix) for suffix in ("-wal", "-shm"))
            for each in (database, *beside, mark_of(database)):
                if each.exists():
                    each.rename(aside / each.name)
        checked.rename(settings.database)
        _to_disk(settings.data)
    return aside


def _to_disk(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
