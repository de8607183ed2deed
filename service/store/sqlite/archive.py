"""Archiving in the embedded store, also beside a service that runs on it."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, Self

from msgspec.structs import astuple

from domain.kernel.ids import GameId
from domain.kernel.log.record import Record
from service.store.archiving import Waiting, check_read_back
from service.store.segments import PLAIN, Segment, SegmentDamaged
from service.store.sql.archived import COLUMNS
from service.store.sqlite.connections import Translated, connect
from service.store.sqlite.store import SqliteStore

_SIGNED: Final = "AND EXISTS (SELECT 1 FROM entries l WHERE l.stream = g.game AND l.version >= g.head)"


class SqliteArchive:
    """An `Archive` in a file that is there. Its methods may raise `StoreError`; use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        self._translated = Translated(path)
        with self._translated:
            self._connection = connect(path, "PRAGMA synchronous = FULL")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    async def games_to_pack(self, before: str, signed: bool, limit: int) -> list[GameId]:
        with self._translated:
            rows = self._connection.execute(
                "SELECT g.game FROM games g WHERE g.status IN ('over', 'cancelled') AND g.changed < ?"
                f" AND EXISTS (SELECT 1 FROM events e WHERE e.game = g.game) {_SIGNED if signed else ''}"
                " ORDER BY g.number LIMIT ?",
                (before, limit),
            ).fetchall()
        return [GameId(game) for (game,) in rows]

    async def waiting(self, game: GameId) -> Waiting:
        with self._translated:
            rows = self._connection.execute(
                f"SELECT position, {SqliteStore.record} FROM events WHERE game = ? ORDER BY version", (game,)
            ).fetchall()
            before = self._connection.execute(
                "SELECT hash FROM segments WHERE game = ? ORDER BY version DESC LIMIT 1", (game,)
            ).fetchone()
        return Waiting([(position, Record(*columns)) for position, *columns in rows], before[0] if before else None)

    async def dictionary(self) -> tuple[int, bytes] | None:
        with self._translated:
            return self._connection.execute("SELECT number, file FROM dictionaries ORDER BY rowid LIMIT 1").fetchone()

    async def add_dictionary(self, number: int, content: bytes) -> None:
        with self._translated:
            self._connection.execute(
                "INSERT OR IGNORE INTO dictionaries (number, file) VALUES (?, ?)", (number, content)
            )

    async def put(self, packed: Sequence[Segment], rows: int) -> None:
        game, number = packed[0].game, packed[0].dictionary
        with self._translated, closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                if (
                    number != PLAIN
                    and not cursor.execute("SELECT 1 FROM dictionaries WHERE number = ?", (number,)).fetchone()
                ):
                    raise SegmentDamaged(f"dictionary {number} is missing")
                cursor.executemany(
                    "INSERT INTO segments"
                    " (game, version, after, first, last, previous, hash, dictionary, content, digest, span)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [(*astuple(each), each.span) for each in packed],
                )
                stored_rows = cursor.execute(
                    f"SELECT {COLUMNS} FROM segments s WHERE s.game = ? AND s.version > ? ORDER BY s.version",
                    (game, packed[0].after),
                ).fetchall()
                deleted = cursor.execute(
                    "DELETE FROM events WHERE game = ? AND version > ? AND version <= ?",
                    (game, packed[0].after, packed[-1].version),
                ).rowcount
                check_read_back(packed, [Segment(*columns) for columns in stored_rows], deleted, rows)
                cursor.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise

    async def stored(self, after: Segment | None, limit: int) -> list[Segment]:
        with self._translated:
            rows = self._connection.execute(
                f"SELECT {COLUMNS} FROM segments s WHERE (s.game, s.version) > (?, ?)"
                " ORDER BY s.game, s.version LIMIT ?",
                (*((after.game, after.version) if after else ("", 0)), limit),
            ).fetchall()
        return [Segment(*columns) for columns in rows]

    async def move(self, moved: Sequence[Segment]) -> None:
        with self._translated, closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                cursor.executemany(
                    # Another process may have moved it meanwhile.
                    "UPDATE segments SET content = ?, digest = ?"
                    " WHERE game = ? AND version = ? AND (digest IS NULL) = (? IS NOT NULL)",
                    [(each.content, each.digest, each.game, each.version, each.digest) for each in moved],
                )
                cursor.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    cursor.execute("ROLLBACK")
                raise
