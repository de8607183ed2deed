"""The lobby: what is played, found again, and begun."""

import asyncio
import re

from playwright.async_api import Page, Route, expect

from tests.browser.games import table, token_of
from tests.browser.reading import give_any, settled
from tests.browser.visiting import PHONE, Visit, Visitor
from tests.service.api.serving import Service


async def test_a_visitor_finds_a_game_by_its_words_its_status_and_its_rules(service: Service, page: Page):
    await table(service.services, seed=1, events=60, title="Thursday at the club")
    await table(service.services, "mare-nostrum", seed=2, events=60, title="Merchants")
    await page.goto("/")
    games = page.get_by_role("region", name="Games").get_by_role("listitem")
    await expect(games).to_have_count(2)
    await page.get_by_role("searchbox").fill("thursday")
    await expect(games).to_have_count(1)
    await expect(games).to_contain_text("Thursday at the club")
    await page.get_by_role("searchbox").fill("")
    await page.get_by_role("combobox", name="Rules").select_option("mare-nostrum")
    await expect(games).to_contain_text(["Merchants"])
    await page.get_by_role("combobox", name="Status").select_option("over")
    await expect(page.get_by_text("No game matches.")).to_be_visible()
    await page.get_by_role("combobox", name="Status").select_option("running")
    await games.get_by_role("link", name="Merchants").click()
    await settled(page)
    await expect(page.get_by_role("heading", name="Merchants")).to_be_visible()


async def test_the_lobby_tells_by_itself_how_a_game_goes_on(service: Service, page: Page):
    made = await table(service.services, events=60)
    await page.goto("/")
    stage = page.locator("#stage article")
    await expect(stage).to_contain_text(f"{made.version} events")
    await expect(stage.locator("img")).to_have_js_property("complete", True)
    now = await give_any(service, made)
    await expect(stage).to_contain_text(f"{now} events")


async def test_two_visitors_open_accounts_begin_a_game_and_sit_down(page: Page, visit: Visit):
    await page.goto("/")
    await page.get_by_role("textbox", name="Your name").fill("Anna")
    await page.get_by_role("button", name="Open an account").click()
    await expect(page.get_by_text("You are signed in as Anna in this tab.")).to_be_visible()
    await page.get_by_role("combobox", name="Players").select_option("2")
    await page.get_by_role("textbox", name="Title").fill("Ours")
    slow = asyncio.Event()

    async def hold(route: Route) -> None:
        await slow.wait()
        await route.continue_()

    await page.route("**/players/me", hold)
    await page.get_by_role("button", name="Create the game").click()
    # Nobody who has a token is asked to sign in, only because the service has not said yet whose it is.
    await expect(page.get_by_role("button", name="Sit here").first).to_be_disabled()
    slow.set()
    await page.get_by_role("button", name="Sit here").first.click()
    await expect(page.get_by_role("button", name="Leave")).to_be_visible()
    async with visit() as other:
        await other.page.goto(page.url)
        await other.page.get_by_role("button", name="Sign in to sit here").click()
        await other.page.get_by_role("textbox", name="Your name").fill("Bert")
        await other.page.get_by_role("button", name="Open an account").click()
        await expect(other.page.get_by_text("You are signed in as Bert in this tab.")).to_be_visible()
        await other.page.get_by_role("button", name="Close").click()
        await expect(other.page.get_by_role("button", name="Sit here")).to_be_focused()
        await other.page.keyboard.press("Enter")
        await expect(other.page.get_by_role("heading", name="Everybody is here")).to_be_visible()
    await page.get_by_role("button", name="Begin the game").click()
    await expect(page.get_by_role("heading", name="Everybody is here")).to_have_count(0)
    await settled(page)


async def test_the_same_page_is_that_of_a_seat_and_of_the_organizer(service: Service, page: Page):
    made = await table(service.services, "mare-nostrum", 3, events=200)
    await page.goto(f"/games/{made.id}")
    await settled(page)
    await expect(page.get_by_role("button", name="Spectator")).to_be_visible()
    seat = next(iter(made.seats))
    for token, words in ((made.token(seat), re.compile("^Seat: ")), (token_of(made.organizer), "Organizer")):
        await page.locator(".who").click()
        if await page.get_by_role("button", name="Look as a spectator").is_visible():
            await page.get_by_role("button", name="Look as a spectator").click()
            await page.locator(".who").click()
        await page.get_by_label("or the token you have").fill(token)
        await page.get_by_role("button", name="Use this token").click()
        await expect(page.get_by_role("button", name=words)).to_be_visible()
        await settled(page)


async def test_the_dialog_closes_when_it_knows_who_looks_and_says_so(service: Service, page: Page, visitor: Visitor):
    visitor.expect("401")
    made = await table(service.services, "mare-nostrum", 3, events=200)
    await page.goto(f"/games/{made.id}")
    await settled(page)
    dialog, who = page.get_by_role("dialog"), page.locator(".who")
    await who.click()
    await page.get_by_label("or the token you have").fill("nobody's")
    await page.get_by_role("button", name="Use this token").click()
    await expect(dialog.get_by_role("alert")).to_be_visible()
    await page.get_by_label("or the token you have").fill(token_of(await service.register("Anna")))
    await page.keyboard.press("Enter")
    await expect(dialog).to_be_hidden()
    await expect(who).to_be_focused()
    await expect(who).to_have_text("Spectator (Anna)")
    await expect(page.get_by_role("status").filter(has_text="You are Anna. Spectator.")).to_be_attached()
    await who.click()
    await page.get_by_role("button", name="Look as a spectator").click()
    await expect(dialog).to_be_hidden()
    await expect(who).to_have_text("Spectator")
    await who.click()
    # A new token is shown, to be saved: the dialog stays, and the focus is on it.
    await page.get_by_role("textbox", name="Your name").fill("Bert")
    await page.keyboard.press("Enter")
    await expect(dialog.locator(".token")).to_be_focused()
    await page.get_by_role("button", name="Close").click()
    await expect(who).to_be_focused()
    await expect(who).to_have_text("Spectator (Bert)")


async def test_the_first_screen_says_what_it_is_and_shows_a_game_beside_the_list(service: Service, visit: Visit):
    made = await table(service.services, events=60, title="Thursday at the club")
    async with visit(viewport={"width": 1280, "height": 800}) as visitor:
        page = visitor.page
        await page.goto("/")
        link = page.get_by_role("region", name="Games").get_by_role("link", name="Thursday at the club")
        picture = page.locator("#stage img")
        await expect(page.get_by_text("played by complete rules")).to_be_in_viewport()
        await expect(link).to_be_in_viewport(ratio=1)
        await expect(picture).to_be_in_viewport(ratio=1)
        await expect(picture).to_have_attribute("src", f"/v1/games/{made.id}/board.svg?version={made.version}")
        listed, shown = await link.bounding_box(), await picture.bounding_box()
        assert listed
        assert shown
        assert listed["x"] + listed["width"] < shown["x"]
        assert shown["y"] < listed["y"] < shown["y"] + shown["height"]
    async with visit(**PHONE) as visitor:
        await visitor.page.goto("/")
        await expect(visitor.page.locator("#stage img")).to_be_in_viewport()
        assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
