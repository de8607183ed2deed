"""Moves on the map: pointing instead of filling in forms, in every ruleset from the same data."""

import json
import re

import pytest
from playwright.async_api import Page

from tests.browser.games import Table, asks, table
from tests.browser.pointing import area, asked, commands, first, sit
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service

MARKS_AFTER = """(area, key) => {
    area.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const count = (mark) => document.querySelectorAll(`svg.board [data-area].${mark}[tabindex="0"]`).length;
    return Object.fromEntries(["can", "open", "picked"].map((mark) => [mark, count(mark)]));
}"""


async def test_a_march_is_shown_before_it_ends_and_sent_by_the_click_that_ends_it(
    page: Page, visitor: Visitor, service: Service, marching: Table
) -> None:
    visitor.listen()
    await sit(page, marching)
    start = await first(page, "can")
    await area(page, start).click()
    end = await first(page, "open")
    await area(page, end).hover()
    await expect(page.locator("#turn .shown")).to_contain_text("March from")
    await expect(page.locator("#turn .shown")).to_contain_text(" to ")
    await expect(page.locator("svg.board .aim .line")).to_be_attached()
    assert commands(visitor) == []
    await visitor.axe_in_passing()
    await area(page, end).click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (event,) = (await service.get(f"/v1/games/{marching.id}/events?after={marching.version}"))["items"][:1]
    assert event["event"]["type"] == "legion-marched"
    assert len(commands(visitor)) == 1
    undo = page.locator("#turn .came").get_by_role("button")
    await expect(undo).to_contain_text("Undo march from")
    await undo.click()
    await expect(page.locator("#turn .came")).to_contain_text(re.compile("Undo .+: done"))


async def test_a_command_that_cannot_be_undone_needs_a_confirmation(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "conquest-classic-2005", 3, seed=3, until=asks("fight", 1))
    await sit(page, made)
    await area(page, await first(page, "can")).press("Enter")
    await expect(page.locator("#turn .picker")).to_be_visible()
    assert commands(visitor) == []


async def test_a_command_that_destroys_own_pieces_needs_a_confirmation_even_if_it_can_be_undone(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "conquest-classic-friz", 3, seed=3, until=asks("destroy", 1))
    await sit(page, made)
    await area(page, await first(page, "can")).click()
    cost = page.locator("#turn .cost")
    await expect(cost).to_have_text("You lose 1 fortified city.")
    assert commands(visitor) == []
    await visitor.axe_in_passing()
    await page.locator("#turn").get_by_role("button", name="Send").click()
    await expect(page.locator("#turn .came")).to_contain_text("Undo destroy cities")


FINAL = (
    ("conquest-campaign", "retreat", 1),
    ("mare-nostrum", "give-card", 1),
    ("italia-1", "retreat", 4),
    ("italia-2", "submit", 1),
)


@pytest.mark.parametrize(("ruleset", "kind", "times"), sampled("answers that are final", FINAL, 1))
async def test_an_answer_that_cannot_be_taken_back_is_asked_once_more(
    page: Page, visitor: Visitor, service: Service, ruleset: str, kind: str, times: int
) -> None:
    visitor.listen()
    made = await table(service.services, ruleset, 4 if ruleset == "italia-2" else 3, seed=3, until=asks(kind, times))
    await page.goto(f"/games/{made.id}#token={made.token(asked(made))}")
    await page.locator("#turn .answer-button[data-answer]:not([aria-expanded])").last.click()
    await expect(page.locator("#turn .cost")).to_have_text("You cannot take this back.")
    assert commands(visitor) == []
    await page.locator("#turn").get_by_role("button", name="Send").click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    assert len(commands(visitor)) == 1


async def test_the_first_tab_on_the_board_leads_to_an_area_that_can_act(service: Service, page: Page):
    await sit(page, await table(service.services, seed=3, until=asks("move", 30)))
    await first(page, "can")
    await page.locator("svg.board").focus()
    await page.keyboard.press("Tab")
    await expect(page.locator("svg.board [data-area].can:focus")).to_have_count(1)


async def test_a_march_is_given_by_keys_alone_and_escape_takes_it_back(
    page: Page, visitor: Visitor, marching: Table
) -> None:
    visitor.listen()
    await sit(page, marching)
    await page.locator("svg.board [data-area].can").first.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("svg.board [data-area].open").first).to_be_attached()
    await page.keyboard.press("Escape")
    await expect(page.locator("svg.board [data-area].can").first).to_be_attached()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    reached = page.locator("svg.board [data-area]:focus")
    await expect(reached).to_have_class("open")
    await expect(page.locator("#turn .shown")).to_contain_text("March from")
    assert commands(visitor) == []
    await page.keyboard.press("Enter")
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    assert len(commands(visitor)) == 1


