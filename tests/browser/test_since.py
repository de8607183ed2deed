"""What happened since one's last move: told in sentences, marked on the board, and stepped through by one key."""

import json
from typing import Any

from playwright.async_api import Page

from domain.kernel.log.game import Game
from domain.kernel.log.record import Record
from tests.browser.games import table
from tests.browser.reading import expect_version, opened, sentence, settled
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.service.api.serving import Service

MARKS = "svg.board #happened > *"


def asked_in_round_three(game: Game) -> bool:
    """The turn goes round: the others have moved since the seat that is asked moved last."""
    now: Any = game.table
    return now is not None and now.round == 3 and now.phase == "movement"


def asks_a_second_seat(game: Game) -> bool:
    """One seat has had its turn, and the next has it."""
    now: Any = game.table
    return now is not None and now.round == 1 and game.decisions[0].seats[0] != now.order[0]


def since(records: list[Record], seat: str) -> list[int]:
    """Return the version in which each move began that others made after the last one of a seat."""
    begun: list[int] = []
    for record in records[::-1]:
        if record.cause is not None:
            if json.loads(record.cause).get("seat") == seat:
                return begun
            begun.insert(0, record.version)
    return []


async def test_a_player_who_comes_back_is_told_what_the_others_did(service: Service, visitor: Visitor):
    page = visitor.page
    made = await table(service.services, until=asked_in_round_three)
    seat = made.simulation.game.decisions[0].seats[0]
    begun = since(made.simulation.records, seat)
    assert len(begun) > 3
    await opened(page, made.id, f"#token={made.token(seat)}")
    told = page.locator(".since")
    await expect(told.locator("summary")).to_contain_text(f"{len(begun)} moves since yours")
    of_the_last = await page.locator(MARKS).count()
    await told.locator("summary").click()
    # All of it is marked, in sentences of which each leads to its move.
    assert 1 < await told.get_by_role("listitem").count() <= len(made.simulation.records)
    await expect(page.locator(MARKS).nth(of_the_last)).to_be_attached()
    await visitor.axe_in_passing(".since")
    ends = [number - 1 for number in begun[1:]] + [made.version]
    for end in ends:
        await page.keyboard.press("s")
        await expect_version(page, end)
        await expect(sentence(page, end)).to_have_attribute("aria-current", "step")
    await told.get_by_role("button", name="Step through").click()
    await expect_version(page, ends[0])
    await told.locator("summary").click()
    await page.get_by_role("button", name="Newest version").click()
    await settled(page)
    await expect(page.locator(MARKS)).to_have_count(of_the_last)


async def test_a_player_who_has_not_moved_sees_everything_since_the_start(service: Service, page: Page):
    made = await table(service.services, seats=3, until=asks_a_second_seat)
    seat = made.simulation.game.decisions[0].seats[0]
    records = made.simulation.records
    begin = next(each.version for each in records if each.type == "game-started")
    moves = [each.version for each in records if each.version > begin and each.cause is not None]
    await opened(page, made.id, f"#token={made.token(seat)}")
    summary = page.locator(".since summary")
    await expect(summary).to_contain_text(f"{len(moves)} moves so far")
    await summary.click()
    await expect(page.locator(".since")).not_to_contain_text("was taken")


async def test_one_key_begins_it_also_on_a_phone_and_nobody_else_is_told(service: Service, visit: Visit):
    made = await table(service.services, until=asked_in_round_three)
    seat = made.simulation.game.decisions[0].seats[0]
    async with visit(**PHONE) as visitor:
        await opened(visitor.page, made.id, f"#token={made.token(seat)}")
        await expect(visitor.page.locator(".since summary")).to_be_visible()
        await visitor.page.locator("#turn .turn.asked").wait_for()
        await visitor.page.keyboard.press("s")
        await expect(visitor.page.locator(".since li").first).to_be_visible()
        # There is no keyboard to name its keys to.
        await expect(visitor.page.locator(".since kbd")).to_be_hidden()
    async with visit() as visitor:
        await opened(visitor.page, made.id)
        await expect(visitor.page.locator(".since")).to_have_count(0)
