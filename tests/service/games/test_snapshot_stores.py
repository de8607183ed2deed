"""Where snapshots are kept: beside the store, or in Redis."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from domain.kernel.ids import GameId, Version
from domain.kernel.log import snapshot as kernel
from service.app import open_snapshots
from service.base.settings import Settings
from service.cluster.redis import open_redis
from service.cluster.redis_snapshots import RedisSnapshots
from service.observe.metrics import Metrics
from service.store.backend import backend_of
from service.store.protocol import StoreUnavailable
from service.store.snapshots import Snapshot
from service.store.sqlite.snapshots import SqliteSnapshots
from tests.helpers.redis import server, shared_server
from tests.service.games.snapshots import Data, played, put_up, rig


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
