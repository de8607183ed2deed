"""Snapshots: a game that is loaded from one is the game, and one that does not fit its log is thrown away."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, PlayerId, Version
from domain.kernel.log import snapshot as kernel
from domain.kernel.log.game import Game
from domain.kernel.log.record import Record
from service.app import open_snapshots
from service.base.settings import Settings
from service.cluster.redis import open_redis
from service.cluster.redis_snapshots import RedisSnapshots
from service.cluster.wake import LocalWake
from service.games.acts import Commands
from service.games.cache import GameDamaged
from service.games.games import Games
from service.games.snapshots import Snapshots, Tier, take
from service.games.views import viewer_of
from service.observe.metrics import Metrics
from service.store.backend import backend_of
from service.store.protocol import EventStore, Stored, StoreUnavailable
from service.store.snapshots import Snapshot, SnapshotStore
from service.store.sqlite.snapshots import SqliteSnapshots
from tests.helpers.postgres import shared_cluster
from tests.helpers.redis import server, shared_server
from tests.service.rig import ANNA, CARL, LIBRARY, Rig, caller, command, fixed_randomness, own_board, ticking

EVERY = 7


class Watched:
    """A store that notes from where games are loaded, and may have a record that was damaged."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self.loaded: list[Version] = []
        self.spoils: Version | None = None

    async def read(self, game: GameId, after: Version = 0, limit: int | None = None) -> list[Record]:
        records = await self._store.read(game, after, limit)
        return [replace(each, draws=99) if each.version == self.spoils else each for each in records]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def load(self, game: GameId, after: Version = 0) -> Stored | None:
        self.loaded.append(after)
        return await self._store.load(game, after)


class Data:
    """A store and its snapshots, and games over them."""

    def __init__(self, settings: Settings, store: EventStore, kept: SnapshotStore) -> None:
        self.settings = settings
        self.store: Any = Watched(store)
        self.kept: Any = kept
        self.metrics = Metrics()
        self.randomness = fixed_randomness()
        self.several_games: list[tuple[Games, Snapshots]] = []

    def games(self, *, snapshots: bool = True) -> Games:
        """Return games of which none is in memory."""
        places = [Tier("snapshots", _Lent(self.kept), EVERY)] if snapshots else []
        taken = Snapshots(places, self.metrics)
        games = Games(
            self.store,
            LIBRARY,
            LocalWake(),
            ticking(),
            self.settings,
            self.randomness,
            boards=own_board,
            metrics=self.metrics,
            snapshots=taken,
        )
        self.several_games.append((games, taken))
        return games

    async def written(self) -> None:
        """Wait until all that was to be written down is."""
        for games, taken in self.several_games:
            await games.close()
            await taken.close()

    async def loaded(self, game: GameId, *, snapshots: bool = True) -> tuple[Game, Version]:
        """Return a game as a new process loads it, and the version after which it read its log."""
        del self.store.loaded[:]
        found = await self.games(snapshots=snapshots).game(game)
        return found, self.store.loaded[-1]

    async def plain(self, game: GameId) -> bytes:
        """Return all that there is of a game that was folded from its whole log."""
        found, after = await self.loaded(game, snapshots=False)
        assert after == 0
        return kernel.take(found)


class Spoilt:
    """A store of snapshots in which nothing works."""

    def __init__(self, fails: Callable[..., Awaitable[Any]]) -> None:
        self.newest = self.keep = self.drop = fails

    async def close(self) -> None:
        pass


class Misplaced:
    """A store of snapshots in which that of another game lies wherever one looks."""

    def __init__(self, kept: SnapshotStore, copied: Snapshot) -> None:
        self.keep = kept.keep
        self.copied = copied
        self.dropped: list[GameId] = []

    async def newest(self, game: GameId) -> Snapshot | None:
        return None if game in self.dropped else self.copied

    async def drop(self, game: GameId) -> None:
        self.dropped.append(game)

    async def close(self) -> None:
        pass


class _Lent:
    """A store of snapshots that is closed by its owner."""

    def __init__(self, kept: SnapshotStore) -> None:
        self.newest, self.keep, self.drop = kept.newest, kept.keep, kept.drop

    async def close(self) -> None:
        pass


@pytest.fixture(params=["sqlite", "postgres", "redis"])
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Data]:
    """A store, and one place of snapshots: beside it, or in Redis."""
    async with AsyncExitStack() as opened:
        database_url, redis = "", None
        if request.param == "postgres":
            database_url = await opened.enter_async_context(shared_cluster().database())
        if request.param == "redis":
            shared_server().flush()
            redis = await opened.enter_async_context(open_redis(shared_server().url, Metrics()))
        settings = Settings(data=tmp_path, database_url=database_url, durable=False, snapshot_every=EVERY)
        store = await backend_of(settings).open_store()
        opened.push_async_callback(store.close)
        places = await open_snapshots(settings, redis)
        for place in places:
            opened.push_async_callback(place.store.close)
        made = Data(settings, store, places[0].store)
        opened.push_async_callback(made.written)
        yield made


