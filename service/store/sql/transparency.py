"""The transparency log, as far as SQLite and PostgreSQL keep and find it in the same way."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from domain.kernel.ids import StreamId, Version
from domain.transparency.entry import PRIVATE, WITHHELD
from domain.transparency.tree import Run
from service.store.sql.database import Database
from service.store.sql.store import WITHHELD_FORKS
from service.store.transparency import Growth, Leaf, Published, StreamHead, TreeHead

HEAD: Final = "SELECT size, root, position FROM trees ORDER BY size DESC LIMIT 1"
ADD_ENTRY: Final = "INSERT INTO entries (number, stream, version, entry) VALUES (?, ?, ?, ?)"
ADD_HASH: Final = "INSERT INTO hashes (level, number, hash) VALUES (?, ?, ?)"
ADD_TREE: Final = "INSERT INTO trees (size, root, position) VALUES (?, ?, ?)"

_HASHES: Final = "SELECT hash FROM hashes WHERE level = ? AND number >= ? AND number < ? ORDER BY number"
_CHECKPOINT: Final = "SELECT c.origin, c.size, c.note FROM checkpoints c"


class SqlTree(ABC):
    """The part of a `TreeStore` that both databases share."""

    def __init__(self, database: Database, heads: str) -> None:
        """`heads` is a query for all streams and the versions at which they stand, `head`."""
        self._database = database
        # Of a withheld fork no head but the first is entered: what made the next one could be guessed from its hash. Of
        # a private game also the last one: the end publishes a secret, so that nobody guesses what led there.
        # Streams come first, each with the one version that is asked for: what this reads grows with `moved` alone.
        moved = (
            "SELECT game FROM events WHERE position > ? AND position <= ? UNION"
            " SELECT f.game FROM events o JOIN forks f ON f.withheld = o.game WHERE o.position > ? AND o.position <= ?"
        )
        status = (
            "coalesce((SELECT status FROM games g WHERE g.game = m.game),"
            " (SELECT status FROM cases c WHERE c.stream = m.game))"
        )
        private = "SELECT p.game FROM private p"
        secret = f"(m.game IN ({private}) OR m.game IN (SELECT c.stream FROM cases c WHERE c.game IN ({private})))"
        over = f"({status} = 'over')"
        hidden = f"EXISTS (SELECT 1 FROM ({WITHHELD_FORKS}) w WHERE w.game = m.game)"
        head = f"(SELECT head FROM ({heads}) h WHERE h.game = m.game)"
        self._moved = (
            "SELECT n.game, e.version, e.hash, e.at, n.status"
            f" FROM (SELECT m.game, CASE WHEN {hidden} OR ({secret} AND NOT {over}) THEN 1 ELSE {head} END AS version,"
            f" CASE WHEN {secret} THEN '{PRIVATE}' WHEN {hidden} THEN '{WITHHELD}' ELSE {status} END AS status"
            f" FROM ({moved}) m) n"
            " JOIN events e ON e.game = n.game AND e.version = n.version"
            " WHERE NOT EXISTS (SELECT 1 FROM entries l WHERE l.stream = n.game AND l.version >= e.version)"
            " ORDER BY e.position"
        )

    @abstractmethod
    async def grow(self, growth: Growth) -> None: ...

    async def head(self) -> TreeHead | None:
        return tree_head(await self._database.select(HEAD))

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
        found = await self._database.select(
            "SELECT line FROM cosignatures WHERE origin = ? AND size = ? ORDER BY number", origin, size
        )
        return [line for (line,) in found]

    async def cosigned(self, origin: str) -> Published | None:
        newest = "(SELECT max(size) FROM cosignatures WHERE origin = ?)"
        return _published(
            await self._database.select(f"{_CHECKPOINT} WHERE c.origin = ? AND c.size = {newest}", origin, origin)
        )

    async def hashes(self, runs: Sequence[Run]) -> list[list[bytes]]:
        if not runs:
            return []
        found = await self._database.select_at_once(*((_HASHES, *run) for run in runs))
        return [[value for (value,) in rows] for rows in found]

    async def entries(self, start: int, stop: int) -> list[bytes]:
        return [leaf.entry for leaf in await self.leaves(start, stop)]

    async def leaves(self, start: int, stop: int) -> list[Leaf]:
        found = await self._database.select(
            "SELECT stream, version, entry FROM entries WHERE number >= ? AND number < ? ORDER BY number", start, stop
        )
        return [Leaf(stream, version, entry.encode()) for stream, version, entry in found]

    async def logged(self, stream: StreamId, version: Version | None = None) -> tuple[int, bytes] | None:
        query = "SELECT number, entry FROM entries WHERE stream = ?"
        if version is None:
            found = await self._database.select(f"{query} ORDER BY version DESC LIMIT 1", stream)
        else:
            found = await self._database.select(f"{query} AND version >= ? ORDER BY version LIMIT 1", stream, version)
        for number, entry in found:
            return number, entry.encode()
        return None

    async def moved(self, after: int, until: int) -> list[StreamHead]:
        found = await self._database.select(self._moved, after, until, after, until)
        return [StreamHead(*columns) for columns in found]


def tree_head(found: Sequence[Any]) -> TreeHead | None:
    """Return what `HEAD` has found."""
    for columns in found:
        return TreeHead(*columns)
    return None


def growth_values(growth: Growth) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], tuple[Any, ...]]:
    """Return the values of `ADD_ENTRY`, of `ADD_HASH` and of `ADD_TREE`."""
    head = growth.head
    if growth.expected + len(growth.leaves) != head.size or not growth.leaves:
        raise ValueError(f"{len(growth.leaves)} leaves do not lead from {growth.expected} to {head.size}")
    entries = [
        (number, leaf.stream, leaf.version, leaf.entry.decode())
        for number, leaf in enumerate(growth.leaves, start=growth.expected)
    ]
    return entries, list(map(tuple, growth.hashes)), (head.size, head.root, head.position)


def _published(found: Sequence[Any]) -> Published | None:
    for columns in found:
        return Published(*columns)
    return None
