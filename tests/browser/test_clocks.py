"""Clocks in pages: they are chosen and told before anybody sits down, count down, warn, and can be claimed."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest_asyncio
from msgspec import Struct
from playwright.async_api import Browser, Page

from domain.boards import builtin
from domain.kernel.ids import GameId, Seat
from domain.library import LIBRARY
from projections.lanes import LANES
from service.base.clock import stamped, written
from service.games.clocks import Fall
from tests.browser.games import token_of
from tests.browser.reading import opened
from tests.browser.visiting import PHONE, Visitor, expect, until, visiting
from tests.service.api.serving import Player, Service, serving
from tests.service.api.test_mine import eventually
from tests.service.rig import Hands

CLAIM = {"kind": "bank", "time": 600, "increment": 60, "cap": 900, "at_zero": "claim", "grace": 0}
NEW = {"ruleset": "conquest-classic-friz", "players": 2, "title": "Of clocks"}
FAR_OFF = datetime(2001, 2, 3, tzinfo=UTC)
"""What the device's own clock says, which is not to count."""
WATCH = """() => {
    const strip = document.querySelector("#strip");
    globalThis.sizes = new Set();
    globalThis.told = [];
    new ResizeObserver(() => sizes.add(strip.getBoundingClientRect().height)).observe(strip);
    const said = strip.querySelector("[role=status]");
    new MutationObserver(() => told.push(said.textContent))
        .observe(said, {childList: true, characterData: true, subtree: true});
}"""


class Timed(Struct, eq=False):
    """A service whose clock is put on by hand, and two players."""

    service: Service
    hands: Hands
    anna: Player
    bert: Player
    passed: timedelta = timedelta()

    async def answered_for(self, game: str, seat: str) -> None:
        """Let the flags of a seat fall until the game waits for another, as the timekeeper does."""
        while True:
            clocks = (await self.service.get(f"/v1/games/{game}"))["clocks"]["seats"]
            until = next(each["falls_at"] for each in clocks if each["seat"] == seat)
            if until is None:
                return
            self.hands.now = max(self.hands.now, stamped(until) + timedelta(milliseconds=1))
            await self.service.services.games.by_clock(GameId(game), Fall(Seat(seat)))

    async def wait(self, page: Page, seconds: int) -> None:
        """Let time pass, for the service and on a page, while the clocks are watched."""
        self.hands.now += timedelta(seconds=seconds)
        for lanes in (1, LANES):
            await self.service.services.rows.watch(dict.fromkeys(range(lanes), written(self.hands.now)), lanes)
        self.passed += timedelta(seconds=seconds)
        await page.clock.set_fixed_time(FAR_OFF + self.passed)


@pytest_asyncio.fixture(loop_scope="session")
async def timed(tmp_path: Path) -> AsyncIterator[Timed]:
    hands = Hands()
    async with serving(tmp_path, LIBRARY, builtin, clock=hands, durable=False, clocks=False) as service:
        yield Timed(service, hands, await service.register("Anna"), await service.register("Bert"))


async def test_a_clock_counts_down_by_the_time_of_the_service_warns_once_and_is_claimed(browser: Browser, timed: Timed):
    service, anna, bert = timed.service, timed.anna, timed.bert
    game = (await service.post("/v1/games", anna, {**NEW, "clock": CLAIM}))["id"]
    for player in (anna, bert):
        await service.post(f"/v1/games/{game}/seats", player, {})
    await service.post(f"/v1/games/{game}/start", anna)
    clocks = (await service.get(f"/v1/games/{game}"))["clocks"]["seats"]
    seats = {each["seat"]: each["player"] for each in (await service.get(f"/v1/games/{game}"))["seats"]}
    waited = next(each["seat"] for each in clocks if each["runs"])
    other = bert if seats[waited] == anna.id else anna
    async with visiting(browser, str(service.client.base_url).rstrip("/")) as visitor:
        page = visitor.page
        await page.clock.set_fixed_time(FAR_OFF)
        await opened(page, game, f"#token={token_of(other)}")
        strip = page.locator("#strip")
        digits = strip.locator(f'[data-clock="{waited}"]')
        await expect(digits).to_have_text("10:00")
        await page.evaluate(WATCH)
        await timed.wait(page, 61)
        await expect(digits).to_have_text("8:59")
        assert await page.evaluate("[sizes.size, told]") == [1, []], "nothing moves each second, and nobody is told"
        await timed.wait(page, 490)
        low = strip.locator(".clock.low")
        await expect(low).to_contain_text("little time")
        said = strip.get_by_role("status")
        await expect(said).to_contain_text("has less than a tenth of the time left.")
        await timed.wait(page, 5)
        await expect(digits).to_have_text("0:44")
        assert len(await page.evaluate("told")) == 1, "a warning is told once"
        assert await page.evaluate("[...document.querySelectorAll('[role=timer]')].every((each) => !each.ariaLive)")
        await page.get_by_role("tab", name="Scores").click()
        told = "Each player has 10 minutes, and 1 minute after each turn, up to 15 minutes."
        await expect(page.locator("section.clocks")).to_contain_text(told)
        await visitor.axe("#strip")
        await timed.wait(page, 60)
        await expect(strip.locator(".clock.due")).to_contain_text("time is up")
        await page.get_by_role("button", name="Claim the time of").click()
        await until(page, "document.querySelectorAll('#around .request').length === 0")
        clocks = (await service.get(f"/v1/games/{game}"))["clocks"]["seats"]
        assert {each["seat"]: each["flags"] for each in clocks}[waited] == 1
        await page.get_by_text("Give a player time").click()
        many = page.get_by_label("How much")
        assert await page.get_by_label("Unit").locator("option").all_text_contents() == ["minutes"]
        await many.fill("11")
        assert not await many.evaluate("(input) => input.checkValidity()"), "more than a clock begins with"
        await many.fill("1")
        await page.get_by_role("button", name="Give").click()
        await until(page, "!document.querySelector('section.clocks button:disabled')")
        rows = (await service.get(f"/v1/games/{game}/events", other))["items"]
        assert [row["event"]["seconds"] for row in rows if row["event"]["type"] == "time-given"] == [60]


