"""Archiving: packing the logs of games that are over and old, and deleting the rows that were packed.

The rows of a game are packed into segments. These are unpacked and compared with the rows, byte by byte. Contents to be
kept outside of the database are stored there and read back. Then one transaction adds the segments, reads them back and
deletes the rows. If the process is killed earlier, the rows are still in the log. Rows that are written to the game
afterwards are packed the next time.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel.ids import GameId
from service.store import outside, segments
from service.store.outside import Place
from service.store.segments import PLAIN, Dictionary, Positioned, Segment, SegmentDamaged

_TRAINING_GAMES: Final = 100
"""A dictionary is trained with at least this many games, if there are as many, and with fewer than twice as many."""

_SEGMENTS_AT_ONCE: Final = 100
"""How many segments move in one transaction at most."""


class Waiting(Struct, frozen=True):
    """The rows of a game to pack, and the hash of the record before them, if there is one."""

    rows: list[Positioned]
    previous: bytes | None


class Packed(Struct, frozen=True):
    """The outcome for a game: how many events are now in how many bytes. `problem` says why it was not packed."""

    game: GameId
    events: int
    size: int
    problem: str | None = None


class Moved(Struct, frozen=True):
    """The outcome for a segment: the moved bytes, 0 if it was there already. `problem` says why it was not moved."""

    segment: Segment
    size: int
    problem: str | None = None


class Archive(Protocol):
    """A database with a log, for archiving, over a connection of its own."""

    async def games_to_pack(self, before: str, signed: bool, limit: int) -> list[GameId]:
        """Return games that are over, have not changed since a time, and have rows in the log; the oldest first.

        With `signed`, only games whose newest version is in the transparency log.
        """
        ...

    async def waiting(self, game: GameId) -> Waiting:
        """Return the rows of a game to pack."""
        ...

    async def dictionary(self) -> tuple[int, bytes] | None:
        """Return the number and content of a stored dictionary; None without one."""
        ...

    async def add_dictionary(self, number: int, content: bytes) -> None:
        """Store a dictionary."""
        ...

    async def put(self, packed: Sequence[Segment], rows: int) -> None:
        """Store segments, read them back, and delete the rows that they have, in one transaction.

        Raises `SegmentDamaged`, and changes nothing, if the segments read back differ, their dictionary is missing, or
        the number of deleted rows is not `rows`.
        """
        ...

    async def stored(self, after: Segment | None, limit: int) -> list[Segment]:
        """Return at most `limit` segments that follow the segment `after`; the first ones when it is None.

        They are in the order of games and versions. PostgreSQL sorts by book first.
        """
        ...

    async def move(self, moved: Sequence[Segment]) -> None:
        """Store that the contents of segments are outside of the database, or in it again, in one transaction."""
        ...


async def archive(store: Archive, games: Sequence[GameId], place: Place | None = None) -> AsyncIterator[Packed]:
    """Pack games, one after another. Keep the contents in `place`, or else in the database. Raises `PlaceAway`."""
    number, dictionary = await _dictionary(store, games)
    for game in games:
        waiting = await store.waiting(game)
        try:
            packed = segments.pack(game, waiting.rows, waiting.previous, number, dictionary)
            size = sum(len(each.content) for each in packed)
            if place is not None:
                packed = [await _store_outside(each, place) for each in packed]
            await store.put(packed, len(waiting.rows))
        except SegmentDamaged as error:
            yield Packed(game, 0, 0, str(error))
        else:
            yield Packed(game, len(waiting.rows), size)


async def move(store: Archive, source: Place | None, goal: Place | None) -> AsyncIterator[Moved]:
    """Move the contents of all segments to a place, or into the database when there is no `goal`.

    `source` has the contents that are outside of the database. Contents that have been moved stay at the goal, so
    you can interrupt this at any moment and run it again. Nothing is deleted from a place. Raises `PlaceAway`.
    """
    last: Segment | None = None
    while stored := await store.stored(last, _SEGMENTS_AT_ONCE):
        moved: list[Segment] = []
        for segment in stored:
            if goal is None and segment.digest is None:
                yield Moved(segment, 0)
                continue
            try:
                content = await _content(segment, source, goal)
                if content is None:
                    yield Moved(segment, 0)
                    continue
                if goal is None:
                    moved.append(replace(segment, content=content, digest=None))
                elif segment.digest is None:
                    moved.append(await _store_outside(segment, goal))
                else:
                    await outside.stored(goal, content)
                yield Moved(segment, len(content))
            except SegmentDamaged as error:
                yield Moved(segment, 0, f"{segments.name_of(segment)}: {error}")
        if moved:
            await store.move(moved)
        last = stored[-1]


async def _store_outside(segment: Segment, place: Place) -> Segment:
    """Store the content of a segment in a place; return the segment without it."""
    return replace(segment, content=b"", digest=await outside.stored(place, segment.content))


async def _content(segment: Segment, source: Place | None, goal: Place | None) -> bytes | None:
    """Return the content of a segment that is to be moved; None when it is at the goal already."""
    if segment.digest is None:
        return segment.content
    if goal is not None and await outside.read(goal, segment.digest) is not None:
        return None
    content = await outside.read(source, segment.digest) if source is not None else None
    if content is None:
        raise SegmentDamaged(f"its content {segment.digest.hex()} is missing, or was changed")
    return content


async def _dictionary(store: Archive, games: Sequence[GameId]) -> tuple[int, Dictionary]:
    """Return the dictionary of the database, after its number. If there is none, train it with `games` and store it.

    Return `PLAIN` and None if it cannot be trained, because there is too little to train it with.
    """
    dictionary = await store.dictionary()
    if dictionary is None:
        step = max(1, len(games) // _TRAINING_GAMES)
        content = segments.train([(await store.waiting(game)).rows for game in games[::step]])
        if content is None:
            return PLAIN, None
        dictionary = segments.number_of(content), content
        await store.add_dictionary(*dictionary)
    number, content = dictionary
    return number, segments.read_dictionary(content)


def check_read_back(packed: Sequence[Segment], read_back: Sequence[Segment], deleted: int, rows: int) -> None:
    """Raise `SegmentDamaged` unless the stored segments equal the packed ones, and exactly their rows were deleted."""
    if [*packed] != [*read_back]:
        raise SegmentDamaged("a segment was not stored as it was packed")
    if deleted != rows:
        raise SegmentDamaged(f"{deleted} rows would be deleted, and {rows} were packed")
