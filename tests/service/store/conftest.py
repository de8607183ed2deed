"""A store of each kind."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.store.protocol import EventStore
from tests.service.store.adapters import EVERY, Adapter, Open


@pytest.fixture(params=EVERY.values(), ids=list(EVERY))
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    adapter: Adapter = request.param
    async with adapter(tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def store(data: Open) -> EventStore:
    return await data()
