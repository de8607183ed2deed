"""What a command, a read and more take of a processor is what was recorded: a change that takes more fails here."""

import os
import subprocess
import sys

import pytest

from tests.bench.instructions import AGAIN, UNIT, Recorded, complaints, count, least, python_version, recorded

MORE_COUNTS = 3
NOW = {UNIT: 400.0, "command": 2000.0}
THEN = Recorded("3.11", NOW)


def test_nothing_takes_more_instructions_than_recorded() -> None:
    now = least(count())
    for _ in range(MORE_COUNTS):
        if not complaints(now, recorded(), python_version()):
            break
        # What a busy machine adds it does not add to every count; what the code takes stays in all of them.
        now = {name: min(thousands, now[name]) for name, thousands in least(count()).items()}
    found = complaints(now, recorded(), python_version())
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("python", "thousands", "complains"),
    [
        ("3.11", 2050, False),
        ("3.11", 2070, True),
        ("3.11", 1850, False),
        ("3.11", 1790, True),
        ("3.13", 2150, False),
        ("3.13", 2210, True),
        ("3.13", 1500, False),
    ],
)
def test_a_figure_may_move_a_little(python: str, thousands: float, complains: bool) -> None:
    assert bool(complaints(NOW | {"command": thousands}, THEN, python)) == complains


def test_a_complaint_says_what_takes_how_much_more_and_what_to_do() -> None:
    (complaint,) = complaints(NOW | {"command": 2100.0}, THEN, "3.11")
    assert complaint.startswith("command takes 2100 thousand instructions, 5.0 % more than recorded.")
    assert complaint.endswith(AGAIN)


def test_another_build_of_python_may_take_more_for_everything() -> None:
    assert complaints({name: 1.12 * thousands for name, thousands in NOW.items()}, THEN, "3.11") == []


def test_a_figure_that_was_never_recorded_is_a_complaint() -> None:
    assert complaints(NOW | {"stream": 300.0}, THEN, "3.11") == [f"stream: counted or recorded, not both. {AGAIN}"]


def test_without_valgrind_the_benchmark_says_in_a_line_what_to_install() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench", "instructions"],
        env={**os.environ, "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "valgrind counts instructions, and is not installed: apt-get install valgrind\n"
