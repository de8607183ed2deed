"""Appends of one process share calls of append(): how many, which, and that each is answered for itself."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from domain.kernel.ids import GameId, book_of
from service.store.postgres.store import PostgresStore
from service.store.postgres.writer import MANY, append_with
from service.store.protocol import Append, Appended, Conflict
from tests.helpers.postgres import connected, shared_cluster
from tests.service.store.batches import ANNA, BLUE, RED, addition, new_game, secret, use


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with shared_cluster().database() as lent:
        yield lent


class Calls:
    """What a store sends: the games of each call, and for each the books of the calls that were on their way then."""

    def __init__(self, store: PostgresStore) -> None:
        self.games: list[list[str]] = []
        self.beside: list[list[set[int]]] = []
        self.begun = asyncio.Event()
        self._under_way: list[set[int]] = []
        store._writers[0]._call = self._call

    async def _call(self, connection: Any, batches: Sequence[Append]) -> list[Any]:
        books = {book_of(batch.game) for batch in batches}
        self.games.append([batch.game for batch in batches])
        self.beside.append([*self._under_way])
        self._under_way.append(books)
        self.begun.set()
        try:
            return await append_with(connection, batches)
        finally:
            self._under_way.remove(books)


@pytest.fixture
async def store(url: str) -> AsyncIterator[PostgresStore]:
    opened = await PostgresStore.open(url)
    yield opened
    await opened.close()


async def test_callers_that_go_on_at_once_share_each_call(store: PostgresStore) -> None:
    """Otherwise those who began while a call was under way would always take turns with the others."""
    calls = Calls(store)

    async def go_on(game: str) -> None:
        await store.append(new_game(game))
        for version in range(1, 10):
            await store.append(addition(game, version))

    going = [asyncio.create_task(go_on(f"g{number}")) for number in range(4)]
    await calls.begun.wait()
    await asyncio.gather(*going, *(go_on(f"h{number}") for number in range(4)))
    assert [len(games) for games in calls.games] == [4, *[8] * 9, 4]


async def test_many_appends_go_in_two_calls_side_by_side_that_share_no_book(store: PostgresStore) -> None:
    calls = Calls(store)
    games = [f"g{number}" for number in range(4 * MANY)]

    async def go_on(game: str) -> None:
        for version in range(1, 4):
            await store.append(addition(game, version))

    await store.append(new_game("board"))
    assert await asyncio.gather(*(store.append(new_game(game)) for game in games)) == [Appended(1)] * len(games)
    await asyncio.gather(*map(go_on, games))
    assert any(calls.beside)
    assert all(len(beside) <= 1 for beside in calls.beside)
    for sent, beside in zip(calls.games, calls.beside, strict=True):
        assert {book_of(GameId(game)) for game in sent}.isdisjoint(set().union(*beside))
    assert [await store.head(GameId(game)) for game in games] == [4] * len(games)
    # A few appends are in one call again, whatever their books.
    await asyncio.gather(*(store.append(addition(game, 4)) for game in games[:8]))
    assert sorted(calls.games[-1]) == sorted(games[:8])


@pytest.mark.parametrize("game", ["g0", "g1"])
@pytest.mark.parametrize("others", [0, 2 * MANY])
async def test_many_appends_to_one_game_are_each_answered(store: PostgresStore, game: str, others: int) -> None:
    """One of them goes into a call, whether the book is even (g0) or odd (g1). They are no reason for a second call."""
    await store.append(new_game(game))
    async with asyncio.timeout(30):
        same = [store.append(addition(game, 1)) for _ in range(2 * MANY)]
        openings = [store.append(new_game(f"o{number}")) for number in range(others)]
        answers = await asyncio.gather(*same, *openings, return_exceptions=True)
    assert [type(answer) for answer in answers[: 2 * MANY]] == [Appended] + [Conflict] * (2 * MANY - 1)
    assert answers[2 * MANY :] == [Appended(1)] * others


async def test_a_store_that_closes_sends_what_waits_in_both_lanes(url: str) -> None:
    closing = await PostgresStore.open(url)
    games = [f"g{number}" for number in range(3 * MANY)]
    appends = [asyncio.create_task(closing.append(new_game(game))) for game in games]
    await asyncio.sleep(0)
    await closing.close()
    assert await asyncio.gather(*appends) == [Appended(1)] * len(games)


async def test_commands_of_one_call_are_answered_each_for_itself(url: str) -> None:
    """What is refused of a call stores nothing, and leaves no gap in the positions."""
    async with connected(url) as connection:
        await append_with(connection, [new_game(name) for name in ("conflict", "repeated", "reused", "ends")])
        kept = use("k")
        await append_with(connection, [addition("repeated", 1, count=2, key=kept), addition("reused", 1, key=kept)])
        before = await connection.fetchval("SELECT sum(position) FROM tabularium.books")
        rows = await append_with(
            connection,
            [
                addition("conflict", 7, key=use("new")),
                addition("repeated", 1, key=kept),
                addition("reused", 1, key=use("k", b"other")),
                addition("ends", 1, count=3, key=kept, secrets=(secret(1, RED),)),
                new_game("begins", count=2, seats={RED: ANNA, BLUE: None}),
            ],
        )
        assert [tuple(row) for row in rows] == [
            ("conflict", 1, None, None),
            ("repeated", 3, 1, 3),
            ("reused", 2, 1, 2),
            ("accepted", 4, None, None),
            ("accepted", 2, None, None),
        ]
        heads = await connection.fetch("SELECT game, version FROM tabularium.heads ORDER BY game")
        assert dict(heads) == {"begins": 2, "conflict": 1, "ends": 4, "repeated": 3, "reused": 2}
        log = await connection.fetch("SELECT game, count(*) FROM tabularium.log GROUP BY game")
        assert dict(log) == dict(heads)
        assert await connection.fetchval("SELECT sum(position) FROM tabularium.books") == before + 5
        assert await connection.fetchval("SELECT count(*) FROM tabularium.keys") == 3
        assert await connection.fetchval("SELECT count(*) FROM tabularium.secrets") == 1
        assert await connection.fetchval("SELECT array_agg(player) FROM tabularium.seated") == [ANNA]


@pytest.mark.parametrize("stream", ["g1", "a\\b", "\\x41", "\\", "ναί", "it's"])
async def test_sql_finds_the_book_of_any_stream_without_a_call(url: str, stream: str) -> None:
    """A call would be parsed and planned in each statement. The expression of the function stands in its place."""
    async with connected(url) as connection:
        assert await connection.fetchval("SELECT tabularium.book_of($1)", stream) == book_of(GameId(stream))
        plan = await connection.fetch("EXPLAIN VERBOSE SELECT tabularium.book_of(game) FROM tabularium.heads")
        assert "sha256" in str(plan)
        assert "book_of" not in str(plan)
