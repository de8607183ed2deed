"""The draw without a solver: slices of the players by score and lot, made better by exchanges.

The players are put in the order of their scores, players of equal score in the order of their lots. Those whose bye
costs least have the byes, and the others are cut into tables from the top. Then two players change places, or one
moves to another table, as long as that makes the draw cheaper; `annealing.py` looks for a still cheaper one. No single
exchange improves the result. It is lawful whenever there is a lawful draw, unless there are so many bans that the
search for one was given up.

All of that follows from the problem alone: nothing is left to chance or to the order of the entrants.
"""

from collections.abc import Sequence
from typing import Final

from domain.tournament.draw.annealing import annealed
from domain.tournament.draw.field import Field, pairs_of
from domain.tournament.draw.lawful import Seating, Shape, lawful, shapes
from domain.tournament.draw.problem import Draw, Problem
from domain.tournament.draw.seating import arranged_in

SHAPES: Final = 3
"""How many numbers of byes to try: those with the cheapest table sizes."""

ROUNDS: Final = 100
"""How often to go through all players; a field of 240 needs some ten rounds."""


class NoDraw(Exception):
    """The problem has no lawful draw; `obstacle` says why."""


def slices(problem: Problem) -> Draw:
    """Return a lawful draw of a problem without flaws.

    Raises:
        NoDraw: there is none.
        Undecided: there are so many bans that the search for one was given up.
    """
    field = Field(problem)
    return arranged_in(field, *sliced(field))


def sliced(field: Field) -> Seating:
    """Return the tables and byes of the slices. Raises `NoDraw` or `Undecided`."""
    seatings: list[tuple[int, Seating]] = []
    for shape in shapes(field)[:SHAPES]:
        exchange = _improved(field, cut(field, shape))
        if exchange.is_lawful():
            seatings.append((exchange.price(), exchange.seating()))
    if not seatings:
        start = lawful(field)
        if start is None:
            raise NoDraw("the problem has no lawful draw")
        exchange = _improved(field, start)
        seatings.append((exchange.price(), exchange.seating()))
    price, best = min(seatings, key=lambda item: item[0])
    exchange = _improved(field, annealed(field, *best))
    return exchange.seating() if exchange.price() < price else best


def _improved(field: Field, seating: Seating) -> "Exchange":
    exchange = Exchange(field, *seating)
    exchange.improve()
    return exchange


def cut(field: Field, shape: Shape) -> Seating:
    """Return the slices of a shape as they are cut, with no regard to bans and earlier meetings."""
    ranked = sorted(range(len(field.players)), key=lambda player: (-field.entrants[player].score, player))
    without = sorted(ranked, key=lambda player: (field.byes[player], -player))[: shape.byes]
    playing = iter([player for player in ranked if player not in without])
    return [[next(playing) for _ in range(size)] for size in shape.sizes], without


