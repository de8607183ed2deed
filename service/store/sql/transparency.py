"""The transparency log, as far as SQLite and PostgreSQL keep and find it in the same way."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final, Protocol

from domain.kernel.ids import StreamId, Version
from domain.transparency.entry import PRIVATE, WITHHELD
from domain.transparency.tree import Run
from projections.cursor import Cursor
from service.store.sql.database import Database, Queries
from service.store.sql.games import WITHHELD_FORKS
from service.store.transparency import Growth, Leaf, Published, StreamHead, TreeHead

ADD_ENTRY: Final = "INSERT INTO entries (number, stream, version, entry) VALUES (?, ?, ?, ?)"
ADD_HASH: Final = "INSERT INTO hashes (level, number, hash) VALUES (?, ?, ?)"

_HASHES: Final = "SELECT hash FROM hashes WHERE level = ? AND number >= ? AND number < ? ORDER BY number"
_CHECKPOINT: Final = "SELECT c.origin, c.size, c.note FROM checkpoints c"


class LogColumns(Protocol):
    """The parts of a store's schema that this needs: see `SqlStore`."""

    log: ClassVar[str]
    books: ClassVar[int]
    book_of: ClassVar[str]
    of_stream: ClassVar[str]
    heads_query: ClassVar[str]


class SqlTree(ABC):
    """The part of a `TreeStore` that both databases share."""

    head_query: ClassVar[str]
    """A query for the newest tree: its size, its root, and the text of the cursor up to which it has all heads."""
    moved_between: ClassVar[str]
    """A query for the streams that moved between two places, and their books; `_between` has its values."""
    each: ClassVar[str]
    """A table of streams with the column `value`. `_packed` makes its parameter from them."""

    beside: "Sequence[SqlTree]" = ()
    """Finds the streams that moved on other servers, if the log is on several. The tree itself is here."""

    def __init__(self, database: Database, log: LogColumns) -> None:
        self._database = database
        self.log_of_all: Queries = database
        """The database, to be asked about streams of all books."""
        self._books = log.books
        # Of a withheld fork, only the first head is entered: from the hash of a later one, its event could be guessed.
        # Of a private game, the last head is entered, too: the end publishes a secret, so nobody can guess the event.
        # Streams come first, each with the one version that is needed, so what this reads grows with `moved` alone.
        moved = (
            f"{self.moved_between}"
            f" UNION SELECT f.book, f.game FROM ({self.moved_between}) o JOIN forks f ON f.withheld = o.game"
        )
        status = (
            "coalesce((SELECT status FROM games g WHERE g.book = m.book AND g.game = m.game),"
            " (SELECT status FROM cases c WHERE c.book = m.book AND c.stream = m.game),"
            " (SELECT status FROM tournaments t WHERE t.book = m.book AND t.stream = m.game),"
            " (SELECT status FROM leagues l WHERE l.book = m.book AND l.stream = m.game))"
        )
        of_private = f"p.book = {log.book_of.format('c', 'game')} AND p.game = c.game"
        secret = (
            "(EXISTS (SELECT 1 FROM private p WHERE p.book = m.book AND p.game = m.game)"
            f" OR EXISTS (SELECT 1 FROM cases c JOIN private p ON {of_private}"
            " WHERE c.book = m.book AND c.stream = m.game))"
        )
        over = f"({status} = 'over')"
        forks = WITHHELD_FORKS.format(log.book_of.format("f", "withheld"))
        hidden = f"EXISTS (SELECT 1 FROM ({forks}) w WHERE w.book = m.book AND w.game = m.game)"
        head = f"(SELECT head FROM ({log.heads_query}) h WHERE h.book = m.book AND h.game = m.game)"
        self._moved = (
            "SELECT n.game, e.version, e.hash, e.at, n.status"
            " FROM (SELECT m.book AS in_book, m.game,"
            f" CASE WHEN {hidden} OR ({secret} AND NOT {over}) THEN 1 ELSE {head} END AS version,"
            f" CASE WHEN {secret} THEN '{PRIVATE}' WHEN {hidden} THEN '{WITHHELD}' ELSE {status} END AS status"
            f" FROM ({moved}) m) n"
            f" JOIN {log.log} e ON {log.of_stream.format('e', 'n.game', 'n.in_book')} AND e.version = n.version"
            " ORDER BY e.position"
        )
        self._entered = f"SELECT value, (SELECT max(l.version) FROM entries l WHERE l.stream = value) FROM {self.each}"

    @staticmethod
    @abstractmethod
    def _packed(streams: Iterable[StreamId]) -> Any: ...

    @staticmethod
    @abstractmethod
    def _between(after: Cursor, until: Cursor) -> tuple[Any, ...]: ...

    @abstractmethod
    async def grow(self, growth: Growth) -> None: ...

    async def head(self) -> TreeHead | None:
        return self._tree_head(await self._database.select(self.head_query))

    def _tree_head(self, rows: Sequence[Any]) -> TreeHead | None:
        """Return the tree that `head_query` has found, or None."""
        for size, root, reached in rows:
            return TreeHead(size, root, Cursor.parse(reached, self._books))
        return None

    async def publish(self, checkpoint: Published) -> None:
        await self._database.execute(
            "INSERT INTO checkpoints (origin, size, note) VALUES (?, ?, ?) ON CONFLICT (origin, size) DO NOTHING",
            checkpoint.origin,
            checkpoint.size,
            checkpoint.note,
        )

    async def published(self) -> Published | None:
        return _published(await self._database.select(f"{_CHECKPOINT} ORDER BY size DESC, number DESC LIMIT 1"))

    async def cosign(self, origin: str, size: int, line: str) -> None:
        await self._database.execute(
            "INSERT INTO cosignatures (origin, size, line) VALUES (?, ?, ?)"
            " ON CONFLICT (origin, size, line) DO NOTHING",
            origin,
            size,
            line,
        )

    async def cosignatures(self, origin: str, size: int) -> list[str]:
        rows = await self._database.select(
            "SELECT line FROM cosignatures WHERE origin = ? AND size = ? ORDER BY number", origin, size
        )
        return [line for (line,) in rows]

    async def cosigned(self, origin: str) -> Published | None:
        newest = "(SELECT max(size) FROM cosignatures WHERE origin = ?)"
        return _published(
            await self._database.select(f"{_CHECKPOINT} WHERE c.origin = ? AND c.size = {newest}", origin, origin)
        )

    async def hashes(self, runs: Sequence[Run]) -> list[list[bytes]]:
        if not runs:
            return []
        selections = await self._database.select_at_once(*((_HASHES, *run) for run in runs))
        return [[value for (value,) in rows] for rows in selections]

    async def entries(self, start: int, stop: int) -> list[bytes]:
        return [leaf.entry for leaf in await self.leaves(start, stop)]

    async def leaves(self, start: int, stop: int) -> list[Leaf]:
        rows = await self._database.select(
            "SELECT stream, version, entry FROM entries WHERE number >= ? AND number < ? ORDER BY number", start, stop
        )
        return [Leaf(stream, version, entry.encode()) for stream, version, entry in rows]

    async def logged(self, stream: StreamId, version: Version | None = None) -> tuple[int, bytes] | None:
        query = "SELECT number, entry FROM entries WHERE stream = ?"
        if version is None:
            rows = await self._database.select(f"{query} ORDER BY version DESC LIMIT 1", stream)
        else:
            rows = await self._database.select(f"{query} AND version >= ? ORDER BY version LIMIT 1", stream, version)
        for number, entry in rows:
            return number, entry.encode()
        return None

    async def moved(self, after: Cursor, until: Cursor) -> list[StreamHead]:
        heads_by_tree = await asyncio.gather(*(tree.moved_here(after, until) for tree in (self, *self.beside)))
        newest: dict[StreamId, StreamHead] = {}
        for head in (head for each in heads_by_tree for head in each):
            # While a book moves, it is on two servers, and one of them may have more of it.
            if head.stream not in newest or newest[head.stream].version < head.version:
                newest[head.stream] = head
        heads = [*newest.values()]
        if not heads:
            return []
        # Looked up afterwards, because entries are only added meanwhile.
        entered = dict(await self._database.select(self._entered, self._packed({head.stream for head in heads})))
        return [head for head in heads if head.version > (entered[head.stream] or 0)]

    async def moved_here(self, after: Cursor, until: Cursor) -> list[StreamHead]:
        """Return the heads to enter for the streams that moved on this server, including those entered already."""
        between = self._between(after, until)
        rows = await self.log_of_all.select(self._moved, *between, *between) if between else []
        return [StreamHead(*columns) for columns in rows]


def growth_values(growth: Growth) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the values of `ADD_ENTRY` and of `ADD_HASH`."""
    head = growth.head
    if growth.expected + len(growth.leaves) != head.size or not growth.leaves:
        raise ValueError(f"{len(growth.leaves)} leaves do not lead from {growth.expected} to {head.size}")
    entries = [
        (number, leaf.stream, leaf.version, leaf.entry.decode())
        for number, leaf in enumerate(growth.leaves, start=growth.expected)
    ]
    return entries, list(map(tuple, growth.hashes))


def _published(rows: Sequence[Any]) -> Published | None:
    for columns in rows:
        return Published(*columns)
    return None
