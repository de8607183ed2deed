"""Samples: the same seed draws the same cases, another one others, and the table tells how many."""

import re
from operator import itemgetter
from pathlib import Path

import pytest

from tests.helpers import sampling
from tests.helpers.sampling import Drawn, Run, in_this_run, sampled

CASES = [(store, number) for store in "ab" for number in range(10)]
ROW = re.compile(r"^\| ([^|`]+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


@pytest.fixture(autouse=True)
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(sampling, "RUN", Run("one"))
    return sampling.RUN


def test_a_seed_draws_the_same_again_and_another_one_others(run: Run) -> None:
    drawn = sampled("check", CASES, 5)
    assert len(drawn) == 5
    assert drawn == sorted(drawn)
    assert sampled("check", CASES, 5) == drawn
    assert sampled("another check", CASES, 5) != drawn
    met = {*drawn}
    for number in range(40):
        run.seed = f"seed {number}"
        met.update(sampled("check", CASES, 5))
    assert met == {*CASES}, "every case has its turn"


def test_each_group_is_drawn_from() -> None:
    drawn = sampled("check", CASES, 3, by=itemgetter(0))
    assert [store for store, _ in drawn] == ["a"] * 3 + ["b"] * 3
    assert sampled("few", CASES, 100, by=itemgetter(0)) == CASES


def test_a_case_of_more_weight_is_drawn_more_often() -> None:
    drawn = [sampled(f"check:{number}", "ab", 1, weight={"a": 3, "b": 1}.__getitem__) for number in range(400)]
    assert 270 < drawn.count(["a"]) < 330
    assert sampled("both", "ab", 2, weight={"a": 3, "b": 1}.__getitem__) == ["a", "b"]


def test_without_a_seed_every_case_is_taken_and_what_a_run_would_draw_is_known(run: Run) -> None:
    run.seed = None
    assert sampled("check:one", CASES, 5) == CASES
    assert sampled("check:other", CASES[:7], 5) == CASES[:7]
    assert sampling.checks() == {"check": Drawn(10, 27)}


def test_what_a_test_checks_besides_its_own_it_checks_in_one_run_of_several(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(check: str) -> dict[str, bool]:
        made = dict[str, bool]()
        for test in map(str, range(100)):
            monkeypatch.setenv("PYTEST_CURRENT_TEST", f"{test} (call)")
            made[test] = in_this_run(check, 3)
        return made

    assert drawn("check") == drawn("check") != drawn("another check")
    assert 10 < sum(drawn("check").values()) < 60
    once = drawn("check")
    run.seed = "another"
    assert drawn("check") != once
    run.seed = None
    assert all(drawn("check").values())


def test_the_table_says_what_is_drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all checks when everything was collected, of those that were otherwise."""
    monkeypatch.undo()
    text = (Path(__file__).parent / "README.md").read_text()
    told = {name: Drawn(int(drawn), int(of)) for name, drawn, of in ROW.findall(text)}
    found = sampling.checks()
    assert found.keys() <= told.keys()
    option = request.config.option
    if not option.file_or_dir and not getattr(option, "touched", None):  # `--fast` collects what was touched
        table = "\n".join(f"| {name} | {drawn} | {of} |" for name, (drawn, of) in sorted(found.items()))
        assert told == found, f"the table should be:\n{table}"
