"""A follower: it reads all that a log signs, and checks that the service shows to everybody what it signed.

It keeps the right edge of the tree that it accepted last. It adds every new entry to that edge, and compares the root
with the signed one: so no entry was changed, left out or put in between, and no further proof of consistency is needed.

It looks at everything first, and then remembers in one transaction what it saw. What the service does not answer, it
requests again in each look, and looks at the rest meanwhile. A missing answer that lasts too long is a finding:
otherwise a service could hide whatever it likes behind an error.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from domain.kernel.ids import GameId
from domain.transparency.checkpoint import Checkpoint, read_checkpoint
from domain.transparency.entry import PRIVATE, WITHHELD, Entry, kind_of, read_entry
from domain.transparency.note import Check, Note, NoteError, read_note
from domain.transparency.policy import Policy, Rejected
from domain.transparency.proof import Proof
from domain.transparency.tiles import Tile, entries_of, hashes_of, tile_of, tiles_between
from domain.transparency.tree import TILE_WIDTH, Frontier, Range, Run, consistency, inclusion, leaf_hash, range_hash
from service.base.clock import later, stamp, utc_now
from service.transparency.comparing import contradiction, shows_another, shows_less, withheld_until
from service.transparency.evidence import Found, keep
from service.transparency.memory import LOG, Memory, Remembered, Unanswered
from service.transparency.pages import (
    ATTEMPTS,
    PAUSE,
    Page,
    Site,
    Unreachable,
    address_of,
    is_withheld,
    json_of,
    rows_of,
    size_of,
)

PATIENCE: Final = 900.0
"""Seconds after which a missing answer of the service is a finding: enough for an upgrade."""

GIVE_UP: Final = 5
"""After so many streams in a row without an answer, the rest waits for the next look: the service seems to be down."""

LONGEST_PAGE: Final = 500
"""The most events in a page of the log of a stream."""


class Unsigned(Exception):
    """The service has signed no checkpoint yet, as far as this follower knows."""


class Report(Struct, frozen=True):
    """The result of one look.

    Attributes:
        origin: the name of the log; empty when its checkpoint was not accepted.
        size: the size of its tree.
        entries: how many entries are new.
        streams: how many streams were looked at.
        findings: what does not fit.
        evidence: the folders with the evidence, one for each finding.
        unanswered: what the service did not answer for, the oldest first; it is asked again in the next look.
    """

    origin: str
    size: int
    entries: int
    streams: int
    findings: tuple[Found, ...]
    evidence: tuple[str, ...]
    unanswered: tuple[Unanswered, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything fits."""
        return not self.findings


