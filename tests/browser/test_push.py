"""A browser is switched on, and shows what the service pushes to it; and the page where an account chooses its
notifications.

Chromium asks Google's push service and no other, and without windows it shows no notifications. So here the page
subscribes at a push service of this machine, which gets what the service really sends; a reader written from RFC 8291
reads that; and the DevTools protocol brings it to the service worker, which calls what would show it.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Page

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.browser.games import token_of
from tests.browser.test_inbox import begun
from tests.browser.visiting import Visitor, expect, visiting
from tests.helpers.browsers import Subscriber
from tests.helpers.mailing import Post, posting, text_of
from tests.service.api.serving import Service, serving
from tests.service.api.test_webhooks import eventually
from tests.service.webhooks.receiving import Receiver, receiving

NOTICES = "/account/notices"

SUBSCRIBED = """(given) => {
    let own = null;
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    const plain = (text) => atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = (text) => Uint8Array.from(plain(text), (letter) => letter.charCodeAt(0)).buffer;
    PushManager.prototype.getSubscription = async () => own;
    PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
        if (!userVisibleOnly) throw new Error("silent pushes are not allowed");
        own = {
            endpoint: given.endpoint,
            options: { applicationServerKey: bytes(applicationServerKey), userVisibleOnly },
            toJSON: () => given,
            unsubscribe: async () => { own = null; return true; },
        };
        return own;
    };
}"""
"""Takes the place of Google's push service when a page subscribes."""


@pytest_asyncio.fixture(loop_scope="session")
async def push_service() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        opened.answers["/send/anna"] = "201 Created\r\n"
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def post() -> AsyncIterator[Post]:
    async with posting() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def telling(tmp_path: Path, post: Post) -> AsyncIterator[Service]:
    """A service that may push to this machine, and sends e-mail."""
    settings: dict[str, Any] = {"outward": "anywhere", "smtp_url": post.url, "smtp_from": "games@example.org"}
    settings |= {"public_url": "https://games.example.org"}
    async with serving(tmp_path, LIBRARY, builtin, clock=utc_now, durable=False, **settings) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(browser: Browser, telling: Service) -> AsyncIterator[Visitor]:
    async with visiting(browser, str(telling.client.base_url).rstrip("/")) as opened:
        yield opened


class Worker:
    """The service worker of a page, as the DevTools protocol reaches it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.registration = ""
        self.known = asyncio.Event()

    async def attach(self) -> None:
        self.session = await self.page.context.new_cdp_session(self.page)
        self.session.on("ServiceWorker.workerRegistrationUpdated", self._updated)
        await self.session.send("ServiceWorker.enable")
        await asyncio.wait_for(self.known.wait(), 60)

    def _updated(self, event: Any) -> None:
        for each in event["registrations"]:
            self.registration = each["registrationId"]
            self.known.set()

    async def push(self, data: bytes) -> None:
        address = self.page.url
        origin = address[: address.index("/", 8)]
        await self.session.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": origin, "registrationId": self.registration, "data": data.decode()},
        )


async def pushed(receiver: Receiver, count: int) -> bytes:
    """Return the body of a push as it came to the push service."""

    async def came() -> Any:
        return receiver.got[count - 1 :]

    return (await eventually(came))[0].body


SHOWING = """() => {
    self.shown = [];
    const show = async (title, options) => self.shown.push({ title, ...options });
    ServiceWorkerRegistration.prototype.showNotification = show;
}"""


async def test_a_browser_shows_what_is_pushed_to_it(telling: Service, visitor: Visitor, push_service: Receiver) -> None:
    page, anna, bert = visitor.page, await telling.register("Anna"), await telling.register("Bert")
    browser = Subscriber(push_service.url("/send/anna"))
    await page.context.grant_permissions(["notifications"])
    await page.add_init_script(f"({SUBSCRIBED})({browser.subscription()!r})".replace("None", "null"))
    await page.goto(f"/#token={token_of(anna)}")
    await page.goto(NOTICES)
    device = page.get_by_role("region", name="On this device")
    await device.get_by_role("button", name="Switch on").click()
    first = await pushed(push_service, 1)
    assert browser.shown(first)["body"] == "This device gets notifications from now on."
    await expect(device).to_contain_text("This device gets notifications")
    worker = Worker(page)
    await worker.attach()
    game = await begun(telling, "An evening", anna, bert)
    body = await pushed(push_service, 2)
    (script,) = page.context.service_workers
    await script.evaluate(SHOWING)
    await worker.push(browser.read(body))

    async def any_shown() -> Any:
        return await script.evaluate("self.shown")

    (shown,) = await eventually(any_shown)
    assert shown["title"] == "An evening"
    # Bert started the game, and who begins is chance.
    assert shown["body"] == "The game has begun." or shown["body"].startswith("It is your turn, ")
    assert (shown["tag"], shown["data"], shown["icon"]) == (game, f"/games/{game}", "/favicon.ico")
    await device.get_by_role("button", name="Switch off").click()
    await expect(device.get_by_role("button", name="Switch on")).to_be_visible()
    assert (await telling.get("/v1/notifications/push", anna))["items"] == []


async def test_an_account_chooses_what_it_is_told(telling: Service, visitor: Visitor, post: Post) -> None:
    page, anna, bert = visitor.page, await telling.register("Anna"), await telling.register("Bert")
    game = await begun(telling, "An evening", anna, bert)
    await page.goto(f"/games/{game}#token={token_of(anna)}")
    await page.get_by_role("button", name="Notices").click()
    dialog = page.get_by_role("dialog", name="When it is your turn")
    await dialog.get_by_role("checkbox", name="when it is my turn").uncheck()
    settings = "/v1/notifications/settings"

    async def of_game() -> Any:
        return (await telling.get(settings, anna))["games"] == {game: ["your-turn"]}

    await eventually(of_game)
    await page.goto(NOTICES)
    await expect(page.get_by_role("list", name="Single games")).to_contain_text("not: It is my turn")
    await page.get_by_role("checkbox", name="A game is over").uncheck()

    async def of_all() -> Any:
        return (await telling.get(settings, anna))["off"] == ["game-over"]

    await eventually(of_all)
    await page.get_by_role("button", name=f"Tell me everything of {game}").click()
    await expect(page.get_by_role("list", name="Single games")).to_have_count(0)
    assert await telling.get(settings, anna) == {"off": ["game-over"], "games": {}}
    email = page.get_by_role("region", name="By e-mail")
    await email.get_by_label("Your address").fill("anna@example.org")
    await email.get_by_role("checkbox", name="Once a day").check()
    await email.get_by_role("button", name="Save").click()
    await expect(email).to_contain_text("Open its link to confirm the address.")
    await visitor.axe()

    async def came() -> Any:
        return post.to("anna@example.org")

    (message,) = await eventually(came)
    link = re.search(r"https://games\.example\.org(/email/\S+)", text_of(message))
    assert link is not None
    await page.goto(link[1])
    await page.get_by_role("button", name="Confirm").click()
    await expect(page.get_by_role("heading")).to_have_text("Your e-mail address is confirmed")
    assert (await telling.get("/v1/notifications/email", anna))["status"] == "on"
    await page.goto(NOTICES)
    await expect(email).to_contain_text("a…@example.org The address is confirmed.")
    await email.get_by_role("button", name="Forget my address").click()
    await expect(email.get_by_label("Your address")).to_be_visible()
