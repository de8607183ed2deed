"""An entry of the log: the head of one stream at the time of the entry."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.kernel.canonical import canonical
from domain.kernel.ids import LARGEST_INTEGER, StreamId, Version, is_case, is_league, is_tournament

Kind = Literal["game", "case", "tournament", "league"]

WITHHELD: Final = "withheld"
"""The status of a fork that is not shown to everybody yet: only its first event has an entry (TAB-FORK-02)."""

PRIVATE: Final = "private"
"""The status of a stream of a private game, from its beginning: others see only its hashes (TAB-READ-01)."""


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a stream. It names no player.

    Attributes:
        kind: whether the stream is a game, a case, a tournament or a league.
        id: the id of the stream.
        version: how many events it had.
        hash: the hash of its last event, in hex.
        status: the status of the stream: running, over …
        at: when its last event was recorded.
    """

    kind: Kind
    id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{1,64}\Z")]
    version: Annotated[Version, Meta(ge=1, le=LARGEST_INTEGER)]
    hash: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    status: Annotated[str, Meta(pattern=r"^[a-z-]{1,32}\Z")]
    at: Annotated[str, Meta(pattern=r"^[0-9T:.-]{20,32}Z\Z")]

    @property
    def encoded(self) -> bytes:
        """The bytes that are logged: the RFC 8785 form."""
        return canonical(self)


def kind_of(stream: StreamId) -> Kind:
    """Return the kind of a stream, by its id."""
    if is_league(stream):
        return "league"
    return "case" if is_case(stream) else "tournament" if is_tournament(stream) else "game"


def read_entry(content: bytes) -> Entry:
    """Return the entry in `content`. Raises `ValueError` when it is no entry, or not in the form of RFC 8785."""
    try:
        entry = msgspec.json.decode(content, type=Entry)
    except msgspec.DecodeError as error:
        raise ValueError(f"not an entry of this log: {error}") from error
    if entry.encoded != content:
        raise ValueError("not an entry of this log: it is not in the form of RFC 8785")
    return entry
