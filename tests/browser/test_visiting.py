"""Visitors notice what they are there to notice."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Page

from tests.browser.visiting import Visit, Visitor, expect, visiting
from tests.service.api.serving import Service

WRONG = {
    "faint text": '<p data-style="color:#aaa;background:#fff">Hardly to be read</p>',
    "a picture without words": '<img src="/favicon.ico">',
    "a button without a name": "<button></button>",
    "a field without a label": "<input>",
}


@pytest.mark.parametrize("what", WRONG)
async def test_axe_finds(visitor: Visitor, what: str):
    await visitor.page.goto("/problems")
    await visitor.axe()
    # By script, for the page's policy lets no style stand in its text.
    await visitor.page.evaluate(
        """html => {
            document.querySelector('main').insertAdjacentHTML('beforeend', html);
            for (const each of document.querySelectorAll('[data-style]')) each.style.cssText = each.dataset.style;
        }""",
        WRONG[what],
    )
    with pytest.raises(AssertionError, match=r"serious|critical"):
        await visitor.axe()


async def test_what_is_expected_may_come_later_and_what_never_comes_is_said(page: Page):
    await page.goto("/problems")
    late = "document.body.append(Object.assign(document.createElement('b'), {className: 'late', textContent: 'come'}))"
    await page.evaluate(f"() => void setTimeout(() => {{ {late} }}, 300)")
    await expect(page.locator("b.late")).to_have_text("come")
    await expect(page.locator("b.never")).not_to_be_visible()
    await expect(page.locator("b.never")).to_be_hidden()
    await expect(page.locator("b.never")).to_have_count(0)
    with pytest.raises(AssertionError, match="Actual value: come"):
        await expect(page.locator("b.late")).to_have_text("gone", timeout=100)
    with pytest.raises(AssertionError, match="expected to be visible"):
        await expect(page.locator("b.never")).to_be_visible(timeout=100)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("fetch('http://192.0.2.1/').catch(() => 0)", "Content Security"),
        ("new Image().src = 'http://example.invalid/'", "Content Security"),
        ("fetch('/v1/nothing')", "404"),
        ("console.error('oh')", "oh"),
        (
            "document.head.append(Object.assign(document.createElement('script'), {text: 'window.mine = 1'}))",
            "Content Security",
        ),
    ],
)
async def test_a_complaint(visit: Visit, script: str, complaint: str):
    async def look() -> None:
        async with visit() as visitor:
            await visitor.page.goto("/problems")
            await visitor.page.evaluate(f"() => {{ {script} }}")
            async with asyncio.timeout(20):
                while True:  # until it is heard
                    visitor.check()
                    await asyncio.sleep(0.05)

    with pytest.raises(AssertionError, match=complaint):
        await look()


ELSEWHERE = """other => {
    fetch("https://fetched.example/").catch(() => 0);
    fetch(`http://127.0.0.1:${other}/`).catch(() => 0);
    new Image().src = "http://image.example/";
    new FontFace("other", "url(https://font.example/)").load().catch(() => 0);
    new WebSocket("ws://socket.example/");
    document.body.append(Object.assign(document.createElement("iframe"), { src: "http://frame.example/" }));
}"""


async def test_all_that_is_asked_of_other_hosts_fails_a_test_whatever_it_expects(browser: Browser, service: Service):
    """Also where a page's policy allows it, and nobody listens."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>Freely.")
        writer.close()

    site = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = site.sockets[0].getsockname()[1]
    there, other = f"http://127.0.0.1:{port}", port - 1
    asked = {f"127.0.0.1:{other}", *(f"{name}.example" for name in ("fetched", "image", "font", "socket", "frame"))}

    async def look() -> None:
        async with visiting(browser, str(service.client.base_url).rstrip("/"), also=(there,)) as visitor:
            visitor.expect("")
            await visitor.page.goto(there)
            await visitor.page.evaluate(ELSEWHERE, other)
            async with asyncio.timeout(20):
                while True:  # until all are heard
                    await asyncio.sleep(0.05)
                    if len(visitor.elsewhere) >= len(asked):
                        return

    try:
        with pytest.raises(AssertionError, match="asked another host") as failed:
            await look()
        assert set(re.findall(r"\w+\.example|127\.0\.0\.1:\d+", str(failed.value))) == asked
    finally:
        site.close()


async def test_who_listens_hears_also_what_a_policy_keeps_from_other_hosts(visit: Visit):
    async def look() -> None:
        async with visit() as visitor:
            visitor.listen()
            visitor.expect("")
            await visitor.page.goto("/problems")
            await visitor.page.evaluate("() => { new Image().src = 'http://example.invalid/' }")

    with pytest.raises(AssertionError, match=r"asked another host.*http://example\.invalid/"):
        await look()


async def test_what_nobody_listened_to_is_not_taken_for_nothing(visitor: Visitor):
    await visitor.page.goto("/problems")
    with pytest.raises(RuntimeError, match=r"call `visitor\.listen\(\)`"):
        _ = visitor.asked
    with pytest.raises(RuntimeError, match=r"call `visitor\.listen\(\)`"):
        await visitor.bodies()


