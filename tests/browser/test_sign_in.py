"""Signing in through the provider by the pages, and how a guest's account becomes lasting by it."""

import functools
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.browser.visiting import PHONE, Visit, Visitor, expect, visiting
from tests.helpers.issuer import AUDIENCE, CLIENT, Provider, provider
from tests.service.api.serving import Service, serving


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def trusting(tmp_path: Path, issuer: Provider) -> AsyncIterator[Service]:
    told: dict[str, Any] = {
        "oidc_issuer": issuer.url,
        "oidc_audience": AUDIENCE,
        "oidc_client_id": CLIENT,
        "oidc_name": "Example Login",
    }
    async with serving(tmp_path, LIBRARY, builtin, clock=utc_now, durable=False, **told) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, trusting: Service, issuer: Provider) -> Visit:
    """Opens pages of a service with a provider, to which they may send the browser."""
    address = str(trusting.client.base_url).rstrip("/")
    return functools.partial(visiting, browser, address, also=(issuer.url,))


async def linked(visitor: Visitor) -> bool:
    return (await visitor.page.evaluate("fetch('/v1/session').then(answer => answer.json())"))["provider"]["linked"]


async def link(page: Page) -> None:
    await page.goto("/account")
    await page.get_by_role("button", name="Link with Example Login").click()
    await expect(page.get_by_text("You can sign in to this account with Example Login.")).to_be_visible()


async def open_account(page: Page, name: str) -> None:
    await page.goto("/account")
    await page.get_by_role("textbox", name="Your name").fill(name)
    await page.get_by_role("button", name="Open an account").click()
    await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


async def test_somebody_signs_in_and_is_back_where_they_were(visit: Visit):
    async with visit() as visitor:
        page = visitor.page
        await page.goto("/new#ruleset=italia-1")
        await page.goto("/")
        await page.get_by_role("button", name="Sign in with Example Login").click()
        await expect(page.get_by_text("You are signed in as Livia.")).to_be_visible()
        assert page.url == f"{visitor.address}/"
        # What the provider sent is nowhere any more.
        assert not await page.evaluate(
            "JSON.stringify([history.state, {...sessionStorage}, {...localStorage}]).includes('code')"
        )


async def test_a_guest_links_the_account_and_comes_back_on_another_device(visit: Visit):
    async with visit() as visitor:
        page = visitor.page
        await open_account(page, "Guest")
        await visitor.axe_in_passing()
        await link(page)
        await expect(page.get_by_role("heading", name="Guest", level=1)).to_be_visible()
        await expect(page.get_by_text("You can come back to this account from any device.")).to_be_visible()
        await visitor.axe_in_passing()
        async with visit(**PHONE) as other:
            await other.page.goto("/account")
            await expect(other.page.get_by_role("button", name="Sign in with Example Login")).to_be_visible()
            assert await other.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
            await other.page.get_by_role("button", name="Sign in with Example Login").click()
            await expect(other.page.get_by_role("heading", name="Guest", level=1)).to_be_visible()
            await other.axe_in_passing()
        # The last way back is not removed without being asked for.
        await page.get_by_label("Remove the link with Example Login").click()
        await expect(page.get_by_text("You have no other way back.")).to_be_visible()
        assert await linked(visitor)
        await page.get_by_role("button", name="Remove the link").click()
        await expect(page.get_by_role("button", name="Link with Example Login")).to_be_visible()
        await expect(page.get_by_text("Only this browser keeps your account.")).to_be_visible()


async def test_nobody_leaves_a_guests_account_behind_without_being_asked(visit: Visit):
    async with visit() as visitor, visit() as guest:
        await open_account(visitor.page, "Livia the First")
        await link(visitor.page)
        page = guest.page
        guest.expect("409")
        await open_account(page, "Guest")
        await page.get_by_role("button", name="Link with Example Login").click()
        await expect(page.get_by_role("heading", name="You have another account")).to_be_visible()
        await expect(page.get_by_role("alert")).to_contain_text("signs you in as Livia the First")
        await expect(page.get_by_text("Only this browser keeps Guest.")).to_be_visible()
        await guest.axe_in_passing()
        await page.get_by_role("button", name="Stay Guest").click()
        await expect(page.get_by_role("heading", name="Guest", level=1)).to_be_visible()
        await page.get_by_role("button", name="Link with Example Login").click()
        await page.get_by_role("button", name=re.compile("^Leave Guest")).click()
        await expect(page.get_by_role("heading", name="Livia the First", level=1)).to_be_visible()


async def test_a_provider_that_says_no_is_said(issuer: Provider, visit: Visit):
    issuer.refuses = True
    async with visit() as visitor:
        visitor.expect("403")
        page = visitor.page
        await page.goto("/account")
        await page.get_by_role("button", name="Sign in with Example Login").click()
        await expect(page.get_by_role("alert")).to_have_text("Example Login did not sign you in: access_denied.")
        await visitor.axe_in_passing()
        issuer.refuses = False
        await page.get_by_role("button", name="Try again").click()
        await expect(page.get_by_role("heading", name="Livia", level=1)).to_be_visible()


async def test_a_link_of_somebody_elses_signs_nobody_in(issuer: Provider, visit: Visit):
    async with visit() as attacker, visit() as visitor:
        visitor.expect("403")
        async with attacker.page.expect_request(re.compile("/sign-in")) as sent:
            await attacker.page.goto("/account")
            await attacker.page.route("**/sign-in?*", lambda route: route.abort())
            attacker.expect("ERR_FAILED")
            await attacker.page.get_by_role("button", name="Sign in with Example Login").click()
        address = (await sent.value).url
        await visitor.page.goto(f"{address}&return=https://evil.example/")
        await expect(visitor.page.get_by_role("alert")).to_contain_text("This browser was not sent to the provider")
        # The page to go back to is none that an address names.
        await visitor.page.get_by_role("button", name="Go back").click()
        await expect(visitor.page).to_have_url(f"{visitor.address}/")
        assert not any(each.get("value") for each in await visitor.context.cookies())


async def test_without_a_provider_nothing_is_said_of_one(browser: Browser, service: Service):
    async with visiting(browser, str(service.client.base_url).rstrip("/")) as visitor:
        await visitor.page.goto("/account")
        await expect(visitor.page.get_by_role("button", name="Sign in with a passkey")).to_be_visible()
        await expect(visitor.page.get_by_role("button", name="Sign in with")).to_have_count(1)
        await visitor.page.goto("/sign-in")
        await expect(visitor.page.get_by_role("heading", name="Nothing to sign in with")).to_be_visible()
        await expect(visitor.page.get_by_role("button", name="Try again")).to_have_count(0)
