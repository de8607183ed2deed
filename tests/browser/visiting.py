"""Somebody who looks at the service with a browser: one page, what it complained of, and what it asked for.

To load a page for the first time takes 2 s of processor time: 130 requests, and as many modules to compile. A page that
other tests have used before takes two thirds of that, because the browser still has the modules. So `Lent` gives out
contexts again when it has taken from them all that a visitor left.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Set
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from axe_playwright_python.async_playwright import Axe
from litestar.types import ASGIApp, Receive, Scope, Send
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

from service.api.services import Services
from service.app import create_app
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

    `complaints` are the errors of its console and of its security policy. A test that provokes one says so with
    `expect`. `uncaught` are the exceptions and rejections that no script of it caught: no test may expect any. After
    `listen`, `asked` is all that it asked for, and `bodies` what it was answered.
    """

    def __init__(
        self, context: BrowserContext, page: Page, address: str, elsewhere: list[str], also: tuple[str, ...] = ()
    ) -> None:
        """`also` are other addresses that pages may send the browser to; `elsewhere` is what came to the proxy."""
        self.context = context
        self.page = page
        self.address = address
        self._also = also
        self.complaints: list[str] = []
        self.uncaught: list[str] = []
        self._asked: list[Request] = []
        self._answers: list[Response] = []
        self.elsewhere = elsewhere
        self._expected: list[str] = []
        self._heard: dict[Any, Callable[[Any], None]] = {}
        self._hear({"console": self._complain, "weberror": self._notice})

    def listen(self) -> None:
        """Hear from now on what pages ask for and are answered, which takes a tenth of the time of a page."""
        self._hear({"request": self._note, "response": self._keep})

    @property
    def asked(self) -> list[Request]:
        """What pages have asked for since `listen`, without which this raises `RuntimeError`."""
        self._expect_to_listen()
        return self._asked

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
        """Return what the page was answered since `listen`, by address: all that has ended. Not those of streams."""
        self._expect_to_listen()
        bodies: dict[str, str] = {}
        for answer in list(self._answers):
            if answer.status in SILENT or "event-stream" in answer.headers.get("content-type", ""):
                continue
            await answer.finished()
            bodies[answer.url] = bodies.get(answer.url, "") + (await answer.body()).decode("utf-8", "replace")
        return bodies

    def check(self) -> None:
        """Assert that there was nothing to complain of, and that only this service was asked."""
        elsewhere = self.elsewhere + [
            request.url
            for request in self._asked
            if not request.url.startswith(("data:", "blob:", *self._also))
            and urlsplit(request.url).netloc != urlsplit(self.address).netloc
        ]
        assert not elsewhere, f"the page asked another host: {elsewhere}"
        assert not self.uncaught, "a script of the page failed:\n" + "\n".join(self.uncaught)
        unexpected = [
            each for each in self.complaints if not any(re.search(pattern, each) for pattern in self._expected)
        ]
        assert not unexpected, "the browser complains:\n" + "\n".join(unexpected)

    def leave(self) -> None:
        """Hear no more of the context."""
        for event, handler in self._heard.items():
            self.context.remove_listener(event, handler)

    def _hear(self, handlers: Mapping[Any, Callable[[Any], None]]) -> None:
        self._heard |= handlers
        for event, handler in handlers.items():
            self.context.on(event, handler)

    def _expect_to_listen(self) -> None:
        if "request" not in self._heard:
            raise RuntimeError("Nobody listened to what the page asks for: call `visitor.listen()` before you open it.")

    def _note(self, request: Request) -> None:
        self._asked.append(request)

    def _keep(self, answer: Response) -> None:
        self._answers.append(answer)

    def _complain(self, message: ConsoleMessage) -> None:
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
    context, elsewhere = await _open(browser, address, also, options)
    try:
        async with _checked(Visitor(context, await context.new_page(), address, elsewhere, also)) as visitor:
            yield visitor
    finally:
        await context.close()


async def _open(
    browser: Browser, address: str, also: tuple[str, ...], options: Mapping[str, Any]
) -> tuple[BrowserContext, list[str]]:
    """Return a new context, and the list of all that its pages ask of others than a service and `also`.

    That goes to a proxy, which notes it and answers nothing. It costs nothing while a page asks only the service.
    """
    elsewhere: list[str] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        elsewhere.append((await reader.readline()).decode("latin-1").strip())
        writer.close()

    proxy = await asyncio.start_server(note, "127.0.0.1", 0)
    # The last is for `route.fetch`, which does not know ports here. To the browser it is another host.
    direct = ",".join([*(urlsplit(each).netloc for each in (address, *also)), ".127.0.0.1"])
    through = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
    context = await browser.new_context(base_url=address, proxy={"server": through, "bypass": direct}, **options)
    context.on("close", lambda _: proxy.close())
    context.set_default_timeout(PATIENCE)
    return context, elsewhere


@contextlib.asynccontextmanager
async def _checked(visitor: Visitor) -> AsyncIterator[Visitor]:
    yield visitor
    # What a script has thrown by now is heard before the answer to this.
    for each in visitor.context.pages:
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
PLAIN: Final = "/health"
"""What the service answers without styles and scripts. On it the browser keeps the process that has its modules."""
EMPTIED: Final = "() => { localStorage.clear(); sessionStorage.clear(); window.name = ''; }"
FOR_ALL: Final = ("/viewer/", "/favicon.ico")
"""What every service answers alike. A browser may keep it."""
AT_ONCE: Final = 4
"""Contexts that are kept for other visitors: each is a process."""
SCREEN: Final = {"width": 1280, "height": 720}


class _Context:
    """A context with its page. `lasting` says that it cannot be as new any more."""

    def __init__(self, context: BrowserContext, page: Page, devtools: CDPSession, elsewhere: list[str]) -> None:
        self.context = context
        self.page = page
        self.elsewhere = elsewhere
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
    async def visiting(self, address: str, kept: Set[str], **options: Any) -> AsyncIterator[Visitor]:
        """Do what `visiting` does. Only a context that was given back in order is lent again, for the same options.

        `kept` is what `noting` notes of the service.
        """
        screen = options.pop("viewport", SCREEN)
        kind = repr((address, sorted(options.items())))
        lent = self._again(kind) or await self._new(address, options)
        if lent.page.viewport_size != screen:
            await lent.page.set_viewport_size(screen)
        in_order = False
        try:
            async with _checked(Visitor(lent.context, lent.page, address, lent.elsewhere)) as visitor:
                yield visitor
            visitor.leave()
            if not lent.lasting and not lent.page.is_closed():
                await lent.emptied(address, cache=bool(kept))
                visitor.check()  # what was asked of others last may come to the proxy by now
                self._idle.append((kind, lent))
                in_order = True
        finally:
            if not in_order:
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
        context, elsewhere = await _open(self._browser, address, (), options)
        page = await context.new_page()
        return _Context(context, page, await context.new_cdp_session(page), elsewhere)


def noting(kept: set[str], services: Services) -> ASGIApp:
    """Return the app of a service that notes the paths whose answers a browser keeps, and another service may not give.

    What has to be asked for again goes by what it is (its ETag).
    """
    app = create_app(services)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        def send_on(message: Any) -> Awaitable[None]:
            if message["type"] == "http.response.start" and not scope["path"].startswith(FOR_ALL):
                for name, value in message["headers"]:
                    if name.lower() == b"cache-control" and b"no-cache" not in value and b"no-store" not in value:
                        kept.add(scope["path"])
            return send(message)

        await app(scope, receive, send_on)

    return answer
