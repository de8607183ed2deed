"""`tabularium plan`."""

import msgspec
import pytest

from tests.service.cli.calling import Call


def test_the_command_says_it_in_a_table_or_as_json(call: Call):
    told = call("plan", "--games", 1000)
    assert told.code == 0
    assert "one process on SQLite" in told.out
    said = msgspec.json.decode(call("plan", "--games", 1000, "--simulate", 5, "--json").out)
    assert said["plan"]["processes"] == 1
    assert said["simulated"]["commands"] >= 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--games", -1), "--games: expected `float` >= 0.0"),
        (("--games", 10, "--peak", 0.5), "--peak: expected `float` >= 1.0"),
        (("--games", 10, "--simulate", 9999), "--simulate takes a number of seconds above 0, 3600 at most"),
        (("--games", 10, "--prices", 1, 1, -1), "--prices takes three numbers that are not negative"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(call: Call, given: tuple[object, ...], said: str):
    ended = call("plan", *given)
    assert (ended.code, ended.err) == (2, f"tabularium: {said}\n")
