"""What is limited is counted in the transaction that adds to it: by two processes at once, no more than is allowed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId
from projections.lobby import ForkOf
from service.store.accounts import (
    InvitationId,
    InvitationRow,
    LimitReached,
    Made,
    PasskeyId,
    PasskeyRow,
    PlayerRow,
    TokenId,
    TokenRow,
)
from service.store.protocol import Append, EventStore, Opening, Within
from tests.service.store.adapters import EVERY, Adapter
from tests.service.store.batches import ANNA, AT, RED, beside, new_game

MOST, ASKED = 3, 8
LATE = "2026-11-21T18:00:00.000000Z"
G = GameId("g1")


@pytest.fixture(params=EVERY.values(), ids=list(EVERY))
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[EventStore]]:
    adapter: Adapter = request.param
    async with adapter(tmp_path) as open_store:
        stores = [await open_store() for _ in range(2)]
        await stores[0].accounts.add(PlayerRow(ANNA, "Anna", AT))
        await stores[0].append(new_game(G))
        yield stores


def token(number: int) -> TokenRow:
    return TokenRow(TokenId(f"t{number}"), ANNA, "bot", ("play",), AT)


async def _passkey(store: EventStore, number: int) -> Any:
    row = PasskeyRow(PasskeyId(f"k{number}"), ANNA, bytes([number]), b"key", 0, "phone", AT)
    return await store.accounts.add_passkey(row, MOST)


async def _token(store: EventStore, number: int) -> Any:
    return await store.accounts.add_token(token(number), bytes([number]), None, MOST)


async def _token_once(store: EventStore, number: int) -> Any:
    made = Made(f"key {number}", b"same", b"nonce", TokenId(f"t{number}"), AT)
    return await store.accounts.add_token(token(number), bytes([number]), made, MOST)


async def _open_invitation(store: EventStore, number: int) -> Any:
    row = InvitationRow(InvitationId(f"i{number}"), G, AT, key=f"key {number}", nonce=b"nonce")
    return await store.accounts.add_invitation(row, bytes([number]), MOST, 100)


async def _invitation(store: EventStore, number: int) -> Any:
    return await store.accounts.add_invitation(
        InvitationRow(InvitationId(f"i{number}"), G, AT), bytes([number]), 100, MOST
    )


def _forked(number: int, purpose: Any, within: Within) -> Append:
    batch = new_game(beside(G, f"gfork{number}"))
    assert batch.opening is not None
    opening = replace(batch.opening, fork=ForkOf(G, 1, purpose), organizer=ANNA)
    return replace(batch, opening=opening, status="running", within=within)


async def _analysis(store: EventStore, number: int) -> Any:
    return await store.append(_forked(number, "analysis", Within("analyses", (ANNA,), MOST)))


async def _continuation(store: EventStore, number: int) -> Any:
    return await store.append(_forked(number, "continuation", Within("continuations", (G,), MOST)))


async def _bot(store: EventStore, number: int) -> Any:
    bot = PlayerId(f"pbot{number}")
    await store.accounts.add(PlayerRow(bot, "Livia", AT, ("play",), bot="greedy"))
    batch = new_game(f"gbot{number}")
    assert isinstance(batch.opening, Opening)
    organizer = batch.opening.organizer
    return await store.append(replace(batch, seats={RED: bot}, within=Within("bots", (organizer, ""), MOST)))


@pytest.mark.parametrize(
    "add", [_passkey, _token, _token_once, _open_invitation, _invitation, _analysis, _continuation, _bot]
)
async def test_a_limit_holds_for_appends_at_once(
    stores: list[EventStore], add: Callable[[EventStore, int], Coroutine[Any, Any, Any]]
) -> None:
    done = await asyncio.gather(*(add(stores[number % 2], number) for number in range(ASKED)), return_exceptions=True)
    refused = [each for each in done if isinstance(each, BaseException)]
    assert [type(each) for each in refused] == [LimitReached] * (ASKED - MOST), refused
    with pytest.raises(LimitReached):
        await add(stores[0], ASKED)


async def test_tokens_that_take_the_place_of_others_are_counted_as_well(stores: list[EventStore]) -> None:
    for number in range(2):
        await stores[0].accounts.add_token(token(number), bytes([number]))
    done = await asyncio.gather(
        *(
            stores[number].accounts.replace_token(
                TokenId(f"t{number}"), LATE, token(number + 5), bytes([number + 5]), None, MOST
            )
            for number in range(2)
        ),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in done) == ["LimitReached", "bool"]
    assert len(await stores[0].accounts.tokens(ANNA, AT)) == MOST


async def test_recovery_codes_that_are_made_at_once_replace_one_another(stores: list[EventStore]) -> None:
    made = [[bytes([number, each]) for each in range(10)] for number in range(6)]
    await asyncio.gather(*(stores[number % 2].accounts.replace_codes(ANNA, made[number], AT) for number in range(6)))
    assert await stores[0].accounts.codes(ANNA) == 10


async def test_an_issuer_that_knows_an_account_is_told_once_whom(stores: list[EventStore]) -> None:
    found = await asyncio.gather(
        *(stores[number % 2].accounts.link(ANNA, "https://issuer.example", f"{number}") for number in range(6))
    )
    assert sum(each is not None for each in found) == 1


async def test_what_exceeds_a_limit_leaves_nothing(stores: list[EventStore]) -> None:
    for number in range(MOST):
        await _analysis(stores[0], number)
    with pytest.raises(LimitReached):
        await _analysis(stores[0], 9)
    assert await stores[0].game(GameId("gfork9")) is None
    assert await stores[0].head(GameId("gfork9")) == 0
    assert await stores[0].count(Within("analyses", (ANNA,), MOST)) == MOST
