"""The runner: rows are the fold of the log, whatever comes in between."""

import asyncio
import itertools
import os
from collections.abc import Collection, Iterable
from pathlib import Path
from random import Random

import pytest

from domain.kernel.ids import CaseId, GameId, PlayerId
from domain.kernel.log.record import inscribe
from domain.kernel.rules.ruleset import Library
from projections import lobby
from projections.change import Add, Change, Put, Table
from projections.library import PROJECTIONS
from projections.projection import Happened, Projection
from projections.runner import GATHER, Runner, Stopped
from projections.store import NotBuilt, Overtaken, ProjectionStore, Unavailable
from service.cluster.wake import LocalWake
from service.store.postgres.rows import PostgresRows
from service.store.sqlite.rows import SqliteRows
from tests.helpers.play import Play
from tests.helpers.sampling import sampled
from tests.projections.logs import (
    KilledRows,
    MemoryLog,
    classic_game,
    contents,
    from_zero,
    mixed,
    runner,
    status,
    tiny_game,
)
from tests.projections.stores import Open
from tests.tiny.auction import ROOM, TinyAuction

PATIENCE = 60
STRIDE = 4
"""A run kills before every fourth statement."""
SEEN = Table("seen", {"game": "text"}, {"events": "number"})


class Counted(Projection):
    """Counts events; the smallest projection there is."""

    name = "counted"
    version = 1
    tables = (SEEN,)

    def fold(self, happened: Happened) -> Iterable[Change]:
        yield Add(SEEN, {"game": happened.game}, {"events": 1})


class Choking(Counted):
    """Fails on a game's fifth event, when it has half done with it."""

    name = "choking"
    chokes = True

    def fold(self, happened: Happened) -> Iterable[Change]:
        yield Add(SEEN, {"game": happened.game}, {"events": 1})
        if self.chokes and happened.record.version == 5:
            raise ValueError("a bone")


class Unstorable(Counted):
    """Wants a number that no store takes."""

    name = "unstorable"

    def fold(self, happened: Happened) -> Iterable[Change]:
        yield Put(SEEN, {"game": happened.game}, {"events": 2**70 if happened.record.version == 5 else 1})


def games() -> list[list[tuple]]:
    return [tiny_game(1), tiny_game(2, 3, undo=True), tiny_game(3, 4, undo=True), tiny_game(4, commands=5)]


@pytest.fixture(scope="module")
def log() -> MemoryLog:
    return MemoryLog(mixed(games()))


@pytest.mark.parametrize("batch", [3, 1000])
async def test_a_fork_counts_in_no_projection(rows: ProjectionStore, batch: int, tmp_path: Path) -> None:
    play = Play(TinyAuction(), ROOM, 2).run(Random(1))
    fork = play.fork(next(at for at, game in play.at_each_version.items() if game.status == "running"))
    parents = [(play.game.id, record) for record in play.records]
    forks = [(fork.game.id, record) for record in fork.run(Random(2)).records]
    await runner(MemoryLog([*parents[:-1], *forks[:9], parents[-1], *forks[9:]]), rows, batch=batch).catch_up()
    assert await contents(rows) == await from_zero(MemoryLog(parents), tmp_path / "zero.db")


@pytest.mark.parametrize("batch", [1, 2, 13, 1000])
async def test_batches_of_any_size_make_the_same_rows(
    log: MemoryLog, rows: ProjectionStore, batch: int, tmp_path: Path
) -> None:
    await runner(log, rows, batch=batch).catch_up()
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")


async def test_the_rows_of_cases_between_those_of_games_are_passed(
    log: MemoryLog, rows: ProjectionStore, tmp_path: Path
) -> None:
    case = CaseId("ccase")
    record = inscribe(case, b"", 1, {"type": "case-opened"}, schema=1, draws=0, at="", cause=None)
    mixed_in = MemoryLog([row for each in log.rows for row in (each, (case, record))])
    await runner(mixed_in, rows, batch=7).catch_up()
    # This case cannot be read, which stops only those that hear what happens in cases.
    others = [projection for projection in PROJECTIONS if not projection.hears]
    assert len(others) < len(PROJECTIONS)
    assert await contents(rows, others) == await from_zero(log, tmp_path / "zero.db", others)
    for projection in others:
        assert (await status(rows))[projection.name].events == 2 * len(log.rows)