class Doubt(Exception):
    """The log itself does not fit, so the follower does not accept its new checkpoint."""

    def __init__(self, finding: Found) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Follower:
    """Follows one log. What it has accepted is stored in a directory, and another follower can go on from there."""

    def __init__(
        self,
        site: Site,
        policy: Policy,
        directory: Path,
        check: Check,
        *,
        patience: float = PATIENCE,
        tell: Callable[[Report], None] = lambda report: None,
        pause: Callable[[float], None] = time.sleep,
        now: Callable[[], str] = lambda: stamp(utc_now),
    ) -> None:
        """`tell` gets each report before the look is remembered: if `tell` fails, the next look finds it all again."""
        self._site = site
        self._policy = policy
        self._directory = directory
        self._check = check
        self._patience = patience
        self._tell = tell
        self._pause = pause
        self._now = now
        self._memory = Memory(directory)
        self._hashes: dict[Range, bytes] = {}
        self._findings: list[tuple[Found, str]] = []

    def close(self) -> None:
        self._memory.close()

    def look(self, recheck: int | None = None) -> Report:
        """Look once: at the checkpoint, at all new entries, at their streams, and at some known streams.

        Args:
            recheck: how many known streams to look at again, each in its turn; None for all.

        Raises:
            Unsigned: there is no log yet.
        """
        self._hashes.clear()
        self._findings.clear()
        with self._memory.at_once():
            at = self._now()
            head, new = self._log(at)
            streams = self._streams(at, new, recheck)
            unanswered = self._memory.unanswered()
            self._keep(self._overdue(at, unanswered))
            findings = tuple(each for each, _ in self._findings)
            evidence = tuple(folder for _, folder in self._findings)
            report = Report(head.origin, head.size, len(new), streams, findings, evidence, tuple(unanswered))
            self._tell(report)
        return report

    def _keep(self, findings: Iterable[Found]) -> None:
        """Store the evidence of findings at once, because a slow service could keep a look from ending."""
        for each in findings:
            self._findings.append((each, str(keep(each, self._directory / "evidence", self._now()))))

    def _log(self, at: str) -> tuple[Checkpoint, list[Remembered]]:
        """Return the newest checkpoint and its new entries; an empty one when it is not accepted or not shown."""
        head, new = Checkpoint("", 0, b""), list[Remembered]()
        try:
            head, new = self._accept()
        except Doubt as doubt:
            self._keep([doubt.finding])
        except Unreachable as error:
            self._memory.not_answered(Unanswered(LOG, at, None, str(error)))
            return head, new
        self._memory.note_answer(LOG)
        return head, new

    def _streams(self, at: str, new: Iterable[Remembered], recheck: int | None) -> int:
        """Look at the streams that moved, at those without an answer, and at some known ones; return how many.

        The order is random, so that nobody can hide a stream behind others.
        """
        first: dict[str, int | None] = {}
        for each in new:
            first.setdefault(each.entry.id, each.index)
        for each in self._memory.unanswered():
            if each.stream != LOG:
                first[each.stream] = first.get(each.stream) if each.first is None else each.first
        turns = self._memory.turns(recheck)
        streams = list({**first, **dict.fromkeys(turns)})
        random.SystemRandom().shuffle(streams)
        again, count, failed = set(turns), 0, 0
        for stream in streams:
            if failed < GIVE_UP:
                if stream in again:
                    self._memory.take_turn(stream)
                why = self._looked_at(stream, first.get(stream))
            elif stream in first:
                why = "it was not asked: too many answers were missing before"
            else:
                continue
            if why:
                failed += 1
                self._memory.not_answered(Unanswered(stream, at, first.get(stream), why))
            else:
                failed, count = 0, count + 1
                self._memory.note_answer(stream)
        return count

    def _looked_at(self, stream: str, first: int | None) -> str:
        """Look at a stream; return why that was not possible, empty when it was."""
        try:
            self._keep(self._stream(stream, first))
        except Unreachable as error:
            return str(error)
        return ""

    def _overdue(self, at: str, unanswered: Sequence[Unanswered]) -> Iterator[Found]:
        """Yield what was left unanswered for too long: one finding, named after the oldest."""
        patience = timedelta(seconds=self._patience)
        late = [each for each in unanswered if later(each.since, patience) <= at]
        if late:
            stream = late[0].stream
            what = f"{kind_of(GameId(stream))} {stream}" if stream != LOG else "its log"
            message = (
                f"The service has given no answer that shows {what} since {late[0].since}, so nobody can check it."
            )
            yield Found("unanswered", message, stream, {"unanswered.json": msgspec.json.encode(late)})

    # --- the log itself ---

    def _accept(self) -> tuple[Checkpoint, list[Remembered]]:
        """Return the newest checkpoint and its new entries, which are remembered from now on. Raises `Doubt`."""
        newest = self._memory.newest_checkpoint()
        note, head = self._checkpoint(newest[0] if newest else None)
        old, frontier = (read_note(newest[0]), newest[1]) if newest else (None, Frontier())
        before = {"before.checkpoint": str(old).encode()} if old is not None else {}
        checkpoint_files = {**before, "now.checkpoint": str(note).encode()}
        if old is not None and (origin := read_checkpoint(old.text).origin) != head.origin:
            message = f"The service shows the log {head.origin} now, and showed {origin} before."
            raise Doubt(Found("another-log", message, files=checkpoint_files))
        if head.size < frontier.size:
            message = (
                f"The service shows a checkpoint of {head.size} entries, and signed one of {frontier.size} before."
            )
            raise Doubt(Found("older-checkpoint", message, files=checkpoint_files))
        if head.size == frontier.size and head.root != frontier.root:
            message = f"The service signed two trees of {head.size} entries."
            raise Doubt(Found("two-trees", message, files=checkpoint_files))
        start = frontier.size
        entries = self._entries(start, head.size, checkpoint_files)
        frontier.extend(map(leaf_hash, entries))
        if frontier.root != head.root:
            raise Doubt(self._inconsistent(old, head, checkpoint_files))
        new = [
            Remembered(start + at, self._read(start + at, entry, checkpoint_files)) for at, entry in enumerate(entries)
        ]
        self._memory.accept(str(note), frontier, new)
        return head, new

    def _checkpoint(self, before: str | None) -> tuple[Note, Checkpoint]:
        least = read_checkpoint(read_note(before).text).size if before is not None else 0
        page = self._patiently("/transparency/checkpoint", lambda page: size_of(page) >= least)
        if page.status == 404:
            if before is None:
                raise Unsigned("the service has signed no checkpoint yet")
            files = {"before.checkpoint": before.encode(), "now.json": page.body}
            raise Doubt(Found("older-checkpoint", "The service shows no checkpoint any more.", files=files))
        try:
            note = read_note(page.body)
            return note, self._policy.judge(note, self._check).checkpoint
        except (NoteError, Rejected) as error:
            message = f"The checkpoint that the service shows is not accepted: {error}."
            raise Doubt(Found("not-accepted", message, files={"now.checkpoint": page.body})) from error

    def _entries(self, start: int, stop: int, files: dict[str, bytes]) -> list[bytes]:
        """Return the entries from `start` to before `stop`. Raises `Doubt` when the service does not show them."""
        entries_read: list[bytes] = []
        for tile in tiles_between(start, stop):
            entries = self._tile("entries/" + tile.path.removeprefix("0/"), tile, entries_of, files)
            entries_read += entries[max(0, start - tile.run.start) :]
        return entries_read

    def _tile(
        self, path: str, tile: Tile, read: Callable[[bytes, Tile], list[bytes]], files: dict[str, bytes]
    ) -> list[bytes]:
        """Return the content of a tile or bundle; that of a partial one may come from the full one. Raises `Doubt`."""
        shown_tile = tile
        page = self._site.get(f"/transparency/tile/{path}")
        if page.status == 404 and tile.width < TILE_WIDTH:  # the tile may be full by now, and its part gone
            shown_tile = Tile(tile.level, tile.number, TILE_WIDTH)
            page = self._site.get(f"/transparency/tile/{path.partition('.p/')[0]}")
        if page.status not in (200, 404):
            raise Unreachable(f"the service answers {page.status} at /transparency/tile/{path}")
        try:
            if page.status == 404:
                raise ValueError("it is not there")
            return read(page.body, shown_tile)[: tile.width]
        except ValueError as error:
            message = f"The service does not show /transparency/tile/{path} of the tree that it signed: {error}."
            raise Doubt(Found("missing-tile", message, files={**files, "shown": page.body})) from error

    def _inconsistent(self, old: Note | None, head: Checkpoint, files: dict[str, bytes]) -> Found:
        """Return the finding when the entries that the service shows do not lead to the root that it signed."""
        before = read_checkpoint(old.text) if old is not None else None
        if before is not None and before.size:
            try:
                old_root = range_hash(Range(0, before.size), self._reader(head.size, files))
                new_root = range_hash(Range(0, head.size), self._reader(head.size, files))
                proof = [
                    range_hash(each, self._reader(head.size, files)) for each in consistency(before.size, head.size)
                ]
            except Doubt as doubt:
                return doubt.finding
            except Unreachable:  # without the hashes, report the less exact finding below
                new_root = old_root = b""
                proof = []
            if new_root == head.root and old_root != before.root:
                message = (
                    f"The tree of {head.size} entries that the service signed does not go on from the tree of"
                    f" {before.size} that it signed before: history was rewritten."
                )
                return Found("rewritten", message, files={**files, "proof.bin": b"".join(proof)})
        message = f"The entries that the service shows do not make the tree of {head.size} that it signed."
        return Found("wrong-entries", message, files=files)

    def _reader(self, size: int, files: dict[str, bytes]) -> Callable[[Run], Sequence[bytes]]:
        tiles: dict[Tile, list[bytes]] = {}

        def read(run: Run) -> Sequence[bytes]:
            tile = tile_of(run, size)
            if tile not in tiles:
                tiles[tile] = self._tile(tile.path, tile, hashes_of, files)
            return tiles[tile][run.start - tile.run.start : run.stop - tile.run.start]

        return read

    def _read(self, index: int, entry: bytes, files: dict[str, bytes]) -> Entry:
        try:
            return read_entry(entry)
        except ValueError as error:
            message = f"Entry {index} is {error}."
            raise Doubt(Found("strange-entry", message, files={**files, "entry": entry})) from error

    # --- the streams ---

    def _stream(self, stream: str, first: int | None) -> Iterable[Found]:
        """Yield what is wrong with a stream: in its signed heads, and in the events that the service shows.

        It looks at the entries from `first` on and the one before; without `first`, at the newest and the one before.
        """
        remembered = self._memory.of_stream(stream)
        start = next((at for at, each in enumerate(remembered) if each.index == first), len(remembered) - 1)
        recent = remembered[max(0, start - 1) :]
        for one, other in pairwise(recent):
            if message := contradiction(one.entry, other.entry):
                yield Found("contradiction", message, stream, self._proofs((one, other)))
        page_now = self._page_of(recent[-1].entry)
        if page_now.status == 403:
            if message := self._not_withheld(recent[-1].entry, page_now):
                yield Found("not-as-signed", message, stream, self._with_proof(recent[-1], page_now))
            return
        if message := shows_less(recent[-1].entry, page_now):
            yield Found("not-as-signed", message, stream, self._with_proof(recent[-1], page_now))
            return
        for each, page in self._rows([each.entry for each in recent]):
            if message := shows_another(each, page):
                signed = next(one for one in recent if one.entry is each)
                yield Found("not-as-signed", message, stream, self._with_proof(signed, page))
                return

    def _not_withheld(self, entry: Entry, refused: Page) -> str:
        """Return why the service may not withhold a stream, as it does now; empty when it may.

        A private stream was signed as private from its beginning (TAB-READ-01). The first event of a withheld fork was
        signed, and names the game until whose end the fork is withheld: that game must be shown, and not be over
        (TAB-FORK-02).
        """
        what = f"{entry.kind} {entry.id}"
        if entry.status == PRIVATE:
            return ""
        if entry.status != WITHHELD:
            return f"The service signed version {entry.version} of {what} as {entry.status}, and withholds it now."
        until = withheld_until(entry, refused)
        if until is None:
            return f"The service withholds {what}, and does not show the first event of it that it signed."
        page = self._patiently(f"/v1/games/{quote(until, safe='')}", lambda page: page.status == 200)
        if page.status != 200:
            return f"The service withholds {what} until game {until} is over, and shows no such game."
        # The game may have ended after the fork was requested: then the fork is shown now.
        if json_of(page).get("status") == "over" and self._site.get(address_of(entry)).status == 403:
            return f"The service withholds {what} until game {until} is over, and shows that as over."
        return ""

    def _rows(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, Page]]:
        """Yield entries of a stream, each with a page of its log that should have that version."""
        page, last = Page(404, b""), 0
        for entry in entries:
            if entry.version > last:
                last = max(each.version for each in entries if each.version < entry.version + LONGEST_PAGE)
                path = f"{address_of(entry)}/events?after={entry.version - 1}&limit={last - entry.version + 1}"
                page = self._patiently(path, lambda page, last=last: last in rows_of(page))
            yield entry, page

    def _with_proof(self, signed: Remembered, page: Page) -> dict[str, bytes]:
        return {**self._proofs((signed,)), "shown.json": page.body}

    def _page_of(self, entry: Entry) -> Page:
        """Return what the service shows of a stream now."""
        return self._patiently(address_of(entry), lambda page: not shows_less(entry, page))

    def _patiently(self, path: str, enough: Callable[[Page], bool]) -> Page:
        """Return a page. Fetch it again as long as it shows less than was signed."""
        for attempt in range(ATTEMPTS):
            page = self._site.get(path)
            if page.status not in (200, 404) and not is_withheld(page):
                raise Unreachable(f"the service answers {page.status} at {path}")
            if enough(page) or attempt == ATTEMPTS - 1:
                return page
            self._pause(PAUSE)
        raise AssertionError("there is a last attempt")

    def _proofs(self, entries: Iterable[Remembered]) -> dict[str, bytes]:
        """Return certificates of entries. They are made from memory, because the service could refuse its tiles."""
        newest = self._memory.newest_checkpoint()
        assert newest is not None, "an entry is remembered with its checkpoint"
        note, size = read_note(newest[0]), newest[1].size
        return {
            f"entry-{each.index}.tlog-proof": str(
                Proof(each.index, tuple(map(self._hash, inclusion(each.index, size))), note, each.entry.encoded)
            ).encode()
            for each in entries
        }

    def _hash(self, leaves: Range) -> bytes:
        """Return the hash of a range of accepted entries."""
        if leaves not in self._hashes:
            frontier = Frontier()
            frontier.extend(map(leaf_hash, self._memory.entries(*leaves)))
            self._hashes[leaves] = frontier.root
        return self._hashes[leaves]