def rig(data: Data, games: Games) -> Rig:
    return Rig(games, data.store, LocalWake(), None, data.settings)  # pyright: ignore[reportArgumentType]


async def played(data: Data, rounds: int = 2, *, undo: bool = False) -> GameId:
    """Return a game of some rounds, all of it stored, with its snapshots."""
    games = data.games()
    table = rig(data, games)
    game = await table.begun(rounds=3)
    for _ in range(rounds):
        await table.play_round(game)
        if undo:
            await undone(table, game)
    await data.written()
    return game


async def put_up(table: Rig, game: GameId) -> PlayerId:
    """Put something up; return whose turn it is."""
    now = await table.games.game(game)
    player = now.players[now.decisions[0].seats[0]]
    assert player is not None
    await table.give(game, player, "put-up", coins=1)
    return player


async def undone(table: Rig, game: GameId) -> None:
    """Put something up, and take that back."""
    player = await put_up(table, game)
    now = await table.games.game(game)
    await table.give(game, player, "undo", to=now.undo_to[-1])


# --- the game is the game ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("undo", [False, True])
async def test_a_game_loaded_from_a_snapshot_is_the_game_after_every_command(data: Data, undo: bool) -> None:
    table = rig(data, data.games())
    game = await table.begun(rounds=3)
    starts: list[Version] = []
    for number in range(3):
        await (table.play_round(game) if number < 2 else put_up(table, game))
        if undo:
            await undone(table, game)
        await data.written()
        found, after = await data.loaded(game)
        assert kernel.take(found) == await data.plain(game)
        starts.append(after)
    assert starts[-1] > EVERY
    assert sorted(starts) == starts
    assert data.metrics.cache_requests.labels("snapshots", "hit")._value.get() == 3


async def test_its_past_its_events_and_its_secrets_are_there(data: Data) -> None:
    game = await played(data, undo=True)
    resumed, folded = data.games(), data.games(snapshots=False)
    last = (await resumed.game(game)).version
    assert data.store.loaded[-1] > 0
    for version in range(1, last + 1):
        assert kernel.take(await resumed.at(game, version)) == kernel.take(await folded.at(game, version))
    assert await resumed.records(game) == await folded.records(game)
    assert len(await resumed.records(game)) == last
    assert (await resumed.vault(game)).all() == (await folded.vault(game)).all()
    assert (await folded.vault(game)).all()


async def test_it_is_played_on_and_undone_on(data: Data) -> None:
    game = await played(data, undo=True)
    table = rig(data, data.games())
    await undone(table, game)
    assert data.store.loaded[0] > 0
    await table.play_round(game)
    assert kernel.take(await table.games.game(game)) == await data.plain(game)


async def test_what_another_process_has_added_since_is_there(data: Data) -> None:
    game = await played(data)
    before = data.games()
    old = (await before.game(game)).version
    await put_up(rig(data, data.games(snapshots=False)), game)
    found, after = await data.loaded(game)
    assert 0 < after < old < found.version
    assert kernel.take(found) == await data.plain(game)


async def test_no_event_is_shown_before_its_secrets_are_known(data: Data) -> None:
    game = await played(data)
    behind, ahead = data.games(), rig(data, data.games(snapshots=False))
    now = await behind.game(game)
    assert data.store.loaded[-1] > 0, "the events before have to be read, and those after are read with them"
    await ahead.play_round(game)
    seen = await behind.events(now, viewer_of(now, caller(ANNA)))
    fresh = data.games(snapshots=False)
    known = await fresh.events(await fresh.game(game), viewer_of(now, caller(ANNA)))
    assert [event.version for event in seen] == list(range(1, now.version + 1))
    assert [event.secrets for event in seen] == [event.secrets for event in known[: len(seen)]]


# --- what does not fit ------------------------------------------------------------------------------------------------


async def _other_body(data: Data, kept: Snapshot) -> Snapshot:
    return replace(kept, body=kept.body.replace(b'"draws":', b'"draws":1', 1))


async def _forged_seal(data: Data, kept: Snapshot) -> Snapshot:
    return replace(kept, seal=bytes(32))


async def _of_another_game(data: Data, kept: Snapshot) -> Snapshot:
    other = await played(data)
    found = await data.kept.newest(other)
    assert found is not None
    return replace(found, game=kept.game)


