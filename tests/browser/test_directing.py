"""Directors on the page: a club evening by few clicks, and the draft of a round, changed by keyboard."""

from typing import Any

from playwright.async_api import Locator, Page

from tests.browser.games import token_of
from tests.browser.visiting import PHONE, Visit, Visitor, expect
from tests.service.api.clubs import NAMES, Club, club_of
from tests.service.api.serving import Service

TABLET: dict[str, Any] = {"viewport": {"width": 820, "height": 1180}}
FOCUS = "() => [document.activeElement.dataset.player, document.activeElement.dataset.table]"


class Draft:
    """The draft of a round on the page. Players go by their names."""

    def __init__(self, club: Club, page: Page) -> None:
        self._ids: dict[str, str] = {name: player.id for name, player in zip(NAMES, club.players, strict=False)}
        self._page = page
        self.says = page.locator(".draft-says")

    def names(self, tables: list[list[str]]) -> list[list[str]]:
        known = {player: name for name, player in self._ids.items()}
        return [[known[player] for player in table] for table in tables]

    def player(self, name: str) -> Locator:
        return self._page.locator(f".drafted [data-player={self._ids[name]}]")

    async def go_to(self, name: str = "", table: str = "") -> None:
        """Go by arrow keys to a player, or to the end of a table."""
        await self._page.keyboard.press("Home")
        for _ in range(20):
            if await self._page.evaluate(FOCUS) == ([self._ids[name], None] if name else [None, table]):
                return
            await self._page.keyboard.press("ArrowDown")
        raise AssertionError(f"the arrow keys do not come to {name or table}")


async def test_a_draft_is_changed_by_keyboard_and_its_cost_follows(
    service: Service, page: Page, visitor: Visitor, visit: Visit
):
    visitor.expect("status of 422")  # tables of two who must not meet
    club = await club_of(service, 8)
    anna, bert, carl, dora, *_ = club.players
    wish = {"stages": [{"type": "swiss", "rounds": 1}], "bans": [[anna.id, bert.id]]}
    await club.announce(
        **{"ruleset": "conquest-classic-friz", "sizes": [4, 3], **wish, "points": [[3, 2, 1], [4, 3, 2, 1]]}
    )
    for player in (carl, dora):
        await club.do("entries", {"club": "Ostia"}, player)
        await club.do("check-in", {}, player)
    await club.enter(*(player for player in club.players if player not in (carl, dora)))
    path = club.url.removeprefix("/v1")
    await page.goto(f"{path}#token={token_of(club.director)}")
    await page.get_by_role("button", name="Draw round 1").click()
    draft = Draft(club, page)
    await expect(draft.says).to_have_text("As drawn.")
    drawn = (await service.get(f"{club.url}/rounds/1"))["drafts"][0]["drawn"]["tables"]
    tables = draft.names(drawn)
    home = next(at for at, table in enumerate(tables) if "Carl" in table)
    mate = next(name for name in tables[1 - home] if name not in ("Anna", "Bert", "Dora"))
    await expect(page.locator(".drafted button[tabindex='0']")).to_have_count(1)

    # Two of one club come together: what that costs is said before it is done.
    await page.locator(".drafted button[tabindex='0']").focus()
    await draft.go_to("Carl")
    await page.keyboard.press("Enter")
    await expect(draft.says).to_have_text(f"Carl, of table {home + 1}, is picked up.")
    await draft.go_to(mate)
    await expect(draft.says).to_have_text(f"Carl and {mate} change places: costs 300, 300 more than the draft.")
    await expect(page.get_by_role("row", name="players of one club")).to_contain_text("300")
    await visitor.axe()
    await page.keyboard.press("Enter")
    await expect(draft.player("Carl")).to_be_focused()
    await expect(page.locator(".drafted button[tabindex='0']")).to_contain_text("Carl")
    await expect(draft.says).to_have_text("Changed: costs 300, 300 more than the draft.")

    # What is not lawful is said with its rule, and put down again.
    ban = next(at for at, table in enumerate(tables) if "Bert" in table)
    other = next(name for name in tables[ban] if name not in ("Bert", "Carl", mate))
    await draft.go_to("Anna")
    await page.keyboard.press("Space")
    await draft.go_to(other)
    await expect(draft.says).to_contain_text("that cannot be published")
    await expect(page.get_by_text("must not meet.")).to_contain_text("Rule TAB-TRN-10")
    await page.keyboard.press("Escape")
    await expect(draft.player("Anna")).to_be_focused()
    await expect(draft.says).to_have_text("Changed: costs 300, 300 more than the draft.")
    await expect(page.get_by_text("must not meet.")).to_have_count(0)

    # Back, and to a table of their own size.
    await page.get_by_role("button", name="Take the last change back").click()
    await expect(draft.says).to_have_text("As drawn.")
    await draft.player(mate).click()
    await page.get_by_role("button", name=f"To table {home + 1}").click()
    await expect(draft.says).to_contain_text("that cannot be published")
    await expect(page.get_by_role("button", name="Publish the changed tables")).to_be_disabled()
    await draft.player("Carl").press("Enter")
    await draft.go_to(table=str(1 - home))
    await expect(draft.says).to_have_text(f"Carl joins table {2 - home}: costs 300, 300 more than the draft.")
    await page.keyboard.press("Enter")
    await expect(draft.says).to_have_text("Changed: costs 300, 300 more than the draft.")

    for look in (PHONE, TABLET):
        async with visit(**look) as other_look:
            await other_look.page.goto(f"{path}#token={token_of(club.director)}")
            await expect(other_look.page.locator(".draft-says")).to_have_text("As drawn.")
            await other_look.axe_in_passing()
            wide = await other_look.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= look["viewport"]["width"]
    async with visit() as stranger:
        await stranger.page.goto(path)
        await expect(stranger.page.get_by_role("heading", name="Round 1")).to_be_visible()
        await expect(stranger.page.get_by_role("region", name="For directors")).to_have_count(0)

    await page.get_by_label("Why you change the tables").focus()
    await page.keyboard.type("Carl helps Dora to learn.")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Round 1 is published.")).to_be_focused()
    published = await service.get(f"{club.url}/rounds/1")
    assert (published["reason"], published["cost"]["clubs"]) == ("Carl helps Dora to learn.", 300)
    assert {"Carl", "Dora"} <= {*draft.names([published["tables"][1 - home]["players"]])[0]}


