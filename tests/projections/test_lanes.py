"""Lanes: processes share the books of a log; rows are the fold of it, also when one dies, or follows a lane twice."""

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.ids import BOOKS, RuleId
from projections.change import Add, Change, Table
from projections.cursor import Cursor, reaches
from projections.lanes import LANES, books_of, divided, joined, shared
from projections.library import PROJECTIONS
from projections.projection import Happened, Projection
from projections.rules import RULES, accepted
from projections.runner import Stopped
from projections.sightings import SIGHTINGS, Sighting, of_rule
from projections.store import NotBuilt, Overtaken, ProjectionStore
from service.store.postgres.rows import PostgresRows
from service.store.sqlite.rows import SqliteRows
from tests.helpers.postgres import shared_cluster
from tests.projections import folding
from tests.projections.logs import TINY, BookLog, MemoryLog, contents, from_zero, mixed, runner, status, tiny_game
from tests.projections.stores import Open

SEEN = Table("seen", {"game": "text"}, {"events": "number"})


class Counted(Projection):
    """Counts events; on `chokes_on` it fails."""

    name = "counted"
    version = 1
    tables = (SEEN,)
    chokes_on = ""

    def fold(self, happened: Happened) -> Iterable[Change]:
        if happened.game == self.chokes_on and happened.record.version == 5:
            raise ValueError("a bone")
        yield Add(SEEN, {"game": happened.game}, {"events": 1})


@pytest.fixture(scope="module")
def log() -> BookLog:
    return BookLog(mixed([tiny_game(seed, 2 + seed % 3, commands=11, undo=True) for seed in range(6)]))


def test_each_book_is_in_one_lane_and_a_place_is_put_together_again() -> None:
    assert sorted(book for lane in range(LANES) for book in books_of(lane, LANES)) == list(range(BOOKS))
    cursor = Cursor(tuple(range(100, 100 + BOOKS)))
    assert divided(cursor, LANES)[3] == tuple(cursor.positions[book] for book in books_of(3, LANES))
    assert joined(divided(cursor, LANES)) == cursor


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["come", "go", "ask"]), max_size=20), st.randoms())
def test_processes_that_come_and_go_end_with_a_fair_share_each_and_no_lane_in_two_hands(steps: list[str], rng) -> None:
    held: dict[str, frozenset[int]] = {"first": frozenset()}
    for number, step in enumerate(steps):
        if step == "come":
            held[f"{rng.random()}"] = frozenset()
        elif step == "go" and len(held) > 1:
            del held[rng.choice(sorted(held))]
        name = rng.choice(sorted(held))
        held[name] = shared(held, name, LANES)
        taken = [lane for lanes in held.values() for lane in lanes]
        assert len(taken) == len(set(taken)), number
    for _ in range(6):  # what one gives up, another takes when it asks next
        for name in sorted(held):
            held[name] = shared(held, name, LANES)
    assert set().union(*held.values()) == set(range(LANES))
    counts = sorted(map(len, held.values()))
    assert counts[-1] - counts[0] <= 1
    assert all(shared(held, name, LANES) == held[name] for name in held)


def test_a_place_reaches_another_only_if_it_does_in_every_book() -> None:
    low, high = str(Cursor((3,) * BOOKS)), str(Cursor((4,) * (BOOKS - 1) + (3,)))
    assert reaches(high, low)
    assert not reaches(low, high)
    assert reaches("7", "6")
    assert not reaches(None, "1")
    assert reaches("0", None)


def test_no_row_is_changed_by_games_of_two_books() -> None:
    for projection in PROJECTIONS:
        for table in projection.tables:
            assert {"game", "book"} & table.key.keys(), f"{projection.name}.{table.name}"


@pytest.mark.parametrize("batch", [17, 400])
async def test_two_processes_that_share_the_lanes_make_the_rows_of_one(
    log: BookLog, place: Open, batch: int, tmp_path: Path
) -> None:
    one, other = [runner(log, await place(), batch=batch) for _ in range(2)]
    rows = await place()
    for each in (one, other, one, other):
        each._leased_until = 0.0  # it asks for its share now
        await each._share("runner")
    assert len(one._held) == len(other._held) == LANES // 2
    folded = [0, 0]
    async with asyncio.timeout(60):
        while len(await status(rows)) < len(PROJECTIONS):
            for number, each in enumerate((one, other)):
                folded[number] += await each.turn() or 0
    assert min(folded) > 0
    assert {each.events for each in (await status(rows)).values()} == {len(log.rows)}
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")


async def test_the_lanes_of_a_process_that_died_are_taken_over_and_count_once(
    log: BookLog, place: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = await place()
    dead, left = [runner(log, await place(), [Counted()], batch=9) for _ in range(2)]
    monkeypatch.setattr("projections.runner.LEASE", 0.2)
    await dead.turn()
    monkeypatch.setattr("projections.runner.LEASE", 60)
    async with asyncio.timeout(60):
        while not await left.turn():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    await asyncio.sleep(0.2)
    left._leased_until = 0.0
    async with asyncio.timeout(60):
        while len(await status(rows)) < 1:
            await left.turn()
    assert await contents(rows, [Counted()]) == await from_zero(log, tmp_path / "zero.db", [Counted()])


async def test_a_process_that_is_killed_in_the_middle_leaves_its_lanes_to_another_and_nothing_counts_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lease = 0.5
    monkeypatch.setattr("projections.runner.LEASE", lease)
    whole = folding.log()
    async with shared_cluster().database() as url, asyncio.timeout(90):
        rows, beside = await PostgresRows.open(url), await PostgresRows.open(url)
        command = ("-m", "tests.projections.folding", url, str(lease))
        other = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)
        assert other.stdout is not None
        folded = 0
        while not folded:
            folded += int(await other.stdout.readline())
        other.kill()  # in the middle of the next turn
        await other.wait()
        left = runner(whole, rows, folding.FOLDED)
        reached = sum(each.events for each in await beside.generations())
        assert 0 < reached < len(whole.rows) * len(folding.FOLDED)
        while len(await status(beside)) < len(folding.FOLDED):
            await left.turn()
        assert len(left._held) == LANES
        assert {each.events for each in (await status(beside)).values()} == {len(whole.rows)}
        assert await contents(beside, folding.FOLDED) == await from_zero(whole, tmp_path / "zero.db", folding.FOLDED)
        for each in (rows, beside):
            await each.close()


