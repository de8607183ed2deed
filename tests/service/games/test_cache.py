"""There is one of each game in memory, whatever becomes of those who wait for it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, StreamId, Version
from service.games.creating import create_game
from service.games.views import Viewer
from service.store.protocol import Append, Stored, StoreUnavailable
from service.store.sqlite.store import SqliteStore
from tests.service.rig import ANNA, Rig, open_rig
from tests.tiny.auction import ROOM


def read_before_appending(rig: Rig, game: GameId, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let somebody look at a game whenever an event of it is about to be stored."""
    append = rig.store.append

    async def after_a_look(batch: Append) -> Any:
        await rig.games.game(game)
        return await append(batch)

    monkeypatch.setattr(rig.store, "append", after_a_look)


@pytest.mark.parametrize("given_up", [False, True])
async def test_who_waits_for_a_load_that_fails_changes_the_game_that_others_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_up: bool
) -> None:
    async with open_rig(tmp_path) as rig:
        game = await rig.begun()
    async with open_rig(tmp_path) as rig:
        load, gate = rig.store.load, asyncio.Event()

        async def fails_once(game: GameId, after: Version = 0) -> Stored | None:
            if not gate.is_set():
                await gate.wait()
                raise StoreUnavailable("just now")
            return await load(game, after)

        monkeypatch.setattr(rig.store, "load", fails_once)
        first = asyncio.create_task(rig.games.game(game))
        await asyncio.sleep(0)
        commands = [asyncio.create_task(rig.give(game, ANNA, "put-up", coins=1)) for _ in range(2)]
        await asyncio.sleep(0.05)
        read_before_appending(rig, game, monkeypatch)
        if given_up:
            first.cancel()
        gate.set()
        with pytest.raises(asyncio.CancelledError if given_up else StoreUnavailable):
            await first
        last = max([(await command).version for command in commands])
        assert (await rig.games.game(game)).version == last


async def test_a_game_that_a_command_waits_for_is_not_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_rig(tmp_path, cache_games=1) as rig:
        other, game = await rig.begun(), await rig.begun()
        tell = rig.wake.notify
        looks: list[asyncio.Task[Any]] = []

        def told(of: StreamId, version: Version, *, turned: bool = True) -> None:
            # It runs when the first command has let the game go, and the second has not taken it yet.
            looks.append(asyncio.create_task(rig.games.game(other)))
            tell(of, version, turned=turned)

        monkeypatch.setattr(rig.wake, "notify", told)
        read_before_appending(rig, game, monkeypatch)
        commands = [asyncio.create_task(rig.give(game, ANNA, "put-up", coins=1)) for _ in range(2)]
        last = max([(await command).version for command in commands])
        assert (await rig.games.game(game)).version == last
        await asyncio.gather(*looks)


def held(rig: Rig) -> dict[GameId, int]:
    """Return the games in memory and what they are counted for, which is what the cache counts for all."""
    cache: Any = vars(vars(rig.games)["_cache"])
    weights = {game: cached.weight for game, cached in cache["_cached"].items()}
    boards = cache["_played_on"].values()
    assert sum(games for games, _ in boards) == len(weights)
    assert cache["_bytes_held"] == sum(weights.values()) + sum(size for _, size in boards)
    return weights


async def test_games_are_let_go_by_what_they_take(tmp_path: Path, database_url: str) -> None:
    room = 200_000
    async with open_rig(tmp_path, cache_memory=room, database_url=database_url, checkpoint_every=10) as rig:
        games = [await rig.begun(rounds=2) for _ in range(20)]
        few = held(rig)
        assert sum(few.values()) <= room
        assert 3 <= len(few) < len(games)
        assert list(few) == games[-len(few) :], "those that were asked for last"
        await asyncio.gather(*(rig.play_round(game) for game in games))
        assert sum(held(rig).values()) <= room
        for game in games:
            assert (await rig.games.game(game)).version == len(await rig.store.read(game))