async def test_a_club_evening_takes_few_clicks_from_nothing_to_published_tables(
    service: Service, page: Page, visitor: Visitor, visit: Visit
):
    clicks = 0

    async def click(at: Page, name: str) -> None:
        nonlocal clicks
        await at.get_by_role("button", name=name, exact=True).click()
        clicks += 1

    await page.goto("/tournaments")
    await expect(page.get_by_role("radio", name="Club evening")).to_be_checked()
    await visitor.axe_in_passing()
    await page.get_by_role("spinbutton", name="Rounds").fill("4")
    await page.get_by_role("textbox", name="Your name").fill("Zoe")
    await click(page, "Announce the tournament")
    await expect(page.get_by_role("button", name="Draw round 1")).to_be_visible()
    await expect(page.get_by_role("region", name="Regulations")).to_contain_text("There are 4 rounds")
    for name in NAMES[:3]:
        async with visit(**PHONE) as phone:
            await phone.page.goto(page.url)
            await phone.page.get_by_role("textbox", name="Your name").fill(name)
            await phone.page.get_by_role("textbox", name="Your club").fill("Ostia")
            await click(phone.page, "Enter and check in")
            await expect(phone.page.get_by_text("You have entered and checked in.")).to_be_visible()
        # The stream tells the director's page.
        await expect(page.get_by_role("region", name="Standings")).to_contain_text(name)
    await expect(page.get_by_text("3 players can be drawn.")).to_be_visible()
    await click(page, "Draw round 1")
    await expect(page.locator(".drafted [data-player]").filter(has_text="Ostia")).to_have_count(3)
    await click(page, "Publish")
    await expect(page.get_by_role("link", name="Table 1", exact=True)).to_be_visible()
    assert clicks == 6
    (evening,) = (await service.get("/v1/tournaments?status=running"))["items"]
    preset = (await service.get(f"/v1/rulesets/{evening['ruleset']}/tournament-presets"))["items"][0]
    regulations = preset["regulations"]
    (stage,) = regulations["stages"]
    as_announced = {**regulations, "stages": [{**stage, "rounds": 4}]}
    assert (await service.get(f"/v1/tournaments/{evening['tournament']}"))["regulations"] == as_announced


async def test_the_organizer_names_and_releases_a_director_on_the_page(service: Service, page: Page, visitor: Visitor):
    club = await club_of(service, 2)
    bert = club.players[1]
    await club.announce(ruleset="conquest-classic-friz")
    await page.goto(f"{club.url.removeprefix('/v1')}#token={token_of(club.director)}")
    region = page.get_by_role("region", name="For directors")
    await region.get_by_text("Directors", exact=True).click()
    directors = region.locator(".directors li")
    await expect(directors).to_have_text(["Zeno organizes the tournament"])
    field = region.get_by_label("Name of the player, or the address of their page")
    await field.fill("Nobody")
    await region.get_by_role("button", name="Name a director").click()
    await expect(region).to_contain_text("No player who can be found is called Nobody.")
    await field.fill(f"/players/{bert.id}")
    await region.get_by_role("button", name="Name a director").click()
    await expect(directors).to_have_count(2)
    assert (await service.get(club.url))["directors"] == [club.director.id, bert.id]
    await region.get_by_text("Directors", exact=True).click()
    await directors.nth(1).get_by_role("button").click()
    await expect(directors).to_have_count(1)
    assert (await service.get(club.url))["directors"] == [club.director.id]
