"""A piece of a set: some of its games as a compressed frame of JSON Lines and as rows of the tables.

Needs pyarrow. Every process makes the same bytes for a piece, and a set is the sequence of its pieces.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import pyarrow as pa
import zstandard
from msgspec import Struct

from domain.judging.outcome import Judgment
from domain.kernel.chance.secret import Secret, Vault
from domain.kernel.ids import GameId
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.history import read_created
from domain.kernel.log.record import Record, first_broken
from domain.kernel.proof.export import export
from domain.kernel.rules.board import Board
from domain.kernel.rules.documents import DocumentError, unpacked
from domain.library import LIBRARY
from service.dumps.tables import (
    TABLES,
    Column,
    Row,
    Table,
    end_rows,
    event_rows,
    game_row,
    roll_rows,
    ruled_rows,
)

LEVEL: Final = 12
WINDOW: Final = 26
"""64 MiB: a game can refer to the board of games before it, and every reader of zstandard accepts this size by
default."""


class Kept(Struct, frozen=True):
    """A stored game: its log, its secrets, and the key of its board."""

    game: GameId
    records: list[Record]
    secrets: list[Secret]
    board: str


class Ruling(Struct, frozen=True):
    """A ruling on a finished game: its time, its case, and the result from then on."""

    at: str
    case: str
    judgment: Judgment | None


class Piece(Struct, frozen=True):
    """The data for a piece: games that ended, and games that were ruled on. `boards` has the files of their boards, by
    key.
    """

    number: int
    games: tuple[Kept, ...]
    ruled: tuple[tuple[Kept, tuple[Ruling, ...]], ...]
    boards: Mapping[str, bytes]


class Made(Struct, frozen=True):
    """A finished piece: its games as a zstandard frame, and the rows of each table in Arrow's IPC format."""

    number: int
    games: int
    events: int
    frame: bytes
    tables: Mapping[Table, bytes]


class GameDamaged(Exception):
    """The log of a game is damaged. The message is one line."""


def make(piece: Piece) -> Made:
    """Make a piece. Raises `GameDamaged`."""
    lines = list[bytes]()
    rows: dict[Table, list[Row]] = {"games": [], "events": [], "rolls": [], "results": []}
    for stored in piece.games:
        game = _folded(stored, piece.boards)
        lines += export(game, stored.records, Vault(stored.secrets))
        rows["games"].append(game_row(game, stored.records))
        rows["events"] += event_rows(game, stored.records)
        rows["rolls"] += roll_rows(game, stored.records, LIBRARY)
        rows["results"] += end_rows(game, stored.records)
    for stored, rulings in piece.ruled:
        ends = list(end_rows(_folded(stored, piece.boards), stored.records))
        for each in rulings:
            rows["results"] += ruled_rows(ends, each.at, each.judgment, each.case)
    events = len(rows["events"])
    tables: dict[Table, bytes] = {name: _serialized(arrow(name, each)) for name, each in rows.items()}
    return Made(piece.number, len(piece.games), events, packed(lines), tables)


def _folded(stored: Kept, boards: Mapping[str, bytes]) -> Game:
    if (version := first_broken(stored.game, stored.records)) is not None:
        raise GameDamaged(f"version {version} of game {stored.game} is damaged: see `tabularium doctor --deep`")
    try:
        created = read_created(stored.records[0])
        board = _board(boards[stored.board], created.ruleset, created.ruleset_version)
        return fold(stored.records, stored.game, LIBRARY, lambda _: board)
    except (LookupError, DocumentError, msgspec.ValidationError) as error:
        raise GameDamaged(f"game {stored.game} cannot be read: {error}") from error


@lru_cache(maxsize=16)
def _board(file: bytes, ruleset: str, version: int) -> Board:
    return unpacked(file, LIBRARY.at(ruleset, version).documents)


def packed(lines: Iterable[bytes]) -> bytes:
    """Return lines as a zstandard frame; empty for no lines."""
    how = zstandard.ZstdCompressionParameters.from_level(LEVEL, window_log=WINDOW, enable_ldm=True)
    content = b"".join(lines)
    return zstandard.ZstdCompressor(compression_params=how).compress(content) if content else b""


_KINDS: Final[Mapping[str, Any]] = {
    "text": pa.string(),
    "number": pa.int32(),
    "time": pa.timestamp("us", tz="UTC"),
    "yes or no": pa.bool_(),
}


def schema_of(table: Table) -> Any:
    """Return the schema of a table, with the meaning of each column."""
    return pa.schema([_field(column) for column in TABLES[table]])


def _field(column: Column) -> Any:
    return pa.field(column.name, _KINDS[column.kind], metadata={"description": column.meaning})


def arrow(table: Table, rows: Iterable[Row]) -> Any:
    """Return rows as a table of Arrow."""
    columns = list(zip(*rows, strict=True)) or [()] * len(TABLES[table])
    schema = schema_of(table)
    return pa.Table.from_arrays(
        [_values(column, values) for column, values in zip(TABLES[table], columns, strict=True)], schema=schema
    )


def _values(column: Column, values: Iterable[Any]) -> Any:
    if column.kind != "time":
        return pa.array(values, _KINDS[column.kind])
    written = pa.array([each.removesuffix("Z") if each is not None else None for each in values], pa.string())
    return written.cast(pa.timestamp("us")).cast(_KINDS["time"])


def _serialized(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
