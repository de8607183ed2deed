"""The log's rows and the hash chain over them.

Row n is hashed as ``hash(n) = SHA-256(hash(n-1) ‖ bytes of row n)``; ``hash(0) = SHA-256("tabularium/1 " ‖ stream)``.
The bytes of a row are the RFC 8785 form of

    {"at", "cause", "draws", "event", "game", "schema", "version"}

in which ``game`` is the id of the stream, whatever it is of. The first row of an act has a ``cause``. The rows that
follow from it have none, and their bytes are without that field.
"""

import hashlib
from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from domain.kernel.canonical import canonical
from domain.kernel.ids import CaseId, PlayerId, Seat, StreamId, TournamentId, Version


class Cause(Struct, frozen=True, omit_defaults=True):
    """Who caused an event, and how; on the first event of each act.

    Attributes:
        player: the account.
        seat: the seat that it acted for; absent for acts outside the table, such as creating a game.
        command: the command in canonical form; only type and commitment of a sealed command; absent when there is none.
        key: the idempotency key of the request.
        case: the case whose ruling it carries out; absent for everything that is no ruling on a case.
        by: who acted when no account did: `clock` for flags, default answers and outages (TAB-CLK), abandoned games
            (TAB-END-04) and expired rematches (TAB-REM-04); `house` for seats that resigned (TAB-SEAT-05,
            TAB-SEAT-07); absent for everything else.
        tournament: the tournament for which the organizer creates the game, assigns its seats, starts or cancels it, or
            offers a seat to a substitute (TAB-SEAT-10); absent for everything else.
    """

    player: PlayerId | None = None
    seat: Seat | None = None
    command: Raw | UnsetType = UNSET
    key: str | None = None
    case: CaseId | None = None
    by: Literal["clock", "house"] | None = None
    tournament: TournamentId | None = None

    @property
    def account(self) -> PlayerId:
        """The account, for acts that only an account can cause. Raises `ValueError` when there is none."""
        if self.player is None:
            raise ValueError("the cause names no account")
        return self.player


class Record(Struct, frozen=True):
    """One row of the log of a stream.

    Attributes:
        version: 1, 2, 3 … without a gap.
        event: canonical JSON of the event, ``type`` included.
        schema: the schema version of that event's shape.
        draws: how many draws of chance the whole log has used up to here.
        at: when it was recorded, RFC 3339 in UTC with microseconds.
        cause: canonical JSON of its `Cause`, or None.
        hash: the chain up to this row, 32 bytes.
    """

    version: Version
    event: bytes
    schema: int
    draws: int
    at: str
    cause: bytes | None
    hash: bytes

    @property
    def type(self) -> str:
        """The event's type name."""
        return msgspec.json.decode(self.event, type=_Typed).type


class _Typed(Struct):
    type: str


def genesis(stream: StreamId) -> bytes:
    """Return hash(0) of a stream."""
    return hashlib.sha256(b"tabularium/1 " + stream.encode()).digest()


def row_bytes(stream: StreamId, record: Record) -> bytes:
    """Return the bytes of a row that are hashed: its RFC 8785 form, put together from canonical parts."""
    cause = b'"cause":%b,' % record.cause if record.cause is not None else b""
    return b'{"at":"%b",%b"draws":%d,"event":%b,"game":"%b","schema":%d,"version":%d}' % (
        record.at.encode(),
        cause,
        record.draws,
        record.event,
        stream.encode(),
        record.schema,
        record.version,
    )


def chain_hash(previous: bytes, stream: StreamId, record: Record) -> bytes:
    """Return hash(n) of a row, given hash(n-1)."""
    return hashlib.sha256(previous + row_bytes(stream, record)).digest()


def inscribe(
    stream: StreamId,
    previous: bytes,
    version: Version,
    event: Any,
    *,
    schema: int,
    draws: int,
    at: str,
    cause: Cause | None,
) -> Record:
    """Return the row of an event, chained to the row before it."""
    row = Record(version, canonical(event), schema, draws, at, canonical(cause) if cause else None, b"")
    return msgspec.structs.replace(row, hash=chain_hash(previous, stream, row))


def first_broken(
    stream: StreamId, records: Iterable[Record], after: Version = 0, previous: bytes | None = None
) -> Version | None:
    """Return the first version whose number or hash does not continue the chain; None when all do.

    The chain begins with the stream, or after a version `after` whose hash is `previous`.
    """
    previous = genesis(stream) if previous is None else previous
    for expected, record in enumerate(records, start=after + 1):
        if record.version != expected or record.hash != chain_hash(previous, stream, record):
            return expected
        previous = record.hash
    return None
