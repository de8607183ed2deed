"""Segments: runs of up to 512 records of a game that is over, packed together. Pure: bytes in, bytes out.

The columns of the records are compressed by zstandard with a dictionary. Their hashes are left out: they are computed
again when a segment is read, from the one before its first record. The last hash must then equal the one that is stored
beside it. So reading a segment proves that it is unchanged.
"""

import zlib
from collections.abc import ByteString, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Final

import msgspec
import zstandard
from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import StreamId, Version
from domain.kernel.log.record import Record, chain_hash, genesis

RECORDS: Final = 512
"""The most records of a segment. Twice as many would take 4 % less room, but double the time to read one record."""

LEVEL: Final = 17
"""The level of zstandard. Level 12 needs 6 % more room and a third of the time; but a game is archived only once."""

DICTIONARY: Final = 110 * 1024
"""The bytes of a dictionary. Twice as many would save 2 %."""

PLAIN: Final = 0
"""The number that stands for no dictionary."""

_SAMPLE: Final = 8192
"""Bytes of one sample that a dictionary is trained with."""

Positioned = tuple[int, Record]
"""A record and its position in its book."""


class SegmentDamaged(Exception):
    """A segment is damaged. The message is one line."""


class SegmentMissing(SegmentDamaged):
    """A segment is missing."""


class Segment(Struct, frozen=True):
    """Packed records of a stream, with versions `after` + 1 to `version` and positions from `first` to `last`.

    `previous` and `hash` are the hashes of the records at `after` and at `version`. `dictionary` is the number of the
    dictionary with which `content` was compressed. With a `digest`, its SHA-256, the content is kept outside of the
    database (`outside.py`), and empty here.
    """

    game: StreamId
    version: Version
    after: Version
    first: int
    last: int
    previous: bytes
    hash: bytes
    dictionary: int
    content: bytes
    digest: bytes | None = None

    @property
    def span(self) -> int:
        """The least k for which all its positions are within 2^k. Queries find segments by place with it."""
        return (self.last - self.first).bit_length()


class _Columns(Struct, array_like=True):
    """The contents of a segment. Positions and draws are differences; of equal times in a row, only the first is
    there."""

    positions: list[int]
    schemas: list[int]
    draws: list[int]
    at: list[str | None]
    causes: list[bytes | None]
    events: list[bytes]


Dictionary = zstandard.ZstdCompressionDict | None
"""A dictionary that was read; None for none."""

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Columns).decode


def read_dictionary(content: bytes) -> Dictionary:
    """Return a dictionary from its bytes."""
    return zstandard.ZstdCompressionDict(content)


def number_of(content: bytes) -> int:
    """Return the number of a dictionary, which follows from its bytes. It is never the number for no dictionary."""
    return zlib.crc32(content) or 1


def train(games: Iterable[Sequence[Positioned]]) -> bytes | None:
    """Train a dictionary for games like these; None when there are too few."""
    samples: list[ByteString] = []
    for rows in (rows for records in games for rows in _runs(records)):
        packed = _encode(_columns(rows))
        samples += [packed[start : start + _SAMPLE] for start in range(0, len(packed), _SAMPLE)]
        if len(samples) * _SAMPLE > 100 * DICTIONARY:  # more samples do not improve it
            break
    if sum(map(len, samples)) < 20 * DICTIONARY:
        return None
    try:
        return zstandard.train_dictionary(DICTIONARY, samples).as_bytes()
    except zstandard.ZstdError:
        return None


def pack(
    game: StreamId, records: Sequence[Positioned], previous: bytes | None, number: int, dictionary: Dictionary
) -> list[Segment]:
    """Return records of a game as segments, which were read again and are the same to the byte.

    `previous` is the hash of the record before the first of them; None when that is the first of the game.

    Raises:
        SegmentDamaged: the records do not continue the chain of the game, or cannot be packed.
    """
    compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=dictionary)
    previous = genesis(game) if previous is None else previous
    packed: list[Segment] = []
    for rows in _runs(records):
        (first, one), (last, other) = rows[0], rows[-1]
        segment = Segment(
            game,
            other.version,
            one.version - 1,
            first,
            last,
            previous,
            other.hash,
            number,
            compressor.compress(_encode(_columns(rows))),
        )
        if unpack(segment, dictionary) != list(rows):
            raise SegmentDamaged(f"{name_of(segment)} is not the same when it is read again")
        packed.append(segment)
        previous = other.hash
    return packed


def unpack(segment: Segment, dictionary: Dictionary) -> list[Positioned]:
    """Return the records of a segment with their positions. Raises `SegmentDamaged`."""
    decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)
    try:
        columns = _decode(decompressor.decompress(segment.content))
        positions = accumulate(columns.positions)
        draws = accumulate(columns.draws)
        rows = zip(positions, columns.schemas, draws, columns.at, columns.causes, columns.events, strict=True)
        at, previous, records = "", segment.previous, list[Positioned]()
        for version, (position, schema, draw_count, when, cause, event) in enumerate(rows, segment.after + 1):
            at = at if when is None else when
            record = Record(version, event, schema, draw_count, at, cause, b"")
            previous = chain_hash(previous, segment.game, record)
            records.append((position, replace(record, hash=previous)))
    except (zstandard.ZstdError, msgspec.MsgspecError, ValueError) as error:
        raise SegmentDamaged(f"{name_of(segment)} cannot be read: {error}") from error
    ends = (records[0][0], *records[-1]) if records else None
    if ends is None or (ends[0], ends[1], ends[2].version, ends[2].hash) != (
        *(segment.first, segment.last),
        *(segment.version, segment.hash),
    ):
        raise SegmentDamaged(f"{name_of(segment)} does not have its hash")
    return records


def _runs(records: Sequence[Positioned]) -> list[Sequence[Positioned]]:
    return [records[start : start + RECORDS] for start in range(0, len(records), RECORDS)]


def _columns(rows: Sequence[Positioned]) -> _Columns:
    records = [record for _, record in rows]
    return _Columns(
        _differences([position for position, _ in rows]),
        [record.schema for record in records],
        _differences([record.draws for record in records]),
        [records[0].at, *(None if one.at == other.at else other.at for one, other in pairwise(records))],
        [record.cause for record in records],
        [record.event for record in records],
    )


def _differences(numbers: Sequence[int]) -> list[int]:
    return [numbers[0], *(other - one for one, other in pairwise(numbers))]


def name_of(segment: Segment) -> str:
    """Return the name of a segment for an operator."""
    return f"the segment of game {segment.game} with versions {segment.after + 1} to {segment.version}"
