"""Results of a tournament: who gets the points of a game, when they count, rulings and penalties."""

from fractions import Fraction

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.ids import GameId
from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing, entering, results, rounds
from domain.tournament.crosstable import Cell, crosstable
from domain.tournament.drawing import eligible
from domain.tournament.regulations import KnockOut, Swiss
from domain.tournament.standings import Scores
from tests.helpers.tournaments import ANNA, BERT, SEATS, STRANGER, Club, refused


@pytest.mark.rule("TAB-TRN-12")
def test_each_table_has_one_game() -> None:
    club = Club(8)
    club.publish()
    assert refused(club, rounds.open_table, 1, 1, GameId("g-x"), by=None) == "TAB-TRN-12"
    assert refused(club, rounds.open_table, 1, 3, GameId("g-x"), by=None) == "TAB-TRN-12"
    assert refused(club, rounds.open_table, 2, 1, GameId("g-x"), by=None) == "TAB-TRN-12"
    assert club.tournament.games == {"g-1-1": (1, 1), "g-1-2": (1, 2)}


@pytest.mark.rule("TAB-TRN-13", "TAB-TRN-22")
def test_a_substitute_earns_what_the_seat_does() -> None:
    club = Club(9, sizes=(4,), points=((60, 42, 24, 6),))
    club.act(directing.name_director, ANNA)
    away = club.publish().byes[0]
    table = next(each for each in club.round.tables if ANNA not in each.players)
    out = table.players[0]
    given = (1, table.number)
    other = next(each for each in club.round.tables if each is not table).players[0]
    assert refused(club, rounds.substitute, *given, out, other, "Ill") == "TAB-TRN-13"
    assert refused(club, rounds.substitute, *given, away, away, "Ill") == "TAB-TRN-13"
    assert refused(club, rounds.substitute, *given, out, STRANGER, "Ill") == "TAB-TRN-13"
    assert refused(club, rounds.substitute, *given, out, away, "") == "TAB-TRN-13"
    if away != ANNA:
        own = next(each for each in club.round.tables if ANNA in each.players)
        assert refused(club, rounds.substitute, 1, own.number, own.players[0], away, "Ill", by=ANNA) == "TAB-TRN-22"
    club.act(rounds.substitute, *given, out, away, "Ill")
    club.result(table.number)
    assert refused(club, rounds.substitute, *given, away, out, "Well again") == "TAB-TRN-13"
    scores = Scores(club.tournament.field)
    assert (scores.points[away], scores.points[out]) == (60, 0)


@pytest.mark.rule("TAB-TRN-13", "TAB-TRN-20")
@pytest.mark.parametrize(("mode", "points"), [("substitute", (0, 0, 60)), ("replaced", (60, 30, 0))])
def test_who_gets_the_points_of_substitutes_is_as_the_regulations_say(mode: str, points: tuple[int, ...]) -> None:
    club = Club(9, sizes=(4,), points=((60, 42, 24, 6),), points_of_substitutes=mode)
    club.act(entering.enter, None, by=STRANGER)
    bye, out = club.publish().byes[0], club.round.tables[0].players[0]
    club.act(rounds.substitute, 1, 1, out, bye, "Ill")
    club.act(rounds.substitute, 1, 1, bye, STRANGER, "Ill, too")
    club.result(1)
    scores = Scores(club.field)
    assert tuple(scores.points[each] for each in (out, bye, STRANGER)) == points
    earner = out if mode == "replaced" else STRANGER
    cells = {line.player: line.cells for line in crosstable(club.field)}
    others = club.round.tables[0].players[1:]
    assert cells[earner] == (Cell(1, 1, others, 1, Fraction(60)),)
    assert cells[bye] == ((Cell(1, 0, (), 0, Fraction(30)),) if mode == "replaced" else ())
    # The tie-breaks count for whom the points do.
    (tied,) = scores.opponents(others[0], ())
    assert tied == Fraction(sum(scores.points[each] for each in (earner, *others[1:])), 3)
    assert refused(
        club, directing.change, replace(club.tournament.regulations, points_of_substitutes=UNSET), SEATS
    ) == ("TAB-TRN-03")


