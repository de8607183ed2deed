"""Instructions for a command, a read and more, as callgrind counts them: the same on a busy machine as on an idle one.

``python -m tests.bench instructions`` shows them; ``python -m tests.bench.instructions`` records them as well.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from tests.bench.counted import ROUNDS, WATCHERS, Window
from tests.bench.measure import Figure, figure

Counts = Mapping[str, list[float]]
"""Thousand instructions for each thing that is counted, one of each round."""


class NotCounted(Exception):
    """Nothing was counted; the message says why."""


def count() -> Counts:
    """Count. Raises `NotCounted`."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise NotCounted("valgrind is not installed: apt-get install valgrind")
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        out = Path(folder) / "callgrind"
        arguments = [
            *(valgrind, "--tool=callgrind", "--instr-atstart=no", "--dump-line=no", f"--callgrind-out-file={out}"),
            *("--zero-before=getpgrp", "--dump-before=ctermid"),
            *(sys.executable, "-m", "tests.bench.counted", folder),
        ]
        # The hashes of strings are the same in every run.
        environ = {name: value for name, value in os.environ.items() if not name.startswith("TABULARIUM_")}
        environ["PYTHONHASHSEED"] = "0"
        ran = subprocess.run(arguments, capture_output=True, text=True, env=environ, check=False)
        windows = [msgspec.json.decode(line, type=Window) for line in ran.stdout.splitlines()]
        counted = windows[len(windows) // (ROUNDS + 1) :]
        if ran.returncode != 0:
            raise NotCounted(f"valgrind ended with {ran.returncode}:\n{ran.stderr[-2000:]}")
        totals = [_total(out.with_suffix(f".{number}")) for number in range(1, len(counted) + 1)]
    return _thousands(counted, totals)


def _total(part: Path) -> int:
    found = re.search(r"^totals: (\d+)", part.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def _thousands(windows: list[Window], totals: list[int]) -> Counts:
    """Return what each took, without the pauses that were made only in order to count."""
    pause = min(total / window.count for window, total in zip(windows, totals, strict=True) if window.name == "pause")
    counts: dict[str, list[float]] = defaultdict(list)
    for window, total in zip(windows, totals, strict=True):
        counts[window.name].append((total - window.pauses * pause) / window.count / 1000)
    del counts["pause"]
    watched = zip(counts.pop("command-watched"), counts["command"], strict=True)
    counts["watcher"] = [(followed - alone) / WATCHERS for followed, alone in watched]
    return counts


def bench_instructions() -> Iterator[Figure]:
    counts = count()
    for name, each in counts.items():
        yield figure(f"instructions-{name}", each, "thousand")


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"instructions": bench_instructions}
