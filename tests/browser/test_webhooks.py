"""The page of the webhooks of an account, from a game of its own to the last delivery."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from service.webhooks.secrets import new_key
from tests.browser.games import token_of
from tests.browser.visiting import PHONE, expect, visiting
from tests.service.api.serving import Service, serving
from tests.service.webhooks.receiving import receiving

NARROW = "document.documentElement.scrollWidth <= innerWidth"


@pytest_asyncio.fixture(loop_scope="session")
async def telling(tmp_path: Path) -> AsyncIterator[Service]:
    """A service that sends webhooks, also to this machine."""
    key = new_key()
    async with serving(
        tmp_path, LIBRARY, builtin, clock=utc_now, durable=False, webhook_key=key, outward="anywhere"
    ) as running:
        yield running


async def test_a_webhook_of_a_game_is_made_fails_is_sent_again_and_is_deleted(browser: Browser, telling: Service):
    anna = await telling.register("Anna")
    game = (await telling.post("/v1/games", anna, {"ruleset": "conquest-classic-friz", "players": 2}))["id"]
    address = str(telling.client.base_url).rstrip("/")
    async with receiving() as receiver, visiting(browser, address, **PHONE) as visitor:
        page = visitor.page
        visitor.expect("422")
        await page.goto(f"/games/{game}#token={token_of(anna)}")
        await page.get_by_role("link", name="Send messages about this game to a chat channel").click()
        await expect(page.get_by_label("The game: its address, or its id")).to_have_value(game)
        await expect(page.get_by_label("Send it to")).to_be_focused()
        await page.get_by_label("Send it to").select_option("discord")
        url = page.get_by_role("textbox", name="Address", exact=True)
        await url.fill("ftp://127.0.0.1/hook")
        await url.press("Enter")
        await expect(page.locator("#new-url-problem")).to_contain_text("ftp")
        await expect(url).to_have_attribute("aria-invalid", "true")
        await visitor.axe()
        await url.fill(receiver.url())
        await url.press("Enter")
        secret = page.get_by_label("The secret")
        await expect(secret).to_be_focused()
        before = await secret.inner_text()
        hook = page.locator(".hook")
        # Nobody reloads the page: it looks again until the ping is answered.
        await expect(hook.locator(".status").first).to_have_text("On")
        deliveries = hook.get_by_role("list", name="Deliveries").locator("> li")
        await expect(deliveries).to_contain_text(["ping"])
        receiver.answers["/hook"] = "500 Down\r\n"
        for _ in range(2):
            await telling.post(f"/v1/games/{game}/seats", await telling.register("Bert"), {})
        await telling.post(f"/v1/games/{game}/start", anna)
        started = deliveries.filter(has_text="game.started")
        while not await started.count():
            await hook.get_by_label("Show").select_option("waiting")
            await hook.get_by_label("Show").select_option("")
            await page.wait_for_timeout(100)
        await expect(started).to_contain_text("answered 500. It is sent again in")
        await started.locator("summary").press("Enter")
        await expect(started.get_by_label("What was sent")).to_contain_text(game)
        assert await page.evaluate(NARROW)
        await visitor.axe()
        await hook.get_by_text("Change …").click()
        await hook.get_by_label("It gets what happens").uncheck()
        await hook.get_by_role("button", name="Save").click()
        await expect(hook).to_contain_text("You switched it off.")
        await expect(started).to_contain_text("failed")
        receiver.answers.clear()
        await hook.get_by_text("Change …").click()
        await hook.get_by_label("It gets what happens").check()
        await hook.get_by_role("button", name="Save").click()
        await expect(hook.locator(".status").first).to_have_text("On")
        await hook.get_by_role("button", name="Send all that failed again").click()
        await expect(started).to_contain_text("delivered")
        assert any("content" in each.json for each in receiver.got), "Discord takes a message"
        await hook.get_by_text("Replace the secret …").click()
        await hook.get_by_role("button", name="Make a new secret").click()
        await expect(secret).to_be_focused()
        assert await secret.inner_text() != before
        await expect(hook).to_contain_text("the old secret signs as well")
        await hook.get_by_text("Delete …").click()
        await hook.get_by_role("button", name="Delete the webhook").click()
        await expect(hook).to_have_count(0)
        assert not (await telling.get("/v1/webhooks", anna))["items"]
