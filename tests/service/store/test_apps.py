"""What every store does with apps that sign somebody in. Each test runs against every adapter."""

import asyncio

import pytest
from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from service.store.accounts import LimitReached, PlayerRow, TokenId, TokenRow
from service.store.apps import AccessRow, AppId, AppRow, AppStore, ClientId, ClientRow, CodeRow, SignInRow
from service.store.protocol import EventStore

ANNA, BERT = map(PlayerId, ("pAnna", "pBert"))
NOON, SOON, LATER, MUCH_LATER = (f"2026-11-20T{hour}:00.000000Z" for hour in ("12:00", "12:01", "13:00", "14:00"))
NEVER = "2027-02-20T12:00:00.000000Z"
CLIENT, SITE = ClientId("Board Room"), "https://boards.example.org"


@pytest.fixture
async def apps(store: EventStore) -> AppStore:
    for player in (ANNA, BERT):
        await store.accounts.add(PlayerRow(player, player, NOON))
    return store.apps


def code(name: str = "code", **changes: object) -> CodeRow:
    row = CodeRow(name.encode(), CLIENT, SITE, CLIENT, ("play",), SOON, "https://boards.example.org/back", "challenge")
    return replace(row, **{"player": ANNA, "allowed": True, **changes})


def sign_in(name: str = "a1", player: PlayerId = ANNA) -> SignInRow:
    token = TokenRow(TokenId(name), player, CLIENT, ("play",), NOON, NEVER)
    return SignInRow(token, CLIENT, SITE, f"refresh of {name}".encode())


def access(name: str = "a1", number: int = 1, ends: str = LATER) -> AccessRow:
    return AccessRow(f"access {number} of {name}".encode(), TokenId(name), ("play",), ends)


async def signed_in(apps: AppStore, name: str = "a1", player: PlayerId = ANNA) -> SignInRow:
    row = sign_in(name, player)
    await apps.add_code(code(name, player=player), NOON)
    assert await apps.redeem(name.encode(), row, f"secret of {name}".encode(), access(name)) == name
    return row


async def test_a_code_gives_one_sign_in_however_many_come_at_once(apps: AppStore) -> None:
    assert await apps.add_code(code(), NOON)
    assert await apps.code(b"code") == code()
    names = [f"a{number}" for number in range(5)]
    given = await asyncio.gather(
        *(apps.redeem(b"code", sign_in(name), f"secret of {name}".encode(), access(name)) for name in names)
    )
    (first,) = {*given}
    found = [await apps.sign_in(f"secret of {name}".encode()) for name in names]
    assert [row.token.token for row in found if row is not None] == [first]
    assert await apps.code(b"code") == code(token=first)


async def test_used_codes_stay_for_a_while(apps: AppStore) -> None:
    await apps.add_code(code("one"), NOON)
    await apps.add_code(code("two", ends=LATER), SOON)
    assert await apps.code(b"one") is not None
    await apps.add_code(code("three", ends=LATER), LATER)
    assert [await apps.code(name) is not None for name in (b"one", b"two", b"three")] == [False, True, True]


async def test_a_device_is_let_in_once_and_waits_as_long_as_it_is_told(apps: AppStore) -> None:
    device = code("device", user_code="BCDFGHJK", player=PlayerId(""), allowed=False, pause=5)
    assert await apps.add_code(device, NOON)
    assert not await apps.add_code(replace(device, hash=b"other"), NOON), "its user code is taken"
    assert await apps.device("BCDFGHJK") == device
    assert await apps.device("BCDFGHJL") is None
    await apps.poll(b"device", SOON, 10)
    assert await apps.code(b"device") == replace(device, polled=SOON, pause=10)
    decided = replace(device, player=ANNA, allowed=True, scopes=())
    assert await apps.decide(decided)
    assert await apps.decide(decided), "what is written twice is the same"
    assert not await apps.decide(replace(decided, player=BERT))
    assert not await apps.decide(replace(decided, allowed=False))
    assert await apps.code(b"device") == replace(decided, polled=SOON, pause=10)


