"""Taking moves back by consent in the page of a game: asking for it, and how the others answer."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page

from domain.kernel.ids import Seat
from domain.kernel.rules import schema
from tests.browser.games import Table, table
from tests.browser.reading import give_any, opened
from tests.browser.seats import Sitting, sitting
from tests.browser.visiting import DARK, PHONE, Visit, Visitor, expect
from tests.service.api.serving import Service


async def last_command(service: Service, made: Table) -> tuple[Seat, int]:
    """Return whose command was the last that cannot be undone, and its version."""
    events = (await service.get(f"/v1/games/{made.id}/events?after={made.version - 100}&limit=100"))["items"]
    undoable = {seat: await goals(service, made, seat) for seat in made.seats}
    last = next(
        event
        for event in reversed(events)
        if "command" in event.get("cause", {}) and event["version"] - 1 not in undoable[event["cause"]["seat"]]
    )
    return last["cause"]["seat"], last["version"]


async def goals(service: Service, made: Table, seat: Seat) -> list[int]:
    """Return the versions to which a seat can go back by itself."""
    options = (await service.get(f"/v1/games/{made.id}/options", made.seats[seat]))["options"]
    to: dict[str, Any] = next(
        (option["schema"]["properties"]["to"] for option in options if option["command"] == "undo"), {}
    )
    return to.get("enum", [to["const"]] if "const" in to else [])


def around(page: Page) -> Locator:
    return page.locator("#around")


async def asked_from_the_story(page: Page, made: Table, seat: Seat, version: int) -> None:
    """Ask to take back what a version tells, by keyboard."""
    await opened(page, made.id, f"#token={made.token(seat)}&v={version}")
    story = page.get_by_role("tab", name="Story")
    if await story.count():
        await story.click()
    await page.get_by_role("button", name="Ask to take this back").focus()
    await page.keyboard.press("Enter")
    await expect(around(page)).to_contain_text(f"You ask to go back to version {version - 1}")


async def test_moves_are_taken_back_when_all_agree(service: Service, page: Page, visit: Visit):
    made = await table(service.services, seats=3, events=400)
    seat, version = await last_command(service, made)
    await asked_from_the_story(page, made, seat, version)
    others = [each for each in made.seats if each != seat]
    for number, other in enumerate(others):
        async with visit() as visitor:
            await opened(visitor.page, made.id, f"#token={made.token(other)}")
            request = around(visitor.page)
            await expect(request).to_contain_text(f"asks to go back to version {version - 1}")
            await request.get_by_role("button", name="Agree").focus()
            await visitor.page.keyboard.press("Enter")
            await expect(request.get_by_role("button", name="Agree")).to_have_count(0)
        if number == 0:
            # Spectators see how it stands.
            await expect(around(page)).to_contain_text(f"Still to answer: {others[1].capitalize()}")
    await expect(around(page)).to_be_empty()
    told = (await service.get(f"/v1/games/{made.id}/history?after={made.version}"))["items"]
    assert f"All seats agreed to take moves back: the game continues from version {version - 1}." in str(told)


async def test_one_refusal_ends_a_request_and_asking_again_is_refused_with_the_rule(
    service: Service, page: Page, visitor: Visitor, visit: Visit
):
    visitor.expect("status of 422")
    made = await table(service.services, events=400)
    seat, version = await last_command(service, made)
    await asked_from_the_story(page, made, seat, version)
    other = next(each for each in made.seats if each != seat)
    async with visit() as second:
        await opened(second.page, made.id, f"#token={made.token(other)}")
        await around(second.page).get_by_role("button", name="Refuse").click()
        await expect(around(second.page)).to_be_empty()
    await expect(around(page)).to_be_empty()
    await page.get_by_role("button", name="Ask to take this back").click()
    await expect(around(page).get_by_role("alert")).to_contain_text("TAB-UNDO-05")
    await around(page).get_by_role("button", name="Close").click()
    await expect(around(page)).to_be_empty()


async def test_a_seat_withdraws_its_request_and_others_cannot_ask_for_it(service: Service, page: Page, visit: Visit):
    made = await table(service.services, events=400)
    seat, version = await last_command(service, made)
    other = next(each for each in made.seats if each != seat)
    async with visit() as second:
        await opened(second.page, made.id, f"#token={made.token(other)}&v={version}")
        await expect(second.page.get_by_role("link", name="Inspect or dispute this")).to_be_visible()
        await expect(second.page.get_by_role("button", name="Ask to take this back")).to_have_count(0)
    await asked_from_the_story(page, made, seat, version)
    await around(page).get_by_role("button", name="Withdraw it").click()
    await expect(around(page)).to_be_empty()
    assert (await service.get(f"/v1/games/{made.id}"))["take_backs"] == []


async def test_what_cannot_be_undone_is_asked_for_in_the_bar(service: Service, visit: Visit):
    made = await table(service.services, events=400)
    game = await service.get(f"/v1/games/{made.id}")
    seat = game["decisions"][0]["seats"][0]
    async with sitting(visit, made.id, seat, made.token(seat)) as sat:
        before = await one_command(service, made, sat)
        came = sat.page.locator("#turn .came")
        await expect(came).to_contain_text("done.")
        while before in await goals(service, made, seat):
            await expect(came.get_by_role("button", name="Ask to take it back")).to_have_count(0)
            await give_any(service, made)
        await came.get_by_role("button", name="Ask to take it back").click()
        await expect(around(sat.page)).to_contain_text(f"You ask to go back to version {before}")
        (asked,) = (await service.get(f"/v1/games/{made.id}"))["take_backs"]
        for other in asked["waits_for"]:
            answer = f"/v1/games/{made.id}/take-backs/{asked['asked']}/answer"
            await service.post(answer, made.seats[other], {"agrees": True})
        # What was taken back is not asked for once more.
        await expect(around(sat.page)).to_be_empty()
        await expect(came).not_to_contain_text("done.")


async def one_command(service: Service, made: Table, sat: Sitting) -> int:
    """Give a command by the map and the bar; return the version before it."""
    view = await service.get(f"/v1/games/{made.id}/options", made.seats[Seat(sat.seat)])
    await sat.ready(view["version"])
    asked = next(option for option in view["options"] if option.get("decision"))
    command: dict[str, Any] = schema.sample(asked["schema"], made.simulation.rng)
    await sat.point(view["options"], command)
    return view["version"]


@pytest.mark.parametrize("look", [{}, {**DARK, **PHONE}], ids=["light", "dark phone"])
async def test_a_request_can_be_read_and_answered_everywhere(service: Service, visit: Visit, look: dict[str, Any]):
    made = await table(service.services, events=400)
    seat, version = await last_command(service, made)
    await service.post(f"/v1/games/{made.id}/take-backs", made.seats[seat], {"to": version - 1})
    other = next(each for each in made.seats if each != seat)
    async with visit(**look) as visitor:
        await opened(visitor.page, made.id, f"#token={made.token(other)}")
        await expect(around(visitor.page).get_by_role("button", name="Agree")).to_be_visible()
        await visitor.axe_in_passing()
        wide = await visitor.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0
