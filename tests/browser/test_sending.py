"""Sending an answer: when it is lost, or the game has gone on meanwhile."""

import re

import pytest
from playwright.async_api import Page, Route

from tests.browser.deciding import asked, offered, sit
from tests.browser.games import Table, asks, table
from tests.browser.seats import Sitting
from tests.browser.visiting import Visitor, expect
from tests.service.api.serving import Service


async def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
    visitor.listen()
    visitor.expect("net::ERR_FAILED")
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)

    async def lose(route: Route) -> None:
        await route.fetch()
        await route.abort()

    await page.route("**/commands", lose, times=1)
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("alert")).to_contain_text("it does not happen twice")
    now = (await service.get(f"/v1/games/{placing.id}"))["version"]
    assert now == placing.version + 1
    # The live stream brings that version. It closes the form, and what the page says of the request moves.
    await expect(page.get_by_label("Province")).to_have_count(0)
    await page.get_by_role("button", name="Send again").click()
    await expect(page.locator(".outcome.done")).to_contain_text(f"Build a city: accepted as version {now}.")
    assert (await service.get(f"/v1/games/{placing.id}"))["version"] == now
    keys = [
        await request.header_value("idempotency-key") for request in visitor.asked if request.url.endswith("/commands")
    ]
    assert len(keys) == 2
    assert keys[0] == keys[1]


async def test_it_can_be_asked_for_again_where_the_stream_was_quicker(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
    visitor.expect("net::ERR_FAILED")
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)

    async def lose(route: Route) -> None:
        async with page.expect_response("**/v1/**/options*"):
            await route.fetch()
        await expect(page.get_by_label("Province")).to_have_count(0)
        await route.abort()

    await page.route("**/commands", lose, times=1)
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("button", name="Send again").click()
    await expect(page.locator(".outcome.done")).to_contain_text(f"accepted as version {placing.version + 1}.")
    assert (await service.get(f"/v1/games/{placing.id}"))["version"] == placing.version + 1


@pytest.fixture
def unfollowed(visitor: Visitor) -> Visitor:
    """A visitor who hears of nothing that happens in a game until they send something."""
    visitor.expect("net::ERR_FAILED|412")
    return visitor


async def unheard(page: Page) -> None:
    await page.route("**/events/stream", lambda route: route.abort())


async def test_a_game_that_went_on_meanwhile_hinders_nobody_who_is_asked_and_offered_the_same(
    service: Service, page: Page, unfollowed: Visitor, placing: Table
):
    unfollowed.listen()
    await unheard(page)
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)
    other = next(seat for seat in placing.seats if seat != asked(placing))
    await service.give(placing.id, placing.seats[other], "propose-alliance", members=[asked(placing)])
    await page.get_by_role("button", name="Check").click()
    await expect(page.get_by_text("This would be accepted.")).to_be_visible()
    (leave,) = await offered(service, placing, other, "leave-alliance")
    await service.post(f"/v1/games/{placing.id}/commands", placing.seats[other], {"command": leave})
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".outcome.done")).to_contain_text(f"accepted as version {placing.version + 3}.")
    sent = [request for request in unfollowed.asked if request.url.endswith("/commands")]
    assert [await each.header_value("if-match") for each in sent] == [
        f'"{placing.version + 1}"',
        f'"{placing.version + 2}"',
    ]
    assert len({await each.header_value("idempotency-key") for each in sent}) == 2


async def test_a_seat_that_is_asked_with_others_sends_once_whatever_they_have_sent(
    service: Service, page: Page, unfollowed: Visitor
):
    made = await table(service.services, "mare-nostrum", 3, seed=4, until=asks("offer"))
    mine, other = made.simulation.game.decisions[0].seats[:2]
    await unheard(page)
    await sit(page, made, mine)
    (command,) = await offered(service, made, mine, "offer")
    options = (await service.get(f"/v1/games/{made.id}/options", made.seats[mine]))["options"]
    await Sitting(unfollowed, mine).fill(options, command)
    (command,) = await offered(service, made, other, "offer")
    await service.post(f"/v1/games/{made.id}/commands", made.seats[other], {"command": command})
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".outcome.done")).to_contain_text("accepted as version")


@pytest.mark.parametrize("twice", [False, True], ids=["other options", "other question"])
async def test_what_has_changed_since_it_was_filled_in_is_said_and_nothing_happens(
    service: Service, page: Page, unfollowed: Visitor, placing: Table, *, twice: bool
):
    await unheard(page)
    await sit(page, placing)
    await page.get_by_role("button", name="Build a city").click()
    await page.get_by_label("Province").select_option(index=1)
    for _ in range(1 + twice):
        (command,) = await offered(service, placing, asked(placing), "place-city")
        await service.post(f"/v1/games/{placing.id}/commands", placing.seats[asked(placing)], {"command": command})
    now = (await service.get(f"/v1/games/{placing.id}"))["version"]
    await page.get_by_role("button", name="Send").click()
    told = page.get_by_role("alert")
    await expect(told).to_contain_text(f"Nothing was done: the game went on to version {now}")
    await expect(told).to_contain_text(re.compile(r"has changed|asked something else|no longer"))
    await expect(told).to_be_in_viewport(ratio=1)
    assert (await service.get(f"/v1/games/{placing.id}"))["version"] == now
