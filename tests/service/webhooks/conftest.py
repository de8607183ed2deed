"""Games, and a receiver that is told of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.rig import ANNA, BERT, CARL, open_rig
from tests.service.webhooks.receiving import Telling, receiving, registered, telling


@pytest.fixture
async def told(tmp_path: Path, database_url: str) -> AsyncIterator[Telling]:
    async with open_rig(tmp_path, database_url=database_url) as rig, receiving() as receiver:
        await registered(rig, ANNA, BERT, CARL)
        async with telling(rig, receiver) as opened:
            yield opened
