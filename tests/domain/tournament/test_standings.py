"""Points, tie-breaks, and who stands above whom."""

from fractions import Fraction

import pytest

from domain.kernel.ids import PlayerId
from domain.tournament.crosstable import Cell, crosstable
from domain.tournament.events import Order
from domain.tournament.field import Entrant, Field, Penalty, Result, Round, Table
from domain.tournament.regulations import TieBreak
from domain.tournament.standings import Scores, final_order, standings
from tests.helpers.tournaments import regulations

A, B, C, D, E, F = map(PlayerId, "abcdef")


def field(*rounds: list[Order], byes: tuple[tuple[PlayerId, ...], ...] = (), **changes: object) -> Field:
    """Return the field of a tournament with such results, one list of tables for each round."""
    drawn = dict[int, Round]()
    for number, tables in enumerate(rounds, start=1):
        seated = tuple(
            Table(at, tuple(sorted(p for tied in order for p in tied)), result=Result(order, "won", (), "", True))
            for at, order in enumerate(tables, start=1)
        )
        away = byes[number - 1] if number <= len(byes) else ()
        present = (*(p for table in seated for p in table.players), *away)
        drawn[number] = Round(number, "", present, status="published", tables=seated, byes=away)
    entrants = {player: Entrant(player) for each in drawn.values() for player in each.present}
    return Field(regulations(**changes), entrants, drawn, ())


def one_by_one(*players: PlayerId) -> Order:
    return tuple((player,) for player in players)


@pytest.mark.rule("TAB-TRN-20")
def test_places_earn_what_the_regulations_name_and_ties_share_it() -> None:
    scores = Scores(field([((A,), (B, C), (D,))]))
    assert scores.points == {A: 60, B: 33, C: 33, D: 6}
    assert Scores(field([((A, B, C),)], points=((60, 36, 11), (4, 3, 2, 1)))).points[A] == Fraction(107, 3)


@pytest.mark.rule("TAB-TRN-20")
def test_who_left_is_last_and_ties() -> None:
    result = Result(one_by_one(A, B, C, D), "won", (A, C), "", confirmed=True)
    one = Round(1, "", (A, B, C, D), status="published", tables=(Table(1, (A, B, C, D), result=result),))
    scores = Scores(Field(regulations(), {p: Entrant(p) for p in (A, B, C, D)}, {1: one}, ()))
    assert scores.points == {B: 60, D: 42, A: 15, C: 15}


@pytest.mark.rule("TAB-TRN-20")
@pytest.mark.parametrize(
    ("how", "agreed", "first"),
    [("agreed", "agreed", 60), ("agreed", "tied", 33), ("abandoned", "agreed", 33), ("ruled", "tied", 60)],
)
def test_agreed_and_abandoned_games(how: str, agreed: str, first: int) -> None:
    result = Result(one_by_one(A, B, C, D), how, (), "", confirmed=True)  # pyrefly: ignore[bad-argument-type]
    one = Round(1, "", (A, B, C, D), status="published", tables=(Table(1, (A, B, C, D), result=result),))
    scores = Scores(Field(regulations(agreed=agreed), {p: Entrant(p) for p in (A, B, C, D)}, {1: one}, ()))
    assert scores.points[A] == first


@pytest.mark.rule("TAB-TRN-20")
def test_a_bye_earns_points_and_a_cancelled_round_none() -> None:
    played = field([one_by_one(A, B, C)], byes=((D,),))
    assert Scores(played).points[D] == 30
    cancelled = {1: Round(1, "", (A, B, C, D), status="cancelled", tables=played.rounds[1].tables, byes=(D,))}
    assert set(Scores(Field(played.regulations, played.entrants, cancelled, ())).points.values()) == {0}


@pytest.mark.rule("TAB-TRN-21")
def test_penalties_take_points() -> None:
    played = field([one_by_one(A, B, C)])
    fined = Field(played.regulations, played.entrants, played.rounds, (Penalty(A, "points", 30, "Late", 1, ""),))
    assert [each.player for each in standings(fined)] == [B, A, C]


def tied_by(
    name: TieBreak, *rounds: list[Order], byes: tuple[tuple[PlayerId, ...], ...] = ()
) -> dict[PlayerId, object]:
    played = field(*rounds, byes=byes, tie_breaks=(name,), points=((4, 2, 0), (6, 4, 2, 0)), bye=2)
    return {each.player: each.values[0] for each in standings(played)}


@pytest.mark.rule("TAB-TRN-21")
def test_wins_are_tables_won_alone() -> None:
    counted = tied_by("wins", [one_by_one(A, B, C)], [((A, B), (C,))])
    assert (counted[A], counted[B], counted[C]) == ((1,), (0,), (0,))


