"""Streams of tournaments in the stores: beside those of games, with an index and a seed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.ids import PlayerId, TournamentId
from domain.kernel.log.record import first_broken
from service.store.accounts import LimitReached
from service.store.protocol import Added, Append, Conflict, EventStore, TournamentRow, Within
from tests.service.store.adapters import INDEXED, Adapter, Open
from tests.service.store.batches import ANNA, AT, BERT, new_game, records, use

T, U, V = TournamentId("t1"), TournamentId("t2"), TournamentId("t3")
SEED = bytes(range(32))


@pytest.fixture(params=INDEXED.values(), ids=list(INDEXED))
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    adapter: Adapter = request.param
    async with adapter(tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def store(data: Open) -> EventStore:
    return await data()


def row(tournament: TournamentId = T, version: int = 1, **more: Any) -> TournamentRow:
    first = TournamentRow(tournament, "Κύπελλο", "tiny", "open", ANNA, 0, 0, version, AT, AT)
    return replace(first, **more)


def announced(tournament: TournamentId = T, *, within: Within | None = None, key: Any = None, **more: Any) -> Append:
    shown = row(tournament, **more)
    return Append(
        tournament, 0, records(tournament, 0), shown.status, key=key, tournament=shown, seed=SEED, within=within
    )


def went_on(tournament: TournamentId = T, after: int = 1, key: Any = None, **more: Any) -> Append:
    shown = row(tournament, after + 1, **more)
    return Append(tournament, after, records(tournament, after), shown.status, key=key, tournament=shown)


async def test_stream_index_and_seed_come_together(store: EventStore) -> None:
    assert await store.tournament(T) is None
    assert await store.seed(T) is None
    await store.append(announced())
    assert await store.tournament(T) == row()
    assert await store.seed(T) == SEED
    assert first_broken(T, await store.read(T)) is None
    assert await store.head(T) == 1
    assert await store.heads([T, U]) == {T: 1}
    assert await store.events() == 1


async def test_what_happens_changes_the_index_but_not_title_and_seed(store: EventStore) -> None:
    await store.append(announced())
    await store.append(went_on(title="Another", status="running", entrants=7, rounds=1, changed="later"))
    assert await store.tournament(T) == row(version=2, status="running", entrants=7, rounds=1, changed="later")
    assert await store.seed(T) == SEED
    assert await store.head(T) == 2


async def test_a_version_is_added_once(store: EventStore) -> None:
    await store.append(announced())
    with pytest.raises(Conflict) as conflict:
        await store.append(announced())
    assert conflict.value.head == 1
    await store.append(went_on())
    with pytest.raises(Conflict) as conflict:
        await store.append(went_on())
    assert conflict.value.head == 2
    assert len(await store.read(T)) == 2


async def test_a_key_is_used_once(store: EventStore) -> None:
    first = await store.append(announced(key=use("k")))
    again = await store.append(announced(key=use("k")))
    assert (first.repeated, again.repeated) == (None, Added(0, 1))


async def test_lists_are_the_newest_first_in_pages(store: EventStore) -> None:
    for at, tournament in enumerate((T, U, V)):
        created = AT.replace("06:25", f"06:2{5 + at}")
        await store.append(announced(tournament, created=created, ruleset="tiny" if at else "other"))
    await store.append(went_on(U, status="running"))
    assert [each.tournament for each in await store.tournaments()] == [V, U, T]
    assert [each.tournament for each in await store.tournaments(limit=1)] == [V]
    assert [each.tournament for each in await store.tournaments(after=V, limit=1)] == [U]
    assert [each.tournament for each in await store.tournaments(status="running")] == [U]
    assert [each.tournament for each in await store.tournaments(ruleset="tiny", after=V)] == [U]
    assert await store.tournaments(organizer=BERT) == []


async def test_an_account_has_only_so_many(store: EventStore) -> None:
    within = Within("tournaments", (ANNA,), 1)
    await store.append(announced(within=within))
    with pytest.raises(LimitReached):
        await store.append(announced(U, within=within))
    assert await store.tournament(U) is None
    assert await store.head(U) == 0
    assert await store.seed(U) is None
    await store.append(announced(V, organizer=PlayerId("pcarl"), within=Within("tournaments", ("pcarl",), 1)))
    await store.append(went_on(status="closed"))
    await store.append(announced(U, within=within))
    assert await store.count(within) == 1


async def test_the_log_and_the_tree_have_them_beside_games(store: EventStore) -> None:
    await store.append(new_game("g1"))
    await store.append(announced())
    rows, _ = await store.read_all()
    assert sorted((stream, record.version) for stream, record in rows) == [("g1", 1), (T, 1)]
    start = type(await store.end()).start(store.books)
    assert {head.stream: head.status for head in await store.tree.moved(start, await store.end())} == {
        "g1": "gathering",
        T: "open",
    }


async def test_a_seed_belongs_to_a_new_tournament(store: EventStore) -> None:
    with pytest.raises(ValueError, match="a new tournament has a seed"):
        await store.append(replace(announced(), seed=None))
    await store.append(announced())
    with pytest.raises(ValueError, match="a new tournament has a seed"):
        await store.append(replace(went_on(), seed=SEED))
    with pytest.raises(ValueError, match="the index would have tournament t2"):
        await store.append(replace(went_on(), tournament=row(U, 2)))