async def _sealed(data: Data, kept: Snapshot, **changes: Any) -> Snapshot:
    """Return a snapshot of what never was, sealed by somebody who knows the secret."""
    stored = await data.store.load(kept.game)
    assert stored is not None
    game = replace(await data.games(snapshots=False).at(kept.game, kept.version), **changes)
    return replace(take(game, stored.chance), version=kept.version)


async def _of_another_log(data: Data, kept: Snapshot) -> Snapshot:
    # At the end of the log, where nothing follows that would give it away.
    last = (await data.games(snapshots=False).game(kept.game)).version
    return await _sealed(data, replace(kept, version=last), head=bytes(32))


async def _of_a_later_version(data: Data, kept: Snapshot) -> Snapshot:
    return replace(await _sealed(data, kept, version=10_000), version=10_000)


async def _of_another_form(data: Data, kept: Snapshot) -> Snapshot:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "FORM", kernel.FORM + 1)
        return await _sealed(data, kept)


async def _no_json(data: Data, kept: Snapshot) -> Snapshot:
    return replace(kept, body=b"[]")


Spoil = Callable[[Data, Snapshot], Awaitable[Snapshot]]


@pytest.mark.parametrize(
    "spoil",
    [
        _other_body,
        _forged_seal,
        _of_another_game,
        _of_another_log,
        _of_a_later_version,
        _of_another_form,
        _no_json,
    ],
)
async def test_one_that_does_not_fit_is_thrown_away_and_the_log_is_folded(data: Data, spoil: Spoil) -> None:
    game = await played(data)
    kept = await data.kept.newest(game)
    assert kept is not None
    spoilt = await spoil(data, kept)
    await data.written()
    await data.kept.drop(game)
    await data.kept.keep(spoilt)

    found, after = await data.loaded(game)
    assert after == 0
    assert kernel.take(found) == await data.plain(game)
    await data.written()
    again = await data.kept.newest(game)
    assert again is not None, "the fold is written down in its place"
    assert (again.version, again.body) == (found.version, kernel.take(found))


async def test_one_of_another_game_is_never_taken_for_it(data: Data) -> None:
    game, other = await played(data), await played(data)
    copied = await data.kept.newest(other)
    before = await data.plain(other)
    data.kept = Misplaced(data.kept, copied)

    games = data.games()
    assert (await games.game(game)).id == game
    await put_up(rig(data, games), game)
    assert await data.plain(other) == before
    assert data.kept.dropped == [game]


@pytest.mark.parametrize("ahead", [False, True])
async def test_none_counts_of_a_game_that_is_over_for_the_key_of_its_seal_is_public(data: Data, ahead: bool) -> None:
    game = await played(data, rounds=3)
    games = data.games(snapshots=False)
    over = await games.game(game)
    assert over.status == "over"
    kept = await data.kept.newest(game)
    assert kept is None or kept.version < over.version, "none is written once the game is over"

    stored = await data.store.load(game)
    base = over if ahead else await games.at(game, over.version - 3)
    forged = replace(base, status="running", players=dict.fromkeys(base.players, CARL))
    await data.kept.drop(game)
    await data.kept.keep(take(forged, stored.chance))
    found, after = await data.loaded(game)
    assert after == 0
    assert kernel.take(found) == await data.plain(game)
    await data.written()
    assert await data.kept.newest(game) is None


async def test_what_was_damaged_before_it_is_found_when_it_is_looked_at(data: Data) -> None:
    table = rig(data, data.games())
    game = await table.begun(rounds=3)
    await table.play_round(game)
    player = await put_up(table, game)
    await data.written()
    data.store.spoils = 3
    games = data.games()
    now = await games.game(game)
    assert data.store.loaded[-1] > 3
    for version in (3, 4, now.version - 1):
        with pytest.raises(GameDamaged, match="from version 3 on"):
            await games.at(game, version)
    with pytest.raises(GameDamaged, match="from version 3 on"):
        await games.act(game, player, Commands([command("undo", to=now.undo_to[-1])]))
    data.store.spoils = None
    await games.act(game, player, Commands([command("undo", to=now.undo_to[-1])]))


async def test_one_of_moves_that_were_taken_back_since_is_thrown_away(data: Data) -> None:
    table = rig(data, data.games())
    game = await table.begun(rounds=3)
    await table.give(game, ANNA, "put-up", coins=1)
    taken_back = await table.games.game(game)
    await table.give(game, ANNA, "undo", to=taken_back.undo_to[-1])
    stored = await data.store.load(game)
    await data.written()
    await data.kept.drop(game)
    await data.kept.keep(take(taken_back, stored.chance))

    found, after = await data.loaded(game)
    assert after == 0
    assert kernel.take(found) == await data.plain(game)