@pytest.mark.rule("TAB-TRN-21")
def test_places_are_counted_from_the_first_on() -> None:
    counted = tied_by("places", [one_by_one(A, B, C)], [one_by_one(C, B, A)])
    assert counted[A] == (1, 0, 1, 0)
    assert counted[B] == (0, 2, 0, 0)


@pytest.mark.rule("TAB-TRN-21")
def test_meetings_count_points_at_tables_with_those_one_ties_with() -> None:
    rounds = [one_by_one(A, B, C), one_by_one(D, E, F)], [one_by_one(D, A, E), one_by_one(B, C, F)]
    counted = tied_by("meetings", *rounds)
    # A has 4 + 2 and B 2 + 4: they tie, and met in the first round. D has 8, and ties with nobody.
    assert (counted[A], counted[B], counted[D]) == ((4,), (2,), (0,))


@pytest.mark.rule("TAB-TRN-21")
def test_opponents_are_the_mean_of_their_points_and_a_bye_is_ones_own() -> None:
    counted = tied_by("opponents", [one_by_one(A, B, C)], [one_by_one(D, A, B)], byes=((D,), (C,)))
    # Points: A 4 + 2, B 2 + 0, C 0 + 2, D 2 + 4.
    assert counted[A] == (Fraction(2 + 2 + 6 + 2, 4),)
    assert counted[D] == (Fraction(6 + 2 + 6, 3),)


@pytest.mark.rule("TAB-TRN-21")
def test_fewer_penalties_decide_words_of_caution_left_aside() -> None:
    played = field([((A, B, C),)], tie_breaks=("penalties",))
    given = (Penalty(A, "warning", 0, "Late", 1, ""), Penalty(B, "caution", 0, "Late", 1, ""))
    lines = standings(Field(played.regulations, played.entrants, played.rounds, given))
    assert [(line.player, line.place, line.values) for line in lines] == [
        (B, 1, ((0,),)),
        (C, 1, ((0,),)),
        (A, 3, ((-1,),)),
    ]


@pytest.mark.rule("TAB-TRN-21")
def test_who_did_not_play_the_last_round_has_the_last_lot() -> None:
    played = field([one_by_one(A, B, C)], [((D, A, B),)], tie_breaks=("lot",))
    lots = {line.player: line.values[0] for line in standings(played)}
    assert [lots[each] for each in (A, B, D, C)] == [(0,), (-1,), (-2,), (-3,)]


@pytest.mark.rule("TAB-TRN-21")
def test_what_decides_between_neighbours_is_named() -> None:
    played = field([one_by_one(A, B, C)], [one_by_one(B, A, D)], byes=((D,), (C,)), tie_breaks=("wins", "lot"))
    lines = {each.player: each for each in standings(played)}
    # A and B have 96 points and a win each, and the lot of the last round decides. C and D have 42 and 12 + 30.
    assert [lines[each].above for each in (A, B)] == ["lot", "points"]
    assert [each.place for each in standings(played)] == [1, 2, 3, 4]


@pytest.mark.rule("TAB-TRN-21")
def test_those_who_tie_to_the_end_share_the_place() -> None:
    played = field([((A, B), (C,))], tie_breaks=())
    assert [(each.player, each.place, each.above) for each in standings(played)] == [
        (A, 1, None),
        (B, 1, "points"),
        (C, 3, None),
    ]
    assert final_order(played) == ((A, B), (C,))


def test_the_crosstable_has_a_cell_for_each_round_that_a_player_played() -> None:
    played = field([one_by_one(A, B, C)], [((B,), (A, D))], byes=((D,), (C,)))
    lines = {line.player: line for line in crosstable(played)}
    assert [line.place for line in crosstable(played)] == [1, 2, 3, 4]
    assert lines[A].cells == (Cell(1, 1, (B, C), 1, Fraction(60)), Cell(2, 1, (B, D), 2, Fraction(24)))
    assert lines[C].cells == (Cell(1, 1, (A, B), 3, Fraction(12)), Cell(2, 0, (), 0, Fraction(30)))
    for line in lines.values():
        assert sum(cell.points for cell in line.cells if cell.points is not None) == line.points


def test_a_table_without_a_result_has_no_points_yet() -> None:
    seated = (Table(1, (A, B, C)),)
    one = Round(1, "", (A, B, C), status="published", tables=seated)
    open_field = Field(regulations(), {p: Entrant(p) for p in (A, B, C)}, {1: one}, ())
    assert crosstable(open_field)[0].cells == (Cell(1, 1, (B, C), 0, None),)


@pytest.mark.rule("TAB-TRN-21")
def test_where_nobody_has_entered_nobody_stands() -> None:
    nobody = Field(regulations(), {}, {}, ())
    assert standings(nobody) == crosstable(nobody) == []
    assert final_order(nobody) == ()
