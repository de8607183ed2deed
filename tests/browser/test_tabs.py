"""Tokens in links, and tabs of one browser: who is signed in, and by what."""

import asyncio
import re
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from tests.browser.deciding import asked, sit
from tests.browser.games import Table
from tests.browser.visiting import Visitor, expect, until
from tests.service.api.serving import Service


async def test_a_token_in_a_link_is_taken_and_forgotten_by_the_address(page: Page, visitor: Visitor, placing: Table):
    visitor.listen()
    token = placing.token(asked(placing))
    await page.goto(f"/games/{placing.id}#v=20&token={token}")
    await expect(page.locator(".who")).to_contain_text("Seat:")
    assert token not in page.url
    assert "v=20" in page.url
    assert not any(token in request.url for request in visitor.asked)
    await page.reload()
    await expect(page.locator(".who")).to_contain_text("Seat:")
    assert await page.evaluate("document.cookie") == ""


KEEP = """tokens => localStorage.setItem(
    "tabularium-accounts", JSON.stringify(tokens.map((token, index) => ({ token, name: `Kept ${index}` }))))"""
SIGNED_IN = "localStorage.getItem('tabularium-session')"
KEPT = "JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])"


async def test_looking_as_a_spectator_loses_no_token(page: Page, placing: Table):
    await sit(page, placing)
    await page.locator(".who").click()
    await page.get_by_role("button", name="Look as a spectator").click()
    await expect(page.locator(".who")).to_have_text("Spectator")
    await page.get_by_role("tab", name="Decide").click()
    await expect(page.get_by_text("Sign in as one of the players to answer.")).to_be_visible()
    await page.reload()
    await expect(page.locator(".who")).to_have_text("Spectator")
    await page.locator(".who").click()
    await page.get_by_role("button", name=re.compile("^Sign in as ")).click()
    await expect(page.locator(".who")).to_contain_text("Seat:")


async def test_another_tab_is_signed_in_and_no_script_can_read_by_what(page: Page, visitor: Visitor, placing: Table):
    visitor.listen()
    token = placing.token(asked(placing))
    await sit(page, placing)
    await expect(page.locator(".who")).to_contain_text("Seat:")
    await until(page, SIGNED_IN)
    (cookie,) = map(dict[str, Any], await visitor.context.cookies())
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("tabularium_session", True, "Lax")
    asked_before = len(visitor.asked)
    tab = await visitor.context.new_page()
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_contain_text("Seat:")
    assert not [each for each in visitor.asked[asked_before:] if await each.header_value("authorization")]
    for each in (page, tab):
        kept = await each.evaluate(KEPT)
        assert token not in kept
        assert cookie["value"] not in kept
    await tab.get_by_role("button", name="Build a city").click()
    await tab.get_by_label("Province").select_option(index=1)
    await tab.get_by_role("button", name="Send").click()
    await expect(tab.locator(".outcome.done")).to_be_visible()


async def test_signing_out_asks_first_offers_a_way_back_and_concerns_every_tab(
    page: Page, visitor: Visitor, placing: Table
):
    await sit(page, placing)
    tab = await visitor.context.new_page()
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_contain_text("Seat:")
    await tab.locator(".who").click()
    dialog = tab.get_by_role("dialog")
    await dialog.get_by_role("button", name="Sign out").click()
    warning = dialog.get_by_role("group", name="Sign out")
    await expect(warning).to_contain_text("lost for good")
    await expect(warning.get_by_role("button", name="Stay signed in")).to_be_focused()
    await visitor.axe_in_passing()
    await tab.keyboard.press("Enter")
    await expect(warning).to_have_count(0)
    await dialog.get_by_role("button", name="Sign out").click()
    await warning.get_by_role("button", name="Make a token").click()
    await expect(dialog.locator(".token")).to_be_focused()
    token = await dialog.locator(".token").inner_text()
    async with tab.expect_download() as saving:
        await dialog.get_by_role("button", name="Download it").click()
    saved = await asyncio.to_thread(Path(await (await saving.value).path()).read_text)
    assert f"{visitor.address}/#token={token}" in saved
    await warning.get_by_role("button", name="Sign out").click()
    await expect(tab.locator(".who")).to_have_text("Spectator")
    await expect(page.locator(".who")).to_have_text("Spectator")
    assert await visitor.context.cookies() == []
    await page.goto(f"/games/{placing.id}#token={token}")
    await expect(page.locator(".who")).to_contain_text("Seat:")


async def test_a_token_that_an_earlier_page_kept_becomes_the_session_once(page: Page, visitor: Visitor, placing: Table):
    visitor.listen()
    token, other = (placing.token(seat) for seat in list(placing.seats)[:2])
    await page.goto("/problems")
    await page.evaluate(KEEP, [token, other])
    await page.goto(f"/games/{placing.id}")
    await expect(page.locator(".who")).to_contain_text("Seat:")
    await until(page, SIGNED_IN)
    await page.reload()
    asked_before = len(visitor.asked)
    await page.reload()
    await expect(page.locator(".who")).to_contain_text("Seat:")
    assert not [each for each in visitor.asked[asked_before:] if await each.header_value("authorization")]
    kept = await page.evaluate(KEPT)
    assert token not in kept
    assert other in kept, "it may be the only key to another account"
    # The other account is looked at in one tab, and takes nobody's place.
    await page.locator(".who").click()
    await page.get_by_role("list", name="Accounts in this browser").get_by_role("button", name="Sign in as").click()
    await expect(page.get_by_role("dialog")).to_be_hidden()
    assert other in await page.evaluate(KEPT)
    tab = await visitor.context.new_page()
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_contain_text("Seat:")
    assert await tab.locator(".who").inner_text() != await page.locator(".who").inner_text()


async def test_a_token_that_the_service_does_not_know_is_kept_but_new_tabs_do_not_look_with_it(
    service: Service, page: Page, visitor: Visitor, placing: Table
):
    visitor.listen()
    visitor.expect("401")
    token = placing.token(asked(placing))
    await page.goto("/problems")
    await page.evaluate(KEEP, [token])
    mine = await service.get("/v1/players/me", placing.seats[asked(placing)])
    await service.client.delete(f"/v1/tokens/{mine['token']}", headers=placing.seats[asked(placing)].headers)
    await page.goto(f"/games/{placing.id}")
    await expect(page.locator(".who")).to_have_text("Spectator")
    assert token in await page.evaluate("localStorage.getItem('tabularium-accounts')")
    tab = await visitor.context.new_page()
    asked_before = len(visitor.asked)
    await tab.goto(f"/games/{placing.id}")
    await expect(tab.locator(".who")).to_have_text("Spectator")
    assert not [each for each in visitor.asked[asked_before:] if await each.header_value("authorization")]
    await tab.locator(".who").click()
    await expect(tab.get_by_role("list", name="Accounts in this browser")).to_contain_text("not known here")
