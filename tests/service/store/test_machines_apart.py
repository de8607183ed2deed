"""A machine that does not answer holds up the appends to its own books alone. Shown on one PostgreSQL, by locks."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from domain.kernel.ids import BOOKS, GameId, book_of
from projections.cursor import Cursor
from service.readmodels import StoreLog
from service.store.protocol import Appended, PartUnavailable, StoreUnavailable
from tests.helpers.postgres import connected, shared_cluster
from tests.service.store.adapters import OneMachine
from tests.service.store.batches import addition, new_game, opening, use

SOON = 3.0
"""Seconds in which an append is over that waits for nobody: less than a statement may take."""

FIRST = [f"g{number}" for number in range(40) if book_of(GameId(f"g{number}")) < BOOKS // 2][:12]
OTHER = [f"g{number}" for number in range(40) if book_of(GameId(f"g{number}")) >= BOOKS // 2][:12]
"""Games on the first of two machines, and on the other one."""


class TwoMachines(OneMachine):
    machines = f"SELECT book, book / {BOOKS // 2} FROM generate_series(0, $1::integer) AS b (book)"


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with shared_cluster().database() as url:
        yield url


@pytest.fixture
async def store(url: str) -> AsyncIterator[OneMachine]:
    opened = await TwoMachines.open(url)
    yield opened
    await opened.close()


async def test_an_append_waits_for_nobody_who_writes_to_another_machine(url: str, store: OneMachine) -> None:
    for game in (*FIRST, *OTHER):
        await store.append(new_game(game))
    async with connected(url) as owner, owner.transaction():
        await owner.execute("SELECT 1 FROM tabularium.books WHERE book < $1 FOR UPDATE", BOOKS // 2)
        held = [asyncio.create_task(store.append(addition(game, 1))) for game in FIRST]
        await asyncio.sleep(0)
        async with asyncio.timeout(SOON):
            done = await asyncio.gather(*(store.append(addition(game, 1)) for game in OTHER))
        assert done == [Appended(2)] * len(OTHER)
        assert not any(task.done() for task in held)
    assert await asyncio.gather(*held) == [Appended(2)] * len(FIRST)


async def test_games_of_each_machine_are_a_part_of_the_store_that_is_asked_by_itself(store: OneMachine) -> None:
    assert {store.part_of(GameId(game)) for game in FIRST} == {0}
    assert {store.part_of(GameId(game)) for game in OTHER} == {1}


async def test_what_waits_for_a_machine_that_does_not_answer_is_told_so_soon(url: str, store: OneMachine) -> None:
    """Each append takes as long as a statement may. They do not do so one after the other."""
    for game in FIRST:
        await store.append(new_game(game))
    for writer in store._writers:
        assert writer._lanes[0] is not None
        await writer._lanes[0].execute("SET statement_timeout = '400ms'")
    async with connected(url) as owner, owner.transaction():
        await owner.execute("SELECT 1 FROM tabularium.books WHERE book < $1 FOR UPDATE", BOOKS // 2)
        began = asyncio.get_running_loop().time()
        told = await asyncio.gather(*(store.append(addition(game, 1)) for game in FIRST), return_exceptions=True)
        assert asyncio.get_running_loop().time() - began < SOON
    assert all(isinstance(each, StoreUnavailable) for each in told)
    assert await asyncio.gather(*(store.append(addition(game, 1)) for game in FIRST)) == [Appended(2)] * len(FIRST)


async def test_what_needs_no_machine_that_is_away_goes_on(store: OneMachine) -> None:
    for game in (*FIRST, *OTHER):
        await store.append(new_game(game))
    end, start = await store.end(), Cursor.start(BOOKS)
    here, there = [GameId(game) for game in FIRST], [GameId(game) for game in OTHER]
    assert await store.away() == frozenset()
    store._machines._away.add(1)
    assert await store.away() == frozenset(range(BOOKS // 2, BOOKS))
    assert await store.append(addition(FIRST[0], 1)) == Appended(2)
    assert {row.game for row in await store.games(among=here)} == {*here}
    assert await store.heads(here) == dict.fromkeys(here, 1) | {here[0]: 2}
    await store.ready()
    for until, games in ((None, None), (end, None), (None, [*here, *there])):
        rows, reached = await store.read_on(start, 100, games, until)
        assert {game for _, game, _ in rows} == {*here}
        # The books that are away are still to be read, so this is not the end.
        assert reached.positions[BOOKS // 2 :] == start.positions[BOOKS // 2 :]
        with pytest.raises(PartUnavailable):
            await store.read_on(reached, 100, games, until)
    # So projections go on in lanes, each of which has books on every machine.
    lane = [*range(0, BOOKS, 2)]
    stretch = await StoreLog(store).read_on(str(start), 100, lane)
    assert {game for game, _ in stretch.records} == {game for game in here if book_of(game) in lane}
    assert stretch.end.positions[BOOKS // 2 :] == start.positions[BOOKS // 2 :]
    for needs_all in (
        store.end(),
        store.games(),
        store.games(among=[*here, *there]),
        store.cases(),
        store.tournaments(),
        store.leagues(),
        store.tree.moved(start, end),
        store.append(addition(OTHER[0], 1)),
        store.append_together(addition(OTHER[0], 1)),
        store.load(there[0]),
        store.use_of_key(there[0], use("k").account, "k"),
    ):
        with pytest.raises(PartUnavailable):
            await needs_all
    store._machines._away.clear()
    rows, _ = await store.read_on(reached, 100)
    assert {game for _, game, _ in rows} == {*there}


async def test_an_append_waits_for_no_board_that_all_machines_must_get(url: str, store: OneMachine) -> None:
    for game in OTHER:
        await store.append(new_game(game))
    async with connected(url) as owner, owner.transaction():
        await owner.execute("LOCK TABLE tabularium.boards IN SHARE ROW EXCLUSIVE MODE")
        new = [
            asyncio.create_task(store.append(new_game(f"{game}-new", opened=opening(board=f"sha256:{game}"))))
            for game in OTHER[:3]
        ]
        await asyncio.sleep(0)
        async with asyncio.timeout(SOON):
            done = await asyncio.gather(*(store.append(addition(game, 1)) for game in OTHER))
            assert await store.append(new_game("on-a-known-board")) == Appended(1)
        assert done == [Appended(2)] * len(OTHER)
        assert not any(task.done() for task in new)
    assert await asyncio.gather(*new) == [Appended(1)] * len(new)
