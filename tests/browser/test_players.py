"""The strip of players, and how a tab says that it is your turn."""

import re

from playwright.async_api import Locator, Page

from domain.kernel.ids import Seat
from domain.kernel.log.game import Game
from tests.browser.games import table
from tests.browser.reading import expect_version, give_any, opened, slider
from tests.browser.visiting import DARK, PHONE, Visit, Visitor, expect
from tests.service.api.serving import Service

LISTEN = """
    window.rung = 0;
    window.told = [];
    window.AudioContext = class {
        constructor() { window.rung += 1; this.currentTime = 0; }
        createOscillator() { return { frequency: {}, connect: (next) => next, start() {}, stop() {} }; }
        createGain() {
            return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: () => this };
        }
        close() {}
    };
    window.Notification = class {
        static permission = "default";
        static async requestPermission() { return (this.permission = "granted"); }
        constructor(title, { body }) { window.told.push([title, body]); }
    };
"""


def players(page: Page) -> Locator:
    return page.get_by_role("region", name="Players").get_by_role("listitem")


def waiting(game: Game) -> Seat:
    return game.decisions[0].seats[0]


async def test_every_player_is_seen_with_what_they_have_and_who_is_asked(service: Service, visitor: Visitor):
    page = visitor.page
    made = await table(service.services, "conquest-classic-friz", 3, events=200)
    asked = waiting(made.simulation.game)
    await opened(page, made.id, f"#token={made.token(asked)}")
    shown = (await service.get(f"/v1/games/{made.id}/marks"))["standings"]
    await expect(players(page)).to_have_count(len(shown))
    for standing in shown:
        line = players(page).filter(has=page.get_by_text(standing["name"], exact=True))
        for name, value in standing["figures"].items():
            await expect(line).to_contain_text(f"{name} {value}")
        await expect(line.get_by_text("to decide")).to_have_count(int(standing["seat"] == asked))
        await expect(line.get_by_text("you", exact=True)).to_have_count(int(standing["seat"] == asked))
    await visitor.axe_in_passing("#strip")
    # The past shows what they had then, and asks nobody. What is open at once lies over the timeline.
    await page.keyboard.press("Escape")
    await slider(page).fill("100")
    await expect_version(page, 100)
    await expect(players(page).get_by_text("to decide")).to_have_count(0)
    await page.get_by_role("button", name="Go to now").click()
    await expect_version(page, made.version)


async def test_ones_own_hand_is_in_sight_and_nobody_elses(service: Service, page: Page, visit: Visit):
    made = await table(service.services, "mare-nostrum", 3, events=120)
    seat = next(iter(made.simulation.game.players))
    own = (await service.get(f"/v1/games/{made.id}/marks", made.seats[seat]))["standings"]
    hand = [item["words"] for each in own if each["seat"] == seat for item in each["items"] if "hand" in item["words"]]
    assert hand
    await opened(page, made.id, f"#token={made.token(seat)}")
    await expect(players(page).locator(".hand")).to_contain_text(hand[0])
    async with visit(**PHONE, **DARK) as other:
        await opened(other.page, made.id)
        await expect(players(other.page).first).to_be_visible()
        await expect(other.page.get_by_role("region", name="Players")).not_to_contain_text("in hand")
        await other.axe_in_passing("#strip")
        # A hand has room on a phone, too: as signs, read out in words.
        await opened(other.page, made.id, f"#token={made.token(seat)}")
        own_hand = players(other.page).locator(".hand")
        await expect(own_hand).to_contain_text(hand[0])
        assert await own_hand.evaluate(
            "(hand) => hand.scrollWidth <= hand.clientWidth && hand.getBoundingClientRect().right <= innerWidth"
        )


async def test_a_turn_that_begins_is_seen_in_the_tab_and_heard_by_who_wants_it(service: Service, visitor: Visitor):
    page = visitor.page
    made = await table(service.services, "conquest-classic-friz", 3, events=200)
    game = made.simulation.game
    seat = next(each for each in game.players if each != waiting(game))
    await page.add_init_script(LISTEN)
    await opened(page, made.id, f"#token={made.token(seat)}")
    icon = page.locator("link[rel=icon]")
    await expect(icon).to_have_attribute("href", "/favicon.ico")
    await page.get_by_role("button", name="Notices").click()
    notices = page.get_by_role("dialog", name="When it is your turn")
    for box in (notices.get_by_label("Play a sound"), notices.get_by_label("Show a notification")):
        await expect(box).not_to_be_checked()
        await box.check()
    await visitor.axe_in_passing("#notices")
    await notices.get_by_role("button", name="Close").click()
    heard = await page.evaluate("window.rung")
    assert heard == 1, "whoever turns it on hears what it is like"
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    while seat not in (now := await service.get(f"/v1/games/{made.id}"))["decisions"][0]["seats"]:
        await give_any(service, made)
    await expect(page).to_have_title(re.compile("^Your turn · "))
    await expect(icon).to_have_attribute("href", re.compile("^data:image/svg"))
    await expect(page.get_by_role("tab", name="Decide")).to_have_attribute("aria-selected", "true")
    assert await page.evaluate("window.rung") == heard + 1
    assert [now["decisions"][0]["title"]] == [body for _, body in await page.evaluate("window.told")]
