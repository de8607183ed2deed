"""Checks of the embedded store: its directory, its disk and its file."""

import asyncio
import fcntl
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Final

from service.base.private import open_to_others
from service.base.settings import Settings
from service.doctor.finding import Finding, fail, ok, one_line, warn
from service.store.protocol import StoreDamaged
from service.store.sqlite.file import check_file, is_read_first

GIB: Final = 1024**3
ENOUGH: Final = 1 * GIB
"""With fewer free bytes on the disk, the doctor warns. An event takes about half a kilobyte."""

LITTLE: Final = GIB // 10


async def examine(settings: Settings, deep: bool = False) -> list[Finding]:
    """Check the data directory without changing it; return the findings. `deep` reads a large file whole."""
    return await asyncio.to_thread(_examine, settings, deep)


def _examine(settings: Settings, deep: bool) -> list[Finding]:
    findings = [_directory(settings.data)]
    if findings[0].level == "fail":
        return findings
    findings.append(_disk(settings.data))
    if settings.data.exists():
        findings.append(_privacy(settings.data))
        findings.append(_file(settings, deep))
    if not settings.durable:
        message = "TABULARIUM_DURABLE is false: when the power fails, the last commands can be lost"
        findings.append(warn("durability", message, "Remove it where games are not throw-away."))
    return findings


def _directory(data: Path) -> Finding:
    if not data.exists():
        above = _existing(data)
        if not os.access(above, os.W_OK | os.X_OK):
            return fail("data directory", f"{data} cannot be made in {above}", _remedy(above))
        return ok("data directory", f"{data} is made when the service starts")
    try:
        with tempfile.TemporaryFile(dir=data) as file:
            file.write(b"?")
    except OSError as error:
        return fail("data directory", f"{data} cannot be written to: {error.strerror}", _remedy(data))
    return ok("data directory", f"{data} is {_holder(data / 'lock')}")


def _remedy(place: Path) -> str:
    return f"Let user {os.geteuid()} write to {place} (chown), or set TABULARIUM_DATA to a directory where it may."


def _holder(lock: Path) -> str:
    """Return in words whether a service uses a data directory, and which process."""
    try:
        with lock.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return f"in use by a service ({file.read().strip() or 'just starting'})"
    except OSError:
        pass
    return "writable, and no service runs on it"


def _existing(path: Path) -> Path:
    return next(each for each in (path, *path.absolute().parents) if each.exists())


def _disk(data: Path) -> Finding:
    free = shutil.disk_usage(_existing(data)).free
    message = f"{free / GIB:.1f} GiB are free where {data} lies"
    remedy = "Make room, or move the data directory to a larger disk while the service is stopped."
    if free < LITTLE:
        return fail("disk", message, remedy)
    return warn("disk", message, remedy) if free < ENOUGH else ok("disk", message)


def _privacy(data: Path) -> Finding:
    message, _, remedy = open_to_others(data).rpartition(": ")
    return (
        warn("privacy", message, f"Take that from others: {remedy}") if message else ok("privacy", f"{data} is closed")
    )


def _file(settings: Settings, deep: bool) -> Finding:
    try:
        exists = check_file(settings.database, durable=settings.durable, whole=deep)
        is_read = deep or (exists and is_read_first(settings.database))
    except StoreDamaged as error:
        remedy = "Nothing was changed. Keep what is there aside, with its -wal file, before you put a copy back."
        return fail("database", str(error), remedy)
    except (OSError, sqlite3.Error) as error:
        return fail("database", f"{settings.database} cannot be read: {one_line(error)}", _remedy(settings.database))
    if not exists:
        return ok("database", f"{settings.database} is made when the service starts")
    size = settings.database.stat().st_size / 1024**2
    if not is_read:
        message = f"{settings.database} was not read whole: a service does that when it has started, and `--deep`"
        return ok("database", f"{message}; {size:.1f} MiB")
    return ok("database", f"{settings.database} is whole; {size:.1f} MiB")
