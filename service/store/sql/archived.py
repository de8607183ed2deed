"""Reading what was archived: segments of a game, and those with records that follow a place in the log."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from domain.kernel.ids import StreamId
from service.observe.logging import log
from service.store import segments
from service.store.protocol import StreamDamaged
from service.store.segments import PLAIN, Dictionary, Positioned, Segment, SegmentDamaged
from service.store.sql.database import Database

COLUMNS: Final = "s.game, s.version, s.after, s.first, s.last, s.previous, s.hash, s.dictionary, s.content"
"""The columns of a `Segment`, of segments `s`."""

KEPT: Final = 128
"""Segments that are kept in memory when the log is read by places, 50 MB at most: games are played side by side, so the
next page needs most of them again."""


class Archived:
    """The segments of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._dictionaries: dict[int, Dictionary] = {PLAIN: None}
        self._kept: OrderedDict[tuple[StreamId, int], list[Positioned]] = OrderedDict()

    async def unpacked(
        self, rows: Iterable[Sequence[Any]], *, keep: bool = False, anew: bool = False
    ) -> list[list[Positioned]]:
        """Return the records of segments that a query for `COLUMNS` has found. Raises `StreamDamaged`.

        `keep` says to keep them in memory, because they are soon asked for again; `anew` not to take them from there.
        """
        found: list[list[Positioned]] = []
        for segment in (Segment(*row) for row in rows):
            name = segment.game, segment.version
            records = None if anew else self._kept.get(name)
            if records is None:
                records = await self._unpack(segment)
            if keep:
                self._kept[name] = records
                self._kept.move_to_end(name)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            found.append(records)
        return found

    async def _unpack(self, segment: Segment) -> list[Positioned]:
        try:
            dictionary = await self._dictionary(segment.dictionary)
            # In a thread, as it takes some milliseconds.
            return await asyncio.to_thread(segments.unpack, segment, dictionary)
        except SegmentDamaged as error:
            log.error("an archived game is damaged", game=segment.game, why=str(error))
            raise StreamDamaged(f"{error}; restore the database from a copy") from error

    async def _dictionary(self, number: int) -> Dictionary:
        if number not in self._dictionaries:
            found = await self._database.select("SELECT file FROM dictionaries WHERE number = ?", number)
            if not found:
                raise SegmentDamaged(f"dictionary {number} is missing")
            self._dictionaries[number] = segments.read_dictionary(found[0][0])
        return self._dictionaries[number]


def missing(game: StreamId, after: int, until: int) -> StreamDamaged:
    """Return, and log, that versions of a stream are neither in the log nor in the archive."""
    why = f"versions {after + 1} to {until} of {game} are missing from the log and from the archive"
    log.error("records are missing", game=game, why=why)
    return StreamDamaged(f"{why}; restore the database from a copy")