@pytest.mark.rule("TAB-TRN-08", "TAB-TRN-13")
@pytest.mark.parametrize("mode", ["substitute", "replaced"])
def test_who_plays_on_in_a_knock_out_is_who_gets_the_points(mode: str) -> None:
    club = Club(9, sizes=(4, 3), points=((60, 36, 12), (60, 42, 24, 6)), points_of_substitutes=mode)
    club.act(directing.change, replace(club.tournament.regulations, stages=(KnockOut(2, 1),)), SEATS)
    club.act(entering.enter, None, by=STRANGER)
    table = club.publish().tables[0]
    club.act(rounds.substitute, 1, 1, table.players[0], STRANGER, "Ill")
    winners = [(table.players[0] if mode == "replaced" else STRANGER), *(t.players[0] for t in club.round.tables[1:])]
    for each in club.round.tables:
        club.result(each.number)
    assert sorted(eligible(club.field)) == sorted([*winners, *club.round.byes])


@pytest.mark.rule("TAB-TRN-14")
def test_a_result_is_taken_anew_until_it_counts() -> None:
    club = Club(8)
    club.publish()
    first = club.round.tables[0].players
    with pytest.raises(Refusal, match="TAB-TRN-14"):
        club.result(1, tuple((each,) for each in first[:3]))
    club.result(1)
    turned = tuple((each,) for each in reversed(first))
    club.result(1, turned, how="ruled")
    assert club.round.tables[0].result is not None
    assert club.round.tables[0].result.order == turned
    club.act(results.confirm, 1, 1)
    with pytest.raises(Refusal, match="TAB-TRN-14"):
        club.result(1)


@pytest.mark.rule("TAB-TRN-15", "TAB-TRN-22")
def test_a_result_counts_by_itself_when_its_time_is_up() -> None:
    club = Club(8)
    club.act(directing.name_director, ANNA)
    club.publish()
    own = next(each.number for each in club.round.tables if ANNA in each.players)
    assert refused(club, results.confirm, 1, own) == "TAB-TRN-15"
    for table in club.round.tables:
        club.result(table.number)
    assert refused(club, results.confirm, 1, own, by=ANNA) == "TAB-TRN-22"
    assert refused(club, results.confirm, 1, own, by=BERT) == "TAB-TRN-15"
    club.wait(hours=23, minutes=50)
    assert refused(club, results.confirm, 1, own, by=None) == "TAB-TRN-15"
    club.wait(minutes=10)
    club.act(results.confirm, 1, own, by=None)
    assert refused(club, results.confirm, 1, own) == "TAB-TRN-15"


@pytest.mark.rule("TAB-TRN-15")
def test_the_last_round_counts_by_a_director_alone() -> None:
    club = Club(4, stages=(Swiss(1),))
    club.publish()
    club.result(1)
    club.wait(days=10)
    assert refused(club, results.confirm, 1, 1, by=None) == "TAB-TRN-15"
    club.act(results.confirm, 1, 1)


@pytest.mark.rule("TAB-TRN-16", "TAB-TRN-22")
def test_a_director_overrules_and_adjudicates() -> None:
    club = Club(8)
    club.act(directing.name_director, ANNA)
    club.publish()
    table = next(each for each in club.round.tables if ANNA in each.players)
    order = (table.players,)
    given = (1, table.number, order, "They never finish.")
    assert refused(club, results.overrule, *given) == "TAB-TRN-16"
    club.wait(days=90)
    assert refused(club, results.overrule, *given, by=ANNA) == "TAB-TRN-22"
    assert refused(club, results.overrule, *given, by=BERT) == "TAB-TRN-16"
    assert refused(club, results.overrule, 1, table.number, (table.players[:3],), "Four") == "TAB-TRN-16"
    assert refused(club, results.overrule, 1, table.number, order, "") == "TAB-TRN-16"
    club.act(results.overrule, *given)
    assert table.number not in [each.number for each in club.round.waiting]
    with pytest.raises(Refusal, match="TAB-TRN-14"):
        club.result(table.number)


@pytest.mark.rule("TAB-TRN-17")
def test_penalties_are_public_and_bounded() -> None:
    club = Club(4)
    club.act(directing.name_director, ANNA)
    assert refused(club, directing.penalize, BERT, "warning", 0, "Late", by=BERT) == "TAB-TRN-17"
    assert refused(club, directing.penalize, ANNA, "warning", 0, "Late", by=ANNA) == "TAB-TRN-17"
    assert refused(club, directing.penalize, STRANGER, "warning", 0, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "warning", 1, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "points", 0, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "points", 1_001, "Late") == "TAB-TRN-17"
    assert refused(club, directing.penalize, BERT, "points", 10, "") == "TAB-TRN-17"
    club.act(directing.penalize, BERT, "points", 10, "Late", by=ANNA)
    club.act(directing.penalize, BERT, "exclusion", 0, "Gone")
    assert club.tournament.field.entrants[BERT].out
