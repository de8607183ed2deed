"""Pictures of a long game: all its frames, as a page fetches them, and single positions."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from domain.kernel.log.game import Game
from service.api.pictures.bodies import LARGEST_CHUNK
from service.api.services import Services
from service.app import open_services
from service.base.settings import Settings
from service.games.views import Viewer
from service.pictures.frames import frames
from service.pictures.picture import picture
from service.pictures.png import converted
from service.pictures.scenes import marks_of, sheet_of
from tests.bench.kernel import LONG, long_game
from tests.bench.measure import Figure, figure
from tests.bench.past import keep

REPEATS = 3
PICTURES = 20
NOBODY = Viewer()

Times = dict[str, list[float]]


def bench_frames() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        times, sizes = asyncio.run(_drawn(Path(folder)))
    chunks = -(-LONG // LARGEST_CHUNK)
    note = f"all {chunks} chunks of a game of {LONG} events, loaded before, one after the other"
    yield figure("frames-all", times["all"], "s", goal="<= 10", note=note)
    yield figure(
        "frames-one", [each * 1000 / LONG for each in times["all"]], "ms", goal="<= 2", note="of that, a frame"
    )
    yield figure("frames-longest-wait", times["wait"], "ms", goal="<= 50", note="of others, while they are drawn")
    yield figure("frames-bytes", sizes, "bytes", note="of a frame, on average")
    yield figure("marks", times["marks"], "ms", note="view and marks of a late position")
    yield figure("board-svg", times["svg"], "ms", note="a late position as a whole picture")
    yield figure("board-png", times["png"], "ms", note="that picture as PNG, 1200 pixels wide")


async def _drawn(folder: Path) -> tuple[Times, list[float]]:
    long = long_game()
    times: Times = {"all": [], "wait": []}
    async with open_services(Settings(data=folder, durable=False)) as services:
        await keep(long, services.store)
        played = await services.games.game(long.simulation.game.id)
        size = 0
        for _ in range(REPEATS):
            waiting = asyncio.create_task(_longest_wait())
            began = time.perf_counter()
            size = await _all(services, played)
            times["all"].append(time.perf_counter() - began)
            waiting.cancel()
            times["wait"].append(await waiting)
        vault = await services.games.vault(played.id)
    sheet = sheet_of(played)
    times["marks"] = [_took(lambda: marks_of(played, NOBODY, vault, sheet.names)) for _ in range(PICTURES)]
    marks = marks_of(played, NOBODY, vault, sheet.names)
    times["svg"] = [_took(lambda: picture(sheet, marks, played.heading)) for _ in range(PICTURES)]
    svg = picture(sheet, marks, played.heading)
    times["png"] = [_took(lambda: converted(svg, 1200)) for _ in range(REPEATS)]
    return times, [size / LONG]


async def _all(services: Services, played: Game) -> int:
    """Draw all frames in chunks and return how many bytes they are."""
    size = 0
    for after in range(0, LONG, LARGEST_CHUNK):
        last = min(after + LARGEST_CHUNK, LONG)
        _, drawn = await frames(services.games, played, NOBODY, sheet_of(played), after, last)
        size += len(msgspec.json.encode(drawn))
    return size


async def _longest_wait() -> float:
    """Return how many milliseconds somebody else had to wait at most, until cancelled."""
    longest = 0.0
    try:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0)
            longest = max(longest, time.perf_counter() - began)
    except asyncio.CancelledError:
        return longest * 1000


def _took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"frames": bench_frames}
