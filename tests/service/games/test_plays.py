"""There is one of each game in memory, whatever becomes of those who wait for it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.words import GameId, Version
from service.store.protocol import Append, Stored, StoreUnavailable
from tests.service.halls import ANNA, House, open_house
from tests.tiny.auction import ROOM


def read_before_appending(house: House, game: GameId, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let somebody look at a game whenever an event of it is about to be stored."""
    append = house.store.append

    async def after_a_look(batch: Append) -> Any:
        await house.hall.game(game)
        return await append(batch)

    monkeypatch.setattr(house.store, "append", after_a_look)


@pytest.mark.parametrize("given_up", [False, True])
async def test_who_waits_for_a_load_that_fails_changes_the_game_that_others_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_up: bool
) -> None:
    async with open_house(tmp_path) as house:
        game = await house.begun()
    async with open_house(tmp_path) as house:
        load, gate = house.store.load, asyncio.Event()

        async def fails_once(game: GameId, after: Version = 0) -> Stored | None:
            if not gate.is_set():
                await gate.wait()
                raise StoreUnavailable("just now")
            return await load(game, after)

        monkeypatch.setattr(house.store, "load", fails_once)
        first = asyncio.create_task(house.hall.game(game))
        await asyncio.sleep(0)
        commands = [asyncio.create_task(house.give(game, ANNA, "put-up", coins=1)) for _ in range(2)]
        await asyncio.sleep(0.05)
        read_before_appending(house, game, monkeypatch)
        if given_up:
            first.cancel()
        gate.set()
        with pytest.raises(asyncio.CancelledError if given_up else StoreUnavailable):
            await first
        last = max([(await command).version for command in commands])
        assert (await house.hall.game(game)).version == last


async def test_a_game_that_a_command_waits_for_is_not_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_house(tmp_path, cache_games=1) as house:
        other, game = await house.begun(), await house.begun()
        tell: Callable[[GameId, Version], None] = house.wake.notify
        looks: list[asyncio.Task[Any]] = []

        def told(of: GameId, version: Version) -> None:
            # It runs when the first command has let the game go, and the second has not taken it yet.
            looks.append(asyncio.create_task(house.hall.game(other)))
            tell(of, version)

        monkeypatch.setattr(house.wake, "notify", told)
        read_before_appending(house, game, monkeypatch)
        commands = [asyncio.create_task(house.give(game, ANNA, "put-up", coins=1)) for _ in range(2)]
        last = max([(await command).version for command in commands])
        assert (await house.hall.game(game)).version == last
        await asyncio.gather(*looks)


async def test_no_more_boards_are_kept_than_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.games.hall.validate", lambda board: None)  # the room is no map
    monkeypatch.setattr("service.games.plays.BOARDS", 2)
    async with open_house(tmp_path) as house:
        plays: Any = vars(house.hall)["_plays"]
        games: list[GameId] = []
        for number in range(4):
            board = msgspec.json.encode(replace(ROOM, id=f"room-{number}"))
            games.append((await house.hall.create(ANNA, "tiny-auction", 2, board=board)).game)
        assert len(vars(plays)["_boards"]) == 2
    async with open_house(tmp_path) as house:
        assert [(await house.hall.game(game)).board.id for game in games] == [f"room-{n}" for n in range(4)]
