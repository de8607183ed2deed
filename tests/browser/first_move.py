"""How soon a newcomer plays, run by hand: ``python -m tests.browser.first_move [RULESET …]``.

For each game, with as many players as the lobby offers first: from the service's address to the first accepted move
against bots. The script knows no game. It reads what is on the page as a newcomer does: it presses "Play now", waits
until the bar asks, and presses one answer after the other until one is accepted; it sends a form as it is, with a
choice where none is made. Times include what the bots think.
"""

import asyncio
import contextlib
import sys
import tempfile
import time
from pathlib import Path

import structlog
from playwright.async_api import Page

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.browser.chromium import chromium
from tests.browser.visiting import expect, visiting
from tests.service.api.serving import serving

GOAL = 30
"""Seconds."""
NOTICED = 800
"""Milliseconds after which somebody has seen what has opened."""
PATIENCE = 5_000
"""Milliseconds after which they try something else."""


async def main(rulesets: list[str]) -> int:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    late = 0
    print("ruleset                 asked after   accepted after   clicks")
    async with chromium() as browser:
        for ruleset in rulesets:
            with tempfile.TemporaryDirectory() as folder:
                async with (
                    serving(Path(folder), LIBRARY, builtin, clock=utc_now) as service,
                    visiting(browser, str(service.client.base_url)) as visitor,
                ):
                    visitor.expect("409|412|422")  # what can be done is checked beforehand, while the bots go on
                    began = time.monotonic()
                    asked, clicks = await first_move(visitor.page, ruleset)
                    taken = time.monotonic() - began
            late += taken > GOAL
            print(f"{ruleset:<23} {asked - began:>9.1f} s {taken:>14.1f} s {clicks:>8}", flush=True)
    return int(late > 0)


async def first_move(page: Page, ruleset: str) -> tuple[float, int]:
    """Make the first move of a new game against bots; return when it was asked for, and how many clicks it all took."""
    await page.goto("/")
    way = page.get_by_role("form", name="Play against bots")
    await way.get_by_role("combobox", name="Game").select_option(ruleset)
    await way.get_by_role("button", name="Play now").click()
    await page.wait_for_url("**/games/*")
    bar = page.get_by_role("region", name="Your turn")
    answers = bar.locator(".answer-button").or_(bar.get_by_role("button", name="Send"))
    await expect(answers.first).to_be_visible()
    asked, clicks = time.monotonic(), 1
    send, done = bar.get_by_role("button", name="Send"), page.locator("#turn .came[data-version]")
    for number in range(await bar.locator(".answer-button").count() or 1):
        if not await send.count():
            await bar.locator(".answer-button").nth(number).click()
            clicks += 1
        await page.wait_for_timeout(NOTICED)
        if not await done.count() and await send.count():
            # Where nothing is chosen yet, somebody chooses one.
            choices = bar.get_by_role("radiogroup").or_(bar.get_by_role("group")).filter(has=page.get_by_role("radio"))
            for group in await choices.filter(has_not=page.locator(":checked")).all():
                await group.get_by_role("radio").last.check(force=True)
                clicks += 1
            await send.click()
            clicks += 1
        with contextlib.suppress(AssertionError):
            await expect(done).to_have_count(1, timeout=PATIENCE)
            return asked, clicks
        await page.keyboard.press("Escape")
    raise AssertionError("no answer could be given as it was offered")


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:] or list(LIBRARY.ids()))))