async def test_games_are_played_while_snapshots_cannot_be_kept(data: Data) -> None:
    game = await played(data)

    async def fails(*_: object) -> None:
        raise StoreUnavailable("no room")

    data.kept = Spoilt(fails)
    found, after = await data.loaded(game)
    assert after == 0
    table = rig(data, data.games())
    await table.play_round(game)
    await data.written()
    assert (await table.games.game(game)).version > found.version


# --- where they are kept ----------------------------------------------------------------------------------------------


def snapshot(game: str, version: Version) -> Snapshot:
    return Snapshot(
        GameId(game), version, "tiny-auction", 1, b'{"at":%d,"text":"\\u0000 \xc3\xa9"}' % version, b"s" * 32
    )


async def test_the_newest_is_kept(data: Data) -> None:
    kept = data.kept
    assert await kept.newest(GameId("g1")) is None
    assert await kept.newest(GameId("g\0")) is None
    for version in (5, 9, 7):
        await kept.keep(snapshot("g1", version))
    await kept.keep(snapshot("g2", 3))
    assert await kept.newest(GameId("g1")) == snapshot("g1", 9)
    await kept.drop(GameId("g1"))
    assert await kept.newest(GameId("g1")) is None
    assert await kept.newest(GameId("g2")) == snapshot("g2", 3)


@pytest.mark.parametrize("data", ["sqlite", "postgres"], indirect=True)
async def test_they_are_there_for_the_next_process(data: Data) -> None:
    await data.kept.keep(snapshot("g1", 5))
    (place,) = await open_snapshots(data.settings)
    assert await place.store.newest(GameId("g1")) == snapshot("g1", 5)
    await place.store.close()
    with pytest.raises(StoreUnavailable):
        await place.store.newest(GameId("g1"))


@pytest.mark.parametrize("data", ["redis"], indirect=True)
async def test_what_redis_should_not_hold_is_dropped(data: Data) -> None:
    with shared_server().client() as client:
        client.set("tabularium:snapshot:g1", b"9" * 20 + b"no message pack")
        assert await data.kept.newest(GameId("g1")) is None
        assert not client.keys("tabularium:snapshot:*")
        await data.kept.keep(snapshot("g1", 5))
        assert 0 < client.ttl("tabularium:snapshot:g1") <= 3600


@pytest.mark.parametrize("data", ["redis"], indirect=True)
@pytest.mark.parametrize("version", [0, 2**31, 2**64 - 1])
async def test_a_version_that_no_game_reaches_is_dropped(data: Data, version: Version) -> None:
    game = await played(data)
    kept = await data.kept.newest(game)
    assert kept is not None
    with shared_server().client() as client:
        name = f"tabularium:snapshot:{game}"
        client.set(name, b"9" * 20 + msgspec.msgpack.encode(replace(kept, version=version)))
        assert await data.kept.newest(game) is None
        assert not client.exists(name)


async def test_redis_may_hang_or_be_stopped_or_flushed_and_is_used_again(tmp_path: Path) -> None:
    metrics = Metrics()
    with server() as own:
        async with AsyncExitStack() as opened:
            settings = Settings(data=tmp_path, durable=False, snapshot_every=1000)
            store = await backend_of(settings).open_store()
            opened.push_async_callback(store.close)
            redis = await opened.enter_async_context(open_redis(own.url, metrics))
            data = Data(settings, store, RedisSnapshots(redis))
            game = await played(data)
            assert (await data.loaded(game))[1] > 0

            own.pause()
            found, after = await data.loaded(game)
            assert kernel.take(found) == await data.plain(game)
            own.resume()

            own.halt()
            found, after = await data.loaded(game)
            assert after == 0
            assert kernel.take(found) == await data.plain(game)
            await put_up(rig(data, data.games()), game)
            await data.written()

            own.start()
            async with asyncio.timeout(20):
                await redis.until_well()
            assert (await data.loaded(game))[1] == 0, "it has forgotten everything"
            await data.written()
            assert (await data.loaded(game))[1] > 0

            own.flush()
            assert (await data.loaded(game))[1] == 0


async def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "snapshots.db"
    path.write_bytes(b"no database at all, " * 1000)
    kept = await SqliteSnapshots.open(path)
    await kept.keep(snapshot("g1", 5))
    assert await kept.newest(GameId("g1")) == snapshot("g1", 5)
    await kept.close()


async def test_none_are_kept_when_the_settings_say_so(tmp_path: Path) -> None:
    assert await open_snapshots(Settings(data=tmp_path, snapshot_every=0)) == []
    assert not await asyncio.to_thread(lambda: list(tmp_path.iterdir()))
