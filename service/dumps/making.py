"""Making a set: first its pieces, which are stored until all are there, then its files.

If the process is killed, the next one continues with the stored pieces. Files get their names when they are complete,
and the index names a set when all its files exist.
"""

import fcntl
import hashlib
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from domain.kernel.ids import GameId
from domain.kernel.log.history import read_created
from domain.transparency.note import read_note
from domain.transparency.proof import Proof
from domain.transparency.tree import inclusion
from service.dumps.choosing import Finished, Plan, Verdict
from service.dumps.index import Content, DumpFile, DumpSet, read_index, settle, write_index, write_whole
from service.dumps.pieces import Kept, Made, Piece, Ruling, arrow, packed, schema_of
from service.dumps.tables import Table
from service.store.protocol import EventStore
from service.transparency.log import TransparencyLog

EVENTS: Final = 20_000
"""The number of events after which a piece ends. They share a compression window, and need some 50 MB of memory."""

ROWS: Final = 100_000
"""The least rows of a row group. Readers can skip groups, but each group has a cost of its own."""

ENDINGS: Final[dict[Content, str]] = {
    "exports": "jsonl.zst",
    "certificates": "certificates.ndjson.zst",
    **{table: f"{table}.parquet" for table in get_args(Table)},
}
"""The endings of file names, by content."""


class InUse(Exception):
    """Another process is making dumps in this folder."""