@pytest.mark.parametrize(
    "script", ["setTimeout(() => { throw new Error('broken') })", "void Promise.reject(new Error('broken'))"]
)
async def test_what_no_script_caught_fails_a_test_whatever_it_expects(visit: Visit, script: str):
    async def look() -> None:
        async with visit() as visitor:
            visitor.expect("")
            await visitor.page.goto("/problems")
            await visitor.page.evaluate(f"() => {{ {script} }}")

    with pytest.raises(AssertionError, match="broken"):
        await look()


async def test_what_is_provoked_is_no_complaint(visitor: Visitor):
    visitor.listen()
    visitor.expect("404")
    await visitor.page.goto("/problems")
    await visitor.page.evaluate("() => fetch('/v1/nothing').then(answer => answer.text())")
    assert "unknown-path" in (await visitor.bodies())[f"{visitor.address}/v1/nothing"]


LEFT = """async () => {
    const databases = await indexedDB.databases();
    return [localStorage.length, sessionStorage.length, document.cookie, databases.length, window.name,
        history.length, innerWidth, document.querySelectorAll('main :hover').length, 'mark' in window,
        new Date(0).getTimezoneOffset()];
}"""
LEAVE = """async () => {
    localStorage.setItem('one', '1');
    sessionStorage.setItem('two', '2');
    document.cookie = 'three=3';
    window.name = 'four';
    window.mark = 5;
    await new Promise((done) => indexedDB.open('six').onsuccess = done);
}"""


async def test_who_comes_after_another_finds_a_browser_as_new(visit: Visit, browser: Browser, service: Service):
    async with visiting(browser, str(service.client.base_url).rstrip("/")) as visitor:
        await visitor.page.goto("/problems")
        new = await visitor.page.evaluate(LEFT)
    async with visit() as visitor:
        visitor.listen()
        heard = visitor.asked
        page = visitor.page
        for path in ("/problems", "/problems", "/health", "/problems"):
            await page.goto(path)
        await page.route("**/health", lambda route: route.abort())
        await page.evaluate(LEAVE)
        await page.set_viewport_size({"width": 700, "height": 700})
        await page.mouse.move(350, 350)
        session = await visitor.context.new_cdp_session(page)
        await session.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"})
        tab = await visitor.context.new_page()
        await tab.goto("/problems")
        assert await page.evaluate(LEFT) != new
    before = len(heard)
    async with visit() as visitor:
        assert visitor.page is page
        visitor.listen()
        assert visitor.asked == []
        await page.goto("/problems")
        assert await page.evaluate(LEFT) == new
        assert await page.evaluate("fetch('/health').then((answer) => answer.status)") == 200
        assert visitor.context.pages == [page]
        assert visitor.asked
        assert len(heard) == before


HELD = "path => fetch(path, { cache: 'only-if-cached', mode: 'same-origin' }).then(({ ok }) => ok, () => false)"
"""Whether the browser has an answer that it need not ask for again."""
MODULE = "performance.getEntriesByType('resource').find(({ name }) => /viewer.*js/.test(name)).name"


async def test_who_comes_after_another_has_of_what_was_answered_only_what_every_service_answers_alike(
    visit: Visit, service: Service
):
    anna, tile = await service.register("Anna"), "/transparency/tile/0/000.p/1"
    await service.post("/v1/games", anna, {"ruleset": "mare-nostrum", "players": 3})
    async with asyncio.timeout(20):
        while True:  # until the log has an entry
            if (await service.client.get("/transparency/checkpoint")).is_success:
                break
            await asyncio.sleep(0.05)
    async with visit() as visitor:
        page = visitor.page
        await page.goto("/")
        module = await page.evaluate(MODULE)
        assert await page.evaluate(HELD, module)
    async with visit() as visitor:
        visitor.expect("CACHE_MISS")
        assert visitor.page is page
        await page.goto("/problems")
        assert await page.evaluate(HELD, module)
        assert not await page.evaluate(HELD, tile)
        await page.evaluate("path => fetch(path)", tile)
        assert await page.evaluate(HELD, tile)
    async with visit() as visitor:
        visitor.expect("CACHE_MISS")
        assert visitor.page is page
        await page.goto("/problems")
        assert not await page.evaluate(HELD, tile)


async def test_what_lasts_longer_than_a_page_ends_with_its_context(visit: Visit):
    for lasting in (
        lambda page: page.add_init_script("window.mine = 1"),
        lambda page: page.context.add_init_script("window.mine = 1"),
        lambda page: page.emulate_media(color_scheme="dark"),
        lambda page: page.clock.set_fixed_time(0),
        lambda page: page.context.grant_permissions(["geolocation"]),
    ):
        async with visit() as visitor:
            await lasting(visitor.page)
            page = visitor.page
        assert page.is_closed()


async def test_a_context_is_not_lent_again_after_a_failure(visit: Visit):
    failing = visit()
    visitor = await failing.__aenter__()
    assert not await failing.__aexit__(RuntimeError, RuntimeError(), None)
    assert visitor.page.is_closed()
