"""Has the service answer late, and in another order than it was asked: `pytest -p tests.browser.late tests/browser`.

So it is on a bad network. Files of the pages are not delayed. Tests that sign out may complain of a 401 then: of what
the page had asked for before.
"""

import asyncio
from random import Random
from typing import Final

import pytest
from litestar.types import Receive, Scope, Send

from service.api import dispatch
from tests.helpers.sampling import RUN

DELAYS: Final = (0, 0, 0.05, 0.3, 0.7)
"""Seconds, one of which is drawn for each request."""


@pytest.fixture(autouse=True)
def late(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, rng = dispatch._answer, Random(f"{RUN.seed} {request.node.nodeid}")

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith("/v1/"):
            await asyncio.sleep(rng.choice(DELAYS))
        await answer(scope, receive, send)

    monkeypatch.setattr(dispatch, "_answer", answered)