class Exchange:
    """Tables between which players are exchanged as long as the draw gets better.

    The price of a draw is a single number: its total, then its lots; a ban that does not hold outweighs both.
    """

    def __init__(self, field: Field, tables: Sequence[Sequence[int]], byes: Sequence[int]) -> None:
        count = len(field.players)
        self._field = field
        self._lots = 4 * (count + 1) * (field.lots[-1] + 1 if count else 1)
        self._pairs = [
            [price * self._lots + abs(field.lots[one] - field.lots[other]) for other, price in enumerate(row)]
            for one, row in enumerate(field.pairs)
        ]
        self._ban = 1 + self._lots * (
            1 + sum(map(max, field.pairs)) * 3 + sum(field.byes) + count * max(field.sizes.values())
        )
        for one, others in enumerate(field.banned):
            for other in others:
                self._pairs[one][other] += self._ban
        # The table after the last one is the bye, which costs the same no matter who else has one.
        self._tables = [list(table) for table in (*tables, byes)]
        self._bye = len(tables)
        self._sizes = {size: price * self._lots for size, price in field.sizes.items()}
        self._at = [0] * count
        for number, table in enumerate(self._tables):
            for player in table:
                self._at[player] = number
        self._alone = [price * self._lots + field.bye_lot(player) for player, price in enumerate(field.byes)]
        self._with = [self._costs_of(player) for player in range(count)]

    def _costs_of(self, player: int) -> list[int]:
        row = self._pairs[player]
        costs = [sum(row[other] for other in table) for table in self._tables]
        costs[self._bye] = self._alone[player]
        return costs

    def price(self) -> int:
        """Return the price of the draw as it is now."""
        tables = self._tables[: self._bye]
        sizes = sum(self._sizes[len(table)] for table in tables)
        pairs = sum(self._pairs[one][other] for table in tables for one, other in pairs_of(table))
        return sizes + pairs + sum(self._alone[player] for player in self._tables[self._bye])

    def is_lawful(self) -> bool:
        """Tell whether all bans hold."""
        banned = self._field.banned
        return not any(other in banned[one] for table in self._tables[: self._bye] for one, other in pairs_of(table))

    def seating(self) -> Seating:
        """Return the tables and byes as they are now."""
        return [sorted(table) for table in self._tables[: self._bye]], sorted(self._tables[self._bye])

    def improve(self) -> None:
        """Exchange players until no exchange makes the draw better, in `ROUNDS` passes at most."""
        for _ in range(ROUNDS):
            better = False
            for player in range(len(self._at)):
                better = self._exchange(player) or better
                better = self._move(player) or better
            if not better:
                return

    def _exchange(self, one: int) -> bool:
        """Let a player change places with the player with whom that gains most; tell whether any did."""
        own_table, row, pairs = self._at[one], self._with[one], self._pairs[one]
        here, costs = row[own_table], self._with
        best, partner = 0, -1
        for other, other_table in enumerate(self._at):
            if other_table != own_table:
                costs_of_other = costs[other]
                gain = here + costs_of_other[other_table] - row[other_table] - costs_of_other[own_table]
                # The sums count each as sitting with the one who leaves, so that pair is added back, except for a bye.
                if own_table != self._bye:
                    gain += pairs[other]
                if other_table != self._bye:
                    gain += pairs[other]
                if gain > best:
                    best, partner = gain, other
        if partner < 0:
            return False
        other_table = self._at[partner]
        self._leave(one)
        self._leave(partner)
        self._join(one, other_table)
        self._join(partner, own_table)
        return True

    def _move(self, player: int) -> bool:
        """Let a player move to the table where that gains most, if both sizes stay allowed; tell whether they did."""
        own_table, row = self._at[player], self._with[player]
        gain_of_leaving = 0
        if own_table != self._bye:
            size = len(self._tables[own_table])
            if size - 1 not in self._sizes:
                return False
            gain_of_leaving = self._sizes[size] - self._sizes[size - 1]
        best, goal = 0, -1
        for other_table, table in enumerate(self._tables):
            size = len(table)
            if other_table == own_table:
                continue
            if other_table == self._bye:
                if size == self._field.problem.byes:
                    continue
                gain = gain_of_leaving + row[own_table] - row[other_table]
            elif size + 1 not in self._sizes:
                continue
            else:
                gain = gain_of_leaving + row[own_table] - row[other_table] - self._sizes[size + 1] + self._sizes[size]
            if gain > best:
                best, goal = gain, other_table
        if goal < 0:
            return False
        self._leave(player)
        self._join(player, goal)
        return True

    def _leave(self, player: int) -> None:
        table = self._at[player]
        self._tables[table].remove(player)
        if table != self._bye:
            for other, price in enumerate(self._pairs[player]):
                self._with[other][table] -= price

    def _join(self, player: int, table: int) -> None:
        self._tables[table].append(player)
        self._at[player] = table
        if table != self._bye:
            for other, price in enumerate(self._pairs[player]):
                self._with[other][table] += price
