"""What a command, a read and more take of a processor, counted in instructions by callgrind.

The same on a busy machine as on an idle one: two counts differ by less than 1 %. Another build of the same Python
takes 12 % more, and nearly as much more for everything. So figures are held against what was recorded in bare durable
inserts of the same run: there two builds of 3.11 differ by 2 % at most, and 3.13 from 3.11 by 5 %.

``python -m tests.bench instructions`` shows the figures, ``python -m tests.bench.instructions`` records them.
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
from typing import Final

import msgspec
from msgspec import Struct

from tests.bench.counted import ROUNDS, WATCHERS, WINDOWS, Window
from tests.bench.measure import Figure, figure

RECORDED: Final = Path(__file__).with_name("instructions.toml")
UNIT: Final = "bare-insert"

MORE: Final = 0.03
"""The share by which a figure may be above what was recorded."""
MORE_ELSEWHERE: Final = 0.10
"""The same on another version of Python than that on which it was recorded."""
LESS: Final = 0.10
"""The share by which it may be below. What was gained beyond that could be lost again without a word."""

NOTES: Final = {
    UNIT: "a bare route that does one durable insert",
    "bare-read": "a bare route that answers with the same bytes as `read`",
    "read": "the position of a game in memory",
    "command": "a command of a quiet turn; bots follow the log, nobody follows the game",
    "command-clocked": "a command in a game with a clock; at most 1.1 of one without",
    "command-projected": "a command and the pass of the projections after it",
    "command-projected-together": "a command of several that the projections fold in one pass",
    "stream": "what a command takes for each that follows its game by a stream",
    "italia-1-fold": "an event",
    "italia-1-decide": "a command, without its records",
    "italia-2-fold": "an event",
    "italia-2-decide": "a command, without its records",
}
"""What is counted."""

Counts = Mapping[str, list[float]]
"""Thousand instructions for each thing that is counted, one of each round."""

Thousands = Mapping[str, float]
"""The least of them: what is more came from elsewhere."""


class NotCounted(Exception):
    """Nothing was counted; the message says why."""


def count() -> Counts:
    """Count. Raises `NotCounted`."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise NotCounted("valgrind counts instructions, and is not installed: apt-get install valgrind")
    with tempfile.TemporaryDirectory(prefix="tabularium-") as folder:
        parts = Path(folder) / "callgrind"
        arguments = [
            *(valgrind, "--tool=callgrind", f"--callgrind-out-file={parts}", "--dump-line=no"),
            *("--instr-atstart=no", "--zero-before=getpgrp", "--dump-before=ctermid"),
            *(sys.executable, "-m", "tests.bench.counted", folder),
        ]
        environ = {**os.environ, "PYTHONHASHSEED": "0"}
        ran = subprocess.run(arguments, capture_output=True, text=True, env=environ, check=False)
        if ran.returncode != 0:
            raise NotCounted(f"valgrind ended with {ran.returncode}:\n{ran.stderr[-4000:]}")
        windows = [msgspec.json.decode(line, type=Window) for line in ran.stdout.splitlines()]
        counted = windows[len(windows) // (ROUNDS + 1) :]
        written = sorted(Path(folder).glob("callgrind.*"), key=lambda part: int(part.suffix[1:]))
        return _thousands(counted, list(map(_total, written)))


def _total(part: Path) -> int:
    found = re.search(r"^totals: (\d+)", part.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def _thousands(windows: list[Window], totals: list[int]) -> Counts:
    """Return what each took, without the pauses that were made only in order to count."""
    # The least: the first window has more in it than its pauses.
    pause = min(total / window.count for window, total in zip(windows, totals, strict=True) if window.name == "pause")
    counts: dict[str, list[float]] = defaultdict(list)
    for window, total in zip(windows, totals, strict=True):
        counts[window.name].append((total - window.pauses * pause) / window.count / 1000)
    watched = zip(counts.pop("command-watched"), counts["command"][::WINDOWS], strict=True)
    counts["stream"] = [(followed - alone) / WATCHERS for followed, alone in watched]
    return {name: counts[name] for name in NOTES}


def least(counts: Counts) -> Thousands:
    return {name: min(each) for name, each in counts.items()}


class Recorded(Struct, frozen=True):
    """What was recorded, and on which version of Python."""

    python: str
    thousands: dict[str, float]


def recorded() -> Recorded:
    return msgspec.toml.decode(RECORDED.read_bytes(), type=Recorded)


def drift(now: Thousands, then: Thousands, name: str) -> float:
    """Return by which share something takes more bare inserts than it took."""
    return (now[name] / now[UNIT]) / (then[name] / then[UNIT]) - 1


def complaints(now: Thousands, then: Recorded, python: str) -> list[str]:
    """Return what is wrong about figures of a version of Python: a sentence for each that moved too far."""
    if now.keys() != then.thousands.keys():
        return [f"{', '.join(sorted(now.keys() ^ then.thousands.keys()))}: counted or recorded, not both. {AGAIN}"]
    # What another version gains is not ours to keep.
    less, more = (LESS, MORE) if python == then.python else (1.0, MORE_ELSEWHERE)
    drifts = {name: drift(now, then.thousands, name) for name in now}
    return [
        f"{name} takes {now[name]:.0f} thousand instructions, {abs(each) * 100:.1f} % {_moved(each)}"
        for name, each in drifts.items()
        if not -less < each < more
    ]


AGAIN: Final = "Record the figures: python -m tests.bench.instructions"


def _moved(by: float) -> str:
    if by > 0:
        return f"more than recorded. Make it cheaper, or say in the commit what it is worth. {AGAIN}"
    return f"fewer than recorded, so as much could be lost unnoticed. {AGAIN}"


def python_version() -> str:
    return "{}.{}".format(*sys.version_info)


def bench_instructions() -> Iterator[Figure]:
    counts = count()
    now = least(counts)
    for name, each in counts.items():
        note = f"{NOTES[name]}; {now[name] / now[UNIT]:.3g} bare inserts"
        yield figure(f"instructions-{name}", each, "thousand", note=note)


def main() -> int:
    try:
        now = least(count())
    except NotCounted as why:
        print(why, file=sys.stderr)
        return 1
    figures = "\n".join(f"{name} = {thousands:.1f}" for name, thousands in now.items())
    RECORDED.write_text(f'{HEAD}\npython = "{python_version()}"\n\n[thousands]\n{figures}\n')
    return 0


HEAD: Final = """\
# Thousand instructions, as `python -m tests.bench.instructions` records them. `tests/test_instructions.py` fails when
# something takes 3 % more, in bare inserts of the same run."""

BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {"instructions": bench_instructions}

if __name__ == "__main__":
    sys.exit(main())
