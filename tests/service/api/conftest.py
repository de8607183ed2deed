"""A service for each test, over data of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from service.webhooks.push import new_push_key
from service.webhooks.secrets import new_key
from tests.service.api.clubs import Club, club_of
from tests.service.api.scene import Scene, scene_of
from tests.service.api.serving import Player, Service, serving


@pytest.fixture
async def service(tmp_path: Path, database_url: str) -> AsyncIterator[Service]:
    async with serving(
        tmp_path, durable=False, database_url=database_url, webhook_key=new_key(), push_key=new_push_key()
    ) as running:
        yield running


@pytest.fixture
async def anna(service: Service) -> Player:
    return await service.register("Anna")


@pytest.fixture
async def bert(service: Service) -> Player:
    return await service.register("Bert")


@pytest.fixture
async def scene(service: Service, anna: Player, bert: Player) -> Scene:
    return await scene_of(service, anna, bert)


@pytest.fixture
async def club(service: Service) -> Club:
    club = await club_of(service)
    await club.announce()
    return club
