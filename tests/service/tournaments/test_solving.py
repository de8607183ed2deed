"""Draws by the solver: never worse than slices, the best of all for small fields, and slices where it fails."""

import asyncio
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from domain.kernel.ids import PlayerId
from domain.tournament.draw import Entrant, Met, Problem, cost, faults, slices
from domain.tournament.draw.slices import NoDraw
from service.tournaments import solving
from service.tournaments.solving import Solved, Solver
from tests.domain.tournament.draw.problems import every_draw


def later(
    count: int, seed: int, sizes: tuple[int, ...] = (3, 4), byes: int = 0, met: int = 3, bans: int = 2
) -> Problem:
    """Return a problem of a later round: random scores, meetings, clubs and bans."""
    random = Random(seed)
    players = [PlayerId(f"p{number}") for number in range(count)]
    pairs = [(one, other) for one in players for other in players if one < other]
    return Problem(
        tuple(
            Entrant(player, lot, score=12 * random.randrange(12), byes=random.randrange(2), club=random.choice("abcd"))
            for lot, player in enumerate(random.sample(players, count), start=1)
        ),
        sizes,
        max(sizes),
        byes,
        step=12,
        met=tuple(Met(*pair, random.randint(1, 2)) for pair in random.sample(pairs, min(met * count, len(pairs)))),
        bans=tuple(random.sample(pairs, bans)),
    )


def found(problem: Problem, seconds: float = 300, solver: Solver | None = None) -> Solved:
    solved = asyncio.run((solver or Solver()).solve(problem, seconds))
    assert faults(problem, solved.draw) == []
    assert solved.cost == cost(problem, solved.draw)
    assert solved.cost.total <= cost(problem, slices(problem)).total
    assert solved.bound <= solved.cost.total
    assert solved.proved == (solved.bound == solved.cost.total)
    return solved


@pytest.mark.parametrize("seed", range(4))
def test_the_draw_of_a_small_field_is_the_best_of_all(seed: int) -> None:
    problem = later(7 + seed % 2, seed, sizes=((3, 4), (2, 3, 5), (4, 3), (2, 6))[seed], byes=seed % 3)
    solved = found(problem)
    assert solved.proved, solved
    assert solved.cost.total == min(cost(problem, draw).total for draw in every_draw(problem))


def test_24_players_get_a_better_draw_than_slices_and_the_proof_of_it() -> None:
    problem = later(24, 5)
    solved = found(problem)
    assert solved.by == "solver", solved
    assert solved.proved, solved
    assert solved.cost.total < cost(problem, slices(problem)).total
    # One thread and one seed: it is the same again.
    assert found(problem) == solved


def test_what_costs_no_more_than_the_tables_alone_needs_no_solver() -> None:
    problem = Problem(tuple(Entrant(PlayerId(f"p{number}"), number + 1) for number in range(13)), (3, 4), 4)
    solved = found(problem, solver=Solver(Path("/no/such/program")))
    assert (solved.by, solved.proved, solved.remark) == ("slices", True, "")


def test_no_draw_is_refused() -> None:
    problem = Problem(tuple(Entrant(PlayerId(f"p{number}"), number + 1) for number in range(7)), (4,), 4)
    with pytest.raises(NoDraw):
        asyncio.run(Solver().solve(problem, 1))


def test_without_the_extra_the_draw_is_that_of_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "find_spec", lambda _: None)
    problem = later(24, 5)
    solved = found(problem)
    assert solved.draw == slices(problem)
    assert (solved.by, solved.proved) == ("slices", False)
    assert solved.remark.startswith("tabularium[draw] is not installed")


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], Solver]:
    """A program instead of the solver. It finds the problem in `told`, and `write` writes what it found."""

    def made(body: str) -> Solver:
        path = tmp_path / "program.py"
        beginning = """
            import json, os, sys, time
            from pathlib import Path
            told = json.loads(sys.stdin.readline())
            def write(tables, byes=(), bound=0):
                print(json.dumps({"tables": tables, "byes": list(byes), "bound": bound}), flush=True)
        """
        path.write_text(textwrap.dedent(beginning) + textwrap.dedent(body))
        return Solver(path)

    return made


@pytest.mark.parametrize(
    ("body", "remark"),
    [
        ("sys.exit(3)", "the solver ended with 3"),
        ("os.kill(os.getpid(), 9)", "the solver ended with -9"),
        ("print('Hello')", "the solver answered what cannot be read: "),
        ("print('x' * 5_000_000)", "the solver answered what cannot be read: "),
        ("write(told['tables'][1:])", "the solver found an unlawful draw: p"),
        ("write([[0, 1, 2, 99]])", "the solver named players that there are not"),
        (
            "one, other = told['bans'][0]; write([[one, other], *told['tables']], bound=9**9)",
            "the solver found an unlawful",
        ),
    ],
)
def test_a_solver_that_fails_leaves_the_slices_and_says_why(
    program: Callable[[str], Solver], body: str, remark: str
) -> None:
    problem = later(13, 1)
    solved = found(problem, solver=program(body))
    assert (solved.draw, solved.by, solved.proved) == (slices(problem), "slices", False)
    assert solved.remark.startswith(remark)


def test_a_worse_draw_than_slices_is_not_taken(program: Callable[[str], Solver]) -> None:
    problem = later(8, 2, sizes=(4,), bans=0)
    by_lot = [[0, 1, 2, 3], [4, 5, 6, 7]]
    solved = found(problem, solver=program(f"write({by_lot})"))
    assert solved.by == "slices"


def test_a_solver_that_does_not_end_is_killed_and_what_it_found_counts(
    program: Callable[[str], Solver], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "GRACE", 0)
    problem = later(24, 5)
    best = found(problem)
    lots = [entrant.player for entrant in sorted(problem.entrants, key=lambda entrant: entrant.lot)]
    tables = [[lots.index(player) for player in table] for table in best.draw.tables]
    body = f"""
        Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid()))
        write({tables})
        time.sleep(600)
    """
    # A busy machine may take seconds to start the program.
    solved = found(problem, 5, program(body))
    assert (solved.cost.total, solved.by, solved.proved) == (best.cost.total, "solver", False)
    assert not is_running(tmp_path / "pid")


def is_running(pid: Path) -> bool:
    """Tell whether a process is there: signal 0 asks for nothing but that. One that nobody awaited counts as well."""
    try:
        os.kill(int(pid.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


async def test_cancelling_a_draw_ends_its_process_and_lets_the_next_begin(
    program: Callable[[str], Solver], tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    solver = program(f"Path({str(pid)!r}).write_text(str(os.getpid())); time.sleep(600)")
    drawing = asyncio.create_task(solver.solve(later(13, 1), 500))
    while not (pid.exists() and pid.read_text()):  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.01)
    drawing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await drawing
    assert not is_running(pid)
    solved = await solver.solve(Problem(tuple(Entrant(PlayerId(p), i + 1) for i, p in enumerate("abc")), (3,), 3), 1)
    assert solved.proved


async def test_the_process_gets_nothing_of_the_service_s_settings(
    program: Callable[[str], Solver], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABULARIUM_SECRET", "hidden")
    solver = program(f"Path({str(tmp_path / 'env')!r}).write_text(' '.join(os.environ))")
    await solver.solve(later(13, 1), 5)
    assert "PATH" in (tmp_path / "env").read_text()
    assert "TABULARIUM" not in (tmp_path / "env").read_text()
