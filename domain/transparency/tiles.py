"""Where a log serves its hashes and entries: the paths and bodies of C2SP `tlog-tiles`."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from domain.transparency.tree import TILE_HEIGHT, TILE_WIDTH, Run

HASH: Final = 32
"""Bytes of a hash."""

LARGEST_ENTRY: Final = 2**16 - 1
"""Bytes of the largest entry that a bundle can hold."""

_PATH: Final = re.compile(r"((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")


class Tile(NamedTuple):
    """A tile, or a part of one from its beginning on.

    Attributes:
        level: 0 for the hashes of leaves; a hash of a higher level is the hash over a full tile of the level below.
        number: counts the tiles of the level from 0.
        width: how many hashes it has: 256 when it is full.
    """

    level: int
    number: int
    width: int

    @property
    def path(self) -> str:
        """The path below ``tile/``."""
        return f"{self.level}/{numbered(self.number, self.width)}"

    @property
    def run(self) -> Run:
        """The hashes that it holds."""
        start = self.number * TILE_WIDTH
        return Run(self.level, start, start + self.width)

    def exists_in(self, size: int) -> bool:
        """Tell whether a tree of that size has these hashes."""
        return 0 < self.width <= TILE_WIDTH and self.run.stop <= size >> (TILE_HEIGHT * self.level)


def numbered(number: int, width: int) -> str:
    """Return the end of a path: the number of a tile, and its width when it is not full."""
    digits = f"{number:d}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
    return path if width == TILE_WIDTH else f"{path}.p/{width}"


def read_number(path: str) -> tuple[int, int] | None:
    """Return the number and the width of a tile, from the end of its path; None when the path is not valid."""
    match = _PATH.fullmatch(path)
    if match is None or len(path) > 48:
        return None
    number, width = int(match[1].replace("x", "").replace("/", "")), int(match[2] or TILE_WIDTH)
    # One tile has one path: no leading group of zeros, and a full tile has no width.
    return (number, width) if numbered(number, width) == path else None


def tile_of(run: Run, size: int) -> Tile:
    """Return the tile with the hashes of `run` in a tree of that size. Raises `ValueError` when there is none."""
    number = run.start // TILE_WIDTH
    leaves = (size >> (TILE_HEIGHT * run.level)) - number * TILE_WIDTH
    tile = Tile(run.level, number, min(TILE_WIDTH, leaves))
    if run.stop > tile.run.stop:
        raise ValueError(f"a tree of {size} has no {run}")
    return tile


def tiles_between(old: int, new: int) -> Iterator[Tile]:
    """Yield the tiles of entries that are new or have become wider when a tree grew from size `old` to `new`."""
    for number in range(old // TILE_WIDTH, -(-new // TILE_WIDTH)) if new > old else ():
        yield Tile(0, number, min(TILE_WIDTH, new - number * TILE_WIDTH))


def hashes_of(body: bytes, tile: Tile) -> list[bytes]:
    """Return the hashes in the body of a tile. Raises `ValueError` when it is not as long as the tile is wide."""
    if len(body) != tile.width * HASH:
        raise ValueError(f"tile {tile.path} has {len(body)} bytes in place of {tile.width * HASH}")
    return [body[at : at + HASH] for at in range(0, len(body), HASH)]


def bundle(entries: Iterable[bytes]) -> bytes:
    """Return the body of a bundle of entries."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def entries_of(body: bytes, tile: Tile) -> list[bytes]:
    """Return the entries in the body of a bundle. Raises `ValueError` unless there are as many as the tile is wide."""
    entries: list[bytes] = []
    at = 0
    while at < len(body):
        start, stop = at + 2, at + 2 + int.from_bytes(body[at : at + 2], "big")
        if stop > len(body):
            raise ValueError(f"bundle {tile.path} ends in the middle of an entry")
        entries.append(body[start:stop])
        at = stop
    if len(entries) != tile.width:
        raise ValueError(f"bundle {tile.path} has {len(entries)} entries in place of {tile.width}")
    return entries
