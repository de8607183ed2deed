"""Drawing a round by a solver, in a process of its own and within a time limit.

The solver starts from the slices (`domain.tournament.draw`), and never returns a worse draw: the domain checks and
prices what it finds. Without the packages of the extra `draw`, or when the process fails before it has found a draw,
the result is that of the slices, and `Solved.remark` says why.

HiGHS was chosen by measurement, on draws of rounds 3, 5 and 7 with tables of 3 and 4, by one thread. By columns
(`columns.py`) it proved the best draw for 7 to 24 players in 3 s at most, for 48 in 15 s. CP-SAT, with a variable for
each player at each table, proved it in 8 s for 7 players, and for 13 in round 3; for 24 and 48 players it found no
better draw than it began with, and its bound stayed near zero. HiGHS with numpy adds 68 MB to an installation, OR-tools
with what it needs some 230 MB.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from domain.tournament.draw import Cost, Draw, Problem, faults
from domain.tournament.draw.cost import cost_in
from domain.tournament.draw.field import Field
from domain.tournament.draw.lawful import shapes
from domain.tournament.draw.seating import arranged_in
from domain.tournament.draw.slices import Exchange, sliced
from service.base.settings import PREFIX

GRACE: Final = 2
"""Extra seconds for the process to start and end, before it is killed."""

LINE: Final = 4 * 2**20
"""The most bytes of a line from the process; with 1,000 players, a line has some 10 KiB."""

MISSING: Final = "tabularium[draw] is not installed, so the draw is that of slices by score, made better by exchanges"

_PROGRAM: Final = Path(__file__).with_name("columns.py")


class News(Struct, forbid_unknown_fields=True):
    """A line from the process: the best draw so far, in numbers, and the bound."""

    tables: list[list[int]]
    byes: list[int]
    bound: int


class Solved(Struct, frozen=True):
    """A draw and its quality.

    Attributes:
        draw: the tables, with the players in order of their seats.
        cost: the cost of the draw, part by part.
        bound: no draw has a lower total than this.
        proved: whether no draw has a lower total than this one.
        by: `solver`; or `slices` when the draw is that of the slices, because the solver found no better one or did not
            run.
        remark: why the solver did not run to its end; "" when it did.
    """

    draw: Draw
    cost: Cost
    bound: int
    proved: bool
    by: Literal["solver", "slices"]
    remark: str = ""


class SolverFailed(Exception):
    """The process failed, or its draw was wrong. The message is one line."""


class Solver:
    """Draws rounds, one after the other: a second draw waits until the first is made.

    Args:
        program: the command that starts the process.
    """

    def __init__(self, program: Path = _PROGRAM) -> None:
        self._program = program
        self._turn = asyncio.Semaphore(1)

    async def solve(self, problem: Problem, seconds: float) -> Solved:
        """Return the best draw found within the time. Cancelling it ends the process.

        Args:
            problem: a problem without flaws.
            seconds: how long the solver may search. All in all it takes some seconds more at most.

        Raises:
            NoDraw: the problem has no lawful draw.
            Undecided: it has so many bans that the search for a lawful draw was given up.
        """
        async with self._turn:
            return await self._solve(problem, seconds)

    async def _solve(self, problem: Problem, seconds: float) -> Solved:
        field = await asyncio.to_thread(Field, problem)
        tables, byes = await asyncio.to_thread(sliced, field)
        draw = arranged_in(field, tables, byes)
        price = cost_in(field, draw)
        # No draw costs less than the cheapest shape with the cheapest byes.
        bound = min((_cheapest(field, shape.sizes, shape.byes) for shape in shapes(field)), default=0)
        if bound >= price.total:
            return Solved(draw, price, price.total, True, "slices")
        if find_spec("highspy") is None:
            return Solved(draw, price, bound, False, "slices", MISSING)
        news: list[News] = []
        remark = ""
        try:
            await self._search(_encoded(field, tables, byes, seconds), seconds, news.append)
        except SolverFailed as failed:
            remark = str(failed)
        by: Literal["solver", "slices"] = "slices"
        if news:
            # A draw counts even if the process failed after it.
            try:
                settled = await asyncio.to_thread(_settled, field, news[-1])
            except SolverFailed as failed:
                return Solved(draw, price, bound, False, "slices", str(failed))
            if (found_price := cost_in(field, settled)).total < price.total:
                draw, price, by = settled, found_price, "solver"
            bound = max(bound, *(item.bound for item in news))
        return Solved(draw, price, min(bound, price.total), bound >= price.total, by, remark)

    async def _search(self, problem: bytes, seconds: float, take: Callable[[News], None]) -> None:
        """Read draws from the process until it ends or its time is over. Raises `SolverFailed`."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", self._program),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LINE,
            # Do not pass on the settings of the service, which name its database and keys. numpy needs no threads.
            env={name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
            | {"OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # else Ctrl-C in a terminal reaches the process, too, and it fails before we end it
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(seconds + GRACE):
                process.stdin.write(problem)
                process.stdin.close()
                async for line in process.stdout:
                    take(msgspec.json.decode(line, type=News))
                code = await process.wait()
        except TimeoutError:
            return
        except (msgspec.DecodeError, ValueError, OSError) as error:
            raise SolverFailed(f"the solver answered what cannot be read: {error}") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if code:
            raise SolverFailed(f"the solver ended with {code}")


def _cheapest(field: Field, sizes: tuple[int, ...], byes: int) -> int:
    """Return what tables of these sizes and as many byes cost at least."""
    return sum(field.sizes[size] for size in sizes) + sum(sorted(field.byes)[:byes])


def _encoded(field: Field, tables: list[list[int]], byes: list[int], seconds: float) -> bytes:
    """Return a problem in numbers, for the process."""
    content: dict[str, Any] = {
        "pairs": field.pairs,
        "sizes": field.sizes,
        "byes": field.byes,
        "most_byes": field.problem.byes,
        "bans": [(one, other) for one, others in enumerate(field.banned) for other in sorted(others) if one < other],
        "tables": tables,
        "without": byes,
        "seconds": seconds,
    }
    return msgspec.json.encode(content) + b"\n"


def _settled(field: Field, news: News) -> Draw:
    """Return the draw of the process, with ties decided by lot. Raises `SolverFailed` when it is unlawful."""
    tables, byes = news.tables, news.byes
    if not all(0 <= player < len(field.players) for table in (*tables, byes) for player in table):
        raise SolverFailed("the solver named players that there are not")
    if wrong := faults(field.problem, field.draw(tables, byes)):
        raise SolverFailed(f"the solver found an unlawful draw: {wrong[0]}")
    exchange = Exchange(field, tables, byes)
    exchange.improve()
    return arranged_in(field, *exchange.seating())
