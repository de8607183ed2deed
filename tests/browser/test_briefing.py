"""A game in a minute: one click away, wherever a newcomer is."""

import pytest
from playwright.async_api import Page

from domain.library import LIBRARY
from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service

DRAWN = """(signs) => signs.every((sign) => sign.getBBox().width > 0)"""


async def told(page: Page, ruleset: str) -> None:
    """Assert that the card of a ruleset is open, and draws all pieces that it names."""
    shown, briefing = LIBRARY.current(ruleset), LIBRARY.current(ruleset).briefing
    assert briefing
    card = page.get_by_role("dialog", name=shown.title)
    for words in (briefing.goal, briefing.ending, briefing.rounds, briefing.time, *briefing.pieces.values()):
        await expect(card).to_contain_text(words)
    signs = card.locator(".legend use")
    await expect(signs).to_have_count(len(briefing.pieces))
    assert await signs.evaluate_all(DRAWN)
    await expect(card.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("ruleset", sampled("games in a minute", LIBRARY.ids(), 2))
async def test_the_lobby_tells_a_game_in_a_minute(visitor: Visitor, ruleset: str):
    page = visitor.page
    await page.goto("/")
    await page.get_by_role("form", name="Play against bots").get_by_label("Game").select_option(ruleset)
    await page.get_by_role("button", name="The game in a minute").click()
    await told(page, ruleset)
    await visitor.axe_in_passing("#briefing")
    await page.get_by_role("button", name="Close").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_so_does_the_page_of_a_game_also_on_a_phone(service: Service, visit: Visit):
    made = await table(service.services, "italia-2", 4, events=200)
    async with visit(**PHONE) as visitor:
        await opened(visitor.page, made.id)
        await visitor.page.get_by_role("button", name="About").click()
        await told(visitor.page, "italia-2")
