"""The head of a log's tree, and who signed and saw it: C2SP `tlog-checkpoint` and `tlog-cosignature`."""

import base64
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.transparency.note import ED25519, Check, Key, Note, NoteError, Sign, Signature, decoded, signatures_by
from domain.transparency.tiles import HASH

ED25519_COSIGNATURE: Final = 0x04
ML_DSA_COSIGNATURE: Final = 0x06

LOG_KINDS: Final = (ED25519, ML_DSA_COSIGNATURE)
"""The types of signatures that a log may use here."""

WITNESS_KINDS: Final = (ED25519_COSIGNATURE, ML_DSA_COSIGNATURE)
"""The types of signatures that a witness may use."""

_SIZE: Final = re.compile("0|[1-9][0-9]{0,18}")


class Checkpoint(Struct, frozen=True):
    """A tree head.

    Attributes:
        origin: the name of the log.
        size: the number of leaves.
        root: the root hash, 32 bytes.
        extensions: further lines of the text; our own checkpoints have none.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of its note."""
        root = base64.b64encode(self.root).decode()
        return "".join(f"{line}\n" for line in (self.origin, str(self.size), root, *self.extensions))


class Seen(Struct, frozen=True):
    """A signature that was checked.

    Attributes:
        time: when a cosignature was made, in seconds since 1970; None for a signature without a time.
    """

    key: Key
    time: int | None


def read_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint in the text of a note. Raises `NoteError`."""
    lines = text.removesuffix("\n").split("\n")
    if not text.endswith("\n") or len(lines) < 3 or not all(lines):
        raise NoteError("a checkpoint has three lines or more, none of them empty: origin, size and root")
    origin, size, root, *extensions = lines
    value = decoded(root)
    if _SIZE.fullmatch(size) is None or int(size) > 2**63 - 1:
        raise NoteError(f"the second line of a checkpoint is the size of the tree, not {size[:40]!a}")
    if value is None or len(value) != HASH:
        raise NoteError("the third line of a checkpoint is base64 of a root hash of 32 bytes")
    return Checkpoint(origin, int(size), value, tuple(extensions))


def verified(note: Note, keys: Sequence[Key], check: Check) -> list[Seen]:
    """Return the signatures that `keys` made under the note, one for each key that signed.

    Raises:
        NoteError: a signature that names one of these keys is wrong, so the whole note is refused.
    """
    by_key: dict[Key, Seen] = {}
    for key, signature in signatures_by(note, keys):
        time, value = _taken_apart(key.kind, signature.value)
        message = _message(key, note.text, time)
        if message is None or not check(key.kind, key.public, message, value):
            raise NoteError(f"the signature of {key.name} is wrong")
        by_key.setdefault(key, Seen(key, time))
    return list(by_key.values())


def signed(text: str, key: Key, sign: Sign, time: int | None = None) -> Signature:
    """Return the signature of a key under the text of a note. Raises `NoteError` when such a key cannot sign it.

    `time` is in seconds since 1970; None for an Ed25519 signature that is no cosignature.
    """
    message = _message(key, text, time)
    if message is None or (time is None) != (key.kind == ED25519):
        raise NoteError(f"a key of type {key.kind:#04x} cannot sign this text")
    stamp = b"" if time is None else time.to_bytes(8, "big")
    return Signature(key.name, key.id, stamp + sign(message))


def _taken_apart(kind: int, value: bytes) -> tuple[int | None, bytes]:
    if kind == ED25519:
        return None, value
    return int.from_bytes(value[:8], "big"), value[8:]


def _message(key: Key, text: str, time: int | None) -> bytes | None:
    """Return the bytes that such a key signs; None when it cannot sign this text at this time."""
    if key.kind == ED25519:
        return text.encode()
    if time is None or not 0 < time < 2**63:
        return None
    if key.kind == ED25519_COSIGNATURE:
        return f"cosignature/v1\ntime {time}\n{text}".encode()
    if key.kind == ML_DSA_COSIGNATURE:
        try:
            head = read_checkpoint(text)
        except NoteError:
            return None
        name, origin = key.name.encode(), head.origin.encode()
        if max(len(name), len(origin)) > 255:
            return None
        names = bytes([len(name)]) + name + time.to_bytes(8, "big") + bytes([len(origin)]) + origin
        return b"subtree/v1\n\0" + names + bytes(8) + head.size.to_bytes(8, "big") + head.root
    return None
