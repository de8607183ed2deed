"""The nation cards of Italia in the reading room, and a command that its rules refuse."""

import json

from playwright.async_api import Page, expect

from domain.kernel.log.game import Game
from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.visiting import Visitor
from tests.service.api.serving import Service


def asks_to_buy(game: Game) -> bool:
    return any(decision.kind == "buy" for decision in game.decisions)


async def test_a_nations_card_is_opened_where_it_is_named_and_refusals_show_its_rule(
    service: Service, page: Page, visitor: Visitor
):
    visitor.expect("409|422|400")
    made = await table(service.services, "italia-1", 3, events=400, until=asks_to_buy)
    asked = made.simulation.game.decisions[0]
    await opened(page, made.id, f"#token={made.token(asked.seats[0])}")

    named = page.locator(".decision h3 .paper-link")
    await named.click()
    card = page.get_by_role("dialog", name=await named.inner_text())
    await expect(card).to_contain_text("reconstructed: our reconstruction from history")
    line = "lines => lines.map((line) => line.querySelector('.origin')?.textContent)"
    origins = await card.locator(".lines li").evaluate_all(line)
    assert set(origins) <= {"seed", "published", "reconstructed"}
    await visitor.axe("#paper")
    await page.keyboard.press("Escape")
    await expect(named).to_be_focused()

    await page.get_by_role("tab", name="Scores").click()
    await expect(page.locator("#panel .seats .paper-link")).not_to_have_count(0)
    await page.get_by_role("tab", name="Decide").click()
    other = json.dumps({"command": {"type": "buy", "infantry": 99}})
    await page.route("**/commands", lambda route: route.continue_(post_data=other), times=1)
    await page.locator("button.option:visible").first.click()
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".outcome.refused details.rule")).to_contain_text("Rule IT-")
