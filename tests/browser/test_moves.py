"""Moves on the map: pointing instead of filling in forms, in every ruleset from the same data."""

import json
import re
from collections import Counter
from collections.abc import Callable

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page

from domain.kernel.chance.secret import Vault
from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from domain.kernel.rules.decision import Option
from tests.browser.games import Table, table
from tests.browser.visiting import PHONE, Visit, Visitor, expect, until
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service


def asks(kind: str, times: int) -> Callable[[Game], bool]:
    """Return a condition that holds when a game is asked for a decision for the so-manieth time."""
    met = 0

    def until(game: Game) -> bool:
        nonlocal met
        met += any(each.kind == kind for each in game.decisions)
        return met >= times

    return until


def asked(made: Table) -> Seat:
    return made.simulation.game.decisions[0].seats[0]


async def sit(page: Page, made: Table) -> None:
    await page.goto(f"/games/{made.id}#token={made.token(asked(made))}")
    await expect(page.locator("#turn .turn.asked.now")).to_be_visible()
    await expect(page.locator("svg.board [data-area].can").first).to_be_attached()


def area(page: Page, name: str) -> Locator:
    return page.locator(f'svg.board [data-area="{name}"]')


async def first(page: Page, mark: str) -> str:
    """Return the first area that is marked so."""
    found = await page.locator(f"svg.board [data-area].{mark}").first.get_attribute("data-area")
    assert found is not None
    return found


@pytest_asyncio.fixture(loop_scope="session")
async def marching(service: Service) -> Table:
    return await table(service.services, "conquest-classic-friz", 3, seed=3, until=asks("move", 30))


MARKS_AFTER = """(area, key) => {
    area.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const count = (mark) => document.querySelectorAll(`svg.board [data-area].${mark}[tabindex="0"]`).length;
    return Object.fromEntries(["can", "open", "picked"].map((mark) => [mark, count(mark)]));
}"""


def commands(visitor: Visitor) -> list[str]:
    return [each.post_data or "" for each in visitor.asked if each.url.endswith("/commands")]


async def test_a_march_is_shown_before_it_ends_and_sent_by_the_click_that_ends_it(
    page: Page, visitor: Visitor, service: Service, marching: Table
) -> None:
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


async def test_with_shift_what_comes_along_is_chosen_before_it_is_sent(
    page: Page, visitor: Visitor, marching: Table
) -> None:
    await sit(page, marching)
    await area(page, await first(page, "can")).click()
    await area(page, await first(page, "open")).click(modifiers=["Shift"])
    await expect(page.locator("#turn .means")).to_contain_text("March from")
    assert commands(visitor) == []
    await page.locator("#turn").get_by_role("button", name="Send").click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    await expect(page.locator("#turn .came")).to_contain_text("Undo march from")
    await page.keyboard.press("u")
    await expect(page.locator("#turn .came")).to_contain_text(re.compile("Undo .+: done"))


async def test_what_cannot_be_taken_back_is_asked_once_more(page: Page, visitor: Visitor, service: Service) -> None:
    made = await table(service.services, "conquest-classic-2005", 3, seed=3, until=asks("fight", 1))
    await sit(page, made)
    await area(page, await first(page, "can")).press("Enter")
    await expect(page.locator("#turn .picker")).to_be_visible()
    assert commands(visitor) == []


async def test_what_destroys_ones_own_is_asked_once_more_though_it_can_be_taken_back(
    page: Page, visitor: Visitor, service: Service
) -> None:
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


async def test_what_comes_along_is_chosen_before_the_end_and_sent_with_it(
    page: Page, visitor: Visitor, marching: Table
) -> None:
    await sit(page, marching)
    await area(page, "hispania").click()
    means = page.locator("#turn .means")
    await expect(means).to_contain_text("infantry")
    await page.locator("#turn").get_by_role("button", name="None", exact=True).click()
    await expect(means).not_to_contain_text("infantry")
    await page.locator("#turn").get_by_role("button", name="All", exact=True).click()
    await expect(means).to_contain_text("infantry")
    await page.locator("#turn").get_by_role("button", name="None", exact=True).click()
    await area(page, await first(page, "open")).click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (sent,) = commands(visitor)
    assert not json.loads(sent)["command"].get("units", {}).get("infantry")