async def test_a_substitute_takes_over_from_a_player_who_vanished_and_plays_to_the_end(browser: Browser, timed: Timed):
    """The walk by page of `openapi/vanished.md`."""
    service, anna, bert = timed.service, timed.anna, timed.bert
    address = str(service.client.base_url).rstrip("/")
    vacate = {"kind": "decision", "time": 600, "at_zero": "vacate"}
    game = (await service.post("/v1/games", anna, {**NEW, "clock": vacate}))["id"]
    for player in (anna, bert):
        await service.post(f"/v1/games/{game}/seats", player, {})
    await service.post(f"/v1/games/{game}/start", anna)
    shown = await service.get(f"/v1/games/{game}")
    (gone,) = shown["decisions"][0]["seats"]
    holder = next(each["player"] for each in shown["seats"] if each["seat"] == gone)
    stays = bert if holder == anna.id else anna
    cleo = await service.register("Cleo")
    async with visiting(browser, address, **PHONE) as substitute, visiting(browser, address) as other:
        await opened(other.page, game, f"#token={token_of(stays)}")
        await opened(substitute.page, game, f"#token={token_of(cleo)}")
        await timed.answered_for(game, gone)
        for page in (other.page, substitute.page):
            around = page.get_by_role("group", name="A seat that is open")
            await expect(around).to_contain_text("left the seat of")
            await expect(around).to_contain_text("the clock answers for it")
        await expect(other.page.get_by_role("button", name="Take over")).to_have_count(0)
        await substitute.axe_in_passing("#around")
        await substitute.page.get_by_role("button", name="Take over").click()
        await expect(substitute.page.locator(".who")).to_contain_text("Seat:")
        await expect(around).to_have_count(0)
        await expect(substitute.page.locator(f'#strip [data-clock="{gone}"]')).to_have_text("10:00")
        # The player who stayed plays a turn; then the substitute is asked.
        least = [{"type": f"finish-{each}"} for each in ("movement", "destruction", "purchase")]
        await service.post(f"/v1/games/{game}/commands", stays, {"commands": least})
        await substitute.page.locator("#turn").get_by_role("button", name="Done moving").click()
        await expect(substitute.page.locator("#turn")).to_contain_text("Which of your cities do you destroy, if any?")
        await substitute.page.get_by_role("tab", name="Scores").click()
        await substitute.page.get_by_text("Propose to end the game").click()
        await substitute.page.get_by_role("button", name="Propose this end").click()
        await other.page.get_by_role("button", name="Agree to end the game").click()
        await expect(substitute.page.locator("#around")).to_contain_text("Game over. Ended by agreement")
    result = (await service.get(f"/v1/games/{game}"))["result"]
    assert (result["how"], result["winners"]) == ("agreed", [])


async def test_a_seat_that_its_clock_left_open_is_taken_back_on_the_page(browser: Browser, timed: Timed):
    service, anna, bert = timed.service, timed.anna, timed.bert
    game = (await service.post("/v1/games", anna, {**NEW, "clock": {**CLAIM, "at_zero": "vacate"}}))["id"]
    for player in (anna, bert):
        await service.post(f"/v1/games/{game}/seats", player, {})
    await service.post(f"/v1/games/{game}/start", anna)
    now = await service.get(f"/v1/games/{game}")
    waited = next(each["seat"] for each in now["clocks"]["seats"] if each["runs"])
    holder = next(each["player"] for each in now["seats"] if each["seat"] == waited)
    async with visiting(browser, str(service.client.base_url).rstrip("/")) as visitor:
        page = visitor.page
        await timed.wait(page, 601)
        await service.services.games.by_clock(GameId(game), Fall(Seat(waited)))
        around, back = page.locator("#around"), page.get_by_role("button", name="Take your seat back")
        for player in (bert, anna) if holder == anna.id else (anna, bert):
            await opened(page, game, f"#token={token_of(player)}")
            if player.id != holder:
                await expect(around).to_contain_text("left the seat of")
                await expect(back).to_have_count(0)
        await expect(around).to_contain_text("Your clock left your seat open.")
        await visitor.axe("#around")
        await back.click()
        await expect(around).not_to_contain_text("left your seat open")
    assert (await service.get(f"/v1/games/{game}"))["given_up"] == []


