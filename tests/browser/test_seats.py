"""The seats of a game in its page: bots for free ones, links for friends, and seats that change hands while it runs."""

import re

from playwright.async_api import Page

from tests.browser.games import table, token_of
from tests.browser.reading import opened, settled
from tests.browser.visiting import Visit, Visitor, expect
from tests.service.api.serving import Service

NEW_GAME = {"ruleset": "conquest-classic-friz", "players": 4}


async def test_bots_join_friends_at_a_table(service: Service, page: Page, visitor: Visitor, visit: Visit):
    anna, bert = await service.register("Anna"), await service.register("Bert")
    game = (await service.post("/v1/games", anna, NEW_GAME))["id"]
    await service.post(f"/v1/games/{game}/seats", bert, {"seat": "green", "entropy": ""})
    await page.goto(f"/games/{game}#token={token_of(anna)}")
    await page.get_by_role("button", name="Seat a bot as Red").click()
    row = page.locator(".open-seats li", has_text="Red")
    await expect(row.locator(".tag")).to_have_text("bot")
    assert [seat["level"] for seat in (await seats(service, game)).values() if seat["bot"]] == ["greedy"]
    await row.get_by_role("button", name="Take the bot away").click()
    await expect(row.get_by_role("button", name="Sit here")).to_be_visible()
    # Without a seat of her own Anna keeps one free.
    await page.get_by_role("combobox", name="Bots").select_option("random")
    await page.get_by_role("button", name="Fill the other free seats with bots").click()
    await expect(page.get_by_role("button", name="Take the bot away")).to_have_count(2)
    await visitor.axe_in_passing(".open-seats")
    async with visit() as other:
        await other.page.goto(f"/games/{game}#token={token_of(bert)}")
        await expect(other.page.get_by_role("button", name="Leave")).to_be_visible()
        await expect(other.page.get_by_role("button", name=re.compile("bot"))).to_have_count(0)
    await page.get_by_role("button", name="Sit here").click()
    await page.get_by_role("button", name="Begin the game").click()
    await settled(page)
    held = await seats(service, game)
    assert sorted(str(seat["level"]) for seat in held.values()) == ["None", "None", "random", "random"]
    assert held["green"]["player"] == bert.id


async def test_a_link_for_friends_outlives_a_reload_and_can_be_revoked(service: Service, page: Page):
    anna = await service.register("Anna")
    game = (await service.post("/v1/games", anna, NEW_GAME))["id"]
    token = (await service.post(f"/v1/games/{game}/invitations", anna))["token"]
    await page.goto(f"/games/{game}#token={token_of(anna)}")
    await expect(page.get_by_text("1 link to this game is still good.")).to_be_visible()
    await page.get_by_role("button", name="Invite friends by a link").click()
    link = page.get_by_label("Each friend who opens this link gets a free seat")
    address = await link.input_value()
    await page.reload()
    await expect(link).to_have_value(address)
    await page.get_by_role("button", name="Revoke", exact=True).click()
    await expect(link).to_have_count(0)
    await page.get_by_role("button", name="Revoke it").click()
    await expect(page.get_by_text("still good")).to_have_count(0)
    bert = await service.register("Bert")
    for secret in (token, address.partition("#")[2]):
        answer = await service.client.post(f"/v1/invitations/{secret}", json={}, headers=bert.headers)
        assert answer.status_code == 404


async def test_an_organizer_decides_whether_lists_show_a_game(service: Service, page: Page):
    anna = await service.register("Anna")
    game = (await service.post("/v1/games", anna, NEW_GAME))["id"]
    await page.goto(f"/games/{game}#token={token_of(anna)}")
    shown = page.get_by_role("checkbox", name="Lists show this game to everybody")
    await expect(shown).to_be_checked()
    async with page.expect_response("**/listing"):
        await shown.uncheck()
    assert not (await service.get(f"/v1/games/{game}"))["listed"]
    await expect(shown).not_to_be_checked()


