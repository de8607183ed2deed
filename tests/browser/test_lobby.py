"""The lobby: what is played, found again, and begun."""

import asyncio
import re

from playwright.async_api import Page, Route

from domain.library import LIBRARY
from service.bots.bot import GREEDY
from tests.browser.games import table, token_of
from tests.browser.reading import give_any, settled
from tests.browser.visiting import PHONE, Visit, Visitor, expect
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


async def test_one_click_leads_to_a_running_game_against_bots(service: Service, visitor: Visitor):
    page = visitor.page
    visitor.expect("409|422")  # what can be done at once is checked beforehand, as soon as the bots have answered
    await page.goto("/")
    way = page.get_by_role("form", name="Play against bots")
    fewest = min(map(LIBRARY.current, LIBRARY.ids()), key=lambda each: len(each.catalogue.rules))
    await expect(way.get_by_role("combobox", name="Game")).to_have_value(fewest.id)
    await expect(way.get_by_role("combobox", name="Bots")).to_have_value(GREEDY)
    await visitor.axe_in_passing()
    await way.get_by_role("combobox", name="Game").select_option("conquest-classic-friz")
    await way.get_by_role("button", name="Play now").click()
    await page.wait_for_url("**/games/*")
    await settled(page)
    game = await service.get(f"/v1/games/{page.url.rpartition('/')[2]}")
    assert (game["status"], [seat["bot"] for seat in game["seats"]].count(True)) == ("running", len(game["seats"]) - 1)
    players = page.get_by_role("region", name="Players").get_by_role("listitem")
    await expect(players.locator(".tag", has_text=re.compile("^bot$"))).to_have_count(len(game["seats"]) - 1)
    await expect(players.filter(has_text="you")).to_have_count(1)
    # Two clicks after the address a move has been made: what can be done is on the page, and the bots answer.
    turn = page.get_by_role("region", name="Your turn")
    await turn.get_by_role("button", name="Done moving").click()
    seat = next(each["seat"] for each in game["seats"] if not each["bot"])
    await expect(page.locator("#sentences")).to_contain_text(f"{seat.title()} finished moving.")
    # Later it is found again, as one that waits or one of theirs, and its rules are those of the next game.
    await page.goto("/")
    await expect(way.get_by_role("combobox", name="Game")).to_have_value("conquest-classic-friz")
    mine = page.locator("#mine").get_by_role("link", name=game["title"])
    await expect(mine).to_have_attribute("href", f"/games/{game['id']}")
    await expect(page.locator("#mine .picture img")).to_have_js_property("naturalWidth", 320)
    # It is in one place only, with what it asks once it waits for them.
    await expect(page.get_by_role("link", name=game["title"])).to_have_count(1)
    await expect(page.get_by_role("region", name="Your turn")).to_contain_text(f"{seat.title()}: ")


async def test_a_game_that_waits_is_found_behind_any_number_of_newer_ones(service: Service, page: Page):
    made = await table(service.services, title="Long ago", events=60)
    player = made.seats[made.simulation.game.decisions[0].seats[0]]
    for _ in range(21):
        await service.post("/v1/games", player, {"ruleset": "conquest-classic-friz", "players": 2})
    await page.goto(f"/#token={token_of(player)}")
    await expect(page.get_by_role("region", name="Your turn")).to_contain_text("Long ago")
    # It is theirs, so it is no game to watch.
    await expect(page.get_by_role("link", name="Long ago")).to_have_count(1)


async def test_friends_are_invited_to_a_table_of_ones_own(service: Service, page: Page):
    await page.goto("/")
    way = page.get_by_role("form", name="Invite friends")
    await way.get_by_role("combobox", name="Game").select_option("mare-nostrum")
    await way.get_by_role("textbox", name="Name").fill("Anna")
    await way.get_by_role("button", name="Open a table").click()
    await expect(page.get_by_role("heading", name="Waiting for players")).to_be_visible()
    game = await service.get(f"/v1/games/{page.url.rpartition('/')[2]}")
    assert (game["title"], game["ruleset"]) == ("Anna and friends", "mare-nostrum")
    assert [seat["name"] for seat in game["seats"]].count("Anna") == 1
    assert game["id"] not in {each["id"] for each in (await service.get("/v1/games"))["items"]}
    link = page.get_by_label("Each friend who opens this link gets a free seat")
    await expect(link).to_have_value(re.compile(r"/join#inv_[\w-]{43}$"))


