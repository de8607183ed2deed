"""The pages of tournaments: the list, and one from the first entry to its standings."""

from playwright.async_api import Locator, Page

from tests.browser.games import token_of
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.service.api.clubs import NAMES, club_of
from tests.service.api.serving import Service

REGULATIONS = {"ruleset": "conquest-classic-friz", "stages": [{"type": "swiss", "rounds": 1}]}


async def test_a_tournament_is_entered_and_says_who_stands_above_whom_and_why(
    service: Service, page: Page, visitor: Visitor, visit: Visit
):
    club = await club_of(service, 3)
    await club.announce(**REGULATIONS)
    await page.goto("/tournaments")
    listed = page.get_by_role("region", name="Open for entries").get_by_role("listitem").filter(has_text="Club evening")
    await expect(listed.last).to_contain_text("0 players")
    path = club.url.removeprefix("/v1")

    anna, *others = club.players
    async with visit(**PHONE) as phone:
        await phone.page.goto(f"{path}#token={token_of(anna)}")
        await phone.page.get_by_role("button", name="Enter", exact=True).click()
        await expect(phone.page.get_by_role("status")).to_contain_text("You have entered.")
        await phone.page.get_by_role("button", name="Check in").click()
        await expect(phone.page.get_by_role("status")).to_contain_text("You have checked in.")
        await expect(phone.page.get_by_role("button", name="Check in")).to_have_count(0)

        await club.enter(*others)
        await club.publish()
        (table,) = (await club.opened(1))["tables"]
        first, second = club.named(table["players"])
        await service.post(f"/v1/games/{table['game']}/start", first)
        held = {each["player"]: each["seat"] for each in (await service.get(f"/v1/games/{table['game']}"))["seats"]}
        await service.post(f"/v1/games/{table['game']}/seats/{held[second.id]}/resignation", second)
        await club.finished(1)
        # The page follows what happens.
        await expect(phone.page.get_by_role("region", name="Round 1")).to_contain_text("The result does not count yet.")
        await phone.axe_in_passing()
        assert await phone.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]

    await page.goto(path)
    standings = page.get_by_role("region", name="Standings")
    await expect(standings.locator("tbody tr").first).to_contain_text(NAMES[club.players.index(first)])
    await expect(standings.locator("tbody tr").first).to_contain_text("60*")
    await expect(standings.locator("tbody tr td:last-child").first).to_have_text("points")
    at_table = page.get_by_role("region", name="Round 1").get_by_role("listitem").filter(has_text="Table 1")
    await expect(at_table).to_contain_text("Ended because somebody resigned. The result does not count yet.")
    assert await at_table.locator(".places li").evaluate_all("items => items.map((each) => each.value)") == [1, 2]
    await expect(page.get_by_role("region", name="Crosstable").get_by_role("row")).to_have_count(1 + 3)
    regulations = page.get_by_role("region", name="Regulations")
    await expect(regulations).to_contain_text("There is 1 round in which players with the same points meet.")
    await expect(regulations).to_contain_text("A table of 2 earns 60–0.")

    async with visit() as other:
        await direct(other.page, f"{path}#token={token_of(club.director)}", NAMES[club.players.index(second)])
    # A spectator sees it without loading the page again.
    await expect(page.get_by_text("Well played.")).to_be_visible()
    await expect(page.get_by_role("region", name="Penalties")).to_contain_text("A late start")
    await expect(page.get_by_role("region", name="Final standings").locator("tbody tr")).to_have_count(3)
    await expect(page.get_by_text("Over", exact=True)).to_be_visible()
    await visitor.axe_in_passing()


async def test_the_boards_of_tables_go_on_with_their_games(service: Service, page: Page, visitor: Visitor):
    club = await club_of(service, 2)
    await club.announce(**REGULATIONS)
    await club.enter()
    await club.publish()
    (table,) = (await club.opened(1))["tables"]
    await page.clock.install()
    await page.goto(club.url.removeprefix("/v1"))
    board = page.get_by_role("region", name="Round 1").locator("img")
    await board.scroll_into_view_if_needed()
    await service.post(f"/v1/games/{table['game']}/start", club.named(table["players"])[0])
    version = (await service.get(f"/v1/games/{table['game']}"))["version"]
    await page.clock.fast_forward(10_000)
    await expect(board).to_have_attribute("src", f"/v1/games/{table['game']}/board.svg?version={version}")


async def direct(page: Page, address: str, player: str) -> None:
    """Do what directors do after the last round, to its end."""
    await page.goto(address)
    panel = page.get_by_role("region", name="For directors")
    await expect(panel.get_by_role("listitem")).to_contain_text("Round 1, table 1: the result does not count yet")
    await expect(panel).to_contain_text("The tournament can be closed when all results count.")

    async def unfold(title: str) -> Locator:
        await panel.get_by_text(title, exact=True).first.click()
        return panel.get_by_role("form", name=title)

    form = await unfold("Tell all players something")
    await form.get_by_role("textbox").fill("Well played.")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("The announcement is made.")).to_be_focused()
    form = await unfold("Give a penalty")
    await form.get_by_role("combobox", name="Player").select_option(player)
    await form.get_by_role("combobox", name="Penalty").select_option("warning")
    await form.get_by_role("textbox", name="Reason").fill("A late start")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("The penalty is given.")).to_be_focused()

    table = page.get_by_role("region", name="Round 1").get_by_role("listitem").filter(has_text="Table 1")
    await table.get_by_text("Overrule the result").first.click()
    await table.get_by_label(f"Place of {player}").select_option("1")
    await table.get_by_label("Reason").fill("They tie.")
    await table.get_by_role("button", name="Overrule the result").click()
    await expect(table).to_contain_text("Ended as a director decided. The result counts.")
    await panel.get_by_role("button", name="Close the tournament").click()
    await expect(page.get_by_text("Over", exact=True)).to_be_visible()
    await expect(panel).to_have_count(0)


async def test_a_tournament_that_is_none(page: Page, visitor: Visitor):
    visitor.expect("404")
    await page.goto("/tournaments/tnone")
    await expect(page.get_by_role("heading", name="No such tournament")).to_be_visible()
