"""The Merkle tree of RFC 6962, and its proofs as RFC 9162 checks them.

A tree of any size is a row of perfect subtrees, the largest first. So a proof needs only hashes of perfect subtrees:
`parts` returns the subtrees, the caller fetches their hashes, and `joined` puts them together.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field

EMPTY: Final = hashlib.sha256(b"").digest()
"""The root of the tree without leaves."""

TILE_HEIGHT: Final = 8
"""The levels of the tree in a tile; the hashes of a tile are the leaves of a subtree of that height."""

TILE_WIDTH: Final = 2**TILE_HEIGHT


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of an entry."""
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node over two nodes."""
    return hashlib.sha256(b"\1" + left + right).digest()


class Range(NamedTuple):
    """The leaves from `start` to before `stop`, whose hash is part of a proof."""

    start: int
    stop: int


class Subtree(NamedTuple):
    """The perfect subtree over the leaves from ``number * 2**height`` to before ``(number + 1) * 2**height``."""

    height: int
    number: int


class Run(NamedTuple):
    """Neighbouring hashes of one tile: those of a level of tiles from `start` to before `stop`."""

    level: int
    start: int
    stop: int


def parts(leaves: Range) -> list[Subtree]:
    """Return the perfect subtrees that make up a range of a tree, the largest first."""
    subtrees: list[Subtree] = []
    start, stop = leaves
    while start < stop:
        height = (stop - start).bit_length() - 1
        subtrees.append(Subtree(height, start >> height))
        start += 1 << height
    return subtrees


def run_of(subtree: Subtree) -> Run:
    """Return the hashes of tiles from which the hash of a perfect subtree follows."""
    level, height = divmod(subtree.height, TILE_HEIGHT)
    return Run(level, subtree.number << height, (subtree.number + 1) << height)


def runs(ranges: Iterable[Range]) -> list[Run]:
    """Return all hashes of tiles that the hashes of `ranges` need."""
    return [run_of(subtree) for leaves in ranges for subtree in parts(leaves)]


def folded(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a perfect subtree over these hashes."""
    while len(hashes) > 1:
        hashes = [node_hash(*pair) for pair in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def joined(hashes: Sequence[bytes]) -> bytes:
    """Return the hash over perfect subtrees, given their hashes, the largest first."""
    if not hashes:
        return EMPTY
    *others, root = hashes
    for each in reversed(others):
        root = node_hash(each, root)
    return root


def range_hash(leaves: Range, read: Callable[[Run], Sequence[bytes]]) -> bytes:
    """Return the hash of a range. `read` returns the hashes of a run."""
    return joined([folded(read(run_of(subtree))) for subtree in parts(leaves)])


def inclusion(index: int, size: int) -> list[Range]:
    """Return the ranges whose hashes prove that leaf `index` is in the tree of `size`, in the order of the proof."""
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} has no leaf {index}")
    ranges: list[Range] = []
    start, stop = 0, size
    while stop - start > 1:
        middle = start + _split(stop - start)
        if index < middle:
            ranges.append(Range(middle, stop))
            stop = middle
        else:
            ranges.append(Range(start, middle))
            start = middle
    return ranges[::-1]


def consistency(old: int, new: int) -> list[Range]:
    """Return the ranges whose hashes prove that the tree of size `new` extends that of size `old`."""
    if not 0 <= old <= new:
        raise ValueError(f"a tree of {new} does not go on from one of {old}")
    if old in (0, new):
        return []
    ranges: list[Range] = []
    start, stop = 0, new
    while stop != old:
        middle = start + _split(stop - start)
        if old <= middle:
            ranges.append(Range(middle, stop))
            stop = middle
        else:
            ranges.append(Range(start, middle))
            start = middle
    return [*([Range(start, stop)] if start else []), *ranges[::-1]]


def _split(size: int) -> int:
    """Return the largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def includes(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Tell whether `proof` shows that the leaf with this hash is at `index` of the tree (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    position, last, hash_ = index, size - 1, leaf
    for each in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            hash_ = node_hash(each, hash_)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            hash_ = node_hash(hash_, each)
        position, last = position >> 1, last >> 1
    return last == 0 and hash_ == root


def continues(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Tell whether `proof` shows that the new tree extends the old one (RFC 9162, 2.1.4.2)."""
    if not 0 <= old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    if old == 0:
        return not proof and old_root == EMPTY
    if not proof:
        return False
    hashes = list(proof) if old & (old - 1) else [old_root, *proof]
    position, last = old - 1, new - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    before = after = hashes[0]
    for each in hashes[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            before, after = node_hash(each, before), node_hash(each, after)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            after = node_hash(after, each)
        position, last = position >> 1, last >> 1
    return last == 0 and before == old_root and after == new_root


class Placed(NamedTuple):
    """A hash of a tile, with the level of tiles and the number of the hash in it."""

    level: int
    number: int
    hash: bytes


class Frontier(Struct):
    """The right edge of a tree: all that is needed to add leaves and to know the root.

    Attributes:
        size: the number of leaves.
        hashes: the hashes of the perfect subtrees that make up the tree, the largest first.
    """

    size: int = 0
    hashes: list[bytes] = field(default_factory=list[bytes])

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.hashes) != self.size.bit_count():
            raise ValueError(f"a tree of {self.size} is not made up of {len(self.hashes)} perfect subtrees")

    @property
    def root(self) -> bytes:
        """The root of the tree."""
        return joined(self.hashes)

    def add(self, leaf: bytes) -> Iterator[Placed]:
        """Add a leaf, given its hash; yield each hash of a tile that follows. The iterator must be exhausted."""
        number, height = self.size, 0
        yield Placed(0, number, leaf)
        self.size += 1
        while number & 1:
            leaf = node_hash(self.hashes.pop(), leaf)
            number, height = number >> 1, height + 1
            if height % TILE_HEIGHT == 0:
                yield Placed(height // TILE_HEIGHT, number, leaf)
        self.hashes.append(leaf)

    def extend(self, leaves: Iterable[bytes]) -> list[Placed]:
        """Add leaves, given their hashes; return each hash of a tile that follows."""
        return [placed for leaf in leaves for placed in self.add(leaf)]

    def copy(self) -> "Frontier":
        """Return an independent copy."""
        return Frontier(self.size, list(self.hashes))
