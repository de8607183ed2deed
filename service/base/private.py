"""Files for their owner alone: they hold hidden hands, the secrets of the dice, and digests of tokens."""

import os
from pathlib import Path
from typing import Final

OTHERS: Final = 0o007


def make_folder(path: Path) -> None:
    """Make a folder that only its owner may read, unless there is one. Raises `OSError`."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file that only its owner may read, unless there is one. Raises `OSError`.

    SQLite gives the files that it makes beside a database the mode of the database.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def write_secret(path: Path, text: str) -> None:
    """Write a new file that only its owner may read, whole or not at all. Raises `OSError`.

    If there is a file already, it stays, and `FileExistsError` is raised.
    """
    make_folder(path.parent)
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    new.unlink(missing_ok=True)
    try:
        write_durably(new, f"{text}\n", 0o600)
        os.link(new, path)
    finally:
        new.unlink(missing_ok=True)
    sync_directory(path.parent)


def write_durably(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a file, and return when it is on the disk. Raises `OSError`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sync_directory(path: Path) -> None:
    """Write the names in a directory to the disk. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_to_others(folder: Path) -> str:
    """Say which files of a folder everybody on the machine may use, and what to do; empty when there are none.

    In a folder that is closed to others, no file is open to them.
    """
    if not folder.stat().st_mode & OTHERS:
        return ""
    names = sorted(each.name for each in folder.iterdir() if each.stat().st_mode & OTHERS)
    if not names:
        return ""
    return f"everybody on this machine can read {', '.join(names)} in {folder}: chmod -R o= {folder}"