async def test_two_that_believe_they_hold_the_same_lanes_count_nothing_twice(
    log: BookLog, place: Open, tmp_path: Path
) -> None:
    rows = await place()
    await asyncio.gather(*[runner(log, await place(), batch=11).catch_up() for _ in range(2)])
    await runner(log, rows).catch_up()
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")
    assert {each.events for each in (await status(rows)).values()} == {len(log.rows)}


async def test_rows_from_before_lanes_are_followed_on(rows: ProjectionStore, tmp_path: Path) -> None:
    games = mixed([tiny_game(seed, commands=12) for seed in range(5)])
    log = BookLog(games[: len(games) // 2])
    log.count = 1
    await runner(log, rows, batch=13).catch_up()
    assert not any(each.lanes for each in await rows.generations())
    log.rows, log.count = games, LANES
    await runner(log, rows, batch=13).catch_up()
    live = (await status(rows)).values()
    assert {(each.number, len(each.lanes), each.events) for each in live} == {(1, LANES, len(games))}
    assert {each.cursor for each in live} == {str(await log.end())}
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")


async def test_one_that_fails_stops_in_its_lane_and_goes_on_in_the_others(log: BookLog, rows: ProjectionStore) -> None:
    broken, told = Counted(), list[Exception]()
    broken.chokes_on = log.rows[0][0]
    await runner(log, rows, [broken], batch=20, tell=told.append).catch_up()
    (generation,) = await rows.generations()
    stopped = [lane for lane in generation.lanes if lane.trouble is not None]
    assert [lane.trouble and lane.trouble.game for lane in stopped] == [broken.chokes_on]
    assert generation.trouble == stopped[0].trouble
    assert [type(each) for each in told] == [Stopped]
    ends = divided(await log.end(), LANES)
    assert all(lane.positions == ends[lane.number] for lane in generation.lanes if lane.trouble is None)
    with pytest.raises(NotBuilt):
        await contents(rows, [broken])

    broken.chokes_on = ""
    await runner(log, rows, [broken], batch=20).catch_up()
    assert (await status(rows))["counted"].trouble is None
    assert sum(events for _, events in (await contents(rows, [broken]))["counted.seen"]) == len(log.rows)


async def test_a_rebuild_that_processes_share_outlives_one_of_them(log: BookLog, place: Open, tmp_path: Path) -> None:
    rows = await place()
    await runner(log, rows).catch_up()
    one, other = [runner(log, await place(), batch=5) for _ in range(2)]
    begun = await one.begin("rules")
    first = asyncio.create_task(one.join(begun))
    await asyncio.sleep(0.05)
    first.cancel()
    built = await other.join(begun)
    assert (built.number, built.events, built.live) == (2, len(log.rows), True)
    assert await contents(rows) == await from_zero(log, tmp_path / "zero.db")


async def test_rows_that_are_behind_those_that_are_read_do_not_take_their_place(
    log: BookLog, rows: ProjectionStore
) -> None:
    going = runner(log, rows, [Counted()])
    await going.catch_up()
    behind = await going.begin("counted")
    with pytest.raises(Overtaken):
        await rows.swap(behind)
    assert (await status(rows))["counted"].number == 1


async def test_the_newest_games_of_a_rule_are_the_same_in_whatever_order_books_are_folded(
    log: BookLog, rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("projections.sightings.KEPT", 2)
    kinds = ["game-started", "seat-taken", "moves-retracted", "game-ended"]

    async def newest(store: ProjectionStore) -> list[Sighting]:
        return await of_rule(store, TINY.id, RuleId("TAB-LIFE-02"), kinds)

    plain = await SqliteRows.open(tmp_path / "plain.db")
    await runner(MemoryLog(log.rows), plain, [SIGHTINGS], batch=7).catch_up()
    expected = await newest(plain)
    await plain.close()
    assert len(expected) == 2
    for_lanes = runner(log, rows, [SIGHTINGS], batch=7)
    while any([await for_lanes.step([lane]) for lane in reversed(range(LANES))]):
        pass
    await for_lanes.catch_up()
    assert await newest(rows) == expected


async def test_rows_of_the_version_before_are_read_until_the_new_ones_are_made(
    log: BookLog, rows: ProjectionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Before(type(RULES)):
        version = 1
        reads = 0
        tables = (Table("commands", {"ruleset": "text", "command": "text"}, {"times": "number"}),)

        def fold(self, happened: Happened) -> Iterable[Change]:
            for change in super().fold(happened):
                assert isinstance(change, Add)
                key = {name: value for name, value in change.key.items() if name != "book"}
                yield Add(self.tables[0], key, change.values)

    await runner(log, rows, [Before()]).catch_up()
    expected = await accepted(rows)
    assert sum(expected.values()) > 50
    new = runner(log, rows, [RULES], batch=20)
    await new.step()
    assert {(each.version, each.live) for each in await rows.generations()} == {(1, True), (2, False)}
    assert await accepted(rows) == expected
    await new.catch_up()
    assert [(each.version, each.live) for each in await rows.generations()] == [(2, True)]
    assert await accepted(rows) == expected
