"""Reading the transparency log: checkpoints, tiles, entries, certificates and proofs."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from domain.kernel.ids import StreamId, Version
from domain.transparency.note import Note, read_note, read_signatures
from domain.transparency.proof import Proof
from domain.transparency.tiles import Tile, bundle, tile_of
from domain.transparency.tree import (
    Frontier,
    Range,
    Run,
    Subtree,
    consistency,
    inclusion,
    parts,
    range_hash,
    run_of,
    runs,
)
from service.store.protocol import StoreDamaged
from service.store.transparency import Published, TreeHead, TreeStore

T = TypeVar("T")


class TransparencyLog:
    """The log as it was published. Every method may raise `StoreError`."""

    def __init__(self, tree: TreeStore) -> None:
        self.tree = tree

    async def checkpoint(self) -> Note | None:
        """Return the newest checkpoint, with the cosignatures that it has; None before the first."""
        published = await self.tree.published()
        return await self.note(published) if published is not None else None

    async def tile(self, tile: Tile) -> bytes | None:
        """Return the body of a tile; None when the newest checkpoint does not have it."""
        if not tile.exists_in(await self._size()):
            return None
        return b"".join(_whole(tile.run, (await self.tree.hashes([tile.run]))[0]))

    async def bundle(self, tile: Tile) -> bytes | None:
        """Return the body of a bundle of entries; None when the newest checkpoint does not have all of them."""
        if not tile.exists_in(await self._size()):
            return None
        return bundle(_whole(tile.run, await self.tree.entries(tile.run.start, tile.run.stop)))

    async def certificate(self, stream: StreamId, version: Version | None = None) -> Proof | None:
        """Return the proof that the log has an entry for a stream.

        The entry is the first head of the stream that includes `version`, or its newest head if no version is given.
        The proof is against the newest cosigned checkpoint if that includes the entry, otherwise against the newest
        one. None if neither includes it yet.
        """
        logged, newest = await self.tree.logged(stream, version), await self.tree.published()
        if logged is None or newest is None:
            return None
        index, entry = logged
        cosigned = await self.tree.cosigned(newest.origin)
        checkpoint = cosigned if cosigned is not None and index < cosigned.size else newest
        if index >= checkpoint.size:
            return None
        hashes = await self.proof(inclusion(index, checkpoint.size), checkpoint.size)
        return Proof(index, tuple(hashes), await self.note(checkpoint), entry)

    async def consistency(self, old: int, new: int) -> list[bytes]:
        """Return the proof that the tree of size `new` extends that of size `old`."""
        return await self.proof(consistency(old, new), new)

    async def proof(self, ranges: Sequence[Range], size: int) -> list[bytes]:
        """Return the hashes of ranges of the tree of that size."""
        read = await self._reader(runs(ranges), size)
        return [range_hash(each, read) for each in ranges]

    async def root(self, size: int) -> bytes:
        """Return the root of the tree of that size."""
        return (await self.proof([Range(0, size)], size))[0]

    async def frontier(self, head: TreeHead) -> Frontier:
        """Return the right edge of a tree that was stored. Raises `StoreDamaged` if the hashes do not give its root."""
        subtrees = parts(Range(0, head.size))
        read = await self._reader([run_of(each) for each in subtrees], head.size)
        edge = Frontier(head.size, [range_hash(_leaves(each), read) for each in subtrees])
        if edge.root != head.root:
            raise StoreDamaged(f"the hashes of the transparency log do not make the root of size {head.size}")
        return edge

    async def _reader(self, needed: Sequence[Run], size: int) -> Callable[[Run], Sequence[bytes]]:
        # Most needed hashes of a level are in one tile. One query for the whole tile is quicker than eight for parts.
        tiles = sorted({tile_of(run, size) for run in needed})
        hashes_of: Mapping[Tile, list[bytes]] = dict(
            zip(tiles, await self.tree.hashes([tile.run for tile in tiles]), strict=True)
        )

        def read(run: Run) -> Sequence[bytes]:
            tile = tile_of(run, size)
            start = run.start - tile.run.start
            return _whole(tile.run, hashes_of[tile])[start : start + run.stop - run.start]

        return read

    async def _size(self) -> int:
        published = await self.tree.published()
        return published.size if published is not None else 0

    async def note(self, published: Published) -> Note:
        """Return a published checkpoint, with the cosignatures that it has."""
        note = read_note(published.note)
        lines = await self.tree.cosignatures(published.origin, published.size)
        return note.signed(read_signatures("".join(lines))) if lines else note


def _leaves(subtree: Subtree) -> Range:
    return Range(subtree.number << subtree.height, (subtree.number + 1) << subtree.height)


def _whole(run: Run, items: Sequence[T]) -> Sequence[T]:
    if len(items) != run.stop - run.start:
        raise StoreDamaged(f"the transparency log lacks rows of {run}")
    return items
