"""The pieces that come along with a move: they are chosen before the move ends, by clicks or by keys.

On the map, a move can begin in an area of the class `can` and end in one of the class `open`. In the panel `#turn`,
`.before` has the choice of the pieces, `.means` the move in words so far, and `.came` the outcome of the last command.
The keys `c`, `n` and `a` go to the choice, choose no pieces, and choose all.
"""

import json
import re

from playwright.async_api import Page

from tests.browser.games import Table, asks, table
from tests.browser.pointing import area, commands, first, sit
from tests.browser.visiting import Visitor, expect
from tests.service.api.serving import Service


async def test_after_a_click_with_shift_the_pieces_are_chosen_before_the_move_is_sent(
    page: Page, visitor: Visitor, marching: Table
) -> None:
    visitor.listen()
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


async def test_the_pieces_chosen_before_the_last_click_are_sent_with_the_move(
    page: Page, visitor: Visitor, marching: Table
) -> None:
    visitor.listen()
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
    visitor.listen()
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


async def test_the_pieces_are_chosen_by_keys_alone(page: Page, visitor: Visitor, marching: Table) -> None:
    visitor.listen()
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


async def test_one_click_chooses_the_same_pieces_as_for_the_move_before(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "conquest-campaign", 3, seed=3, until=asks("act", 1))
    await sit(page, made)
    turn = page.locator("#turn")
    infantry = turn.locator(".before").get_by_role("radiogroup", name="Infantry")
    for times, number in enumerate((2, 1), 1):
        await area(page, "mesopotamia").click()
        await turn.get_by_role("button", name="None", exact=True).click()
        await infantry.get_by_role("radio", name=str(number), exact=True).click()
        await area(page, await first(page, "open")).press("Enter")
        await page.locator(f'.commands[data-version="{made.version + 1 + times}"]').wait_for(state="attached")
    # The tab remembers the choice when the page is loaded again.
    await page.reload()
    await expect(page.locator("svg.board [data-area].can").first).to_be_attached()
    await area(page, "mesopotamia").click()
    await turn.get_by_role("button", name="Again 2 infantry").click()
    await expect(turn.locator(".means")).to_have_text("From Mesopotamia: 2 infantry")
    await visitor.axe_in_passing()
    await area(page, await first(page, "open")).press("Enter")
    await page.locator(f'.commands[data-version="{made.version + 4}"]').wait_for(state="attached")
    assert [json.loads(sent)["command"]["infantry"] for sent in commands(visitor)] == [2, 1, 2]


async def test_in_an_area_where_a_march_can_begin_another_command_takes_one_more_click(
    page: Page, visitor: Visitor, service: Service
) -> None:
    visitor.listen()
    made = await table(service.services, "conquest-campaign", 3, seed=3, until=asks("act", 5))
    await sit(page, made)
    await area(page, "galatia").click()
    turn = page.locator("#turn")
    # A title with an ellipsis has something left to choose.
    await expect(turn.get_by_role("button", name="Recruit in Galatia …")).to_be_visible()
    await turn.get_by_role("button", name="Buy influence in Galatia: 1 token").click()
    await expect(turn.locator(".came")).to_contain_text("Buy influence in Galatia: done.")
    (sent,) = commands(visitor)
    assert json.loads(sent)["command"] == {"type": "buy-influence", "province": "galatia", "tokens": 1}
