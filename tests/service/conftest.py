"""What holds for all tests of the service: the stores under it, and a log that is as it was before."""

import logging
from collections.abc import AsyncIterator, Iterator

import pytest
import structlog

from tests.postgres import shared_cluster


@pytest.fixture(params=["sqlite", "postgres"])
async def database_url(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The setting that chooses the store: a database with nothing in it, or none for the embedded store."""
    if request.param == "sqlite":
        yield ""
        return
    async with shared_cluster().database() as url:
        yield url


@pytest.fixture(autouse=True)
def log_as_before() -> Iterator[None]:
    """Undo what a test has done to logging: the stderr that it captured is closed afterwards."""
    before = list(logging.root.handlers), logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:], logging.root.level = before
