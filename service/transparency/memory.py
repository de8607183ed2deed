"""What a follower remembers: the newest checkpoint that it accepted, every entry, and what it still has to look at."""

import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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

-- Streams are looked at again by cycles. Within one, the order is by chance: the service must not know which come next.
CREATE TABLE IF NOT EXISTS streams (stream TEXT PRIMARY KEY, cycle INTEGER NOT NULL, place BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS streams_by_turn ON streams (cycle, place);
INSERT INTO streams SELECT stream, 0, chance() FROM entries WHERE NOT EXISTS (SELECT 1 FROM streams) GROUP BY stream;

-- The log itself is the stream ''. `first` is the first entry of a stream that nobody has looked at.
CREATE TABLE IF NOT EXISTS unanswered (
    stream TEXT PRIMARY KEY, since TEXT NOT NULL, first INTEGER, why TEXT NOT NULL
) WITHOUT ROWID;
"""

LOG: Final = ""
"""The name of the log itself among unanswered streams."""


class Remembered(Struct, frozen=True):
    """An entry and its place in the log."""

    index: int
    entry: Entry


class Unanswered(Struct, frozen=True):
    """A stream for which the service gave no answer.

    Attributes:
        stream: the stream; `LOG` for the log itself.
        since: when the first answer was missing.
        first: the first entry of the stream that was not looked at; None when only older entries have to be looked at
            again.
        why: what came instead of an answer.
    """

    stream: str
    since: str
    first: int | None
    why: str


class Memory:
    """The memory of a follower, in a file in its directory. Every method may raise `sqlite3.Error`."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(directory / "followed.db", isolation_level=None, check_same_thread=False)
        self._connection.create_function("chance", 0, lambda: secrets.token_bytes(8))
        self._connection.executescript(_TABLES)

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Open a transaction: everything noted within it is remembered, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    # --- the log ---

    def newest_checkpoint(self) -> tuple[str, Frontier] | None:
        """Return the note of the newest checkpoint that was accepted, and the right edge of its tree."""
        row = self._connection.execute("SELECT note, hashes, (SELECT count(*) FROM entries) FROM seen").fetchone()
        if row is None:
            return None
        note, hashes, size = row
        return note, Frontier(size, [hashes[at : at + 32] for at in range(0, len(hashes), 32)])

    def accept(self, note: str, frontier: Frontier, entries: Iterable[Remembered]) -> None:
        """Remember a checkpoint with its new entries. The turn of a new stream is in the next cycle."""
        new = list(entries)
        self._connection.executemany(
            "INSERT INTO entries (number, stream, version, entry) VALUES (?, ?, ?, ?)",
            [(each.index, each.entry.id, each.entry.version, each.entry.encoded) for each in new],
        )
        self._connection.execute("INSERT OR REPLACE INTO seen VALUES (1, ?, ?)", (note, b"".join(frontier.hashes)))
        (cycle,) = self._connection.execute("SELECT coalesce(min(cycle), 0) + 1 FROM streams").fetchone()
        self._connection.executemany(
            "INSERT OR IGNORE INTO streams VALUES (?, ?, chance())",
            [(stream, cycle) for stream in {each.entry.id for each in new}],
        )

    def entries(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the entries from `start` to before `stop`."""
        rows = self._connection.execute(
            "SELECT entry FROM entries WHERE number >= ? AND number < ? ORDER BY number", (start, stop)
        )
        return (entry for (entry,) in rows)

    def of_stream(self, stream: str) -> list[Remembered]:
        """Return the entries of a stream, the oldest first."""
        rows = self._connection.execute("SELECT number, entry FROM entries WHERE stream = ? ORDER BY number", (stream,))
        return [Remembered(number, read_entry(entry)) for number, entry in rows]

    # --- what is to be looked at ---

    def turns(self, limit: int | None) -> list[str]:
        """Return the streams whose turn it is to be looked at again. Each has one turn in a cycle."""
        rows = self._connection.execute(
            "SELECT stream FROM streams ORDER BY cycle, place LIMIT ?", (-1 if limit is None else limit,)
        )
        return [stream for (stream,) in rows]

    def take_turn(self, stream: str) -> None:
        """Give a stream its place in the next cycle."""
        self._connection.execute("UPDATE streams SET cycle = cycle + 1, place = chance() WHERE stream = ?", (stream,))

    def unanswered(self) -> list[Unanswered]:
        """Return the streams for which the service gave no answer, the oldest first."""
        rows = self._connection.execute("SELECT stream, since, first, why FROM unanswered ORDER BY since, stream")
        return [Unanswered(*columns) for columns in rows]

    def not_answered(self, what: Unanswered) -> None:
        """Remember a stream without an answer, until there is one. The time of the first missing answer stays."""
        self._connection.execute(
            "INSERT INTO unanswered VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET why = excluded.why, first = coalesce(first, excluded.first)",
            (what.stream, what.since, what.first, what.why),
        )

    def note_answer(self, stream: str) -> None:
        """Note that the service has answered for a stream."""
        self._connection.execute("DELETE FROM unanswered WHERE stream = ?", (stream,))
