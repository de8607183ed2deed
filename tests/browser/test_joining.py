"""Friends by a link: the organizer invites, and those who open the link get a seat."""

import re

from playwright.async_api import Page

from tests.browser.games import token_of
from tests.browser.reading import settled
from tests.browser.visiting import PHONE, Visit, Visitor, expect, until
from tests.service.api.serving import Service

NEW_GAME = {"ruleset": "conquest-classic-friz", "players": 2}


async def test_a_friend_who_opens_the_link_sits_after_one_click(service: Service, page: Page, visit: Visit):
    anna = await service.register("Anna")
    title = "<img src=x onerror=alert(1)> & friends"
    game = (await service.post("/v1/games", anna, {**NEW_GAME, "title": title, "listed": False}))["id"]
    await page.goto(f"/games/{game}#token={token_of(anna)}")
    await page.get_by_role("button", name="Sit here").first.click()
    await page.get_by_role("button", name="Invite friends by a link").click()
    link = page.get_by_label("Each friend who opens this link gets a free seat")
    await expect(link).to_be_focused()
    address = await link.input_value()
    assert re.search(r"/join#inv_[\w-]{43}$", address)
    async with visit(**PHONE) as friend:
        await friend.page.goto(address)
        await expect(friend.page.get_by_text("Anna invites you to play")).to_contain_text(title)
        await expect(friend.page.get_by_text("1 seat is free.")).to_be_visible()
        await friend.axe_in_passing()
        await friend.page.get_by_role("button", name="Join").click()
        await expect(friend.page).to_have_url(re.compile(f"/games/{game}"))
        await expect(friend.page.get_by_role("heading", name="Everybody is here")).to_be_visible()
        await expect(friend.page.locator(".who")).to_contain_text("Seat:")
        await friend.page.goto(address)
        await friend.page.get_by_role("link", name="Go to the game").click()
        await expect(friend.page.locator(".who")).to_contain_text("Seat:")
    await expect(page.get_by_role("heading", name="Everybody is here")).to_be_visible()
    await page.get_by_role("button", name="Begin the game").click()
    await settled(page)
    async with visit() as late:
        await late.page.goto(address)
        await expect(late.page.get_by_text("The game has begun without you.")).to_be_visible()
        await expect(late.page.get_by_role("button", name="Join")).to_have_count(0)
        await late.page.goto("/")
        await expect(late.page.get_by_text("There is no game yet.")).to_be_visible()


async def test_a_player_with_an_account_joins_with_it(service: Service, page: Page, visitor: Visitor):
    anna, bert = await service.register("Anna"), await service.register("Bert")
    game = (await service.post("/v1/games", anna, NEW_GAME))["id"]
    token = (await service.post(f"/v1/games/{game}/invitations", anna))["token"]
    await page.goto(f"/#token={token_of(bert)}")
    await until(page, "localStorage.getItem('tabularium-session')")
    await page.goto(f"/join#{token}")
    await page.get_by_role("button", name="Join as Bert").click()
    await expect(page.locator(".who")).to_contain_text("Seat:")
    assert (await service.get(f"/v1/games/{game}"))["seats"][0]["player"] == bert.id


async def test_names_that_look_alike_are_marked_wherever_the_people_of_a_game_are_listed(service: Service, page: Page):
    anna, other, official = [await service.register(name) for name in ("Anna", "\u0410nna", "Ann\u0430")]  # Cyrillic a
    game = (await service.post("/v1/games", anna, NEW_GAME))["id"]
    link = (await service.post(f"/v1/games/{game}/invitations", anna))["token"]
    for player in (anna, other):
        await service.post(f"/v1/games/{game}/seats", player, {})
    assert (await service.ask("PUT", f"/v1/games/{game}/officials/{official.id}", anna)).status_code == 200
    marks = page.get_by_text("look-alike", exact=True)
    for address, seen in (("/", 2), (f"/join#{link}", 2), (f"/games/{game}/desk", 1)):
        await page.goto(address)
        await expect(marks).to_have_count(seen)


async def test_a_link_that_leads_nowhere_says_so(page: Page, visitor: Visitor):
    visitor.expect("404")
    for link in ("/join#inv_guessed", "/join"):
        await page.goto(link)
        await expect(page.get_by_role("heading", name="This link leads nowhere")).to_be_visible()
        await expect(page.get_by_role("alert")).to_be_visible()
        await visitor.axe_in_passing()


async def test_two_friends_come_from_the_lobby_to_their_first_moves(service: Service, visitor: Visitor, visit: Visit):
    """What friends call themselves is text everywhere that names are shown, whatever it looks like."""
    anna, page = "<img src=x onerror=alert(1)>", visitor.page
    visitor.expect("409|422")  # what ends a turn is found by trying
    await page.goto("/")
    way = page.get_by_role("form", name="Invite friends")
    await way.get_by_role("combobox", name="Game").select_option(NEW_GAME["ruleset"])
    await way.get_by_role("combobox", name="Players").select_option("2")
    await way.get_by_role("textbox", name="Name").fill(anna)
    await way.get_by_role("button", name="Open a table").click()
    address = await page.get_by_label("Each friend who opens this link gets a free seat").input_value()
    async with visit() as friend:
        friend.expect("409|422")
        await friend.page.goto(address)
        await expect(friend.page.get_by_text("invites you to play")).to_contain_text(anna)
        await friend.page.get_by_role("textbox", name="Your name").fill("Bert & <b>friends</b>")
        await friend.page.get_by_role("button", name="Join").click()
        await expect(friend.page.get_by_role("heading", name="Everybody is here")).to_be_visible()
        begin = page.get_by_role("button", name="Begin the game")
        await begin.click()
        await expect(begin).to_be_hidden()
        game = page.url.rpartition("/")[2].partition("#")[0]
        asked: set[str] = set()
        for _ in range(2):
            await settled(page)
            (seat,) = (await service.get(f"/v1/games/{game}"))["decisions"][0]["seats"]
            asked.add(seat)
            mover = page if re.search(seat, await page.locator(".who").inner_text(), re.IGNORECASE) else friend.page
            await mover.bring_to_front()
            end = mover.get_by_role("button", name="Done with my turn")
            await end.hover()
            await expect(mover.locator("#turn .plan li").first).to_be_visible()
            await end.click()
            await expect(mover.locator("#sentences")).to_contain_text(f"{seat.title()} ended their turn.")
        assert len(asked) == 2
        for each in (page, friend.page):
            strip = each.get_by_role("region", name="Players")
            await expect(strip).to_contain_text(anna if each is friend.page else "Bert & <b>friends</b>")
    await page.goto("/")
    await expect(page.locator("#mine")).to_contain_text("Bert & <b>friends</b>")
