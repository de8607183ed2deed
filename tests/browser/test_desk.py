"""The judge's desk: a step is looked at, disputed and ruled on, with mouse or keyboard, at a table or on a phone."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page

from tests.browser.games import Table, table, token_of
from tests.browser.reading import opened
from tests.browser.visiting import DARK, PHONE, Visit, Visitor, expect
from tests.service.api.serving import Player, Service


async def with_official(service: Service) -> tuple[Table, Player, int]:
    """Return a game in which dice were rolled, its official, and the version of a roll."""
    made = await table(service.services, events=450)
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


async def test_a_game_that_is_over_continues_by_a_ruling(service: Service, page: Page):
    made, julia, version = await with_official(service)
    anna, url = next(iter(made.seats.values())), f"/v1/games/{made.id}"
    for about in (version, 5):
        await service.post(f"{url}/cases", anna, {"kind": "dice", "version": about, "statement": "?"})
    ended, disputed = (await service.get(f"{url}/cases"))["items"]
    head = (await service.get(f"{url}/events?after={made.version}"))["items"][-1]
    ruling = {
        "decision": "result",
        "order": [[seat] for seat in made.seats],
        "rules": ["TAB-RUL-04"],
        "reason": "Time.",
    }
    ruling |= {"version": head["version"], "hash": head["hash"]}
    await service.post(f"/v1/cases/{ended['case']}/rulings", julia, ruling)
    assert (await service.get(url))["status"] == "over"
    await page.goto(address(made, julia, disputed["about"]))
    form = page.get_by_role("form", name="Rule on this case")
    await form.get_by_role("combobox").select_option("continue")
    await expect(form.get_by_role("button", name="Rule")).to_be_disabled()
    await form.get_by_role("button", name="Make one from version").click()
    await expect(form.get_by_role("combobox", name="Fork")).to_be_visible()
    await form.get_by_role("checkbox").first.check()
    await form.get_by_role("textbox").fill("With other dice.")
    await form.get_by_role("button", name="Rule").click()
    await expect(page.get_by_text("The ruling is made.")).to_be_visible()
    (fork,) = (await service.get(f"{url}/forks"))["items"]
    assert (fork["status"], fork["fork"]["purpose"]) == ("running", "continuation")


async def test_a_refusal_is_shown_with_its_rule(service: Service, page: Page, visitor: Visitor):
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
    anna = next(iter(made.seats.values()))
    await service.post(f"/v1/games/{made.id}/cases", anna, {"kind": "dice", "version": version, "statement": "?"})
    async with visit(**look) as visitor:
        await visitor.page.goto(address(made, julia, version))
        await expect(visitor.page.get_by_role("form", name="Rule on this case")).to_be_visible()
        await visitor.axe_in_passing()
        wide = await visitor.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0


def case(page: Page, number: int = 1) -> Locator:
    return page.get_by_role("article", name=f"Case {number}")


async def write(page: Page, title: str, text: str) -> None:
    """Unfold a form of the case, fill it in and send it."""
    await case(page).get_by_text(title, exact=True).click()
    form = case(page).get_by_role("form", name=title)
    await form.get_by_role("textbox").fill(text)
    await form.get_by_role("button").click()


async def rule(page: Page, reason: str) -> None:
    form = page.get_by_role("form", name="Rule on this case")
    await form.get_by_role("combobox").select_option("stands")
    await form.get_by_role("checkbox").first.check()
    await form.get_by_role("textbox").fill(reason)
    await form.get_by_role("button", name="Rule").click()
    await expect(page.get_by_text("The ruling is made.")).to_be_focused()


async def test_a_case_is_argued_ruled_on_appealed_and_ruled_on_finally(service: Service, page: Page, visit: Visit):
    made, julia, version = await with_official(service)
    (anna, bert, *_), url = made.seats.values(), f"/v1/games/{made.id}"
    kate = await service.register("Kate")
    await service.ask("PUT", f"{url}/officials/{kate.id}", made.organizer)
    await service.post(f"{url}/cases", anna, {"kind": "dice", "version": version, "statement": "These dice!"})
    async with visit() as second:
        await second.page.goto(address(made, bert, version))
        await write(second.page, "Answer the complaint", "They are as fair as mine.")
        await expect(second.page.get_by_text("Your answer is made.")).to_be_focused()
        await expect(case(second.page)).to_contain_text("They are as fair as mine.")
        await expect(case(second.page).get_by_text("Answer the complaint")).to_have_count(0)
        await write(second.page, "Make a statement", "And one <i>more</i> word.")
        await expect(case(second.page)).to_contain_text("And one <i>more</i> word.")
        await second.axe_in_passing()
    await page.goto(address(made, julia, version))
    await case(page).get_by_text("Remove this text").nth(2).click()
    await case(page).get_by_role("button", name="Remove it").click()
    await expect(case(page)).to_contain_text("Erased.")
    await expect(case(page)).not_to_contain_text("one <i>more</i> word")
    await rule(page, "Chance is chance.")
    async with visit() as second:
        await second.page.goto(address(made, anna, version))
        await write(second.page, "Appeal against the ruling", "I want another judge.")
        await expect(case(second.page)).to_contain_text("waits for the final ruling")
    await page.reload()
    await expect(case(page)).to_contain_text("The appeal is against your own ruling")
    async with visit() as second:
        await second.page.goto(address(made, kate, version))
        await rule(second.page, "It is.")
        await expect(case(second.page)).to_contain_text("Ruled finally: stands. It is.")
    found = (await service.get(f"{url}/cases"))["items"][0]
    assert found["status"] == "final"
    async with visit() as stranger:
        await stranger.page.goto(f"/games/{made.id}/desk#v={version}")
        await expect(case(stranger.page)).to_contain_text("Only seats and officials may read this.")
        await expect(case(stranger.page).get_by_role("button")).to_have_count(0)


async def test_a_case_is_agreed_with_and_another_withdrawn(service: Service, page: Page, visit: Visit):
    made, _, version = await with_official(service)
    anna, *others = made.seats.values()
    for about in (version, 5):
        await service.post(
            f"/v1/games/{made.id}/cases", anna, {"kind": "slip", "version": about, "statement": "I slipped."}
        )
    for other in others:
        async with visit() as second:
            await second.page.goto(address(made, other, version))
            await case(second.page).get_by_role("button", name="Agree with the complaint").click()
            await expect(second.page.get_by_text("You agree.")).to_be_visible()
    await page.goto(address(made, anna, version))
    await expect(case(page)).to_contain_text("settled: all agreed")
    await page.get_by_role("region", name="All cases of this game").get_by_role("link", name="Case 2").click()
    await case(page, 2).get_by_text("Withdraw the case").click()
    await case(page, 2).get_by_role("button", name="Withdraw it").click()
    await expect(case(page, 2)).to_contain_text("withdrawn")


async def test_the_organizer_names_and_releases_officials(service: Service, page: Page, visit: Visit):
    made = await table(service.services, events=60)
    julia = await service.register("Julia")
    await service.ask("PATCH", "/v1/players/me", julia, {"name": "Julia", "findable": True})
    anna = next(iter(made.seats.values()))
    await page.goto(address(made, made.organizer, made.version))
    officials = page.get_by_role("region", name="Who may rule")
    for wanted in ("julia", julia.id, f"http://127.0.0.1/players/{julia.id}"):
        await officials.get_by_role("textbox").fill(wanted)
        await page.keyboard.press("Enter")
        await expect(officials.get_by_role("link", name="Julia")).to_be_visible()
        assert (await service.get(f"/v1/games/{made.id}"))["officials"][0]["player"] == julia.id
        await officials.get_by_role("button", name="Release Julia").click()
        await expect(officials.get_by_text("Nobody yet.")).to_be_visible()
    await officials.get_by_role("textbox").fill("Nobody at all")
    await page.keyboard.press("Enter")
    await expect(officials.get_by_role("alert")).to_contain_text("No player who can be found is called Nobody at all.")
    async with visit() as second:
        await second.page.goto(address(made, anna, made.version))
        await expect(second.page.get_by_text("Nobody yet.")).to_be_visible()
        await expect(second.page.get_by_role("form", name="Name an official")).to_have_count(0)


async def test_open_cases_are_counted_on_the_game_and_what_officials_did_is_marked(
    service: Service, page: Page, visitor: Visitor
):
    made, julia, version = await with_official(service)
    anna, url = next(iter(made.seats.values())), f"/v1/games/{made.id}"
    opened_case = await service.post(f"{url}/cases", anna, {"kind": "dice", "version": version, "statement": "?"})
    await opened(page, made.id)
    desk = page.get_by_role("link", name="Desk 1 1 open case")
    await expect(desk).to_have_attribute("href", f"/games/{made.id}/desk#v={version}")
    (head,) = (await service.get(f"{url}/events?after={made.version}"))["items"][-1:]
    ruling = {"decision": "pause", "rules": ["TAB-RUL-03"], "reason": "Tea.", "version": head["version"]}
    await service.post(f"/v1/cases/{opened_case['summary']['case']}/rulings", julia, ruling | {"hash": head["hash"]})
    await expect(page.locator("#around")).to_contain_text("The game is paused.")
    await expect(page.locator("#around")).to_contain_text("Reason: Tea.")
    await expect(page.locator("#sentences")).to_contain_text("The game was paused. Reason: Tea.")
    for _ in range(600):  # the read model is a moment behind
        if "pause" in {each["kind"] for each in (await service.get(f"{url}/timeline?limit=500"))["items"]}:
            break
        await asyncio.sleep(0.1)
    await opened(page, made.id)
    await expect(page.locator(".marks")).to_have_attribute("aria-label", re.compile("1 pause"))
    await expect(page.get_by_role("link", name="Desk", exact=True)).to_be_visible()
    await visitor.axe_in_passing()


async def test_a_player_who_only_looks_on_is_told_of_a_case(service: Service, page: Page, visit: Visit):
    made, julia, version = await with_official(service)
    anna, bert = list(made.seats.values())[:2]
    await page.clock.install()
    await page.goto(f"/games/{made.id}#token={token_of(bert)}")
    await expect(page.locator("#around")).to_be_attached()
    await expect(page.get_by_role("link", name="Desk", exact=True)).to_be_visible()
    await page.clock.fast_forward(3_000)  # the first look at the cases
    complaint = {"kind": "dice", "version": version, "statement": "?"}
    await service.post(f"/v1/games/{made.id}/cases", anna, complaint)
    told = page.get_by_role("group", name="A dispute")
    await expect(told).to_have_count(0)
    await page.clock.fast_forward(25_000)
    await page.clock.run_for(3_000)
    await expect(told).to_contain_text(f"disputes version {version}. The case waits for a ruling.")
    async with visit() as other:
        await other.page.goto(f"/games/{made.id}#token={token_of(julia)}")
        await expect(other.page.get_by_role("group", name="A dispute")).to_be_visible()
        await other.axe_in_passing()
    async with visit() as spectator:
        await spectator.page.goto(f"/games/{made.id}")
        await expect(spectator.page.get_by_role("link", name="Desk 1 1 open case")).to_be_visible()
        await expect(spectator.page.get_by_role("group", name="A dispute")).to_have_count(0)