async def test_an_error_is_shown_beside_the_request(page: Page, visitor: Visitor):
    visitor.expect("503")
    await page.goto("/")
    await page.route("**/v1/games", lambda route: route.fulfill(status=503, json={"title": "The service is full."}))
    way = page.get_by_role("form", name="Play against bots")
    await way.get_by_role("button", name="Play now").click()
    await expect(way.get_by_role("alert")).to_contain_text("The service is full.")
    await expect(way.get_by_role("button", name="Play now")).to_be_enabled()


async def test_two_visitors_open_accounts_begin_a_game_and_sit_down(page: Page, visit: Visit):
    await page.goto("/new")
    await page.get_by_role("group").get_by_text("I have an account").click()
    await expect(page.get_by_role("button", name="Sign in with a passkey")).to_be_visible()
    await page.locator("form", has_text="Create the game").get_by_label("Your name").fill("Anna")
    await page.get_by_role("combobox", name="Rules").select_option("conquest-classic-friz")
    await page.get_by_role("combobox", name="Players").select_option("2")
    await page.get_by_role("checkbox", name="I play, too").uncheck()
    await page.get_by_role("textbox", name="Title").fill("Ours")
    slow = asyncio.Event()

    async def hold(route: Route) -> None:
        if "/games/" in page.url:
            await slow.wait()
        await route.continue_()

    await page.route("**/v1/session", hold)
    await page.get_by_role("button", name="Create the game").click()
    # Nobody who is signed in is asked to sign in, only because the service has not said yet whose it is.
    await expect(page.get_by_role("button", name="Sit here").first).to_be_disabled()
    slow.set()
    await page.get_by_role("button", name="Sit here").first.click()
    await expect(page.get_by_role("button", name="Leave")).to_be_visible()
    async with visit() as other:
        await other.page.goto(page.url)
        await other.page.get_by_role("button", name="Sign in to sit here").click()
        await other.page.get_by_role("textbox", name="Your name").fill("Bert")
        await other.page.get_by_role("button", name="Open an account").click()
        await expect(other.page.get_by_role("dialog")).to_be_hidden()
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
    await page.get_by_role("button", name="Sign in as Anna").click()
    await expect(who).to_have_text("Spectator (Anna)")


async def test_the_first_screen_offers_a_game_beside_one_that_is_played(service: Service, visit: Visit):
    made = await table(service.services, events=60, title="Thursday at the club")
    async with visit(viewport={"width": 1280, "height": 800}) as visitor:
        page = visitor.page
        await page.goto("/")
        way = page.get_by_role("button", name="Play now")
        picture = page.locator("#stage img")
        await expect(page.get_by_text("played by complete rules")).to_be_in_viewport()
        await expect(way).to_be_in_viewport(ratio=1)
        await expect(picture).to_be_in_viewport(ratio=1)
        await expect(picture).to_have_attribute("src", f"/v1/games/{made.id}/board.svg?version={made.version}")
        offered, shown = await way.bounding_box(), await picture.bounding_box()
        assert offered
        assert shown
        assert offered["x"] + offered["width"] < shown["x"]
        assert shown["y"] < offered["y"] < shown["y"] + shown["height"]
    async with visit(**PHONE) as visitor:
        await visitor.page.goto("/")
        await expect(visitor.page.get_by_role("button", name="Play now")).to_be_in_viewport()
        assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]


SHORTENED = """way => {
  const list = way.querySelector("select"), pen = document.createElement("canvas").getContext("2d");
  pen.font = getComputedStyle(list).font;
  return pen.measureText(list.selectedOptions[0].text).width > list.clientWidth - 40;
}"""
"""Whether a list has no room for all of the title that is chosen, beside its arrow."""


async def test_the_whole_title_of_a_game_can_be_read_at_every_width(service: Service, page: Page):
    await page.goto("/")
    way = page.get_by_role("region", name="Play against bots")
    await way.get_by_role("combobox", name="Game").select_option("conquest-classic-friz")
    title = "Conquest of the Empire Classic, Versione di Friz 1.5"
    whole = way.locator(".whole")
    shortened = set[int]()
    for width in (1440, 1024, 768, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await expect(whole).to_have_text(title)
        if await way.evaluate(SHORTENED):
            shortened.add(width)
            await expect(whole).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert shortened >= {1440, 390}, "or the test shows nothing"
    await way.get_by_role("combobox", name="Game").select_option("mare-nostrum")
    await expect(whole).to_have_count(0)
