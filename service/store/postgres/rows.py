"""The store of projections on PostgreSQL: tables in a schema of their own, beside the log.

`deploy/migrations/0006_rows.sql` and `0035_lanes.sql` have the checkpoints, `0008_rows_owner.sql` how the service makes
and drops tables, `0044_watches.sql` until when the clocks of games were watched.

Commits do not wait for the disk: rows and checkpoint that a crash of the database takes back are folded again.
They come behind the events that they were made from in the same write-ahead log, so they are never ahead of these.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import asyncpg

from projections import sql
from projections.change import Amend, Changes, Table
from projections.lanes import shared
from projections.projection import Projection
from projections.store import Generation, Lane, NotBuilt, Overtaken, Step, Trouble, Unavailable
from service.store.postgres.connections import Connection, Connections
from service.store.protocol import StoreError

T = TypeVar("T")

_LEFT: Final = "FOR UPDATE SKIP LOCKED"
"""Rows that another process is trimming are left to it: locking them in another order would deadlock."""

CONNECTIONS: Final = 4

ATTEMPTS: Final = 5
"""How often a query is tried when a rebuild that has finished drops its tables."""

_SCHEMA: Final = "tabularium_rows"
_SWAPPED: Final = (asyncpg.UndefinedTableError, asyncpg.DeadlockDetectedError, asyncpg.InternalServerError)
"""The errors of a query whose tables are dropped meanwhile."""


class PostgresRows:
    """A `ProjectionStore` in a PostgreSQL database. To be made by `PostgresRows.open`."""

    def __init__(self, url: str) -> None:
        self._connections = Connections(url, CONNECTIONS, durable=False, search_path=_SCHEMA)
        # A generation stays live until its tables are dropped. So a number that was live once needs no second look.
        self._live: dict[tuple[str, int], int] = {}

    @classmethod
    async def open(cls, url: str) -> "PostgresRows":
        """Open the rows in a database that `tabularium migrate` has prepared.

        Raises `Unavailable` when it does not answer, or lacks the tables.
        """
        rows = cls(url)
        try:
            await rows._connections.open()
            await rows.generations()
        except BaseException as error:
            await rows.close()
            if (translated := rows._connections.translated(error)) is not error:
                raise Unavailable(str(translated)) from error
            raise
        return rows

    async def close(self) -> None:
        await self._connections.close()

    # --- reading ---

    async def generations(self) -> list[Generation]:
        return await self._run(_generations)

    async def select(
        self, projection: Projection, query: str, values: Sequence[Any] = (), *, number: int | None = None
    ) -> list[tuple[Any, ...]]:
        parameters = [_storable(value) for value in values]

        key = projection.name, projection.version

        async def work(connection: Connection) -> list[tuple[Any, ...]]:
            at = number if number is not None else self._live.get(key)
            if at is None:
                at = self._live[key] = await _live(connection, projection)
            text = sql.numbered(query.format_map(sql.places(projection.name, at, projection.tables)))
            return [tuple(row) for row in await connection.fetch(text, *parameters)]

        async def attempt(connection: Connection) -> list[tuple[Any, ...]]:
            for _ in range(ATTEMPTS - 1):
                try:
                    return await work(connection)
                except _SWAPPED as error:
                    if number is not None and isinstance(error, asyncpg.UndefinedTableError):
                        raise Overtaken(f"{projection.name} was dropped") from error
                    self._live.pop(key, None)
            return await work(connection)

        return await self._run(attempt)

    async def refusals(self) -> list[tuple[str, str, int]]:
        rows = await self._run(lambda connection: connection.fetch("SELECT ruleset, rule, times FROM refusals"))
        return [tuple(row) for row in rows]

    # --- writing ---

    async def lease(self, holder: str, seconds: float, work: str = "runner") -> bool:
        async def take(connection: Connection) -> bool:
            if seconds <= 0:  # which leaves no row behind, whatever work is asked about
                await connection.execute(
                    "UPDATE leases SET until = clock_timestamp() WHERE name = $1 AND holder = $2", work, holder
                )
                has_other = await connection.fetchval(
                    "SELECT EXISTS (SELECT FROM leases WHERE name = $1 AND until > clock_timestamp())", work
                )
                return not has_other
            holder_now = await connection.fetchval(
                "INSERT INTO leases AS known (name, holder, until)"
                " VALUES ($3, $1, clock_timestamp() + make_interval(secs => $2))"
                " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
                " WHERE known.holder = excluded.holder OR known.until <= clock_timestamp() RETURNING TRUE",
                holder,
                seconds,
                work,
            )
            return bool(holder_now)

        return await self._run(take)

    async def share(self, holder: str, seconds: float, lanes: int, work: str = "runner") -> Collection[int]:
        async def divide(connection: Connection) -> Collection[int]:
            await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 6))", f"{_SCHEMA} {work}")
            await connection.execute(
                "DELETE FROM followers WHERE work = $1 AND (until <= clock_timestamp() OR $3 AND holder = $2)",
                work,
                holder,
                seconds <= 0,
            )
            if seconds <= 0:
                return ()
            rows = await connection.fetch("SELECT holder, lanes FROM followers WHERE work = $1", work)
            mine = shared({holder: (), **{name: sql.numbers(numbers) for name, numbers in rows}}, holder, lanes)
            await connection.execute(
                "INSERT INTO followers (work, holder, lanes, until)"
                " VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))"
                " ON CONFLICT (work, holder) DO UPDATE SET lanes = excluded.lanes, until = excluded.until",
                work,
                holder,
                sql.positions(sorted(mine)),
                seconds,
            )
            return mine

        return await self._write(divide)

    async def time(self) -> datetime:
        return await self._run(lambda connection: connection.fetchval("SELECT clock_timestamp()"))

    async def watched(self) -> dict[tuple[int, int], str]:
        rows = await self._run(lambda connection: connection.fetch(sql.WATCHED))
        return {(lanes, lane): until for lanes, lane, until in rows}

    async def watch(self, lanes: Mapping[int, str], of: int) -> None:
        rows = [(of, lane, until) for lane, until in sorted(lanes.items())]  # in one order, or two processes deadlock
        await self._write(lambda connection: connection.executemany(sql.numbered(sql.WATCH), rows))

    async def amend(self, projection: Projection, changes: Sequence[Amend]) -> None:
        # In one order, or two processes that amend the same rows deadlock.
        ordered = sorted(changes, key=lambda change: [*change.where.values()])

        async def work(connection: Connection) -> None:
            number = await _live(connection, projection)
            for text, executions in sql.batches(projection.name, number, Changes(ordered)):
                rows = [tuple(map(_storable, each)) for each in executions]
                await connection.executemany(sql.numbered(text), rows)

        await self._write(work)

    async def begin(self, projection: Projection) -> Generation:
        async def work(connection: Connection) -> Generation:
            existing = await _locked_generations(connection, projection.name)
            for each in existing:
                if not each.live:
                    await _drop(connection, each)
            new = sql.begun(projection, existing)
            for table in projection.tables:
                await _create(connection, sql.place(projection.name, new.number, table.name), table)
            await connection.execute(sql.numbered(sql.BEGIN), new.projection, new.number, new.version)
            return new

        return await self._write(work)

    async def split(self, at: Generation, lanes: Sequence[tuple[int, ...]]) -> None:
        async def work(connection: Connection) -> None:
            if await connection.execute(sql.numbered(sql.SPLIT), *sql.standing(at)) != "UPDATE 1":
                raise Overtaken(f"{at.projection} does not stand at {at.cursor}")
            added = [(at.projection, at.number, lane, sql.positions(each)) for lane, each in enumerate(lanes)]
            await connection.executemany(sql.numbered(sql.ADD_LANE), added)

        await self._write(work)

    async def commit(self, step: Step) -> None:
        async def work(connection: Connection) -> None:
            # Other processes wait for these row locks until this transaction ends, and then find the checkpoints moved.
            await _move(connection, step)
            for key, changes in sorted(step.changes.items()):
                for text, executions in sql.batches(*key, changes, _LEFT):
                    rows = [tuple(map(_storable, each)) for each in executions]
                    await connection.executemany(sql.numbered(text), rows)

        try:
            await self._write(work)
        except asyncpg.DeadlockDetectedError as error:
            # With another process that moves the same lanes. That one goes on, and this one reads where they stand.
            raise Overtaken("another process has moved the same lanes") from error

    async def stop(self, at: Generation, trouble: Trouble, lane: Lane | None = None) -> None:
        text, standing = (sql.STOP, sql.standing(at)) if lane is None else (sql.STOP_LANE, sql.lane_standing(at, lane))
        values = (trouble.game, trouble.version, _storable(trouble.why), *standing)
        await self._run(lambda connection: connection.execute(sql.numbered(text), *values))

    async def swap(self, ready: Generation, beyond: Generation | None = None) -> Generation:
        async def work(connection: Connection) -> Generation:
            existing = await _locked_generations(connection, ready.projection)
            live_now = sql.swapped(existing, ready, beyond)
            for each in existing:
                if each.number != ready.number:
                    await _drop(connection, each)
            await connection.execute(sql.numbered(sql.GO_LIVE), ready.projection, ready.number)
            return live_now

        return await self._write(work)

    async def note_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        # In one order everywhere, so that two processes that note the same never deadlock.
        rows = [(ruleset, rule, times) for (ruleset, rule), times in sorted(counts.items())]
        await self._write(lambda connection: connection.executemany(sql.numbered(sql.NOTE_REFUSALS), rows))

    # --- connections ---

    async def _write(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        async def whole(connection: Connection) -> T:
            async with connection.transaction():
                return await work(connection)

        return await self._run(whole)

    async def _run(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        try:
            return await self._connections.patiently(work)
        except StoreError as error:
            raise Unavailable(str(error)) from error


# --- statements -------------------------------------------------------------------------------------------------------


async def _generations(connection: Connection) -> list[Generation]:
    return sql.in_lanes(await connection.fetch(sql.GENERATIONS_IN_LANES))


async def _move(connection: Connection, step: Step) -> None:
    """Move the checkpoints of a step on, in one statement."""
    going = step.going
    if not step.at.lanes:
        expected, text = len(going), sql.numbered(sql.move_of(len(going)))
        moved = await connection.execute(text, *sql.move(step))
    elif step.moves:
        expected = len(step.moves) * len(going)
        moved = await connection.execute(
            "UPDATE checkpoints AS c SET positions = m.after, events = c.events + m.folded,"
            " trouble_game = '', trouble_version = 0, trouble = ''"
            " FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS m (after, folded, lane, positions),"
            " unnest($5::text[], $6::bigint[]) AS g (projection, number)"
            " WHERE c.projection = g.projection AND c.number = g.number"
            " AND c.lane = m.lane AND c.positions = m.positions",
            *zip(*map(sql.move_lane, step.moves), strict=True),
            *zip(*going, strict=True),
        )
    else:
        return
    if moved != f"UPDATE {expected}":
        raise Overtaken(f"one of {', '.join(projection for projection, _ in going)} has moved on")


async def _live(connection: Connection, projection: Projection) -> int:
    """Return the number of the live generation. Raises `NotBuilt`."""
    number = await connection.fetchval(sql.numbered(sql.LIVE), *sql.readable(projection))
    if number is None:
        raise NotBuilt(projection.name)
    return number


async def _locked_generations(connection: Connection, projection: str) -> list[Generation]:
    """Return a projection's generations, which nobody else changes until the end of the transaction."""
    # The advisory lock is for processes that begin a generation when there is no row to lock yet.
    await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 6))", f"{_SCHEMA}.{projection}")
    rows = await connection.fetch(
        f"SELECT {sql.COLUMNS} FROM projections WHERE projection = $1 ORDER BY number FOR UPDATE", projection
    )
    lanes = await connection.fetch(
        f"SELECT {sql.LANE_COLUMNS} FROM checkpoints WHERE projection = $1 ORDER BY number, lane FOR UPDATE", projection
    )
    return sql.generations(rows, lanes)


async def _create(connection: Connection, name: str, table: Table) -> None:
    columns = {**table.key, **table.columns}
    numbers = [kind == "number" for kind in columns.values()]
    await connection.execute("SELECT create_table($1, $2, $3, $4)", name, list(columns), numbers, len(table.key))
    for index in table.indexes:
        await connection.execute("SELECT create_index($1, $2)", name, list(index))


async def _drop(connection: Connection, generation: Generation) -> None:
    prefix = sql.place(generation.projection, generation.number, "")
    for table in await connection.fetch(
        "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND starts_with(tablename, $2)", _SCHEMA, prefix
    ):
        await connection.execute("SELECT drop_table($1)", table[0])
    for text in (sql.FORGET_LANES, sql.FORGET):
        await connection.execute(sql.numbered(text), generation.projection, generation.number)


def _storable(value: Any) -> Any:
    """Return a value that PostgreSQL can hold: in texts, each NUL is replaced by a character that no text has."""
    return value.replace("\0", "\uffff") if isinstance(value, str) and "\0" in value else value
