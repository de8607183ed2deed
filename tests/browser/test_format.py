"""Figures as a reader sees them."""

from playwright.async_api import Page


async def test_halves_are_written_as_halves(page: Page) -> None:
    await page.goto("/viewer/vendor/LICENSE.txt")
    written = """async (figures) => {
        const { scored } = await import("/viewer/parts/format.js");
        return figures.map(scored);
    }"""
    assert await page.evaluate(written, [12, 12.5, 0.5, 0, -0.5, -3.5]) == ["12", "12½", "½", "0", "-½", "-3½"]


async def test_one_thing_is_not_several(page: Page) -> None:
    await page.goto("/viewer/vendor/LICENSE.txt")
    written = """async (nouns) => {
        const { amount } = await import("/viewer/parts/format.js");
        return nouns.map((noun) => amount(1, noun)).concat(amount(2, "generals"));
    }"""
    plurals = ["generals", "galleys", "cities", "fortresses", "taxes", "infantry", "cavalry", "talents"]
    ones = ["general", "galley", "city", "fortress", "tax", "infantry", "cavalry", "talent"]
    assert await page.evaluate(written, plurals) == [*(f"1 {one}" for one in ones), "2 generals"]
