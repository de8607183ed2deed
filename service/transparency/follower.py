"""A follower: it reads all that a log signs, and looks whether the service shows to everybody what it signed.

It keeps the right edge of the tree that it accepted last. From there every new entry is hashed into the tree that was
signed: so no entry was changed, left out or put in between, and no further proof of consistency is needed.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote

import msgspec
from msgspec import Struct

from domain.kernel.canonical import canonical
from domain.kernel.ids import GameId
from domain.kernel.log.record import Record, chain_hash, genesis
from domain.transparency.checkpoint import Checkpoint, read_checkpoint
from domain.transparency.entry import PRIVATE, WITHHELD, Entry, read_entry
from domain.transparency.note import Check, Note, NoteError, read_note
from domain.transparency.policy import Policy, Rejected
from domain.transparency.proof import Proof
from domain.transparency.tiles import Tile, entries_of, hashes_of, tile_of, tiles_between
from domain.transparency.tree import TILE_WIDTH, Frontier, Range, Run, consistency, inclusion, leaf_hash, range_hash
from service.base.clock import stamp, utc_now
from service.transparency.evidence import Found, keep
from service.transparency.memory import Memory, Remembered

PATIENCE: Final = 3
"""How often a page that shows less than was signed is asked for again, before that is said: a process may be behind."""

PAUSE: Final = 1.0
"""Seconds between."""

LONGEST_PAGE: Final = 500
"""Events that a page of a log has at most."""

_FINAL: Final = ("over", "cancelled", "withdrawn", "settled", "final")
"""What a game or a case is when nothing follows any more."""

_PLACES: Final = {"game": "games", "case": "cases"}


class Unreachable(Exception):
    """The service does not answer, or not with what it should; nothing can be said. The message is one line."""


class Page(Struct, frozen=True):
    """An answer of the service."""

    status: int
    body: bytes


class Site(Protocol):
    """A service, as everybody sees it."""

    def get(self, path: str) -> Page:
        """Return what is at a path; also a problem is an answer. Raises `Unreachable`."""
        ...


class Report(Struct, frozen=True):
    """What one look came to.

    Attributes:
        origin: the name of the log; empty when its checkpoint was not accepted.
        size: the size of its tree.
        entries: how many entries are new.
        streams: how many streams were looked at.
        found: what does not fit.
        evidence: the folders where that is kept.
    """

    origin: str
    size: int
    entries: int
    streams: int
    found: tuple[Found, ...]
    evidence: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether everything fits."""
        return not self.found


