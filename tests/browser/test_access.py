"""Whoever cannot see colours, or the page at all, or has no mouse, comes as far as everybody else."""

from typing import Any

import pytest

from tests.browser.games import table
from tests.browser.reading import settled
from tests.browser.visiting import DARK, PHONE, Visit
from tests.service.http.serving import Service

LOOKS: dict[str, dict[str, Any]] = {"light": {}, "dark": DARK, "phone": PHONE, "dark phone": {**DARK, **PHONE}}

PAGES = ("/docs", "/problems", "/problems/not-now")


@pytest.mark.parametrize("look", LOOKS)
async def test_pages_for_readers(visit: Visit, look: str):
    async with visit(**LOOKS[look]) as visitor:
        for path in PAGES:
            await visitor.page.goto(path, wait_until="networkidle")
            await visitor.axe()


@pytest.mark.parametrize("look", LOOKS)
async def test_lobby(service: Service, visit: Visit, look: str):
    await table(service.house, seed=1, events=60)
    await table(service.house, "mare-nostrum", seed=2, events=60)
    async with visit(**LOOKS[look]) as visitor:
        await visitor.page.goto("/")
        await visitor.page.get_by_text("played by bots").first.wait_for()
        await visitor.axe()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("ruleset", ["conquest-classic-friz", "mare-nostrum"])
async def test_game(service: Service, visit: Visit, look: str, ruleset: str):
    made = await table(service.house, ruleset, 3, events=400)
    async with visit(**LOOKS[look]) as visitor:
        await visitor.page.goto(f"/games/{made.id}")
        await settled(visitor.page)
        await visitor.axe()
