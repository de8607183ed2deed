"""The pages that are there for people who read: the API's documentation, and what a problem means."""

import re

from playwright.async_api import Page, expect

from tests.browser.games import table
from tests.browser.visiting import Visitor
from tests.service.api.serving import Service


async def test_the_documentation_shows_the_contract_and_asks_no_other_host(page: Page, visitor: Visitor):
    await page.goto("/docs")
    await expect(page.get_by_role("heading", name=re.compile("^Tabularium"))).to_be_visible()
    await expect(page.locator(".opblock").first).to_be_visible()
    assert {"/docs", "/openapi.json"} <= {request.url.removeprefix(visitor.address) for request in visitor.asked}


async def test_a_game_that_bots_began_is_played_on(service: Service, page: Page):
    made = await table(service.services, "mare-nostrum", 3, events=200)
    await page.goto(f"/v1/games/{made.id}")
    seat = (await service.get(f"/v1/games/{made.id}"))["decisions"][0]["seats"][0]
    options = await service.get(f"/v1/games/{made.id}/options", made.seats[seat])
    assert options["options"]
