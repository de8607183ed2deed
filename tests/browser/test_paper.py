"""A page of a game on paper: what is read, and nothing that is pressed."""

import json

from playwright.async_api import Page

from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.visiting import expect
from tests.service.api.serving import Service


async def test_a_printed_page_has_the_board_and_the_story_but_no_controls(service: Service, page: Page):
    made = await table(service.services, events=200)
    events = (await service.get(f"/v1/games/{made.id}/events?after={made.version - 50}"))["items"]
    # What is long is folded up.
    short = next(each for each in reversed(events) if len(json.dumps(each["event"], indent=2).splitlines()) <= 5)
    await opened(page, made.id, f"#v={short['version']}")
    await expect(page.locator("#panel pre").first).to_be_visible()
    await page.emulate_media(media="print")
    for gone in ("#timeline", ".tabs", "#panel pre", "#turn", "#board button", ".page-header button"):
        assert await page.locator(gone).evaluate_all("(all) => all.every((each) => !each.checkVisibility())"), gone
    await expect(page.locator("svg.board")).to_be_visible()
    await expect(page.locator("#sentences li").last).to_be_visible()
