"""Ending a game by agreement in its page: proposing an order of the seats, and how the others answer."""

import re

from playwright.async_api import Locator, Page

from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.visiting import Visit, expect
from tests.service.api.serving import Service


def around(page: Page) -> Locator:
    return page.locator("#around")


async def test_a_game_is_ended_by_agreement_and_says_so(service: Service, page: Page, visit: Visit):
    made = await table(service.services, seats=3, events=60)
    first, *others = made.seats
    await opened(page, made.id, f"#token={made.token(first)}")
    await page.get_by_role("tab", name="Scores").click()
    await page.get_by_text("Propose to end the game").click()
    await page.locator(f"select[name={first}]").select_option("2")
    await page.get_by_role("button", name="Propose this end").click()
    await expect(around(page)).to_contain_text("You propose to end the game")
    await expect(page.get_by_role("button", name="Propose this end")).to_have_count(0)
    for other in others:
        async with visit() as visitor:
            await opened(visitor.page, made.id, f"#token={made.token(other)}")
            await expect(around(visitor.page)).to_contain_text("proposes to end the game")
            await around(visitor.page).get_by_role("button", name="Agree to end the game").click()
            await expect(around(visitor.page).get_by_role("button", name="Agree")).to_have_count(0)
    await expect(around(page)).to_contain_text("Game over. Ended by agreement")
    result = (await service.get(f"/v1/games/{made.id}"))["result"]
    assert (result["how"], result["order"]) == ("agreed", [others, [first]])


async def test_players_agree_to_a_rematch_with_one_click_of_each(service: Service, page: Page, visit: Visit):
    made = await table(service.services, seats=2, events=60)
    first, other = made.seats
    game = f"/v1/games/{made.id}"
    headers = {"authorization": f"Bearer {made.token(first)}"}
    await service.client.post(f"{game}/seats/{first}/resignation", headers=headers)
    await opened(page, made.id, f"#token={made.token(first)}")
    async with visit() as visitor:
        await opened(visitor.page, made.id, f"#token={made.token(other)}")
        await around(page).get_by_role("button", name="Rematch").click()
        await expect(around(page)).to_contain_text("A rematch is offered")
        await expect(around(page).get_by_role("button", name="Withdraw")).to_be_visible()
        (offer,) = (await service.get(f"{game}/rematches"))["items"]
        # In the game itself, which the inbox leads to, the other player sees the same.
        await visitor.page.goto(f"/games/{offer['game']}#token={made.token(other)}")
        asked = visitor.page.get_by_role("group", name="A rematch")
        await expect(asked.get_by_role("listitem")).to_have_count(2)
        await asked.get_by_role("button", name="Agree").click()
        await expect(asked).to_have_count(0)
        assert (await service.get(f"/v1/games/{offer['game']}"))["status"] == "running"
    await around(page).get_by_role("link", name="Go to the rematch").click()
    await expect(page).to_have_url(re.compile(f"/games/{offer['game']}"))
