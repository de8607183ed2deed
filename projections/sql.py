"""Changes and tables as SQL that SQLite and PostgreSQL both understand.

Columns of projections are TEXT, sorted by bytes, or BIGINT. The stores differ in the placeholders, which `numbered`
rewrites from ``?`` to ``$1, $2, …`` for PostgreSQL, and in `locking` (see `batches`). The tables that do not
belong to one projection, such as `leases`, are created here for SQLite only. Migrations create those of PostgreSQL.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, count
from typing import Any

from msgspec.structs import replace

from domain.kernel.ids import GameId
from projections.change import Add, Amend, Changes, Compute, Drop, Make, Put, Table, Trim, Value
from projections.cursor import reaches
from projections.projection import Projection
from projections.store import Generation, Lane, Move, Overtaken, Step, Trouble

Statement = tuple[str, tuple[Value, ...]]

_Written = Put | Make | Add | Amend | Drop | Trim
"""Every change except `Compute`, whose values are not computed yet."""

_TYPES: Mapping[str, str] = {"text": "TEXT", "number": "BIGINT"}

GENERATIONS = """\
CREATE TABLE IF NOT EXISTS projections (
    projection      TEXT NOT NULL,
    number          BIGINT NOT NULL,
    version         BIGINT NOT NULL,
    live            BIGINT NOT NULL,
    position        TEXT NOT NULL,
    events          BIGINT NOT NULL,
    trouble_game    TEXT NOT NULL,
    trouble_version BIGINT NOT NULL,
    trouble         TEXT NOT NULL,
    PRIMARY KEY (projection, number)
)"""
"""The checkpoints: a row for each generation of a projection, which is one build of its tables.

