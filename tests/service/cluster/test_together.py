"""Several processes over one database: each read is as new as every command acknowledged before it."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.ids import GameId, Version
from domain.kernel.rules.refusal import Refusal
from service.cluster.heads import Heads
from service.games.views import Passage, viewer_of
from service.store.protocol import StoreUnavailable
from tests.service.rig import ANNA, Rig, caller, open_rig
from tests.tiny.auction import LARGEST_PRIZE


@pytest.fixture
async def rigs(tmp_path: Path, postgres_url: str) -> AsyncIterator[tuple[Rig, Rig]]:
    async with contextlib.AsyncExitStack() as stack:
        one = await stack.enter_async_context(open_rig(tmp_path / "one", database_url=postgres_url, durable=False))
        two = await stack.enter_async_context(open_rig(tmp_path / "two", database_url=postgres_url, durable=False))
        yield one, two


async def look(rig: Rig, game: GameId) -> tuple[Any, ...]:
    """Return all that a service knows of a game."""
    now, vault = await rig.games.game(game), await rig.games.vault(game)
    table = now.table.digest() if now.table is not None else None
    options = [now.options(seat, vault) for seat in now.players]
    return now.version, now.head, now.status, table, now.undo_seat, now.undo_to, dict(vault.all()), options


async def test_a_game_that_two_processes_play_is_one_game(rigs: tuple[Rig, Rig]) -> None:
    chance = random.Random(3)
    game = await rigs[0].begun(rounds=3)
    while (now := await rigs[chance.randrange(2)].games.game(game)).status == "running":
        player = now.players[now.decisions[0].seats[0]]
        assert player is not None
        rig = rigs[chance.randrange(2)]
        if now.decisions[0].kind == "choose-card":
            seat = now.decisions[0].seats[0]
            await rig.give(game, player, "choose-card", card=await rig.first_card(game, seat))
        else:
            await rig.give(game, player, "put-up", coins=1)
            await rigs[chance.randrange(2)].give(game, player, "open-bidding")
        assert await look(rigs[0], game) == await look(rigs[1], game)
        for each in rigs:
            assert await each.games.records(game) == await each.store.read(game)
    async with open_rig(rigs[0].settings.data, database_url=rigs[0].settings.database_url) as fresh:
        assert await look(fresh, game) == await look(rigs[1], game)


async def test_what_was_refused_in_the_past_is_decided_in_the_present(
    rigs: tuple[Rig, Rig],
) -> None:
    one, two = rigs
    game = await one.begun()
    assert (await two.games.game(game)).decisions[0].kind != "choose-card"
    await one.give(game, ANNA, "put-up", coins=1)
    await one.give(game, ANNA, "open-bidding")
    now = await one.games.game(game)
    card = await one.first_card(game, now.decisions[0].seats[0])
    bidder = now.players[now.decisions[0].seats[0]]
    assert bidder is not None
    accepted = await two.give(game, bidder, "choose-card", card=card)
    assert accepted.after == now.version
    with pytest.raises(Refusal):
        await one.give(game, bidder, "choose-card", card=card)


async def test_moves_taken_back_by_another_process_are_taken_back_here(rigs: tuple[Rig, Rig]) -> None:
    one, two = rigs
    game = await one.begun()
    before = (await two.games.game(game)).version
    await one.give(game, ANNA, "put-up", coins=2)
    await one.give(game, ANNA, "put-up", coins=1)
    await look(two, game)
    await one.give(game, ANNA, "undo", to=before + 1)
    assert await look(two, game) == await look(one, game)
    assert (await two.games.at(game, before + 1)).version == before + 1
    await two.give(game, ANNA, "put-up", coins=1)
    assert await look(one, game) == await look(two, game)


async def test_for_whom_an_old_version_is_new_enough_nothing_is_asked(
    rigs: tuple[Rig, Rig],
) -> None:
    one, two = rigs
    game = await one.begun()
    before = (await two.games.game(game)).version
    accepted = await one.give(game, ANNA, "put-up", coins=1)
    assert (await two.games.game(game, before)).version == before
    assert (await two.games.game(game, accepted.version)).version == accepted.version


async def test_a_version_that_another_process_made_can_be_looked_at(
    rigs: tuple[Rig, Rig],
) -> None:
    one, two = rigs
    game = await one.begun()
    await two.games.game(game)
    accepted = await one.give(game, ANNA, "put-up", coins=1)
    assert (await two.games.at(game, accepted.version)).version == accepted.version


async def test_a_repetition_gets_the_first_answer_from_any_process(rigs: tuple[Rig, Rig]) -> None:
    one, two = rigs
    game = await one.begun()
    await two.games.game(game)
    first = await one.give(game, ANNA, "put-up", coins=1, key="k")
    await one.give(game, ANNA, "open-bidding")
    again = await two.give(game, ANNA, "put-up", coins=1, key="k")
    assert again.repeated
    assert (again.after, again.version) == (first.after, first.version)


async def test_both_may_write_at_once(rigs: tuple[Rig, Rig]) -> None:
    game = await rigs[0].begun()
    before = (await rigs[0].games.game(game)).version

    async def put_up(rig: Rig) -> bool:
        try:
            await rig.give(game, ANNA, "put-up", coins=1)
        except Refusal:
            return False
        return True

    done = await asyncio.gather(*(put_up(rig) for rig in (*rigs, *rigs, *rigs)))
    assert sum(done) == LARGEST_PRIZE
    assert (await rigs[0].games.game(game)).version == before + LARGEST_PRIZE
    assert await look(rigs[0], game) == await look(rigs[1], game)


class Slow:
    """A store that answers when it is let."""

    def __init__(self) -> None:
        self.asked: list[list[GameId]] = []
        self.let = asyncio.Event()
        self.version = 1
        self.error: Exception | None = None

    def part_of(self, game: GameId) -> int:
        return int(game.isupper())

    async def heads(self, games: Collection[GameId]) -> dict[GameId, Version]:
        self.asked.append(sorted(games))
        answer = dict.fromkeys(games, self.version)
        await self.let.wait()
        if self.error is not None:
            raise self.error
        return answer


async def test_questions_go_together_and_no_answer_is_older_than_its_question() -> None:
    store = Slow()
    heads = Heads(store)  # type: ignore[reportArgumentType]
    first = asyncio.create_task(heads.of(GameId("a")))
    await asyncio.sleep(0.01)
    store.version = 2
    later = [asyncio.create_task(heads.of(GameId(game))) for game in "abba"]
    await asyncio.sleep(0.01)
    store.let.set()
    assert await first == 1
    assert await asyncio.gather(*later) == [2, 2, 2, 2]
    assert store.asked == [["a"], ["a", "b"]]


async def test_a_part_of_the_store_that_does_not_answer_keeps_no_other_waiting() -> None:
    store = Slow()
    heads = Heads(store)  # type: ignore[reportArgumentType]
    waits = asyncio.create_task(heads.of(GameId("a")))
    await asyncio.sleep(0.01)
    store.let, blocked = asyncio.Event(), store.let
    store.let.set()
    assert await heads.of(GameId("B")) == 1
    assert not waits.done()
    blocked.set()
    assert await waits == 1


async def test_one_who_stops_waiting_takes_the_answer_from_nobody() -> None:
    store = Slow()
    heads = Heads(store)  # type: ignore[reportArgumentType]
    gone, stays = (asyncio.create_task(heads.of(GameId("a"))) for _ in range(2))
    await asyncio.sleep(0.01)
    gone.cancel()
    await asyncio.sleep(0)
    store.let.set()
    assert await stays == 1


async def test_a_store_that_fails_fails_those_who_asked_and_nobody_else() -> None:
    store = Slow()
    heads = Heads(store)  # type: ignore[reportArgumentType]
    store.let.set()
    store.error = StoreUnavailable("away")
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await heads.of(GameId("a"))
    store.error = None
    assert await heads.of(GameId("a")) == 1


async def test_what_was_shown_once_is_not_shown_of_a_later_position(
    rigs: tuple[Rig, Rig],
) -> None:
    one, two = rigs
    game = await one.begun()

    async def shown(rig: Rig) -> Passage[bytes]:
        now = await rig.games.game(game)
        assert now.table is not None
        digest = now.table.digest().encode()
        made = Passage(0, now.version, (), digest)
        return await rig.games.cached_view(now, viewer_of(now, caller(ANNA)), lambda _: made)

    before = await shown(two)
    assert await shown(two) == before
    await one.give(game, ANNA, "put-up", coins=1)
    assert await shown(two) == await shown(one) != before
