"""The bar below the board: what is asked, and what can be answered."""

import json
from collections import Counter

import pytest
from playwright.async_api import Page

from domain.kernel.chance.secret import Vault
from domain.kernel.log.game import Game
from domain.kernel.rules.decision import Option
from tests.browser.games import Table, asks, table
from tests.browser.pointing import area, asked, commands, first, sit
from tests.browser.visiting import PHONE, Visit, Visitor, expect, until
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service


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


async def test_the_command_chosen_among_several_in_an_area_is_sent(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
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
