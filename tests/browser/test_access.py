"""Visitors who cannot see colours, or the page at all, or have no mouse, can do what everybody can."""

import re
from itertools import product
from typing import Any

import pytest
from playwright.async_api import Page

from tests.browser.games import table
from tests.browser.reading import opened
from tests.browser.visiting import DARK, PHONE, Visit, Visitor, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service

LOOKS: dict[str, dict[str, Any]] = {"light": {}, "dark": DARK, "phone": PHONE, "dark phone": {**DARK, **PHONE}}

GAMES = tuple(product(LOOKS, ("conquest-classic-friz", "mare-nostrum")))
PAGES = ("/docs", "/docs/guides/overview", "/docs/guides/verification", "/problems", "/problems/not-now")


@pytest.mark.parametrize(("look", "path"), sampled("pages for readers by axe", product(LOOKS, PAGES), 4))
async def test_pages_for_readers(visit: Visit, look: str, path: str):
    async with visit(**LOOKS[look]) as visitor:
        await visitor.page.goto(path)
        await visitor.axe()


@pytest.mark.parametrize("look", sampled("the lobby by axe", LOOKS, 1))
async def test_lobby(service: Service, visit: Visit, look: str):
    await table(service.services, seed=1, events=60)
    await table(service.services, "mare-nostrum", seed=2, events=60)
    async with visit(**LOOKS[look]) as visitor:
        await visitor.page.goto("/")
        await visitor.page.get_by_text("played by bots").first.wait_for()
        await visitor.axe()


@pytest.mark.parametrize(("look", "ruleset"), sampled("the panels of a game by axe", GAMES, 1))
async def test_every_panel_of_a_game(service: Service, visit: Visit, look: str, ruleset: str):
    made = await table(service.services, ruleset, 3, events=400)
    async with visit(**LOOKS[look]) as visitor:
        page = visitor.page
        await opened(page, made.id)
        await visitor.axe()
        for tab in await page.get_by_role("tab").all():
            await tab.click()
            await expect(page.get_by_role("tabpanel")).not_to_have_text("…")  # still on its way
            await visitor.axe("#side")
        await page.get_by_role("tab", name="Changes").click()
        await page.get_by_role("button", name="one turn before").click()
        await expect(page.get_by_text(re.compile(r"areas? differs?\."))).to_be_visible()
        await visitor.axe()
        await page.get_by_role("tab", name="Verify").click()
        await page.get_by_role("button", name="Verify").click()
        await expect(page.get_by_role("heading", name="Sealed")).to_be_visible()
        await visitor.axe()


@pytest.mark.parametrize(("look", "ruleset"), sampled("the forms of a seat by axe", GAMES, 1))
async def test_forms_of_a_seat(service: Service, visit: Visit, look: str, ruleset: str):
    made = await table(service.services, ruleset, 3, events=400)
    seat = made.simulation.game.decisions[0].seats[0]
    async with visit(**LOOKS[look]) as visitor:
        page = visitor.page
        await opened(page, made.id, f"#token={made.token(seat)}")
        options = page.locator("button.option:visible")
        await options.first.wait_for()
        await visitor.axe()
        if "phone" in look:
            await page.keyboard.press("Escape")  # what is open at once lies over the list there
        for number in range(min(3, await options.count())):
            await options.nth(number).click()
            await expect(options.nth(number)).to_have_attribute("aria-expanded", "true")
            # At its end nothing lies half under the row of buttons, which stays in sight on a phone.
            await page.locator("form.order").last.evaluate("each => each.scrollIntoView({ block: 'end' })")
            await visitor.axe("#side")
            await options.nth(number).click()


async def test_the_dialog_to_sign_in_is_accessible_and_closes(service: Service, visitor: Visitor):
    made = await table(service.services, events=60)
    await opened(visitor.page, made.id)
    await visitor.page.get_by_role("button", name="Spectator").click()
    await expect(visitor.page.get_by_role("dialog", name="Sign in")).to_be_visible()
    await visitor.axe()
    await visitor.page.keyboard.press("Escape")
    await expect(visitor.page.get_by_role("dialog")).to_be_hidden()


# --- by keyboard ---

FOCUS = """() => {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    const style = getComputedStyle(at);
    const box = at.getBoundingClientRect();
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    const name = at.id || at.dataset.area || at.getAttribute("aria-label") || at.textContent.trim().slice(0, 40);
    const outline = at.querySelector(":scope > .hit");  // of an area on the board
    const seen = ring || style.boxShadow !== "none" || (outline && getComputedStyle(outline).stroke !== "none");
    return { name: `${at.localName} ${name}`, seen, there: box.width * box.height > 0 };
}"""


async def test_the_tabulator_goes_through_the_whole_page_and_is_seen_everywhere(service: Service, page: Page):
    made = await table(service.services, events=400)
    await opened(page, made.id)
    stops: list[str] = []
    for _ in range(120):
        await page.keyboard.press("Tab")
        at = await page.evaluate(FOCUS)
        if at is None:
            break
        assert at["seen"], f"nobody sees that the focus is on {at}"
        assert at["there"], f"the focus is on what is not there: {at}"
        stops.append(at["name"])
    else:
        raise AssertionError(f"the focus does not come out of the page: {stops}")
    assert stops[0] == "a To the board"
    for wanted in ("button Spectator", "svg The board", "g area-", "ol sentences", "button tab-event", "input slider"):
        assert any(stop.startswith(wanted) for stop in stops), stops


async def test_a_decision_is_answered_by_keyboard_alone(service: Service, page: Page):
    made = await table(service.services, "conquest-classic-friz", 3, events=300, until=quiet)
    seat = made.simulation.game.decisions[0].seats[0]
    await opened(page, made.id, f"#token={made.token(seat)}")
    await page.locator("button.option:visible").first.wait_for()

    async def go_to(words: str) -> None:
        for _ in range(150):
            await page.keyboard.press("Tab")
            if await page.evaluate("words => document.activeElement?.textContent.trim() === words", words):
                return
        raise AssertionError(f"the focus never comes to {words}")

    await go_to("Done moving")
    await page.keyboard.press("Enter")
    await go_to("Send")
    await page.keyboard.press("Enter")
    await expect(page.locator("#where")).not_to_contain_text("movement")
    assert (await service.get(f"/v1/games/{made.id}"))["version"] > made.version


async def test_nothing_moves_when_the_viewer_prefers_reduced_motion(service: Service, visit: Visit):
    made = await table(service.services, events=60)
    async with visit(reduced_motion="reduce") as visitor:
        await opened(visitor.page, made.id)
        await visitor.page.get_by_role("button", name="Back one command").click()
        moving = await visitor.page.evaluate(
            "() => document.getAnimations().filter(({ playState }) => playState === 'running').map((each) => each.id)"
        )
        assert not moving


def quiet(game: Any) -> bool:
    """Tell whether somebody may finish their movement."""
    return game.version > 100 and any(decision.kind == "move" for decision in game.decisions)
