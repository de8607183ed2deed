"""The request to a witness: C2SP `tlog-witness`, add-checkpoint."""

import base64
import re
from typing import Final

from msgspec import Struct

from domain.transparency.note import LARGEST, Note, NoteError, decoded, read_note
from domain.transparency.tiles import HASH

_HEAD: Final = re.compile(r"old (0|[1-9][0-9]{0,18})\n((?:[^\n]+\n){0,63})\n")


class AddCheckpoint(Struct, frozen=True):
    """A checkpoint, and the proof that its tree extends the one of size `old`."""

    old: int
    proof: tuple[bytes, ...]
    note: Note

    def __str__(self) -> str:
        lines = "".join(f"{base64.b64encode(each).decode()}\n" for each in self.proof)
        return f"old {self.old}\n{lines}\n{self.note}"


def read_add_checkpoint(content: bytes) -> AddCheckpoint:
    """Return the request in `content`. Raises `NoteError`."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise NoteError("the request is not UTF-8") from None
    match = _HEAD.match(text) if len(text) <= LARGEST else None
    if match is None:
        raise NoteError("a request begins with the lines old, at most 63 hashes, and an empty one")
    proof = [decoded(line) for line in match[2].splitlines()]
    if any(each is None or len(each) != HASH for each in proof):
        raise NoteError("the hashes of a proof are base64 of 32 bytes")
    return AddCheckpoint(
        int(match[1]), tuple(each for each in proof if each is not None), read_note(text[match.end() :])
    )
