"""The page of a game as tests look at it."""

import re
from typing import Any

from playwright.async_api import FloatRect, Locator, Page

from domain.kernel.rules import schema
from tests.browser.games import Table
from tests.browser.visiting import expect
from tests.service.api.serving import Service


async def opened(page: Page, game: str, fragment: str = "") -> None:
    """Open the page of a game and wait until its board is there, and the panels, which come after it."""
    await page.goto(f"/games/{game}{fragment}")
    await settled(page)
    await expect(page.get_by_role("tablist")).to_be_visible()


async def settled(page: Page) -> None:
    """Wait until the board shows the version that is asked for."""
    await expect(board(page)).to_have_attribute("aria-busy", "false")


def board(page: Page) -> Locator:
    return page.get_by_role("region", name="Board", exact=True)


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Version")


async def version(page: Page) -> int:
    return int(await slider(page).input_value())


async def content(page: Page) -> dict[str, str]:
    """Return what the board says that lies in each area."""
    return await page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('svg.board [data-area]')]"
        ".map((area) => [area.dataset.area, area.querySelector('title')?.textContent ?? '']))"
    )


async def assert_shows(page: Page, service: Service, game: str, at: int) -> None:
    """Assert that the board in the page says what the position is at a version."""
    await expect_version(page, at)
    shown = await content(page)
    marks = await service.get(f"/v1/games/{game}/marks?version={at}")
    pieces = tuple(f"{standing['name']}: " for standing in marks["standings"])
    for area, said in shown.items():
        place: dict[str, Any] = marks["places"].get(area, {})
        words = [stack["words"] for stack in place.get("stacks", ())]
        words += [mark["words"] for mark in place.get("sites", ()) if mark.get("words")]
        words += [place["battle"]] if place.get("battle") else []
        assert all(each in said for each in words), (area, said, words)
        # What else is said is about the area itself: no pieces are left over from another version.
        left = [line for line in said.split("; ")[1:] if line not in words]
        assert not any(line.startswith(pieces) for line in left), (area, left)


async def give_any(service: Service, made: Table) -> int:
    """Give a command for a seat that has to decide; return the version after it."""
    game = await service.get(f"/v1/games/{made.id}")
    seat = game["decisions"][0]["seats"][0]
    options = (await service.get(f"/v1/games/{made.id}/options", made.seats[seat]))["options"]
    asked = next(option for option in options if option.get("decision"))
    command = schema.sample(asked["schema"], made.simulation.rng)
    return (await service.post(f"/v1/games/{made.id}/commands", made.seats[seat], {"command": command}))["version"]


def sentence(page: Page, number: int) -> Locator:
    return page.locator(f'#sentences [data-version="{number}"]')


async def expect_version(page: Page, number: int) -> None:
    """Wait until the page shows a version."""
    await expect(slider(page)).to_have_value(str(number))
    await expect(board(page)).to_have_attribute("data-version", str(number))
    await settled(page)


async def sizes(page: Page) -> list[float]:
    """Return how large what is written on pieces and in areas is, in pixels."""
    await expect(page.locator("svg.board")).to_have_attribute("style", re.compile("--pieces"))
    return await page.locator("svg.board #areas text").evaluate_all(
        "(all) => all.map((each) => { const { a, b } = each.getScreenCTM();"
        " return Math.hypot(a, b) * parseFloat(getComputedStyle(each).fontSize); })"
    )


async def sees_all(page: Page) -> bool:
    """Tell whether nothing of the board lies outside of its place."""
    place = await page.locator("section#board").bounding_box()
    earth = await page.locator("svg.board #earth > rect").bounding_box()
    assert place
    assert earth
    return all(
        earth[start] >= place[start] - 1 and earth[start] + earth[length] <= place[start] + place[length] + 1
        for start, length in (("x", "width"), ("y", "height"))
    )


async def box(page: Page, selector: str) -> FloatRect:
    """Return where an element is."""
    found = await page.locator(selector).bounding_box()
    assert found
    return found
