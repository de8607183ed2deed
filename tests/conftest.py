"""What the whole test session starts and stops, and the stores that the service is tested on."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.postgres import shared_cluster, stop_shared_cluster
from tests.helpers.redis import stop_shared_server

# How long an example takes says how busy the machine is, and nothing of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_sessionfinish() -> None:
    stop_shared_cluster()
    stop_shared_server()


@pytest.fixture(params=["sqlite", "postgres"])
async def database_url(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The setting that chooses the store: a database with nothing in it, or none for the embedded store."""
    if request.param == "sqlite":
        yield ""
        return
    async with shared_cluster().database() as url:
        yield url
