"""Games over a store."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from service.app import open_snapshots
from service.base.settings import Settings
from service.cluster.redis import open_redis
from service.observe.metrics import Metrics
from service.store.backend import backend_of
from tests.helpers.citus import database_of_the_run, name_of
from tests.helpers.redis import shared_server
from tests.service.api.serving import Player
from tests.service.games.hall import Hall, hall_in
from tests.service.games.snapshots import EVERY, Data
from tests.service.rig import Hands, Rig, open_rig


@pytest.fixture
async def rig(tmp_path: Path, database_url: str) -> AsyncIterator[Rig]:
    async with open_rig(tmp_path, checkpoint_every=10, database_url=database_url) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgres", "redis"], ids=name_of)
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Data]:
    """A store, and one place of snapshots: beside it, or in Redis."""
    async with AsyncExitStack() as opened:
        database_url, redis = "", None
        if request.param == "postgres":
            database_url = await opened.enter_async_context(database_of_the_run())
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


@pytest.fixture
async def hall(tmp_path: Path, database_url: str) -> AsyncIterator[Hall]:
    async with hall_in(tmp_path, database_url, Hands()) as hall:
        await hall.turn()
        yield hall


@pytest.fixture
async def anna(hall: Hall) -> Player:
    return await hall.service.register("Anna")


@pytest.fixture
async def bert(hall: Hall) -> Player:
    return await hall.service.register("Bert")
