"""Apps of strangers ask on the pages of the service: by the guide's own page, at a host, and on a device."""

import asyncio
import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Route

from domain.kernel.ids import PlayerId
from tests.browser.visiting import PHONE, Visit, expect, visiting
from tests.clients import packed
from tests.service.api.apps import REDIRECT, App
from tests.service.api.serving import Player, Service

GUIDE = (Path(__file__).parents[2] / "openapi" / "oauth.md").read_text()


PACKAGE = """<!doctype html>
<script type="importmap">{ "imports": { "@tabularium/client": "./client/index.js" } }</script>
<button id="in">Sign in</button> <button id="out">Sign out</button> <p id="who"></p>
<script type="module">
%s
</script>
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *_: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def strangers(service: Service, tmp_path: Path) -> Iterator[str]:
    """The address of the guide's page, served from this machine. Beside it is `package.html`, with the package."""
    (found,) = re.findall(r"^```html\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
    (script,) = re.findall(r"^```javascript\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
    for name, page in (("index.html", found), ("package.html", PACKAGE % script)):
        (tmp_path / name).write_text(page.replace("http://127.0.0.1:8000", str(service.client.base_url).rstrip("/")))
    (tmp_path / "client").symlink_to(packed.typescript() / "node_modules" / "@tabularium" / "client" / "dist")
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def visit(browser: Browser, service: Service, strangers: str) -> Visit:
    """Opens pages of the service and of the apps to which they send the browser."""
    also = (strangers, "https://boards.example.org/")
    return functools.partial(visiting, browser, str(service.client.base_url).rstrip("/"), also=also)


async def sign_in(page: Page, player: Player) -> None:
    await page.goto("/account")
    token = player.headers["authorization"].removeprefix("Bearer ")
    await page.get_by_label("or the token you have").fill(token)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Anna")


async def at_the_app(context: BrowserContext) -> None:
    """Let the host of the app answer, which is not there."""
    await context.route("https://boards.example.org/**", lambda route: route.fulfill(body="<h1>Back at the app</h1>"))


async def test_the_guides_page_signs_in_a_guest_who_makes_the_account_last_first(visit: Visit, strangers: str):
    async with visit() as visitor:
        visitor.expect("403")
        page = visitor.page
        await page.goto(strangers)
        await page.get_by_role("button", name="Sign in with Tabularium").click()
        heading = page.get_by_role("heading", level=1)
        await expect(heading).to_have_text("A program on this computer wants to use your account")
        await page.get_by_role("textbox", name="Your name").fill("Livia")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("You are signed in as Livia")).to_be_visible()
        await expect(page.get_by_text("Allow it only if you have just started that program yourself.")).to_be_visible()
        await visitor.axe()
        await page.get_by_role("button", name="Allow", exact=True).click()
        await page.get_by_role("button", name="Make recovery codes").click()
        await expect(page.get_by_label("Your recovery codes")).to_be_visible()
        await visitor.axe_in_passing()
        await page.get_by_role("button", name="Allow", exact=True).focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("You are Livia.")).to_be_visible()
        assert page.url == f"{strangers}/", "the code is nowhere any more"


async def test_the_package_signs_in_and_all_tabs_refresh_once(service: Service, visit: Visit, strangers: str):
    anna = await service.register("Anna")
    async with visit() as visitor:
        page, asked = visitor.page, list[str]()

        async def answer_late(route: Route) -> None:
            asked.append(route.request.post_data or "")
            await asyncio.sleep(0.5)  # Or else the first tab may be done before the others ask.
            await route.continue_()

        await visitor.context.route("**/oauth/token", answer_late)
        await sign_in(page, anna)
        here = f"{strangers}/package.html"
        await page.goto(f"{here}?code=code_1&state=forged&iss={visitor.address}")
        await expect(page.locator("#who")).to_have_text(
            "The answer belongs to no sign-in that began in this tab. Sign in again."
        )
        assert (page.url, asked) == (here, [])
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("button", name="Allow", exact=True).click()
        await expect(page.locator("#who")).to_have_text("You are Anna.")
        assert (page.url, len(asked)) == (here, 1), "the code is nowhere any more"
        # An hour later, in six tabs at once.
        await page.evaluate(
            "for (const name in {...localStorage}) localStorage[name] = localStorage[name].replace(/\\d+}/, '0}')"
        )
        tabs = [await visitor.context.new_page() for _ in range(6)]
        await asyncio.gather(*(tab.goto(here) for tab in tabs))
        for tab in tabs:
            await expect(tab.locator("#who")).to_have_text("You are Anna.")
        assert len(asked) == 2
        await tabs[0].get_by_role("button", name="Sign out").click()
        await expect(tabs[0].locator("#who")).to_have_text("")
        assert await page.evaluate("localStorage.length") == 0


