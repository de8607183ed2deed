"""What only the rows on PostgreSQL have to stand: restarts of the database, its grants, dumps, killed processes."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import asyncpg
import pytest

from projections.change import Amend
from projections.library import PROJECTIONS
from projections.lobby import LOBBY
from projections.store import Unavailable
from service.cluster.wake import LocalWake
from service.store.postgres.rows import PostgresRows
from tests.helpers.postgres import OWNER, Cluster, cluster, connected, shared_cluster
from tests.helpers.sampling import sampled
from tests.projections.logs import MemoryLog, contents, from_zero, mixed, runner, status, tiny_game

STRIDE = 4
"""Of so many statements that write, a run is killed before one."""


@pytest.fixture(scope="module")
def log() -> MemoryLog:
    return MemoryLog(mixed([tiny_game(1), tiny_game(2, 3, undo=True), tiny_game(3, 4, undo=True)]))


@pytest.fixture
def own() -> Iterator[Cluster]:
    with cluster() as started:
        yield started


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with shared_cluster().database() as lent:
        yield lent


async def test_a_runner_goes_on_when_the_database_is_restarted(own: Cluster, log: MemoryLog, tmp_path: Path) -> None:
    growing, wake = MemoryLog(log.rows[:40]), LocalWake()
    rows = await PostgresRows.open(own.url("migrated"))
    async with wake.subscribe(None) as bell:
        running = asyncio.create_task(runner(growing, rows, batch=10).run(bell))
        for end in (60, 80, len(log.rows)):
            await asyncio.to_thread(own.restart)
            growing.rows[:] = log.rows[:end]
        async with asyncio.timeout(60):
            at_the_end = [len(log.rows)] * len(PROJECTIONS)
            while [each.events for each in (await status(rows)).values()] != at_the_end:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        wake.close()
        await running
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")
    await rows.close()


async def test_a_database_that_is_away_is_unavailable(own: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.store.postgres.connections.PATIENCE", 0.2)
    rows = await PostgresRows.open(own.url("migrated"))
    own.halt()
    with pytest.raises(Unavailable, match="database migrated at"):
        await rows.generations()
    with pytest.raises(Unavailable):
        await PostgresRows.open(own.url("migrated"))
    own.start()
    assert await rows.generations() == []
    await rows.close()
    with pytest.raises(Unavailable, match="closed"):
        await rows.generations()


async def test_a_database_without_the_tables_says_what_to_do() -> None:
    async with shared_cluster().empty_database() as empty:
        async with connected(empty) as connection:
            await connection.execute("CREATE SCHEMA tabularium")
        with pytest.raises(Unavailable, match="tabularium migrate"):
            await PostgresRows.open(empty)


async def test_the_service_makes_tables_of_rows_and_no_others(url: str, log: MemoryLog) -> None:
    rows = await PostgresRows.open(url)
    await runner(log, rows).catch_up()
    await rows.close()
    async with connected(url) as connection:
        assert await connection.fetchval("SELECT count(*) FROM pg_tables WHERE tableowner = 'tabularium_service'") == 0
        await connection.execute("SET ROLE tabularium_service")
        for statement in (
            "CREATE TABLE tabularium.mine (n integer)",
            "CREATE TABLE tabularium_rows.mine (n integer)",
            "SELECT tabularium_rows.create_table('mine', '{n}', '{true}', 1)",
            "SELECT tabularium_rows.create_table('a_1_b; drop table tabularium.events', '{n}', '{true}', 1)",
            "SELECT tabularium_rows.drop_table('projections')",
            "DELETE FROM tabularium_rows.refusals",
            "DROP TABLE tabularium_rows.lobby_1_games",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)


async def test_processes_that_amend_the_same_rows_never_wait_in_a_circle(url: str) -> None:
    log = MemoryLog(mixed([tiny_game(number) for number in range(1, 25)]))
    rows = await PostgresRows.open(url)
    await runner(log, rows).catch_up()
    games = sorted({game for game, _ in log.rows})
    table = LOBBY.tables[0]

    async def amend(number: int) -> None:
        order = Random(number).sample(games, len(games))
        await rows.amend(LOBBY, [Amend(table, {"game": game}, {"title": f"{number}"}) for game in order])

    for first in range(0, 40, 4):
        await asyncio.gather(*map(amend, range(first, first + 4)))
    found = await rows.select(LOBBY, "SELECT DISTINCT title FROM {games}")
    assert len(found) == 1, "each changed them all at once"
    await rows.close()


async def test_rows_are_right_after_a_dump_and_a_restore(own: Cluster, url: str, log: MemoryLog) -> None:
    half = MemoryLog(log.rows[: len(log.rows) // 2])
    rows = await PostgresRows.open(url)
    await runner(half, rows).catch_up()
    dump = shared_cluster().run("pg_dump", "--format=custom", url)
    await runner(log, rows).catch_up()
    expected = await contents(rows)
    await rows.close()

    async with connected(own.url()) as connection:
        await connection.execute("CREATE DATABASE restored")
    there = own.url("restored", OWNER)
    own.run("pg_restore", "--exit-on-error", "--no-comments", "--dbname", there, stdin=dump)
    restored = await PostgresRows.open(there)
    await runner(log, restored).catch_up()
    assert await contents(restored) == expected
    await runner(log, restored).rebuild("scoreboard")
    assert await contents(restored) == expected
    await restored.close()


# --- kill -9 ----------------------------------------------------------------------------------------------------------


class _Killed:
    """A connection whose process is killed right before a statement, counted from 1."""

    def __init__(self, connection: Any, before: int, numbers: Iterator[int]) -> None:
        self._connection = connection
        self._before = before
        self._numbers = numbers

    def __getattr__(self, name: str) -> Any:
        if name in ("execute", "executemany", "fetch", "fetchval") and next(self._numbers) == self._before:
            os.kill(os.getpid(), signal.SIGKILL)
        return getattr(self._connection, name)


def _killed_before(url: str, log: MemoryLog, statement: int) -> bool:
    """Catch up in a process that is killed right before a statement; tell whether it was."""
    child = os.fork()
    if child == 0:

        async def go() -> None:
            rows, numbers = await PostgresRows.open(url), count(1)
            connections = vars(rows)["_connections"]
            patiently = connections.patiently
            connections.patiently = lambda work: patiently(
                lambda connection: work(_Killed(connection, statement, numbers))
            )
            await runner(log, rows, PROJECTIONS[:3], batch=30).catch_up()

        try:
            asyncio.run(go())
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@pytest.mark.parametrize(
    "first", sampled("statements before which a projection is killed:in PostgreSQL", range(STRIDE), 1)
)
def test_killed_between_any_two_statements_the_rows_are_the_fold_from_zero(tmp_path: Path, first: int) -> None:
    log = MemoryLog(tiny_game(2, 2, commands=6, undo=True))
    expected = asyncio.run(from_zero(log, tmp_path / "zero.db", PROJECTIONS[:3]))
    shared_cluster()

    async def finished(url: str) -> dict[str, list[Any]]:
        rows = await PostgresRows.open(url)
        await runner(log, rows, PROJECTIONS[:3], batch=30).catch_up()
        found = await contents(rows, PROJECTIONS[:3])
        await rows.close()
        return found

    async def lend(statement: int) -> bool:
        async with shared_cluster().database() as url:
            killed = await asyncio.to_thread(_killed_before, url, log, statement)
            assert await finished(url) == expected, f"killed before statement {statement}"
            return killed

    kills = 0
    for statement in count(1 + first, STRIDE):
        if not asyncio.run(lend(statement)):
            break
        kills += 1
    assert kills >= 30 // STRIDE
