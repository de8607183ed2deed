"""Which tests a change touches: those from which a way along what files read leads to a changed file."""

import heapq
import math
import posixpath
import subprocess
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from domain.library import LIBRARY
from tests.touched.reads import Checkout, folders

_LONGEST: Final = 20
"""Longer ways count nothing."""

Reads = Mapping[str, Collection[str]]


class Touched(Struct, frozen=True):
    """A file of tests, and the way from it to the nearest changed file."""

    file: str
    way: tuple[str, ...]
    rulesets: tuple[str, ...] | None = None
    """If nothing outside of these rulesets was changed: of a test that plays each ruleset the others need not run."""


class Plan(Struct, frozen=True):
    """What a change touches: the tests, the nearest first."""

    base: str
    changed: list[str]
    unread: list[str]
    """Changed files that nothing is known to read: whatever is in their folder is taken to do so."""
    untested: list[str]
    """Changed files that no test is known to reach."""
    tests: list[Touched]


def plan(root: Path, base: str) -> Plan:
    """Return what the working tree touches in comparison with a commit."""
    new = _files(root, "ls-files", "--others", "--exclude-standard")
    changed = _files(root, "diff", "--name-only", "--no-renames", base) | new
    # A file that was removed is still read by those that do not know it yet.
    reads = Checkout(root, _files(root, "ls-files") | changed).reads()
    missing = unread(reads, changed)
    for file in missing:
        for reader in _beside(file, reads):
            reads[reader].add(file)
    near = nearness(reads, changed)
    found = {file: way for file, way in ways(reads, changed).items() if is_test(file) and (root / file).exists()}
    met = {file: _reached(reads, file) & changed for file in found}
    owned = owners(reads)
    tests = [
        Touched(file, found[file][1:], rulesets(met[file], owned))
        for file in sorted(found, key=lambda file: (file not in changed, -near.get(file, 0), file))
    ]
    return Plan(base, sorted(changed), missing, sorted(changed.difference(*met.values())), tests)


def ways(reads: Reads, changed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the shortest way to a changed file from each file that has one."""
    readers, steps = _readers(reads), _steps(reads)
    found: dict[str, tuple[str, ...]] = {}
    waiting: list[tuple[float, tuple[str, ...]]] = [(0.0, (file,)) for file in changed]
    heapq.heapify(waiting)
    while waiting:
        length, way = heapq.heappop(waiting)
        if way[0] not in found:
            found[way[0]] = way
            for reader in readers.get(way[0], ()):
                heapq.heappush(waiting, (length - math.log2(steps[reader]), (reader, *way)))
    return found


def nearness(reads: Reads, changed: Iterable[str]) -> dict[str, float]:
    """Return how much of what each file reads was changed, counting all ways and what is far away little."""
    readers, steps = _readers(reads), _steps(reads)
    near = dict.fromkeys(changed, 1.0)
    last = near
    for _ in range(_LONGEST):
        further: dict[str, float] = {}
        for file, much in last.items():
            for reader in readers.get(file, ()):
                further[reader] = further.get(reader, 0.0) + much * steps[reader]
        for file, much in further.items():
            near[file] = near.get(file, 0.0) + much
        last = further
    return near


def _steps(reads: Reads) -> dict[str, float]:
    """Return what is left of nearness after a step to each file from one that it reads.

    The more it reads, the less of it is about each; data counts by folders. In commits of the past, this puts the tests
    that were changed together with code much further to the front than mere distance does.
    """
    return {reader: 0.25 / math.sqrt(len({*map(_place, read)})) for reader, read in reads.items() if read}


def _place(file: str) -> str:
    return file if file.endswith((".py", ".js", ".html")) else posixpath.dirname(file)


def _readers(reads: Reads) -> dict[str, list[str]]:
    readers: dict[str, list[str]] = {}
    for file, read in reads.items():
        for each in read:
            readers.setdefault(each, []).append(file)
    return readers


def is_test(file: str) -> bool:
    """Tell whether a file has tests."""
    return file.startswith("tests/") and file.rpartition("/")[2].startswith("test_") and file.endswith(".py")


def unread(reads: Reads, changed: Iterable[str]) -> list[str]:
    """Return the changed files that nothing is known to read, other than those whose tests are in them."""
    read = {each for files in reads.values() for each in files}
    return sorted(file for file in changed if file not in read and not file.endswith(".py"))


def _beside(file: str, reads: Reads) -> list[str]:
    """Return the Python files in the innermost folder around a file that has some."""
    for folder in folders(file):
        if found := [each for each in reads if each.startswith(f"{folder}/") and each.endswith(".py")]:
            return found
    return [each for each in reads if is_test(each)]


def owners(reads: Reads) -> dict[str, set[str]]:
    """Return to which rulesets each file belongs: those that read it, or whose id one of its folders begins."""
    found: dict[str, set[str]] = {}
    for ruleset in LIBRARY.ids():
        start = type(LIBRARY.current(ruleset)).__module__.replace(".", "/") + ".py"
        named = {file for file in reads if any(ruleset.startswith(part) for part in file.split("/")[:-1])}
        for file in _reached(reads, start) | named:
            found.setdefault(file, set()).add(ruleset)
    return found


def rulesets(changed: Iterable[str], owned: Mapping[str, set[str]]) -> tuple[str, ...] | None:
    """Return the rulesets that a change is of, or None if some of it is not of rulesets alone."""
    if all(file in owned for file in changed):
        return tuple(sorted({ruleset for file in changed for ruleset in owned[file]}))
    return None


def _reached(reads: Reads, start: str) -> set[str]:
    """Return the files to which ways lead from a file, and the file."""
    seen = {start}
    waiting = [start]
    while waiting:
        more = {*reads.get(waiting.pop(), ())} - seen
        seen |= more
        waiting += more
    return seen


def _files(root: Path, command: str, *options: str) -> set[str]:
    said = subprocess.run(["git", command, "-z", *options], cwd=root, capture_output=True, text=True, check=True).stdout
    return {*said.split("\0")} - {""}
