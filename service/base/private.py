"""Files for their owner alone: they hold hidden hands, the secrets of the dice, and digests of tokens."""

import os
from pathlib import Path
from typing import Final

OTHERS: Final = 0o007


def make_folder(path: Path) -> None:
    """Make a folder that only its owner may look into, unless it is there. Raises `OSError`."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file that only its owner may read, unless it is there. Raises `OSError`.

    SQLite gives the files that it makes beside a database the mode of that.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def open_to_others(folder: Path) -> str:
    """Say which files of a folder everybody on the machine may read, and what to do; empty when there is none.

    A closed folder closes what is in it.
    """
    if not folder.stat().st_mode & OTHERS:
        return ""
    found = sorted(each.name for each in folder.iterdir() if each.stat().st_mode & OTHERS)
    if not found:
        return ""
    return f"everybody on this machine can read {', '.join(found)} in {folder}: chmod -R o= {folder}"