async def test_a_number_takes_one_click_or_one_key(page: Page, visitor: Visitor, marching: Table) -> None:
    await sit(page, marching)
    await area(page, "hispania").click()
    infantry = page.locator("#turn .before").get_by_role("radiogroup", name="Infantry")
    await infantry.get_by_role("radio", name="0").click()
    await expect(page.locator("#turn .means")).not_to_contain_text("infantry")
    await page.keyboard.press("1")
    await expect(page.locator("#turn .means")).to_contain_text("1 infantry")
    await page.keyboard.press("0")
    await expect(page.locator("#turn .means")).not_to_contain_text("infantry")
    await page.keyboard.press("ArrowRight")
    await expect(page.locator("#turn .means")).to_contain_text("1 infantry")
    await expect(infantry.get_by_role("radio", checked=True)).to_be_focused()
    await visitor.axe_in_passing()
    await area(page, await first(page, "open")).click()
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"]["units"]["infantry"] == 1


async def test_what_comes_along_is_chosen_by_keys_alone(page: Page, visitor: Visitor, marching: Table) -> None:
    await sit(page, marching)
    means = page.locator("#turn .means")
    await area(page, "hispania").press("Enter")
    await page.keyboard.press("n")
    await expect(means).not_to_contain_text("infantry")
    await page.keyboard.press("a")
    await expect(means).to_contain_text("infantry")
    await page.keyboard.press("c")
    await expect(page.locator("#turn .before input:focus")).to_be_attached()
    await page.keyboard.press("n")
    await expect(means).not_to_contain_text("infantry")
    await page.locator("#turn .before").get_by_role("radiogroup", name="Infantry").get_by_role("radio").first.focus()
    await page.keyboard.press("1")
    await page.keyboard.press("c")
    await expect(area(page, "hispania")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.locator("svg.board [data-area]:focus")).to_have_class("open")
    await page.keyboard.press("Enter")
    await expect(page.locator("#turn .came")).to_contain_text("done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"]["units"]["infantry"] == 1


async def test_what_came_along_lately_comes_along_again_by_one_click(
    page: Page, visitor: Visitor, service: Service
) -> None:
    made = await table(service.services, "conquest-campaign", 3, seed=3, until=asks("act", 1))
    await sit(page, made)
    turn = page.locator("#turn")
    infantry = turn.locator(".before").get_by_role("radiogroup", name="Infantry")
    for times, many in enumerate((2, 1), 1):
        await area(page, "mesopotamia").click()
        await turn.get_by_role("button", name="None", exact=True).click()
        await infantry.get_by_role("radio", name=str(many), exact=True).click()
        await area(page, await first(page, "open")).press("Enter")
        await page.locator(f'.commands[data-version="{made.version + 1 + times}"]').wait_for(state="attached")
    # The tab remembers it when the page is loaded again.
    await page.reload()
    await expect(page.locator("svg.board [data-area].can").first).to_be_attached()
    await area(page, "mesopotamia").click()
    await turn.get_by_role("button", name="Again 2 infantry").click()
    await expect(turn.locator(".means")).to_have_text("From Mesopotamia: 2 infantry")
    await visitor.axe_in_passing()
    await area(page, await first(page, "open")).press("Enter")
    await page.locator(f'.commands[data-version="{made.version + 4}"]').wait_for(state="attached")
    assert [json.loads(sent)["command"]["infantry"] for sent in commands(visitor)] == [2, 1, 2]


