"""The pictures of the guides: ``python -m tests.browser.portrait [FOLDER]`` takes them.

They show the reading room and the judge's desk as these are now.
"""

import asyncio
import base64
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Page

from domain.boards import builtin
from domain.library import LIBRARY
from service.base.clock import utc_now
from tests.browser.chromium import chromium
from tests.browser.games import table, token_of
from tests.browser.visiting import Visitor, visiting
from tests.service.api.serving import Service, serving

FOLDER: Final = Path(__file__).parents[2] / "deploy"
DICE: Final = "Dice per battle legion"
LARGEST: Final = 250_000
SIZE: Final[dict[str, Any]] = {"viewport": {"width": 1360, "height": 850}}


async def take(folder: Path) -> None:
    """Write the pictures, and say how many bytes they have."""
    with tempfile.TemporaryDirectory() as data:
        async with (
            serving(Path(data), LIBRARY, builtin, clock=utc_now, durable=False) as service,
            chromium() as browser,
        ):
            made = await table(service.services, seats=5, seed=5, until=fought_over, title="An evening in November")
            for name, show in (("room", room), ("complaint", complaint), ("ruling", ruling)):
                async with visiting(browser, str(service.client.base_url).rstrip("/"), **SIZE) as visitor:
                    await show(service, visitor.page, made)
                    await visitor.page.wait_for_timeout(1500)
                    file = folder / f"{name}.webp"
                    print(f"{file}: {await _shoot(visitor, file)} bytes")


async def room(service: Service, page: Page, made: Any) -> None:
    await page.goto(f"/games/{made.id}")
    await page.get_by_text(f"version {made.version}").first.wait_for()


async def complaint(service: Service, page: Page, made: Any) -> None:
    """A player writes what is wrong with a roll."""
    await page.goto(
        f"/games/{made.id}/desk#token={token_of(next(iter(made.seats.values())))}&v={await rolled(service, made)}"
    )
    dispute = page.get_by_role("region", name="Dispute this step")
    await dispute.get_by_role("combobox").select_option("dice")
    await dispute.get_by_role("checkbox", name=DICE).check()
    await dispute.get_by_role("textbox").fill("Nobody rolls like that.")
    await dispute.get_by_role("button").scroll_into_view_if_needed()


async def ruling(service: Service, page: Page, made: Any) -> None:
    """An official writes the ruling."""
    player, version, url = next(iter(made.seats.values())), await rolled(service, made), f"/v1/games/{made.id}"
    julia = await service.register("Julia")
    await service.ask("PUT", f"{url}/officials/{julia.id}", made.organizer)
    await service.post(
        f"{url}/cases", player, {"kind": "dice", "version": version, "statement": "Nobody rolls like that."}
    )
    await page.goto(f"/games/{made.id}/desk#token={token_of(julia)}&v={version}")
    form = page.get_by_role("form", name="Rule on this case")
    await form.get_by_role("combobox").select_option("stands")
    await form.get_by_role("checkbox", name=DICE).check()
    await form.get_by_role("textbox").fill(
        "The dice were committed to before the first move, and are drawn again at the end."
    )
    await form.get_by_role("button", name="Rule").scroll_into_view_if_needed()


async def rolled(service: Service, made: Any) -> int:
    """Return the version of the last roll."""
    events = await service.services.games.records(made.id)
    return next(each.version for each in reversed(events) if each.type.endswith("-rolled"))


def fought_over(game: Any) -> bool:
    """Tell whether a game of Conquest is in the middle, and in the middle of a battle."""
    return game.table.round >= 8 and game.table.battle is not None


async def _shoot(visitor: Visitor, file: Path) -> int:
    screen = await visitor.context.new_cdp_session(visitor.page)
    shot = await screen.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    picture = base64.b64decode(shot["data"])
    assert len(picture) <= LARGEST, f"{len(picture)} bytes are too many for a page"
    await asyncio.to_thread(file.write_bytes, picture)
    return len(picture)


if __name__ == "__main__":
    asyncio.run(take(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
