"""Requests that come again with their idempotency key."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.kernel.log.record import Cause
from domain.kernel.rules.refusal import Refusal
from service.games.acts import Commands, Start, TakeSeat
from service.games.creating import create_game
from service.store.protocol import KeyReused
from tests.service.games.alike import is_repetition
from tests.service.rig import ANNA, BERT, BLUE, RED, Rig, command, open_rig


async def test_a_retry_of_a_success_gets_the_first_answer_although_the_game_has_moved_on(rig: Rig) -> None:
    game = await rig.begun()
    version = (await rig.games.game(game)).version
    raw = command("put-up", coins=1)
    first = await rig.games.act(game, ANNA, Commands([raw]), expected=(version,), key="one")
    await rig.play_round(game)
    moved_on = await rig.games.game(game)
    # The version is stale by now, and it is not Anna's turn: neither matters.
    again = await rig.games.act(game, ANNA, Commands([raw]), expected=(version,), key="one")
    spaced = await rig.games.act(game, ANNA, Commands([b' { "coins": 1, "type": "put-up" } ']), key="one")
    assert first.repeated is False
    assert is_repetition(again, first)
    assert is_repetition(spaced, first)
    assert await rig.games.game(game) is moved_on


async def test_a_key_with_another_request_is_refused_whatever_became_of_it(rig: Rig) -> None:
    game = await rig.begun()
    await rig.give(game, ANNA, "put-up", coins=1, key="one")
    for kind, fields in (("put-up", {"coins": 2}), ("put-up", {"coins": 99}), ("open-bidding", {})):
        with pytest.raises(KeyReused):
            await rig.give(game, ANNA, kind, key="one", **fields)
    with pytest.raises(KeyReused):
        await rig.games.act(game, ANNA, Start(), key="one")


async def test_a_refused_request_does_not_use_its_key_up(rig: Rig) -> None:
    game = await rig.begun()
    with pytest.raises(Refusal):
        await rig.give(game, ANNA, "put-up", coins=99, key="one")
    assert not (await rig.give(game, ANNA, "put-up", coins=1, key="one")).repeated


async def test_one_key_is_another_in_another_game_and_of_another_account(rig: Rig) -> None:
    one, two = await rig.begun(), await rig.begun()
    for game in (one, two):
        assert not (await rig.give(game, ANNA, "put-up", coins=1, key="k")).repeated
    await rig.give(one, ANNA, "open-bidding")
    card = await rig.first_card(one, BLUE)
    assert not (await rig.give(one, BERT, "choose-card", key="k", card=card)).repeated


async def test_creating_and_sitting_down_are_repeated_too(rig: Rig) -> None:
    async def create(players: int = 2) -> Any:
        return await create_game(rig.games, ANNA, "tiny-auction", players, title="Mine", key="new")

    first = await create()
    sat = await rig.games.act(first.game, ANNA, TakeSeat(), key="sit")
    assert is_repetition(await create(), first)
    assert (await rig.games.act(first.game, ANNA, TakeSeat(), key="sit")).repeated
    assert (await rig.games.at(first.game, first.version)).players == {RED: None, BLUE: None}
    assert sat.version == (await rig.games.game(first.game)).version
    with pytest.raises(KeyReused):
        await create(players=3)
    assert len(await rig.store.games()) == 1


async def test_fifty_at_once_with_one_key_have_one_effect(rig: Rig) -> None:
    game = await rig.begun()
    version = (await rig.games.game(game)).version
    answers = await asyncio.gather(*(rig.give(game, ANNA, "put-up", coins=3, key="k") for _ in range(50)))
    assert sum(not answer.repeated for answer in answers) == 1
    assert len({tuple(record.hash for record in answer.records) for answer in answers}) == 1
    assert await rig.store.head(game) == version + 1
    created = await asyncio.gather(*(create_game(rig.games, ANNA, "tiny-auction", 2, key="c") for _ in range(50)))
    assert sum(not answer.repeated for answer in created) == 1
    assert len({answer.game for answer in created}) == 1


async def test_a_key_is_remembered_over_a_restart_and_shown_to_nobody(tmp_path: Path) -> None:
    async with open_rig(tmp_path) as rig:
        game = await rig.begun()
        first = await rig.give(game, ANNA, "put-up", coins=1, key="my secret plan")
    async with open_rig(tmp_path) as rig:
        again = await rig.give(game, ANNA, "put-up", coins=1, key="my secret plan")
        assert is_repetition(again, first)
        cause = msgspec.json.decode((await rig.store.read(game))[-1].cause or b"", type=Cause)
        assert cause.key is not None
        assert len(cause.key) == 32
    kept = (tmp_path / "tabularium.db").read_bytes()
    assert game.encode() in kept
    assert b"my secret plan" not in kept