async def test_what_leaves_no_choice_where_a_march_could_begin_is_one_click_more(
    page: Page, visitor: Visitor, service: Service
) -> None:
    made = await table(service.services, "conquest-campaign", 3, seed=3, until=asks("act", 5))
    await sit(page, made)
    await area(page, "galatia").click()
    turn = page.locator("#turn")
    # What leaves a choice says so.
    await expect(turn.get_by_role("button", name="Recruit in Galatia …")).to_be_visible()
    await turn.get_by_role("button", name="Buy influence in Galatia: 1 token").click()
    await expect(turn.locator(".came")).to_contain_text("Buy influence in Galatia: done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"] == {"type": "buy-influence", "province": "galatia", "tokens": 1}


@pytest_asyncio.fixture(loop_scope="session")
async def boarding(service: Service) -> Table:
    """Two fleets lie in one sea, and can take units aboard in several areas."""
    return await table(service.services, "italia-1", 3, seed=3, until=asks("move", 20))


async def test_the_piece_that_was_chosen_before_the_end_is_the_one_that_is_meant(
    page: Page, visitor: Visitor, boarding: Table
) -> None:
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


async def test_what_was_begun_goes_on_when_somebody_else_does_something(
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
    # Whoever points there means that, and did not see that it has begun.
    await area(page, end).click()
    await expect(area(page, end)).to_have_class("picked")
    await area(page, end).click()
    await expect(page.locator("#turn .question")).not_to_contain_text("point at where it ends")


async def test_the_turn_is_ended_by_a_plan_that_is_shown_first_and_taken_back_as_one(
    page: Page, visitor: Visitor, service: Service, marching: Table
) -> None:
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


async def test_in_the_past_a_banner_leads_back_to_the_question(page: Page, marching: Table) -> None:
    await sit(page, marching)
    await page.goto(f"/games/{marching.id}#v={marching.version - 5}")
    banner = page.locator("#turn .question")
    await expect(banner).to_contain_text(f"You are looking at version {marching.version - 5}")
    await expect(page.locator("svg.board [data-area].can")).to_have_count(0)
    await banner.get_by_role("button", name="Go to now").click()
    await expect(page.locator("svg.board [data-area].can").first).to_be_attached()


async def test_on_a_phone_the_bar_stays_and_the_timeline_folds(visit: Visit, marching: Table) -> None:
    async with visit(**PHONE) as phone:
        await sit(phone.page, marching)
        await expect(phone.page.locator("#timeline")).to_be_hidden()
        await expect(phone.page.locator("#turn .question")).to_be_in_viewport()
        await area(phone.page, "hispania").tap()
        await area(phone.page, await first(phone.page, "open")).tap()
        await expect(phone.page.locator("#turn .means")).to_contain_text("March from Hispania")
        await phone.axe_in_passing()


POINTED_AT = (("conquest-campaign", "act", 3), ("mare-nostrum", "campaign", 8), ("italia-1", "move", 4))


@pytest.mark.parametrize(("ruleset", "kind", "times"), sampled("maps that are pointed at", POINTED_AT, 1))
async def test_every_ruleset_can_be_pointed_at(
    page: Page, visitor: Visitor, service: Service, ruleset: str, kind: str, times: int
) -> None:
    made = await table(service.services, ruleset, 3, seed=3, until=asks(kind, times))
    await sit(page, made)
    await page.locator("svg.board [data-area].can").first.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("svg.board [data-area].picked").first).to_be_attached()
    await expect(page.locator("#turn")).to_contain_text("Cancel")
    await visitor.axe_in_passing()


async def test_of_several_things_to_do_in_an_area_the_one_that_is_chosen_is_sent(
    page: Page, visitor: Visitor, service: Service
) -> None:
    for times in range(1, 20):
        made = await table(service.services, "mare-nostrum", 3, seed=100 + times, until=asks("build", times))
        options = (await service.get(f"/v1/games/{made.id}/options", made.seats[asked(made)]))["options"]
        places: dict[str, list[str]] = {}
        for field in (each["schema"]["properties"] for each in options if each["command"] == "build"):
            for place in field["province"].get("enum") or [field["province"]["const"]]:
                places.setdefault(place, []).append(field["item"]["const"])
        if several := [place for place, items in places.items() if len(items) > 1]:
            break
    else:
        pytest.fail("nobody could build two kinds of pieces in one province")
    item = places[several[0]][-1]
    await sit(page, made)
    await area(page, several[0]).click(modifiers=["Shift"])
    await page.locator("#turn .meant").get_by_text(f"Build a {item}").first.click()
    await expect(page.locator("#turn .means")).to_contain_text(f"Build a {item}")
    await page.locator("#turn").get_by_role("button", name="Send").click()
    await expect(page.locator("#turn .came")).to_contain_text(f"Build a {item}")
    (sent,) = commands(visitor)
    command = json.loads(sent)["command"]
    assert (command["type"], command["item"], command["province"]) == ("build", item, several[0])


