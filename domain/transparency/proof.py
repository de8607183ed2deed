"""A proof that a log has an entry, to be checked without the log: C2SP `tlog-proof`."""

import base64
import re
from typing import Final

from msgspec import Struct

from domain.transparency.checkpoint import Checkpoint, read_checkpoint
from domain.transparency.note import LARGEST, Note, NoteError, decoded, read_note
from domain.transparency.tiles import HASH
from domain.transparency.tree import includes, leaf_hash

FIRST_LINE: Final = "c2sp.org/tlog-proof@v1"

_HEAD: Final = re.compile(r"c2sp\.org/tlog-proof@v1\n(?:extra (\S+)\n)?index (0|[1-9][0-9]{0,18})\n((?:\S+\n){0,63})\n")


class Proof(Struct, frozen=True):
    """A proof of inclusion.

    Attributes:
        index: the place of the entry in the log, from 0.
        hashes: the hashes that lead from the entry to the root.
        note: the checkpoint, with its signatures.
        extra: bytes that no signature covers; in our proofs, the entry.
    """

    index: int
    hashes: tuple[bytes, ...]
    note: Note
    extra: bytes | None = None

    def __str__(self) -> str:
        extra = () if self.extra is None else (f"extra {_base64(self.extra)}",)
        lines = (FIRST_LINE, *extra, f"index {self.index}", *map(_base64, self.hashes), "", "")
        return "\n".join(lines) + str(self.note)

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint in the note. Raises `NoteError` when there is none."""
        return read_checkpoint(self.note.text)

    def proves(self, entry: bytes) -> bool:
        """Tell whether `entry` is at `index` in the tree of the checkpoint. It does not check signatures."""
        head = self.checkpoint
        return includes(leaf_hash(entry), self.index, head.size, self.hashes, head.root)


def read_proof(text: str) -> Proof:
    """Return the proof in `text`. Raises `NoteError`."""
    if len(text) > LARGEST:
        raise NoteError(f"a proof has at most {LARGEST} characters, and this has {len(text)}")
    match = _HEAD.match(text)
    if match is None:
        raise NoteError(f"a proof begins with the lines {FIRST_LINE}, extra (if any), index, hashes, and an empty one")
    extra = decoded(match[1]) if match[1] is not None else None
    hashes = [decoded(line) for line in match[3].splitlines()]
    if (match[1] is not None and extra is None) or any(each is None or len(each) != HASH for each in hashes):
        raise NoteError("the extra data and the hashes of a proof are base64, each hash of 32 bytes")
    note = read_note(text[match.end() :])
    read_checkpoint(note.text)
    return Proof(int(match[2]), tuple(each for each in hashes if each is not None), note, extra)


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()
