"""Archiving: packing the logs of games that are over and old, and deleting the rows that were packed.

A game is read, packed, read again, and compared to the byte. Then one transaction adds its segments, reads them back
and deletes the rows. A process that is killed in the middle has changed nothing of that game. When a game is written to
afterwards, the new rows stand in the log and are packed the next time.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol

from msgspec import Struct

from domain.kernel.ids import GameId
from service.store import segments
from service.store.segments import PLAIN, Dictionary, Positioned, Segment, SegmentDamaged

_TRAINING: Final = 100
"""Games with which a dictionary is trained, at most."""


class Waiting(Struct, frozen=True):
    """What there is to pack of a game: rows, and the hash of the record before them if there is one."""

    rows: list[Positioned]
    previous: bytes | None


class Packed(Struct, frozen=True):
    """What became of a game: how many events are now in how many bytes; or what is wrong with it, and it stays."""

    game: GameId
    events: int
    size: int
    problem: str | None = None


class Archive(Protocol):
    """A database with a log, as archiving sees it, over a connection of its own."""

    async def due(self, before: str, signed: bool, limit: int) -> list[GameId]:
        """Return games that are over, did not change since a time, and have rows in the log; the oldest first.

        With `signed` only those whose newest version the transparency log has.
        """
        ...

    async def waiting(self, game: GameId) -> Waiting:
        """Return what there is to pack of a game."""
        ...

    async def dictionary(self) -> tuple[int, bytes] | None:
        """Return a dictionary that is stored, and its number."""
        ...

    async def add_dictionary(self, number: int, content: bytes) -> None:
        """Store a dictionary."""
        ...

    async def put(self, packed: Sequence[Segment], rows: int) -> None:
        """Store segments, read them back, and delete the rows that they have, in one transaction.

        Raises `SegmentDamaged`, and changes nothing, when that are not so many rows.
        """
        ...


async def archive(store: Archive, games: Sequence[GameId]) -> AsyncIterator[Packed]:
    """Pack games, one after another."""
    number, dictionary = await _dictionary(store, games)
    for game in games:
        waiting = await store.waiting(game)
        try:
            packed = segments.pack(game, waiting.rows, waiting.previous, number, dictionary)
            await store.put(packed, len(waiting.rows))
        except SegmentDamaged as error:
            yield Packed(game, 0, 0, str(error))
        else:
            yield Packed(game, len(waiting.rows), sum(len(each.content) for each in packed))


async def _dictionary(store: Archive, games: Sequence[GameId]) -> tuple[int, Dictionary]:
    """Return the dictionary of this database; the first games that are archived train it."""
    found = await store.dictionary()
    if found is None:
        step = max(1, len(games) // _TRAINING)
        content = segments.train([(await store.waiting(game)).rows for game in games[::step]])
        if content is None:
            return PLAIN, None
        found = segments.number_of(content), content
        await store.add_dictionary(*found)
    number, content = found
    return number, segments.read_dictionary(content)


def check_read_back(packed: Sequence[Segment], found: Sequence[Segment], deleted: int, rows: int) -> None:
    """Raise `SegmentDamaged` unless what was stored is what was packed, and the rows that it has were deleted."""
    if [*packed] != [*found]:
        raise SegmentDamaged("a segment was not stored as it was packed")
    if deleted != rows:
        raise SegmentDamaged(f"{deleted} rows would be deleted, and {rows} were packed")
