"""A real browser to test with: Debian's Chromium, driven by Playwright, which brings none of its own."""

import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from typing import Final

from playwright.async_api import Browser, async_playwright

# The first has the engine without a browser's own windows and menus, which take two thirds of the processor time.
NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS: Final = (
    # Whatever a page asks for, no other machine is reached.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    # /dev/shm is small in containers.
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
)


def binary() -> str:
    """Return where the browser is."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise RuntimeError(
            "the tests need the browser Chromium (Debian: apt-get install chromium-headless-shell);"
            " pytest -k 'not browser' does without"
        )
    return found


@contextlib.asynccontextmanager
async def chromium(*arguments: str) -> AsyncIterator[Browser]:
    """Run the browser without a window."""
    sandbox = [] if os.geteuid() else ["--no-sandbox"]  # which root cannot have
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=binary(), args=[*ARGUMENTS, *sandbox, *arguments], chromium_sandbox=not sandbox
        )
        try:
            yield browser
        finally:
            await browser.close()
