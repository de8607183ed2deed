"""Somebody who looks at the service with a browser: one page, and all that it asked for and complained of.

To load a page for the first time takes 2 s of processor time: 130 requests, and as many modules to compile. A page that
other tests have used before takes two thirds of that, because the browser still has the modules. So `Lent` gives out
contexts again when it has taken from them all that a visitor left.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Frame,
    Locator,
    Page,
    Request,
    Response,
    WebError,
)
from playwright.async_api import TimeoutError as TooLate
from playwright.async_api import expect as assertions

from tests.helpers.sampling import in_this_run

PATIENCE: Final = 60_000
"""Milliseconds that something may take to appear: other tests use the machine as well."""
assertions.set_options(timeout=PATIENCE)

GRAVE: Final = ("serious", "critical")
AXE: Final = Axe().axe_script
STANDARD: Final = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
VIOLATIONS: Final = "([context, options]) => axe.run(context ?? document, options).then((found) => found.violations)"
"""What is right makes up nearly all of what axe finds. To list it and bring it here costs twice what the checks do."""
SILENT: Final = frozenset({204, 301, 302, 303, 304, 307, 308})
"""Statuses of answers without a body."""

PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DARK: Final[dict[str, Any]] = {"color_scheme": "dark"}


async def until(page: Page, expression: str) -> None:
    """Wait until a JavaScript expression is true. `wait_for_function` would need what a page's policy forbids."""
    waiting = f"async () => {{ while (!({expression})) await new Promise((go) => setTimeout(go, 20)); }}"
    await asyncio.wait_for(page.evaluate(waiting), PATIENCE / 1000)


def expect(actual: Any) -> Any:
    """Return Playwright's assertions, which here first wait until there is what they are about.

    Since 1.60 each of its own looks that finds nothing writes the whole page down, for the message of a failure:
    that took a sixth of the time that pages took.
    """
    return _Expected(actual) if isinstance(actual, Locator) else assertions(actual)


if TYPE_CHECKING:
    expect = assertions


class _Expected:
    def __init__(self, locator: Locator) -> None:
        self._locator = locator

    def __getattr__(self, name: str) -> Callable[..., Awaitable[None]]:
        check = getattr(assertions(self._locator), name)

        async def checked(*expected: Any, **options: Any) -> None:
            if not (name.startswith("not_") or name in ABSENT or any(isinstance(each, list) for each in expected)):
                state = "visible" if name == "to_be_visible" else "attached"
                try:
                    await self._locator.wait_for(state=state, timeout=options.get("timeout", PATIENCE))
                except TooLate:
                    options["timeout"] = 1  # It has had its time, and what is wrong is for Playwright to say.
            await check(*expected, **options)

        return checked


ABSENT: Final = frozenset({"to_have_count", "to_be_hidden"})
"""What may hold of an element that is not there."""


