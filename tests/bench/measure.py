"""Timing: medians over repeats, percentiles over single calls."""

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from tests.helpers.postgres import Cluster


class Figure(Struct, frozen=True):
    """One measured figure, with its spread over the repeats and the goal that it is held against."""

    bench: str
    value: float
    unit: str
    least: float
    most: float
    repeats: int
    goal: str = ""
    note: str = ""


def rate(bench: str, count: int, work: Callable[[], object], *, goal: str, repeats: int = 7, note: str = "") -> Figure:
    """Return how many of `count` things a second `work` does."""
    work()
    _settle()
    rates = [count / _seconds(work) for _ in range(repeats)]
    return figure(bench, rates, "1/s", goal=goal, note=note)


def percentile(
    bench: str,
    calls: Sequence[Callable[[], object]],
    share: float,
    *,
    goal: str,
    repeats: int = 5,
    scale: float = 1.0,
    note: str = "",
) -> Figure:
    """Return the given percentile of the milliseconds that single calls take, times `scale`."""
    _settle()
    values: list[float] = []
    for _ in range(repeats):
        times = sorted(_seconds(call) * 1000 * scale for call in calls)
        values.append(times[min(len(times) - 1, int(share * len(times)))])
    return figure(bench, values, "ms", goal=goal, note=note)


def figure(bench: str, values: Sequence[float], unit: str, *, goal: str = "", note: str = "") -> Figure:
    """Return the median of repeated measurements as a figure."""
    return Figure(
        bench,
        _rounded(statistics.median(values)),
        unit,
        _rounded(min(values)),
        _rounded(max(values)),
        len(values),
        goal,
        note,
    )


def resident() -> int:
    """Return the memory that this process has resident, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def processor(servers: Sequence[Cluster]) -> float:
    """Return the seconds of processor that servers of PostgreSQL have taken, with all their processes."""
    taken = 0.0
    for server in servers:
        # A process that ends meanwhile is then one of those that the server, which comes last, has waited for.
        for process in reversed(server.processes()):
            # Of its own, and of children that have ended: in user mode and in the kernel, in hundredths.
            with suppress(FileNotFoundError):
                said = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
                taken += sum(map(int, said[11:15])) / 100
    return taken


def _settle() -> None:
    """Keep the collector from the games that a benchmark holds in memory: they are its burden, not the work's."""
    gc.collect()
    gc.freeze()


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
