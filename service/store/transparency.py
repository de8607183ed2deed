"""The stored data of the transparency log: its entries, its tree, and the checkpoints that it published.

Rows are only added. The tree grows by compare-and-set on its size: entries, hashes and the new head are stored at once.
So there is one tree of each size, even if processes are killed or two run at the same time. A head is signed and
published later.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from domain.kernel.ids import StreamId, Version
from domain.transparency.tree import Placed, Run
from projections.cursor import Cursor


class TreeMoved(Exception):
    """The tree does not have the expected size. Nothing was stored."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the tree has {size} leaves")


class StreamHead(Struct, frozen=True):
    """The head of a stream: a version of it, the hash and the time of the event there, and the status to enter."""

    stream: StreamId
    version: Version
    hash: bytes
    at: str
    status: str


class Leaf(Struct, frozen=True):
    """An entry of the log, and the stream and version of the head that it contains."""

    stream: StreamId
    version: Version
    entry: bytes


class TreeHead(Struct, frozen=True):
    """A tree that was stored.

    Attributes:
        reached: the cursor in the log of all streams up to which the tree has their heads.
    """

    size: int
    root: bytes
    reached: Cursor


class Growth(Struct, frozen=True):
    """The additions to a tree of size `expected`, and the head that it has then."""

    expected: int
    leaves: Sequence[Leaf]
    hashes: Sequence[Placed]
    head: TreeHead


class Published(Struct, frozen=True):
    """A checkpoint that may be shown: its origin and size, and the note that the log signed."""

    origin: str
    size: int
    note: str


class TreeStore(Protocol):
    """Where the transparency log is kept. Every method may raise `StoreError`."""

    async def grow(self, growth: Growth) -> None:
        """Store a growth whole, durably, or not at all. Raises `TreeMoved`."""
        ...

    async def head(self) -> TreeHead | None:
        """Return the newest tree that was stored; None while the log is empty."""
        ...

    async def publish(self, checkpoint: Published) -> None:
        """Publish a checkpoint. If one of the same origin and size was published before, that one stays."""
        ...

    async def published(self) -> Published | None:
        """Return the largest checkpoint that was published; of several with its size, the last; or None."""
        ...

    async def cosign(self, origin: str, size: int, line: str) -> None:
        """Store the cosignature of a witness, which is a line of a note."""
        ...

    async def cosignatures(self, origin: str, size: int) -> list[str]:
        """Return the cosignatures of a checkpoint, in the order in which they came."""
        ...

    async def cosigned(self, origin: str) -> Published | None:
        """Return the largest checkpoint of an origin that a witness cosigned, or None."""
        ...

    async def hashes(self, runs: Sequence[Run]) -> list[list[bytes]]:
        """Return the hashes of tiles; fewer if some are not there."""
        ...

    async def entries(self, start: int, stop: int) -> list[bytes]:
        """Return the entries from `start` to before `stop`, as far as there are any."""
        ...

    async def leaves(self, start: int, stop: int) -> list[Leaf]:
        """Return the same entries, with the streams and versions that they contain."""
        ...

    async def logged(self, stream: StreamId, version: Version | None = None) -> tuple[int, bytes] | None:
        """Return the number and the entry of a stream's first head at `version` or later; without it, of the newest.

        None when there is no such entry.
        """
        ...

    async def moved(self, after: Cursor, until: Cursor) -> list[StreamHead]:
        """Return the heads to enter for the streams that moved between two cursors, as far as they have no entry yet.

        Those of a book are in the order of their events.
        """
        ...
