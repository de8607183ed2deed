"""Figures as a reader sees them."""

from playwright.async_api import Page


async def test_halves_are_written_as_halves(page: Page) -> None:
    await page.goto("/viewer/vendor/LICENSE.txt")
    written = """async (figures) => {
        const { scored } = await import("/viewer/parts/format.js");
        return figures.map(scored);
    }"""
    assert await page.evaluate(written, [12, 12.5, 0.5, 0, -0.5, -3.5]) == ["12", "12½", "½", "0", "-½", "-3½"]