async def test_what_tab_leads_to_follows_a_gesture_at_once(page: Page, visitor: Visitor, marching: Table) -> None:
    """Two keys can come within one frame of the page."""
    await sit(page, marching)
    start = page.locator("svg.board [data-area].can").first
    marks = await start.evaluate(MARKS_AFTER, "Enter")
    assert marks == {"can": 0, "open": 4, "picked": 1}
    marks = await page.locator("svg.board [data-area].picked").evaluate(MARKS_AFTER, "Escape")
    assert marks == {"can": 4, "open": 0, "picked": 0}


async def test_a_march_is_dragged(page: Page, visitor: Visitor, marching: Table) -> None:
    visitor.listen()
    await sit(page, marching)
    start = await first(page, "can")
    await area(page, start).click()
    end = await first(page, "open")
    await page.keyboard.press("Escape")
    seen = await page.locator("svg.board").get_attribute("viewBox")
    await area(page, start).hover()
    await page.mouse.down()
    await area(page, end).hover()
    await expect(page.locator("svg.board .aim .line")).to_be_attached()
    await expect(page.locator("#turn .shown")).to_contain_text("March from")
    assert await page.locator("svg.board").get_attribute("viewBox") == seen
    assert commands(visitor) == []
    await page.mouse.up()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    assert len(commands(visitor)) == 1


async def test_an_area_that_is_no_end_is_refused_with_the_rule_and_nothing_is_sent(
    page: Page, visitor: Visitor, marching: Table
) -> None:
    visitor.listen()
    visitor.expect("409|422")
    await sit(page, marching)
    await area(page, await first(page, "can")).click()
    await area(page, "mesopotamia").click()
    await expect(page.locator("#turn .tray")).to_contain_text("Nothing was sent.")
    await expect(page.locator("#turn .tray .refused")).to_contain_text("Rule CC-")
    assert commands(visitor) == []


async def test_a_refusal_is_disputed_where_it_is_shown(
    service: Service, page: Page, visitor: Visitor, marching: Table
) -> None:
    visitor.listen()
    visitor.expect("409|422")
    await sit(page, marching)
    await area(page, "hispania").click()
    await page.locator("#turn").get_by_role("button", name="None", exact=True).click()
    await area(page, "mesopotamia").click()
    await page.get_by_role("button", name="Dispute this refusal").click()
    complaint = page.get_by_label("Why should it have been accepted?")
    await expect(complaint).to_be_focused()
    await page.get_by_role("button", name="Open a case").click()
    await expect(page.locator("#turn .dispute .refused")).to_contain_text("TAB-CASE-06")
    await complaint.fill("I read the rule otherwise.")
    await visitor.axe_in_passing()
    await page.get_by_role("button", name="Open a case").click()
    await page.get_by_role("link", name="See it on the judge's desk").click()
    case = page.get_by_role("article", name="Case 1")
    await expect(case).to_contain_text("I read the rule otherwise.")
    await expect(case).to_contain_text("Decided again:")
    (found,) = (await service.get(f"/v1/games/{marching.id}/cases"))["items"]
    assert (found["kind"], found["seat"]) == ("refusal", asked(marching))
    sent = [each.post_data or "" for each in visitor.asked if each.url.endswith("/cases") and each.method == "POST"]
    command = json.loads(sent[-1])["command"]
    assert 0 not in [*command.values(), *command.get("units", {}).values()]
    assert commands(visitor) == []


async def test_the_piece_that_was_chosen_before_the_end_is_the_one_that_is_meant(
    page: Page, visitor: Visitor, boarding: Table
) -> None:
    visitor.listen()
    await sit(page, boarding)
    await area(page, "carales").click()
    before = page.locator("#turn .before")
    await before.get_by_text("Go aboard in Carales", exact=True).click()
    await before.locator('[data-field="fleet"] label').last.click()
    await area(page, "mare-sardoum").press("Enter")
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"]["fleet"] == "carthaginians-fleet-3"


async def test_what_is_left_to_choose_at_the_end_is_sent_by_the_click_that_chooses_it(
    visit: Visit, boarding: Table
) -> None:
    async with visit(**PHONE) as phone:
        phone.listen()
        await sit(phone.page, boarding)
        await area(phone.page, "carales").press("Enter")
        await area(phone.page, "mare-sardoum").press("Enter")
        choices = phone.page.locator("#turn .picker [data-last]")
        await expect(choices).to_have_count(2)
        assert commands(phone) == []
        await phone.axe_in_passing()
        number = phone.page.locator("#turn .picker .numbers label").last
        box = await number.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 38
        await number.tap()
        await choices.last.tap()
        await expect(phone.page.locator("#turn .came")).to_contain_text("done.")
        (sent,) = commands(phone)
        assert json.loads(sent)["command"]["fleet"] == "carthaginians-fleet-3"


