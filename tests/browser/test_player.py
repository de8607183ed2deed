"""The page of a player: results by ruleset, and what they play now."""

import asyncio

from playwright.async_api import Page

from tests.browser.games import table
from tests.browser.visiting import PATIENCE, PHONE, Visit, Visitor, expect
from tests.service.api.serving import Service


async def test_a_player_shows_what_they_play_and_how_it_ended(service: Service, page: Page, visit: Visit):
    over = await table(service.services, "mare-nostrum", 3, seed=1, title="Merchants")
    seat, player = next(iter(over.seats.items()))
    new_game = {"ruleset": "conquest-classic-friz", "players": 2}
    for title, listed in (("<i>Open</i>", True), ("Hidden", False)):
        game = (await service.post("/v1/games", player, {**new_game, "title": title, "listed": listed}))["id"]
        await service.post(f"/v1/games/{game}/seats", player, {})
    record = f"/v1/players/{player.id}/record"
    async with asyncio.timeout(PATIENCE / 1000):  # the projections are a moment behind
        while not (found := await service.get(record))["finished"] or len(found["rulesets"]) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    await page.goto(f"/players/{player.id}")
    await expect(page.get_by_role("region", name="Finished").get_by_role("listitem")).to_contain_text("Merchants")
    waiting = page.get_by_role("region", name="Waiting for players").get_by_role("listitem")
    await expect(waiting).to_have_count(1)
    await expect(waiting).to_contain_text("<i>Open</i>")
    row = page.get_by_role("row", name="Mare Nostrum")
    result = over.simulation.game.result
    assert result
    await expect(row.get_by_role("cell")).to_have_text(["1", str(int(seat in result.winners)), "0"])
    async with visit(**PHONE) as visitor:
        await visitor.page.goto(f"/players/{player.id}")
        await expect(visitor.page.get_by_role("region", name="Results")).to_be_visible()
        await visitor.axe_in_passing()
        assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]


async def test_a_player_that_is_none(page: Page, visitor: Visitor):
    visitor.expect("404")
    await page.goto("/players/pnobody")
    await expect(page.get_by_role("heading", name="No such player")).to_be_visible()
    await expect(page.get_by_role("alert")).to_contain_text("pnobody")
