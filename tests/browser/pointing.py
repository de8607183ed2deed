"""Pointing at the map: sitting down at a game that asks, and finding areas on its board."""

from playwright.async_api import Locator, Page

from domain.kernel.ids import Seat
from tests.browser.games import Table
from tests.browser.visiting import Visitor, expect


def asked(made: Table) -> Seat:
    return made.simulation.game.decisions[0].seats[0]


async def sit(page: Page, made: Table) -> None:
    await page.goto(f"/games/{made.id}#token={made.token(asked(made))}")
    await expect(page.locator("#turn .turn.asked.now")).to_be_visible()
    await expect(page.locator("svg.board [data-area].can").first).to_be_attached()


def area(page: Page, name: str) -> Locator:
    return page.locator(f'svg.board [data-area="{name}"]')


async def first(page: Page, mark: str) -> str:
    """Return the first area that is marked so."""
    found = await page.locator(f"svg.board [data-area].{mark}").first.get_attribute("data-area")
    assert found is not None
    return found


def commands(visitor: Visitor) -> list[str]:
    return [each.post_data or "" for each in visitor.asked if each.url.endswith("/commands")]