class Visitor:
    """A page in a browser of its own: nothing is shared with other visitors.

    `complaints` are the errors of its console and of its security policy; `asked` all that it asked for. A test that
    provokes one says so with `expect`. `uncaught` are the exceptions and rejections that no script of it caught: no
    test may expect any. `kept` are the answers' bodies as text (not those of streams).
    """

    def __init__(self, context: BrowserContext, page: Page, address: str, also: tuple[str, ...] = ()) -> None:
        """`also` are other addresses that pages may send the browser to."""
        self.context = context
        self.page = page
        self.address = address
        self._also = also
        self.complaints: list[str] = []
        self.uncaught: list[str] = []
        self.asked: list[Request] = []
        self._answers: list[Response] = []
        self._expected: list[str] = []
        self._heard: dict[Any, Callable[[Any], None]] = {
            "request": self._note,
            "response": self._keep,
            "console": self._hear,
            "weberror": self._notice,
        }
        for event, handler in self._heard.items():
            context.on(event, handler)

    def expect(self, pattern: str) -> None:
        """Let complaints that contain this regular expression pass."""
        self._expected.append(pattern)

    async def axe(self, within: str | None = None, *, without: str | None = None) -> None:
        """Assert that axe finds nothing serious or critical on the page as it is now: in a part, or without one."""
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE)
        context = {"exclude": [[without]]} if without else within
        found = await self.page.evaluate(VIOLATIONS, [context, STANDARD])
        grave = [
            f"{each['impact']}: {each['id']}: {each['help']}\n"
            + "\n".join(
                f"    {node['target']}: {node['html'][:200]}\n{node['failureSummary']}" for node in each["nodes"]
            )
            for each in found
            if each["impact"] in GRAVE
        ]
        assert not grave, "\n".join(grave)

    async def axe_in_passing(self, within: str | None = None, *, without: str | None = None) -> None:
        """Do what `axe` does in one test of six; in all of them with `--all`.

        `test_access.py` is where every page is looked at. This is for the states to which other tests come.
        """
        if in_this_run("what tests come to by axe", 6):
            await self.axe(within, without=without)

    async def bodies(self) -> dict[str, str]:
        """Return what the page was answered, by address: all that has ended."""
        bodies: dict[str, str] = {}
        for answer in list(self._answers):
            if answer.status in SILENT or "event-stream" in answer.headers.get("content-type", ""):
                continue
            await answer.finished()
            bodies[answer.url] = bodies.get(answer.url, "") + (await answer.body()).decode("utf-8", "replace")
        return bodies

    def check(self) -> None:
        """Assert that there was nothing to complain of, and that only this service was asked."""
        elsewhere = [
            request.url
            for request in self.asked
            if not request.url.startswith(("data:", "blob:", *self._also))
            and urlsplit(request.url).netloc != self._host
        ]
        assert not elsewhere, f"the page asked another host: {elsewhere}"
        assert not self.uncaught, "a script of the page failed:\n" + "\n".join(self.uncaught)
        unexpected = [
            each for each in self.complaints if not any(re.search(pattern, each) for pattern in self._expected)
        ]
        assert not unexpected, "the browser complains:\n" + "\n".join(unexpected)

    def keeps_answers(self) -> bool:
        """Tell whether the browser may have kept an answer that another service would give otherwise.

        What is under `/viewer/` is the same for all. What has to be asked for again goes by what it is (its ETag).
        """
        return any(
            not re.search("no-cache|no-store", answer.headers.get("cache-control", "no-store"))
            for answer in self._answers
            if not answer.url.startswith(f"{self.address}/viewer/")
        )

    def leave(self) -> None:
        """Hear no more of the context."""
        for event, handler in self._heard.items():
            self.context.remove_listener(event, handler)

    @property
    def _host(self) -> str:
        return urlsplit(self.address).netloc

    def _note(self, request: Request) -> None:
        self.asked.append(request)

    def _keep(self, answer: Response) -> None:
        self._answers.append(answer)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _notice(self, error: WebError) -> None:
        self.uncaught.append(error.error.stack or str(error.error))


Visit = Callable[..., contextlib.AbstractAsyncContextManager[Visitor]]
"""Opens a page as `visiting` does, in the test's browser and at its service; options are those of a browser context."""


@contextlib.asynccontextmanager
async def visiting(
    browser: Browser, address: str, *, also: tuple[str, ...] = (), **options: Any
) -> AsyncIterator[Visitor]:
    """Open a page; at the end assert that nothing was wrong with it. `options` are those of a browser context."""
    context = await browser.new_context(base_url=address, **options)
    try:
        context.set_default_timeout(PATIENCE)
        async with _visiting(context, await context.new_page(), address, also) as visitor:
            yield visitor
    finally:
        await context.close()


@contextlib.asynccontextmanager
async def _visiting(
    context: BrowserContext, page: Page, address: str, also: tuple[str, ...] = ()
) -> AsyncIterator[Visitor]:
    visitor = Visitor(context, page, address, also)
    yield visitor
    # What a script has thrown by now is heard before the answer to this.
    for each in context.pages:
        await each.evaluate("() => new Promise((done) => setTimeout(done))")
    visitor.check()


