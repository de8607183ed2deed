"""A button that comes to lie under a resting pointer does nothing at first."""

from playwright.async_api import Page

from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.test_since import asked_in_round_three
from tests.browser.visiting import until
from tests.service.api.serving import Service

HELD = "document.querySelector('#turn button[inert]')"


async def test_a_second_click_does_not_press_what_came_to_lie_under_the_pointer(service: Service, page: Page):
    made = await table(service.services, until=asked_in_round_three)
    seat = made.simulation.game.decisions[0].seats[0]
    await opened(page, made.id, f"#token={made.token(seat)}")
    box = await page.locator("#turn").get_by_role("button", name="Done moving").bounding_box()
    assert box
    x, y = box["x"] + 20, box["y"] + box["height"] / 2
    await page.mouse.click(x, y)
    await until(page, HELD)
    after = (await service.get(f"/v1/games/{made.id}"))["version"]
    assert after > made.version
    await page.mouse.click(x, y)
    await until(page, f"!{HELD}")
    assert (await service.get(f"/v1/games/{made.id}"))["version"] == after
    await page.mouse.click(x, y)
    await until(page, f"Number(document.getElementById('slider').max) > {after}")
