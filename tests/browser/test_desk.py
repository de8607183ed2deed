"""The judge's desk: a step is looked at, disputed and ruled on, with mouse or keyboard, at a table or on a phone."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.games import Table, table, token_of
from tests.browser.visiting import DARK, PHONE, Visit, Visitor
from tests.service.api.serving import Player, Service


async def with_official(service: Service) -> tuple[Table, Player, int]:
    """Return a game in which dice were rolled, its official, and the version of a roll."""
    made = await table(service.services, events=400)
    julia = await service.register("Julia")
    named = await service.ask("PUT", f"/v1/games/{made.id}/officials/{julia.id}", made.organizer)
    assert named.status_code == 200, named.text
    events = (await service.get(f"/v1/games/{made.id}/events?limit=500"))["items"]
    return made, julia, next(event["version"] for event in events if event["type"] == "legion-rolled")


def address(made: Table, player: Player, version: int) -> str:
    return f"/games/{made.id}/desk#token={token_of(player)}&v={version}"


async def test_a_step_is_disputed_and_ruled_on(service: Service, page: Page, visit: Visit):
    made, julia, version = await with_official(service)
    anna = next(iter(made.seats.values()))
    await page.goto(address(made, anna, version))
    await expect(page.get_by_role("heading", name="Dice and lots")).to_be_visible()
    await expect(page.get_by_text("Likelihood of these faces").first).to_be_visible()
    dispute = page.get_by_role("region", name="Dispute this step")
    await dispute.get_by_role("combobox").select_option("dice")
    await dispute.get_by_role("checkbox").first.check()
    await dispute.get_by_role("textbox").fill("That cannot be <b>chance</b>.")
    await dispute.get_by_role("button").click()
    await expect(page.get_by_text("The case is open.")).to_be_visible()
    await expect(page.get_by_role("article", name="Case 1")).to_contain_text("That cannot be <b>chance</b>.")
    await expect(page.get_by_role("form", name="Rule on this case")).to_have_count(0)
    async with visit() as other:
        await other.page.goto(address(made, julia, version))
        form = other.page.get_by_role("form", name="Rule on this case")
        # By keyboard alone, from the first field on.
        await form.get_by_role("combobox").focus()
        await other.page.keyboard.type("stands")
        await other.page.keyboard.press("Tab")
        await other.page.keyboard.press("Space")
        await form.get_by_role("textbox").focus()
        await other.page.keyboard.type("The dice are drawn again at the end.")
        await other.page.keyboard.press("Tab")
        await other.page.keyboard.press("Enter")
        await expect(other.page.get_by_text("The ruling is made.")).to_be_visible()
        await expect(other.page.get_by_role("article", name="Case 1")).to_contain_text("Ruled: stands.")
    (case,) = (await service.get(f"/v1/games/{made.id}/cases"))["items"]
    assert (case["status"], case["about"], case["kind"]) == ("ruled", version, "dice")


async def test_what_is_refused_is_shown_with_its_rule(service: Service, page: Page, visitor: Visitor):
    visitor.expect("status of 422")
    made, julia, version = await with_official(service)
    anna = next(iter(made.seats.values()))
    await service.post(f"/v1/games/{made.id}/cases", anna, {"kind": "dice", "version": version, "statement": "?"})
    await page.goto(address(made, julia, version))
    form = page.get_by_role("form", name="Rule on this case")
    await form.get_by_role("combobox").select_option("result")
    await expect(form.get_by_role("spinbutton")).to_have_count(len(made.seats))
    await form.get_by_role("combobox").select_option("stands")
    await form.get_by_role("textbox").fill("Without a rule.")
    await form.get_by_role("button", name="Rule").click()
    await expect(page.get_by_role("alert")).to_contain_text("TAB-RUL")


async def test_the_steps_follow_each_other_and_every_event_leads_to_its_own(service: Service, page: Page):
    made, _, version = await with_official(service)
    await page.goto(f"/games/{made.id}/desk#v={version}")
    asked = page.locator(".happened .asked")
    await expect(asked).to_have_attribute("value", f"{version}")
    await page.get_by_role("link", name="Step before").click()
    await expect(asked).not_to_have_attribute("value", f"{version}")
    await page.get_by_role("spinbutton", name="Version").fill(f"{version}")
    await page.get_by_role("button", name="Show").click()
    await expect(asked).to_have_attribute("value", f"{version}")
    await page.get_by_role("link", name="To the cases").focus()
    await page.keyboard.press("Enter")
    await expect(asked).to_have_attribute("value", f"{version}")
    await expect(page.get_by_role("region", name="Dispute this step")).to_have_count(0)


@pytest.mark.parametrize("look", [{}, {**DARK, **PHONE}], ids=["light", "dark phone"])
async def test_whoever_cannot_see_colours_or_has_a_phone_reads_it(service: Service, visit: Visit, look: dict[str, Any]):
    made, julia, version = await with_official(service)
    await service.post(f"/v1/games/{made.id}/cases", julia, {"kind": "dice", "version": version, "statement": "?"})
    async with visit(**look) as visitor:
        await visitor.page.goto(address(made, julia, version))
        await expect(visitor.page.get_by_role("form", name="Rule on this case")).to_be_visible()
        await visitor.axe()
        wide = await visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
