"""The guides and the API reference, as readers find them."""

import re

import pytest
from playwright.async_api import Page

from tests.browser.test_access import LOOKS
from tests.browser.visiting import Visit, Visitor, expect
from tests.helpers.sampling import sampled

SCALARS_DOUBT = "Trying to set .ref-value for invalid reference: #/.defs/"
"""Scalar reads the `$ref` in an example of a JSON Schema as one of the contract's. The example is right."""


@pytest.mark.parametrize("look", sampled("the reference by axe", LOOKS, 1))
async def test_a_link_leads_to_an_endpoint_in_the_reference_and_up_to_its_beginning(visit: Visit, look: str):
    async with visit(**LOOKS[look]) as visitor:
        page = visitor.page
        visitor.expect(SCALARS_DOUBT)
        await page.goto("/docs/reference#tag/games/POST/v1/games")
        await expect(page.get_by_role("heading", name="Create a game")).to_be_in_viewport()
        await expect(page.get_by_text("curl").first).to_be_visible()
        await visitor.axe()
        beginning = page.get_by_role("heading", name="Tabularium")
        await beginning.scroll_into_view_if_needed()
        await expect(beginning).to_be_in_viewport()
        await visitor.axe()


async def test_guides_lead_to_a_reference_in_the_colours_of_the_system_that_finds_what_is_searched(
    page: Page, visitor: Visitor
):
    """One test for all of it: the reference is the heaviest of all pages."""
    visitor.expect(SCALARS_DOUBT)

    async def papers() -> list[str]:
        found: list[str] = []
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            found.append(await page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
        return found

    await page.goto("/")
    lobby = await papers()
    assert lobby[0] != lobby[1]
    await page.get_by_role("link", name="API", exact=True).first.click()
    await expect(page.get_by_role("heading", name="Documentation")).to_be_visible()
    await page.get_by_role("main").get_by_role("link", name="What a verified export proves").click()
    await expect(page.get_by_role("heading", name="What a verified export proves")).to_be_visible()
    guides = page.get_by_role("navigation", name="Guides")
    await expect(guides.locator("[aria-current=page]")).to_have_text("What a verified export proves")
    await guides.get_by_role("link", name="Tabularium", exact=True).click()
    await expect(page.get_by_role("heading", name="Tabularium", exact=True)).to_be_visible()
    picture = page.get_by_role("main").get_by_role("img").first
    assert await picture.evaluate("each => each.decode().then(() => each.naturalWidth > 0)")
    await page.get_by_role("link", name="API reference").click()
    await expect(page.get_by_role("heading", name="Tabularium")).to_be_visible()
    assert await papers() == lobby
    await page.get_by_role("button", name=re.compile("Search")).first.click()
    await page.get_by_role("combobox").or_(page.get_by_role("searchbox")).first.fill("take a seat")
    await expect(page.get_by_role("option", name=re.compile("Take a seat")).first).to_be_visible()
