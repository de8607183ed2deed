"""What a draw costs: every draw of small fields by a second implementation, written from the words of the weights."""

from itertools import combinations, islice, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel.ids import PlayerId
from domain.tournament.draw import Cost, Draw, Entrant, Met, Problem, Weights, arranged, cost
from domain.tournament.draw.cost import cost_in
from domain.tournament.draw.field import Field
from tests.domain.tournament.draw.problems import every_draw, problems


def told(problem: Problem, draw: Draw) -> Cost:
    """Return what a draw costs, as `Weights` and `Cost` tell it."""
    by = {entrant.player: entrant for entrant in problem.entrants}
    met = {frozenset((item.one, item.other)): item.times for item in problem.met}
    weights = problem.weights
    pairs = [pair for table in draw.tables for pair in combinations(table, 2)]
    last = max(entrant.lot for entrant in problem.entrants)
    lowest = min(entrant.score for entrant in problem.entrants)
    sizes = sum(weights.size * (len(table) - problem.preferred) ** 2 for table in draw.tables)
    scores = sum(int(weights.score * abs(by[one].score - by[other].score) / problem.step) for one, other in pairs)
    meetings = sum(weights.met * met.get(frozenset(pair), 0) ** 2 for pair in pairs)
    clubs = sum(weights.club for one, other in pairs if by[one].club == by[other].club != "")
    byes = sum(
        weights.bye
        + weights.bye_again * by[player].byes ** 2
        + int(weights.bye_score * (by[player].score - lowest) / problem.step)
        for player in draw.byes
    )
    lots = sum(abs(by[one].lot - by[other].lot) for one, other in pairs) + sum(last - by[one].lot for one in draw.byes)
    seats = weights.seat * sum(
        uneven(by[player], len(table))[at] for table in draw.tables for at, player in enumerate(table)
    )
    total = sizes + scores + meetings + clubs + byes
    return Cost(sizes, scores, meetings, clubs, byes, total, seats, lots)


def uneven(entrant: Entrant, size: int) -> list[int]:
    """Return how uneven each seat would be for a player, squared."""
    had = [*entrant.seats, *[0] * size][:size]
    return [(times - min(had)) ** 2 for times in had]


@settings(max_examples=60, deadline=None)
@given(problems(most=7))
def test_every_draw_of_a_small_field_costs_what_the_words_say(problem: Problem) -> None:
    field = Field(problem)
    for draw in islice(every_draw(problem), 100):
        assert cost_in(field, draw) == told(problem, draw)
    assert "pairs" not in vars(field), "of a large field they take a while, and only the draw needs them"


@settings(max_examples=30, deadline=None)
@given(problems(most=6))
def test_what_two_cost_together_is_what_they_cost_part_by_part(problem: Problem) -> None:
    field = Field(problem)
    for one, other in permutations(range(len(field.players)), 2):
        parts = field.score(one, other) + field.meeting(one, other) + field.club(one, other)
        assert field.pairs[one][other] == parts
        assert field.pairs[one][one] == 0


@settings(max_examples=60, deadline=None)
@given(problems(most=6))
def test_everybody_gets_the_seats_that_cost_least_and_the_lowest_lot_the_first_of_them(problem: Problem) -> None:
    lots = {entrant.player: entrant.lot for entrant in problem.entrants}
    for draw in islice(every_draw(problem), 3):
        for table in arranged(problem, draw).tables:
            orders = [
                (told(problem, Draw((order,))).seats, [lots[player] for player in order])
                for order in permutations(table)
            ]
            assert (told(problem, Draw((table,))).seats, [lots[player] for player in table]) == min(orders)


def test_a_cost_by_hand() -> None:
    ann, bob, cat, dan, eve = (PlayerId(name) for name in ("ann", "bob", "cat", "dan", "eve"))
    problem = Problem(
        (
            Entrant(ann, 1, 60, club="north", seats=(2, 1)),
            Entrant(bob, 4, 48),
            Entrant(cat, 2, 48, club="north"),
            Entrant(dan, 3, 12),
            Entrant(eve, 5, 6, byes=2),
        ),
        sizes=(2, 3),
        preferred=3,
        byes=1,
        step=12,
        met=(Met(ann, bob, 2), Met(cat, dan, 1)),
        weights=Weights(300, 100, 2000, 250, 1000, 20000, 100, 10),
    )
    # ann and bob: one step of score, met twice, and ann has had the first seat once more than the second.
    # cat and dan: three steps, met once. eve: two byes before, the lowest score and the last lot.
    draw = Draw(((ann, bob), (cat, dan)), (eve,))
    assert cost(problem, draw) == Cost(600, 400, 10000, 0, 81000, 92000, 10, 4)
    # ann and cat: one step of score and one club. bob and dan: three steps.
    # eve, had she played, would have left the bye to dan: half a step above the lowest, two from the last lot.
    draw = Draw(((cat, ann), (bob, eve)), (dan,))
    assert cost(problem, draw) == Cost(600, 450, 0, 250, 1050, 2350, 0, 4)


def test_the_tables_stand_in_the_order_of_their_mean_scores() -> None:
    players = [PlayerId(f"p{number}") for number in range(5)]
    entrants = tuple(
        Entrant(player, 5 - at, score) for at, (player, score) in enumerate(zip(players, (1, 9, 2, 5, 4), strict=True))
    )
    problem = Problem(entrants, (2, 3), 3)
    drawn = arranged(problem, Draw((tuple(players[:3]), tuple(players[3:]))))
    assert [set(table) for table in drawn.tables] == [set(players[3:]), set(players[:3])]


@given(st.permutations(range(6)))
def test_the_order_within_a_table_changes_only_seats(order: list[int]) -> None:
    entrants = tuple(Entrant(PlayerId(f"p{at}"), at + 1, 7 * at, club="x" * (at % 2), seats=(at,)) for at in range(6))
    problem = Problem(entrants, (6,), 6)
    first = cost(problem, Draw((tuple(entrant.player for entrant in entrants),)))
    other = cost(problem, Draw((tuple(entrants[at].player for at in order),)))
    assert (first.total, first.lots) == (other.total, other.lots)
