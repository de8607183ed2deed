"""A browser, a service with the real rulesets for each test, and pages to look at it with.

All tests here run in one event loop, in which the browser lives: it is started once. Fixtures of these tests that are
asynchronous need `@pytest_asyncio.fixture(loop_scope="session")`.
"""

import functools
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from service.base.sockets import listen
from tests.browser.chromium import chromium
from tests.browser.deciding import several
from tests.browser.games import Table, asks, table
from tests.browser.visiting import Lent, Visit, Visitor, noting
from tests.service.api.serving import Service, serving

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def lent(browser: Browser) -> Lent:
    return Lent(browser)


@pytest.fixture(scope="session")
def door() -> Iterator[socket.socket]:
    """The port of all services: a browser keeps what it knows by address."""
    with listen("127.0.0.1", 0) as listening:
        yield listening


@pytest.fixture
def kept() -> set[str]:
    """The paths whose answers by this test's service a browser may keep."""
    return set()


@pytest_asyncio.fixture(loop_scope="session")
async def service(tmp_path: Path, door: socket.socket, kept: set[str]) -> AsyncIterator[Service]:
    """A running service without games; `tests.browser.games.table` makes some."""
    app = functools.partial(noting, kept)
    async with serving(tmp_path, LIBRARY, builtin, clock=utc_now, durable=False, door=door, app=app) as running:
        # Pictures are named by their game's id and version, and of one id there may be another game in each test.
        msgspec.structs.force_setattr(running.services, "drawn_by", str(tmp_path))
        yield running


@pytest.fixture
def visit(lent: Lent, service: Service, kept: set[str]) -> Visit:
    """Opens further pages: as somebody else, on a phone, in the dark."""
    return functools.partial(lent.visiting, str(service.client.base_url).rstrip("/"), kept)


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(visit: Visit) -> AsyncIterator[Visitor]:
    """A page on a desk; what was wrong with it fails the test."""
    async with visit() as opened:
        yield opened


@pytest.fixture
def page(visitor: Visitor) -> Page:
    """The visitor's page."""
    return visitor.page


@pytest_asyncio.fixture(loop_scope="session")
async def marching(service: Service) -> Table:
    return await table(service.services, "conquest-classic-friz", 3, seed=3, until=asks("move", 30))


@pytest_asyncio.fixture(loop_scope="session")
async def boarding(service: Service) -> Table:
    """Two fleets lie in one sea, and can take units aboard in several areas."""
    return await table(service.services, "italia-1", 3, seed=3, until=asks("move", 20))


@pytest_asyncio.fixture(loop_scope="session")
async def placing(service: Service) -> Table:
    return await table(service.services, "conquest-classic-friz", 3, until=several)
