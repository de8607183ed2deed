"""A better draw by exchanges that may make it worse at first: threshold accepting, in integers and without chance.

Two players change places when that makes the draw cheaper, or dearer by no more than a threshold, which falls to zero.
So the draw leaves places from which no single exchange leads on. The players come from a fixed sequence of numbers.
In `python -m tests.bench draws`, the totals of 24 and 48 players in rounds 3 to 7 are 0 to 23 % above the bound.
"""

from collections.abc import Sequence
from typing import Final

from domain.tournament.draw.field import Field, pairs_of
from domain.tournament.draw.lawful import Seating

MOST_TRIES: Final = 2000
"""The most exchanges to try for each player: a field of 240 takes a second."""

TRIES: Final = 100
"""How many exchanges to try for each pair of players in a small field."""


def annealed(field: Field, tables: Sequence[Sequence[int]], byes: Sequence[int]) -> Seating:
    """Return the draw with the least total on the way from a lawful draw; the given one when there is no better."""
    count, bye = len(field.players), len(tables)
    weights = field.problem.weights
    total = sum(field.pairs[one][other] for table in tables for one, other in pairs_of(table))
    if not total and not any(byes):
        return [list(table) for table in tables], list(byes)
    # Half a meeting, ten steps of score, or what a player costs now, where all have met often.
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
    gained = most = 0
    best = [list(table) for table in seats]
    tries = count * min(MOST_TRIES, TRIES * count)
    number = 1
    for countdown in range(tries, 0, -1):
        # The constants are those of Numerical Recipes; the low bits, which repeat soon, are left out.
        number = (number * 1664525 + 1013904223) & 0xFFFFFFFF
        one = (number >> 8) % count
        number = (number * 1664525 + 1013904223) & 0xFFFFFFFF
        other = (number >> 8) % count
        mine, theirs = at[one], at[other]
        if mine == theirs:
            continue
        row, their = pairs[one], pairs[other]
        # Each is counted as sitting with the other, who leaves.
        dearer = 0
        if mine == bye:
            dearer += field.byes[other] - field.byes[one]
        else:
            dearer -= row[other]
            for player in seats[mine]:
                dearer += their[player] - row[player]
        if theirs == bye:
            dearer += field.byes[one] - field.byes[other]
        else:
            dearer -= row[other]
            for player in seats[theirs]:
                dearer += row[player] - their[player]
        if dearer <= heat * countdown // tries:
            seats[mine][seats[mine].index(one)] = other
            seats[theirs][seats[theirs].index(other)] = one
            at[one], at[other] = theirs, mine
            gained -= dearer
            if gained > most:
                most = gained
                best = [list(table) for table in seats]
    return best[:bye], best[bye]
