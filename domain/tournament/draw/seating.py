"""Who sits where. A seat is also a place in the starting order, so all should have each seat equally often."""

from collections.abc import Sequence
from itertools import permutations

from domain.tournament.draw.field import Field
from domain.tournament.draw.problem import Draw, Problem


def seating_costs(field: Field, table: Sequence[int]) -> list[list[int]]:
    """Return, for each player of a table, what each of its seats costs."""
    weight = field.problem.weights.seat
    costs: list[list[int]] = []
    for player in table:
        seats = field.entrants[player].seats
        had = [seats[seat] if seat < len(seats) else 0 for seat in range(len(table))]
        costs.append([weight * (times - min(had)) ** 2 for times in had])
    return costs


def seated(field: Field, table: Sequence[int]) -> tuple[int, ...]:
    """Return the players of a table in the order of seats that costs least; of equal orders, the lowest lots first."""
    table = sorted(table)
    costs = seating_costs(field, table)
    # Permutations come in the order of lots, and `min` returns the first of the cheapest.
    orders = permutations(range(len(table)))
    best = min(orders, key=lambda order: sum(costs[player][seat] for seat, player in enumerate(order)))
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
