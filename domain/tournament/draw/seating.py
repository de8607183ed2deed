"""Who sits where: the seats and places in the starting order that everybody should have equally often."""

from collections.abc import Sequence
from itertools import permutations

from domain.tournament.draw.field import Field
from domain.tournament.draw.problem import Draw, Problem


def seating_costs(field: Field, table: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Return, for each player of a table, what each of its seats and each place in the starting order costs."""
    weights = field.problem.weights
    names = field.problem.seats_of(len(table))
    costs: list[tuple[list[int], list[int]]] = []
    for player in table:
        entrant = field.entrants[player]
        had = [entrant.seats.get(name, 0) for name in names]
        been = [entrant.places[place] if place < len(entrant.places) else 0 for place in range(len(table))]
        costs.append((_excess(had, weights.seat), _excess(been, weights.place)))
    return costs


def _excess(times: Sequence[int], weight: int) -> list[int]:
    least = min(times)
    return [weight * (count - least) ** 2 for count in times]


def seated(field: Field, table: Sequence[int]) -> tuple[int, ...]:
    """Return the players of a table in the order that costs least; among several, the lowest lots first."""
    table = sorted(table)
    places = range(len(table))
    costs = [
        [seat + place for seat, place in zip(by_seat, by_place, strict=True)]
        for by_seat, by_place in seating_costs(field, table)
    ]
    # In the order of permutations, which is by lots, the first of the cheapest is the one that is wanted.
    best = min(permutations(places), key=lambda order: sum(costs[player][place] for place, player in enumerate(order)))
    return tuple(table[player] for player in best)


def arranged(problem: Problem, draw: Draw) -> Draw:
    """Return a draw with its tables in order, the highest mean score first, and its players on the seats they get."""
    field = Field(problem)
    return arranged_in(field, [field.of(table) for table in draw.tables], field.of(draw.byes))


def arranged_in(field: Field, tables: Sequence[Sequence[int]], byes: Sequence[int]) -> Draw:
    """Return a draw of numbered players with its tables in order and its players on the seats they get."""

    def rank(table: Sequence[int]) -> tuple[int, int]:
        # 60 is divided by every size, so the means are compared exactly.
        return -sum(field.entrants[player].score for player in table) * (60 // len(table)), min(table)

    return field.draw([seated(field, table) for table in sorted(tables, key=rank)], sorted(byes))
