"""The chain of hashes: the one byte form that is hashed (RFC 8785), and the commitments to what is hidden."""

import hashlib
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from tabularium_client.shapes import Event

HEX: Final = re.compile("[0-9a-f]{64}")
_SALT: Final = re.compile("[0-9a-f]{32}")
_LARGEST: Final = 2**53 - 1
_encoder: Final = msgspec.json.Encoder(order="sorted")


class Chain:
    """The chain of hashes of a game, event by event, such as a stream brings them.

    Attributes:
        version, head: the version and the hash of the last event.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self.version = 0
        self.head = ""

    def take(self, event: Event) -> None:
        """Take the next event. Raises `ValueError` if it does not follow the one before."""
        row = {"at": event.at, "draws": event.draws, "event": event.event, "game": self._game}
        row |= {"schema": event.schema, "version": event.version}
        if event.cause is not None:
            row["cause"] = event.cause
        before = bytes.fromhex(self.head) if self.version else genesis(self._game)
        if event.version != self.version + 1 or event.hash != following(before, canonical(row)).hex():
            raise ValueError(f"version {event.version} does not continue the chain after version {self.version}")
        self.version, self.head = event.version, event.hash


def genesis(stream: str) -> bytes:
    """Return the hash before version 1."""
    return hashlib.sha256(f"tabularium/1 {stream}".encode()).digest()


def following(before: bytes, row: bytes) -> bytes:
    """Return the hash of a row."""
    return hashlib.sha256(before + row).digest()


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 form of a JSON value that has no numbers but exact whole ones. Raises `ValueError`."""
    for part in parts(value):
        if isinstance(part, float) or (type(part) is int and abs(part) > _LARGEST):
            raise ValueError(f"{part} is not a whole number that all programs read exactly")
    return _encoder.encode(value)


def digest(value: Any) -> str:
    """Return ``sha256:<hex>`` of the canonical form."""
    return f"sha256:{hashlib.sha256(canonical(value)).hexdigest()}"


def is_genuine(sealed: dict[str, Any]) -> bool:
    """Tell whether salt and value fit the commitment."""
    salt = sealed["salt"]
    if not isinstance(salt, str) or not _SALT.fullmatch(salt):
        return False
    whole = bytes.fromhex(salt) + canonical(sealed["value"])
    return hashlib.sha256(whole).hexdigest() == sealed["commitment"]


def parts(value: Any) -> Iterator[Any]:
    """Yield a JSON value and everything in it."""
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(inner)
