"""Reading what was archived: segments of a game, and those with records that follow a place in the log."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from domain.kernel.ids import StreamId
from service.observe.logging import log
from service.store import segments
from service.store.outside import AT_ONCE, Outside
from service.store.protocol import ArchiveAway, StreamDamaged
from service.store.segments import PLAIN, Dictionary, Positioned, Segment, SegmentDamaged, SegmentMissing, name_of
from service.store.sql.database import Database

COLUMNS: Final = "s.game, s.version, s.after, s.first, s.last, s.previous, s.hash, s.dictionary, s.content, s.digest"
"""The columns of a `Segment`, of segments `s`."""

KEPT: Final = 128
"""Segments that are kept in memory when the log is read by places, 50 MB at most: games are played side by side, so the
next page needs most of them again."""

_REMEDY: Final = "restore the database, or the archive that it names, from a copy"


class Archived:
    """The segments of a store; `outside` reads the contents that are not in its database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.outside = Outside()
        self._dictionaries: dict[int, Dictionary] = {PLAIN: None}
        self._in_memory: OrderedDict[tuple[StreamId, int], list[Positioned]] = OrderedDict()

    async def unpacked(
        self, rows: Iterable[Sequence[Any]], *, keep: bool = False, anew: bool = False
    ) -> list[list[Positioned]]:
        """Return the records of segments that a query for `COLUMNS` has found. Raises `StreamDamaged`.

        With `keep`, they stay in memory, because callers soon ask for them again. With `anew`, they are not taken from
        memory.
        """
        unpacked: list[list[Positioned]] = []
        packed = [Segment(*row) for row in rows]
        for start in range(0, len(packed), AT_ONCE):
            run = packed[start : start + AT_ONCE]
            unpacked += await asyncio.gather(*(self._records(segment, keep, anew) for segment in run))
        return unpacked

    async def _records(self, segment: Segment, keep: bool, anew: bool) -> list[Positioned]:
        name = segment.game, segment.version
        records = None if anew else self._in_memory.get(name)
        if records is None:
            records = await self._unpack(segment, anew)
        if keep:
            self._in_memory[name] = records
            self._in_memory.move_to_end(name)
            if len(self._in_memory) > KEPT:
                self._in_memory.popitem(last=False)
        return records

    async def _unpack(self, segment: Segment, anew: bool) -> list[Positioned]:
        try:
            dictionary = await self._dictionary(segment.dictionary)
            if segment.digest is not None:
                segment = replace(segment, content=await self.outside.content(segment.digest, anew=anew))
            # In a thread, as it takes some milliseconds.
            records = await asyncio.to_thread(segments.unpack, segment, dictionary)
        except ArchiveAway:
            self.outside.count("away")
            raise
        except SegmentDamaged as error:
            self.outside.count("missing" if isinstance(error, SegmentMissing) else "damaged")
            why = str(error) if segment.digest is None else f"{name_of(segment)}: {error}"
            log.error("an archived game is damaged", game=segment.game, why=why)
            raise StreamDamaged(f"{why}; {_REMEDY}", segment.after, segment.version) from error
        self.outside.count("read")
        return records

    async def _dictionary(self, number: int) -> Dictionary:
        if number not in self._dictionaries:
            rows = await self._database.select("SELECT file FROM dictionaries WHERE number = ?", number)
            if not rows:
                raise SegmentDamaged(f"dictionary {number} is missing")
            self._dictionaries[number] = segments.read_dictionary(rows[0][0])
        return self._dictionaries[number]

    def missing(self, game: StreamId, after: int, until: int) -> StreamDamaged:
        """Log that versions of a stream are neither in the log nor in the archive, and return the error for that."""
        why = f"versions {after + 1} to {until} of {game} are missing from the log and from the archive"
        self.outside.count("missing")
        log.error("records are missing", game=game, why=why)
        return StreamDamaged(f"{why}; {_REMEDY}", after, until)