async def test_a_move_that_was_begun_survives_the_event_of_another_player(
    visit: Visit, service: Service, marching: Table
) -> None:
    other = next(seat for seat in marching.seats if seat != asked(marching))
    async with visit(**PHONE) as phone:
        await sit(phone.page, marching)
        await area(phone.page, "hispania").tap()
        end = await first(phone.page, "open")
        await service.give(marching.id, marching.seats[other], "propose-alliance", members=[asked(marching)])
        await phone.page.locator(f'.commands[data-version="{marching.version + 1}"]').wait_for(state="attached")
        await area(phone.page, end).tap()
        await expect(phone.page.locator("#turn .means")).to_contain_text("March from Hispania")


async def test_a_click_counts_though_the_area_is_drawn_anew_while_the_button_is_down(
    page: Page, service: Service, marching: Table
) -> None:
    await sit(page, marching)
    march = {"origin": "hispania", "to": "baetica", "leaders": ["red-general-2"]}
    await area(page, "hispania").hover()
    await page.mouse.down()
    await service.give(marching.id, marching.seats[asked(marching)], "march", **march)
    await page.locator(f'.commands[data-version="{marching.version + 1}"]').wait_for()
    await expect(area(page, "baetica").locator(".pile title")).to_contain_text("General 2")
    await page.mouse.up()
    await expect(page.locator("#turn .question")).to_contain_text("From Hispania")
    await expect(page.locator("#board")).to_have_attribute("data-version", f"{marching.version + 1}")


async def test_nothing_begins_by_itself_where_only_others_can_go_on(page: Page, marching: Table) -> None:
    await sit(page, marching)
    await area(page, "hispania").click()
    # General 2 has no movement left in Lusitania, where General 1 has some.
    await page.locator("#turn .before").get_by_label("Caesar").uncheck()
    await area(page, "lusitania").click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    await expect(page.locator(f'.commands[data-version="{marching.version + 1}"]')).to_be_visible()
    await expect(area(page, "lusitania")).to_have_class("can")


async def test_the_next_move_begins_where_the_last_one_began_once_the_player_has_gone_on_from_there(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "conquest-classic-friz", 2, seed=3, until=asks("move", 1))
    await sit(page, made)
    turn, version = page.locator("#turn"), made.version

    async def send(general: str, to: str) -> None:
        nonlocal version
        await turn.get_by_role("button", name="None", exact=True).click()
        if general:
            await turn.locator(".before").get_by_label(general).check()
        await area(page, to).press("Enter")
        version += 1
        await page.locator(f'.commands[data-version="{version}"]').wait_for(state="attached")

    await area(page, "egypt").click()
    end = await first(page, "open")
    await send("Red General 1", end)
    # What moved can go on, but the player goes back to where others are.
    await expect(area(page, end)).to_have_class("picked")
    await turn.get_by_role("button", name="Cancel").click()
    await area(page, "egypt").click()
    await send("Red General 2", end)
    # Now that has begun by itself, with what comes along. Others could begin where it ends: that is no question.
    await expect(area(page, "egypt")).to_have_class("picked")
    # One leader is left, so there is no choice of leaders.
    await send("", end)
    assert [json.loads(sent)["command"]["origin"] for sent in commands(visitor)] == ["egypt"] * 3


async def test_of_several_ways_to_go_on_the_one_that_is_chosen_is_sent_by_the_click_that_ends_it(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "italia-1", 3, seed=3, until=asks("move", 1))
    options = (await service.get(f"/v1/games/{made.id}/options", made.seats[asked(made)]))["options"]
    able = [each for each in options if each["command"] == "move" and "leaders" in each["schema"]["properties"]]
    led = able[0]["schema"]["properties"]
    alone = next(
        each["schema"]["properties"]
        for each in options
        if each["command"] == "move" and each["schema"]["properties"]["origin"] == led["origin"] and each != able[0]
    )
    await sit(page, made)
    await area(page, led["origin"]["const"]).click()
    ways = page.locator("#turn .before .meant")
    await ways.get_by_text(able[0]["title"], exact=True).click()
    await expect(page.locator("#turn .before .means")).to_contain_text("From")
    await visitor.axe_in_passing()
    end = next(each for each in led["to"]["enum"] if each in alone["to"]["enum"])
    await area(page, end).hover()
    await expect(page.locator("#turn .shown")).to_contain_text(able[0]["title"])
    await expect(page.locator("#turn .shown")).not_to_contain_text(", or ")
    await area(page, end).click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"]["leaders"]
    # From there it can go on: that has begun by itself.
    await expect(area(page, end)).to_have_class("picked")
    await expect(page.locator("#turn .question")).to_contain_text("point at where it ends")
    # A visitor who points there means that, and did not see that it has begun.
    await area(page, end).click()
    await expect(area(page, end)).to_have_class("picked")
    await area(page, end).click()
    await expect(page.locator("#turn .question")).not_to_contain_text("point at where it ends")
