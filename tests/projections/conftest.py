"""Rows of every kind of store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from projections.store import ProjectionStore
from tests.helpers.citus import name_of
from tests.projections.stores import ADAPTERS, Open


@pytest.fixture(params=ADAPTERS, ids=name_of)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    """A place for rows, with nothing in it, to be opened as often as one likes."""
    async with ADAPTERS[request.param](tmp_path) as open_rows:
        yield open_rows


@pytest.fixture
async def rows(place: Open) -> ProjectionStore:
    return await place()
