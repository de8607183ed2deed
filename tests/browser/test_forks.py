"""Forks on the page: made from the version that is shown, played with all seats, and held against their parents."""

import re

import pytest
from playwright.async_api import Page

from domain.kernel.rules import schema
from tests.browser.games import Table, table, token_of
from tests.browser.reading import opened, settled
from tests.browser.test_access import LOOKS
from tests.browser.visiting import Visit, Visitor, expect
from tests.helpers.sampling import sampled
from tests.service.api.serving import Player, Service


async def fork_by_hand(page: Page, made: Table, player: Player, version: int) -> str:
    """Make a fork with the button of the page; return its address."""
    await opened(page, made.id, f"#token={token_of(player)}&v={version}")
    await page.get_by_role("button", name="What if?").click()
    await expect(page.locator(".page-header .fork-of")).to_be_visible()
    await settled(page)
    return re.sub("#.*", "", page.url)


async def give_as_maker(service: Service, url: str, made: Table, player: Player, count: int) -> None:
    for _ in range(count):
        options = (await service.get(f"/v1{url}/options", player))["options"]
        asked = next(option for option in options if option.get("decision"))
        command = schema.sample(asked["schema"], made.simulation.rng)
        await service.post(f"/v1{url}/commands", player, {"command": command})


async def test_a_fork_is_made_from_the_version_that_is_shown_and_played_with_all_seats(
    service: Service, page: Page
) -> None:
    made = await table(service.services, events=400)
    anna = next(iter(made.seats.values()))
    url = "/games" + (await fork_by_hand(page, made, anna, 200)).partition("/games")[2]
    game = await service.get(f"/v1{url}")
    assert game["fork"]["parent"] == made.id
    assert 190 <= game["fork"]["version"] <= 200
    link = page.get_by_role("link", name=f"another game at version {game['fork']['version']}")
    await expect(link).to_have_attribute("href", f"/games/{made.id}#v={game['fork']['version']}")
    title = f"An analysis from version {game['fork']['version']}"
    await expect(page.get_by_role("heading", level=1)).to_have_text(title)
    await expect(page).to_have_title(re.compile(title))
    await expect(page.get_by_role("tab", name="Decide")).to_have_attribute("aria-selected", "true")
    seats = set[str]()
    for _ in range(12):
        seats.add((await service.get(f"/v1{url}", anna))["you"])
        await give_as_maker(service, url, made, anna, 1)
    assert len(seats) > 1
    head = (await service.get(f"/v1{url}"))["version"]
    await expect(page.get_by_role("slider", name="Version")).to_have_value(f"{head}")


@pytest.mark.parametrize("look", sampled("forks beside their parents", LOOKS, 1))
async def test_a_fork_is_held_against_its_parent_on_one_slider(service: Service, visit: Visit, look: str):
    made = await table(service.services, events=400)
    anna = next(iter(made.seats.values()))
    async with visit(**LOOKS[look]) as visitor:
        page = visitor.page
        url = "/games" + (await fork_by_hand(page, made, anna, 200)).partition("/games")[2]
        await give_as_maker(service, url, made, anna, 15)
        fork = await service.get(f"/v1{url}")
        begun, last = fork["fork"]["version"], fork["version"] - 1
        await page.goto(f"{url}#v={last}")  # at the newest version a phone shows the decision in place of the slider
        await page.get_by_role("tab", name="Changes").click()
        await page.get_by_role("button", name="Compare with the game it forks from").click()
        for version in (last, 1):
            await page.get_by_role("slider", name="Version").fill(f"{version}")
            beside = min(made.version, begun + version - 1)
            shown = page.get_by_role("img", name=f"The board of the other game at version {beside}")
            await expect(shown).to_be_visible()
        await expect(page.get_by_text(f"Nothing differs between version {begun} of the other game")).to_be_visible()
        await page.get_by_role("slider", name="Version").fill(f"{last}")
        await expect(page.locator(".differences")).to_be_visible()
        await visitor.axe_in_passing()
        await page.get_by_role("button", name="Stop comparing with the other game").click()
        await expect(page.locator(".differences")).to_have_count(0)
        await page.goto(f"/games/{made.id}")
        await page.get_by_role("tab", name="Changes").click()
        await expect(page.get_by_role("link", name="analysis")).to_have_attribute("href", url)


async def test_a_visitor_is_asked_to_sign_in_first(service: Service, page: Page, visitor: Visitor):
    visitor.expect("status of 401")
    made = await table(service.services, events=400)
    await opened(page, made.id, "#v=200")
    await page.get_by_role("button", name="What if?").click()
    await expect(page.locator("#sign-in")).to_be_visible()


async def test_a_version_that_cannot_be_forked_gets_a_message(service: Service, page: Page, visitor: Visitor):
    visitor.expect("status of 409")
    made = await table(service.services, events=400)
    carl = await service.register("Carl")
    await opened(page, made.id, f"#token={token_of(carl)}&v=200")
    await page.get_by_role("button", name="What if?").click()
    await expect(page.get_by_role("alert")).to_contain_text("its officials may fork it")
