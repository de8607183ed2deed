"""Notes with signatures of several keys: C2SP `signed-note`.

The caller provides the cryptography: a `Sign` makes a signature over bytes, a `Check` checks one.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct

ED25519: Final = 0x01
"""The type of an Ed25519 signature over the text."""

LARGEST: Final = 128 * 1024
"""The most characters of a note that is read: room for 16 signatures of ML-DSA-44, and more."""

_PRIVATE: Final = "PRIVATE+KEY+"
_NAME: Final = re.compile(r"[^\s+]+")
_CONTROL: Final = re.compile("[\x00-\x09\x0b-\x1f]")
_LINE: Final = re.compile(r"\N{EM DASH} (?P<name>[^\s+]+) (?P<value>[A-Za-z0-9+/=]+)")

Check = Callable[[int, bytes, bytes, bytes], bool]
"""Tells whether a signature is right, given the type and the public bytes of the key, the message and the signature."""

Sign = Callable[[bytes], bytes]
"""Makes a signature over bytes."""


class NoteError(ValueError):
    """A text that is not a note or not a key, or a wrong signature of a known key. The message is one line."""


class Key(Struct, frozen=True):
    """A key that verifies: its name, the type of its signatures, and its public bytes."""

    name: str
    kind: int
    public: bytes

    @property
    def id(self) -> bytes:
        """The four bytes by which signatures name the key beside its name."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{_base64(bytes([self.kind]) + self.public)}"


class Signature(Struct, frozen=True):
    """A signature line: the name and the id of the key, and further bytes, which depend on the key's type."""

    name: str
    id: bytes
    value: bytes

    def __str__(self) -> str:
        return f"\N{EM DASH} {self.name} {_base64(self.id + self.value)}\n"

    def is_by(self, key: Key) -> bool:
        """Tell whether the line names that key. It does not check the signature."""
        return (self.name, self.id) == (key.name, key.id)


class Note(Struct, frozen=True):
    """A text and its signatures. The text ends with a newline."""

    text: str
    signatures: tuple[Signature, ...]

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    def signed(self, signatures: Iterable[Signature]) -> "Note":
        """Return the note with further signatures, each once."""
        return Note(self.text, tuple(dict.fromkeys((*self.signatures, *signatures))))


class SigningKey(Struct, frozen=True):
    """A key that signs: its name, the type of its signatures, and its secret bytes.

    It is written as Go's note package writes it: ``PRIVATE+KEY+<name>+<id>+<base64(type ‖ secret)>``.
    """

    name: str
    kind: int
    secret: bytes

    def __repr__(self) -> str:
        return f"SigningKey({self.name!r})"

    def written(self, public: bytes) -> str:
        """Return the form in which it is stored. Never show it."""
        key_id = Key(self.name, self.kind, public).id.hex()
        return f"{_PRIVATE}{self.name}+{key_id}+{_base64(bytes([self.kind]) + self.secret)}"


def read_key(text: str) -> Key:
    """Return the key in a vkey: `<name>+<id>+<base64>`. Raises `NoteError`."""
    name, id_hex, rest = _key_parts(text)
    key = Key(name, rest[0], rest[1:])
    if key.id.hex() != id_hex:
        raise NoteError(f"{_printable(text)} has id {key.id.hex()}, not {id_hex}: it was copied wrongly")
    return key


def read_signing_key(text: str, public_of: Callable[[int, bytes], bytes]) -> SigningKey:
    """Return the signing key in `text`. Raises `NoteError`, which never quotes the secret.

    Args:
        public_of: returns the public bytes of a secret of a type. Raises `ValueError` for anything else.
    """
    if not text.startswith(_PRIVATE):
        raise NoteError(f"expected a signing key, which begins with {_PRIVATE}")
    try:
        name, id_hex, rest = _key_parts(text.removeprefix(_PRIVATE))
        public = public_of(rest[0], rest[1:])
    except ValueError:
        raise NoteError(f"expected a signing key: {_PRIVATE}<name>+<id>+<base64>") from None
    if Key(name, rest[0], public).id.hex() != id_hex:
        raise NoteError(f"the signing key of {name} does not have the id {id_hex}: it was copied wrongly")
    return SigningKey(name, rest[0], rest[1:])


def _key_parts(text: str) -> tuple[str, str, bytes]:
    name, _, rest = text.partition("+")
    id_hex, _, encoded = rest.partition("+")
    if not is_key_name(name) or re.fullmatch("[0-9a-f]{8}", id_hex) is None:
        raise NoteError(f"{_printable(text)} is not a key: expected <name>+<8 hex digits>+<base64>")
    material = decoded(encoded)
    if material is None or len(material) < 2:
        raise NoteError(f"{_printable(text)} is not a key: what follows the id is not base64 of a key")
    return name, id_hex, material


def is_key_name(text: str) -> bool:
    """Tell whether a key may have that name: not empty, no spaces, no plus, no control characters."""
    return _NAME.fullmatch(text) is not None and text.isprintable()


def read_note(text: str | bytes) -> Note:
    """Return the note in `text`. Raises `NoteError`."""
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            raise NoteError("a note is UTF-8, and this is not") from None
    if len(text) > LARGEST:
        raise NoteError(f"a note has at most {LARGEST} characters, and this has {len(text)}")
    if _CONTROL.search(text):
        raise NoteError("a note has no control characters but newlines")
    body, blank, tail = text.rpartition("\n\n")
    if not blank or not tail:
        raise NoteError("a note ends with an empty line and signature lines after it")
    return Note(f"{body}\n", read_signatures(tail))


def read_signatures(text: str) -> tuple[Signature, ...]:
    """Return the signatures in signature lines. Raises `NoteError`."""
    if not text.endswith("\n"):
        raise NoteError("a signature line ends with a newline")
    signatures: list[Signature] = []
    for line in text.removesuffix("\n").split("\n"):
        match = _LINE.fullmatch(line)
        value = decoded(match["value"]) if match else None
        if match is None or value is None or len(value) < 5:
            raise NoteError(f"{_printable(line)} is not a signature line: expected \N{EM DASH} <name> <base64>")
        signatures.append(Signature(match["name"], value[:4], value[4:]))
    return tuple(signatures)


def decoded(text: str) -> bytes | None:
    """Return the bytes in a base64 text; None when encoding them does not give exactly that text."""
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return value if _base64(value) == text else None


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _printable(text: str) -> str:
    return ascii(text if len(text) <= 60 else f"{text[:60]}…")


def signatures_by(note: Note, keys: Sequence[Key]) -> list[tuple[Key, Signature]]:
    """Return the signatures of known keys, each with its key; those of other keys are left out."""
    return [(key, each) for each in note.signatures for key in keys if each.is_by(key)]