class Folder:
    """A folder of dumps. Its methods may raise `OSError` and `DumpsUnreadable`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder, so that no two processes make the same set. Raises `InUse`."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / ".lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InUse(f"another process makes dumps in {self.path}; wait until it has ended") from None
            yield

    def unfinished_plan(self, name: str, package: str) -> Plan | None:
        """Return the plan of an unfinished set. A plan of another release is removed."""
        try:
            plan = msgspec.msgpack.decode((self._pieces(name) / "plan").read_bytes(), type=Plan)
        except (FileNotFoundError, msgspec.DecodeError):
            plan = None
        if plan is None or plan.package != package:
            shutil.rmtree(self._pieces(name), ignore_errors=True)
            return None
        return plan

    def begin(self, plan: Plan) -> None:
        """Store the plan of a set."""
        self._pieces(plan.name).mkdir(exist_ok=True)
        write_whole(self._pieces(plan.name) / "plan", [msgspec.msgpack.encode(plan)])

    def has(self, plan: Plan, number: int) -> bool:
        """Tell whether a piece of a set is stored."""
        return self._piece(plan.name, number).exists()

    def keep(self, plan: Plan, piece: Made) -> None:
        """Store a piece of a set."""
        write_whole(self._piece(plan.name, piece.number), [msgspec.msgpack.encode(piece)])

    def finish(self, plan: Plan, certificates: bytes) -> DumpSet:
        """Make the files of a set from its stored pieces, and add it to the index."""
        pieces = [self._piece(plan.name, number) for number in range(count(plan))]
        heads = [msgspec.msgpack.decode(each.read_bytes(), type=_Head) for each in pieces]
        files = [self._packed(plan, "exports", (_read_made(each).frame for each in pieces), len(plan.games))]
        if plan.signed is not None:
            files.append(self._packed(plan, "certificates", [certificates], len(plan.games)))
        files += [self._table(plan, table, pieces) for table in get_args(Table)]
        events = sum(each.events for each in heads)
        dump_set = DumpSet(plan.ruleset, plan.month, len(plan.games), events, plan.licence, plan.signed, tuple(files))
        write_index(self.path, [*read_index(self.path), dump_set])
        shutil.rmtree(self._pieces(plan.name))
        return dump_set

    def _packed(self, plan: Plan, content: Content, frames: Iterable[bytes], rows: int) -> DumpFile:
        path = self.path / f"{plan.name}.{ENDINGS[content]}"
        # A month may have rulings and no games. Not every reader accepts a file without a frame.
        write_whole(path, frames if plan.games else [zstandard.compress(b"")])
        return _file(path, content, rows)

    def _table(self, plan: Plan, table: Table, pieces: Sequence[Path]) -> DumpFile:
        path = self.path / f"{plan.name}.{ENDINGS[table]}"
        new = path.with_name(f".{path.name}.new")
        schema, rows = schema_of(table), 0
        with new.open("wb") as file:
            with pq.ParquetWriter(file, schema, compression="zstd", compression_level=9) as writer:
                for each in [arrow(table, plan.refusals)] if table == "refusals" else _groups(table, pieces):
                    writer.write_table(each, row_group_size=max(1, each.num_rows))
                    rows += each.num_rows
            settle(file.fileno())
        new.replace(path)
        return _file(path, table, rows)

    def _pieces(self, name: str) -> Path:
        return self.path / f".{name}.making"

    def _piece(self, name: str, number: int) -> Path:
        return self._pieces(name) / f"{number:06}"


class _Head(msgspec.Struct, frozen=True):
    events: int


def _read_made(path: Path) -> Made:
    return msgspec.msgpack.decode(path.read_bytes(), type=Made)


def _groups(table: Table, pieces: Iterable[Path]) -> Iterator[Any]:
    """Yield the rows of pieces in larger groups."""
    gathered, rows = list[Any](), 0
    for each in pieces:
        with pa.ipc.open_stream(_read_made(each).tables[table]) as reader:
            gathered.append(reader.read_all())
        rows += gathered[-1].num_rows
        if rows >= ROWS:
            yield pa.concat_tables(gathered).combine_chunks()
            gathered, rows = [], 0
    if rows:
        yield pa.concat_tables(gathered).combine_chunks()


def _file(path: Path, content: Content, rows: int) -> DumpFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return DumpFile(path.name, content, rows, path.stat().st_size, digest)


def count(plan: Plan) -> int:
    """Return the number of pieces of a set: first those with games, then those with rulings."""
    return len(_divided(plan.games)) + bool(plan.rulings)


def _divided(games: Iterable[Finished]) -> list[list[Finished]]:
    """Divide games into pieces. The result depends only on the games, so every process divides a set in the same
    way."""
    parts, events = list[list[Finished]](), EVENTS
    for each in games:
        if events >= EVENTS:
            parts.append([])
            events = 0
        parts[-1].append(each)
        events += each.version
    return parts


async def pieces(store: EventStore, plan: Plan, is_there: Callable[[int], bool]) -> AsyncIterator[Piece]:
    """Yield the pieces of a set that are not stored yet, with all their data. May raise `StoreError`."""
    for number, part in enumerate(_divided(plan.games)):
        if not is_there(number):
            games = [await _load_game(store, each.game) for each in part]
            yield Piece(number, tuple(games), (), await _boards(store, games))
    last = count(plan) - 1
    if plan.rulings and not is_there(last):
        by_game = groupby(sorted(plan.rulings, key=attrgetter("game", "at", "case")), attrgetter("game"))
        ruled = [(await _load_game(store, game), tuple(map(_ruling, each))) for game, each in _listed(by_game)]
        yield Piece(last, (), tuple(ruled), await _boards(store, [games for games, _ in ruled]))


def _listed(groups: Iterable[tuple[Any, Iterable[Verdict]]]) -> list[tuple[GameId, list[Verdict]]]:
    return [(game, list(each)) for game, each in groups]


def _ruling(each: Verdict) -> Ruling:
    return Ruling(each.at, each.case, each.judgment)


async def _load_game(store: EventStore, game: GameId) -> Kept:
    stored = await store.load(game)
    assert stored is not None  # the plan has this game from the store, and games are never deleted
    return Kept(game, stored.records, stored.secrets, read_created(stored.records[0]).board_key)


async def _boards(store: EventStore, games: Sequence[Kept]) -> dict[str, bytes]:
    files = {key: await store.board(key) for key in sorted({each.board for each in games})}
    return {key: file for key, file in files.items() if file is not None}


async def certificates(store: EventStore, plan: Plan) -> bytes:
    """Return the certificates of a set's games for its checkpoint, as compressed JSON Lines."""
    if plan.signed is None:
        return b""
    log, note, lines = TransparencyLog(store.tree), read_note(plan.signed.note), list[bytes]()
    for each, index in zip(plan.games, plan.places, strict=True):
        (entry,) = await store.tree.entries(index, index + 1)
        hashes = await log.proof(inclusion(index, plan.signed.size), plan.signed.size)
        proof = Proof(index, tuple(hashes), note, entry)
        lines.append(msgspec.json.encode({"certificate": str(proof), "game": each.game}) + b"\n")
    return packed(lines)