async def test_a_bot_plays_on_for_who_gives_up(service: Service, page: Page, visitor: Visitor, visit: Visit):
    # What ends a turn is found by trying; and the page may ask for options before it hears that the seat is gone.
    visitor.expect("403|409|422")
    made = await table(service.services, events=60)
    seat = next(iter(made.seats))
    async with visit() as other:
        await other.page.goto(f"/games/{made.id}#token={token_of(made.organizer)}")
        await settled(other.page)
        await opened(page, made.id, f"#token={made.token(seat)}")
        await page.get_by_role("tab", name="Scores").click()
        await page.get_by_text("Give up your seat").click()
        await visitor.axe_in_passing("#side")
        await page.get_by_role("button", name="Give up my seat").click()
        await expect(page.locator("#around")).to_contain_text("You gave up your seat.")
        await expect(page.get_by_role("link", name="Inspect or dispute this")).to_be_visible()
        await expect(page.get_by_role("button", name="Ask to take this back")).to_have_count(0)
        asked = other.page.get_by_role("group", name="A seat that was given up")
        await expect(asked).to_contain_text(re.compile(f"{seat.title()} .* gave up their seat."))
        players = other.page.get_by_role("region", name="Players").get_by_role("listitem")
        await expect(players.filter(has_text="gone")).to_contain_text(seat.title())
        await other.axe_in_passing("#around")
        await asked.get_by_role("combobox").select_option("greedy")
        await asked.get_by_role("button", name="Let it play on").click()
        await expect(asked).to_have_count(0)
    held = (await seats(service, made.id))[seat]
    assert (held["bot"], held["level"]) == (True, "greedy")
    await expect(page.locator("#around")).not_to_contain_text("gave up")


async def test_a_seat_is_offered_on_the_page_taken_over_and_resigned(
    service: Service, page: Page, visitor: Visitor, visit: Visit
):
    # What ends a turn is found by trying; and the page may ask for options before it hears that the seat is gone.
    visitor.expect("403|409|422")
    made = await table(service.services, events=60)
    seat, carla = next(iter(made.seats)), await service.register("Carla")
    async with visit() as other:
        other.expect("403|409|422")
        await other.page.goto(f"/games/{made.id}#token={token_of(carla)}")
        await settled(other.page)
        await opened(page, made.id, f"#token={made.token(seat)}")
        await page.get_by_role("tab", name="Scores").click()
        await page.get_by_text("Offer your seat").click()
        await page.get_by_role("textbox", name="To the player of this name").fill(carla.id)
        await visitor.axe_in_passing("#side")
        await page.get_by_role("button", name="Offer my seat").click()
        await expect(page.locator("#around")).to_contain_text("Your seat is offered to another player.")
        await expect(page.get_by_role("button", name="Withdraw the offer")).to_be_visible()
        asked = other.page.get_by_role("group", name="A seat that is offered")
        await expect(asked).to_contain_text(re.compile(f"{seat.title()} .* is offered to you."))
        await other.axe_in_passing("#around")
        await asked.get_by_role("button", name="Take over").click()
        await expect(asked).to_have_count(0)
        await expect(page.locator("#around")).not_to_contain_text("offered")
        await expect(page.get_by_text("Offer your seat")).to_have_count(0)
        await other.page.get_by_role("tab", name="Scores").click()
        await other.page.get_by_text("Resign", exact=True).click()
        await other.page.get_by_role("checkbox", name="I resign").check()
        await other.page.get_by_role("button", name="Resign from this game").click()
        await expect(other.page.locator("#around")).to_contain_text(re.compile("You resigned.|Game over."))
    held = await service.get(f"/v1/games/{made.id}")
    assert {each["seat"]: each["player"] for each in held["seats"]}[seat] == carla.id
    assert held["resigned"] == [seat]


async def seats(service: Service, game: str) -> dict[str, dict[str, object]]:
    return {seat["seat"]: seat for seat in (await service.get(f"/v1/games/{game}"))["seats"]}
