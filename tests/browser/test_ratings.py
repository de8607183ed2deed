"""Ratings in the browser: the list, and the page of a player with the course of a rating and the luck of their dice."""

import pytest
from playwright.async_api import Page

from projections import ratings
from service.ratings import counter
from tests.browser.games import table
from tests.browser.visiting import PHONE, Visit, expect
from tests.service.api.serving import Service
from tests.service.api.test_statistics import caught_up


async def test_a_rating_is_found_in_the_list_and_shown_over_time(
    service: Service, page: Page, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratings, "NOVICE_UNTIL", 0)
    games = [await table(service.services, "mare-nostrum", 3, seed=seed, title="Merchants") for seed in (1, 2)]
    await caught_up(service)
    await counter(service.services.store, service.services.rows).catch_up()
    await page.goto("/ratings?ruleset=mare-nostrum")
    ladder = page.get_by_role("table", name="Ratings")
    await expect(ladder.get_by_role("row")).to_have_count(
        1 + len({each.id for of in games for each in of.seats.values()})
    )
    await expect(page.get_by_role("link", name="Mare Nostrum")).to_have_attribute("aria-current", "page")
    await ladder.get_by_role("link").first.click()
    await expect(page.get_by_role("region", name="Ratings")).to_contain_text("provisional")
    await expect(page.get_by_role("region", name="Luck")).to_contain_text("expected")
    async with visit(**PHONE) as visitor:
        await visitor.page.goto(page.url)
        section = visitor.page.get_by_role("region", name="Ratings")
        await section.get_by_text("The game").or_(section.get_by_text("The last")).click()
        await expect(section.get_by_role("table")).to_contain_text("of 3")
        await visitor.axe_in_passing()
        assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    await page.goto(f"/games/{games[0].id}")
    await page.get_by_role("tab", name="Scores").click()
    await expect(page.get_by_text("Luck of the dice")).to_be_visible()
