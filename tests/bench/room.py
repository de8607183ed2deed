"""The reading room in a browser: what it weighs, how soon it shows a board, how a long game scrubs.

By the browser's own performance entries; the service runs in a process of its own, on the same machine.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, CDPSession, Page

from service.app import open_services
from service.base.settings import Settings
from tests.bench.kernel import LONG, Played, long_game
from tests.bench.measure import Figure, figure
from tests.bench.past import keep
from tests.browser.chromium import chromium
from tests.contract.running import running

VISITS: Final = 5
STOPS: Final = 250
"""Places at which the slider stops on its way over the whole game; the next frame shows each: 60 a second at most."""

SLOW_LINE: Final[Mapping[str, Any]] = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
"""What Lighthouse takes for a telephone's line; its processor is four times slower."""
SLOW_PROCESSOR: Final = {"rate": 4}

FIRST_BOARD: Final = """async () => {
    const seen = () => performance.getEntriesByName("first-board")[0];
    while (!seen()) await new Promise((next) => setTimeout(next, 10));
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    return [paint?.startTime ?? seen().duration, seen().duration];
}"""
"""Milliseconds from the navigation to the first paint and to the first board."""

WEIGHT: Final = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .map(({ name, initiatorType, transferSize, decodedBodySize }) =>
        ({ name, kind: initiatorType, sent: transferSize, read: decodedBodySize }))"""

WHOLE: Final = """async (chunks) => {
    const fetched = () => performance.getEntriesByType("resource").filter(({ name }) => name.includes("/frames?"));
    while (fetched().length < chunks) await new Promise((next) => setTimeout(next, 50));
    return Math.max(...fetched().map(({ responseEnd }) => responseEnd));
}"""
"""Milliseconds until the whole game was fetched, which the page does by itself when it has nothing better to do."""

SCRUB: Final = """async (stops) => {
    const slider = document.getElementById("slider");
    const frame = () => new Promise(requestAnimationFrame);
    const go = async (version) => {
        slider.value = version;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await frame();
    };
    await go(1);
    await frame();
    performance.clearMeasures("scrub");
    const [head, times] = [Number(slider.max), []];
    const began = performance.now();
    for (let stop = 1; stop <= stops; stop += 1) {
        const before = performance.now();
        await go(Math.round(1 + (stop / stops) * (head - 1)));
        times.push(performance.now() - before);
    }
    const took = performance.now() - began;
    await frame();
    const drawn = performance.getEntriesByName("scrub").map(({ duration }) => duration);
    const where = document.querySelector(".version input").value;
    if (Number(where) !== head) throw new Error(`the page shows version ${where} of ${head}`);
    return { took, times, drawn };
}"""


def bench_room() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        game = long_game()
        asyncio.run(_keep(game, Path(folder) / "data"))
        with running(Path(folder) / "data", Path(folder) / "log") as (address, _):
            yield from asyncio.run(_look(f"{address}/games/{game.simulation.game.id}"))


async def _keep(game: Played, data: Path) -> None:
    async with open_services(Settings(data=data, durable=False)) as services:
        await keep(game, services.store)


async def _look(address: str) -> list[Figure]:
    async with chromium() as browser:
        return [
            *await _open(browser, address),
            *await _open(browser, address, slow=True),
            *await _scrub(browser, address),
            *await _scrub(browser, address, slow=True),
        ]


async def _visit(browser: Browser, slow: bool) -> tuple[Page, CDPSession]:
    """Return a page of a browser that has seen nothing yet."""
    page = await (await browser.new_context(viewport={"width": 1360, "height": 850})).new_page()
    inside = await page.context.new_cdp_session(page)
    if slow:
        await inside.send("Network.enable")
        await inside.send("Network.emulateNetworkConditions", dict(SLOW_LINE))
        await inside.send("Emulation.setCPUThrottlingRate", SLOW_PROCESSOR)
    return page, inside


async def _open(browser: Browser, address: str, slow: bool = False) -> list[Figure]:
    """Open the newest version of the game, again and again by somebody new."""
    suffix, where = ("-slow", "line and processor of a telephone") if slow else ("", "this machine")
    paints: list[float] = []
    boards: list[float] = []
    figures: list[Figure] = []
    for visit in range(VISITS):
        page, _ = await _visit(browser, slow)
        await page.goto(address)
        paint, board = await page.evaluate(FIRST_BOARD)
        paints.append(paint)
        boards.append(board)
        if not slow and visit == 0:
            figures = _weights(await page.evaluate(WEIGHT))
        await page.context.close()
    return [
        *figures,
        figure(f"room-first-paint{suffix}", paints, "ms", goal="<= 1800", note=f"{where}; nothing cached"),
        figure(f"room-first-board{suffix}", boards, "ms", goal="<= 2500", note=f"{where}; {LONG} events"),
    ]


def _weights(loaded: list[dict[str, Any]]) -> list[Figure]:
    """Return what came until the first board was drawn: over the line, and unpacked."""
    sent, read, files = Counter[str](), Counter[str](), Counter[str]()
    for each in loaded:
        kind = _kind(each)
        sent[kind] += each["sent"]
        read[kind] += each["read"]
        files[kind] += 1
    return [
        figure("room-weight", [sum(sent.values()) / 1024], "KiB", goal="<= 500", note=f"{sum(files.values())} answers"),
        *(
            figure(f"room-weight-{kind}", [sent[kind] / 1024], "KiB", note=f"{read[kind] / 1024:.0f} KiB unpacked")
            for kind in sorted(sent)
        ),
    ]


def _kind(loaded: Mapping[str, Any]) -> str:
    path = loaded["name"].partition("?")[0]
    if "/v1/" in path:
        return "api"
    return {"js": "scripts", "css": "styles"}.get(path.rpartition(".")[2], "page")


async def _scrub(browser: Browser, address: str, slow: bool = False) -> list[Figure]:
    """Draw the slider over the whole game, again and again, when all of it is there."""
    suffix, where = ("-slow", "a processor four times slower") if slow else ("", "this machine")
    page, inside = await _visit(browser, slow=False)
    await page.goto(address)
    whole = await page.evaluate(WHOLE, LONG // 250)
    await page.wait_for_timeout(1000)
    if slow:
        await inside.send("Emulation.setCPUThrottlingRate", SLOW_PROCESSOR)
    runs = [await page.evaluate(SCRUB, STOPS) for _ in range(3)]
    await inside.send("HeapProfiler.collectGarbage")
    found = (await inside.send("Performance.enable"), await inside.send("Performance.getMetrics"))[1]["metrics"]
    heap = next(each["value"] for each in found if each["name"] == "JSHeapUsedSize")
    await page.context.close()
    note = f"{LONG} events in {STOPS} stops; {where}"
    figures = [
        figure(f"room-scrub{suffix}", [run["took"] / 1000 for run in runs], "s", note=note),
        figure(f"room-scrub-stop-p95{suffix}", [_p95(run["times"]) for run in runs], "ms", goal="<= 50", note=note),
        figure(f"room-scrub-board-p95{suffix}", [_p95(run["drawn"]) for run in runs], "ms", note="the board alone"),
    ]
    if slow:
        return figures
    return [
        figure("room-whole-game", [whole], "ms", note=f"until all {LONG} frames are fetched, a second after the board"),
        *figures,
        figure("room-memory", [heap / 2**20], "MiB", goal="<= 100", note="the page's heap after scrubbing"),
    ]


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * len(times))]


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"room": bench_room}
