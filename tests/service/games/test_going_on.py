"""Games that go on: in memory, after restarts, beside other processes, over a store that fails."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from service.cluster.wake import LocalWake
from service.games.acts import Commands
from service.games.games import Games
from service.games.requests import StaleVersion
from service.store.protocol import Append, Appended, EventStore, StoreUnavailable, StreamDamaged
from service.store.sqlite.backup import Copying
from service.store.sqlite.store import SqliteStore
from tests.service.games.alike import same, whole
from tests.service.rig import ANNA, LIBRARY, Rig, command, fixed_randomness, open_rig, own_board, ticking


async def test_a_game_goes_on_after_a_restart(tmp_path: Path, database_url: str) -> None:
    async with open_rig(tmp_path, database_url=database_url) as rig:
        game = await rig.begun()
        await rig.give(game, ANNA, "put-up", coins=1)
        before = await rig.games.game(game)
    async with open_rig(tmp_path, database_url=database_url) as rig:
        after = await rig.games.game(game)
        assert same(before, after)
        assert (after.undo_seat, after.undo_to) == (before.undo_seat, before.undo_to)
        await rig.play_round(game)


async def test_more_games_than_memory_holds_are_all_played(tmp_path: Path, database_url: str) -> None:
    async with open_rig(tmp_path, cache_games=2, database_url=database_url) as rig:
        games = [await rig.begun(rounds=1) for _ in range(6)]
        await asyncio.gather(*(rig.play_round(game) for game in games))
        for game in games:
            assert (await rig.games.game(game)).status == "over"


async def test_a_process_that_another_one_overtook_catches_up(rig: Rig) -> None:
    other = Games(rig.store, LIBRARY, LocalWake(), ticking(), rig.settings, boards=own_board)
    game = await rig.begun()
    await other.game(game)
    await rig.give(game, ANNA, "put-up", coins=1)
    accepted = await other.act(game, ANNA, Commands([command("put-up", coins=1)]))
    with pytest.raises(StaleVersion):
        await other.act(game, ANNA, Commands([command("put-up", coins=1)]), expected=(accepted.after,))
    await rig.give(game, ANNA, "put-up", coins=1)
    assert (await rig.games.game(game)).version == accepted.version + 1
    assert same(await rig.games.game(game), whole(await rig.store.read(game), game))


async def test_a_game_goes_on_from_what_a_database_has_that_took_the_place_of_another(tmp_path: Path) -> None:
    class Switched:
        """A store in whose place another one may come."""

        def __init__(self, now: EventStore) -> None:
            self.now = now

        def __getattr__(self, name: str) -> Any:
            return getattr(self.now, name)

    async with open_rig(tmp_path) as rig:
        game = await rig.begun()
        behind = Copying(rig.settings.database, tmp_path).copy(datetime.now(UTC))
        assert behind is not None
        await rig.give(game, ANNA, "put-up", coins=1)
        store = Switched(rig.store)
        games = Games(cast(EventStore, store), LIBRARY, LocalWake(), ticking(), rig.settings, boards=own_board)
        known = (await games.game(game)).version
        store.now = await SqliteStore.open(behind)
        accepted = await games.act(game, ANNA, Commands([command("put-up", coins=2)]))
        assert accepted.after < known
        assert same(await games.game(game), whole(await store.now.read(game), game))
        await store.now.close()


async def test_times_do_not_run_backwards_when_the_clock_of_a_process_does(rig: Rig) -> None:
    game = await rig.begun()
    await rig.give(game, ANNA, "put-up", coins=1)
    late = Games(
        rig.store,
        LIBRARY,
        LocalWake(),
        lambda: datetime(2001, 1, 1, tzinfo=UTC),
        rig.settings,
        boards=own_board,
    )
    await late.act(game, ANNA, Commands([command("put-up", coins=1)]))
    await rig.give(game, ANNA, "open-bidding")
    times = [record.at for record in await rig.store.read(game)]
    assert times == sorted(times)
    assert times[-2] == times[-3]
    assert times[-1] > times[-2]


async def test_a_command_is_finished_although_its_client_has_gone(rig: Rig) -> None:
    game = await rig.begun()
    version = (await rig.games.game(game)).version
    async with rig.wake.subscribe(game) as signal:
        request = asyncio.create_task(rig.give(game, ANNA, "put-up", coins=1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert await signal.wait(5)
    assert (await rig.games.game(game)).version == version + 1
    await rig.give(game, ANNA, "put-up", coins=1)


async def test_a_store_that_fails_leaves_the_game_as_it_was(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(_: Append) -> Appended:
        raise StoreUnavailable("the disk is full")

    game = await rig.begun()
    before = await rig.games.game(game)
    with monkeypatch.context() as patched:
        patched.setattr(rig.store, "append", full)
        with pytest.raises(StoreUnavailable):
            await rig.give(game, ANNA, "put-up", coins=1, key="k")
    assert await rig.games.game(game) is before
    assert not (await rig.give(game, ANNA, "put-up", coins=1, key="k")).repeated


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "UPDATE events SET event = replace(event, 'pbert', 'pcarl') WHERE version = 3 AND game = '{game}'",
            "from version 3 on",
        ),
        ("DELETE FROM events WHERE version = 3 AND game = '{game}'", "from version 3 on"),
        ("DELETE FROM events WHERE version = 5 AND game = '{game}'", "from version 5 on"),
        (
            "DELETE FROM events WHERE game = '{game}'",
            "versions 1 to 5 of .* are missing from the log and from the archive",
        ),
        ("UPDATE events SET hash = x'00' WHERE version = 4 AND game = '{game}'", "from version 4 on"),
        ("UPDATE events SET at = 'yesterday' WHERE version = 1 AND game = '{game}'", "from version 1 on"),
        ("UPDATE events SET version = version + 1 WHERE version = 5 AND game = '{game}'", "from version 5 on"),
        ("UPDATE events SET cause = NULL WHERE version = 2 AND game = '{game}'", "from version 2 on"),
        ("UPDATE games SET chance = x'00' WHERE game = '{game}'", "does not fit"),
        ("DELETE FROM boards", "is missing"),
        ("UPDATE boards SET file = replace(file, 'cellar', 'attic')", "board .* is damaged"),
        ("UPDATE boards SET file = 'x'", "not JSON"),
    ],
)
async def test_whatever_is_spoilt_in_a_game_is_said_when_it_is_loaded(
    tmp_path: Path, statement: str, says: str
) -> None:
    async with open_rig(tmp_path) as rig:
        game, other = await rig.begun(), await rig.begun()
    triggers: list[str] = []
    with closing(sqlite3.connect(tmp_path / "tabularium.db")) as connection, connection:
        for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall():
            triggers.append(sql)
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement.format(game=game)).rowcount
        for sql in triggers:
            connection.execute(sql)
    async with open_rig(tmp_path) as rig:
        with pytest.raises(StreamDamaged, match=says) as damaged:
            await rig.games.game(game)
        assert "\n" not in str(damaged.value)
        if "boards" not in statement:
            await rig.play_round(other)


async def test_a_fixed_randomness_gives_the_same_game_again(tmp_path: Path) -> None:
    heads: list[bytes] = []
    for run in ("one", "two"):
        async with open_rig(tmp_path / run) as rig:
            games = Games(
                rig.store,
                LIBRARY,
                rig.wake,
                ticking(),
                rig.settings,
                fixed_randomness(),
                boards=own_board,
            )
            rig.games = games
            game = await rig.begun()
            while (await games.game(game)).status == "running":
                await rig.play_round(game)
            heads.append((await games.game(game)).head)
    assert heads[0] == heads[1]
