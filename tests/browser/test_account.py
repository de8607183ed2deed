"""The page of one's own account, and coming back to it on another device."""

import functools
import json
import re
from typing import Any

import pytest
from playwright.async_api import Browser, CDPSession, Page

from domain.kernel.ids import PlayerId
from tests.browser.visiting import PHONE, Visit, Visitor, expect, visiting
from tests.service.api.serving import Service

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def visit(browser: Browser, service: Service) -> Visit:
    """Opens pages at a name, because passkeys are for names and not for numbers."""
    return functools.partial(visiting, browser, f"http://localhost:{service.client.base_url.port}")


async def device(visitor: Visitor) -> tuple[CDPSession, str]:
    """Give a browser a device that makes and holds passkeys, and recognizes its owner."""
    session = await visitor.context.new_cdp_session(visitor.page)
    await session.send("WebAuthn.enable")
    added = await session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return session, added["authenticatorId"]


async def held(owner: tuple[CDPSession, str]) -> list[Any]:
    session, name = owner
    return (await session.send("WebAuthn.getCredentials", {"authenticatorId": name}))["credentials"]


async def open_account(page: Page, name: str) -> None:
    await page.goto("/account")
    await page.get_by_role("textbox", name="Your name").fill(name)
    await page.get_by_role("button", name="Open an account").click()
    await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


async def make_passkey(page: Page) -> None:
    await page.get_by_role("button", name="Make a passkey").click()
    await expect(page.get_by_role("list", name="Passkeys").get_by_role("listitem")).to_have_count(1)


async def test_a_guest_signs_out_and_comes_back_on_another_device_by_a_passkey(visit: Visit):
    async with visit() as visitor:
        page, mine = visitor.page, await device(visitor)
        await open_account(page, "Livia")
        await expect(page.get_by_text("Only this browser keeps your account.")).to_be_visible()
        await visitor.axe_in_passing()
        await make_passkey(page)
        await expect(page.get_by_text("You can come back to this account from any device.")).to_be_visible()
        await visitor.axe_in_passing()
        await page.get_by_role("button", name="Sign out", exact=True).click()
        await expect(page.get_by_text("Nobody is signed in in this tab.")).to_be_visible()
        await page.get_by_role("button", name="Sign in with a passkey").click()
        await expect(page.get_by_role("heading", name="Livia", level=1)).to_be_visible()
        (credential,) = await held(mine)
        async with visit(**PHONE) as other:
            session, name = await device(other)
            await other.page.goto("/account")
            await other.page.get_by_role("button", name="Sign in with a passkey").click()
            await expect(other.page.get_by_role("alert")).to_contain_text("The device did not use a passkey")
            await session.send("WebAuthn.addCredential", {"authenticatorId": name, "credential": credential})
            await other.page.get_by_role("button", name="Sign in with a passkey").click()
            await expect(other.page.get_by_role("heading", name="Livia", level=1)).to_be_visible()
            await other.axe_in_passing()
            # What one device ends, the other notices.
            browsers = other.page.get_by_role("list", name="Browsers").get_by_role("listitem")
            await expect(browsers).to_have_count(2)
            await browsers.filter(has_text="Another browser").locator("summary").click()
            await browsers.get_by_role("button", name="Sign out").click()
            await expect(browsers).to_have_count(1)
        await page.reload()
        await expect(page.get_by_text("Nobody is signed in in this tab.")).to_be_visible()


async def test_a_passkey_of_another_account_is_refused(service: Service, visit: Visit):
    async with visit() as visitor:
        visitor.expect("403")
        page, mine = visitor.page, await device(visitor)
        session, name = mine
        await open_account(page, "Livia")
        await make_passkey(page)
        (credential,) = await held(mine)
        await page.get_by_role("button", name="Sign out", exact=True).click()
        await open_account(page, "Marcus")
        me = (await page.evaluate("fetch('/v1/session').then(answer => answer.json())"))["player"]["id"]
        await page.get_by_role("button", name="Sign out …").click()
        await page.get_by_role("button", name="Sign out", exact=True).click()
        # The device says that Livia's passkey is for Marcus.
        await session.send("WebAuthn.clearCredentials", {"authenticatorId": name})
        forged = {**credential, "userHandle": await page.evaluate("text => btoa(text)", me)}
        await session.send("WebAuthn.addCredential", {"authenticatorId": name, "credential": forged})
        await page.get_by_role("button", name="Sign in with a passkey").click()
        await expect(page.get_by_role("alert")).to_contain_text("It says that it is for another account.")
        assert await visitor.context.cookies() == []


async def test_a_recovery_code_brings_back_and_is_used_up(visit: Visit):
    async with visit() as visitor:
        page = visitor.page
        await open_account(page, "<b>Livia</b>")
        await page.get_by_role("button", name="Make recovery codes").click()
        shown = page.get_by_label("Your recovery codes")
        await expect(shown).to_be_focused()
        await visitor.axe_in_passing()
        codes = (await shown.inner_text()).split()
        assert len(codes) == 10
        await page.get_by_role("button", name="Sign out", exact=True).click()
        visitor.expect("403")
        for code, name in ((codes[0], "<b>Livia</b>"), (codes[0], None)):
            await page.goto("/account")
            await page.get_by_text("I have a recovery code").click()
            await page.get_by_label("Recovery code", exact=True).fill(code)
            await page.get_by_role("button", name="Use this code").click()
            if name:
                await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
                await expect(page.get_by_text("9 codes left")).to_be_visible()
                await page.get_by_role("button", name="Sign out", exact=True).click()
                await expect(page.get_by_text("Nobody is signed in")).to_be_visible()
            else:
                await expect(page.get_by_role("alert")).to_contain_text("No account has this recovery code.")


