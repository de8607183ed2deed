"""What everybody may read besides: nation cards, cards of the game, and the rule that a refusal names."""

import json

from playwright.async_api import Page

from domain.kernel.log.game import Game
from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.visiting import Visitor, expect
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
    await visitor.axe_in_passing("#paper")
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


async def test_many_papers_are_unfolded_in_the_room_where_a_game_waits(service: Service, page: Page, visitor: Visitor):
    anna = await service.register("Anna")
    game = (await service.post("/v1/games", anna, {"ruleset": "conquest-campaign", "players": 3}))["id"]
    papers = (await service.get(f"/v1/games/{game}/papers"))["papers"]
    await page.goto(f"/games/{game}")
    listed = page.locator(".open-seats .paper-link")
    await page.get_by_text(f"{len(papers)} papers to read").click()
    await expect(listed).to_have_count(len(papers))
    await visitor.axe_in_passing(".open-seats")
    await listed.first.click()
    await expect(page.get_by_role("dialog", name=papers[0]["title"])).to_be_visible()
