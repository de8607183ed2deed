"""Counting games for ratings: which count, for whom, and in which order, however they become known (TAB-RAT)."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from domain.kernel.ids import PlayerId
from projections import ratings
from projections.change import Add
from projections.finished import DEFAULTS
from projections.ratings import RATINGS
from projections.skill import NEW, after
from projections.store import NotBuilt, ProjectionStore
from service.cli.projections import standings
from service.ratings import Counter, behind
from tests.helpers.results import League, from_zero, game, result, seasoned, some_results, time_of
from tests.projections.conftest import place, rows
from tests.projections.logs import contents

__all__ = ("place", "rows")

BOTS = ("bot0", "bot1", "bot2", "bot3")


@pytest.fixture
def league(rows: ProjectionStore) -> League:
    return League(rows, BOTS)


async def test_before_the_first_count_there_are_no_ratings_only_where_no_game_has_finished(league: League) -> None:
    rows = league.rows
    with pytest.raises(NotBuilt):  # what there is to count is not known yet
        await ratings.of_player(rows, PlayerId("anna"))
    await league.know()
    assert await ratings.of_player(rows, PlayerId("anna")) == []
    assert await ratings.ladder(rows, "players", "tiny-auction", None, 10) == []
    await league.know(*result("t1.1", 9, "g1", "table", [["bert"], ["anna"]]))
    with pytest.raises(NotBuilt):
        await ratings.of_player(rows, PlayerId("anna"))


async def test_it_is_said_how_many_results_are_not_counted_yet(league: League) -> None:
    rows = league.rows
    assert await behind(rows, await rows.generations()) == {0: (0, 0)}
    await league.know(*result("t1.1", 9, "g1", "table", [["bert"], ["anna"]]))
    generations = await rows.generations()
    told = await behind(rows, generations)
    assert told[0][0] == 0
    assert told[0][1] > 0
    (missing,) = (each for each in standings(generations, 100, told) if each.projection == RATINGS.name)
    assert (missing.state, missing.events, missing.behind) == ("missing", *told[0])
    await league.counted()
    generations = await rows.generations()
    (live,) = (each for each in generations if each.projection == RATINGS.name)
    told_then = await behind(rows, generations)
    assert told_then[live.number] == (told[0][1], 0)
    (standing,) = (each for each in standings(generations, 100, told_then) if each.projection == RATINGS.name)
    assert (standing.state, standing.events, standing.behind) == ("live", told[0][1], 0)


@pytest.mark.rule("TAB-RAT-06")
async def test_a_casual_game_counts_when_each_account_has_ten_games_behind_it(league: League) -> None:
    await seasoned(league, "anna", "bert")
    assert await league.counted() == {}
    assert await league.counted(*game("g1", 20, [["anna"], ["zoe"]])) == {}, "zoe is new, so it counts for nobody"
    shown = await league.counted(*game("g2", 21, [["anna"], ["bert"]]))
    assert set(shown) == {"anna", "bert"}
    assert shown["anna"] > shown["bert"]
    for number in range(9):
        await league.counted(*game(f"h{number}", 30 + number, [["anna"], ["zoe"]]))
    assert await league.games() == {"anna": 1, "bert": 1}
    await league.counted(*game("h9", 40, [["anna"], ["zoe"]]))
    assert await league.games() == {"anna": 2, "bert": 1, "zoe": 1}


@pytest.mark.rule("TAB-RAT-05", "TAB-RAT-06")
async def test_a_table_of_a_tournament_counts_from_the_first_in_the_order_of_the_tournament(league: League) -> None:
    rows = game("g1", 1, [["anna"], ["bert"]], tournament=True)
    assert await league.counted(*rows) == {}, "its result does not count in the tournament yet"
    shown = await league.counted(*result("t1.1", 9, "g1", "table", [["bert"], ["anna"]], "taken"))
    assert shown["bert"] > shown["anna"]
    ruled = result("c1.1", 10, "g1", "ruling", [["red"], ["blue"]], "c1 1 result")
    assert await league.counted(*ruled) == shown, "a ruling counts by what the tournament makes of it"
    overruled = await league.counted(*result("t1.2", 11, "g1", "table", [["anna"], ["bert"]]))
    assert overruled["anna"] > overruled["bert"]
    assert await league.games() == {"anna": 1, "bert": 1}


@pytest.mark.rule("TAB-RAT-05")
async def test_an_adjudicated_table_needs_no_end_of_its_game(league: League) -> None:
    assert set(await league.counted(*result("t1.1", 9, "g1", "table", [["bert"], ["anna"]]))) == {"anna", "bert"}


@pytest.mark.rule("TAB-RAT-07")
async def test_games_of_bots_alone_have_a_list_of_their_own(league: League) -> None:
    await seasoned(league, "anna", "bert")
    await league.counted(
        *game("g1", 20, [["bot1"], ["bot0"]]),
        *game("g2", 21, [["bot1"], ["anna"]]),
        *game("g3", 22, [["anna"], ["bert"]]),
    )
    assert await league.games() == {"anna": 1, "bert": 1}
    assert await league.games("bots") == {"bot0": 1, "bot1": 1}


@pytest.mark.rule("TAB-RAT-04")
async def test_who_left_is_last(league: League) -> None:
    await seasoned(league, "anna", "bert", "carl")
    shown = await league.counted(*game("g1", 20, [["anna"], ["bert"], ["carl"]], left=["anna"]))
    assert shown["bert"] > shown["carl"] > shown["anna"]


@pytest.mark.rule("TAB-RAT-03")
@pytest.mark.parametrize(("given", "left", "counts"), [(1, (), True), (2, (), False), (2, ("bert",), True)])
async def test_a_game_that_the_clock_played_does_not_count(
    rows: ProjectionStore, given: int, left: tuple[str, ...], counts: bool
) -> None:
    league = League(rows)
    log = league.answered(blue=9 if given == 1 else 17, red=2)
    league.counter = Counter(rows, log, league._bots)
    await seasoned(league, "anna", "bert")
    await league.counted(
        *game("g1", 20, [["bert"], ["anna"]], left=left),
        Add(DEFAULTS, {"game": "g1", "seat": "blue"}, {"times": given}),
    )
    assert await league.games() == ({"anna": 1, "bert": 1} if counts else {})


@pytest.mark.rule("TAB-RAT-09")
async def test_a_ruling_counts_from_then_on(league: League) -> None:
    await seasoned(league, "anna", "bert")
    one, two = game("g1", 20, [["anna"], ["bert"]]), game("g2", 21, [["anna"], ["bert"]])
    await league.counted(*one, *two)
    before = await league.rows.select(RATINGS, "SELECT number, player, mu FROM {points} ORDER BY number, player")
    await league.counted(*result("c1.1", 30, "g1", "ruling", [["blue"], ["red"]], "c1 1 result"))
    points = await league.rows.select(RATINGS, "SELECT number, player, mu FROM {points} ORDER BY number, player")
    assert points[: len(before)] == before, "what was shown stays as it was"
    assert await league.games() == {"anna": 2, "bert": 2}
    order = ((PlayerId("anna"),), (PlayerId("bert"),))
    first = after(order, {})
    second = after(order, first)
    back = {player: second[player].mu - first[player].mu + NEW.mu for player in first}
    now = dict(await league.rows.select(RATINGS, "SELECT player, mu FROM {ladder}"))
    assert now["anna"] < back[order[0][0]]
    assert now["bert"] > back[order[1][0]]
    # After an appeal its own end counts again, and then it continues elsewhere.
    await league.counted(*result("c1.2", 31, "g1", "ruling", [], "c1 1 alone"))
    assert await league.games() == {"anna": 2, "bert": 2}
    await league.counted(*result("c2.1", 32, "g1", "ruling", [], "c2 2 gfork"))
    assert await league.games() == {"anna": 1, "bert": 1}


@pytest.mark.rule("TAB-RAT-09")
async def test_a_ruling_on_a_game_that_did_not_count_changes_nothing(league: League) -> None:
    await league.know(*game("g1", 0, [["anna"], ["bert"]]))  # the first game of both
    await seasoned(league, "anna", "bert")
    await league.counted(*result("c1.1", 30, "g1", "ruling", [["blue"], ["red"]], "c1 1 result"))
    assert await league.games() == {"anna": 1, "bert": 1}, "the eleventh game alone"


async def test_results_wait_for_the_end_of_a_game_that_was_not_read_yet(league: League) -> None:
    await seasoned(league, "anna")
    await league.counted()
    taken = result("t1.1", 9, "g1", "table", [["bert"], ["anna"]], "taken")
    assert await league.counted(*taken, *result("t2.1", 10, "g2", "table", [["carl"], ["dora"]])) == {}
    shown = await league.counted(*game("g1", 8, [["bert"], ["anna"]], tournament=True))
    assert set(shown) == {"anna", "bert", "carl", "dora"}


@pytest.mark.rule("TAB-RAT-08")
@pytest.mark.parametrize("batch", [1, 7, 500])
async def test_results_make_the_same_rows_in_whatever_order_they_become_known(
    rows: ProjectionStore, batch: int, tmp_path: Path
) -> None:
    rng = Random(batch)
    results = some_results(rng, 60)
    zero = await from_zero(tmp_path / "zero.db", results, BOTS)
    wanted = await contents(zero.rows, [RATINGS])
    assert len(wanted["ratings.counted"]) > 60
    assert sum(row[-2] != "" for row in wanted["ratings.counted"]) > 20
    league, left = League(rows, BOTS, batch=batch), rng.sample(results, len(results))
    # Mostly in their order, but some come very late.
    left.sort(key=lambda rows: time_of(rows) if rng.random() < 0.8 else "9")
    while left:
        count = rng.choice((1, 2, 5, 20))
        await league.know(*(row for each in left[:count] for row in each))
        left = left[count:]
        for _ in range(rng.randrange(3)):
            await league.counter.step()
    await league.counter.catch_up()
    assert await contents(rows, [RATINGS]) == wanted
    await league.counter.rebuild()
    assert await contents(rows, [RATINGS]) == wanted
    assert not await league.counter.is_behind()


async def test_two_counters_at_a_time_count_each_result_once(rows: ProjectionStore, tmp_path: Path) -> None:
    rng = Random(5)
    results = some_results(rng, 40)
    zero = await from_zero(tmp_path / "zero.db", results, BOTS)
    league = League(rows, BOTS, batch=3)
    other = Counter(rows, league._records, league._bots, batch=4)
    await league.know(*(row for each in results for row in each))
    await asyncio.gather(league.counter.catch_up(), other.catch_up())
    await league.counter.catch_up()
    assert await contents(rows, [RATINGS]) == await contents(zero.rows, [RATINGS])


async def test_after_a_log_with_less_was_restored_everything_is_counted_again(league: League) -> None:
    await seasoned(league, "anna", "bert")
    await league.counted(*game("g1", 20, [["anna"], ["bert"]]), *game("g2", 21, [["anna"], ["bert"]]))
    assert (await league.games())["anna"] == 2
    await league.forget()
    await seasoned(league, "anna", "bert")
    await league.counted(*game("g1", 20, [["anna"], ["bert"]]))
    assert await league.games() == {"anna": 1, "bert": 1}
