"""What a follower remembers of a log: the newest checkpoint that it accepted, and every entry."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from msgspec import Struct

from domain.transparency.entry import Entry, read_entry
from domain.transparency.tree import Frontier

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS seen (one INTEGER PRIMARY KEY CHECK (one = 1), note TEXT NOT NULL, hashes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL, entry BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_by_stream ON entries (stream, version);
"""


class Remembered(Struct, frozen=True):
    """An entry and its place in the log."""

    index: int
    entry: Entry


class Memory:
    """A file of its own. Raises `sqlite3.Error` when that cannot be used."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(directory / "followed.db", isolation_level=None, check_same_thread=False)
        self._connection.executescript(_TABLES)

    def close(self) -> None:
        self._connection.close()

    def seen(self) -> tuple[str, Frontier] | None:
        """Return the note of the newest checkpoint that was accepted, and the right edge of its tree."""
        found = self._connection.execute("SELECT note, hashes, (SELECT count(*) FROM entries) FROM seen").fetchone()
        if found is None:
            return None
        note, hashes, size = found
        return note, Frontier(size, [hashes[at : at + 32] for at in range(0, len(hashes), 32)])

    def accept(self, note: str, frontier: Frontier, entries: Iterable[Remembered]) -> None:
        """Remember a checkpoint with its new entries, both or neither."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            cursor.executemany(
                "INSERT INTO entries (number, stream, version, entry) VALUES (?, ?, ?, ?)",
                [(each.index, each.entry.id, each.entry.version, each.entry.encoded) for each in entries],
            )
            cursor.execute("INSERT OR REPLACE INTO seen VALUES (1, ?, ?)", (note, b"".join(frontier.hashes)))
            cursor.execute("COMMIT")

    def of_stream(self, stream: str) -> list[Remembered]:
        """Return the entries of a stream, the oldest first."""
        found = self._connection.execute(
            "SELECT number, entry FROM entries WHERE stream = ? ORDER BY number", (stream,)
        )
        return [Remembered(number, read_entry(entry)) for number, entry in found]

    def streams(self, after: str = "", limit: int = -1) -> list[str]:
        """Return the streams that have entries, in the order of their ids."""
        found = self._connection.execute(
            "SELECT DISTINCT stream FROM entries WHERE stream > ? ORDER BY stream LIMIT ?", (after, limit)
        )
        return [stream for (stream,) in found]