async def test_a_refresh_token_is_replaced_once(apps: AppStore, store: EventStore) -> None:
    row = await signed_in(apps)
    assert await apps.sign_in(b"secret of a1") == row
    second = replace(row, refresh=b"second")
    taken = await asyncio.gather(
        *(apps.refresh(row, f"second {n}".encode(), access(number=n, ends=MUCH_LATER), NEVER) for n in (2, 3, 4))
    )
    assert sorted(taken) == [False, False, True]
    now = await apps.sign_in(b"secret of a1")
    assert now is not None
    assert now.refresh in (b"second 2", b"second 3", b"second 4")
    number = taken.index(True) + 2
    assert await apps.refresh(row, f"second {number}".encode(), access(number=number, ends=MUCH_LATER), NEVER)
    assert await apps.refresh(now, b"third", access(number=5, ends=NEVER), NEVER)
    held = [await apps.by_access(access(number=each).hash) is not None for each in (1, number, 5)]
    assert held == [False, True, True], "the last but one has ended"
    await store.accounts.revoke(row.token.token, NOON)
    assert not await apps.refresh(replace(second, refresh=b"third"), b"fourth", access(number=6), NEVER)


async def test_an_access_token_leads_to_its_sign_in_and_its_account(apps: AppStore) -> None:
    row = await signed_in(apps)
    found = await apps.by_access(access().hash)
    assert found is not None
    assert (found[0], found[1], found[2].player) == (access(), row.token, ANNA)
    assert await apps.of_access(access().hash) == (access(), row)
    assert await apps.by_access(b"other") is None
    assert await apps.of_access(b"other") is None


async def test_an_account_lets_apps_in_and_shuts_them_out(apps: AppStore, store: EventStore) -> None:
    row = AppRow(AppId("o1"), ANNA, CLIENT, SITE, CLIENT, ("play",), NOON)
    assert await apps.let_in(row) == row
    again = await apps.let_in(replace(row, app=AppId("o2"), scopes=("play", "notify"), given=SOON))
    assert (again.app, again.scopes, again.given) == ("o1", ("play", "notify"), SOON)
    await apps.let_in(replace(row, app=AppId("o3"), player=BERT))
    await signed_in(apps, "a1")
    await signed_in(apps, "a2")
    await signed_in(apps, "a3", BERT)
    await store.accounts.used([TokenId("a1")], SOON)
    (listed,) = await apps.apps(ANNA, NOON)
    assert (listed.sign_ins, listed.used) == (2, SOON)
    assert (await apps.apps(ANNA, NEVER))[0].sign_ins == 0, "they have ended by themselves"
    assert await apps.sign_ins(ANNA, CLIENT, SITE) == ["a2", "a1"]
    await apps.note_reuse(sign_in("a1"), LATER)
    (listed,) = await apps.apps(ANNA, NOON)
    assert (listed.sign_ins, listed.reused) == (1, LATER)
    await apps.shut_out(BERT, AppId("o1"), LATER)
    assert len(await apps.apps(ANNA, NOON)) == 1, "it is not theirs"
    await apps.shut_out(ANNA, AppId("o1"), LATER)
    assert await apps.apps(ANNA, NOON) == []
    revoked = [(await store.accounts.token(TokenId(name))) for name in ("a1", "a2", "a3")]
    assert [row is not None and row.revoked for row in revoked] == [LATER, LATER, None]


async def test_registered_apps_are_kept_once_within_a_limit_and_go_with_all_they_have(
    apps: AppStore, store: EventStore
) -> None:
    row = ClientRow(ClientId("app_1"), BERT, "Bert's", ("https://a.example/", "https://b.example/"), NOON, b"hash")
    keyed = replace(row, key="key", fingerprint=b"f", nonce=b"n")
    assert await apps.register(keyed, 2) == keyed
    assert await apps.register(replace(keyed, client=ClientId("app_2")), 2) == keyed
    second = replace(row, client=ClientId("app_2"), created=SOON)
    assert await apps.register(second, 2) == second
    with pytest.raises(LimitReached):
        await apps.register(replace(row, client=ClientId("app_3")), 2)
    assert [each.client for each in await apps.clients(BERT)] == ["app_2", "app_1"]
    assert await apps.client(ClientId("app_1")) == keyed
    await apps.add_code(code(client=row.client), NOON)
    await apps.let_in(AppRow(AppId("o1"), ANNA, row.client, SITE, row.name, ("play",), NOON))
    await apps.redeem(b"code", replace(sign_in(), client=row.client), b"secret", access())
    await apps.unregister(row.client, LATER)
    assert (await apps.client(row.client), await apps.apps(ANNA, NOON), await apps.code(b"code")) == (None, [], None)
    token = await store.accounts.token(TokenId("a1"))
    assert token is not None
    assert token.revoked == LATER
    await store.accounts.close(BERT, LATER, "Somebody")
    assert await apps.clients(BERT) == []
