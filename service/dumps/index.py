"""The index of a folder of dumps: which sets are complete, and what files each has."""

import math
import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

FORMAT: Final = "tabularium-dumps/1"

INDEX: Final = "index.json"
SUMS: Final = "SHA256SUMS"

Content = Literal["exports", "certificates", "games", "events", "rolls", "results", "refusals"]

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,127}")


class DumpsUnreadable(Exception):
    """A folder has no readable index of dumps. The message is one line."""


class Signed(Struct, frozen=True):
    """The checkpoint of the transparency log that covers a set.

    Attributes:
        origin: the name of the log.
        size: how many entries the log had.
        note: the signed checkpoint, with the cosignatures of witnesses.
    """

    origin: str
    size: int
    note: str


class DumpFile(Struct, frozen=True):
    """A file of a set.

    Attributes:
        name: its name.
        content: `exports` as JSON Lines, their `certificates`, or the name of a table in Parquet.
        rows: the exports, certificates or rows of the table that it has.
        bytes: its size.
        sha256: its SHA-256, in hex.
    """

    name: str
    content: Content
    rows: int
    bytes: int
    sha256: str


class DumpSet(Struct, frozen=True):
    """The games of a ruleset that ended in a month.

    Attributes:
        ruleset: the ruleset.
        month: the month in UTC, such as `2026-10`.
        games: how many games it has.
        events: how many events these have.
        licence: the licence of the data, an SPDX id.
        checkpoint: the checkpoint that covers its games; null where the service signs none.
        files: its files.
    """

    ruleset: str
    month: str
    games: int
    events: int
    licence: str
    checkpoint: Signed | None
    files: tuple[DumpFile, ...]

    @property
    def key(self) -> tuple[str, str]:
        """The key to sort by: month, then ruleset."""
        return self.month, self.ruleset


class _Index(Struct, frozen=True):
    format: str
    sets: tuple[DumpSet, ...]


def read_index(folder: Path) -> tuple[DumpSet, ...]:
    """Return the complete sets in a folder, by month and ruleset; empty without an index. Raises `DumpsUnreadable`."""
    try:
        index = msgspec.json.decode((folder / INDEX).read_bytes(), type=_Index)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise DumpsUnreadable(f"{folder / INDEX} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise DumpsUnreadable(f"{folder / INDEX} is no index of dumps: {error}") from error
    if index.format != FORMAT:
        raise DumpsUnreadable(f"{folder / INDEX} has the format {index.format!r}; this release reads {FORMAT}")
    # A name with a slash would lead out of the folder.
    for each in files_of(index.sets):
        if not _NAME.fullmatch(each.name):
            raise DumpsUnreadable(f"{folder / INDEX} names the file {each.name!r}: files of dumps have no such names")
    return index.sets


def added(folder: Path | None) -> float:
    """Return when dumps were last added to a folder, in seconds since 1970; NaN when there are none."""
    try:
        return (folder / INDEX).stat().st_mtime if folder is not None else math.nan
    except OSError:
        return math.nan


def known_index(folder: Path) -> tuple[DumpSet, ...]:
    """Return the result of `read_index`. The index is read again only after it was replaced."""
    try:
        stat = (folder / INDEX).stat()
    except OSError:
        return read_index(folder)
    return _sets_in(folder, stat.st_ino, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=1)
def _sets_in(folder: Path, *_replaced: int) -> tuple[DumpSet, ...]:
    return read_index(folder)


def write_index(folder: Path, sets: Iterable[DumpSet]) -> None:
    """Write the index, and the sums of all files in the form that `sha256sum --check` reads."""
    ordered = tuple(sorted(sets, key=lambda each: each.key))
    sums = "".join(f"{each.sha256}  {each.name}\n" for each in files_of(ordered))
    write_whole(folder / SUMS, [sums.encode()])
    # Write the index last, so that all files that it names exist.
    write_whole(folder / INDEX, [msgspec.json.format(msgspec.json.encode(_Index(FORMAT, ordered))) + b"\n"])


def files_of(sets: Sequence[DumpSet]) -> list[DumpFile]:
    """Return the files of sets."""
    return [each for one in sets for each in one.files]


def write_whole(path: Path, content: Iterable[bytes]) -> None:
    """Write a file under another name, and rename it when all of it is on the disk."""
    new = path.with_name(f".{path.name}.new")
    with new.open("wb") as file:
        for part in content:
            file.write(part)
        settle(file.fileno())
    new.replace(path)


def settle(file: int) -> None:
    """Flush an open file to the disk."""
    os.fsync(file)
