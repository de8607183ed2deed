"""The pages of leagues: the list, and one from its first season to the table that closes it."""

from playwright.async_api import Page

from tests.browser.games import token_of
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.service.api.clubs import NAMES, club_of
from tests.service.api.serving import Service
from tests.service.api.test_leagues import Series


async def test_a_season_is_begun_held_and_closed_and_says_who_stands_above_whom_and_why(
    service: Service, page: Page, visitor: Visitor, visit: Visit
):
    club = await club_of(service, 3)
    series = Series(club)
    await series.found()
    path = series.url.removeprefix("/v1")
    await page.goto("/tournaments")
    await page.get_by_role("navigation", name="More").get_by_role("link", name="Leagues").click()
    await page.get_by_role("link", name="League of Ostia").first.click()
    await expect(page.get_by_text("No season has begun.")).to_be_visible()

    async with visit() as organizer:
        await organizer.page.goto(f"{path}#token={token_of(series.organizer)}")
        await organizer.page.get_by_role("button", name="Begin season 1").click()
        await expect(organizer.page.get_by_role("status")).to_have_text("The season has begun.")
        await organizer.page.get_by_role("link", name="Announce a tournament of division 2").click()
        await expect(organizer.page.get_by_text("It is for division 2 in season 1 of a league.")).to_be_visible()
        await organizer.page.get_by_label("Title").fill("The first of two")
        await organizer.page.get_by_role("button", name="Announce the tournament").click()
        await expect(organizer.page.get_by_text("It counts in season 1 of a league, in division 2")).to_be_visible()
        first = organizer.page.url.rpartition("/")[2].partition("#")[0]
        named = {"league": series.id, "season": 1, "division": 2}
        one_round = [{"type": "swiss", "rounds": 1}]
        await club.announce(ruleset="conquest-classic-friz", stages=one_round, league=named)
        await series.do("tournaments", {"tournament": club.url.rpartition("/")[2]})
        await club.enter(*club.players[:2])
        await club.publish()
        (table,) = (await club.opened(1))["tables"]
        winner, loser = club.named(table["players"])
        await service.post(f"/v1/games/{table['game']}/start", winner)
        held = {each["player"]: each["seat"] for each in (await service.get(f"/v1/games/{table['game']}"))["seats"]}
        await service.post(f"/v1/games/{table['game']}/seats/{held[loser.id]}/resignation", loser)
        await club.finished(1)

        await page.reload()
        division = page.get_by_role("region", name="Division 2: table so far").first
        top, bottom = division.locator("tbody tr").nth(0), division.locator("tbody tr").nth(1)
        await expect(top).to_contain_text(NAMES[club.players.index(winner)])
        await expect(top).to_contain_text("10*")
        await expect(top).to_contain_text("▲ up")
        await expect(top.locator("td").nth(-2)).to_have_text("points")
        await expect(bottom).to_contain_text(NAMES[club.players.index(loser)])

        await organizer.page.goto(path)
        organizer.expect("409")
        await organizer.page.get_by_role("button", name="Close the season").click()
        await expect(organizer.page.get_by_role("alert")).to_contain_text("These tournaments are not over")
        await club.do("rounds/1/tables/1/confirmation")
        await club.do("closing")
        await service.post(f"/v1/tournaments/{first}/cancellation", series.organizer, {"reason": "Nobody came."})
        await series.do("penalties", {"player": loser.id, "points": 2, "reason": "Left without a word."})
        await organizer.page.get_by_role("button", name="Close the season").click()
        await expect(organizer.page.get_by_role("status")).to_have_text("The season is closed.")

    async with visit(**PHONE) as phone:
        await phone.page.goto(f"{path}?season=1")
        await expect(phone.page.get_by_role("heading", name="Division 2: final table")).to_be_visible()
        await expect(phone.page.get_by_role("region", name="Penalties")).to_contain_text("Left without a word.")
        await expect(phone.page.get_by_role("region", name="Tournaments")).to_contain_text("cancelled")
        await phone.axe_in_passing()
        assert await phone.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    await page.goto(f"/players/{series.organizer.id}")
    await expect(page.get_by_role("region", name="Organizes").get_by_role("link")).to_have_attribute("href", path)
    await visitor.axe_in_passing()


async def test_a_league_that_is_none(page: Page, visitor: Visitor):
    visitor.expect("404")
    await page.goto("/leagues/lnone")
    await expect(page.get_by_role("heading", name="No such league")).to_be_visible()
