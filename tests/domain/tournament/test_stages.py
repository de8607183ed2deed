"""The kinds of stages: who plays on, who meets whom, and who stands above whom."""

from collections import Counter
from itertools import combinations

import pytest

from domain.kernel.rules.refusal import Refusal
from domain.tournament import directing, entering, results
from domain.tournament.crosstable import crosstable
from domain.tournament.draw import Draw
from domain.tournament.regulations import FinalTable, Heats, KnockOut, RoundRobin, Swiss, require_sound_regulations
from domain.tournament.standings import Scores, standings
from tests.helpers.tournaments import SEATS, Club, player, regulations

PAIRS = {"sizes": (2,), "points": ((2, 0),), "bye": 1}


@pytest.mark.rule("TAB-TRN-02")
@pytest.mark.parametrize(
    "changes",
    [
        {"stages": (RoundRobin(3),)},
        {"stages": (Heats(3, 4),)},
        {"stages": (Heats(3, 0),)},
        {"stages": (KnockOut(2, 0),)},
        {"stages": (KnockOut(2, 3),)},
        {"stages": (FinalTable(2, 4),)},
        {"stages": (FinalTable(1, 5),)},
    ],
)
def test_stages_that_cannot_be_played_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(Refusal, match="TAB-TRN-02"):
        require_sound_regulations(regulations(**changes), SEATS)


@pytest.mark.rule("TAB-TRN-09")
@pytest.mark.parametrize("players", range(4, 12))
def test_in_a_round_robin_everybody_meets_everybody_once(players: int) -> None:
    club = Club(players, stages=(RoundRobin(players - 1 + players % 2),), **PAIRS)
    while club.tournament.regulations.stage_of(len(club.field.played)) is not None:
        club.play()
    met = Counter(tuple(sorted(table.players)) for each in club.field.played for table in each.tables)
    assert met == Counter(combinations(sorted(club.field.entrants), 2))
    byes = Counter(each for drawn in club.field.played for each in drawn.byes)
    assert set(byes.values()) <= {1}
    assert len(byes) == (players if players % 2 else 0)


@pytest.mark.rule("TAB-TRN-09")
def test_a_round_robin_goes_on_when_somebody_leaves() -> None:
    club = Club(8, stages=(RoundRobin(7),), **PAIRS)
    club.play()
    club.play()
    club.act(entering.withdraw, by=player(3))
    for _ in range(5):
        club.play()
    met = Counter(tuple(sorted(table.players)) for each in club.field.played for table in each.tables)
    assert set(met.values()) == {1}
    again = club.field.played[0].tables[0].players
    other = Club(8, stages=(RoundRobin(7),), **PAIRS)
    other.play()
    other.lots()
    rest = tuple(each for each in other.round.present if each not in again)
    with pytest.raises(Refusal, match="must not meet"):
        other.draft(Draw((again, rest[:2], rest[2:4], rest[4:])))


@pytest.mark.rule("TAB-TRN-08")
def test_rounds_that_depend_on_no_results_are_drawn_at_once() -> None:
    club = Club(6, stages=(RoundRobin(2), Swiss(1)), **PAIRS)
    club.publish()
    club.publish()
    with pytest.raises(Refusal, match="TAB-TRN-08"):
        club.lots()


@pytest.mark.rule("TAB-TRN-08", "TAB-TRN-21")
def test_in_a_knock_out_the_first_of_each_table_play_on() -> None:
    club = Club(9, stages=(KnockOut(2, 1),), sizes=(3,), points=((60, 36, 12),))
    club.play()
    first = {table.players[0] for table in club.round.tables}
    drawn = club.publish()
    assert set(drawn.present) == first
    last = drawn.tables[0].players
    club.result(1, ((last[1],), (last[0], last[2])))
    club.act(results.confirm, 2, 1)
    lines = standings(club.field)
    assert [line.player for line in lines][:1] == [last[1]]
    assert {line.player for line in lines[:3]} == first
    assert lines[2].above == "stage"


@pytest.mark.rule("TAB-TRN-08", "TAB-TRN-21")
def test_a_knock_out_puts_who_came_farther_above_who_has_more_points() -> None:
    club = Club(6, stages=(Swiss(1), KnockOut(1, 1)), sizes=(3,), points=((60, 36, 12),))
    club.play()
    above, _, third = club.round.tables[0].players
    club.act(entering.withdraw, by=above)
    for table in club.publish().tables:
        club.result(table.number, (table.players,))
    points = Scores(club.field).points
    order = [line.player for line in standings(club.field)]
    assert points[third] < points[above]
    assert order.index(third) < order.index(above)


@pytest.mark.rule("TAB-TRN-08")
def test_those_who_tie_for_playing_on_stand_as_in_the_standings() -> None:
    club = Club(6, stages=(KnockOut(2, 1),), sizes=(3, 2), points=((60, 36, 12), (60, 20)))
    club.publish()
    for table in club.round.tables:
        club.result(table.number, (table.players,))
        club.act(results.confirm, 1, table.number)
    rank = [line.player for line in standings(club.field)]
    best = {min(table.players, key=rank.index) for table in club.round.tables}
    assert set(club.lots().present) == best


@pytest.mark.rule("TAB-TRN-08", "TAB-TRN-21")
def test_the_best_who_are_there_play_the_final_table() -> None:
    club = Club(8, stages=(Swiss(1), FinalTable(1, 4)))
    club.play()
    ranked = [line.player for line in standings(club.field)]
    club.act(entering.withdraw, by=ranked[1])
    drawn = club.publish()
    assert set(drawn.present) == {ranked[0], *ranked[2:5]}
    assert len(drawn.tables) == 1
    turned = tuple((each,) for each in reversed(drawn.tables[0].players))
    club.result(1, turned)
    club.act(results.confirm, 2, 1)
    lines = standings(club.field)
    assert [(line.player,) for line in lines[:4]] == [*turned]
    assert [line.above for line in lines[:4]] == ["stage"] * 4
    assert club.act(directing.close).order[0] == turned[0]


@pytest.mark.rule("TAB-TRN-20")
def test_of_heats_the_best_count() -> None:
    club = Club(3, stages=(Heats(3, 2),), sizes=(3,), points=((60, 36, 12),), check_in="each round")
    one, two, three = map(player, (1, 2, 3))
    for order in ((one, two, three), (two, one, three), (three, two, one)):
        for each in (one, two, three):
            if club.field.entrants[each].checked_in < club.tournament.next_round:
                club.act(entering.check_in, "", by=each)
        club.publish()
        club.result(1, tuple((each,) for each in order))
        club.act(results.confirm, club.round.number, 1)
    assert Scores(club.field).points == {one: 96, two: 96, three: 72}
    counts = {line.player: [cell.counts for cell in line.cells] for line in crosstable(club.field)}
    assert counts == {one: [True, True, False], two: [True, True, False], three: [True, False, True]}


@pytest.mark.rule("TAB-TRN-03")
def test_a_stage_that_has_begun_stays_but_for_its_rounds() -> None:
    club = Club(8, stages=(Swiss(2), FinalTable(1, 4)))
    club.play()
    for stages in ((Heats(2, 1),), (KnockOut(3, 1),), (FinalTable(1, 4), Swiss(2))):
        with pytest.raises(Refusal, match="a stage that has begun"):
            club.act(directing.change, regulations(stages=stages), SEATS)
    club.act(directing.change, regulations(stages=(Swiss(1), KnockOut(2, 1), FinalTable(1, 3))), SEATS)
