"""Tutorials in a browser: by the map, by keys, by forms, on a phone; what was done is remembered on the device."""

import pytest
from playwright.async_api import Page

from domain.kernel.rules import schema
from domain.library import LIBRARY
from tests.browser.seats import FILL
from tests.browser.test_access import LOOKS
from tests.browser.visiting import Visit, Visitor, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service

FIRST = LIBRARY.default
TAUGHT = [name for name in LIBRARY.ids() if LIBRARY.current(name).tutorial]


async def learn(page: Page, lesson: str = "", ruleset: str = FIRST) -> None:
    await page.goto(f"/learn/{ruleset}#{lesson}")
    await expect(page.locator(".lesson .ask")).to_be_visible()
    await expect(page.locator(".commands")).to_be_visible()
    await expect(page.locator("svg.board")).to_be_visible()


@pytest.mark.parametrize("ruleset", sampled("whole tutorials by forms", TAUGHT, 1))
async def test_a_whole_tutorial_is_done_by_its_forms(service: Service, page: Page, ruleset: str) -> None:
    lessons = (await service.get(f"/v1/rulesets/{ruleset}/tutorial"))["lessons"]
    await learn(page, ruleset=ruleset)
    for number, lesson in enumerate(lessons, start=1):
        await expect(page.locator("#lesson-title")).to_have_text(lesson["title"])
        await expect(page.locator(".lesson .ask")).to_have_text(lesson["ask"])
        position = await service.get(f"/v1/rulesets/{ruleset}/tutorial/{lesson['id']}")
        options, command = position["options"], position["command"]
        index = next(at for at, option in enumerate(options) if schema.matches(option["schema"], command))
        await page.evaluate(FILL, [index, options[index]["schema"], command])
        await page.locator("form.order button[type=submit]").click()
        await expect(page.locator("#learned")).to_contain_text(lesson["teaches"])
        for rule in lesson["rules"]:
            link = page.locator(".lesson .rules a", has_text=rule).first
            assert await link.get_attribute("href") == f"/rules#game={ruleset}&rule={rule}"
        await expect(page.locator(".contents .come")).to_have_count(number)
        if number < len(lessons):
            await page.locator("#next").click()
    await expect(page.locator(".lesson")).to_contain_text("That was the last lesson")


async def test_a_lesson_is_done_on_the_map_and_what_was_done_is_remembered(page: Page) -> None:
    await learn(page)
    # What comes along is chosen over a part of the board, so that the end is pointed at by keys.
    await page.locator('[data-area="macedonia"]').press("Enter")
    await page.locator("#turn .tray").get_by_role("radio", name="3", exact=True).first.click()
    await page.locator('[data-area="thracia"]').press("Enter")
    await page.locator("#turn").get_by_role("button", name="Send").click()
    # All leaders came along, which the lesson takes as well.
    await expect(page.locator("#learned")).to_be_focused()
    await expect(page.locator("#learned .told")).to_contain_text("marched from Macedonia to Thracia")
    await expect(page.locator("svg.board #happened > g")).not_to_have_count(0)
    await page.goto("/learn")
    title = LIBRARY.current(FIRST).title
    await expect(page.get_by_role("article", name=title, exact=True)).to_contain_text("Goes on with")
    await page.get_by_role("link", name=title, exact=True).click()
    await expect(page.locator("#lesson-title")).to_have_text("What you hold is yours, and pays")


async def test_what_is_lawful_but_not_asked_for_is_told_and_what_is_unlawful_is_refused(
    page: Page, visitor: Visitor
) -> None:
    visitor.expect("422")
    await learn(page)
    await page.keyboard.press(".")
    await expect(page.locator("#turn .tray")).to_contain_text("It would do this: Red finished moving.")
    await expect(page.locator(".lesson .ask")).to_be_visible()
    # A gesture that the rules do not allow.
    await page.keyboard.press("Escape")
    await page.locator('[data-area="macedonia"]').click()
    await page.locator('[data-area="italia"]').click(position={"x": 5, "y": 5}, force=True)
    await expect(page.locator("#turn .refused")).to_contain_text("CC-")


async def test_a_nations_card_is_opened_in_a_lesson_where_it_is_named(page: Page, visitor: Visitor) -> None:
    await learn(page, "income", "italia-1")
    for named in (page.locator(".lesson > p .paper-link").first, page.locator("#turn .question .paper-link").first):
        name = await named.inner_text()
        await named.click()
        card = page.get_by_role("dialog", name=name)
        await expect(card).to_contain_text("lines are marked")
        await expect(card.locator(".lines li")).not_to_have_count(0)
        await visitor.axe_in_passing("#paper")
        await page.keyboard.press("Escape")
        await expect(card).to_be_hidden()
        await expect(named).to_be_focused()


async def test_a_lesson_is_done_by_keys_alone(page: Page) -> None:
    await learn(page, "conquer")
    await page.keyboard.press(".")
    await expect(page.locator("#learned")).to_be_focused()
    await page.keyboard.press("Tab")
    while await page.evaluate("document.activeElement.id") != "next":
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.locator("#lesson-title")).to_have_text("Money into pieces")
    await expect(page.locator("#lesson-title")).to_be_focused()


async def test_who_cannot_find_it_is_shown(page: Page) -> None:
    await learn(page, "legion")
    await page.get_by_role("button", name="Show me").click()
    await expect(page.locator("#learned")).to_contain_text("Red formed a battle legion")
    await page.get_by_role("button", name="Once more").click()
    await expect(page.locator(".lesson .ask")).to_be_visible()


@pytest.mark.parametrize("look", sampled("tutorials by axe", LOOKS, 1))
async def test_the_pages_have_no_serious_faults(visit: Visit, look: str) -> None:
    async with visit(**LOOKS[look]) as visitor:
        await visitor.page.goto("/learn")
        await expect(visitor.page.locator(".entry").first).to_be_visible()
        await visitor.axe()
        await learn(visitor.page, "conquer")
        await visitor.axe()
        # The lesson can be read while the question waits below it.
        await expect(visitor.page.locator("#lesson-title")).to_be_in_viewport()
        await visitor.page.get_by_role("button", name="Show me").click()
        await expect(visitor.page.locator("#learned")).to_be_visible()
        await visitor.axe()


async def test_a_game_without_a_tutorial_and_a_ruleset_that_is_none_are_said(page: Page, visitor: Visitor) -> None:
    visitor.expect("404")
    await page.goto("/learn/chess")
    await expect(page.locator(".lesson")).to_contain_text("chess")


@pytest.mark.parametrize("place", ["/", "/new", "/rules"])
async def test_other_pages_lead_there(page: Page, place: str) -> None:
    await page.goto(place)
    await expect(page.get_by_role("link", name="Learn", exact=True)).to_be_visible()