async def test_names_and_tokens_are_managed(service: Service, visit: Visit):
    async with visit() as visitor:
        page = visitor.page
        await open_account(page, "Livia")
        await page.get_by_label("The name that others see").fill("Livia Drusilla")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("heading", name="Livia Drusilla", level=1)).to_be_visible()
        # A box needs no button.
        await page.get_by_label("Others can find me by it").click()
        await expect(page.get_by_text("Saved: whoever searches for your name finds you.")).to_be_visible()
        await page.reload()
        await expect(page.get_by_label("Others can find me by it")).to_be_checked()
        await page.get_by_text("Make a token", exact=True).click()
        await page.get_by_label("What is it for?").fill("my bot")
        await page.get_by_role("button", name="Make the token").click()
        token = page.get_by_label("The new token")
        await expect(token).to_be_focused()
        headers = {"authorization": f"Bearer {await token.inner_text()}"}
        me = (await service.client.get("/v1/players/me", headers=headers)).json()
        assert (me["name"], me["scopes"]) == ("Livia Drusilla", ["play"])
        await page.reload()
        await expect(page.get_by_label("The new token")).to_have_count(0)
        await page.get_by_text("Make a token", exact=True).click()
        await page.get_by_label("What is it for?").fill("another")
        await page.get_by_role("button", name="Make the token").click()
        await expect(token).to_be_focused()
        rows = page.get_by_role("list", name="Tokens").get_by_role("listitem")
        row, other = (rows.filter(has_text=name) for name in ("my bot", "another"))
        await expect(row).to_contain_text(re.compile("my bot.*play"))
        await visitor.axe_in_passing()
        # What was opened for one token stays open for it when another one goes away.
        for each in (row, other):
            await each.locator("summary").click()
        await row.get_by_role("button", name="Revoke").click()
        await expect(rows).to_have_count(1)
        await expect(other.get_by_role("button", name="Revoke")).to_be_visible()
        assert (await service.client.get("/v1/players/me", headers=headers)).status_code == 401


async def test_an_account_becomes_that_of_a_program_for_ever(service: Service, visit: Visit):
    async with visit() as visitor:
        page = visitor.page
        await open_account(page, "Deep Livia")
        await page.get_by_label("Say that a program plays this account").click()
        await expect(page.get_by_text("you cannot take that back")).to_be_visible()
        await page.get_by_role("button", name="A program plays this account", exact=True).click()
        await expect(page.get_by_text("Everybody sees that it is a bot.")).to_be_visible()
        await expect(page.get_by_label("Say that a program plays this account")).to_have_count(0)
        await page.get_by_role("link", name="What others see of you").click()
        await expect(page.get_by_text("A bot. Here since")).to_be_visible()


async def test_an_account_is_closed_by_who_types_its_name(visit: Visit, service: Service):
    async with visit() as visitor:
        page = visitor.page
        await open_account(page, "Livia")
        async with page.expect_download() as download:
            await page.get_by_role("link", name="Download my data").click()
        first, *_, last = (await (await download.value).path()).read_text().splitlines()
        assert json.loads(first)["account"]["name"] == "Livia"
        assert "end" in json.loads(last)
        await page.get_by_role("group").filter(has_text="This is final").get_by_text("Close this account …").click()
        name = page.get_by_role("textbox", name="To confirm, type the name Livia")
        await name.fill("Octavia")
        await page.get_by_role("button", name="Close this account").click()
        await expect(page.get_by_role("alert")).to_contain_text("The account is called Livia.")
        await visitor.axe_in_passing()
        await name.fill("Livia")
        await name.press("Enter")
        await expect(page.get_by_text("Your account is closed. Nobody is signed in in this tab.")).to_be_visible()
        await page.reload()
        await expect(page.get_by_text("Nobody is signed in in this tab.")).to_be_visible()
        (row,) = await service.services.accounts.players(None, PlayerId(""), 10)
        assert (row.closed is not None, "Livia" in row.name) == (True, False)


async def test_two_accounts_are_joined_by_who_signs_in_to_both(visit: Visit, service: Service):
    async with visit() as visitor, visit() as other:
        kept, page = visitor.page, other.page
        visitor.expect("422")
        await open_account(kept, "Livia")
        await kept.get_by_text("Keep this account …").click()
        await kept.get_by_role("button", name="Get a code").click()
        await expect(kept.get_by_role("alert")).to_contain_text("First make a passkey or recovery codes")
        await kept.get_by_role("button", name="Make recovery codes").click()
        await expect(kept.get_by_label("Your recovery codes")).to_be_focused()
        await kept.get_by_role("button", name="Get a code").click()
        code = await kept.get_by_label("Your code", exact=True).inner_text()
        await open_account(page, "Octavia")
        await page.get_by_text("Keep the other account …").click()
        await expect(page.get_by_text("If somebody else gave you a code, do not enter it")).to_be_visible()
        await page.get_by_role("textbox", name="The code").fill(code)
        await page.get_by_role("button", name="See what happens").click()
        await expect(page.get_by_text("Everybody sees that Octavia was joined with Livia.")).to_be_visible()
        await visitor.axe_in_passing()
        await page.get_by_role("textbox", name="To confirm, type the name Octavia").fill("Octavia")
        await page.get_by_role("button", name="Join Octavia with Livia").click()
        await expect(page.get_by_text("Octavia was joined with Livia. Sign in to Livia.")).to_be_visible()
        await kept.reload()
        await kept.get_by_role("list", name="Joined accounts").get_by_role("link", name="Octavia", exact=True).click()
        await expect(kept.get_by_text("This account was joined with another one of the same person")).to_be_visible()
