"""A mirror: copies of all streams that a log has signed, as their exports, each checked before it is kept.

The memory of a follower says which streams moved. The mirror fetches the whole export of such a stream again, and keeps
it if its chain is unbroken and leads through every signed head of the stream. So the folder always has what was
signed, and a mirror that was interrupted goes on with what is left.
"""

import gzip
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from domain.judging import proof
from domain.kernel.ids import GameId
from domain.kernel.log.record import Record
from domain.kernel.proof.export import ExportError
from domain.kernel.proof.reading import read
from domain.league import proof as league_proof
from domain.tournament import proof as tournament_proof
from domain.transparency.entry import WITHHELD, Entry, kind_of, read_entry
from service.base.clock import stamp, utc_now
from service.transparency.evidence import Found, keep
from service.transparency.memory import Memory
from service.transparency.pages import ATTEMPTS, PAUSE, Page, Site, Unreachable

FOLDERS: Final = {"game": "games", "case": "cases", "tournament": "tournaments", "league": "leagues"}
"""The folder of the copies of each kind of stream, which is also the path of their exports at the service."""

_HIDDEN: Final = (WITHHELD, "private")
"""The signed statuses of streams that the service need not show to everybody."""

_TABLES: Final = """
-- `signed` is the newest entry of a stream, `copied` the one up to which its copy was checked.
CREATE TABLE IF NOT EXISTS copies (
    stream TEXT PRIMARY KEY, signed INTEGER NOT NULL, copied INTEGER, hidden INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 1), entries INTEGER NOT NULL);
"""

Result = Literal["copied", "hidden", "missing", "different"]


class Copied(Struct, frozen=True):
    """The outcome of copying a stream.

    Attributes:
        result: `copied`; `hidden` when the service may hide the stream for now; `missing` without an answer;
            `different` when the export is not what was signed.
        message: what is missing or different, in a sentence.
        evidence: the folder with the evidence of a difference.
    """

    stream: str
    result: Result
    message: str = ""
    evidence: str = ""


class Mirror:
    """Copies in a folder. Methods raise `sqlite3.Error` or `OSError` when the folder cannot be used."""

    def __init__(
        self, site: Site, memory: Memory, directory: Path, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._site = site
        self._memory = memory
        self._directory = directory
        self._pause = pause
        for folder in FOLDERS.values():
            (directory / folder).mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(directory / "copies.db", isolation_level=None)
        self._connection.executescript(_TABLES)

    def close(self) -> None:
        self._connection.close()

    def copy_of(self, stream: str) -> Path:
        """Return the file of a stream."""
        return self._directory / FOLDERS[kind_of(GameId(stream))] / f"{stream}.jsonl.gz"

    def streams_to_copy(self) -> list[str]:
        """Return the streams that moved since they were copied or have no copy, by their newest entries."""
        newest = self._memory.newest_checkpoint()
        size = newest[1].size if newest is not None else 0
        (start,) = self._connection.execute("SELECT coalesce(max(entries), 0) FROM place").fetchone()
        entries = enumerate(self._memory.entries(start, size), start)
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(
            "INSERT INTO copies (stream, signed) VALUES (?, ?) ON CONFLICT DO UPDATE SET signed = excluded.signed",
            ((read_entry(entry).id, number) for number, entry in entries),
        )
        self._connection.execute("INSERT OR REPLACE INTO place VALUES (1, ?)", (size,))
        self._connection.execute("COMMIT")
        rows = self._connection.execute(
            "SELECT stream, signed > coalesce(copied, -1), hidden FROM copies ORDER BY signed"
        )
        return [stream for stream, moved, hidden in rows if moved or not (hidden or self.copy_of(stream).exists())]

    def count(self) -> int:
        """Return how many streams the log has, as far as it was read."""
        return self._connection.execute("SELECT count(*) FROM copies").fetchone()[0]

    def copy(self, streams: Sequence[str]) -> Iterator[Copied]:
        """Copy streams, and yield the outcome for each. What is missing or different is tried again next time."""
        for stream in streams:
            try:
                yield self._copy(stream)
            except Unreachable as error:
                yield Copied(stream, "missing", str(error))

    def _copy(self, stream: str) -> Copied:
        remembered = self._memory.of_stream(stream)
        signed = [each.entry for each in remembered]
        page, message = Page(404, b""), ""
        for attempt in range(ATTEMPTS):  # a process of the service may be behind what was signed
            if attempt:
                self._pause(PAUSE)
            page = self._site.get(f"/v1/{FOLDERS[kind_of(GameId(stream))]}/{stream}/export")
            if page.status == 403 and signed[-1].status in _HIDDEN:
                self._note_copied(stream, remembered[-1].index, hidden=True)
                return Copied(stream, "hidden")
            if page.status != 200:
                raise Unreachable(f"the service answers {page.status} for the export of {stream}")
            message = _fault(page.body, signed)
            if not message:
                self._write(stream, page.body)
                self._note_copied(stream, remembered[-1].index, hidden=False)
                return Copied(stream, "copied")
        return self._different(stream, message, page.body)

    def _different(self, stream: str, message: str, content: bytes) -> Copied:
        finding = Found("other-export", message, stream, {"shown.jsonl": content})
        return Copied(stream, "different", message, str(keep(finding, self._directory / "evidence", stamp(utc_now))))

    def _write(self, stream: str, content: bytes) -> None:
        path = self.copy_of(stream)
        new = path.with_name(f"{path.name}.new-{os.getpid()}")
        new.write_bytes(gzip.compress(content, mtime=0))
        new.replace(path)

    def _note_copied(self, stream: str, number: int, *, hidden: bool) -> None:
        self._connection.execute(
            "UPDATE copies SET copied = ?, hidden = ? WHERE stream = ?", (number, int(hidden), stream)
        )


def _fault(content: bytes, signed: Sequence[Entry]) -> str:
    """Return why an export is not what was signed of its stream; empty when it is."""
    what = f"{signed[-1].kind} {signed[-1].id}"
    try:
        stream, records = _read(content.splitlines(keepends=True))
    except ExportError as error:
        return f"The export of {what} is not one: {error.problem.rstrip('.')} (line {error.line})."
    if stream != signed[-1].id:
        return f"The export of {what} is that of {stream}."
    for entry in signed:
        if entry.version > len(records):
            return f"The service signed version {entry.version} of {what}, and its export ends at {len(records)}."
        record = records[entry.version - 1]
        if (record.hash.hex(), record.at) != (entry.hash, entry.at):
            return f"The export of {what} has another version {entry.version} than the service signed."
    return ""


def _read(lines: list[bytes]) -> tuple[str, Sequence[Record]]:
    if proof.is_export(lines[0] if lines else b""):
        case = proof.read(lines)
        return case.case, case.records
    if league_proof.is_export(lines[0] if lines else b""):
        league = league_proof.read(lines)
        return league.league, league.records
    if tournament_proof.is_export(lines[0] if lines else b""):
        tournament = tournament_proof.read(lines)
        return tournament.tournament, tournament.records
    game = read(lines)
    return game.game, game.records