async def test_what_is_looked_at_counts_as_well(tmp_path: Path) -> None:
    async with open_rig(tmp_path, checkpoint_every=10) as rig:
        game = await rig.begun(rounds=2)
        await rig.play_round(game)
    async with open_rig(tmp_path, checkpoint_every=10) as rig:
        now = await rig.games.game(game)
        loaded = held(rig)[game]
        await rig.games.at(game, now.version - 1)
        looked_back = held(rig)[game]
        assert looked_back >= loaded + 24_000, "a position of its past is kept"
        passage = await rig.games.passage(now, Viewer(), 0, 50, lambda events: b"x" * 5000)
        assert held(rig)[game] == looked_back + passage.size
        await rig.play_round(game)
        assert held(rig)[game] < looked_back + 2 * 24_000, "what was shown of the game as it was is gone"


async def test_a_game_that_takes_more_than_there_is_room_for_is_played(tmp_path: Path) -> None:
    async with open_rig(tmp_path, cache_memory=1024) as rig:
        games = [await rig.begun(rounds=1) for _ in range(3)]
        await asyncio.gather(*(rig.play_round(game) for game in games))
        for game in games:
            assert (await rig.games.game(game)).status == "over"
        last = await rig.begun(rounds=1)
        assert list(held(rig)) == [last], "the others are let go, and this one is in use"


async def test_a_board_counts_once_for_all_games_in_memory_that_are_played_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.games.creating.validate", lambda board: None)  # the room is no map
    large = msgspec.json.encode(replace(ROOM, id="large", title="large" * 20_000))
    async with open_rig(tmp_path, cache_memory=1_000_000) as rig:
        played = vars(vars(rig.games)["_cache"])["_played_on"]
        for _ in range(4):
            await create_game(rig.games, ANNA, "tiny-auction", 2, board=large)
        assert len(held(rig)) == 4
        ((games, size),) = played.values()
        assert games == 4
        assert size >= len(large)
        for number in range(4):
            await create_game(
                rig.games, ANNA, "tiny-auction", 2, board=large.replace(b'"large"', b'"large-%d"' % number)
            )
        assert len(held(rig)) == len(played) == 2, "boards of their own leave room for two"


async def test_no_more_boards_are_kept_than_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.games.creating.validate", lambda board: None)  # the room is no map
    monkeypatch.setattr("service.games.cache.BOARDS", 2)
    async with open_rig(tmp_path) as rig:
        cache: Any = vars(rig.games)["_cache"]
        games: list[GameId] = []
        for number in range(4):
            board = msgspec.json.encode(replace(ROOM, id=f"room-{number}"))
            games.append((await create_game(rig.games, ANNA, "tiny-auction", 2, board=board)).game)
        assert len(vars(cache)["_boards"]) == 2
    async with open_rig(tmp_path) as rig:
        assert [(await rig.games.game(game)).board.id for game in games] == [f"room-{n}" for n in range(4)]


async def test_an_event_can_be_looked_at_before_the_task_that_stored_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by those who follow the log: they see what is stored, and the game in memory is a moment behind it."""
    async with open_rig(tmp_path) as rig:
        game = await rig.begun()
        store = cast(SqliteStore, rig.store)
        stored, looks = store._stored, list[asyncio.Task[tuple[Version, Version]]]()

        async def looked(version: Version) -> tuple[Version, Version]:
            await rig.games.arrive(game, version)
            return (await rig.games.game(game)).version, (await rig.games.at(game, version)).version

        async def looked_at(version: Version) -> tuple[Version, Version]:
            return (await rig.games.at(game, version)).version, (await rig.games.game(game)).version

        def followed(batches: Sequence[Append], outcome: Any) -> None:
            stored(batches, outcome)
            version = batches[0].records[-1].version
            looks.extend(asyncio.create_task(look(version)) for look in (looked, looked_at))

        monkeypatch.setattr(store, "_stored", followed)
        done = await rig.give(game, ANNA, "put-up", coins=1)
        assert await asyncio.gather(*looks) == [(done.version, done.version)] * 2
