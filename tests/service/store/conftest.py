"""A store of each kind."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.store.protocol import EventStore
from tests.service.store.adapters import ADAPTERS, Adapter, Open


@pytest.fixture(params=ADAPTERS.values(), ids=list(ADAPTERS))
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    adapter: Adapter = request.param
    async with adapter(tmp_path) as open_store:
        yield open_store


@pytest.fixture
async def store(data: Open) -> EventStore:
    return await data()
