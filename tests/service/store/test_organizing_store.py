"""Consents to be seated, and games that were requested together, in each store."""

import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId
from service.store.accounts import LimitReached, PlayerRow
from service.store.organizing import NEVER, BulkGameRow, BulkId, BulkRow, BulkStatus, OrganizingStore
from service.store.protocol import EventStore, KeyReused

ANNA, BERT, CARL = map(PlayerId, ("pAnna", "pBert", "pCarl"))
DAY_BEFORE, NOON, LATER = "2026-11-19T12:00:00.000000Z", "2026-11-20T12:00:00.000000Z", "2026-11-20T13:00:00.000000Z"
BULK = BulkId("b1")


def games(number: int, bulk: BulkId = BULK) -> list[BulkGameRow]:
    return [BulkGameRow(bulk, each, "{}", f"Table {each}", LATER) for each in range(1, number + 1)]


def bulk(number: int = 3, name: str = "b1", created: str = NOON) -> BulkRow:
    return BulkRow(BulkId(name), ANNA, created, number)


@pytest.fixture
async def kept(store: EventStore) -> OrganizingStore:
    for player in (ANNA, BERT, CARL):
        await store.accounts.add(PlayerRow(player, player, NOON))
    return store.organizing


async def test_an_account_says_who_may_seat_it(kept: OrganizingStore, store: EventStore) -> None:
    first = await kept.consent(BERT, ANNA, NOON, 2)
    assert await kept.consent(BERT, ANNA, LATER, 2) == first, "which changes nothing"
    await kept.consent(BERT, CARL, LATER, 2)
    assert [row.organizer for row in await kept.consents(BERT)] == [CARL, ANNA]
    with pytest.raises(LimitReached):
        await kept.consent(BERT, BERT, LATER, 2)
    assert await kept.consenting(ANNA, [BERT, CARL]) == {BERT}
    assert await kept.consenting(ANNA, []) == set()
    await kept.withdraw(BERT, ANNA)
    assert await kept.consenting(ANNA, [BERT]) == set()
    await kept.consent(CARL, BERT, NOON, 2)
    await store.accounts.close(BERT, LATER, "Somebody")
    assert await kept.consents(BERT) == await kept.consents(CARL) == []


async def test_a_bulk_is_kept_once_under_its_key_and_within_the_limit_of_a_day(kept: OrganizingStore) -> None:
    row = bulk()
    assert await kept.add(row, games(3), "key", b"1", DAY_BEFORE, 5) == row
    assert await kept.add(bulk(name="b2"), games(3, BulkId("b2")), "key", b"1", DAY_BEFORE, 5) == row
    assert (await kept.bulk(BulkId("b2")), await kept.games(BulkId("b2"))) == (None, [])
    with pytest.raises(KeyReused):
        await kept.add(bulk(name="b2"), games(3, BulkId("b2")), "key", b"2", DAY_BEFORE, 5)
    with pytest.raises(KeyReused):
        await kept.bulk_of_key("key", b"2")
    assert (await kept.bulk_of_key("key", b"1"), await kept.bulk_of_key("other", b"1")) == (row, None)
    with pytest.raises(LimitReached):
        await kept.add(bulk(name="b3"), games(3, BulkId("b3")), "", b"", DAY_BEFORE, 5)
    assert await kept.bulk(BulkId("b3")) is None
    await kept.add(bulk(2, "b4"), games(2, BulkId("b4")), "", b"", DAY_BEFORE, 5)
    await kept.add(bulk(name="b5"), games(3, BulkId("b5")), "", b"", NOON, 5)
    assert len(await kept.games(BulkId("b5"))) == 3


async def test_what_became_of_a_game_is_kept_and_nothing_after_its_end(kept: OrganizingStore) -> None:
    await kept.add(bulk(), games(3), "", b"", DAY_BEFORE, 100)
    first, second, third = (row for row, _ in await kept.due_games(NOON, 10))
    assert await kept.any()
    await kept.record(replace(second, status="open", game=GameId("g2"), due=LATER))
    await kept.record(replace(first, status="failed", why="for a reason", due=NEVER))
    await kept.record(replace(first, status="open", game=GameId("g1"), due=LATER))
    changed = await kept.games(BULK, 1)
    assert [(row.number, row.status, row.why, row.changed) for row in changed] == [(1, "failed", "for a reason", 2)]
    assert [row.number for row in await kept.games(BULK)] == [3, 2, 1]
    assert [row.number for row, _ in await kept.due_games(NOON, 10)] == [3]
    assert [row.number for row, _ in await kept.due_games(LATER, 10)] == [3, 2]
    await kept.postpone(second, NEVER)
    await kept.record(replace(third, status="open", game=GameId("g3"), due=NEVER))
    assert (await kept.due_games(LATER, 10), await kept.any()) == ([], False)


@pytest.mark.parametrize("status", ["open", "waiting"])
async def test_what_has_not_ended_is_due_at_once_when_its_bulk_is_cancelled(
    kept: OrganizingStore, status: BulkStatus
) -> None:
    await kept.add(bulk(), games(3), "", b"", DAY_BEFORE, 100)
    first, second, third = (row for row, _ in await kept.due_games(NOON, 10))
    await kept.record(replace(first, status="started", due=NEVER))
    await kept.record(replace(second, status=status, due=NEVER))
    await kept.cancel(BULK, LATER)
    await kept.cancel(BULK, NEVER)
    await kept.record(replace(third, status="open", due=NEVER))  # which was under way meanwhile
    found = await kept.due_games(NOON, 10)
    assert [(row.number, of.cancelled) for row, of in found] == [(2, LATER), (3, LATER)]
    await kept.postpone(second, NEVER)
    assert [row.number for row, _ in await kept.due_games(NOON, 10)] == [2, 3]


async def test_old_bulks_are_forgotten_with_their_games(kept: OrganizingStore) -> None:
    await kept.add(bulk(1), games(1), "", b"", DAY_BEFORE, 100)
    await kept.add(bulk(1, "b2", LATER), games(1, BulkId("b2")), "", b"", DAY_BEFORE, 100)
    assert [await kept.forget(LATER, 10) for _ in range(2)] == [1, 0]
    assert (await kept.bulk(BULK), await kept.games(BULK)) == (None, [])
    assert len(await kept.games(BulkId("b2"))) == 1
