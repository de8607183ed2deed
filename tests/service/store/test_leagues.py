"""Streams of leagues in the stores: beside those of games and tournaments, with an index."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.ids import LeagueId, PlayerId
from service.store.accounts import LimitReached
from service.store.protocol import Added, Append, Conflict, EventStore, LeagueRow, Within
from tests.service.store.batches import ANNA, AT, new_game, records, use
from tests.service.store.test_tournaments import data, store

__all__ = ("data", "store")

L, M = LeagueId("l1"), LeagueId("l2")


def row(league: LeagueId = L, version: int = 1, **more: Any) -> LeagueRow:
    return replace(LeagueRow(league, "Λίγκα", "resting", ANNA, 2, 0, version, AT, AT), **more)


def founded(league: LeagueId = L, *, within: Within | None = None, key: Any = None, **more: Any) -> Append:
    shown = row(league, **more)
    return Append(league, 0, records(league, 0), shown.status, key=key, league=shown, within=within)


async def test_stream_and_index_come_together_and_go_on_together(store: EventStore) -> None:
    assert await store.league(L) is None
    await store.append(founded())
    with pytest.raises(Conflict) as conflict:
        await store.append(founded())
    assert conflict.value.head == 1
    later = row(L, 2, title="Another", status="running", seasons=1, changed="later")
    await store.append(Append(L, 1, records(L, 1), "running", league=later))
    assert await store.league(L) == replace(later, title="Λίγκα")
    assert len(await store.read(L)) == 2
    assert await store.heads([L, M]) == {L: 2}
    with pytest.raises(ValueError, match="the index would have league l2"):
        await store.append(replace(founded(), league=row(M)))


async def test_a_key_is_used_once_and_an_account_has_only_so_many(store: EventStore) -> None:
    within = Within("leagues", (ANNA,), 1)
    await store.append(founded(key=use("k"), within=within))
    assert (await store.append(founded(key=use("k"), within=within))).repeated == Added(0, 1)
    with pytest.raises(LimitReached):
        await store.append(founded(M, within=within))
    assert (await store.league(M), await store.head(M)) == (None, 0)
    assert await store.count(within) == 1


async def test_lists_and_the_tree_have_them_beside_games(store: EventStore) -> None:
    await store.append(new_game("g1"))
    for at, league in enumerate((L, M)):
        organizer = ANNA if at else PlayerId("pcarl")
        await store.append(founded(league, organizer=organizer, created=AT.replace("06:25", f"06:2{5 + at}")))
    assert [each.league for each in await store.leagues()] == [M, L]
    assert [each.league for each in await store.leagues(after=M, limit=1)] == [L]
    assert [each.league for each in await store.leagues(organizer=ANNA)] == [M]
    start = type(await store.end()).start(store.books)
    moved = {head.stream: head.status for head in await store.tree.moved(start, await store.end())}
    assert moved == {"g1": "gathering", L: "resting", M: "resting"}