LASTING: Final = (
    "add_init_script",
    "emulate_media",
    "expose_binding",
    "expose_function",
    "grant_permissions",
    "install",
    "set_extra_http_headers",
    "set_fixed_time",
    "set_geolocation",
    "set_offline",
    "set_system_time",
)
"""What changes a page, its context or its clock for longer than a page is shown. Such a context is not lent again."""
PLAIN: Final = "/robots.txt"
"""A page of the service without scripts. On it the browser keeps the process that has the service's modules."""
EMPTIED: Final = "() => { localStorage.clear(); sessionStorage.clear(); window.name = ''; }"
AT_ONCE: Final = 4
"""Contexts that are kept for other visitors: each is a process."""
SCREEN: Final = {"width": 1280, "height": 720}


class _Context:
    """A context with its page. `lasting` says that it cannot be as new any more."""

    def __init__(self, context: BrowserContext, page: Page, devtools: CDPSession) -> None:
        self.context = context
        self.page = page
        self.lasting = False
        self._devtools = devtools
        self._sessions: list[CDPSession] = []
        for changed in (context, page, context.clock):
            for name in LASTING:
                if hasattr(changed, name):
                    setattr(changed, name, self._noticing(getattr(changed, name)))
        self._session = context.new_cdp_session
        context.new_cdp_session = self._new_session

    def _noticing(self, change: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def changed(*given: Any, **named: Any) -> Any:
            self.lasting = True
            return await change(*given, **named)

        return changed

    async def _new_session(self, page: Page | Frame) -> CDPSession:
        self._sessions.append(await self._session(page))
        return self._sessions[-1]

    async def emptied(self, address: str, *, cache: bool) -> None:
        """Take away all that a visitor left, while the service still runs."""
        for each in self.context.pages:
            if each is not self.page:
                await each.close()
        for session in self._sessions:
            await session.detach()  # which ends what it has changed
        self._sessions.clear()
        await self.page.unroute_all()
        await self.context.unroute_all()
        await self.page.mouse.move(0, 0)  # where it is at first
        await self.page.goto(PLAIN)
        await self.page.evaluate(EMPTIED)
        await self._devtools.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"})
        await self._devtools.send("Page.resetNavigationHistory")
        await self.context.clear_cookies()
        if cache:
            await self._devtools.send("Network.clearBrowserCache")


class Lent:
    """Browser contexts that one visitor has after the other, each as if it were new."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: list[tuple[str, _Context]] = []

    @contextlib.asynccontextmanager
    async def visiting(self, address: str, **options: Any) -> AsyncIterator[Visitor]:
        """Do what `visiting` does. Only a context that was given back in order is lent again, for the same options."""
        screen = options.pop("viewport", SCREEN)
        kind = repr((address, sorted(options.items())))
        lent = self._again(kind) or await self._new(address, options)
        if lent.page.viewport_size != screen:
            await lent.page.set_viewport_size(screen)
        kept = False
        try:
            async with _visiting(lent.context, lent.page, address) as visitor:
                yield visitor
            visitor.leave()
            if not lent.lasting and not lent.page.is_closed():
                await lent.emptied(address, cache=visitor.keeps_answers())
                self._idle.append((kind, lent))
                kept = True
        finally:
            if not kept:
                await lent.context.close()
        while len(self._idle) > AT_ONCE:
            _, longest = self._idle.pop(0)
            await longest.context.close()

    def _again(self, kind: str) -> _Context | None:
        for place in reversed(range(len(self._idle))):
            if self._idle[place][0] == kind:
                return self._idle.pop(place)[1]
        return None

    async def _new(self, address: str, options: dict[str, Any]) -> _Context:
        context = await self._browser.new_context(base_url=address, **options)
        context.set_default_timeout(PATIENCE)
        page = await context.new_page()
        return _Context(context, page, await context.new_cdp_session(page))
