"""Samples that rotate: a check that repeats one law over many cases looks at some of them in each run.

A seed made from the commit decides which cases. So a run can be repeated (`--sample-seed`), and over many commits every
case has its turn; `--all` looks at everything. The table in `tests/README.md` says how many each check draws.
"""

import os
import subprocess
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct, field

T = TypeVar("T")

STORES: Final = {"sqlite": 3, "postgres": 1}
"""How often a test works over each. A service over PostgreSQL takes three times the processor time."""


class Drawn(NamedTuple):
    """How many cases of a check a seeded run looks at, and how many there are."""

    drawn: int
    of: int


class Run(Struct):
    """How a run draws, and what it has drawn from.

    Attributes:
        seed: decides which cases are drawn; with None, as outside of a test run, every case is taken.
        checks: how many cases were drawn, by the name of the check.
    """

    seed: str | None = None
    checks: dict[str, Drawn] = field(default_factory=dict[str, Drawn])


RUN: Final = Run()


def checks() -> dict[str, Drawn]:
    """Return what has been sampled so far, by the name of the check."""
    found: dict[str, Drawn] = {}
    for name, part in RUN.checks.items():
        whole = found.get(check := name.partition(":")[0], Drawn(0, 0))
        found[check] = Drawn(whole.drawn + part.drawn, whole.of + part.of)
    return found


def sampled(
    check: str,
    cases: Iterable[T],
    draw: int,
    by: Callable[[T], Hashable] | None = None,
    weight: Callable[[T], float] = lambda case: 1,
) -> list[T]:
    """Return `draw` cases of a check, or of each group of cases, in their order; all cases in a run without a seed.

    Args:
        check: the name of the check. With the seed it decides which cases are drawn, so that checks with equal cases do
            not look at the same ones. A check with several parts adds a colon and the name of the part: all parts
            together have one row in the table.
        cases: all cases.
        draw: how many to draw.
        by: the group of a case; without it, all cases are one group.
        weight: how often a case is drawn, in times of another one: where some cost more than they tell.
    """
    groups: dict[Hashable, list[tuple[int, T]]] = {}
    every = list(enumerate(cases))
    for case in every:
        groups.setdefault(by(case[1]) if by else None, []).append(case)
    rng = Random(f"{RUN.seed} {check}")
    some: list[tuple[int, T]] = []
    for group in groups.values():
        # Efraimidis and Spirakis: the largest of these keys are a sample by weights without repetition.
        keys = {number: rng.random() ** (1 / weight(case)) for number, case in group}
        some += sorted(group, key=lambda case: keys[case[0]], reverse=True)[:draw]
    RUN.checks[check] = Drawn(len(some), len(every))
    return [case for _, case in (every if RUN.seed is None else sorted(some, key=lambda case: case[0]))]


def in_this_run(check: str, of: int) -> bool:
    """Tell whether the present test makes an additional check. The seed draws about one test out of `of`.

    For an expensive check that many tests could make besides their own. It has no row in the table.
    """
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    return RUN.seed is None or Random(f"{RUN.seed} {check} {test}").randrange(of) == 0


def seed_of_the_commit() -> str:
    """Return the short name of the commit that is checked out; a constant where there is none."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    try:
        found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "no commit"
    return found.stdout.strip()
