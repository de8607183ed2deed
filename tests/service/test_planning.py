"""The plan for a load, and its simulation."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from service.planning.model import Costs, Load, Prices, append_of, command_of, measured, planned, use_of
from service.planning.simulation import simulate

COSTS = measured()
SMALL, LARGE = Load(games=100), Load(games=1_000_000)


def test_a_small_club_needs_one_process_and_a_large_operator_many():
    assert planned(SMALL, COSTS, Prices()).step == "one process on SQLite"
    large = planned(LARGE, COSTS, Prices())
    assert large.step == "several processes on one PostgreSQL, with Redis"
    assert large.processes * COSTS.clients * COSTS.busy >= LARGE.games * LARGE.watchers
    assert planned(replace(LARGE, games=1e8), COSTS, Prices()).step == "several servers of PostgreSQL, by books"


@pytest.mark.parametrize("name", ["games", "commands", "events", "watchers", "reads"])
def test_more_of_anything_never_needs_less(name: str):
    before = planned(LARGE, COSTS, Prices())
    after = planned(replace(LARGE, **{name: 3 * getattr(LARGE, name)}), COSTS, Prices())
    for field in before.__struct_fields__:
        if field != "step":
            assert getattr(after, field) >= getattr(before, field), field
    assert after.month > before.month


def test_no_process_is_planned_to_be_busier_than_it_should_be():
    for games in (1e3, 1e5, 1e6, 1e7):
        found = planned(Load(games=games), COSTS, Prices())
        assert found.serving / found.processes <= COSTS.busy
        assert found.folding / found.folders <= COSTS.busy
        assert found.database / found.database_cores <= COSTS.busy


def test_the_use_of_a_process_is_its_rate_times_the_cost_at_that_use():
    for rate in (1, 20, 200):
        use = use_of(rate, LARGE, COSTS)
        assert use == pytest.approx(rate * command_of(use, LARGE, COSTS))
    assert use_of(5000, LARGE, COSTS) > 1
    assert append_of(0, COSTS) == COSTS.append
    assert append_of(1e6, COSTS) == pytest.approx(COSTS.appended)


def test_a_simulation_of_one_queue_waits_as_the_formula_says():
    """Pollaczek and Khinchine: work of mean 1/100 and a known spread, at half the rate that would fill the process."""
    alone = replace(
        COSTS, command=0.01, together=0.01, read=0.0, frame=0.0, append=1e-9, appended=1e-9, flush=1e-9, busy=1.0
    )
    load = Load(games=50 * 7200, watchers=0, reads=0, peak=1)
    plan = replace(planned(load, alone, Prices()), processes=1)
    seen = simulate(load, plan, alone, 400)
    assert seen.commands == pytest.approx(400 * 50, rel=0.03)
    assert seen.use["the processes that serve"] == pytest.approx(0.5, rel=0.05)
    # Half of the work of mean 10 ms takes less than 8.4 ms; with waiting, half of the answers less than 13.
    assert 9 < seen.p50 < 15
    assert seen.p50 < seen.p95 < seen.p99


def test_a_simulation_says_what_is_saturated_first():
    load = replace(LARGE, watchers=0)
    plan = planned(load, COSTS, Prices())
    starved = replace(plan, database_cores=1)
    seen = simulate(load, starved, replace(COSTS, append=0.002, appended=0.002), 5)
    assert seen.first == "the database"
    assert seen.room == pytest.approx(1 / seen.use["the database"])
    assert simulate(load, plan, COSTS, 2) == simulate(load, plan, COSTS, 2)


def test_every_cost_has_its_place_in_the_file():
    text = (Path(__file__).parents[2] / "service" / "planning" / "costs.toml").read_text()
    assert tuple(re.findall(r"^(\w+) =", text, re.MULTILINE)) == Costs.__struct_fields__
