"""A better draw by exchanges that may make it worse at first: threshold accepting, in integers and without chance.

Two players change places when that makes the draw cheaper, or dearer by no more than a threshold, which falls to zero.
So the search gets past draws that no single exchange improves. A fixed sequence of numbers chooses the two players.
In `python -m tests.bench draws`, the totals of 24 and 48 players in rounds 3 to 7 are 0 to 23 % above the bound.
"""

from collections.abc import Sequence
from typing import Final

from domain.tournament.draw.field import Field, pairs_of
from domain.tournament.draw.lawful import Seating

MOST_TRIES: Final = 2000
"""The most exchanges to try for each player. A field of 240 then takes a second."""

TRIES: Final = 100
"""How many exchanges to try for each pair of players in a small field."""


def annealed(field: Field, tables: Sequence[Sequence[int]], byes: Sequence[int]) -> Seating:
    """Return the cheapest draw that the exchanges reach from a lawful draw; the given one when none is cheaper."""
    count, bye = len(field.players), len(tables)
    weights = field.problem.weights
    total = sum(field.pairs[one][other] for table in tables for one, other in pairs_of(table))
    if not total and not any(byes):
        return [list(table) for table in tables], list(byes)
    # The first threshold, the largest of these. Where all have met often, it is what a player costs now.
    heat = max(weights.met // 2, 10 * weights.score, weights.club, total // count)
    ban = 1 + 4 * sum(map(sum, field.pairs)) + 4 * sum(field.byes) + heat
    pairs = [
        [price + ban if other in banned else price for other, price in enumerate(row)]
        for row, banned in zip(field.pairs, field.banned, strict=True)
    ]
    seats = [list(table) for table in (*tables, byes)]
    at = [0] * count
    for number, table in enumerate(seats):
        for player in table:
            at[player] = number
    saved = most_saved = 0
    best = [list(table) for table in seats]
    tries = count * min(MOST_TRIES, TRIES * count)
    number = 1
    for countdown in range(tries, 0, -1):
        # The constants are those of Numerical Recipes; the low bits, which repeat soon, are left out.
        number = (number * 1664525 + 1013904223) & 0xFFFFFFFF
        one = (number >> 8) % count
        number = (number * 1664525 + 1013904223) & 0xFFFFFFFF
        other = (number >> 8) % count
        from_table, to_table = at[one], at[other]
        if from_table == to_table:
            continue
        prices_of_one, prices_of_other = pairs[one], pairs[other]
        # The sums below count each player as sitting with the one who leaves, so that pair is subtracted.
        increase = 0
        if from_table == bye:
            increase += field.byes[other] - field.byes[one]
        else:
            increase -= prices_of_one[other]
            for player in seats[from_table]:
                increase += prices_of_other[player] - prices_of_one[player]
        if to_table == bye:
            increase += field.byes[one] - field.byes[other]
        else:
            increase -= prices_of_one[other]
            for player in seats[to_table]:
                increase += prices_of_one[player] - prices_of_other[player]
        if increase <= heat * countdown // tries:
            seats[from_table][seats[from_table].index(one)] = other
            seats[to_table][seats[to_table].index(other)] = one
            at[one], at[other] = to_table, from_table
            saved -= increase
            if saved > most_saved:
                most_saved = saved
                best = [list(table) for table in seats]
    return best[:bye], best[bye]