async def test_a_clock_is_chosen_and_told_before_anybody_sits_down(browser: Browser, timed: Timed):
    service, address = timed.service, str(timed.service.client.base_url).rstrip("/")
    game = (await service.post("/v1/games", timed.anna, NEW))["id"]
    url = f"/v1/games/{game}"
    async with visiting(browser, address) as visitor:
        await opened(visitor.page, game, f"#token={token_of(timed.anna)}")
        await visitor.page.get_by_label("Clock").select_option("fast")
        await visitor.page.get_by_label("At zero").select_option("claim")
        seats = visitor.page.locator(".open-seats")
        await expect(seats).to_contain_text("Each player has 2 days, and 8 hours after each turn, up to 4 days.")
        await expect(seats).to_contain_text("At zero nothing happens until another player or an official asks for it.")
        await visitor.axe(".open-seats")
    clock = (await service.get(url))["clock"]
    assert (clock["days_off"], clock["at_zero"]) == (3, "claim")
    invited = (await service.post(f"{url}/invitations", timed.anna))["token"]
    await eventually(service, "/v1/games?clock=own", lambda page: len(page["items"]) == 1)
    async with visiting(browser, address, **PHONE) as visitor:
        page = visitor.page
        await page.goto(f"/join#{invited}")
        await expect(page.locator(".clock-settings")).to_contain_text("Each player may take 3 days off.")
        await page.goto("/")
        line = page.locator("#games .games li")
        await expect(line).to_contain_text("Clock: 2 days, and 8 hours after each turn")
        await page.get_by_label("Clock").select_option("slow")
        await expect(page.locator("#games")).to_contain_text("No game matches.")
        await page.get_by_label("Clock").select_option("own")
        await expect(line).to_have_count(1)
        await of_ones_own(visitor)
    made = await service.get(f"/v1/games/{page.url.rpartition('/')[2].partition('#')[0]}")
    assert made["clock"] == {
        "kind": "bank",
        "time": 36 * 3600,
        "increment": 8 * 3600,
        "cap": 4 * 24 * 3600,
        "grace": 2,
        "at_zero": "answer",
        "vacate_after": 0,
        "days_off": 5,
        "quiet": {"begins": 22 * 60, "ends": 6 * 60 + 30},
    }
    assert made["abandoned_after"] == 30


async def of_ones_own(visitor: Visitor) -> None:
    """Create a game with a clock of one's own, after the service refused what was wrong beside each field."""
    page = visitor.page
    visitor.expect("422")
    await page.goto("/new")
    time = page.get_by_label("Time", exact=True)
    await expect(time).to_be_hidden()
    await page.get_by_label("Clock").select_option("own")
    await page.get_by_label("Time: unit").select_option("seconds")
    await time.fill("5")
    await page.get_by_label("Days off that each player may take").fill("5")
    await page.get_by_label("Quiet hours each day, in UTC").fill("22:00")
    await page.get_by_label("Flags after which the seat is open").fill("0")
    await page.get_by_label("Days without any move").fill("3")
    create = page.get_by_role("button", name="Create the game")
    wrong = page.get_by_role("alert").filter(visible=True)
    for field, told, better in (
        (page.get_by_label("Days without any move"), "14", "30"),
        (time, "Expected 10 to 5184000 seconds, which are 60 days.", "36"),
        (page.get_by_label("Quiet hours each day, in UTC"), "The quiet hours last 0 minutes.", "22:00"),
    ):
        await create.click()
        await expect(field).to_be_focused()
        await expect(wrong).to_contain_text(told)
        await expect(field).to_have_accessible_description(re.compile(told))
        await field.fill(better)
        if field is time:
            await visitor.axe("form")
            await page.get_by_label("Time: unit").select_option("hours")
    await page.get_by_label("Quiet hours: until, in UTC").fill("06:30")
    await create.click()
    await page.wait_for_url("**/games/*")
    seats = page.locator(".open-seats")
    await expect(seats).to_contain_text("Each player has 1 day 12 hours, and 8 hours after each turn, up to 4 days.")
    await expect(seats).to_contain_text("When nothing happens for 30 days, the game ends as abandoned")
