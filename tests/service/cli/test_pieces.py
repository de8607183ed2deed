"""Work in pieces: the same however it is divided, also when those who do it are killed."""

import json
import lzma
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from service.base import pieces
from service.base.pieces import WorkersLost, in_pieces
from service.bots.simulation import Outcome, plans, play_all
from tests.service.cli.calling import Call
from tests.service.cli.workers import killed_always, killed_once, refused, squared
from tests.strength import Match, Piece, play

ROOT: Final = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two workers and a scheduler, each in a process of its own; the address of the scheduler."""
    scratch = tmp_path_factory.mktemp("dask")
    found = scratch / "scheduler.json"
    programs = [
        ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(found)),
        *[("worker", "--scheduler-file", str(found), "--nthreads", "1", "--no-nanny", "--no-dashboard")] * 2,
    ]
    with ExitStack() as stack:
        for program, *arguments in programs:
            where = [] if program == "scheduler" else ["--local-directory", str(scratch), "--host", "127.0.0.1"]
            with (scratch / "log").open("ab") as log:
                started = subprocess.Popen(
                    [sys.executable, "-m", f"distributed.cli.dask_{program}", *arguments, *where],
                    cwd=ROOT,
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                    stdout=log,
                    stderr=log,
                )
            stack.callback(started.wait)
            stack.callback(started.kill)
        yield f"dask:{_address(found)}"


def _address(file: Path) -> str:
    while True:
        try:
            return json.loads(file.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.05)


@pytest.mark.parametrize("where", ["local", "cluster"])
def test_pieces_are_answered_in_order_and_a_killed_worker_costs_only_its_piece(
    where: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    on = "local" if where == "local" else request.getfixturevalue("cluster")
    given = [(number, str(tmp_path / "killed")) for number in range(40)]
    assert [*in_pieces(killed_once, given, 2, on)] == [number * number for number in range(40)]
    assert (tmp_path / "killed").exists()
    with pytest.raises(LookupError, match="no 3"):
        next(in_pieces(refused, [3, 4], 2, on))


def test_only_so_many_pieces_are_made_as_can_soon_be_done() -> None:
    made: list[int] = []
    results = in_pieces(squared, (made.append(number) or number for number in range(1000)), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    assert len(made) <= 3 + 2 * pieces.AHEAD
    results.close()  # pyrefly: ignore[missing-attribute]


def test_a_piece_that_kills_every_process_ends_the_work() -> None:
    results = in_pieces(killed_always, range(9), 2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(WorkersLost, match="died one after the other"):
        next(results)


def test_games_are_the_same_wherever_they_are_played(cluster: str) -> None:
    given = plans("mare-nostrum", 3, [3, 4], 5, commands=40)

    def played(processes: int, on: str = "local") -> list[Outcome]:
        return [untimed(outcome) for outcome in play_all(given, processes, on)]

    assert played(1) == played(2) == played(1, cluster)
    match = [Piece("mare-nostrum", 3, seed, "greedy:random", 0, 1) for seed in range(3)]

    def matched(processes: int, on: str = "local") -> list[tuple[float, ...]]:
        return [without_times(each) for each in in_pieces(play, match, processes, on)]

    assert matched(1) == matched(2) == matched(1, cluster)


def untimed(outcome: Outcome) -> Outcome:
    """Return an outcome without the time that it took."""
    return replace(outcome, seconds=0)


def without_times(match: Match) -> tuple[float, ...]:
    return match.games, match.wins, match.finished, match.compared, match.ahead, len(match.seconds)


def test_exports_are_verified_alike_wherever_that_is(cluster: str, call: Call, tmp_path: Path) -> None:
    for each in sorted((ROOT / "tests/recorded/unfinished").iterdir())[:4]:
        (tmp_path / each.name.replace(".xz", "")).write_bytes(opened(each))
    (tmp_path / "cut.jsonl").write_bytes(next(tmp_path.glob("*.jsonl")).read_bytes()[:5000])
    said = [
        call("verify", tmp_path, "--json", *how) for how in (("--processes", 1), ("--processes", 2), ("--on", cluster))
    ]
    assert said[0].out.count("\n") == 5
    assert {each.code for each in said} == {1}
    assert said[0].out == said[1].out == said[2].out


def opened(file: Path) -> bytes:
    return lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()


def test_a_worker_with_another_package_does_nothing() -> None:
    with pytest.raises(WorkersLost, match=r"and this is 0.1: install the same"):
        pieces._by_the_same_package(squared, "0.1", 2)


@pytest.mark.parametrize(
    ("on", "complaint"), [("elsewhere", "'elsewhere' is no place to work on"), ("dask:", "'dask:' is")]
)
def test_a_place_that_is_none_is_refused(call: Call, on: str, complaint: str) -> None:
    assert complaint in call("simulate", "--games", 1, "--on", on).complaint


def test_a_cluster_that_does_not_answer_is_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PATIENCE", 1)
    assert (
        "no Dask scheduler answers at tcp://127.0.0.1:1"
        in call("simulate", "--games", 1, "--on", "dask:tcp://127.0.0.1:1").complaint
    )


def runs(process: str) -> bool:
    """Tell whether a process has not ended; one that has ended may wait to be looked after."""
    try:
        return not Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].startswith(" Z")
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_workers_end_when_the_process_that_began_them_is_killed() -> None:
    code = "import time; from service.base.pieces import in_pieces; [*in_pieces(time.sleep, [0.05] * 10_000, 2)]"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as began:
        children = Path(f"/proc/{began.pid}/task/{began.pid}/children")
        while len(workers := children.read_text().split()) < 2:
            time.sleep(0.05)
        began.kill()
    until = time.monotonic() + 60
    while any(map(runs, workers)):
        assert time.monotonic() < until, "they wait for ever"
        time.sleep(0.05)
