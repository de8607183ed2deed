"""What the draw of a round is told of all that happened before."""

import pytest

from domain.tournament import directing, entering, results, rounds
from domain.tournament.drawing import problem_of
from domain.tournament.regulations import Random, Swiss
from tests.helpers.tournaments import Club, player

ANNA, BERT = player(1), player(2)


@pytest.mark.rule("TAB-TRN-09")
def test_the_problem_has_scores_meetings_byes_clubs_and_places() -> None:
    club = Club(7, stages=(Swiss(3),), sizes=(3,), points=((60, 36, 12),), bans=((ANNA, BERT),))
    club.act(entering.withdraw, by=ANNA)
    club.act(entering.enter, "Riga", by=ANNA)
    club.play()
    first = club.round
    club.lots()
    problem = problem_of(club.field, club.round)
    entrants = {each.player: each for each in problem.entrants}
    assert [each.player for each in problem.entrants] == [*club.round.present]
    assert [each.lot for each in problem.entrants] == list(range(1, 8))
    assert {each.club for each in problem.entrants} == {"", "Riga"}
    assert entrants[ANNA].club == "Riga"
    assert [entrants[each].score for each in first.tables[0].players] == [60 * 60, 36 * 60, 12 * 60]
    assert [entrants[each].seats for each in first.tables[0].players] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert [entrants[each].byes for each in first.byes] == [1]
    assert [entrants[each].score for each in first.byes] == [30 * 60]
    assert len(problem.met) == 2 * 3
    assert {met.times for met in problem.met} == {1}
    assert (problem.sizes, problem.preferred, problem.byes, problem.step) == ((3,), 3, 2, 24 * 60)
    assert problem.bans == ((ANNA, BERT),)


@pytest.mark.rule("TAB-TRN-09")
def test_in_a_random_stage_scores_do_not_count() -> None:
    club = Club(8, stages=(Swiss(1), Random(1)))
    club.play()
    club.lots()
    assert {each.score for each in problem_of(club.field, club.round).entrants} == {0}


@pytest.mark.rule("TAB-TRN-09")
def test_the_preferred_size_is_the_first() -> None:
    club = Club(12, sizes=(3, 4))
    club.lots()
    problem = problem_of(club.field, club.round)
    assert (problem.sizes, problem.preferred, problem.byes) == ((3, 4), 3, 3)
    assert [len(table) for table in rounds.tables_for(club.tournament).tables] == [3, 3, 3, 3]


@pytest.mark.rule("TAB-TRN-09", "TAB-TRN-11")
def test_cancelled_rounds_leave_nothing_behind() -> None:
    club = Club(8)
    club.publish()
    club.act(rounds.cancel_round, 1, "Fire alarm")
    club.lots()
    problem = problem_of(club.field, club.round)
    assert problem.met == ()
    assert {each.seats for each in problem.entrants} == {(0, 0, 0, 0)}


@pytest.mark.rule("TAB-TRN-13")
def test_who_was_replaced_met_nobody() -> None:
    club = Club(9, sizes=(4,), points=((60, 42, 24, 6),))
    away = club.publish().byes[0]
    out = club.round.tables[0].players[0]
    club.act(rounds.substitute, 1, 1, out, away, "Ill")
    for table in club.round.tables:
        club.result(table.number)
        club.act(results.confirm, 1, table.number)
    club.lots()
    problem = problem_of(club.field, club.round)
    met = {each for pair in problem.met for each in (pair.one, pair.other)}
    assert out not in met
    assert away in met
    assert all(each.byes == 0 for each in problem.entrants)


@pytest.mark.rule("TAB-TRN-06", "TAB-TRN-17")
def test_who_was_excluded_is_not_drawn() -> None:
    club = Club(8)
    club.act(directing.penalize, ANNA, "exclusion", 0, "Shouting")
    assert ANNA not in club.lots().present
