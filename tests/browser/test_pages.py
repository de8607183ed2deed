"""The pages that are there for people who read: the API's documentation, and what a problem means."""

from playwright.async_api import Page

from tests.browser.games import table
from tests.service.api.serving import Service


async def test_a_game_that_bots_began_is_played_on(service: Service, page: Page):
    made = await table(service.services, "mare-nostrum", 3, events=200)
    await page.goto(f"/v1/games/{made.id}")
    seat = (await service.get(f"/v1/games/{made.id}"))["decisions"][0]["seats"][0]
    options = await service.get(f"/v1/games/{made.id}/options", made.seats[seat])
    assert options["options"]
