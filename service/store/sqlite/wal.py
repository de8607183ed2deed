"""The write-ahead log beside the file: whether SQLite would drop transactions of it that were acknowledged.

Its format: https://www.sqlite.org/walformat.html
"""

import struct
import sys
import time
from pathlib import Path
from typing import Final

from service.store.protocol import StoreDamaged

PAGE: Final = 4096
"""Bytes of a page of the database, which a frame of the log has."""


def check_wal(wal: Path, shared: Path) -> None:
    """Raise `StoreDamaged` when SQLite would drop transactions that were acknowledged."""
    problem = _wal_problem(wal, shared)
    # Another process may have written while we read; damage stays as it is.
    for _ in range(3):
        if problem is None:
            return
        time.sleep(0.1)
        before, problem = problem, _wal_problem(wal, shared)
        if problem == before:
            raise StoreDamaged(f"{wal} is damaged: {problem}; restore it with its database")


def _wal_problem(wal: Path, shared: Path) -> str | None:
    """Return what is wrong with a write-ahead log.

    A power failure leaves at most one transaction unfinished, at the end: where a frame is bad and more than one
    commit follows it, the log was damaged otherwise. When only the process died, the index beside the log (`shared`)
    still says how long the log is.
    """
    index = shared.read_bytes()[:96] if shared.exists() else b""
    content = wal.read_bytes()
    if len(content) <= 32:
        return "its beginning is missing" if _frames_indexed(index, None) else None
    header, good, bad, commits = _Header(content), 0, 0, 0
    checksum, salt, size = header.checksum if header.whole else None, header.salt, 24 + header.page
    for start in range(32, len(content) - size + 1, size):
        head = content[start : start + 24]
        if checksum is not None:
            data = content[start : start + 8] + content[start + 24 : start + size]
            checksum = _checksum(data, checksum, header.order)
            if head[8:16] == salt and checksum == struct.unpack(">II", head[16:24]):
                good += 1
                continue
            checksum = None
        if head[8:16] == salt:
            bad += 1
            commits += head[4:8] != bytes(4)
    indexed = _frames_indexed(index, salt)
    if commits <= 1 and indexed <= good:
        return None
    return f"only its first {good} frames are good, and {max(indexed - good, bad)} or more are lost"


class _Header:
    """The first 32 bytes of a log. When they are damaged, `salt` is that of the first frame."""

    def __init__(self, content: bytes) -> None:
        magic, _, self.page = struct.unpack(">III", content[:12])
        self.order = ">" if magic & 1 else "<"
        self.checksum = struct.unpack(">II", content[24:32])
        self.whole = magic & ~1 == 0x377F0682 and _checksum(content[:24], (0, 0), self.order) == self.checksum
        self.salt = content[16:24] if self.whole else content[40:48]
        if not self.whole:
            self.page = PAGE


def _checksum(data: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    one, other = start
    for first, second in struct.iter_unpack(f"{order}II", data):
        one = (one + first + other) & 0xFFFFFFFF
        other = (other + second + one) & 0xFFFFFFFF
    return one, other


def _frames_indexed(index: bytes, salt: bytes | None) -> int:
    """Return how many frames the index counts, if it is whole and that of the log with this salt; 0 otherwise."""
    order = "<" if sys.byteorder == "little" else ">"
    if len(index) < 96 or index[:48] != index[48:96]:
        return 0
    if _checksum(index[:40], (0, 0), order) != struct.unpack(f"{order}II", index[40:48]):
        return 0
    if salt is not None and index[32:40] != salt:
        return 0
    return struct.unpack(f"{order}I", index[16:20])[0]
