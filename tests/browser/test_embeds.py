"""A board in a frame of another site."""

import asyncio

from playwright.async_api import Browser, expect

from tests.browser.games import table
from tests.browser.reading import give_any
from tests.service.api.serving import Service


async def test_a_board_in_a_frame_of_another_site_follows_its_game_and_nothing_else_may_stand_there(
    service: Service, browser: Browser
) -> None:
    made = await table(service.services, events=60)
    here = str(service.client.base_url).rstrip("/")
    frames = "".join(f'<iframe src="{here}{path}"></iframe>' for path in (f"/embed/games/{made.id}", "/account"))

    # A real service: a browser lets no page that a test makes up open an address of this machine.
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = f"<!doctype html>{frames}"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write((head + body).encode())
        await writer.drain()
        writer.close()

    elsewhere = await asyncio.start_server(answer, "127.0.0.1", 0)
    context = await browser.new_context()
    try:
        page = await context.new_page()
        refused: list[str] = []
        page.on("console", lambda told: refused.append(told.text))
        await page.goto(f"http://localhost:{elsewhere.sockets[0].getsockname()[1]}/", wait_until="commit")
        board = page.frame_locator("iframe >> nth=0").get_by_role("img")
        await expect(board).to_have_js_property("complete", True)
        assert await board.evaluate("board => board.naturalWidth") > 100
        now = await give_any(service, made)
        await expect(board).to_have_attribute("src", f"/embed/games/{made.id}/board.svg?version={now}")
        assert [each for each in refused if "frame-ancestors" in each], refused
        assert await page.frames[2].locator("h1").count() == 0
    finally:
        await context.close()
        elsewhere.close()