class Doubt(Exception):
    """The log itself does not fit: nothing of it is accepted."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.said)
        self.found = found


class Follower:
    """Follows one log. Whatever it has accepted is in a directory, from where another one goes on."""

    def __init__(
        self,
        site: Site,
        policy: Policy,
        directory: Path,
        check: Check,
        *,
        pause: Callable[[float], None] = time.sleep,
        now: Callable[[], str] = lambda: stamp(utc_now),
    ) -> None:
        self._site = site
        self._policy = policy
        self._directory = directory
        self._check = check
        self._pause = pause
        self._now = now
        self._memory = Memory(directory)
        self._looked_up_to = ""

    def close(self) -> None:
        self._memory.close()

    def look(self, recheck: int | None = None) -> Report:
        """Look once: at the checkpoint, at all new entries, at their streams, and at streams of before.

        Args:
            recheck: how many streams of before are looked at again, in turn; None for all.

        Raises:
            Unreachable: the service does not answer.
        """
        try:
            note, head, new = self._accept()
        except Doubt as doubt:
            return self._report(Checkpoint("", 0, b""), 0, 0, [doubt.found])
        streams = list(dict.fromkeys(each.entry.id for each in new))
        before = [each for each in self._again(recheck) if each not in streams]
        found: list[Found] = []
        fresh: dict[str, list[Remembered]] = {}
        for each in new:
            fresh.setdefault(each.entry.id, []).append(each)
        for stream in (*streams, *before):
            found += self._stream(stream, fresh.get(stream), note, head)
        return self._report(head, len(new), len(streams) + len(before), found)

    def _report(self, head: Checkpoint, entries: int, streams: int, found: Sequence[Found]) -> Report:
        folders = [str(keep(each, self._directory / "evidence", self._now())) for each in found]
        return Report(head.origin, head.size, entries, streams, tuple(found), tuple(folders))

    def _again(self, recheck: int | None) -> list[str]:
        if recheck is None:
            return self._memory.streams()
        if recheck <= 0:
            return []
        found = self._memory.streams(self._looked_up_to, recheck)
        self._looked_up_to = found[-1] if len(found) == recheck else ""
        return found

    # --- the log itself ---

    def _accept(self) -> tuple[Note, Checkpoint, list[Remembered]]:
        """Return the newest checkpoint and its new entries, which are remembered from now on. Raises `Doubt`."""
        seen = self._memory.seen()
        note, head = self._checkpoint(seen[0] if seen else None)
        old, frontier = (read_note(seen[0]), seen[1]) if seen else (None, Frontier())
        before = {"before.checkpoint": str(old).encode()} if old is not None else {}
        both = {**before, "now.checkpoint": str(note).encode()}
        if old is not None and (origin := read_checkpoint(old.text).origin) != head.origin:
            said = f"The service shows the log {head.origin} now, and showed {origin} before."
            raise Doubt(Found("another-log", said, files=both))
        if head.size < frontier.size:
            said = f"The service shows a checkpoint of {head.size} entries, and signed one of {frontier.size} before."
            raise Doubt(Found("older-checkpoint", said, files=both))
        if head.size == frontier.size and head.root != frontier.root:
            said = f"The service signed two trees of {head.size} entries."
            raise Doubt(Found("two-trees", said, files=both))
        start = frontier.size
        entries = self._entries(start, head.size, both)
        frontier.extend(map(leaf_hash, entries))
        if frontier.root != head.root:
            raise Doubt(self._inconsistent(old, head, both))
        new = [Remembered(start + at, self._read(start + at, entry, both)) for at, entry in enumerate(entries)]
        self._memory.accept(str(note), frontier, new)
        return note, head, new

    def _checkpoint(self, before: str | None) -> tuple[Note, Checkpoint]:
        least = read_checkpoint(read_note(before).text).size if before is not None else 0
        page = self._patiently("/transparency/checkpoint", lambda page: _size_of(page) >= least)
        if page.status == 404:
            if before is None:
                raise Unreachable("the service has signed no checkpoint yet")
            files = {"before.checkpoint": before.encode(), "now.json": page.body}
            raise Doubt(Found("older-checkpoint", "The service shows no checkpoint any more.", files=files))
        try:
            note = read_note(page.body)
            return note, self._policy.judge(note, self._check).checkpoint
        except (NoteError, Rejected) as error:
            said = f"The checkpoint that the service shows is not accepted: {error}."
            raise Doubt(Found("not-accepted", said, files={"now.checkpoint": page.body})) from error

    def _entries(self, start: int, stop: int, files: dict[str, bytes]) -> list[bytes]:
        """Return the entries from `start` to before `stop`. Raises `Doubt` when the service does not show them."""
        found: list[bytes] = []
        for tile in tiles_between(start, stop):
            entries = self._tile("entries/" + tile.path.removeprefix("0/"), tile, entries_of, files)
            found += entries[max(0, start - tile.run.start) :]
        return found

    def _tile(
        self, path: str, tile: Tile, read: Callable[[bytes, Tile], list[bytes]], files: dict[str, bytes]
    ) -> list[bytes]:
        """Return what is in a tile or bundle; a partial one may be cut from the full one. Raises `Doubt`."""
        shown = tile
        page = self._site.get(f"/transparency/tile/{path}")
        if page.status == 404 and tile.width < TILE_WIDTH:  # it may have been filled meanwhile, and the part is gone
            shown = Tile(tile.level, tile.number, TILE_WIDTH)
            page = self._site.get(f"/transparency/tile/{path.partition('.p/')[0]}")
        if page.status not in (200, 404):
            raise Unreachable(f"the service answers {page.status} at /transparency/tile/{path}")
        try:
            if page.status == 404:
                raise ValueError("it is not there")
            return read(page.body, shown)[: tile.width]
        except ValueError as error:
            said = f"The service does not show /transparency/tile/{path} of the tree that it signed: {error}."
            raise Doubt(Found("missing-tile", said, files={**files, "shown": page.body})) from error

    def _inconsistent(self, old: Note | None, head: Checkpoint, files: dict[str, bytes]) -> Found:
        """Return what is wrong when the entries that are shown do not lead to the root that was signed."""
        before = read_checkpoint(old.text) if old is not None else None
        if before is not None and before.size:
            try:
                root = range_hash(Range(0, before.size), self._reader(head.size, files))
                whole = range_hash(Range(0, head.size), self._reader(head.size, files))
                proof = [
                    range_hash(each, self._reader(head.size, files)) for each in consistency(before.size, head.size)
                ]
            except Doubt as doubt:
                return doubt.found
            if whole == head.root and root != before.root:
                said = (
                    f"The tree of {head.size} entries that the service signed does not go on from the tree of"
                    f" {before.size} that it signed before: history was rewritten."
                )
                return Found("rewritten", said, files={**files, "proof.bin": b"".join(proof)})
        said = f"The entries that the service shows do not make the tree of {head.size} that it signed."
        return Found("wrong-entries", said, files=files)

    def _reader(self, size: int, files: dict[str, bytes]) -> Callable[[Run], Sequence[bytes]]:
        known: dict[Tile, list[bytes]] = {}

        def read(run: Run) -> Sequence[bytes]:
            tile = tile_of(run, size)
            if tile not in known:
                known[tile] = self._tile(tile.path, tile, hashes_of, files)
            return known[tile][run.start - tile.run.start : run.stop - tile.run.start]

        return read

    def _read(self, index: int, entry: bytes, files: dict[str, bytes]) -> Entry:
        try:
            return read_entry(entry)
        except ValueError as error:
            said = f"Entry {index} is {error}."
            raise Doubt(Found("strange-entry", said, files={**files, "entry": entry})) from error

    # --- the streams ---

    def _stream(self, stream: str, new: Sequence[Remembered] | None, note: Note, head: Checkpoint) -> Iterable[Found]:
        """Yield what does not fit of a stream: in what was signed of it, and in what is shown of it.

        Of a stream that moved its new entries are looked at and the one before them; else the newest and one before.
        """
        known = self._memory.of_stream(stream)
        first = next((at for at, each in enumerate(known) if new and each.index == new[0].index), len(known) - 1)
        looked = known[max(0, first - 1) :]
        for one, other in pairwise(looked):
            if said := _contradiction(one.entry, other.entry):
                yield Found("contradiction", said, stream, self._proofs((one, other), note, head))
        shown = self._shown(looked[-1].entry)
        if shown.status == 403:
            if said := self._not_withheld(looked[-1].entry, shown):
                yield Found("not-as-signed", said, stream, self._with_proof(looked[-1], note, head, shown))
            return
        if said := _less(looked[-1].entry, shown):
            yield Found("not-as-signed", said, stream, self._with_proof(looked[-1], note, head, shown))
            return
        for each, page in self._rows([each.entry for each in looked]):
            if said := _other(each, page):
                signed = next(one for one in looked if one.entry is each)
                yield Found("not-as-signed", said, stream, self._with_proof(signed, note, head, page))
                return

    def _not_withheld(self, entry: Entry, refused: Page) -> str:
        """Return why a stream may not be withheld, as the service does now; empty when it may.

        A private one was signed as that from its beginning (TAB-READ-01). Of a fork the first event was signed: it
        names the game for whose sake it is withheld, which is to be shown and not over (TAB-FORK-02).
        """
        what = f"{entry.kind} {entry.id}"
        if entry.status == PRIVATE:
            return ""
        if entry.status != WITHHELD:
            return f"The service signed version {entry.version} of {what} as {entry.status}, and withholds it now."
        until = _withheld_until(entry, refused)
        if until is None:
            return f"The service withholds {what}, and does not show the first event of it that it signed."
        page = self._patiently(f"/v1/games/{quote(until, safe='')}", lambda page: page.status == 200)
        if page.status != 200:
            return f"The service withholds {what} until game {until} is over, and shows no such game."
        # It may be over since the fork was asked for.
        if _json(page).get("status") == "over" and self._site.get(_address(entry)).status == 403:
            return f"The service withholds {what} until game {until} is over, and shows that as over."
        return ""

    def _rows(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, Page]]:
        """Yield entries of a stream, each with a page of its log that should have that version."""
        page, last = Page(404, b""), 0
        for entry in entries:
            if entry.version > last:
                last = max(each.version for each in entries if each.version < entry.version + LONGEST_PAGE)
                path = f"{_address(entry)}/events?after={entry.version - 1}&limit={last - entry.version + 1}"
                page = self._patiently(path, lambda page, last=last: last in _rows_of(page))
            yield entry, page

    def _with_proof(self, signed: Remembered, note: Note, head: Checkpoint, shown: Page) -> dict[str, bytes]:
        return {**self._proofs((signed,), note, head), "shown.json": shown.body}

    def _shown(self, entry: Entry) -> Page:
        """Return what the service shows of a stream now."""
        return self._patiently(_address(entry), lambda page: not _less(entry, page))

    def _patiently(self, path: str, enough: Callable[[Page], bool]) -> Page:
        """Return a page; it is asked for again while it shows less than was signed."""
        for attempt in range(PATIENCE):
            page = self._site.get(path)
            if page.status not in (200, 404) and not _is_withheld(page):
                raise Unreachable(f"the service answers {page.status} at {path}")
            if enough(page) or attempt == PATIENCE - 1:
                return page
            self._pause(PAUSE)
        raise AssertionError("there is a last attempt")

    def _proofs(self, entries: Iterable[Remembered], note: Note, head: Checkpoint) -> dict[str, bytes]:
        """Return certificates of entries, made of what the service shows and signed."""
        try:
            read = self._reader(head.size, {})
            return {
                f"entry-{each.index}.tlog-proof": str(
                    Proof(
                        each.index,
                        tuple(range_hash(part, read) for part in inclusion(each.index, head.size)),
                        note,
                        each.entry.encoded,
                    )
                ).encode()
                for each in entries
            }
        except Doubt as doubt:
            return {"now.checkpoint": str(note).encode(), **doubt.found.files}


def _contradiction(one: Entry, other: Entry) -> str:
    """Return why two entries of a stream, one after the other, cannot both be true; empty when they can."""
    what = f"{one.kind} {one.id}"
    if other.version <= one.version:
        return f"The log has version {one.version} of {what}, and after it version {other.version}."
    if other.at < one.at:
        return f"Version {other.version} of {what} is dated {other.at}, before version {one.version}, {one.at}."
    if (one.status == PRIVATE) != (other.status == PRIVATE):
        return f"Version {one.version} of {what} was {one.status}, and version {other.version} {other.status}."
    if one.status in _FINAL:
        return f"Version {one.version} of {what} was {one.status}, and version {other.version} came after it."
    return ""


def _less(entry: Entry, shown: Page) -> str:
    """Return why a page that shows a stream shows less than was signed, or another end; empty when it does not."""
    what = f"{entry.kind} {entry.id}"
    signed = f"version {entry.version} of {what}"
    if shown.status == 403:
        return ""
    if shown.status == 404:
        return f"The service signed {signed}, and shows no such {entry.kind} any more."
    now = _json(shown)
    if entry.kind == "case":
        now = now["summary"] if isinstance(now.get("summary"), dict) else {}
    version, status = now.get("version"), now.get("status")
    if not isinstance(version, int) or version < entry.version:
        return f"The service signed {signed}, and shows the {entry.kind} at version {version}: it was cut short."
    if entry.status not in (WITHHELD, PRIVATE, status) and (version == entry.version or entry.status in _FINAL):
        return f"The service signed {signed} as {entry.status}, and shows it as {status}."
    return ""


def _other(entry: Entry, page: Page) -> str:
    """Return why a page of the log of a stream is not the log that was signed; empty when it is."""
    row = _rows_of(page).get(entry.version, {})
    for field, value in (("version", entry.version), ("hash", entry.hash), ("at", entry.at)):
        if row.get(field) != value:
            signed = f"version {entry.version} of {entry.kind} {entry.id} with the {field} {value}"
            return f"The service signed {signed}, and shows {row.get(field, 'none')}: it is another log."
    return ""


def _is_withheld(page: Page) -> bool:
    """Tell whether a page is the problem that a fork is withheld, or a game private."""
    return page.status == 403 and _json(page).get("type") in ("/problems/withheld", "/problems/private")


def _withheld_until(entry: Entry, refused: Page) -> str | None:
    """Return the game until whose end a fork is withheld; None when its first event is not the one that was signed."""
    first = _json(refused).get("first")
    try:
        row = msgspec.convert(first, _Row)
    except msgspec.ValidationError:
        return None
    cause = canonical(row.cause) if row.cause is not None else None
    record = Record(1, canonical(row.event), row.schema, row.draws, row.at, cause, b"")
    if chain_hash(genesis(GameId(entry.id)), GameId(entry.id), record).hex() != entry.hash:
        return None
    until = row.event.get("withheld")
    return until if isinstance(until, str) and entry.version == 1 else None


class _Row(Struct):
    """What is hashed of the first event of a game, as a page shows it."""

    event: dict[str, Any]
    schema: int
    draws: int
    at: str
    cause: dict[str, Any] | None = None


def _size_of(page: Page) -> int:
    """Return the size of the checkpoint that a page shows; -1 when it shows none."""
    try:
        return read_checkpoint(read_note(page.body).text).size if page.status == 200 else -1
    except NoteError:
        return -1


def _rows_of(page: Page) -> dict[Any, dict[str, Any]]:
    rows = _json(page).get("items") if page.status == 200 else None
    return {row.get("version"): row for row in rows if isinstance(row, dict)} if isinstance(rows, list) else {}


def _address(entry: Entry) -> str:
    return f"/v1/{_PLACES[entry.kind]}/{quote(entry.id, safe='')}"


def _json(page: Page) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(page.body)
    except msgspec.DecodeError as error:
        raise Unreachable(f"the service answers something that is no JSON: {error}") from error
    return found if isinstance(found, dict) else {}
