"""What every store does with games that other services recorded. Each test runs against every adapter."""

import asyncio

import pytest
from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from service.store.accounts import LimitReached, PlayerRow
from service.store.imports import ImportId, ImportRow, ImportStore
from service.store.protocol import EventStore

ANNA, BERT = map(PlayerId, ("pAnna", "pBert"))
NOON = "2026-11-30T12:00:00.000000Z"
MOST = 3


@pytest.fixture
async def imports(store: EventStore) -> ImportStore:
    for player in (ANNA, BERT):
        await store.accounts.add(PlayerRow(player, player, NOON))
    return store.imports


def row(name: str = "x1", player: PlayerId = ANNA, ruleset: str = "italia-1") -> ImportRow:
    return ImportRow(ImportId(name), player, NOON, ruleset, "{}", "", "", 7)


async def test_an_import_is_kept_once_for_the_account_that_brings_it_first(imports: ImportStore) -> None:
    tries = [imports.add(row(player=player), player.encode(), MOST) for player in (ANNA, BERT) * 3]
    (kept,) = {*await asyncio.gather(*tries)}
    assert kept in (row(player=ANNA), row(player=BERT))
    assert await imports.get(kept.import_id) == kept
    assert await imports.content(kept.import_id) == kept.player.encode()
    await imports.remove(kept.import_id)
    await imports.remove(kept.import_id)
    assert (await imports.get(kept.import_id), await imports.content(kept.import_id)) == (None, None)
    assert await imports.add(row(player=BERT), b"again", MOST) == row(player=BERT)


async def test_the_newest_come_first_and_are_filtered(imports: ImportStore) -> None:
    for name, player, ruleset in (("x1", ANNA, "italia-1"), ("x2", BERT, "italia-1"), ("x3", ANNA, "mare-nostrum")):
        await imports.add(row(name, player, ruleset), b"", MOST)
    found = {
        "all": await imports.list(limit=10),
        "page": await imports.list(limit=1),
        "next": await imports.list(after=ImportId("x3"), limit=10),
        "anna": await imports.list(player=ANNA, limit=10),
        "italia": await imports.list(ruleset="italia-1", after=ImportId("x2"), limit=10),
    }
    assert {name: [each.import_id for each in rows] for name, rows in found.items()} == {
        "all": ["x3", "x2", "x1"],
        "page": ["x3"],
        "next": ["x2", "x1"],
        "anna": ["x3", "x1"],
        "italia": ["x1"],
    }


async def test_an_account_has_so_many_at_most(imports: ImportStore) -> None:
    for number in range(MOST):
        await imports.add(row(f"x{number}"), b"", MOST)
    for name in ("x8", "x9"):
        with pytest.raises(LimitReached):
            await imports.add(row(name), b"", MOST)
    assert await imports.add(row("x1"), b"", MOST) == row("x1"), "it is there already"
    assert await imports.add(row("x8", BERT), b"", MOST) == row("x8", BERT)


async def test_what_an_account_imported_goes_with_it(store: EventStore, imports: ImportStore) -> None:
    await imports.add(row("x1"), b"", MOST)
    await imports.add(replace(row("x2"), player=BERT), b"", MOST)
    await store.accounts.close(ANNA, NOON, "a closed account")
    assert [each.import_id for each in await imports.list(limit=10)] == ["x2"]
    with pytest.raises(LimitReached):  # a request that came just before
        await imports.add(row("x3"), b"", MOST)