async def test_an_app_at_its_host_is_let_in_remembered_and_shut_out(service: Service, visit: Visit):
    app, anna = App(service), await service.register("Anna")
    async with visit(**PHONE) as visitor:
        page = visitor.page
        await at_the_app(visitor.context)
        await sign_in(page, anna)
        await page.goto(f"/authorize?{app.query('play notify')}")
        await expect(page.get_by_role("heading", level=1)).to_have_text("boards.example.org wants to use your account")
        for told in ("Play for you", "Read your notices", "It calls itself “Board Room”", "It never learns how"):
            await expect(page.get_by_text(told)).to_be_visible()
        await expect(page.get_by_text("Organize games")).to_have_count(0)
        await visitor.axe()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.get_by_role("button", name="Do not allow").click()
        await expect(page.get_by_text("Back at the app")).to_be_visible()
        assert page.url.startswith(f"{REDIRECT}?error=access_denied")
        await page.goto(f"/authorize?{app.query('play judge notify')}")
        await page.get_by_role("checkbox", name="Rule for you").uncheck()
        await page.get_by_role("button", name="Allow", exact=True).click()
        await page.wait_for_url(f"{REDIRECT}?code=*")
        assert [each.scopes for each in await service.services.apps.let_in(PlayerId(anna.id))] == [("play", "notify")]
        # From now on nobody is asked.
        await page.goto(f"/authorize?{app.query('play')}")
        await page.wait_for_url(f"{REDIRECT}?code=*")
        await page.goto("/account")
        row = page.get_by_role("list", name="Apps").get_by_role("listitem").first
        await expect(row).to_contain_text("boards.example.org")
        await visitor.axe_in_passing()
        await row.get_by_text("Shut out …").click()
        await row.get_by_role("button", name="Shut out").click()
        await expect(page.get_by_text("You have let no app in.")).to_be_visible()


async def test_a_request_that_is_wrong_sends_nobody_away(service: Service, visit: Visit):
    app = App(service)
    async with visit() as visitor:
        visitor.expect("400")
        page = visitor.page
        await at_the_app(visitor.context)
        await page.goto(f"/authorize?{app.query(redirect_uri='javascript:document.title=1')}")
        await expect(page.get_by_role("heading", level=1)).to_have_text("This link leads nowhere")
        await expect(page.get_by_role("alert")).to_contain_text("Its redirect_uri is 'javascript:document.title=1'.")
        await visitor.axe_in_passing()
        await page.goto(f"/authorize?{app.query('account')}")
        await expect(page.get_by_role("alert")).to_contain_text("An app may ask for play, organize, judge, notify.")
        assert page.url.startswith(f"{visitor.address}/authorize?")
        await page.get_by_role("button", name="Go back to boards.example.org").click()
        await page.wait_for_url(f"{REDIRECT}?error=invalid_scope*")


async def test_somebody_enters_the_code_of_a_device(service: Service, visit: Visit):
    app, anna = App(service), await service.register("Anna")
    given = (await app.send("device", scope="play")).json()
    async with visit() as visitor:
        visitor.expect("404")
        page = visitor.page
        await sign_in(page, anna)
        await page.goto("/device")
        await page.get_by_label("The code that the device shows").fill("BBBB-BBBB")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("No device waits with the code 'BBBB-BBBB'.")
        await visitor.axe_in_passing()
        await page.goto(given["verification_uri_complete"])
        await page.get_by_role("button", name="Go on").click()
        await expect(page.get_by_text(given["user_code"])).to_be_visible()
        await expect(page.get_by_text("Somebody else who sent you here would get in.")).to_be_visible()
        await visitor.axe()
        await page.get_by_role("button", name="Allow", exact=True).click()
        await expect(page.get_by_role("status")).to_contain_text("The app is let in.")
    assert (await app.poll(given["device_code"])).status_code == 200
