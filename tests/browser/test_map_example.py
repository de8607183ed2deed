"""The map client in `openapi/examples/map`, on another site and on the service, with the package as it is packed."""

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import force_setattr
from playwright.async_api import Browser, Page

from domain.kernel.ids import Seat
from tests.browser.games import Table
from tests.browser.visiting import expect, until, visiting
from tests.clients import packed
from tests.service.api.serving import Service


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *_: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A site as the example's first lines say how to make it."""
    place = tmp_path / "site"
    shutil.copytree(packed.OPENAPI / "examples" / "map", place)
    shutil.copytree(packed.typescript() / "node_modules" / "@tabularium" / "client" / "dist", place / "client")
    handler = functools.partial(_Quiet, directory=str(place))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


async def test_a_map_of_a_strangers_site_and_one_of_the_service_show_a_game_and_play(
    service: Service, marching: Table, browser: Browser, site: str, tmp_path: Path
) -> None:
    address = str(service.client.base_url).rstrip("/")
    shutil.copytree(tmp_path / "site", tmp_path / "pages" / "examples" / "map")
    async with visiting(browser, address, also=(site.rstrip("/"),)) as visitor:
        await play(service, marching, visitor.page, site)
        force_setattr(service.services.settings, "pages", tmp_path / "pages")
        await play(service, marching, visitor.page, f"{address}/examples/map/index.html")


async def play(service: Service, marching: Table, page: Page, site: str) -> None:
    """Follow a game on the map, choose an area and a command that names it, and see what came of it."""
    address = str(service.client.base_url).rstrip("/")
    before = await service.get(f"/v1/games/{marching.id}")
    seat = Seat(before["decisions"][0]["seats"][0])
    await page.goto(f"{site}#service={address}&game={marching.id}&token={marching.token(seat)}")
    await expect(page.locator("#asked")).to_have_text(before["decisions"][0]["title"])
    shown = await service.get(f"/v1/games/{marching.id}/frames?after={before['version']}&limit=1")
    drawn = [area for area, svg in shown["key"]["areas"].items() if svg]
    assert drawn
    await until(page, f"{drawn!r}.every((id) => document.getElementById(`area-${{id}}`).childElementCount)")
    assert await page.locator("#seats li").count() == 3
    # A clicked area leaves the commands that name it.
    buttons = "[...document.querySelectorAll('#commands button')]"
    every: list[str] = await page.evaluate(f"() => {buttons}.map((each) => each.title)")
    assert every
    command = next(text for text in every if any(f'"{area}"' in text for area in drawn))
    area = next(area for area in drawn if f'"{area}"' in command)
    await page.locator(f"#area-{area}").dispatch_event("click")
    named = page.locator("#commands button")
    await until(page, f"{buttons}.every((each) => each.title.includes('\"{area}\"'))")
    await named.first.click()
    await until(page, "document.querySelector('#log li, #problem:not(:empty)')")
    assert await page.locator("#problem").text_content() == ""
    after = (await service.get(f"/v1/games/{marching.id}"))["version"]
    assert after > before["version"]
    await until(page, f"document.querySelector('#log li').value === {after}")
