"""The README's picture: ``python -m tests.browser.portrait [FILE]`` takes it of the reading room as it is now."""

import asyncio
import base64
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.browser.chromium import chromium
from tests.browser.games import table
from tests.browser.visiting import visiting
from tests.service.api.serving import serving

FILE: Final = Path(__file__).parents[2] / "deploy" / "room.webp"
LARGEST: Final = 250_000
SIZE: Final[dict[str, Any]] = {"viewport": {"width": 1360, "height": 850}}


async def take(file: Path) -> int:
    """Write the picture; return its size in bytes."""
    with tempfile.TemporaryDirectory() as data:
        async with (
            serving(Path(data), LIBRARY, builtin, clock=utc_now, durable=False) as service,
            chromium() as browser,
            visiting(browser, str(service.client.base_url).rstrip("/"), **SIZE) as visitor,
        ):
            made = await table(service.services, seats=5, seed=5, until=fought_over, title="An evening in November")
            await visitor.page.goto(f"/games/{made.id}")
            await visitor.page.get_by_text(f"version {made.version}").first.wait_for()
            await visitor.page.wait_for_timeout(1500)
            screen = await visitor.context.new_cdp_session(visitor.page)
            shot = await screen.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    picture = base64.b64decode(shot["data"])
    assert len(picture) <= LARGEST, f"{len(picture)} bytes are too many for a README"
    await asyncio.to_thread(file.write_bytes, picture)
    return len(picture)


def fought_over(game: Any) -> bool:
    """Tell whether a game of Conquest is in the middle, and in the middle of a battle."""
    return game.table.round >= 8 and game.table.battle is not None


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    print(f"{target}: {asyncio.run(take(target))} bytes")
