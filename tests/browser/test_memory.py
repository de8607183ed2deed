"""What a browser saw of the log and of games, and what it says when the service shows something else later."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from service.transparency.keys import new_key, read_log_key
from tests.browser.games import Table, table
from tests.browser.visiting import Visitor, expect, until
from tests.helpers.sampling import sampled
from tests.service.api.serving import Service


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def remembered(page: Page) -> dict[str, Any]:
    """Wait until the page has compared and kept what it saw; return that."""
    await until(page, "localStorage.getItem('tabularium-seen')?.includes('root')")
    return json.loads(await page.evaluate("localStorage.getItem('tabularium-seen')"))


@pytest_asyncio.fixture(loop_scope="session")
async def made(service: Service) -> Table:
    return await table(service.services, events=60)


async def test_a_visitor_who_comes_back_sees_that_nothing_was_rewritten(
    service: Service, page: Page, made: Table
) -> None:
    await page.goto(f"/games/{made.id}")
    first = await remembered(page)
    head = first["heads"][made.id]
    assert (head["version"], head["hash"]) == (made.version, made.simulation.game.head.hex())
    await page.get_by_role("tab", name="Verify").click()
    await expect(page.locator(".seen")).to_contain_text("At your next visit")
    await table(service.services, seed=2, events=40)
    await until(
        page, f"(await (await fetch('/transparency/checkpoint')).text()).split('\\n')[1] > {first['log']['size']}"
    )
    await page.reload()
    await page.get_by_role("tab", name="Verify").click()
    await expect(page.locator(".seen")).to_contain_text("The service's log goes on from the one that this browser saw")
    await expect(page.locator(".seen")).to_contain_text(f"Version {made.version} of this game is the one")
    await expect(page.get_by_role("alert")).to_have_count(0)
    assert (await remembered(page))["log"]["size"] > first["log"]["size"]


async def test_a_text_that_is_not_a_checkpoint_is_doubted(page: Page, made: Table) -> None:
    await page.goto(f"/games/{made.id}")
    kept = await remembered(page)
    await page.route("**/transparency/checkpoint", lambda route: route.fulfill(body="not a note"))
    await page.reload()
    await expect(page.get_by_role("alert")).to_contain_text(
        "The service shows something that is no checkpoint of a log."
    )
    assert await remembered(page) == kept


def another_log(kept: dict[str, Any], game: str) -> None:
    kept["log"]["note"] = noted(kept, kept["log"]["size"])


def newer_log(kept: dict[str, Any], game: str) -> None:
    kept["log"]["note"] = noted(kept, 1_000_000)


def another_key(kept: dict[str, Any], game: str) -> None:
    origin = kept["log"]["note"].split("\n")[0]
    key = read_log_key(new_key(origin, lambda count: bytes(range(count)))).signers[0].key
    kept["log"]["policy"] = f"log {key}\nquorum none\n"


def another_version(kept: dict[str, Any], game: str) -> None:
    kept["heads"][game]["hash"] = "00" * 32


def later_version(kept: dict[str, Any], game: str) -> None:
    kept["heads"][game]["version"] += 10


def noted(kept: dict[str, Any], size: int) -> str:
    """Return the note that was kept, of another tree."""
    origin, _, _, *rest = kept["log"]["note"].split("\n")
    return "\n".join([origin, str(size), text(bytes(32)), *rest])


LIES: list[tuple[Callable[[dict[str, Any], str], None], str]] = [
    (another_log, "The service shows another log than this browser saw"),
    (newer_log, "The service shows an older log than this browser saw"),
    (another_key, "The service's log is not signed with the key, which this browser knows since"),
    (another_version, "of this game is another one: this browser saw it"),
    (later_version, "of this game is gone: this browser saw it"),
]


@pytest.mark.parametrize(("lie", "said"), sampled("lies to a visitor who comes back", LIES, 1))
async def test_a_visitor_who_comes_back_sees_that_history_was_rewritten(
    page: Page, visitor: Visitor, made: Table, lie: Callable[[dict[str, Any], str], None], said: str
) -> None:
    await page.goto(f"/games/{made.id}")
    kept = await remembered(page)
    lie(kept, made.id)
    await page.evaluate("kept => localStorage.setItem('tabularium-seen', JSON.stringify(kept))", kept)
    await page.reload()
    await expect(page.get_by_role("alert")).to_contain_text(said)
    assert await page.evaluate("JSON.parse(localStorage.getItem('tabularium-seen'))") == kept, "the evidence stays"
    await page.get_by_role("tab", name="Verify").click()
    await visitor.axe_in_passing("#side")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Save the evidence").click()
    evidence = json.loads((await (await download.value).path()).read_text())
    assert evidence["before"] == {"log": kept["log"], "head": kept["heads"][made.id]}
    await page.get_by_role("button", name="Forget what this browser saw").click()
    await expect(page.locator(".seen")).to_contain_text("At your next visit")
    await expect(page.get_by_role("alert")).to_have_count(0)


async def test_a_game_that_was_removed_is_missed(page: Page, visitor: Visitor, made: Table) -> None:
    visitor.expect("404")
    await page.goto(f"/games/{made.id}")
    kept = await remembered(page)
    kept["heads"]["removed"] = kept["heads"][made.id]
    await page.evaluate("kept => localStorage.setItem('tabularium-seen', JSON.stringify(kept))", kept)
    await page.goto("/games/removed")
    await expect(page.get_by_text("The service does not show this game any more.")).to_be_visible()


async def test_an_error_for_the_log_does_not_hide_what_happened_to_the_game(
    page: Page, visitor: Visitor, made: Table
) -> None:
    visitor.expect("500")
    await page.goto(f"/games/{made.id}")
    kept = await remembered(page)
    await page.route("**/transparency/checkpoint", lambda route: route.fulfill(status=500))
    await page.reload()
    await page.get_by_role("tab", name="Verify").click()
    await expect(page.locator(".seen")).to_contain_text("The service's log could not be compared now")
    await expect(page.locator(".seen")).to_contain_text(f"Version {made.version} of this game is the one")
    another_version(kept, made.id)
    await page.evaluate("kept => localStorage.setItem('tabularium-seen', JSON.stringify(kept))", kept)
    await page.reload()
    await expect(page.get_by_role("alert")).to_contain_text("of this game is another one")
