"""Draws by slices: lawful whenever a lawful draw exists, for any order of the input; what is said of faults."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.kernel.ids import PlayerId
from domain.tournament.draw import Draw, Entrant, Met, Problem, Weights, cost, faults, flaws, obstacle, slices
from domain.tournament.draw.lawful import Undecided
from domain.tournament.draw.slices import NoDraw
from tests.domain.tournament.draw.problems import every_draw, problems

A, B, C, D, E = (PlayerId(name) for name in "abcde")


def field(count: int, *sizes: int, **others: object) -> Problem:
    """Return a problem of `count` players with lots in their order."""
    entrants = tuple(Entrant(PlayerId(f"p{number}"), number + 1) for number in range(count))
    return Problem(entrants, sizes, max(sizes), **others)  # pyrefly: ignore[bad-argument-type]


def among(draw: Draw) -> set[frozenset[PlayerId]]:
    return {frozenset(table) for table in draw.tables}


@settings(max_examples=80, deadline=None)
@given(problems())
def test_slices_are_lawful_when_any_draw_is(problem: Problem) -> None:
    assert not flaws(problem)
    lawful = next(every_draw(problem), None)
    if lawful is None:
        assert obstacle(problem)
        with pytest.raises(NoDraw):
            slices(problem)
    else:
        assert obstacle(problem) is None
        assert faults(problem, lawful) == []
        assert faults(problem, slices(problem)) == []


@settings(max_examples=40, deadline=None)
@given(problems(most=7))
def test_no_draw_is_cheaper_than_the_cheapest_and_no_single_exchange_makes_slices_cheaper(problem: Problem) -> None:
    every = {_key(draw): cost(problem, draw) for draw in every_draw(problem)}
    if not every:
        return
    drawn = slices(problem)
    found = cost(problem, drawn)
    assert found.total >= min(price.total for price in every.values())
    for other in exchanged(drawn):
        price = every.get(_key(other))
        assert price is None or (price.total, price.lots) >= (found.total, found.lots)


def _key(draw: Draw) -> tuple[frozenset[frozenset[PlayerId]], frozenset[PlayerId]]:
    return frozenset(among(draw)), frozenset(draw.byes)


def exchanged(draw: Draw) -> list[Draw]:
    """Return the draws in which two players have changed places."""
    places = [(table, at) for table, players in enumerate((*draw.tables, draw.byes)) for at in range(len(players))]
    found: list[Draw] = []
    for first in places:
        for second in places:
            if first[0] < second[0]:
                tables = [list(table) for table in (*draw.tables, draw.byes)]
                one, other = tables[first[0]][first[1]], tables[second[0]][second[1]]
                tables[first[0]][first[1]], tables[second[0]][second[1]] = other, one
                found.append(Draw(tuple(map(tuple, tables[:-1])), tuple(tables[-1])))
    return found


@settings(max_examples=30, deadline=None)
@given(problems(most=12), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(problem: Problem, random: Random) -> None:
    def mixed(items: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(random.sample(items, len(items)))

    turned = replace(
        problem,
        entrants=mixed(problem.entrants),
        sizes=mixed(problem.sizes),
        met=mixed(tuple(Met(met.other, met.one, met.times) for met in problem.met)),
        bans=mixed(tuple((other, one) for one, other in problem.bans)),
    )
    try:
        drawn = slices(problem)
    except NoDraw:
        with pytest.raises(NoDraw):
            slices(turned)
        assert obstacle(turned) == obstacle(problem)
    else:
        assert slices(turned) == drawn
        assert cost(turned, drawn) == cost(problem, drawn)


@pytest.mark.parametrize("count", [7, 13, 24, 48, 240])
def test_in_the_first_round_the_lots_alone_decide(count: int) -> None:
    problem = field(count, 3, 4)
    random = Random(count)
    lots = random.sample(range(1, count + 1), count)
    entrants = tuple(replace(entrant, lot=lot) for entrant, lot in zip(problem.entrants, lots, strict=True))
    by_lot = [entrant.player for entrant in sorted(entrants, key=lambda entrant: entrant.lot)]
    drawn = slices(replace(problem, entrants=entrants))
    assert [player for table in drawn.tables for player in table] == by_lot


def test_the_last_lots_have_the_byes() -> None:
    drawn = slices(field(13, 4, byes=1))
    assert drawn.byes == ("p12",)
    assert slices(field(14, 4, byes=3)).byes == ("p12", "p13")


def test_lots_decide_between_draws_of_the_same_total() -> None:
    problem = Problem((Entrant(A, 1), Entrant(B, 2), Entrant(C, 3), Entrant(D, 4)), (2,), 2)
    assert among(slices(problem)) == {frozenset((A, B)), frozenset((C, D))}
    other = replace(problem, entrants=(Entrant(A, 1), Entrant(C, 2), Entrant(B, 3), Entrant(D, 4)))
    assert among(slices(other)) == {frozenset((A, C)), frozenset((B, D))}
    assert among(slices(replace(other, met=(Met(A, C, 1),)))) != among(slices(other))


def test_an_exchange_is_made_with_those_whose_lots_are_near() -> None:
    problem = field(6, 2, bans=((PlayerId("p4"), PlayerId("p5")),))
    # The last two are exchanged with the two before them: 1 + 2 + 2, or 1 + 3 + 1.
    assert cost(problem, slices(problem)).lots == 5


def test_scores_before_lots_and_meetings_before_scores() -> None:
    entrants = (Entrant(A, 1, 24), Entrant(B, 2, 0), Entrant(C, 3, 24), Entrant(D, 4, 0))
    problem = Problem(entrants, (2,), 2, step=12)
    assert among(slices(problem)) == {frozenset((A, C)), frozenset((B, D))}
    met = replace(problem, met=(Met(A, C, 1),))
    assert frozenset((A, C)) not in among(slices(met))
    # Two steps for each of two tables cost less than one meeting of weight 401.
    assert frozenset((A, C)) not in among(slices(replace(met, weights=Weights(met=401))))
    assert frozenset((A, C)) in among(slices(replace(met, weights=Weights(met=399))))


def test_240_players_who_all_belong_to_clubs_of_ten_that_must_not_meet() -> None:
    problem = field(240, 3, 4)
    players = [entrant.player for entrant in problem.entrants]
    bans = tuple(
        (players[one], players[other]) for one in range(240) for other in range(one) if one // 10 == other // 10
    )
    assert faults(replace(problem, bans=bans), slices(replace(problem, bans=bans))) == []


def test_faults_name_players_and_tables() -> None:
    problem = Problem(
        tuple(Entrant(player, at + 1) for at, player in enumerate((A, B, C, D, E))), (2, 3), 3, bans=((B, A),)
    )
    assert faults(problem, Draw(((C, D, E), (A, B)))) == ["a and b sit together at table 2, but must not meet."]
    assert faults(problem, Draw(((A, C, PlayerId("x")), (B, D, D)))) == [
        "x is in the draw but is not an entrant of this round.",
        "d is in the draw 2 times; everybody sits at one table or has a bye.",
        "e is missing: everybody sits at one table or has a bye.",
    ]
    assert faults(problem, Draw(((A, C, D, E),), (B,))) == [
        "Table 1 has 4 players; allowed are tables of 2 or 3.",
        "1 player has a bye; at most 0 may.",
    ]
    assert faults(replace(problem, byes=2), Draw(((A, C, D),), (B, E))) == []


def test_pairs_of_a_table_that_nobody_may_have_are_not_looked_at() -> None:
    players = tuple(map(PlayerId, "abcdefg"))
    problem = Problem(tuple(Entrant(each, at) for at, each in enumerate(players, start=1)), (3,), 3, 1, bans=((B, A),))
    assert faults(problem, Draw((players,))) == ["Table 1 has 7 players; allowed are tables of 3."]


@pytest.mark.parametrize(
    ("problem", "flaw"),
    [
        (Problem((Entrant(A, 1), Entrant(A, 2)), (2,), 2), "a is an entrant 2 times; everybody enters once."),
        (Problem((Entrant(A, 1), Entrant(B, 1)), (2,), 2), "2 entrants have lot 1; everybody has a lot of their own."),
        (Problem((Entrant(A, 0),), (2,), 2), "a has lot 0; lots are numbers from 1."),
        (
            Problem((Entrant(A, 1, byes=-1),), (2,), 2),
            "a has had a seat or a bye -1 times; expected 0 or more.",
        ),
        (Problem((), (), 2), "No table size is allowed; expected one or more from 2 to 6."),
        (Problem((), (7,), 7), "Tables of 7 are allowed; expected sizes from 2 to 6."),
        (Problem((), (1,), 1), "Tables of 1 are allowed; expected sizes from 2 to 6."),
        (Problem((), (3, 4), 5), "Tables of 5 are preferred; expected one of 3 or 4."),
        (Problem((), (3,), 3, byes=-1), "-1 byes are allowed; expected 0 or more."),
        (Problem((), (3,), 3, step=0), "A step is a score of 0; expected 1 or more."),
        (Problem((), (3,), 3, met=(Met(A, A, 1),)), "a is said to have met themselves; expected two players."),
        (
            Problem((), (3,), 3, met=(Met(A, B, 1), Met(B, A, 1))),
            "a and b are listed 2 times as having met; expected one number.",
        ),
        (Problem((), (3,), 3, met=(Met(A, B, -1),)), "a and b are said to have met -1 times; expected 0 or more."),
        (Problem((), (3,), 3, bans=((A, A),)), "a is banned from meeting themselves; expected two players."),
        (Problem((), (3,), 3, weights=Weights(club=-2)), "The weight club is -2; expected 0 or more."),
    ],
)
def test_flaws(problem: Problem, flaw: str) -> None:
    assert flaws(problem) == [flaw]


def test_why_there_is_no_draw() -> None:
    assert obstacle(field(7, 4)) == "7 players cannot fill tables of 4 without byes."
    assert obstacle(field(7, 4, byes=2)) == "7 players cannot fill tables of 4 with 2 byes at most."
    assert obstacle(field(7, 4, byes=3)) is None
    assert obstacle(field(1, 2)) == "1 player cannot fill tables of 2 without byes."
    alone = tuple((PlayerId("p3"), PlayerId(f"p{other}")) for other in range(13) if other != 3)
    told = obstacle(field(13, 3, 4, bans=alone))
    assert told is not None
    # Of the twelve bans eleven suffice: with one player alone p3 fills no table.
    assert told.startswith("No draw keeps apart all of p1 and p3; p2 and p3; p3 and p4; ")
    assert told.count("p3") == told.count(" and ") == 11
    assert told.endswith(". Lift one of these bans, or allow other tables or more byes.")
    assert obstacle(field(13, 3, 4, bans=alone, byes=1)) is None
    # Four who must not meet each other need four tables; the ban of the other two is not named.
    four = tuple((PlayerId(f"p{one}"), PlayerId(f"p{other}")) for one in range(4) for other in range(one))
    told = obstacle(field(9, 3, bans=(*four, (PlayerId("p7"), PlayerId("p8")))))
    assert told is not None
    assert told.count(" and ") == 6
    assert "p7" not in told


def test_a_search_that_is_given_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.tournament.draw.lawful.NODES", 3)
    bans = tuple((PlayerId(f"p{one}"), PlayerId(f"p{other}")) for one in range(5) for other in range(one))
    with pytest.raises(Undecided, match="3 placements"):
        obstacle(field(9, 3, bans=bans))
