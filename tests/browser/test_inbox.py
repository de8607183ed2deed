"""The inbox in pages: what waits is counted in the tab, listed in the lobby, and read where it is looked at."""

import asyncio
from urllib.parse import urlsplit

from playwright.async_api import Page

from tests.browser.games import token_of
from tests.browser.visiting import PHONE, Visitor, expect
from tests.service.api.serving import Player, Service
from tests.service.api.test_statistics import caught_up

CROWD = """(player) => {
    const names = Array(4).fill("tabularium-game");
    for (const each of names) navigator.locks.request(each, {mode: "shared"}, () => new Promise(() => {}));
    new BroadcastChannel(`tabularium-inbox-${player}`).postMessage("new");
}"""
"""What four tabs with games do."""

NEW = {"ruleset": "conquest-classic-friz", "players": 2}


async def begun(service: Service, title: str, *players: Player, **more: object) -> str:
    """Return a game that the last player organizes and starts, so that the first is told."""
    organizer = players[-1]
    game = (await service.post("/v1/games", organizer, {**NEW, "title": title, **more}))["id"]
    for player in players:
        await service.post(f"/v1/games/{game}/seats", player, {})
    await service.post(f"/v1/games/{game}/start", organizer)
    return game


async def waited(service: Service, game: str) -> set[str]:
    """Return the players whom a game waits for."""
    shown = await service.get(f"/v1/games/{game}")
    seats = {seat for decision in shown["decisions"] for seat in decision["seats"]}
    return {each["player"] for each in shown["seats"] if each["seat"] in seats}


async def test_the_lobby_lists_what_waits_and_what_was_not_read(service: Service, page: Page):
    anna, bert = await service.register("Anna"), await service.register("Bert")
    titles = ("Without", "Slowly", "Quickly")
    for title, more in zip(titles, ({}, {"clock": "slow"}, {"clock": "live"}), strict=True):
        # Who begins is chance.
        while anna.id not in (await waited(service, await begun(service, title, anna, bert, **more))):
            pass
    await caught_up(service)
    state = (await service.get("/v1/notifications", anna))["state"]
    waits = ["Quickly", "Slowly", "Without"]
    assert [turn["title"] for turn in state["turns"]] == waits
    count = state["unread"] + len(waits)
    await page.goto(f"/#token={token_of(anna)}")
    await expect(page).to_have_title(f"({count}) Tabularium")
    assert "%3C%2Ftext" in (await page.locator("link[rel=icon]").get_attribute("href") or "")
    link = page.locator("#inbox-link a")
    await expect(link).to_have_text(f"Inbox {count}")
    await expect(page.get_by_role("region", name="Your turn").get_by_role("listitem")).to_contain_text(waits)
    inbox = page.get_by_role("region", name="Inbox")
    await expect(inbox.get_by_role("listitem")).to_have_count(state["unread"])
    await expect(inbox.get_by_role("listitem").first).to_contain_text("Quickly: The game has begun.")
    await page.set_viewport_size(PHONE["viewport"])
    await expect(inbox.get_by_role("listitem").first).to_be_visible()
    await inbox.get_by_role("button", name="Mark all as read").click()
    await expect(inbox).to_contain_text("You have read everything.")
    await expect(page).to_have_title(f"({len(waits)}) Tabularium")
    assert (await service.get("/v1/notifications", anna))["state"]["unread"] == 0


async def test_the_tabs_of_a_browser_share_one_stream_of_the_inbox(service: Service, page: Page, visitor: Visitor):
    visitor.listen()
    anna, bert = await service.register("Anna"), await service.register("Bert")
    await page.goto(f"/#token={token_of(anna)}")
    await expect(page.locator("#inbox-link a")).to_have_text("Inbox")
    other = await visitor.context.new_page()
    await other.goto("/")
    await expect(other.locator("#inbox-link a")).to_have_text("Inbox")

    def asked(path: str) -> int:
        return sum(urlsplit(each.url).path == f"/v1/notifications{path}" for each in visitor.asked)

    async def told(*tabs: Page) -> None:
        """Begin a game, and wait until each tab shows what waits now."""
        await begun(service, "Another", anna, bert)
        await caught_up(service)
        state = (await service.get("/v1/notifications", anna))["state"]
        for tab in tabs:
            await expect(tab).to_have_title(f"({state['unread'] + len(state['turns'])}) Tabularium")

    before = asked("")
    await told(page, other)
    assert (asked("/stream"), asked("") - before) == (1, 1), "one stream and one list for both tabs"
    await page.close()
    await told(other)
    assert asked("/stream") == 2, "the other tab has taken it over"
    # What is read in one tab is read in all.
    third = await visitor.context.new_page()
    await third.goto("/")
    await third.get_by_role("button", name="Mark all as read").click()
    await expect(other.get_by_role("region", name="Inbox")).to_contain_text("You have read everything.")
    assert asked("/stream") == 2
    # Games in many tabs need the connections that a browser has.
    async with other.expect_event("requestfailed", lambda failed: failed.url.endswith("/v1/notifications/stream")):
        await third.evaluate(CROWD, anna.id)


async def test_a_game_that_is_looked_at_is_read_and_counts_what_waits_elsewhere(service: Service, page: Page):
    anna, bert = await service.register("Anna"), await service.register("Bert")
    game = await begun(service, "Here", anna, bert)
    await begun(service, "Elsewhere", anna, bert)
    await caught_up(service)
    state = (await service.get("/v1/notifications", anna))["state"]
    elsewhere = 1 + sum(turn["title"] == "Elsewhere" for turn in state["turns"])

    async def read() -> bool:
        unread = (await service.get("/v1/notifications?unread=true", anna))["items"]
        return [each["title"] for each in unread] == ["Elsewhere"]

    await page.goto(f"/games/{game}#token={token_of(anna)}")
    await expect(page.locator("a.inbox")).to_have_text(f"Inbox {elsewhere}")
    for _ in range(400):
        if await read():
            break
        await asyncio.sleep(0.05)
    assert await read()
    assert (await page.title()).startswith(f"({elsewhere}) ")
    await page.locator("a.inbox").click()
    await expect(page.get_by_role("region", name="Inbox").get_by_role("listitem")).to_contain_text(["Elsewhere"])