async def test_rows_of_random_classic_games_are_those_of_their_rebuild(rows: ProjectionStore, tmp_path: Path) -> None:
    log = MemoryLog(mixed([classic_game(1, 60), classic_game(2, 40, 2), tiny_game(3, undo=True)]))
    half = MemoryLog(log.rows[: len(log.rows) // 2])
    await runner(half, rows, batch=31).catch_up()
    going = runner(log, rows, batch=17)
    await going.catch_up()
    kept = await contents(rows)
    assert kept == await from_zero(log, tmp_path / "zero.db")
    for projection in PROJECTIONS:
        await runner(log, rows).rebuild(projection.name)
    assert await contents(rows) == kept
    assert {each.number for each in await rows.generations()} == {2}


async def test_a_runner_that_starts_anew_goes_on_where_it_stood(
    log: MemoryLog, rows: ProjectionStore, tmp_path: Path
) -> None:
    for end in range(0, len(log.rows) + 20, 20):
        await runner(MemoryLog(log.rows[:end]), rows, batch=9).catch_up()
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")


async def test_two_runners_on_the_same_rows_count_nothing_twice(log: MemoryLog, place: Open, tmp_path: Path) -> None:
    stores = [await place() for _ in range(2)]
    await asyncio.gather(*(runner(log, store, batch=3).catch_up() for store in stores))
    await runner(log, stores[0]).catch_up()
    assert await contents(stores[1]) == await from_zero(log, tmp_path / "zero.db")


async def test_one_of_two_processes_follows_the_log_and_the_other_takes_over(
    log: MemoryLog, place: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.runner.LEASE", PATIENCE)
    (mine, others), growing = [await place() for _ in range(2)], MemoryLog(log.rows[:50])
    one, other = runner(growing, mine, [Counted()]), runner(growing, others, [Counted()])
    assert await one.turn() == 50
    assert await other.turn() is None
    assert await one.turn() is not None

    wake = LocalWake()
    async with wake.subscribe(None) as bell:
        wake.close()
        await one.run(bell)  # a runner that stops gives the lease back
    growing.rows.extend(log.rows[50:60])
    assert await other.turn() is not None
    assert await one.turn() is None
    await other.catch_up()
    assert (await status(mine))["counted"].events == 60


def test_a_runner_that_shares_its_loop_rests_in_proportion_to_its_work(log: MemoryLog, rows: ProjectionStore) -> None:
    shy, eager = (runner(log, rows, batch=100, rest=rest) for rest in (4.0, 0.0))
    assert (shy.pause(100, 0.1), shy.pause(3, 0.1)) == (0.4, 0.4)
    assert eager.pause(100, 0.1) == 0
    assert shy.pause(3, 0.001) == eager.pause(3, 0.001) == GATHER


async def test_a_lease_ends_when_it_is_not_taken_anew(place: Open) -> None:
    one, other = [await place() for _ in range(2)]
    assert await one.lease("one", 60)
    assert not await other.lease("other", 60)
    assert await one.lease("one", 0.1)
    async with asyncio.timeout(PATIENCE):
        while not await other.lease("other", 60):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert not await one.lease("one", 60)


async def test_who_only_asks_about_work_gets_no_lease_and_leaves_nothing_behind(place: Open) -> None:
    one, other = [await place() for _ in range(2)]
    assert await one.lease("one", 60)
    assert not await other.lease("other", 0)
    assert await other.lease("other", 0, "work that nobody does")
    assert not await other.lease("other", 60)
    assert await one.lease("one", 0)
    assert await other.lease("other", 60)
    query = "SELECT name FROM leases"
    match one:
        case SqliteRows():
            works = await one._read(lambda connection: connection.execute(query).fetchall())
        case PostgresRows():
            works = await one._run(lambda connection: connection.fetch(query))
        case _:
            raise AssertionError("a kind of rows whose leases this test cannot read")
    assert [name for (name,) in works] == ["runner"]


async def test_those_who_read_notice_nothing_of_rebuilds(log: MemoryLog, place: Open) -> None:
    going, reading = [await place() for _ in range(2)]
    await runner(log, going).catch_up()
    before, reads, finished = await contents(reading), 0, False

    async def rebuild() -> None:
        nonlocal finished
        for _ in range(4):
            for projection in PROJECTIONS:
                await runner(log, going).rebuild(projection.name)
        finished = True

    async def read() -> None:
        nonlocal reads
        while not finished:
            assert await contents(reading) == before
            reads += 1

    await asyncio.gather(rebuild(), read(), read())
    assert reads > 4
    assert {each.number for each in await reading.generations()} == {5}


async def test_a_text_that_no_row_can_have_is_not_found(log: MemoryLog, rows: ProjectionStore) -> None:
    await runner(log, rows).catch_up()
    assert await lobby.search(rows, text="game\0") == []
    assert await lobby.search(rows, player=PlayerId("player\0"), after=("2026\0", GameId("\0"))) == []
    assert await lobby.search(rows, text="game")


async def until(rows: ProjectionStore, generations: int, *, live: bool = False) -> None:
    """Return when there is that number of generations; with `live`, of live generations."""
    async with asyncio.timeout(PATIENCE):
        while sum(each.live or not live for each in await rows.generations()) < generations:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_all_that_stand_at_one_place_are_moved_on_by_one_statement(log: MemoryLog, tmp_path: Path) -> None:
    rows, moves = await SqliteRows.open(tmp_path / "rows.db"), list[str]()
    growing = MemoryLog(log.rows[:50])
    going = runner(growing, rows)
    await going.catch_up()
    rows._connections._writer._connection.set_trace_callback(
        lambda statement: moves.append(statement) if statement.startswith("UPDATE projections ") else None
    )
    growing.rows.extend(log.rows[50:60])
    await going.catch_up()
    assert len(moves) == 1
    assert {each.events for each in (await status(rows)).values()} == {60}
    await rows.close()


async def test_what_a_process_knows_of_rows_outlasts_a_look_at_the_checkpoints(
    log: MemoryLog, rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing = MemoryLog(log.rows[:50])
    going = runner(growing, rows)
    await going.catch_up()
    monkeypatch.setattr("projections.runner.POLL", -1.0)
    before = going._groups
    growing.rows.extend(log.rows[50:60])
    await going.catch_up()
    assert going._groups is before
    await runner(growing, rows).rebuild("rules")
    growing.rows.extend(log.rows[60:70])
    await going.catch_up()
    assert going._groups is not before
    assert {each.events for each in (await status(rows)).values()} == {70}


# --- failure ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [Choking(), Unstorable()], ids=lambda broken: broken.name)
async def test_one_that_fails_stops_itself_says_where_and_leaves_the_others(
    log: MemoryLog, rows: ProjectionStore, broken: Projection
) -> None:
    told: list[Exception] = []
    half = len(log.rows) // 2
    first = runner(MemoryLog(log.rows[:half]), rows, (*PROJECTIONS, Counted(), broken), batch=40, tell=told.append)
    await first.catch_up()
    index = next(index for index, (_, record) in enumerate(log.rows) if record.version == 5)
    (generation,) = [each for each in await rows.generations() if each.projection == broken.name]
    assert generation.events == index
    assert generation.trouble is not None
    assert (generation.trouble.game, generation.trouble.version) == (log.rows[index][0], 5)
    assert ("a bone" in generation.trouble.why) == isinstance(broken, Choking)
    assert [str(each) for each in told if isinstance(each, Stopped)] == [
        f"{broken.name} stopped at version 5 of game {log.rows[index][0]}: {generation.trouble.why}"
    ]
    assert {each.events for name, each in (await status(rows)).items()} == {half}

    again = runner(log, rows, (*PROJECTIONS, broken), batch=40)
    await again.catch_up()
    assert {each.events for name, each in (await status(rows)).items() if name != "counted"} == {len(log.rows)}


async def test_one_that_was_mended_goes_on_when_the_process_starts_anew(log: MemoryLog, rows: ProjectionStore) -> None:
    broken = Choking()
    await runner(log, rows, [broken], batch=40).catch_up()
    broken.chokes = False
    await runner(log, rows, [broken], batch=40).catch_up()
    mended = (await status(rows))["choking"]
    assert (mended.events, mended.trouble) == (len(log.rows), None)
    assert sum(events for _, events in (await contents(rows, [broken]))["choking.seen"]) == len(log.rows)


async def test_one_that_stops_when_it_is_live_can_still_be_read_and_rebuilt(
    log: MemoryLog, rows: ProjectionStore
) -> None:
    broken = Choking()
    early = next(index for index, (_, record) in enumerate(log.rows) if record.version == 5)
    await runner(MemoryLog(log.rows[:early]), rows, [broken]).catch_up()
    going = runner(log, rows, [broken])
    await going.catch_up()
    stopped = (await status(rows))["choking"]
    assert stopped.trouble is not None
    assert stopped.live
    with pytest.raises(Stopped, match="a bone"):
        await runner(log, rows, [broken]).rebuild("choking")
    assert (await status(rows))["choking"] == stopped

    broken.chokes = False
    await runner(log, rows, [broken]).rebuild("choking")
    assert (await status(rows))["choking"].events == len(log.rows)
    assert await going.step() == 0


async def test_games_of_a_ruleset_that_is_missing_stop_only_what_needs_it(rows: ProjectionStore) -> None:
    log = MemoryLog(tiny_game(1))
    await Runner(PROJECTIONS, log, rows, Library([])).catch_up()
    needing = {each.name for each in PROJECTIONS if each.follows or each.heeds == "ruleset"}
    assert "scoreboard" in needing
    assert (await status(rows)).keys() == {each.name for each in PROJECTIONS} - needing
    troubles = {each.projection: each.trouble for each in await rows.generations() if not each.live}
    assert troubles.keys() == needing
    assert all(trouble is not None and "does not have" in trouble.why for trouble in troubles.values())


async def test_a_log_that_does_not_answer_is_waited_for(
    log: MemoryLog, rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Flaky(MemoryLog):
        failures = 3

        async def read_on(self, cursor: str | None, limit: int, books: Collection[int] | None = None):
            if self.failures:
                self.failures -= 1
                raise Unavailable("gone")
            return await super().read_on(cursor, limit, books)

    monkeypatch.setattr("projections.runner.POLL", 0.01)
    told: list[Exception] = []
    wake = LocalWake()
    async with wake.subscribe(None) as bell:
        running = asyncio.create_task(runner(Flaky(log.rows), rows, tell=told.append).run(bell))
        await until(rows, len(PROJECTIONS), live=True)
        wake.close()
        await running
    assert list(map(str, told)) == ["gone"], "it is told once"
    assert len(await status(rows)) == len(PROJECTIONS)


async def test_a_pass_that_breaks_off_counts_nothing_twice(
    rows: ProjectionStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Breaking(MemoryLog):
        games = 0

        async def title(self, game: GameId) -> str:
            self.games += 1
            if self.games == 2:  # what the first game changes is not committed yet
                raise Unavailable("gone")
            return await super().title(game)

    monkeypatch.setattr("projections.runner.POLL", PATIENCE)
    log = MemoryLog([*tiny_game(1), *tiny_game(2)])
    going = runner(Breaking(log.rows), rows)
    with pytest.raises(Unavailable):
        await going.catch_up()
    await going.catch_up()
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")


# --- rebuilding while serving -----------------------------------------------------------------------------------------


async def test_rows_that_were_never_whole_are_never_read(log: MemoryLog, rows: ProjectionStore) -> None:
    counted = Counted()
    with pytest.raises(NotBuilt):
        await contents(rows, [counted])
    going = runner(log, rows, [counted], batch=50)
    await going.step()
    with pytest.raises(NotBuilt):
        await contents(rows, [counted])
    await going.catch_up()
    await contents(rows, [counted])


async def test_a_rebuild_leaves_the_old_rows_until_the_new_are_no_older(log: MemoryLog, rows: ProjectionStore) -> None:
    counted, growing = Counted(), MemoryLog(log.rows[:-30])
    serving = runner(growing, rows, [counted], batch=10)
    await serving.catch_up()
    sums: list[int] = []

    async def read() -> int:
        found = await rows.select(counted, "SELECT SUM(events) FROM {seen}")
        return found[0][0]

    async def grow() -> None:
        for row in log.rows[-30:]:
            growing.rows.append(row)
            await serving.catch_up()
            sums.append(await read())

    await asyncio.gather(grow(), runner(growing, rows, [counted], batch=10).rebuild("counted"))
    sums.append(await read())
    await serving.catch_up()
    assert sums == sorted(sums)
    assert sums[0] > len(log.rows) - 31
    assert await read() == len(log.rows)
    (generation,) = await rows.generations()
    assert generation.number == 2


async def test_a_rebuild_replaces_rows_that_are_beyond_the_end_of_a_log_that_was_restored(
    log: MemoryLog, rows: ProjectionStore, tmp_path: Path
) -> None:
    counted, restored = Counted(), MemoryLog(log.rows[:-30])
    await runner(log, rows, [counted]).catch_up()
    async with asyncio.timeout(PATIENCE):
        await runner(restored, rows, [counted], batch=50).rebuild("counted")
    assert await contents(rows, [counted]) == await from_zero(restored, tmp_path / "zero.db", [counted])


async def test_the_first_of_two_rebuilds_gives_way(log: MemoryLog, rows: ProjectionStore) -> None:
    slow = runner(log, rows, [Counted()], batch=1)
    first = asyncio.create_task(slow.rebuild("counted"))
    await until(rows, 1)
    await runner(log, rows, [Counted()]).rebuild("counted")
    with pytest.raises(Overtaken):
        await first


async def test_a_new_version_is_built_beside_the_old_one_and_an_old_process_leaves_it_alone(
    log: MemoryLog, rows: ProjectionStore
) -> None:
    class Newer(Counted):
        version = 2

    old, new = Counted(), Newer()
    await runner(log, rows, [old]).catch_up()
    await runner(log, rows, [new], batch=50).step()
    await contents(rows, [old])
    await runner(log, rows, [new]).catch_up()
    await contents(rows, [new])
    with pytest.raises(NotBuilt):
        await contents(rows, [old])
    assert await runner(log, rows, [old]).step() == 0


# --- kill -9 ----------------------------------------------------------------------------------------------------------


def killed_before(path: Path, log: MemoryLog, statement: int) -> bool:
    """Catch up in a process that is killed right before a statement that writes; tell whether it was."""
    child = os.fork()
    if child == 0:

        async def go() -> None:
            store = await KilledRows.opened(path, statement)
            await runner(log, store, batch=12).catch_up()

        try:
            asyncio.run(go())
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@pytest.mark.parametrize("first", sampled("statements before which a projection is killed", range(STRIDE), 1))
def test_killed_between_any_two_statements_the_rows_are_the_fold_from_zero(tmp_path: Path, first: int) -> None:
    log = MemoryLog(tiny_game(2, 2, commands=6, undo=True))
    expected = asyncio.run(from_zero(log, tmp_path / "zero.db"))

    async def finished(path: Path) -> dict:
        rows = await SqliteRows.open(path)
        await runner(log, rows, batch=12).catch_up()
        found = await contents(rows)
        await rows.close()
        return found

    kills = 0
    for statement in itertools.count(1 + first, STRIDE):
        path = tmp_path / f"{statement}.db"
        if not killed_before(path, log, statement):
            break
        kills += 1
        if statement % 7 == 0:
            killed_before(path, log, 2 + statement // 2)  # and once more on the way back
        assert asyncio.run(finished(path)) == expected, f"killed before statement {statement}"
    assert kills >= 50 // STRIDE
