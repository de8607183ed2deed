"""What every store does with accounts and tokens. Each test runs against every adapter."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.kernel.ids import CaseId, GameId, PlayerId
from service.base.scopes import Scope
from service.store.accounts import (
    AccountStore,
    InvitationId,
    InvitationRow,
    Made,
    PasskeyId,
    PasskeyRow,
    PlayerRow,
    TokenId,
    TokenRow,
)
from tests.service.store.adapters import ADAPTERS, Adapter, Open
from tests.service.store.batches import ANNA, BERT, new_game

EARLY, NOON, LATE = (f"2026-11-21T{hour}:00:00.000000Z" for hour in ("06", "12", "18"))
ISSUER = "https://issuer.example"


@pytest.fixture(params=ADAPTERS.values(), ids=list(ADAPTERS))
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    adapter: Adapter = request.param
    async with adapter(tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def accounts(data: Open) -> AccountStore:
    accounts = (await data()).accounts
    await accounts.add(PlayerRow(ANNA, "Änna", EARLY))
    return accounts


def token(name: str, player: PlayerId = ANNA, *scopes: Scope, expires: str | None = None) -> TokenRow:
    return TokenRow(TokenId(f"t{name}"), player, name, scopes or ("play",), EARLY, expires)


async def test_an_account_is_found_by_its_id_and_by_its_tokens(accounts: AccountStore) -> None:
    anna = PlayerRow(ANNA, "Änna", EARLY)
    await accounts.add_token(token("one"), b"hash 1")
    await accounts.add_token(token("two", ANNA, "play", "organize", expires=LATE), b"hash 2")
    assert await accounts.player(ANNA) == anna
    assert await accounts.by_digest(b"hash 1") == (token("one"), anna)
    assert await accounts.by_digest(b"hash 2") == (token("two", ANNA, "play", "organize", expires=LATE), anna)
    assert await accounts.token(TokenId("ttwo")) == token("two", ANNA, "play", "organize", expires=LATE)
    assert await accounts.player(BERT) is None
    assert await accounts.by_digest(b"other") is None
    assert await accounts.token(TokenId("tother")) is None


async def test_accounts_are_named_at_once(accounts: AccountStore) -> None:
    assert {row.player for row in await accounts.by_ids({ANNA, PlayerId("pnobody")})} == {ANNA}
    assert await accounts.by_ids(set()) == []


async def test_what_no_id_can_be_is_not_found(accounts: AccountStore) -> None:
    assert await accounts.player(PlayerId("p\0")) is None
    assert await accounts.token(TokenId("t\0")) is None
    assert await accounts.tokens(PlayerId("p\0"), EARLY) == []
    assert await accounts.by_identity(ISSUER, "\0") is None
    assert await accounts.players(None, PlayerId("z\0"), 10) == []


async def test_accounts_are_listed_by_id_and_by_what_they_may_do(accounts: AccountStore) -> None:
    for number in range(5):
        await accounts.add(PlayerRow(PlayerId(f"px{number}"), f"{number}", EARLY))
    await accounts.grant(PlayerId("px3"), ("play", "audit"))
    listed = await accounts.players(None, PlayerId(""), 4)
    assert [row.player for row in listed] == [ANNA, "px0", "px1", "px2"]
    assert [row.player for row in await accounts.players(None, listed[-1].player, 4)] == ["px3", "px4"]
    assert [row.player for row in await accounts.players("audit", PlayerId(""), 4)] == ["px3"]
    assert await accounts.players("admin", PlayerId(""), 4) == []


async def test_what_was_granted_is_kept(data: Open, accounts: AccountStore) -> None:
    await accounts.grant(ANNA, ("admin",))
    await accounts.grant(BERT, ("admin",))
    again = (await data()).accounts
    assert await again.player(ANNA) == PlayerRow(ANNA, "Änna", EARLY, ("admin",))
    assert await again.player(BERT) is None


async def test_tokens_are_listed_until_they_end(accounts: AccountStore) -> None:
    for row in (token("one"), token("two", expires=NOON), token("three"), token("his", BERT)):
        if row.player == BERT:
            await accounts.add(PlayerRow(BERT, "Bert", EARLY))
        await accounts.add_token(row, row.name.encode())

    async def listed(now: str) -> list[str]:
        return [row.name for row in await accounts.tokens(ANNA, now)]

    assert await listed(EARLY) == ["three", "two", "one"]
    assert await listed(NOON) == ["three", "one"]
    await accounts.revoke(TokenId("tone"), NOON)
    assert await listed(NOON) == ["three"]
    await accounts.revoke(TokenId("tone"), LATE)
    revoked = await accounts.token(TokenId("tone"))
    assert revoked == replace(token("one"), revoked=NOON)
    first = await accounts.all_tokens(ANNA, None, 2)
    assert [row.name for row in first] == ["three", "two"]
    assert await accounts.all_tokens(ANNA, first[-1].token, 2) == [revoked], "also those that have ended"


async def test_a_token_is_replaced_once_it_is_not_ended(accounts: AccountStore) -> None:
    await accounts.add_token(token("old"), b"old")
    new = replace(token("new"), created=NOON)
    assert await accounts.replace_token(TokenId("told"), LATE, new, b"new")
    old = await accounts.token(TokenId("told"))
    assert old is not None
    assert (old.expires, old.retires, old.revoked, old.ends) == (None, LATE, None, LATE)
    assert await accounts.by_digest(b"new") is not None

    assert not await accounts.replace_token(TokenId("told"), "9999", replace(token("third"), created=NOON), b"third")
    assert await accounts.token(TokenId("tthird")) is None, "a token is replaced once"
    again = await accounts.token(TokenId("told"))
    assert again is not None
    assert again.retires == LATE, "it ends no later than was said first"

    assert not await accounts.replace_token(TokenId("told"), LATE, replace(token("more"), created=LATE), b"more")
    assert await accounts.by_digest(b"more") is None
    await accounts.revoke(TokenId("tnew"), NOON)
    assert not await accounts.replace_token(TokenId("tnew"), LATE, replace(token("more"), created=NOON), b"more")
    assert not await accounts.replace_token(TokenId("tgone"), LATE, replace(token("more"), created=NOON), b"more")


async def test_closing_an_account_ends_whatever_signs_in_to_it(accounts: AccountStore) -> None:
    await accounts.add(PlayerRow(BERT, "Bert", EARLY))
    await accounts.describe(ANNA, None, True)
    await accounts.add_passkey(PasskeyRow(PasskeyId("k1"), ANNA, b"key", b"", 0, "phone", EARLY))
    await accounts.replace_codes(ANNA, [b"code"], EARLY)
    for player in (ANNA, BERT):
        await accounts.mark_read(player, {GameId("game"): 3})
        await accounts.set_inbox(player, "{}")
    for row in (token("one"), token("his", BERT)):
        await accounts.add_token(row, row.name.encode())
    await accounts.close(ANNA, NOON, "Former player")
    await accounts.close(ANNA, LATE, "Former player")
    anna, bert = await accounts.player(ANNA), await accounts.player(BERT)
    assert anna is not None
    assert bert is not None
    assert (anna.closed, bert.closed) == (NOON, None)
    assert (anna.name, anna.findable, bert.name) == ("Former player", False, "Bert")
    assert (await accounts.passkeys(ANNA), await accounts.codes(ANNA)) == ([], 0)
    await accounts.mark_read(ANNA, {GameId("game"): 4})
    await accounts.set_inbox(ANNA, "{}")
    assert (await accounts.read_marks(ANNA), await accounts.inbox_settings(ANNA)) == ({}, None)
    assert (await accounts.read_marks(BERT), await accounts.inbox_settings(BERT)) == ({"game": 3}, "{}")
    assert await accounts.tokens(ANNA, EARLY) == []
    assert len(await accounts.tokens(BERT, EARLY)) == 1
    assert {each.name for each in await accounts.all_tokens(ANNA, None, 9)} == {""}
    assert "his" in {each.name for each in await accounts.all_tokens(BERT, None, 9)}


async def test_what_an_account_has_read_never_goes_back(accounts: AccountStore) -> None:
    game, case = GameId("game"), CaseId("case")
    assert (await accounts.read_marks(ANNA), await accounts.inbox_settings(ANNA)) == ({}, None)
    await accounts.mark_read(ANNA, {})
    await accounts.mark_read(ANNA, {game: 7, case: 1})
    await accounts.mark_read(ANNA, {game: 5, case: 2})
    assert await accounts.read_marks(ANNA) == {game: 7, case: 2}
    assert await accounts.read_marks(ANNA, "", 1) == {case: 2}
    assert await accounts.read_marks(ANNA, case, 2) == {game: 7}
    assert await accounts.read_marks(BERT) == {}
    for settings in ('{"off":[]}', '{"off":["ruled"]}'):
        await accounts.set_inbox(ANNA, settings)
        assert await accounts.inbox_settings(ANNA) == settings


async def test_when_tokens_were_used_is_noted(accounts: AccountStore) -> None:
    for row in (token("one"), token("two")):
        await accounts.add_token(row, row.name.encode())
    await accounts.used([TokenId("tone"), TokenId("tgone")], NOON)
    assert [row.used for row in await accounts.tokens(ANNA, EARLY)] == [None, NOON]


async def test_whom_another_issuer_knows_has_one_account_whoever_asks_first(data: Open, accounts: AccountStore) -> None:
    other = (await data()).accounts
    rows = [PlayerRow(PlayerId(f"p{number}"), "Livia", EARLY) for number in range(8)]
    found = await asyncio.gather(
        *((accounts, other)[number % 2].add_known(row, ISSUER, "livia") for number, row in enumerate(rows))
    )
    assert len({row.player for row in found}) == 1
    assert await accounts.by_identity(ISSUER, "livia") == found[0]
    assert len(await accounts.players(None, PlayerId(""), 100)) == 2
    assert await accounts.by_identity("https://another.example", "livia") is None
    assert (
        await accounts.add_known(PlayerRow(PlayerId("pother"), "Livia", EARLY), "https://another.example", "livia")
    ).player != found[0].player


# --- under idempotency keys ---


def made(key: str, token: str, at: str = EARLY, fingerprint: bytes = b"f") -> Made:
    return Made(key, fingerprint, b"nonce of " + token.encode(), TokenId(f"t{token}"), at)


async def test_a_key_makes_one_token_and_tells_what_it_made(accounts: AccountStore) -> None:
    first = made("k", "one")
    assert await accounts.made_by_key("k") is None
    assert await accounts.add_token(token("one"), b"hash 1", first) is None
    assert await accounts.add_token(token("two"), b"hash 2", made("k", "two", fingerprint=b"other")) == first
    assert await accounts.made_by_key("k") == first
    assert await accounts.token(TokenId("ttwo")) is None


async def test_a_key_opens_one_account(accounts: AccountStore) -> None:
    first, bert = made("k", "one"), PlayerRow(BERT, "Bert", EARLY)
    assert await accounts.open_account(bert, token("one", BERT), b"hash 1", first) is None
    other = PlayerRow(PlayerId("pother"), "Bert", NOON)
    assert await accounts.open_account(other, token("two", other.player), b"hash 2", made("k", "two")) == first
    assert await accounts.player(BERT) == bert
    assert await accounts.player(other.player) is None
    assert await accounts.by_digest(b"hash 2") is None


async def test_a_replacement_is_kept_with_its_key(accounts: AccountStore) -> None:
    await accounts.add_token(token("old"), b"hash 1")
    first = made("k", "new")
    assert await accounts.replace_token(TokenId("told"), LATE, token("new"), b"hash 2", first)
    assert not await accounts.replace_token(TokenId("told"), LATE, token("newer"), b"hash 3", made("k2", "newer"))
    assert (await accounts.made_by_key("k"), await accounts.made_by_key("k2")) == (first, None)


async def test_what_keys_made_is_forgotten_the_oldest_first(accounts: AccountStore) -> None:
    for number, at in enumerate((EARLY, NOON, LATE)):
        row = replace(token(f"{number}"), created=at)
        await accounts.add_token(row, f"hash {number}".encode(), made(f"k{number}", f"{number}", at))
    assert await accounts.forget_made(EARLY, 10) == 0
    assert await accounts.forget_made(LATE, 1) == 1
    assert [await accounts.made_by_key(f"k{number}") is None for number in range(3)] == [True, False, False]
    assert await accounts.forget_made(LATE, 10) == 1
    assert [await accounts.made_by_key(f"k{number}") is None for number in range(3)] == [True, True, False]
    assert len(await accounts.tokens(ANNA, EARLY)) == 3


async def test_bots_are_accounts_with_a_level(data: Open, accounts: AccountStore) -> None:
    bots = [PlayerRow(PlayerId(f"pbot{number}"), "Livia", EARLY, ("play",), bot="greedy") for number in (2, 1)]
    await accounts.add(bots[0])
    assert await accounts.add_known(bots[1], "bots", "greedy/0") == bots[1]
    again = (await data()).accounts
    assert await again.bots() == bots[::-1]
    assert await again.player(bots[0].player) == bots[0]
    assert await again.by_identity("bots", "greedy/0") == bots[1]


async def test_an_account_that_a_program_plays_is_not_one_of_the_service(data: Open, accounts: AccountStore) -> None:
    row = PlayerRow(PlayerId("pdeep"), "Deep Livia", EARLY)
    await accounts.add(row)
    await accounts.automate(row.player)
    again = (await data()).accounts
    assert await again.player(row.player) == replace(row, automated=True)
    assert await again.bots() == []
    assert await again.automated() == [row.player]


async def test_an_invitation_is_found_by_its_value_and_ends_when_it_is_revoked(data: Open) -> None:
    store = await data()
    await store.append(new_game("g1"))
    accounts, game = store.accounts, GameId("g1")
    one, two = (InvitationRow(InvitationId(f"i{n}"), game, EARLY) for n in (1, 2))
    assert await accounts.add_invitation(one, b"hash 1") == one
    assert await accounts.add_invitation(two, b"hash 2") == two
    assert await accounts.invitation(b"hash 1") == one
    assert await accounts.invitation(b"hash 3") is None
    assert await accounts.invitations(game) == [two, one]
    for at in (NOON, LATE):
        await accounts.revoke_invitation(one.invitation, at)
        assert await accounts.invitation(b"hash 1") == replace(one, revoked=NOON)
    assert await (await data()).accounts.invitations(game) == [two, replace(one, revoked=NOON)]


async def test_a_key_makes_one_invitation(data: Open) -> None:
    store = await data()
    await store.append(new_game("g1"))
    rows = [InvitationRow(InvitationId(f"i{n}"), GameId("g1"), EARLY, key="key", nonce=bytes([n])) for n in range(5)]
    made = await asyncio.gather(*(store.accounts.add_invitation(row, b"hash" + (row.nonce or b"")) for row in rows))
    assert len({row.invitation for row in made}) == 1
    assert await store.accounts.invitations(GameId("g1")) == [made[0]]


async def test_passkeys_are_kept_and_a_credential_belongs_to_one_account(accounts: AccountStore) -> None:
    await accounts.add(PlayerRow(BERT, "Bert", EARLY))
    one = PasskeyRow(PasskeyId("k1"), ANNA, b"\0one", b"key", 0, "my phone", EARLY)
    two = replace(one, passkey=PasskeyId("k2"), credential=b"two")
    assert await accounts.add_passkey(one)
    assert await accounts.add_passkey(two)
    assert not await accounts.add_passkey(replace(one, passkey=PasskeyId("k3"), player=BERT))
    await accounts.passkey_used(one.passkey, 2**32 - 1, NOON)
    assert await accounts.passkey(b"\0one") == replace(one, signs=2**32 - 1, used=NOON)
    assert [row.passkey for row in await accounts.passkeys(ANNA)] == ["k2", "k1"]
    assert await accounts.passkeys(BERT) == []
    await accounts.remove_passkey(two.passkey)
    assert await accounts.passkey(b"two") is None


async def test_a_challenge_is_used_once_until_it_ends(accounts: AccountStore) -> None:
    at_once = await asyncio.gather(*(accounts.use_challenge(b"one", NOON, EARLY) for _ in range(4)))
    assert sorted(at_once) == [False, False, False, True]
    assert await accounts.use_challenge(b"other", LATE, EARLY)
    assert not await accounts.use_challenge(b"one", NOON, EARLY)
    # What has ended by now is forgotten; nobody takes such a challenge any more.
    assert await accounts.use_challenge(b"third", LATE, NOON)
    assert await accounts.use_challenge(b"one", NOON, EARLY)
    assert not await accounts.use_challenge(b"other", LATE, EARLY)


async def test_all_who_ask_at_once_get_one_key_for_challenges(accounts: AccountStore) -> None:
    found = await asyncio.gather(*(accounts.challenge_key(bytes([number])) for number in range(4)))
    assert len({*found, await accounts.challenge_key(b"late")}) == 1


async def test_a_recovery_code_is_taken_once_and_new_ones_replace_it(accounts: AccountStore) -> None:
    await accounts.add(PlayerRow(BERT, "Bert", EARLY))
    await accounts.replace_codes(ANNA, [b"1", b"2"], EARLY)
    await accounts.replace_codes(BERT, [b"b"], EARLY)
    assert sorted(map(str, await asyncio.gather(*(accounts.take_code(b"1") for _ in range(4))))) == [
        *["None"] * 3,
        str(ANNA),
    ]
    assert await accounts.codes(ANNA) == 1
    await accounts.replace_codes(ANNA, [b"3"], NOON)
    assert [await accounts.take_code(code) for code in (b"2", b"3", b"b", b"x")] == [None, ANNA, BERT, None]
    assert await accounts.codes(ANNA) == 0


async def test_an_issuer_knows_an_account_by_one_name_and_a_name_is_one_accounts(accounts: AccountStore) -> None:
    await accounts.add(PlayerRow(BERT, "Bert", EARLY))
    carla = await accounts.add_known(PlayerRow(PlayerId("p3"), "Carla", EARLY), ISSUER, "carla")
    assert (await accounts.issuers(ANNA), await accounts.issuers(carla.player)) == ([], [ISSUER])
    linked = await asyncio.gather(*(accounts.link(ANNA, ISSUER, "anna") for _ in range(4)))
    assert [row and row.player for row in linked] == [ANNA] * 4
    assert (await accounts.by_identity(ISSUER, "anna"), await accounts.issuers(ANNA)) == (linked[0], [ISSUER])
    assert await accounts.link(BERT, ISSUER, "carla") == carla
    assert await accounts.link(ANNA, ISSUER, "another") is None
    assert (await accounts.issuers(BERT), await accounts.by_identity(ISSUER, "another")) == ([], None)
    await accounts.link(ANNA, "https://second.example", "anna")
    assert await accounts.identities(ANNA) == [(ISSUER, "anna"), ("https://second.example", "anna")]
    await accounts.unlink(ANNA, ISSUER)
    assert await accounts.issuers(ANNA) == ["https://second.example"]
    assert await accounts.by_identity(ISSUER, "anna") is None
    assert await accounts.link(BERT, ISSUER, "anna") == await accounts.player(BERT)
    assert await accounts.link(PlayerId("pnobody"), ISSUER, "nobody") is None
