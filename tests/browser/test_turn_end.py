"""The end of a turn: a plan that is shown first, and what else can be pressed meanwhile."""

import json
import re

from playwright.async_api import Page

from tests.browser.games import Table, asks, table
from tests.browser.pointing import area, commands, first, sit
from tests.browser.visiting import Visitor, expect
from tests.service.api.serving import Service


async def test_the_turn_is_ended_by_a_plan_that_is_shown_first_and_taken_back_as_one(
    page: Page, visitor: Visitor, service: Service, marching: Table
) -> None:
    visitor.listen()
    visitor.expect("409|422")
    await sit(page, marching)
    plan = page.locator("#turn .plan li")
    await page.get_by_role("button", name="Done with my turn").hover()
    await expect(plan.first).to_have_text("Done moving")
    await page.locator("#turn .question").hover()
    await expect(plan).to_have_count(0)
    await page.keyboard.press("e")
    await expect(plan.first).to_have_text("Done moving")
    assert commands(visitor) == []
    steps = await plan.count()
    assert steps > 1
    # Later steps are called as their buttons will be.
    assert {"Destroy no city", "Buy nothing"} <= {*await plan.all_inner_texts()}
    await page.get_by_role("button", name="Cancel").click()
    # A mouse has seen it when it clicks.
    await page.get_by_role("button", name="Done with my turn").hover()
    await expect(plan).to_have_count(steps)
    await page.get_by_role("button", name="Done with my turn").click()
    await expect(page.locator("#turn .came")).to_contain_text("Undo done moving")
    (sent,) = commands(visitor)
    assert len(json.loads(sent)["commands"]) == steps
    await page.keyboard.press("u")
    await expect(page.locator("#turn .came")).to_contain_text(re.compile("Undo .+: done"))
    now = await service.get(f"/v1/games/{marching.id}")
    assert [each["kind"] for each in now["decisions"]] == ["move"]


async def test_what_is_pressed_the_moment_it_goes_does_what_it_showed_or_nothing(
    page: Page, visitor: Visitor, marching: Table
) -> None:
    visitor.listen()
    """The page is drawn once a frame: a button can be pressed when what it was drawn for has gone already."""
    visitor.expect("409|422")
    await sit(page, marching)
    await area(page, "hispania").click()
    await expect(page.locator("#turn .before")).to_be_visible()
    await page.evaluate("""() => {
        const all = [...document.querySelectorAll("#turn .before .buttons button")];
        dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
        for (const each of all) each.click();
    }""")
    await expect(page.locator("#turn .before")).to_have_count(0)
    assert commands(visitor) == []
    await page.get_by_role("button", name="Done with my turn").hover()
    await expect(page.locator("#turn .plan li").first).to_be_visible()
    steps = await page.locator("#turn .plan li").count()
    await page.evaluate("""() => {
        const done = [...document.querySelectorAll("#turn .answer-button")].at(-1);
        done.dispatchEvent(new PointerEvent("pointerleave"));
        document.querySelector("#turn .plan .strong").click();
    }""")
    await expect(page.locator("#turn .came")).to_contain_text("Undo done moving")
    (sent,) = commands(visitor)
    assert len(json.loads(sent)["commands"]) == steps


async def test_choosing_what_comes_along_does_not_show_the_end_of_the_turn(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.expect("409|422")
    made = await table(service.services, "conquest-classic-friz", 2, seed=3, until=asks("move", 1))
    await sit(page, made)
    await area(page, "egypt").click()
    await page.locator("#turn").get_by_role("button", name="None", exact=True).click()
    await page.locator("#turn .before").get_by_label("Red General 1").check()
    await area(page, await first(page, "open")).press("Enter")
    # What moved can go on, and that has begun by itself.
    await page.get_by_role("button", name="Choose what comes along").click()
    await expect(page.locator("#turn .before")).to_be_visible()
    # It lies where the button was that is gone.
    await page.get_by_role("button", name="Done with my turn").hover()
    await page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    await expect(page.locator("#turn .before")).to_be_visible()
    await expect(page.locator("#turn .plan")).to_have_count(0)
