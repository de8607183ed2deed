"""The tree and its proofs as RFC 6962 writes them down, over all leaves, as slow as that is: to compare with."""

import hashlib
from collections.abc import Sequence

from domain.transparency.tree import Placed, Run


def root_of(leaves: Sequence[bytes]) -> bytes:
    """MTH(D[n]) of section 2.1, of hashes of leaves."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = largest_power_below(len(leaves))
    return hashlib.sha256(b"\1" + root_of(leaves[:k]) + root_of(leaves[k:])).digest()


def path(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH(m, D[n]) of section 2.1.1."""
    if len(leaves) == 1:
        return []
    k = largest_power_below(len(leaves))
    if m < k:
        return [*path(m, leaves[:k]), root_of(leaves[k:])]
    return [*path(m - k, leaves[k:]), root_of(leaves[:k])]


def proof(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PROOF(m, D[n]) of section 2.1.2."""
    return subproof(m, leaves, whole=True)


def subproof(m: int, leaves: Sequence[bytes], *, whole: bool) -> list[bytes]:
    """SUBPROOF(m, D[n], b) of section 2.1.2."""
    if m == len(leaves):
        return [] if whole else [root_of(leaves)]
    k = largest_power_below(len(leaves))
    if m <= k:
        return [*subproof(m, leaves[:k], whole=whole), root_of(leaves[k:])]
    return [*subproof(m - k, leaves[k:], whole=False), root_of(leaves[:k])]


def largest_power_below(n: int) -> int:
    k = 1
    while 2 * k < n:
        k *= 2
    return k


class Kept:
    """Hashes of tiles as a store keeps them: each is written once."""

    def __init__(self) -> None:
        self.hashes: dict[tuple[int, int], bytes] = {}

    def keep(self, placed: Sequence[Placed]) -> None:
        for level, number, value in placed:
            assert (level, number) not in self.hashes
            self.hashes[level, number] = value

    def read(self, run: Run) -> list[bytes]:
        return [self.hashes[run.level, number] for number in range(run.start, run.stop)]