async def test_what_is_asked_is_said_with_what_can_be_answered_though_the_rest_of_the_page_is_behind(
    page: Page, service: Service, marching: Table
) -> None:
    await sit(page, marching)
    question = page.locator("#turn .question strong")
    await expect(question).to_have_text("What do you move next?")
    # From now on the page learns no more about the game as a whole.
    await page.route(f"**/v1/games/{marching.id}", lambda route: None)
    await page.locator("#turn").get_by_role("button", name="Done moving").click()
    seat = marching.seats[asked(marching)]
    await expect(question).not_to_have_text("What do you move next?")
    view = await service.get(f"/v1/games/{marching.id}/options", seat)
    await expect(question).to_have_text(view["decisions"][0]["title"])


async def test_several_ways_of_one_title_are_told_apart(page: Page, service: Service) -> None:
    """Two fleets of one nation that lie in a sea, one with more room, are two options to go aboard."""

    def has_two(game: Game) -> bool:
        return len(_same(game)) > 1

    made = await table(service.services, "italia-1", 3, seed=5, until=has_two)
    same = _same(made.simulation.game)
    title = same[0].title
    await sit(page, made)
    listed = page.locator("#panel .option").filter(has_text=title)
    assert len({*await listed.all_text_contents()}) == await listed.count() >= len(same)
    await expect(listed.first).to_contain_text("fleet")


def _same(game: Game) -> list[Option]:
    """Return options to go aboard that have the same title."""
    if not any(each.kind == "move" for each in game.decisions):
        return []
    options = [each for each in game.options(game.decisions[0].seats[0], Vault()) if each.command == "embark"]
    titles = Counter(each.title for each in options)
    return [each for each in options if titles[each.title] > 1]


async def test_answers_that_were_unfolded_are_folded_when_one_was_given(page: Page, service: Service) -> None:
    made = await table(service.services, "conquest-campaign", 3, seed=3, until=asks("act", 3))
    await sit(page, made)
    answers = page.get_by_role("group", name="Answers")
    await answers.get_by_role("button", name="Take special tax").click()
    await expect(answers.get_by_role("button", name="Back")).to_have_text("Back Esc")
    await answers.get_by_role("button", name="Take a special tax: 10 talents").click()
    await expect(page.locator("#turn .came")).to_contain_text("Take a special tax: done.")
    await expect(answers.get_by_role("button", name="Back")).to_have_count(0)


async def test_what_happened_last_can_be_read_while_the_answer_is_filled_in(visit: Visit, service: Service) -> None:
    made = await table(service.services, "conquest-campaign", 3, seed=11, until=asks("bid", 2))
    async with visit(viewport={"width": 1024, "height": 768}) as visitor:
        await visitor.page.goto(f"/games/{made.id}#token={made.token(asked(made))}")
        await expect(visitor.page.locator("#turn .tray")).to_be_visible()
        await until(visitor.page, SHOWS_THE_LAST)


SHOWS_THE_LAST = """(() => {
    const seen = (selector) => document.querySelector(selector)?.getBoundingClientRect();
    const [list, last] = [seen("#sentences"), seen("#sentences [aria-current] button")];
    return last && last.top >= list.top - 1 && Math.min(last.bottom, last.top + 24) <= list.bottom;
})()"""
"""Whether the first line of the newest sentence is inside the list."""