`position` is the cursor of the log after the last event folded, empty before the first.
"""

COLUMNS = "projection, number, version, live, position, events, trouble_game, trouble_version, trouble"
"""The columns of a checkpoint, as `generation` takes them."""

REFUSALS = """\
CREATE TABLE IF NOT EXISTS refusals (
    ruleset TEXT NOT NULL,
    rule    TEXT NOT NULL,
    times   BIGINT NOT NULL,
    PRIMARY KEY (ruleset, rule)
)"""
"""How often each rule has refused a command. It cannot be rebuilt from the log, because a refusal leaves no event."""

LEASES = """\
CREATE TABLE IF NOT EXISTS leases (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until  REAL NOT NULL
)"""
"""Which process does a kind of work alone, until when (Unix time)."""

CHECKPOINTS = """\
CREATE TABLE IF NOT EXISTS checkpoints (
    projection      TEXT NOT NULL,
    number          BIGINT NOT NULL,
    lane            BIGINT NOT NULL,
    positions       TEXT NOT NULL,
    events          BIGINT NOT NULL,
    trouble_game    TEXT NOT NULL,
    trouble_version BIGINT NOT NULL,
    trouble         TEXT NOT NULL,
    PRIMARY KEY (projection, number, lane)
)"""
"""The checkpoints of generations that have one in each lane. `positions` are numbers with commas in between."""

FOLLOWERS = """\
CREATE TABLE IF NOT EXISTS followers (
    work   TEXT NOT NULL,
    holder TEXT NOT NULL,
    lanes  TEXT NOT NULL,
    until  REAL NOT NULL,
    PRIMARY KEY (work, holder)
)"""
"""Which processes share a kind of work, in which lanes, until when (Unix time)."""

WATCHES = """\
CREATE TABLE IF NOT EXISTS watches (
    lanes BIGINT NOT NULL,
    lane  BIGINT NOT NULL,
    until TEXT NOT NULL,
    PRIMARY KEY (lanes, lane)
)"""
"""Until when the clocks of games were watched, by the number of lanes and by lane. The time after that is an outage, in
which no player loses time (TAB-CLK-09). While a part of the log is away, each book is a lane of its own."""

WATCHED = "SELECT lanes, lane, until FROM watches"

WATCH = (
    "INSERT INTO watches (lanes, lane, until) VALUES (?, ?, ?) ON CONFLICT (lanes, lane)"
    " DO UPDATE SET until = excluded.until WHERE watches.until < excluded.until"
)
"""Values: how many lanes there are, the lane, until when it was watched."""

NOTE_REFUSALS = (
    "INSERT INTO refusals (ruleset, rule, times) VALUES (?, ?, ?)"
    " ON CONFLICT (ruleset, rule) DO UPDATE SET times = refusals.times + excluded.times"
)


BEGIN = f"INSERT INTO projections ({COLUMNS}) VALUES (?, ?, ?, 0, '', 0, '', 0, '')"
"""Adds the checkpoint of a new generation. Values: the projection, the number of the generation, its version."""

LIVE = "SELECT number FROM projections WHERE projection = ? AND version BETWEEN ? AND ? AND live = 1"
"""Finds the generation whose rows are read. Values: those of `readable`."""

THERE = "SELECT number FROM projections WHERE projection = ? AND number = ?"

IN_LANES = "lanes"
"""Stands in `position` of a generation that has its checkpoints in lanes; releases without lanes cannot read it."""

LANE_COLUMNS = "projection, number, lane, positions, events, trouble_game, trouble_version, trouble"

ADD_LANE = f"INSERT INTO checkpoints ({LANE_COLUMNS}) VALUES (?, ?, ?, ?, 0, '', 0, '')"
"""Values: the projection, the number of the generation, the lane, its positions."""

MOVE_LANE = (
    "UPDATE checkpoints SET positions = ?, events = events + ?, trouble_game = '', trouble_version = 0, trouble = ''"
    " WHERE lane = ? AND positions = ? AND projection = ? AND number = ?"
)
"""Moves the checkpoint of a lane on. Values: `move_lane`, the projection, the number of the generation."""

STOP_LANE = (
    "UPDATE checkpoints SET trouble_game = ?, trouble_version = ?, trouble = ?"
    " WHERE projection = ? AND number = ? AND lane = ? AND positions = ? AND events = ?"
)
"""Values: the game, its version and the reason, then those of `lane_standing`."""

FORGET_LANES = "DELETE FROM checkpoints WHERE projection = ? AND number = ?"

_IF_NOT_MOVED = "projection = ? AND number = ? AND live = ? AND position = ? AND events = ?"


@cache
def move_of(generations: int) -> str:
    """Return the statement that moves the checkpoints of so many generations on. Values: those of `move`."""
    which = ", ".join(["(CAST(? AS TEXT), CAST(? AS BIGINT))"] * generations)
    return (
        "UPDATE projections SET position = ?, events = ?, trouble_game = '', trouble_version = 0, trouble = ''"
        f" WHERE position = ? AND events = ? AND (projection, number) IN (VALUES {which})"
    )


STOP = f"UPDATE projections SET trouble_game = ?, trouble_version = ?, trouble = ? WHERE {_IF_NOT_MOVED}"
"""Notes why a generation stopped. Values: the game, its version and the reason, then those of `standing`."""

SPLIT = (
    f"UPDATE projections SET position = '{IN_LANES}', trouble_game = '', trouble_version = 0, trouble = ''"
    f" WHERE {_IF_NOT_MOVED}"
)
"""Marks that a generation has its checkpoints in lanes from now on. Values: those of `standing`."""

GO_LIVE = "UPDATE projections SET live = 1 WHERE projection = ? AND number = ?"

FORGET = "DELETE FROM projections WHERE projection = ? AND number = ?"


def generations(rows: Iterable[Sequence[Any]], lanes: Iterable[Sequence[Any]]) -> list[Generation]:
    """Return the generations in rows of `COLUMNS`, in their order. `lanes` are rows of `LANE_COLUMNS`."""
    by_generation: dict[tuple[str, int], list[Lane]] = {}
    for projection, number, lane, text, events, *trouble in lanes:
        of_generation = by_generation.setdefault((projection, number), [])
        of_generation.append(Lane(lane, numbers(text), events, _trouble(*trouble)))
    return [generation(*row, lanes=by_generation.get((row[0], row[1]), ())) for row in rows]


GENERATIONS_IN_LANES = (
    f"SELECT {', '.join(f'p.{column}' for column in COLUMNS.split(', '))},"
    " c.lane, c.positions, c.events AS lane_events, c.trouble_game AS lane_game,"
    " c.trouble_version AS lane_version, c.trouble AS lane_trouble"
    " FROM projections p LEFT JOIN checkpoints c USING (projection, number) ORDER BY 1, 2, c.lane"
)
"""Finds all generations with their lanes in one statement, so that they fit together. See `in_lanes`."""


def in_lanes(rows: Iterable[Sequence[Any]]) -> list[Generation]:
    """Return the generations of the rows of `GENERATIONS_IN_LANES`."""
    columns = [tuple(row) for row in rows]
    lanes = [(*row[:2], *row[9:]) for row in columns if row[9] is not None]
    return generations(dict.fromkeys(row[:9] for row in columns), lanes)


def generation(
    projection: str,
    number: int,
    version: int,
    live: int,
    position: str,
    events: int,
    game: str,
    at: int,
    why: str,
    *,
    lanes: Sequence[Lane] = (),
) -> Generation:
    """Return the generation in a row of `COLUMNS`, with its checkpoints in lanes, if it has any."""
    stored = Generation(projection, number, version, bool(live), position or None, events, _trouble(game, at, why))
    return stored.on(lanes, events) if position == IN_LANES else stored


def _trouble(game: str, at: int, why: str) -> Trouble | None:
    return Trouble(GameId(game), at, why) if why else None


def readable(projection: Projection) -> tuple[str, int, int]:
    """Return the values of `LIVE`."""
    return projection.name, projection.reads or projection.version, projection.version


def standing(at: Generation) -> tuple[str, int, int, str, int]:
    """Return the values by which a statement finds a generation only if it has not moved meanwhile."""
    return at.projection, at.number, int(at.live), at.cursor or "", at.events


def begun(projection: Projection, existing: Sequence[Generation]) -> Generation:
    """Return the next generation of a projection, empty."""
    number = max((each.number for each in existing), default=0) + 1
    return Generation(projection.name, number, projection.version, False)


def move(step: Step) -> tuple[Value, ...]:
    """Return the values of `move_of` for a step."""
    at = step.at
    return step.cursor, at.events + step.events, at.cursor or "", at.events, *chain.from_iterable(step.going)


def lane_standing(at: Generation, lane: Lane) -> tuple[str, int, int, str, int]:
    """Return the values by which a statement finds a lane only if it has not moved meanwhile."""
    return at.projection, at.number, lane.number, positions(lane.positions), lane.events


def move_lane(move: Move) -> tuple[str, int, int, str]:
    """Return the first values of `MOVE_LANE`."""
    return positions(move.positions), move.events, move.lane.number, positions(move.lane.positions)


def positions(of_lane: Iterable[int]) -> str:
    """Return positions in the form of a checkpoint."""
    return ",".join(map(str, of_lane))


def numbers(text: str) -> tuple[int, ...]:
    """Return what `positions` wrote."""
    return tuple(map(int, text.split(","))) if text else ()


def swapped(existing: Sequence[Generation], ready: Generation, beyond: Generation | None) -> Generation:
    """Return the stored state of `ready`, marked as live. Raises what `swap` raises."""
    live = next((each for each in existing if each.live), None)
    stored = next((each for each in existing if each.number == ready.number and not each.live), None)
    is_behind = live is not None and stored is not None and not reaches(stored.cursor, live.cursor)
    is_beyond = live is not None and beyond is not None and (live.number, live.cursor) == (beyond.number, beyond.cursor)
    if stored is None or (is_behind and not is_beyond):
        raise Overtaken(f"{ready.projection} has moved on")
    return replace(stored, live=True, trouble=None)


@cache
def place(projection: str, generation: int, table: str) -> str:
    """Return the name that a table of a generation has in the database."""
    return f"{projection}_{generation}_{table}"


def create(projection: str, generation: int, table: Table) -> list[str]:
    """Return the statements that make an empty table."""
    name = place(projection, generation, table.name)
    columns = {**table.key, **table.columns}
    body = ", ".join(f"{column} {_TYPES[kind]} NOT NULL" for column, kind in columns.items())
    statements = [f"CREATE TABLE {name} ({body}, PRIMARY KEY ({', '.join(table.key)}))"]
    for index in table.indexes:
        statements.append(f"CREATE INDEX {name}_{'_'.join(index)} ON {name} ({', '.join(index)})")
    return statements


def places(projection: str, generation: int, tables: Sequence[Table]) -> Mapping[str, str]:
    """Return the names in the database by the names in a query: ``SELECT … FROM {games}``."""
    return {table.name: place(projection, generation, table.name) for table in tables}


def _statement(name: str, change: _Written, locking: str = "") -> Statement:
    """Return the statement that makes a change in the table with this name in the database."""
    # `type(…) is`, because an `isinstance` that fails on a struct is as slow as making one.
    if type(change) is Amend:
        text = _update(name, tuple(change.values), tuple(change.where))
        return text, (*change.values.values(), *change.where.values())
    if type(change) is Drop:
        return _deletion(name, change)
    if type(change) is Trim:
        return _trimming(name, change, locking)
    text = _upsert(name, tuple(change.key), tuple(change.values), type(change))
    return text, (*change.key.values(), *change.values.values())


def _deletion(name: str, drop: Drop) -> Statement:
    text, values = f"DELETE FROM {name} WHERE {_pairs(drop.where, ' AND ')}", tuple(drop.where.values())
    if drop.beyond is None:
        return text, values
    column, bound = drop.beyond
    return f"{text} AND {column} > ?", (*values, bound)


def _trimming(name: str, trim: Trim, locking: str) -> Statement:
    key, where = ", ".join(trim.table.key), _pairs(trim.where, " AND ")
    order = ", ".join(f"{column} DESC" for column in trim.by)
    ranked = (
        f"SELECT {key}, ROW_NUMBER() OVER (PARTITION BY {', '.join(trim.group)} ORDER BY {order}) AS place"
        f" FROM {name} WHERE {where}"
    )
    beyond = f"SELECT {key} FROM ({ranked}) AS ranked WHERE place > ?"
    if locking:
        beyond = f"SELECT {key} FROM {name} WHERE ({key}) IN ({beyond}) {locking}"
    return f"DELETE FROM {name} WHERE ({key}) IN ({beyond})", (*trim.where.values(), trim.most)


def batches(
    projection: str, generation: int, changes: Changes, locking: str = ""
) -> Iterator[tuple[str, list[tuple[Value, ...]]]]:
    """Return statements, each with the values of all its executions, that have the same effect as the changes.

    So a few statements are enough for most changes of a batch of events. `locking` is the SQL clause with which a trim
    locks the rows that it deletes. Only a trim touches rows of other lanes.
    """
    for table, layers in changes.tables.items():
        name = place(projection, generation, table)
        for layer in layers:
            gathered: dict[str, list[tuple[Value, ...]]] = {}
            for change in layer.values():
                if type(change) is Compute:
                    change = Put(change.table, change.key, change.values())
                text, values = _statement(name, change, locking)
                if text in gathered:
                    gathered[text].append(values)
                else:
                    gathered[text] = [values]
            yield from gathered.items()


def _pairs(columns: Iterable[str], between: str) -> str:
    return between.join(f"{column} = ?" for column in columns)


@cache
def _update(name: str, columns: tuple[str, ...], where: tuple[str, ...]) -> str:
    return f"UPDATE {name} SET {_pairs(columns, ', ')} WHERE {_pairs(where, ' AND ')}"


@cache
def _upsert(name: str, key: tuple[str, ...], columns: tuple[str, ...], kind: type[Put | Make | Add]) -> str:
    marks = ", ".join("?" * (len(key) + len(columns)))
    added = {column: f"{name}.{column} + " if kind is Add else "" for column in columns if kind is not Make}
    new = ", ".join(f"{column} = {before}excluded.{column}" for column, before in added.items())
    return (
        f"INSERT INTO {name} ({', '.join((*key, *columns))}) VALUES ({marks})"
        f" ON CONFLICT ({', '.join(key)}) DO {f'UPDATE SET {new}' if new else 'NOTHING'}"
    )


@cache
def numbered(text: str) -> str:
    """Return a statement with PostgreSQL's placeholders. In our statements, every ``?`` is a placeholder."""
    numbers = count(1)
    return "".join(f"${next(numbers)}" if letter == "?" else letter for letter in text)
